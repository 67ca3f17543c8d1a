"""A running server: started on a free port, asked until it answers, weighed, and stopped."""

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

from bench.engine_bench.load import WrongAnswer, ask
from bench.engine_bench.peers import Credential, NotAvailable, Program
from bench.engine_bench.workload import exchange

START_SECONDS_MAX = 60
STOP_SECONDS_MAX = 10


@dataclass(frozen=True)
class Server:
    """A server that answers: its port, its process and how long it took to answer for the first time."""

    name: str
    version: str
    port: int
    process: int
    start_seconds: float
    credential: Credential | None = None

    @property
    def url(self) -> str:
        """The URL, with the credential that the server requires, if any."""
        needed = self.credential
        user = "" if needed is None else f"{quote(needed.key_id, safe='')}:{quote(needed.secret, safe='')}@"
        return f"http://{user}127.0.0.1:{self.port}"

    def resident_megabytes(self) -> float:
        """The memory that its process holds now."""
        command = ["ps", "-o", "rss=", "-p", str(self.process)]
        listed = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 - our own child
        return int(listed.stdout) * 1024 / 1e6


@contextmanager
def running(name: str, program: Program) -> Iterator[Server]:
    """A server from its first answer to the end of the block."""
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
            wait_for_answer(process, port, started, output, program.health_path)
            taken = perf_counter() - started
            yield Server(name, program.version, port, process.pid, taken, program.credential)
        finally:
            stop(process)


def wait_for_answer(
    process: subprocess.Popen[bytes], port: int, started: float, output: IO[bytes], health_path: str | None = None
) -> None:
    """Returns with the first answer to a request: ListTables, or a GET of the health path."""
    list_tables = exchange("ListTables", {}, lambda answer: isinstance(answer["TableNames"], list))
    while True:
        try:
            if health_path is None:
                return ask(port, [list_tables])
            return check_health(port, health_path)
        except (OSError, WrongAnswer) as error:
            if process.poll() is not None:
                output.seek(0)
                said = output.read().decode(errors="replace").strip()
                raise NotAvailable(f"it ended with status {process.returncode}: {said[-300:]}") from error
            if perf_counter() - started > START_SECONDS_MAX:
                raise NotAvailable(f"no answer within {START_SECONDS_MAX} seconds ({error})") from error
        sleep(0.002)


def check_health(port: int, path: str) -> None:
    """Raise WrongAnswer unless a GET request for this path succeeds."""
    connection = HTTPConnection("127.0.0.1", port, timeout=START_SECONDS_MAX)
    try:
        connection.request("GET", path)
        status = connection.getresponse().status
    except HTTPException as error:
        raise WrongAnswer(f"GET {path}: {error!r}") from error
    finally:
        connection.close()
    if status != HTTPStatus.OK:
        raise WrongAnswer(f"GET {path}: status {status}")


def stop(process: subprocess.Popen[bytes]) -> None:
    """Asks a process to end, and ends it when it does not."""
    process.terminate()
    try:
        process.wait(STOP_SECONDS_MAX)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def free_port() -> int:
    """A port that nothing listens on now."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        assert isinstance(port, int)
        return port
