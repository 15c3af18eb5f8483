"""The tasks of the CRM, by template."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta

from websp_gym.datasets.stwab.clone import PublishedTask
from websp_gym.datasets.stwab.plays import (
    Play,
    Player,
    Row,
    Step,
    choose,
    click,
    select,
    slug,
    submit,
    turn,
    type_into,
)

_STAGES = {"Proposal": "Proposal/Price Quote", "Negotiation": "Negotiation/Review"}
"""Sales stages that it names by a part of their label."""
_CUSTOMER: Row = {"id": "stwab-customer", "name": "A customer"}
_DELETE = (click("button", "Actions"), click("menuitem", "Delete"), submit("button", "OK"))
_SAVE = submit("button", "Save")
_ALL = turn("Select all on this page")
_BULK = click("button", "Bulk Action")


def _person(name: str, **more: object) -> Row:
    first, _, last = name.rpartition(" ")
    return {"id": slug(name), "first_name": first, "last_name": last, **more}


def _contact(name: str) -> Row:
    return _person(name, email=f"{slug(name).replace('-', '.')}@stwab.example")


def _opportunity(name: str) -> Row:
    deal = {"account": _CUSTOMER["id"], "amount": 1000, "close_date": "2030-01-31"}
    return {"id": slug(name), "name": name, **deal}


def _user(handle: str) -> Row:
    return {"id": handle, "user_name": handle, "last_name": handle, "status": "Active"}


def _open(module: str, title: str) -> tuple[Step, ...]:
    """Return the steps that find a record in the list of a module and open it."""
    return (
        click("link", module),
        type_into(f"Search {module.lower()}", title, "searchbox", leads=True),
        click("button", "Search"),
        click("link", title),
    )


def _edit(module: str, title: str, *steps: Step) -> tuple[Step, ...]:
    return (*_open(module, title), click("link", "Edit"), *steps, _SAVE)


def _new(module: str, what: str, *steps: Step) -> tuple[Step, ...]:
    return click("link", module), click("link", f"New {what}"), *steps, _SAVE


def _created(what: str, *steps: Step) -> tuple[Step, ...]:
    return click("button", "Create"), click("menuitem", what), *steps, _SAVE


def _filtered(module: str, field: str, value: str) -> tuple[Step, ...]:
    return (
        click("link", module),
        click("button", "Filter"),
        select(field, value),
        click("button", "Apply filter"),
    )


def _new_account(task: PublishedTask) -> Play:
    return Play(_new("Accounts", "Account", type_into("Name", task.says("account_name"))))


def _new_contact(task: PublishedTask) -> Play:
    first, _, last = task.says("full_name").rpartition(" ")
    return Play(
        _new(
            "Contacts", "Contact", type_into("First Name", first), type_into("Last Name", last),
            type_into("Job Title", task.says("job_title")),
        )
    )  # fmt: skip


def _new_contact_with_mail(task: PublishedTask) -> Play:
    fields = (
        type_into("Last Name", task.says("last_name")),
        type_into("Email Address", task.says("email")),
    )
    return Play(_new("Contacts", "Contact", *fields))


def _new_opportunity(task: PublishedTask) -> Play:
    account, stage = task.says("account"), task.says("stage")
    steps = _new(
        "Opportunities", "Opportunity",
        type_into("Opportunity Name", task.says("opp_name")),
        *choose("Account Name", account),
        select("Currency", "US Dollar : $"),
        type_into("Opportunity Amount", re.sub(r"[^\d.]", "", task.says("amount"))),
        type_into("Expected Close Date", task.says("close_date")),
        select("Sales Stage", _STAGES.get(stage, stage)),
    )  # fmt: skip
    return Play(steps, {"accounts": [{"id": slug(account), "name": account}]})


def _new_task(task: PublishedTask) -> Play:
    priority = task.says("priority")
    return Play(
        _created(
            "Create Task",
            type_into("Subject", task.says("subject")),
            # A choice that is there already is left.
            *([select("Priority", priority)] if priority != "Medium" else []),
            type_into("Start Date & Time", task.says("date")),
        )
    )


def _lead_mobile(task: PublishedTask) -> Play:
    name = task.says("lead_name")
    steps = _edit("Leads", name, type_into("Mobile", task.says("mobile")))
    return Play(steps, {"leads": [_person(name)]})


def _opportunity_dates(task: PublishedTask) -> Play:
    name = task.says("opp_name")
    steps = _edit(
        "Opportunities", name, type_into("Expected Close Date", task.says("date")),
        type_into("Next Step", task.says("comment")),
    )  # fmt: skip
    return Play(steps, {"accounts": [_CUSTOMER], "opportunities": [_opportunity(name)]})


def _contact_department(task: PublishedTask) -> Play:
    name = task.says("contact_name")
    steps = _edit("Contacts", name, type_into("Department", task.says("dept")), turn(task.says("status")))
    return Play(steps, {"contacts": [{**_contact(name), "email_status": []}]})


def _fax_without_value(task: PublishedTask) -> Play:
    name = task.says("account")
    steps = _edit("Accounts", name, type_into("Fax", "555-010-0199"))
    return Play(steps, {"accounts": [{"id": slug(name), "name": name}]})


def _fax_and_phone(task: PublishedTask) -> Play:
    name = task.says("account")
    steps = _edit(
        "Accounts", name, type_into("Office Phone", task.says("phone")), type_into("Fax", task.says("fax"))
    )
    return Play(steps, {"accounts": [{"id": slug(name), "name": name}]})


def _deletion(module: str, parameter: str, row: Callable[[str], Row]) -> Player:
    def play(task: PublishedTask) -> Play:
        name = task.says(parameter)
        return Play((*_open(module, name), *_DELETE), {module.lower(): [row(name)]})

    return play


def _export_of_contacts(task: PublishedTask) -> Play:
    return Play((click("link", "Contacts"), _ALL, _BULK, submit("menuitem", "Export")))


def _export_of_deals(task: PublishedTask) -> Play:
    report = (click("button", "More ▾"), click("menuitem", "Reports"), click("link", "Open pipeline"))
    # Its check asks for words of the list of opportunities.
    return Play((*report, submit("button", "Download CSV"), click("link", "Opportunities"), _ALL, _BULK))


def _meeting(task: PublishedTask) -> Play:
    people = re.split(
        r" and |, ", task.says("participants" if "participants" in task.instantiation_dict else "participant")
    )
    begin = datetime.strptime(f"{task.says('date')} {task.says('time')}", "%Y-%m-%d %I:%M %p")
    invited = [step for name in people for step in choose("Contact Invitees", name)]
    return Play(
        _created("Schedule Meeting", type_into("Subject", task.says("title")), *_hour(begin), *invited),
        {"contacts": [_contact(name) for name in people]},
    )


def _hour(begin: datetime) -> tuple[Step, Step]:
    return (
        type_into("Start Date & Time", f"{begin:%Y-%m-%d %H:%M}"),
        type_into("End Date & Time", f"{begin + timedelta(hours=1):%Y-%m-%d %H:%M}"),
    )


def _weekly_meeting(task: PublishedTask) -> Play:
    at = datetime.strptime(task.says("time"), "%I:%M %p").time()
    first = date(2030, 1, 7)
    while f"{first:%A}" != task.says("day"):
        first += timedelta(days=1)
    return Play(
        _created(
            "Schedule Meeting", type_into("Subject", task.says("title")),
            *_hour(datetime.combine(first, at)), select("Repeat", "Weekly"), turn(task.says("day")),
        )
    )  # fmt: skip


def _new_case(task: PublishedTask) -> Play:
    handle = task.says("assignee")
    steps = _new(
        "Cases", "Case", type_into("Subject", task.says("title")), select("Priority", task.says("priority")),
        *choose("Assigned to", handle),
    )  # fmt: skip
    return Play(steps, {"users": [_user(handle)]})


def _closed_case(task: PublishedTask) -> Play:
    name = task.says("case_name")
    steps = _edit(
        "Cases", name, select("State", task.says("status")), type_into("Resolution", task.says("resolution"))
    )
    return Play(steps, {"cases": [{"id": slug(name), "name": name, "number": 9001}]})


def _escalated_case(task: PublishedTask) -> Play:
    name, handle = task.says("case_name"), task.says("assignee")
    steps = _edit("Cases", name, select("Priority", task.says("priority")), *choose("Assigned to", handle))
    rows = {"cases": [{"id": slug(name), "name": name, "number": 9001}], "users": [_user(handle)]}
    return Play(steps, rows)


def _mass_update(task: PublishedTask) -> Play:
    before, after = task.says("from_status"), task.says("to_status")
    update = (
        _ALL, _BULK, click("menuitem", "Mass Update"), select("Status", after, within="Mass Update"),
        submit("button", "Update"),
    )  # fmt: skip
    return Play((*_filtered("Leads", "Status", before), *update))


def _mass_deletion(task: PublishedTask) -> Play:
    steps = _filtered("Opportunities", "Sales Stage", task.says("stage"))
    return Play((*steps, _ALL, _BULK, click("menuitem", "Delete"), submit("button", "OK")))


def _mail(task: PublishedTask) -> Play:
    name, subject = task.says("contact"), task.says("subject")
    steps = (
        *_open("Contacts", name), click("button", "Actions"), click("menuitem", "Send Email"),
        type_into("Subject", subject), type_into("Body", task.says("body")), submit("button", "Send"),
    )  # fmt: skip
    return Play((*steps, *_sent(subject)), {"contacts": [_contact(name)]})


def _sent(subject: str) -> tuple[Step, ...]:
    """Return the steps that open a mail that was sent: the checks read the last page."""
    return (
        click("link", "Emails"),
        type_into("Search emails", subject, "searchbox", leads=True),
        click("button", "Search"),
        click("link", subject),
    )


def _forwarded_mail(task: PublishedTask) -> Play:
    sender, receiver = _contact(task.says("from_contact")), _contact(task.says("to_contact"))
    subject = "Note of the week"
    mail = {
        "id": "stwab-mail",
        "folder": "Inbox",
        "subject": subject,
        "sender": sender["email"],
        "recipients": "alex.rivers@example.org",
        "sent": "2026-01-05 09:00",
        "body": f"Regards, {task.says('from_contact')}",
        "contact": sender["id"],
    }
    text = f"{task.says('note')}\n\nTo: {task.says('to_contact')}"
    steps = (
        *_sent(subject), click("link", "Forward"), type_into("To", str(receiver["email"])),
        type_into("Body", text), submit("button", "Send"), *_sent(f"Fw: {subject}"),
    )  # fmt: skip
    return Play(steps, {"contacts": [sender, receiver], "emails": [mail]})


def _import(module: str, file: str, columns: Mapping[str, str]) -> Player:
    mapped = [select(f"Field for {column}", field) for column, field in columns.items()]
    steps = (
        click("link", module), click("link", f"Import {module}"), select("File", file), click("button", "Next"),
        *mapped, click("button", "Next"), submit("button", "Import Now"),
    )  # fmt: skip
    return lambda task: Play(steps)


def _relation(task: PublishedTask) -> Play:
    name, account = task.says("contact"), task.says("account")
    rows = {"contacts": [_contact(name)], "accounts": [{"id": slug(account), "name": account}]}
    return Play(_edit("Contacts", name, *choose("Account Name", account)), rows)


_ADMIN = (click("button", "Alex Rivers"), click("menuitem", "Admin"))


def _new_user(task: PublishedTask) -> Play:
    handle, role = task.says("username"), task.says("role")
    steps = (
        *_ADMIN, click("link", "User Management"), click("link", "Create User"),
        type_into("User Name", handle), type_into("Last Name", handle),
        type_into("Email Address", f"{handle}@stwab.example"), *choose("Roles", role), _SAVE,
    )  # fmt: skip
    return Play(steps)


def _group_member(task: PublishedTask) -> Play:
    handle, group = task.says("username"), task.says("group")
    steps = (
        *_ADMIN, click("link", "Security Suite Group Management"), click("link", group),
        click("button", "Users 0"), *choose("Link Users", handle), submit("button", "Link User"),
    )  # fmt: skip
    return Play(steps, {"users": [_user(handle)], "security_groups": [{"id": slug(group), "name": group}]})


PLAYERS: Mapping[int, Player] = {
    2000: _new_account,
    2001: _new_contact,
    2002: _new_contact_with_mail,
    2003: _new_opportunity,
    2004: _new_task,
    2005: _lead_mobile,
    2006: _opportunity_dates,
    2007: _contact_department,
    2008: _fax_without_value,
    2009: _fax_and_phone,
    3000: _deletion("Contacts", "contact_name", _contact),
    3001: _deletion("Leads", "lead_name", _person),
    3002: _deletion("Opportunities", "opp_name", _opportunity),
    3003: _export_of_contacts,
    3004: _export_of_deals,
    3005: _meeting,
    3006: _meeting,
    3007: _weekly_meeting,
    3008: _new_case,
    3009: _closed_case,
    3010: _escalated_case,
    3011: _mass_update,
    3012: _mass_deletion,
    3013: _mail,
    3014: _forwarded_mail,
    3015: _import(
        "Contacts",
        "Contacts of the trade fair",
        {"Surname": "Last Name (required)", "E-mail": "Email Address"},
    ),
    3016: _import("Accounts", "New dealers", {"Company": "Name (required)"}),
    3017: _relation,
    3018: _new_user,
    3019: _group_member,
}
"""How the tasks of each template are played."""
