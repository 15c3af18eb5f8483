"""The tasks of GitLab, by template."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from urllib.parse import parse_qs, urlsplit

from websp_gym.datasets.stwab.checks import here
from websp_gym.datasets.stwab.clone import PublishedTask
from websp_gym.datasets.stwab.plays import (
    Play,
    Player,
    Row,
    Step,
    choose,
    click,
    holds,
    select,
    slug,
    submit,
    turn,
    type_into,
)
from websp_gym.datasets.stwab.projects import ME, OTHER, Projects, email_of, spread
from websp_gym.tasks.sites import site_schema

_TEMPLATES = {
    "Android": "android",
    "NodeJS Express": "express",
    "Pages/Plain HTML": "plainhtml",
    "Pages/Jekyll": "jekyll",
}
"""Templates of projects, with their path on our site."""
_NOT_POSSIBLE = "N/A"
_YEAR = 2023
"""The year of a day that is told without one."""
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_DATES = {
    "created": (("2023-04-20 10:00", "2023-04-21 10:00"), ("2023-04-10 10:00", "2023-04-25 10:00")),
    "updated": (("2023-04-11 10:00", "2023-04-20 10:00"), ("2023-04-14 10:00", "2023-04-15 10:00")),
}
"""When the issue that is the latest by this, and another one, were created and updated."""
_MEMBERS = (click("link", "Project information"), click("link", "Members"))
_PAGE = (
    "<!doctype html>\n<html>\n<head>\n  <title>{}</title>\n</head>\n<body>\n  <h1>{}</h1>\n</body>\n</html>\n"
)


# ---------------------------------------------------------------- what a task says


def _project_of(address: str) -> str:
    """Return the project of an address."""
    return urlsplit(here(address)).path.strip("/").partition("/-/")[0]


def _project_called(name: str, owner: str = ME) -> str:
    """Return a project that is told by its name; without a namespace, that of an owner."""
    return name if "/" in name else f"{owner}/{re.sub(r'[^a-z0-9.-]+', '-', name.lower())}"


def _includes(task: PublishedTask, page: int = 0) -> list[str]:
    """Return the texts that a page must have."""
    asked = (task.eval.program_html or ())[page].required_contents["must_include"]
    return [here(str(each)) for each in asked]


def _found_by(task: PublishedTask, part: str) -> str:
    """Return what an element must say that is found by a locator with this part."""
    (target,) = (each for each in task.eval.program_html or () if part in each.locator)
    contents = target.required_contents
    return here(str(contents["exact_match"] if "exact_match" in contents else contents["must_include"][0]))


def _answers(task: PublishedTask) -> list[str]:
    """Return what the answer must have."""
    (value,) = (task.eval.reference_answers or {}).values()
    return [here(str(each)) for each in (value if isinstance(value, list) else [value])]


def _somebody(world: Projects, said: str, name: str = "", handle: str = "") -> str:
    """Add somebody whom a task names, by a handle or a name; return the name."""
    if said == "myself" or name == world.person(ME):
        return world.person(ME)
    plain = "".join(re.findall(r"\w", name or said))
    is_handle = " " not in said and plain.casefold() == said.casefold().replace("-", "")
    return world.person(handle or (said if is_handle else plain.lower()), name or said)


def _listed(text: str) -> list[str]:
    return re.split(r", and |, | and ", text)


def _day(text: str) -> date:
    """Return a day that is told as a date; one without a year is in some year."""
    if re.fullmatch(r"\d+/\d+", text):
        text = f"{text}/{_YEAR}"
    for form in ("%m/%d/%Y", "%B %d, %Y", "%b %d, %Y"):
        try:
            return datetime.strptime(text, form).date()
        except ValueError:
            continue
    raise ValueError(f"{text!r} is no date that is known here")


def _period(text: str) -> tuple[date, date]:
    """Return the first and the last day of a period of years or months."""
    found = re.findall(r"(\d{4})/(\d{1,2})|(\d{1,2})/(\d{4})|([A-Z][a-z]{2})[a-z]* (\d{4})|(\d{4})", text)
    if not found:
        raise ValueError(f"{text!r} is no period that is known here")
    months: list[tuple[int, int]] = []
    for year, number, other_number, other_year, name, its_year, whole in found:
        if whole:
            months += [(int(whole), 1), (int(whole), 12)]
        else:
            month = number or other_number or _MONTHS.index(name.lower()) + 1
            months.append((int(year or other_year or its_year), int(month)))
    (last_year, last_month) = months[-1]
    return date(*months[0], 1), date(last_year, last_month, monthrange(last_year, last_month)[1])


# ---------------------------------------------------------------- writing


def _picked(label: str, handles: Sequence[str], world: Projects) -> list[Step]:
    """Return the steps that choose people, by their handles."""
    return [step for handle in dict.fromkeys(handles) for step in choose(label, handle, world.person(handle))]


def _invite(world: Projects, handles: Sequence[str], role: str = "") -> tuple[Step, ...]:
    return (
        click("button", "Invite members"),
        *_picked("Username or name", handles, world),
        *([select("Select a role", role)] if role and role != "Guest" else []),
        submit("button", "Invite"),
    )


def _new_project(task: PublishedTask) -> Play:
    world = Projects()
    template = str(task.instantiation_dict.get("template", "blank"))
    path = _project_of((task.eval.program_html or ())[0].url).rpartition("/")[2]
    is_public = _includes(task)[0].lower() == "public"
    form = (
        type_into("Project name", path),
        *([turn("Public", role="radio")] if is_public else []),
        submit("button", "Create project"),
    )
    if template != "blank":
        return _from_template(task, template, form)
    members: tuple[Step, ...] = ()
    if "account_list" in task.instantiation_dict:
        handles = [each.removeprefix("@") for each in _includes(task, 1)]
        for handle, said in zip(handles, _listed(task.says("account_list")), strict=True):
            world.person(handle, said)
        members = (*_MEMBERS, *_invite(world, handles))
    steps = (click("link", "New project"), click("link", "Create blank project"), *form, *members)
    return Play(steps, world.rows)


def _from_template(task: PublishedTask, said: str, form: tuple[Step, ...]) -> Play:
    title = next(each for each in _TEMPLATES if said.lower() in each.lower())
    rows: dict[str, list[Row]] = {}
    if (task.eval.program_html or ())[1].locator:
        described = _includes(task, 1)[0].partition(" |OR| ")[0]
        rows["projects"] = [{"id": f"project-templates/{_TEMPLATES[title]}", "description": described}]
    way = (
        click("link", "New project"),
        click("link", "Create from template"),
        click("link", f"Use template {title}"),
    )
    return Play((*way, *form), rows)


def _issue_nowhere(task: PublishedTask) -> Play:
    return Play(Projects().search(task.says("repo")), answer=_NOT_POSSIBLE)


def _new_issue(task: PublishedTask) -> Play:
    world = Projects()
    address = task.eval.reference_url or ""
    project = world.project(_project_of(address), role="Developer")
    name = _somebody(world, task.says("account"), _found_by(task, "assignee"))
    due = datetime.strptime(_found_by(task, "due-date"), "%b %d, %Y").date()
    steps = (
        *world.open(project),
        click("button", "Create new..."),
        click("menuitem", "New issue"),
        type_into("Title", task.says("issue")),
        *choose("Assignees", name),
        type_into("Due date", f"{due}"),
        submit("button", "Create issue"),
    )
    elsewhere = not address.partition("/-/")[2].startswith("issues")
    unsolved = (
        "By its address the last page must be the files of the project, by its texts the new issue."
        if elsewhere
        else ""
    )
    return Play(steps, world.rows, unsolved=unsolved)


def _new_group(task: PublishedTask) -> Play:
    world = Projects()
    handles = _listed(task.says("members"))
    for handle in handles:
        world.person(handle)
    steps = (
        click("button", "Create new..."),
        click("menuitem", "New group"),
        click("link", "Create group"),
        type_into("Group name", task.says("name")),
        submit("button", "Create group"),
        click("link", "Members"),
        *_invite(world, handles),
    )
    return Play(steps, world.rows)


def _new_milestone(task: PublishedTask) -> Play:
    world = Projects()
    project = world.project(_project_of(task.start_url), role="Developer")
    start, end = _day(task.says("start_date")), task.says("end_date")
    days = re.fullmatch(r"in (\d+) days", end)
    due = start + timedelta(days=int(days[1])) if days else _day(end)
    title = re.sub(r"^\w+ of ", "", task.says("event")).capitalize()
    steps = (
        *world.open_issues(project),
        click("link", "Milestones"),
        click("link", "New milestone"),
        type_into("Title", title),
        type_into("Start Date", f"{start}"),
        type_into("Due Date", f"{due}"),
        submit("button", "Create milestone"),
    )
    wanted = [_day(_found_by(task, block)) for block in ("start_date", "due_date")]
    differs = "Its checks want other dates than the instruction." if wanted != [start, due] else ""
    return Play(steps, world.rows, unsolved=differs)


def _members(task: PublishedTask) -> Play:
    world = Projects()
    said, role = task.says("repo"), task.says("role").capitalize()
    if not task.eval.program_html:
        project = world.project(said)
        return Play((*world.open(project), *_MEMBERS), world.rows, _NOT_POSSIBLE)
    project = _project_of(task.eval.program_html[0].url)
    world.project(project, role="Owner", description=said)
    handles = [str(each) for each in task.instantiation_dict["user_list"]]
    for handle in handles:
        world.person(handle)
    return Play((*world.open(project), *_MEMBERS, *_invite(world, handles, role)), world.rows)


def _title_of_page(task: PublishedTask) -> Play:
    world = Projects()
    project = world.project(_project_of(task.start_url), role="Owner")
    heading = project.rpartition("/")[2]
    content = _PAGE.format(heading, heading)
    world.add(
        "files",
        f"{project}:main:index.html",
        project=project,
        branch="main",
        path="index.html",
        content=content,
    )
    steps = (
        click("link", "index.html"),
        click("link", "Edit"),
        type_into("Editor content", _PAGE.format(task.says("title"), heading)),
        submit("button", "Commit changes"),
    )
    return Play(steps, world.rows)


def _merge_request(task: PublishedTask) -> Play:
    world = Projects()
    source, target = _found_by(task, "[0]"), _found_by(task, "[1]")
    project = _project_of(task.eval.reference_url or "")
    world.project(project, branches=[source, target], role="Developer")
    topic = re.sub(r"^the branch that ", "", task.says("source_branch"))
    world.commit(project, OTHER, date(2023, 2, 1), f"This {topic}", branches=[source])
    (block,) = (each for each in task.eval.program_html or () if "reviewer" in each.locator)
    names = [here(str(each)) for each in block.required_contents["must_include"]]
    said = _listed(task.says("reviewer"))
    people = [_somebody(world, each, name) for each, name in zip(said, names, strict=True)]
    steps = (
        *world.open(project),
        click("button", "Create new..."),
        click("menuitem", "New merge request"),
        select("Source branch", source),
        *([select("Target branch", target)] if target != "main" else []),
        click("button", "Compare branches and continue"),
        *(step for name in people for step in choose("Reviewers", name)),
        submit("button", "Create merge request"),
    )
    return Play(steps, world.rows)


def _assignment(task: PublishedTask) -> Play:
    world = Projects()
    said = task.says("repo" if "repo" in task.instantiation_dict else "issue")
    project = world.project(_project_called(said), name=said, role="Owner")
    titles = _includes(task)
    people = []
    for page, each in zip(task.eval.program_html or (), _listed(task.says("account")), strict=True):
        (handle,) = parse_qs(urlsplit(here(page.url)).query)["assignee_username"]
        people.append(_somebody(world, each, handle=handle))
    steps: list[Step] = [*world.open_issues(project)]
    for number, title in enumerate(titles, start=1):
        world.issue(project, number, title)
        steps += [
            *([click("link", "List")] if number > 1 else []),
            click("link", title),
            click("button", "Edit assignees"),
            *(step for name in people for step in choose("Assignees", name)),
            submit("button", "Apply assignees"),
        ]
    return Play(tuple(steps), world.rows)


# ---------------------------------------------------------------- reading


def _labelled(task: PublishedTask) -> Play:
    world = Projects()
    address = task.eval.reference_url or ""
    (label,) = parse_qs(urlsplit(address).query)["label_name[]"]
    project = world.project(task.says("repo"))
    for name in (label, "documentation"):
        world.add("labels", f"{project}:{name}", project=project, name=name)
    for number, labels in enumerate(([label], ["documentation"], [label], []), start=1):
        world.issue(project, number, f"Question {number}", labels=labels)
    steps = (
        *world.open_issues(project),
        click("button", "Filter"),
        select("Label", label),
        click("button", "Apply filters"),
        holds("link", f"Remove filter Label {label}"),
    )
    other = _project_of(address) != project
    return Play(
        steps, world.rows, unsolved="Its check asks for the issues of another project." if other else ""
    )


def _number_of_commits(task: PublishedTask) -> Play:
    world = Projects()
    said = task.instantiation_dict
    project = _project_called(task.says("repo")) if "repo" in said else _project_of(task.start_url)
    world.project(project)
    (number,) = _answers(task)
    period = _period(task.says("period")) if "period" in said else (_day(task.says("date")),) * 2
    people = [each[:1].upper() + each[1:] for each in _listed(task.says("user"))]
    for at, name in enumerate(people):
        handle = slug(name)
        world.person(handle, name)
        inside = spread(*period, 0 if at else int(number))
        others = [
            period[0] - timedelta(days=80),
            period[0] - timedelta(days=40),
            period[1] + timedelta(days=40),
        ]
        world.commits(project, handle, [*others[:2], *inside, *others[2:]])
    steps = (
        *(world.open(project) if "repo" in said else ()),
        click("link", f"{world.total(project)} Commits"),
        *(step for name in people for step in (select("Author", name), holds("combobox", "Author"))),
    )
    return Play(steps, world.rows, number)


def _other_stars() -> dict[str, int]:
    """Return the stars of the projects of our company to which the person signed in has contributed."""
    stored = site_schema("gitlab").collections
    projects, commits = (stored[name].shared for name in ("projects", "commits"))
    if projects is None or commits is None:
        return {}
    mine = {row["project"] for row in commits.on(date.today()).values() if row["user"] == ME}
    return {name: row["stars"] for name, row in projects.on(date.today()).items() if name in mine}


def _starred(task: PublishedTask) -> Play:
    world = Projects()
    said = task.says("description")
    names = [] if _answers(task) == [_NOT_POSSIBLE] else _answers(task)
    bound = re.search(r"less than (\d+)", said)
    below, above = int(bound[1]) if bound else 1, 100
    for at, name in enumerate(names):
        project = world.project(
            f"{ME}/{name}", role="Owner", stars=above + 20 if said == "the most" else at % below
        )
        world.commit(project, ME, date(2023, 1, 9), "Keep it up to date")
    # What is there already is neither more nor less popular.
    for project, stars in _other_stars().items():
        if not 5 <= stars < above:
            world.add("projects", project, stars=min(max(stars, 5), above - 1))
    steps = (
        click("button", world.person(ME)),
        click("menuitem", world.person(ME)),
        click("link", "Personal projects"),
        *(holds("link", f"Stars of {name}: {world.stars(f'{ME}/{name}')}") for name in names),
    )
    return Play(steps, world.rows, ", ".join(names) or _NOT_POSSIBLE)


def _own_issue(latest: str) -> Player:
    def play(task: PublishedTask) -> Play:
        world = Projects()
        address, keyword = here(task.eval.reference_url or ""), task.says("keyword")
        (answer,) = _answers(task)
        closed = answer.lower().startswith("yes")
        project, number = world.project(_project_of(address)), int(address.rpartition("/")[2])
        title = f"{keyword.capitalize()}: what is left to do"
        issues = ((number, title, closed), (number + 1, f"First thoughts on {keyword}", not closed))
        for (at, told, is_closed), (created, updated) in zip(issues, _DATES[latest], strict=True):
            state = "Closed" if is_closed else "Open"
            world.issue(project, at, told, author=ME, state=state, created=created, updated=updated)
        order = (click("button", "Sort by"), click("menuitem", "Updated date")) if latest == "updated" else ()
        steps = (
            click("link", "Issues"),
            click("link", "Remove filter Assignee"),
            click("link", "Created by you"),
            click("link", "All"),
            type_into("Search or filter results", keyword, "searchbox", leads=True),
            click("button", "Search"),
            *order,
            click("link", title),
            holds("button", "Reopen issue" if closed else "Close issue"),
        )
        return Play(steps, world.rows, answer)

    return play


def _clone(task: PublishedTask) -> Play:
    world = Projects()
    (command,) = _answers(task)
    said = task.says("repo")
    topic = re.sub(r"^the (best|most \w+) ", "", said)
    project = command.rpartition(":")[2].removesuffix(".git")
    world.project(project, name=said if topic == said else "", description=f"One {topic}", stars=5000)
    if topic != said:
        world.project(f"{OTHER}/another-one", description=f"Another {topic}", stars=12)
    steps = (*world.open(project), click("button", "Clone"), holds("textbox", "Clone with SSH"))
    return Play(steps, world.rows, command)


def _most_commits(task: PublishedTask) -> Play:
    world = Projects()
    (name,) = _answers(task)
    handle = slug(name)
    world.person(handle, name)
    said = task.says("repo")
    project = world.project(_project_called(said, handle), name=said.rpartition("/")[2])
    world.commits(project, handle, spread(date(2022, 1, 1), date(2023, 3, 1), 7))
    world.commits(project, OTHER, spread(date(2022, 2, 1), date(2023, 2, 1), 3))
    steps = (*world.open(project), click("link", "Repository"), click("link", "Contributors"))
    return Play((*steps, holds("button", "Switch branch: main")), world.rows, name)


def _access(task: PublishedTask) -> Play:
    world = Projects()
    project = world.project(_project_called(task.says("repo")), role="Owner")
    handles = _answers(task)
    for handle in handles:
        world.person(handle)
        world.member(project, handle, "Developer")
    found = (holds("link", world.person(handle)) for handle in handles)
    return Play((*world.open(project), *_MEMBERS, *found), world.rows, ", ".join(handles))


def _top_contributor(task: PublishedTask) -> Play:
    world = Projects()
    project, branch = _project_of(task.start_url), task.says("branch_name")
    asked = _listed(task.says("attribute"))
    facts = dict(zip(asked, _answers(task), strict=True))
    handle = facts.get("gitlab account name", project.partition("/")[0])
    email = facts.get("email address", email_of(handle))
    followers = int(facts.get("number of followers", 3))
    name = world.person(
        handle,
        facts.get("full name", ""),
        email=email,
        location=facts.get("location", ""),
        followers=followers,
    )
    shown = re.search(r"/-/(?:tree|graphs)/(.+)", task.start_url)
    world.project(project, branches=[branch, *([shown[1]] if shown else [])])
    number = int(facts.get("number of commits", 6))
    world.commits(
        project, handle, spread(date(2014, 1, 1), date(2022, 1, 1), number), branches=[branch], email=email
    )
    others = [branch] if branch == "main" else ["main"]
    world.commits(project, OTHER, spread(date(2015, 1, 1), date(2021, 1, 1), 4), branches=others)
    switch = (click("button", "Switch branch: main"), click("menuitem", branch)) if branch != "main" else ()
    profile = (
        click("link", "History"),
        click("link", name, within=f"Part {number} by {name}"),
        holds("link", email),
    )
    needs_profile = facts.keys() - {"email address", "number of commits"}
    end = profile if needs_profile else (holds("button", f"Switch branch: {branch}"),)
    steps = (click("link", "Repository"), click("link", "Contributors"), *switch, *end)
    return Play(steps, world.rows, ", ".join(facts.values()))


PLAYERS: Mapping[int, Player] = {
    289: _starred,
    298: _access,
    308: _title_of_page,
    310: _own_issue("updated"),
    316: _top_contributor,
    320: _number_of_commits,
    321: _number_of_commits,
    322: _number_of_commits,
    323: _most_commits,
    327: _new_issue,
    328: _issue_nowhere,
    329: _clone,
    332: _new_project,
    335: _merge_request,
    339: _new_milestone,
    349: _labelled,
    351: _members,
    500: _own_issue("created"),
    600: _new_group,
    999: _assignment,
}
"""How the tasks of each template are played."""
