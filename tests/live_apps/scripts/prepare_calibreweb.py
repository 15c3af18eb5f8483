"""Writes the database of Calibre-Web with two people, and an empty library: ``prepare_calibreweb.py FOLDER PEOPLE``.

Runs in the environment of Calibre-Web. PEOPLE is JSON: a list of ``username``, ``email`` and ``password``.
"""

# mypy: ignore-errors
from __future__ import annotations

import json
import os
import sys
from importlib.util import find_spec
from pathlib import Path


def main(folder: str, people: list[dict[str, str]]) -> None:
    """Start the application as far as its server, and write what it serves."""
    sys.path.insert(0, str(Path(find_spec("calibreweb").origin).parent))
    os.environ["CALIBRE_DBPATH"] = folder
    database = str(Path(folder) / "app.db")
    sys.argv = ["cps", "-p", database, "-g", f"{folder}/gdrive.db", "-o", f"{folder}/log.txt"]
    import cps
    import cps.main

    def write() -> bool:
        from cps import constants, db, ub
        from sqlalchemy import create_engine, text
        from werkzeug.security import generate_password_hash

        library = create_engine(
            f"sqlite:///{folder}/metadata.db", execution_options={"schema_translate_map": {"calibre": None}}
        )
        db.Base.metadata.create_all(library)
        with library.begin() as to:
            to.exec_driver_sql(
                "insert into library_id (uuid) values ('11111111-2222-3333-4444-555555555555')"
            )
        ub.session.query(ub.User).filter(ub.User.name == "admin").delete()
        for person in people:
            user = ub.User()
            user.name, user.email = person["username"], person["email"]
            user.password = generate_password_hash(person["password"])
            user.role = constants.ADMIN_USER_ROLES
            user.sidebar_view = constants.ADMIN_USER_SIDEBAR
            ub.session.add(user)
        ub.session.execute(text("update settings set config_ratelimiter = 0, config_access_log = 0"))
        ub.session.commit()
        os._exit(0)

    cps.web_server.start = write
    cps.main.main()


if __name__ == "__main__":
    main(sys.argv[1], json.loads(sys.argv[2]))
