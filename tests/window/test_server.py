"""The server of a streamed window answers its own page on this machine, and nobody else."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from websp_gym.window.messages import Joined, Message, PointerPress, TypedText
from websp_gym.window.server import ViewerServer

TYPED = [{"kind": "text", "text": "hunter2"}]


@pytest.fixture
def heard() -> list[Message]:
    return []


@pytest.fixture
def server(heard: list[Message]) -> Iterator[ViewerServer]:
    server = ViewerServer(0, {"title": "x"}, heard.append)
    yield server
    server.send("ended", {"text": ""})
    server.close()


@pytest.fixture
def client(server: ViewerServer) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.url, trust_env=False) as client:
        yield client


def origin(server: ViewerServer) -> str:
    return f"http://127.0.0.1:{server.port}"


def viewer_of(answer: httpx.Response) -> str:
    """The viewer's id in the first message of a stream."""
    for line in answer.iter_lines():
        if line.startswith("data: "):
            return line.partition('"viewer": "')[2].partition('"')[0]
    raise AssertionError("no message")


def test_the_page_runs_only_its_own_scripts_and_is_kept_nowhere(client: httpx.Client) -> None:
    for name, kind in (("", "text/html"), ("viewer.js", "text/javascript"), ("viewer.css", "text/css")):
        answer = client.get(name)
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith(kind)
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("path", ["/", "/viewer.js", "/stream", "/wrong/", "/wrong/stream", "/wrong/input"])
def test_without_the_word_there_is_nothing(server: ViewerServer, path: str) -> None:
    answer = httpx.get(f"{origin(server)}{path}", trust_env=False)
    assert answer.status_code == 404


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", ""])
@pytest.mark.parametrize("name", ["", "viewer.js", "stream", "input"])
def test_another_host_is_refused(client: httpx.Client, heard: list[Message], host: str, name: str) -> None:
    method = "POST" if name == "input" else "GET"
    answer = client.request(method, name, headers={"Host": host, "Origin": f"http://{host}"})
    assert answer.status_code == 403
    assert heard == []


def test_the_far_end_of_a_tunnel_may_have_another_port(client: httpx.Client) -> None:
    assert client.get("", headers={"Host": "localhost:9999"}).status_code == 200


def test_only_the_viewers_own_page_may_send_something(
    server: ViewerServer, client: httpx.Client, heard: list[Message]
) -> None:
    with client.stream("GET", "stream") as stream:
        viewer = viewer_of(stream)
        good = {"Origin": origin(server), "X-Viewer": viewer}
        for bad, status in (
            ({"X-Viewer": viewer}, 403),
            ({**good, "Origin": "https://evil.example"}, 403),
            ({**good, "Origin": "null"}, 403),
            ({**good, "X-Viewer": "other"}, 409),
            ({"Origin": origin(server)}, 409),
        ):
            assert (
                httpx.post(f"{server.url}input", json=TYPED, headers=bad, trust_env=False).status_code
                == status
            )
        assert heard == [Joined()]
        answer = httpx.post(
            f"{server.url}input",
            json=[*TYPED, {"kind": "press", "button": "Done"}],
            headers=good,
            trust_env=False,
        )
        assert answer.status_code == 204
        assert heard[1:] == [
            TypedText(kind="text", text="hunter2"),
            PointerPress(kind="press", button="Done"),
        ]
        server.send("ended", {"text": ""})


def test_a_stream_is_no_other_sites(client: httpx.Client, heard: list[Message]) -> None:
    answer = client.get("stream", headers={"Sec-Fetch-Site": "cross-site"})
    assert answer.status_code == 403
    assert heard == []


def test_what_is_not_understood_is_neither_carried_out_nor_repeated(
    server: ViewerServer, client: httpx.Client, heard: list[Message], capfd: pytest.CaptureFixture[str]
) -> None:
    with client.stream("GET", "stream") as stream:
        headers = {"Origin": origin(server), "X-Viewer": viewer_of(stream)}
        for body in (
            [{"kind": "text", "txt": "hunter2"}],
            {"text": "hunter2"},
            [{"kind": "run", "text": "hunter2"}],
        ):
            answer = httpx.post(f"{server.url}input", json=body, headers=headers, trust_env=False)
            assert answer.status_code == 400
            assert "hunter2" not in answer.text
    assert heard == [Joined()]
    assert "hunter2" not in "".join(capfd.readouterr())


def test_its_socket_is_free_again_when_it_is_closed(heard: list[Message]) -> None:
    first = ViewerServer(0, {}, heard.append)
    first.close()
    second = ViewerServer(first.port, {}, heard.append)
    second.close()
