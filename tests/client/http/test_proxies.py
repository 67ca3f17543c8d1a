"""Proxies: encrypted connections use HTTPS_PROXY through CONNECT, except to the hosts of NO_PROXY."""

from __future__ import annotations

import socket
import ssl
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from singletable import ArgumentRefused, Unreachable
from singletable.client.http.address import Address
from singletable.client.http.credentials import LOCAL_CREDENTIALS, FixedCredentials
from singletable.client.http.http_transport import HttpTransport, through_proxy
from singletable.client.http.proxies import Proxy, is_excepted, with_proxy
from singletable.client.http.signer import Signer
from singletable.client.retries import Timeouts
from tests.client.http.scripted import OK, Sends, pieces

HOST = "dynamodb.eu-west-1.amazonaws.com"
TARGET = Address(HOST, 443, is_encrypted=True)
OPEN = b"HTTP/1.1 200 Connection established\r\nVia: test\r\n\r\n"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a certificate for the host, with its key, to one file."""
    secret = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, HOST)])
    now = datetime.now(UTC)
    signed = (
        x509.CertificateBuilder(
            name, name, secret.public_key(), x509.random_serial_number(), now, now + timedelta(days=1)
        )
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(HOST)]), critical=False)
        .sign(secret, hashes.SHA256())
    )
    file = tmp_path_factory.mktemp("tls") / "server.pem"
    key = secret.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file.write_bytes(signed.public_bytes(serialization.Encoding.PEM) + key)
    return file


@dataclass
class TestProxy:
    """A proxy that answers CONNECT, and then answers the requests itself in the place of DynamoDB."""

    __test__ = False
    port: int
    connects: list[bytes] = field(default_factory=list)
    requests: int = 0


@contextmanager
def running_proxy(certificate: Path, *answer: bytes) -> Generator[TestProxy, None, None]:
    """Run a proxy that sends these bytes, in separate pieces, as its response to CONNECT."""
    listening = socket.create_server(("127.0.0.1", 0))
    proxy = TestProxy(listening.getsockname()[1])
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)

    def serve(connection: socket.socket) -> None:
        with suppress(OSError), connection:
            proxy.connects.append(connection.recv(4096))
            for piece in answer:
                connection.sendall(piece)
                time.sleep(0.01)
            if answer and b" 200" in b"".join(answer):
                with context.wrap_socket(connection, server_side=True) as encrypted:
                    while encrypted.recv(1 << 16):
                        proxy.requests += 1
                        encrypted.sendall(OK)

    def accept() -> None:
        with suppress(OSError):
            while True:
                threading.Thread(target=serve, args=(listening.accept()[0],), daemon=True).start()

    thread = threading.Thread(target=accept)
    thread.start()
    try:
        yield proxy
    finally:
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        thread.join(10)


def transport(proxy: Proxy, certificate: Path, *, connect: float = 5.0) -> HttpTransport:
    signer = Signer(HOST, "eu-west-1", FixedCredentials(LOCAL_CREDENTIALS))
    context = ssl.create_default_context(cafile=str(certificate))
    return HttpTransport(replace(TARGET, proxy=proxy), signer, Timeouts(connect, 5.0), context=context)


def test_requests_through_a_proxy_reuse_its_tunnel(send: Sends, certificate: Path) -> None:
    with running_proxy(certificate, *pieces(OPEN, [5, 30])) as proxy:
        opened = transport(Proxy("127.0.0.1", proxy.port, "Basic dTpw"), certificate)
        assert [send(opened) for _ in range(3)] == [b'{"ok":true}'] * 3
        opened.close()
    (head,) = proxy.connects
    assert head.startswith(f"CONNECT {HOST}:443 HTTP/1.1\r\nHost: {HOST}:443\r\n".encode())
    assert b"\r\nProxy-Authorization: Basic dTpw\r\n" in head
    assert proxy.requests == 3


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n", "it responded with 407 Proxy Authentication Required"),
        (b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n", "it responded with 502 Bad Gateway"),
        (b"SSH-2.0-OpenSSH\r\n\r\n", "its response is not HTTP"),
        (b"", "it closed the connection"),
        (b"x" * 70_000, "its response is too long"),
    ],
)
def test_a_proxy_that_opens_no_tunnel_is_named(send: Sends, certificate: Path, answer: bytes, reason: str) -> None:
    with running_proxy(certificate, answer) as proxy:
        opened = transport(Proxy("127.0.0.1", proxy.port, "Basic hidden"), certificate)
        with pytest.raises(Unreachable) as failed:
            send(opened)
        opened.close()
    assert not failed.value.sent
    assert f"cannot be reached through the proxy 127.0.0.1:{proxy.port} (HTTPS_PROXY): {reason}" in str(failed.value)
    assert "hidden" not in str(failed.value)


def test_a_proxy_that_does_not_exist_is_named(send: Sends, certificate: Path) -> None:
    opened = transport(Proxy("127.0.0.1", 9), certificate)
    with pytest.raises(Unreachable, match=r"through the proxy 127\.0\.0\.1:9 .*refused"):
        send(opened)


def test_a_silent_proxy_times_out(send: Sends, certificate: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        opened = transport(Proxy("127.0.0.1", listening.getsockname()[1]), certificate, connect=0.1)
        with pytest.raises(Unreachable, match="did not"):
            send(opened)


PROXY = {"HTTPS_PROXY": "http://user:p%40ss@proxy.corp:3128"}


def test_the_environment_sets_the_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    proxy = with_proxy(TARGET, PROXY).proxy
    assert proxy == Proxy("proxy.corp", 3128, "Basic dXNlcjpwQHNz")
    assert "dXNlcjpwQHNz" not in repr(proxy)
    assert with_proxy(TARGET, {"https_proxy": "proxy:80", **PROXY}).proxy == Proxy("proxy", 80)
    assert with_proxy(TARGET, {}).proxy is None
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.setenv("https_proxy", PROXY["HTTPS_PROXY"])
    assert through_proxy(TARGET).proxy == proxy


def test_local_and_unencrypted_connections_use_no_proxy() -> None:
    for address in (
        Address("localhost", 443, is_encrypted=True),
        Address("127.0.0.2", 443, is_encrypted=True),
        Address("::1", 443, is_encrypted=True),
        Address("db", 8000, is_encrypted=False),
    ):
        assert with_proxy(address, PROXY).proxy is None


@pytest.mark.parametrize(
    ("exceptions", "is_exception"),
    [
        ("*", True),
        ("amazonaws.com", True),
        (".amazonaws.com", True),
        ("*.amazonaws.com", True),
        ("example.com, EU-WEST-1.AmazonAWS.com", True),
        (f"{HOST}:443", True),
        (f"{HOST}:8443", False),
        ("aws.com", False),
        ("", False),
        (",,", False),
    ],
)
def test_no_proxy_lists_hosts_and_domains(exceptions: str, is_exception: bool) -> None:
    assert is_excepted(TARGET, exceptions) is is_exception
    assert (with_proxy(TARGET, {**PROXY, "NO_PROXY": exceptions}).proxy is None) is is_exception


@pytest.mark.parametrize(
    "url", ["socks5://user:hidden@proxy:1080", "https://user:hidden@proxy", "http://", "http://proxy:x"]
)
def test_an_invalid_proxy_is_rejected_without_its_password(url: str) -> None:
    with pytest.raises(ArgumentRefused, match="HTTPS_PROXY=") as rejected:
        with_proxy(TARGET, {"HTTPS_PROXY": url})
    assert "hidden" not in str(rejected.value)
