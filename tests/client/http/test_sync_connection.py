"""Blocking connections: after a fork, with TLS, and if a request cannot be sent."""

from __future__ import annotations

import os
import shutil
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from singletable import Unreachable
from singletable.client.http.address import Address
from singletable.client.http.credentials import LOCAL_CREDENTIALS, FixedCredentials
from singletable.client.http.http_transport import HttpTransport
from singletable.client.http.signer import Signer
from singletable.client.retries import Timeouts
from tests.client.http.scripted import OK, Sends, scripted

BODY = b'{"ok":true}'


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks on this system")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_does_not_use_the_sync_connections_of_its_parent() -> None:
    with scripted() as server, closing(server.transport()) as transport:
        assert transport.send("GetItem", b"{}") == BODY
        child = os.fork()
        if child == 0:
            try:
                os._exit(0 if transport.send("GetItem", b"{}") == BODY else 1)
            finally:
                os._exit(2)
        assert os.waitpid(child, 0)[1] == 0
        assert transport.send("GetItem", b"{}") == BODY
        assert server.connections == 2


def test_sync_connection_reports_a_partly_sent_request_as_not_executed() -> None:
    large = b"x" * 50_000_000
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def hang_up() -> None:
            for _ in range(2):
                connection, _ = listening.accept()
                connection.recv(10)
                connection.close()

        thread = threading.Thread(target=hang_up)
        thread.start()
        address = Address("127.0.0.1", listening.getsockname()[1], False)
        signer = Signer(address.authority, "us-east-1", FixedCredentials(LOCAL_CREDENTIALS))
        with closing(HttpTransport(address, signer, Timeouts())) as transport:
            for _ in range(2):
                with pytest.raises(Unreachable, match="while a request was being sent") as broken:
                    transport.send("PutItem", large)
                assert not broken.value.sent
        thread.join()


def test_sync_connection_times_out_for_a_host_that_reads_nothing() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        address = Address("127.0.0.1", listening.getsockname()[1], False)
        signer = Signer(address.authority, "us-east-1", FixedCredentials(LOCAL_CREDENTIALS))
        with (
            closing(HttpTransport(address, signer, Timeouts(read=0.2))) as transport,
            pytest.raises(Unreachable, match=r"did not read the request within 0.2 s") as broken,
        ):
            transport.send("PutItem", b"x" * 50_000_000)
        assert not broken.value.sent


def test_a_closed_transport_keeps_no_sync_connections() -> None:
    with scripted() as server, closing(server.transport()) as transport:
        assert transport.send("GetItem", b"{}") == BODY
        transport.close()
        transport.close()
        assert transport.send("GetItem", b"{}") == BODY
        assert transport.send("GetItem", b"{}") == BODY
        assert server.connections == 3


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a file with a self-signed certificate of `localhost` and its key."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("there is no openssl on this machine to make a certificate")
    folder = tmp_path_factory.mktemp("certificate")
    key, made = folder / "key.pem", folder / "certificate.pem"
    asked = "req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost -addext subjectAltName=DNS:localhost"
    subprocess.run([openssl, *asked.split(), "-keyout", str(key), "-out", str(made)], check=True, capture_output=True)
    both = folder / "both.pem"
    both.write_text(key.read_text() + made.read_text())
    return both


@pytest.fixture
def encrypted(certificate: Path) -> Iterator[int]:
    """Yield the port of a TLS server that responds OK to everything, one connection at a time."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    listening = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            try:
                with context.wrap_socket(connection, server_side=True) as spoken:
                    while spoken.recv(1 << 16):
                        spoken.sendall(OK)
            except OSError:
                connection.close()

    thread = threading.Thread(target=serve)
    thread.start()
    yield listening.getsockname()[1]
    listening.shutdown(socket.SHUT_RDWR)
    listening.close()
    thread.join()


def test_a_sync_connection_can_be_encrypted(encrypted: int, certificate: Path, send: Sends) -> None:
    address = Address("localhost", encrypted, True)
    assert address.url == f"https://localhost:{encrypted}"
    signer = Signer(address.authority, "us-east-1", FixedCredentials(LOCAL_CREDENTIALS))
    context = ssl.create_default_context(cafile=certificate)
    with closing(HttpTransport(address, signer, Timeouts(), context=context)) as transport:
        assert send(transport) == BODY
        assert send(transport) == BODY


def test_sync_connection_rejects_an_untrusted_certificate(encrypted: int, send: Sends) -> None:
    address = Address("localhost", encrypted, True)
    signer = Signer(address.authority, "us-east-1", FixedCredentials(LOCAL_CREDENTIALS))
    with (
        closing(HttpTransport(address, signer, Timeouts())) as transport,
        pytest.raises(Unreachable, match="certificate verify failed") as refused,
    ):
        send(transport)
    assert not refused.value.sent
