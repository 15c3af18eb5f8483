"""Serves Calibre-Web to one person who is signed in; a question as JSON at ``/__ask`` is answered by ``world.py``.

python serve.py FOLDER, in an environment that has calibreweb. Prints its port.
"""

# mypy: ignore-errors
from __future__ import annotations

import json
import os
import sqlite3
import sys
from importlib.util import find_spec
from pathlib import Path
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import world

ASK = "/__ask"


class _Server(WSGIServer):
    request_queue_size = 64


class _Quiet(WSGIRequestHandler):
    def log_message(self, format, *args):
        pass


def _library(path: str) -> None:
    """Write an empty library of Calibre."""
    from cps import db
    from sqlalchemy import DefaultClause, create_engine

    flags = db.Base.metadata.tables["books"].columns.get("flags")
    if flags is not None:  # newer versions leave this column of Calibre out
        flags.server_default = DefaultClause("1")
    engine = create_engine(f"sqlite:///{path}", execution_options={"schema_translate_map": {"calibre": None}})
    db.Base.metadata.create_all(engine)
    with engine.begin() as to:
        to.exec_driver_sql("insert into library_id (uuid) values ('11111111-2222-3333-4444-555555555555')")
    engine.dispose()


def _configure(database: str, folder: str) -> None:
    with sqlite3.connect(database) as to:
        to.execute(
            "update settings set config_calibre_dir = ?, config_theme = 0,"
            " config_allow_reverse_proxy_header_login = 1, config_reverse_proxy_login_header_name = 'X-Remote-User'",
            (folder,),
        )
    to.close()


def _answer(question: dict, database: str, library: str):
    from cps import config, ub

    if "offer" in question:
        world.put(database, library, question["offer"], question["keep"])
        ub.session.rollback()
        ub.session.expire_all()
        # Loading reads the attributes that are there already.
        ub.session.refresh(config._read_from_storage())
        config.load()
        return True
    return world.held(database)


def main() -> None:
    """Serve until the process is ended."""
    folder = sys.argv[1]
    database, library = str(Path(folder) / "app.db"), str(Path(folder) / "metadata.db")
    home = Path(find_spec("calibreweb").origin).parent
    sys.path.insert(0, str(home))
    os.environ["CALIBRE_DBPATH"] = folder
    # The first start writes the database of the settings, the second one reads the settings.
    first = not Path(database).exists()
    sys.argv = [
        "cps",
        "-p",
        database,
        "-g",
        str(Path(folder) / "gdrive.db"),
        "-o",
        str(Path(folder) / "log.txt"),
    ]
    import cps
    import cps.main

    def start() -> bool:
        if first:
            _library(library)
            _configure(database, folder)
            os._exit(0)

        def application(environ, start_response):
            if environ["PATH_INFO"] == ASK:
                question = json.loads(environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"])))
                start_response("200 OK", [("Content-Type", "application/json")])
                return [json.dumps(_answer(question, database, library)).encode()]
            environ["HTTP_X_REMOTE_USER"] = world.ADMIN
            return cps.web_server.app(environ, start_response)

        server = make_server("127.0.0.1", 0, application, _Server, _Quiet)
        sys.stdout.write(f"{server.server_port}\n")
        sys.stdout.flush()
        server.serve_forever()
        return True

    cps.web_server.start = start
    cps.main.main()


if __name__ == "__main__":
    main()
