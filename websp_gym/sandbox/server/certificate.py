"""The server's TLS certificate. Its key is derived from the secret, so that a replacement server has the same one."""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import ssl
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import IO

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from cryptography.x509.oid import NameOID

_NAME = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "sandbox.websp")])


def derive(secret: str, purpose: str) -> bytes:
    """Return 32 bytes derived from a secret and a purpose."""
    return hmac.new(secret.encode(), purpose.encode(), hashlib.sha256).digest()


def make_certificate(secret: str) -> tuple[ssl.SSLContext, str]:
    """Create a self-signed certificate, in memory if the system supports files there.

    It names no host; a Chromium flag accepts it for every host by the hash of its public key.

    Returns:
        The server's TLS context, and the base64 SHA-256 of the public key (SPKI).
    """
    number = 1 + int.from_bytes(derive(secret, "certificate")) % 2**255
    key = ec.derive_private_key(number, ec.SECP256R1())
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(_NAME, _NAME, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=365))
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    # load_cert_chain() needs a path.
    with _private_file() as (file, path):
        file.write(private + certificate.public_bytes(Encoding.PEM))
        file.flush()
        context.load_cert_chain(path)
    spki = key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return context, base64.b64encode(hashlib.sha256(spki).digest()).decode()


@contextmanager
def _private_file() -> Iterator[tuple[IO[bytes], str]]:
    """Give a file and its path: in memory, or on a system without such files one that only the user can read."""
    if hasattr(os, "memfd_create"):
        with os.fdopen(os.memfd_create("websp-certificate"), "wb") as file:
            yield file, f"/proc/self/fd/{file.fileno()}"
    else:
        with tempfile.NamedTemporaryFile() as kept:
            yield kept, kept.name
