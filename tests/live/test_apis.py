"""Requests to a website's API by its official client, against a local server that stands for the website."""

from __future__ import annotations

import base64
import json
import ssl
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from tests.http_support import Handler, listening
from websp_gym.errors import InitialStateError, SetupError, WorldError
from websp_gym.live.apis import ApiRequest, described, send, undo_of

HOSTS = ("api.github.com", "huggingface.co")
REPO = "https://api.github.com/repos/ada/notes"
DATASET = "https://huggingface.co/api/datasets/ada/notes"
TOKEN = "tok-5f1e77"


@dataclass
class Websites:
    """What the websites have, and what they were sent.

    Attributes:
        data: JSON data or texts, by address.
        keeps: Whether what is sent is kept.
        status: The status of the answer to what is sent.
        heard: Method, address, token and body of each request.
    """

    data: dict[str, Any] = field(default_factory=dict)
    keeps: bool = True
    status: int = 200
    heard: list[tuple[str, str, str, str]] = field(default_factory=list)

    @property
    def sent(self) -> list[str]:
        """The requests in words."""
        return [f"{method} {url}" for method, url, _, _ in self.heard]

    def take(self, method: str, url: str, token: str, body: str) -> tuple[int, Any]:
        """Answer a request."""
        self.heard.append((method, url, token, body))
        if method == "GET":
            return (200, self.data[url]) if url in self.data else (404, {"message": "Not Found"})
        if self.status == 200 and self.keeps:
            self._keep(method, url, body)
        return self.status, {"message": "as told"}

    def _keep(self, method: str, url: str, body: str) -> None:
        if url.endswith("/api/repos/delete"):
            del self.data[DATASET]
        elif method == "DELETE":
            del self.data[url]
        elif "/commit/" in url:
            for line in map(json.loads, body.splitlines()):
                if line["key"] == "file":
                    text = base64.b64decode(line["value"]["content"]).decode()
                    self.data[
                        f"https://huggingface.co/datasets/ada/notes/raw/main/{line['value']['path']}"
                    ] = text
        else:
            self.data[url.removesuffix("/settings")] |= json.loads(body)


class _Proxy(Handler):
    """Takes the clients' connections to any host, and answers in its place."""

    websites: Websites
    tls: ssl.SSLContext
    host = ""

    def do_CONNECT(self) -> None:
        self.host = self.path.rpartition(":")[0]
        self.send_response(200)
        self.end_headers()
        self.wfile.flush()
        self.connection = self.tls.wrap_socket(self.connection, server_side=True)
        self.rfile, self.wfile = self.connection.makefile("rb"), self.connection.makefile("wb", 0)
        self.close_connection = False

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0))).decode()
        token = self.headers.get("authorization", "").rpartition(" ")[2]
        status, data = self.websites.take(self.command, f"https://{self.host}{self.path}", token, body)
        text = (data if isinstance(data, str) else json.dumps(data)).encode()
        self.send_response(status)
        self.send_header(
            "content-type", "text/plain; charset=utf-8" if isinstance(data, str) else "application/json"
        )
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_PUT = do_POST = do_PATCH = do_DELETE = _answer
    protocol_version = "HTTP/1.1"


def certificate(folder: Path) -> Path:
    """Write a certificate of the websites with its key, which clients may be told to trust."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "the websites")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host) for host in HOSTS]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    file = folder / "websites.pem"
    file.write_bytes(private + made.public_bytes(Encoding.PEM))
    return file


@pytest.fixture
def websites(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Websites]:
    """The websites, to which the clients of this process are led."""
    file = certificate(tmp_path)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(file)
    there = Websites({REPO: {"private": False, "description": "Old", "id": 7}, DATASET: {"private": False}})
    with listening(_Proxy, websites=there, tls=tls) as url:
        for name in ("REQUESTS_CA_BUNDLE", "SSL_CERT_FILE", "CURL_CA_BUNDLE"):
            monkeypatch.setenv(name, str(file))
        for name in ("HTTPS_PROXY", "https_proxy"):
            monkeypatch.setenv(name, url)
        for name in ("NO_PROXY", "no_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.delenv(name, raising=False)
        yield there


def commit(path: str, text: str) -> ApiRequest:
    """Return the request that writes a file into the data set."""
    content = base64.b64encode(text.encode()).decode()
    value = {"content": content, "path": path, "encoding": "base64"}
    lines = [{"key": "header", "value": {"summary": "x"}}, {"key": "file", "value": value}]
    return ApiRequest("POST", f"{DATASET}/commit/main", "\n".join(map(json.dumps, lines)))


DELETE_DATASET = {"type": "dataset", "organization": "ada", "name": "notes"}
REQUESTS = {
    "a setting of a repository": (ApiRequest("PATCH", REPO, {"private": True}), f"GET {REPO}"),
    "a repository is deleted": (ApiRequest("DELETE", REPO), f"GET {REPO}"),
    "a setting of a data set": (
        ApiRequest("PUT", f"{DATASET}/settings", {"private": True}),
        f"GET {DATASET}",
    ),
    "a data set is deleted": (
        ApiRequest("DELETE", "https://huggingface.co/api/repos/delete", DELETE_DATASET),
        f"GET {DATASET}",
    ),
    "a file of a data set": (
        commit("README.md", "Grüße"),
        "GET https://huggingface.co/datasets/ada/notes/raw/main/README.md",
    ),
}


@pytest.mark.parametrize("what", REQUESTS)
def test_what_is_set_by_an_api_is_read_back(websites: Websites, what: str) -> None:
    request, read = REQUESTS[what]
    send(request, TOKEN)
    assert websites.sent == [str(request), read]
    assert {token for _, _, token, _ in websites.heard} == {TOKEN}
    assert [line.partition(" to read")[0] for line in described(request)[1:]] == [read]


@pytest.mark.parametrize("what", REQUESTS)
def test_what_an_api_takes_and_does_not_keep_is_no_initial_state(websites: Websites, what: str) -> None:
    websites.keeps = False
    websites.data["https://huggingface.co/datasets/ada/notes/raw/main/README.md"] = "Another text"
    with pytest.raises(InitialStateError, match="was accepted, but has not taken effect"):
        send(REQUESTS[what][0], TOKEN)


@pytest.mark.parametrize("url", [REPO, f"{DATASET}/settings"])
@pytest.mark.parametrize("status", [403, 422])
def test_what_an_api_refuses_is_an_error_without_the_token(websites: Websites, url: str, status: int) -> None:
    websites.status = status
    with pytest.raises(WorldError, match=f"was answered with {status}: .*as told") as caught:
        send(ApiRequest("PUT", url, {"private": True}), TOKEN)
    assert TOKEN not in str(caught.value)


@pytest.mark.parametrize("missing", [False, True])
def test_what_is_gone_already_can_be_deleted_where_that_is_said(websites: Websites, missing: bool) -> None:
    websites.status = 404
    del websites.data[DATASET]
    request = ApiRequest("DELETE", "https://huggingface.co/api/repos/delete", DELETE_DATASET, missing)
    if missing:
        send(request, TOKEN)
    else:
        with pytest.raises(WorldError, match="was answered with 404"):
            send(request, TOKEN)


def test_the_way_back_is_what_there_is_of_the_same_settings(websites: Websites) -> None:
    request = ApiRequest("PATCH", REPO, {"private": True, "description": "New"})
    back = undo_of(request, TOKEN)
    assert back == ApiRequest("PATCH", REPO, {"private": False, "description": "Old"})
    send(request, TOKEN)
    assert websites.data[REPO]["description"] == "New"
    send(back, TOKEN)
    assert websites.data[REPO] == {"private": False, "description": "Old", "id": 7}


@pytest.mark.parametrize(
    "request_",
    [
        ApiRequest("PATCH", REPO, {"unknown": 1}),
        ApiRequest("DELETE", REPO),
        ApiRequest("POST", REPO, {"private": True}),
        commit("README.md", "x"),
    ],
    ids=str,
)
def test_without_a_known_value_before_there_is_no_way_back(websites: Websites, request_: ApiRequest) -> None:
    assert undo_of(request_, TOKEN) is None


@pytest.mark.parametrize("url", [REPO, f"{DATASET}/settings"])
def test_an_api_that_cannot_be_reached_is_an_error_of_the_world(
    websites: Websites, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    for name in ("HTTPS_PROXY", "https_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with pytest.raises(WorldError, match=url) as caught:
        send(ApiRequest("PATCH", url, {"private": True}), TOKEN)
    assert TOKEN not in str(caught.value)


def test_other_apis_have_no_client() -> None:
    with pytest.raises(SetupError, match=r"no client for the API at api\.example\.com"):
        send(ApiRequest("PUT", "https://api.example.com/x", {}), TOKEN)
