"""Serve the club's site on a free port, and obey the benchmark: one line of JSON in, one line out.

``{"offer": DRIFT, "keep": [NAME]}`` puts the database into its state after a drift; ``{"held": true}``
answers what it holds. The first line out is the port.
"""

import json
import os
import sqlite3
import sys
import tempfile
from pathlib import Path
from socketserver import ThreadingMixIn
from threading import Thread
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True
    request_queue_size = 64


class _Handler(WSGIRequestHandler):
    def log_message(self, *args):
        pass


def _copy(source, target):
    with sqlite3.connect(source, timeout=20) as one, sqlite3.connect(target, timeout=20) as other:
        one.backup(other)
    one.close()
    other.close()


def _keeping(application):
    """Let a browser keep the files that are the same for the whole run."""

    def answer(environ, start):
        def started(status, headers, info=None):
            if environ["PATH_INFO"].startswith("/static/"):
                headers = [*headers, ("Cache-Control", "max-age=86400, immutable")]
            return start(status, headers, info)

        return application(environ, started)

    return answer


def main(folder):
    """Serve until standard input ends."""
    database = str(Path(folder) / "club.sqlite")
    untouched = str(Path(folder) / "untouched.sqlite")
    os.environ["FOREIGN_DATABASE"] = database
    os.environ["DJANGO_SETTINGS_MODULE"] = "club.settings"
    migrations = Path(folder) / "club_migrations"
    migrations.mkdir()
    (migrations / "__init__.py").touch()
    sys.path.insert(0, folder)
    import django

    django.setup()
    from django.contrib.staticfiles.handlers import StaticFilesHandler
    from django.core.handlers.wsgi import WSGIHandler
    from django.core.management import call_command
    from django.db import connection

    call_command("makemigrations", "club", verbosity=0)
    call_command("migrate", verbosity=0)
    from club import state

    state.start()
    connection.close()
    _copy(database, untouched)
    web = make_server("127.0.0.1", 0, _keeping(StaticFilesHandler(WSGIHandler())), _Server, _Handler)
    Thread(target=web.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    sys.stdout.write(f"{web.server_port}\n")
    sys.stdout.flush()
    for line in sys.stdin:
        asked = json.loads(line)
        answer = {}
        if "offer" in asked:
            _copy(untouched, database)
            state.change(asked["offer"], asked["keep"])
        else:
            answer = state.held()
        connection.close()
        sys.stdout.write(json.dumps(answer, default=str) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        main(place)
