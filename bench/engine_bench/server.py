"""Start a server on a free port, wait for its first response, measure its memory, and stop it."""

from __future__ import annotations

import os
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from time import perf_counter, sleep
from typing import IO
from urllib.parse import quote

from bench.engine_bench.load_generator import Sign, UnexpectedResponse, send_and_check, unsigned
from bench.engine_bench.peers import Credential, NotAvailable, Program
from bench.engine_bench.workload import exchange
from singletable.client.http.credentials import Credentials, FixedCredentials
from singletable.client.http.signer import Signer

REGION = "us-east-1"
START_SECONDS_MAX = 60
STOP_SECONDS_MAX = 10


@dataclass(frozen=True)
class Server:
    """A running server: its port, its process, and the seconds to its first response."""

    name: str
    version: str
    port: int
    process: int
    start_seconds: float
    credential: Credential | None = None

    @property
    def url(self) -> str:
        """The URL, with the credential that the server requires, if any."""
        required = self.credential
        user = "" if required is None else f"{quote(required.key_id, safe='')}:{quote(required.secret, safe='')}@"
        return f"http://{user}127.0.0.1:{self.port}"

    @property
    def sign(self) -> Sign:
        """The function that builds the requests to this server. A signature is valid for some minutes."""
        required = self.credential
        if required is None:
            return unsigned
        credentials = FixedCredentials(Credentials(required.key_id, required.secret))
        signer = Signer(f"127.0.0.1:{self.port}", REGION, credentials)
        return lambda exchange: signer.request(exchange.action, exchange.body)

    def resident_megabytes(self) -> float:
        """Return the resident memory of the process."""
        command = ["ps", "-o", "rss=", "-p", str(self.process)]
        listed = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 - our own child
        return int(listed.stdout) * 1024 / 1e6


@contextmanager
def run_server(name: str, program: Program) -> Iterator[Server]:
    """Start a server, wait for its first response, and stop it at the end of the block."""
    port = free_port()
    environment = {**os.environ, **program.environment(port)}
    with tempfile.TemporaryFile() as output:
        started = perf_counter()
        process = subprocess.Popen(  # noqa: S603 - the commands are those of `peers`
            program.command(port),
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=Path(tempfile.gettempdir()),
        )
        try:
            wait_until_ready(process, port, started, output, program.health_path)
            start_seconds = perf_counter() - started
            yield Server(name, program.version, port, process.pid, start_seconds, program.credential)
        finally:
            stop_process(process)


def wait_until_ready(
    process: subprocess.Popen[bytes], port: int, started: float, output: IO[bytes], health_path: str | None = None
) -> None:
    """Wait for the first successful response to ListTables, or to a GET request for the health path."""
    list_tables = exchange("ListTables", {}, lambda response: isinstance(response["TableNames"], list))
    while True:
        try:
            if health_path is None:
                return send_and_check(port, [list_tables])
            return check_health(port, health_path)
        except (OSError, UnexpectedResponse) as error:
            if process.poll() is not None:
                output.seek(0)
                text = output.read().decode(errors="replace").strip()
                raise NotAvailable(f"the server exited with status {process.returncode}: {text[-300:]}") from error
            if perf_counter() - started > START_SECONDS_MAX:
                raise NotAvailable(f"no response within {START_SECONDS_MAX} seconds ({error})") from error
        sleep(0.002)


def check_health(port: int, path: str) -> None:
    """Raise UnexpectedResponse unless a GET request for this path succeeds."""
    connection = HTTPConnection("127.0.0.1", port, timeout=START_SECONDS_MAX)
    try:
        connection.request("GET", path)
        status = connection.getresponse().status
    except HTTPException as error:
        raise UnexpectedResponse(f"GET {path}: {error!r}") from error
    finally:
        connection.close()
    if status != HTTPStatus.OK:
        raise UnexpectedResponse(f"GET {path}: status {status}")


def stop_process(process: subprocess.Popen[bytes]) -> None:
    """Terminate a process, and kill it if it does not exit in time."""
    process.terminate()
    try:
        process.wait(STOP_SECONDS_MAX)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def free_port() -> int:
    """Return a port that is currently free."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        assert isinstance(port, int)
        return port
