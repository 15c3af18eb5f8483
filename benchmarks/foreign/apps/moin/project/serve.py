"""Serves MoinMoin to somebody who is signed in; ``world.py`` answers a question as JSON at ``/__ask``.

python serve.py FOLDER, in an environment that has moin. Prints its port.
"""

# mypy: ignore-errors
from __future__ import annotations

import json
import logging
import os
import sys
from importlib.util import find_spec
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

ASK = "/__ask"


class _Server(WSGIServer):
    request_queue_size = 64


class _Quiet(WSGIRequestHandler):
    def log_message(self, format, *args):
        pass


def _app(folder):
    from moin import config
    from moin.app import create_app_ext
    from moin.auth import GivenAuth
    from moin.config.default import DefaultConfig
    from moin.storage import create_simple_mapping
    from moin.utils import get_xstatic_module_path_map

    index = {"name": "FileStorage", "args": (os.path.join(folder, "index"),), "kwargs": {}}

    # Packages of scripts and styles; not every version needs all of them.
    names = ["jquery", "jquery_file_upload", "jquery_tablesorter", "font_awesome"]
    names += ["autosize", "svgedit_moin", "pygments"]
    there = [name for name in names if find_spec(f"xstatic.pkg.{name}")]

    class Wiki(DefaultConfig):
        sitename = "Club wiki"
        wikiconfig_dir = instance_dir = folder
        wiki_local_dir = os.path.join(folder, "local")
        data_dir = os.path.join(folder, "data")
        # Older versions take a tuple.
        storage = getattr(config, "IndexStorageConfig", None)
        index_storage = storage(**index) if storage else tuple(index.values())
        default_acl = None
        default_root = "Home"
        interwikiname = "ClubWiki"
        interwiki_map = dict.fromkeys(("Self", "ClubWiki"), "http://moin.localhost/")
        auth = (GivenAuth(env_var="REMOTE_USER"),)
        user_email_unique = True
        email_tracebacks = False
        serve_files = get_xstatic_module_path_map(there)

    del Wiki.storage
    namespaces, backends, acls = create_simple_mapping("stores:memory:", None)
    return create_app_ext(
        flask_config_dict={"SECRET_KEY": "of the benchmark"},
        moin_config_class=Wiki,
        namespace_mapping=namespaces,
        backend_mapping=backends,
        acl_mapping=acls,
        create_backend=True,
        destroy_backend=False,
    )


def main() -> None:
    """Serve until the process is ended."""
    app = _app(sys.argv[1])
    logging.disable(logging.CRITICAL)
    import world

    def application(environ, start_response):
        if environ["PATH_INFO"] != ASK:
            if environ.get("HTTP_X_SIGNED_IN"):
                environ["REMOTE_USER"] = world.PERSON
            return app(environ, start_response)
        question = json.loads(environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"])))
        with app.test_request_context("/"):
            app.preprocess_request()
            answer = world.put(question) if "offer" in question else world.held()
        start_response("200 OK", [("Content-Type", "application/json")])
        return [json.dumps(answer).encode()]

    server = make_server("127.0.0.1", 0, application, _Server, _Quiet)
    sys.stdout.write(f"{server.server_port}\n")
    sys.stdout.flush()
    server.serve_forever()


if __name__ == "__main__":
    main()
