"""The budget that IHateMoney keeps: its members and bills, and how they differ after a drift or before a refusal."""

# mypy: ignore-errors
from __future__ import annotations

from ihatemoney.models import db
from sqlalchemy import text
from werkzeug.security import generate_password_hash

BUDGET = "flat"
PASSWORD = "lighthouse keeper"
MEMBERS = ("Anna", "Ben", "Carla", "Dario")
NEW_MEMBERS = ("Aaron", "Bea", "Emil")
BILLS = (
    ("Milk and bread", "Ben", 7.4),
    ("Train tickets", "Carla", 58.0),
    ("Cinema", "Anna", 24.0),
    ("Gas bill of October", "Dario", 112.5),
    ("Flowers", "Ben", 15.0),
)
NEW_BILLS = (("Cheese and wine", "Anna", 21.0), ("Paint for the hall", "Carla", 33.3), ("Taxi", "Ben", 18.2))
HASH = {word: generate_password_hash(word) for word in (PASSWORD, "another word")}

language = "en"
signs_in = False
"""Whether the person signs in, instead of being signed in."""


def put(question: dict) -> bool:
    """Write the state after a drift, or before a refusal."""
    global language, signs_in
    drift, keep, taken = question["offer"], question["keep"], question["taken"]
    language = "de" if drift == "language" else "en"
    signs_in = "signs in" in keep
    members, bills = list(MEMBERS), list(BILLS)
    if drift == "rows":
        members = [NEW_MEMBERS[0], *_some(members, keep), *NEW_MEMBERS[1:]]
        bills = [NEW_BILLS[0], *(bill for bill in _some(bills, keep, 0)), *NEW_BILLS[1:]]
    if drift == "order":
        members, bills = members[::-1], [*bills[2:], *bills[:2]]
    if drift == "taken":
        members.append(taken)
    run = db.session.execute
    for table in ("billowers", "bill", "person", "project"):
        run(text(f"delete from {table}"))
    other = drift == "rows"
    run(
        text(
            "insert into project (id, name, password, contact_email, logging_preference, default_currency)"
            " values (:id, 'Flat share', :word, :email, :log, 'XXX')"
        ),
        {
            "id": BUDGET,
            "word": HASH["another word" if drift == "password" else PASSWORD],
            "email": "dario@other.example" if other else "anna@flat.example",
            "log": "ENABLED",
        },
    )
    # A number belongs to a member or a bill, wherever it stands.
    numbers = {name: number for number, name in enumerate((*MEMBERS, *NEW_MEMBERS, taken), 1)}
    for name in members:
        number = numbers[name]
        weight = 2.0 if other and name not in keep else 1.0
        run(
            text(
                "insert into person (id, project_id, name, weight, activated)"
                " values (:id, :project, :name, :weight, 1)"
            ),
            {"id": number, "project": BUDGET, "name": name, "weight": weight},
        )
    known = {what: number for number, (what, _, _) in enumerate((*BILLS, *NEW_BILLS), 1)}
    there = [numbers[name] for name in members]
    for place, (what, who, amount) in enumerate(bills, 1):
        _bill(run, (known[what], place), what, numbers[who] if who in members else there[0], amount, there)
    db.session.commit()
    db.session.remove()
    return True


def _some(items, keep, key=None):
    """Return every other item, and those that must be there."""
    name = (lambda item: item) if key is None else (lambda item: item[key])
    return [item for number, item in enumerate(items) if name(item) in keep or number % 2]


def _bill(run, numbers, what, payer, amount, members) -> None:
    number, place = numbers
    columns = {column["name"] for column in _columns()}
    own = {
        "id": number,
        "payer_id": payer,
        "amount": amount,
        "date": f"2026-02-{28 - place:02d}",
        "creation_date": f"2026-02-{28 - place:02d}",
        "what": what,
        "external_link": "",
        "original_currency": "XXX",
        "converted_amount": amount,
        "bill_type": "EXPENSE",
    }
    own = {name: value for name, value in own.items() if name in columns}
    names = ", ".join(own)
    run(text(f"insert into bill ({names}) values ({', '.join(f':{name}' for name in own)})"), own)
    for member in members:
        run(
            text("insert into billowers (bill_id, person_id) values (:bill, :who)"),
            {"bill": number, "who": member},
        )


def _columns():
    from sqlalchemy import inspect

    return inspect(db.engine).get_columns("bill")


def held() -> dict:
    """Return everything that a person can change, by key; what is absent from a list has no key."""
    run = db.session.execute
    project = run(text("select * from project")).mappings().first()
    told = {
        f"project/{key}": project[key]
        for key in ("name", "contact_email", "logging_preference", "default_currency")
    }
    for row in run(text("select * from person")).mappings():
        told[f"member/{row['name']}"] = [row["weight"], bool(row["activated"])]
    for row in run(text("select * from bill")).mappings():
        told[f"bill/{row['what']}"] = row["amount"]
    db.session.remove()
    return told
