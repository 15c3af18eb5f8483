"""Records the traces of applications anew: ``python -m tests.live_apps.record [APPLICATION[/TRACE] ...]``.

The addresses in them are those of the site's tasks; an account's ``url`` says where the application really is.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.live_apps.application import Application, Person, running
from tests.live_apps.apps import APPS
from tests.live_apps.site import TRACES, start_url
from websp_gym.recording import RecorderBrowser
from websp_gym.replay import Trace, save_trace
from websp_gym.replay.moved import on_site
from websp_gym.replay.trace import CODE, TraceEvent


def main(names: list[str]) -> None:
    """Record traces of applications, named as an application or as one trace of it; all unless named."""
    for given in names or APPS:
        slug, _, trace = given.partition("/")
        app = APPS[slug]
        app.install()
        for name in [trace] if trace else app.recordings():
            save_trace(recorded(app, name), TRACES / slug / f"{name}.json")


def recorded(app: Application, name: str) -> Trace:
    """Return a trace, recorded with the first person on a fresh database."""
    recording, person = app.recordings()[name], app.people[0]
    account = {
        "username": person.username,
        "email": person.email,
        "name": person.name,
        "password": person.password,
    }
    with (
        tempfile.TemporaryDirectory(prefix="websp-") as place,
        running(app, Path(place) / app.slug) as server,
        RecorderBrowser() as browser,
    ):
        page = browser.page
        if recording.signed_in:
            login = app.recordings()["login"]
            page.goto(server.url + login.start)
            login.perform(page, person)
        if recording.before is not None:
            page.goto(server.url + recording.start)
            recording.before(page, person)
        page.goto(server.url + recording.start)
        browser.start(name.replace("_", " "), app.slug, account=account)
        recording.perform(page, person)
        trace = browser.stop()
    return on_site(_of_any_account(trace, person), start_url(app.slug))


def _of_any_account(trace: Trace, person: Person) -> Trace:
    """Return the trace as a user finishes it by hand.

    The user name becomes a placeholder where a typed text has it as a part, and the one-time code, which is never
    recorded, is that of the moment.
    """
    events = [event.model_copy(update={"value": _value(event, person)}) for event in trace.events]
    return trace.model_copy(update={"events": tuple(events)})


def _value(event: TraceEvent, person: Person) -> str | None:
    if event.type == "omitted":
        return CODE
    return event.value and event.value.replace(person.username, "{{account.username}}")


if __name__ == "__main__":
    main(sys.argv[1:])
