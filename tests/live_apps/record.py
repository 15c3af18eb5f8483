"""Records the traces of applications anew: ``python -m tests.live_apps.record [NAME ...]``.

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
from websp_gym.recording.live import on_site
from websp_gym.replay import Trace, save_trace


def main(names: list[str]) -> None:
    """Record the traces of some applications; of all unless named."""
    for app in (APPS[name] for name in names or APPS):
        app.install()
        for name in app.recordings():
            save_trace(recorded(app, name), TRACES / app.slug / f"{name}.json")


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
    """Return the trace with the user name as a placeholder where a typed text has it as a part."""
    events = [
        event.model_copy(update={"value": event.value.replace(person.username, "{{account.username}}")})
        if event.value
        else event
        for event in trace.events
    ]
    return trace.model_copy(update={"events": tuple(events)})


if __name__ == "__main__":
    main(sys.argv[1:])
