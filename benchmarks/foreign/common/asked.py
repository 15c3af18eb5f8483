"""Serve an application to the benchmark, which asks about its database; runs in the application's environment."""

# mypy: ignore-errors
from __future__ import annotations

import json
import sys
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

ASK = "/__ask"


class _Server(WSGIServer):
    request_queue_size = 64


class _Quiet(WSGIRequestHandler):
    def log_message(self, format, *args):
        pass


def serve(application, answer) -> None:
    """Serve until the process is ended, and print the port first.

    Args:
        application: A WSGI application.
        answer: Answers the questions that are posted to ``/__ask`` as JSON.
    """

    def asked(environ, start_response):
        if environ["PATH_INFO"] != ASK:
            return application(environ, start_response)
        question = json.loads(environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"])))
        told = json.dumps(answer(question)).encode()
        start_response("200 OK", [("Content-Type", "application/json")])
        return [told]

    server = make_server("127.0.0.1", 0, asked, _Server, _Quiet)
    sys.stdout.write(f"{server.server_port}\n")
    sys.stdout.flush()
    server.serve_forever()
