"""Serves IHateMoney to somebody who is signed in to one budget; ``world.py`` answers questions at ``/__ask``.

python serve.py FOLDER, in an environment that has ihatemoney. Prints its port.
"""

# mypy: ignore-errors
from __future__ import annotations

import sys
from datetime import timedelta
from importlib.metadata import version

import world
from asked import serve
from flask import request, session
from ihatemoney.currency_convertor import CurrencyConverter

OLDER = version("ihatemoney").startswith("6.")


class _Settings:
    SECRET_KEY = "of the benchmark"
    SESSION_COOKIE_SECURE = False
    SESSION_COOKIE_NAME = "budget"
    PERMANENT_SESSION_LIFETIME = timedelta(days=1)
    ACTIVATE_DEMO_PROJECT = False
    RATELIMIT_ENABLED = False
    MAIL_SUPPRESS_SEND = True
    BABEL_DEFAULT_TIMEZONE = "UTC"


def _sign_in(endpoint, values) -> None:
    """Write the session of the person, or of nobody once it has expired."""
    signed_in = bool(request.headers.get("X-Signed-In"))
    if signed_in:
        session["lang"] = world.language
    if signed_in and world.signs_in:
        if request.path == "/authenticate" and request.method == "GET":
            _sign_out()
        return
    _sign_out()
    if signed_in:
        session[world.BUDGET] = True
        session["projects"] = [(world.BUDGET, "Flat share")] if OLDER else {world.BUDGET: "Flat share"}


def _sign_out() -> None:
    session.pop(world.BUDGET, None)
    session.pop("projects", None)


def main() -> None:
    """Serve until the process is ended."""
    folder = sys.argv[1]
    # Rates of exchange are on another site.
    CurrencyConverter.get_rates = lambda self: {"EUR": 1.0, "USD": 1.1, "CHF": 0.9, "XXX": 1.0}
    _Settings.SQLALCHEMY_DATABASE_URI = f"sqlite:///{folder}/budget.db"
    from ihatemoney.run import create_app

    app = create_app(_Settings, instance_path=folder)
    app.url_value_preprocessors.setdefault(None, []).insert(0, _sign_in)

    def answer(question):
        with app.app_context():
            return world.put(question) if "offer" in question else world.held()

    # The first answers are slow: templates and translations are read.
    answer({"offer": "unchanged", "keep": (), "taken": ""})
    for path in (f"/{world.BUDGET}/", f"/{world.BUDGET}/edit"):
        app.test_client().get(path, headers={"X-Signed-In": "1"})
    serve(app, answer)


if __name__ == "__main__":
    main()
