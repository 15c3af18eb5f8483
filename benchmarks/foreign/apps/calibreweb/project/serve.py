"""Serves Calibre-Web to one person who is signed in; a question as JSON at ``/__ask`` is answered by ``world.py``.

python serve.py FOLDER, in an environment that has calibreweb. Prints its port.
"""

# mypy: ignore-errors
from __future__ import annotations

import os
import sqlite3
import sys
from importlib.util import find_spec
from pathlib import Path

import world
from asked import serve


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
    sys.argv = f"cps -p {database} -g {folder}/gdrive.db -o {folder}/log.txt".split()
    import cps
    import cps.main

    def start() -> bool:
        if first:
            _library(library)
            _configure(database, folder)
            os.execv(sys.executable, [sys.executable, "-B", __file__, folder])

        def application(environ, start_response):
            environ["HTTP_X_REMOTE_USER"] = world.ADMIN
            return cps.web_server.app(environ, start_response)

        serve(application, lambda question: _answer(question, database, library))
        return True

    cps.web_server.start = start
    cps.main.main()


if __name__ == "__main__":
    main()
