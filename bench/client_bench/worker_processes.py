"""Worker processes of the contenders. Only one of them measures at a time."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal

from bench.client_bench.contenders import OURS, Contender, Mode
from bench.engine_bench.peers import NotAvailable
from bench.engine_bench.server import stop_process

ROOT = Path(__file__).resolve().parents[2]
COLD_SECONDS_MAX = 60
# The server verifies no signature, but every client signs.
CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "AKIDEXAMPLE",
    "AWS_SECRET_ACCESS_KEY": "secret",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_REGION": "us-east-1",
    "AWS_EC2_METADATA_DISABLED": "true",
}

Module = Literal["read_worker", "write_worker", "engine_worker"]


class WrongObjects(Exception):
    """A contender reads or writes something other than the expected orders."""


class WorkerStopped(Exception):
    """A worker process exited before it sent a result."""


@dataclass(frozen=True)
class Worker:
    """The process of a contender that has passed its checks."""

    contender: Contender
    backend: str
    """The place of the table: `server`, `memory:` or `file:`."""
    process: subprocess.Popen[str]
    errors: IO[str]

    def seconds_of_one(self, row: str, seconds: float, clock: str = "wall") -> float:
        """Measure a row for some seconds, and return the median time of a call by a clock."""
        (figure,) = self._request(row, seconds, clock)
        return figure

    def compare_with_engine(self, row: str, seconds: float) -> tuple[float, float]:
        """Return the processor seconds of a typed call, and of the engine for the same request."""
        typed, engine = self._request(row, seconds)
        return typed, engine

    def _request(self, *arguments: object) -> list[float]:
        assert self.process.stdin is not None, "standard input is a pipe"
        assert self.process.stdout is not None, "standard output is a pipe"
        print(*arguments, file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline()
        if not answer.strip() or answer.startswith("wrong"):
            reason = answer.strip() or last_line(self.errors)
            raise WorkerStopped(f"{self.contender.name} at {self.backend} stopped in the row {arguments[0]}: {reason}")
        return [float(word) for word in answer.split()]


@contextmanager
def start_worker(
    contender: Contender, mode: Mode, python: Path, url: str, backend: str = "server", module: Module = "read_worker"
) -> Iterator[Worker]:
    """Start the process of a contender and wait for its checks. Stop it at the end of the block."""
    with tempfile.TemporaryFile("w+") as errors:
        command = [str(python), "-m", f"bench.client_bench.{module}", contender.name, mode, url]
        with subprocess.Popen(  # noqa: S603 - our own module, by a Python that we chose
            command,
            cwd=ROOT,
            env=environment_of(contender),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        ) as process:
            try:
                assert process.stdout is not None, "standard output is a pipe"
                word, _, message = process.stdout.readline().strip().partition(" ")
                if word == "wrong":
                    raise WrongObjects(message)
                if word != "ready":
                    raise NotAvailable(message or f"the worker stopped: {last_line(errors)}")
                yield Worker(contender, backend, process, errors)
            finally:
                stop_process(process)  # type: ignore[arg-type]  # a process with text pipes; servers have pipes of bytes


def cold_start(contender: Contender, python: Path, url: str) -> tuple[float, float]:
    """Return the seconds of the import, and the seconds until the first order, in a new process."""
    command = [str(python), "-m", "bench.client_bench.cold_start", contender.name, url]
    finished = subprocess.run(  # noqa: S603 - our own module, by a Python that we chose
        command,
        cwd=ROOT,
        env=environment_of(contender),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=COLD_SECONDS_MAX,
    )
    if finished.returncode != 0:
        raise NotAvailable(f"the process failed: {finished.stderr.strip().rpartition(chr(10))[2][:200]}")
    imported, first = finished.stdout.split()
    return float(imported), float(first)


def environment_of(contender: Contender) -> dict[str, str]:
    """Return the environment variables of a worker: the benchmark on its path, and singletable only for ours."""
    # Installed libraries have bytecode. Ours is compiled at the first import, unless that is forbidden.
    hidden = {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "PYTHONDONTWRITEBYTECODE"}
    inherited = {
        name: value for name, value in os.environ.items() if name not in hidden and not name.startswith("AWS_")
    }
    paths = [str(ROOT), *(os.environ.get("PYTHONPATH", "").split(os.pathsep) if contender.library == OURS else ())]
    return {**inherited, **CREDENTIALS, "PYTHONPATH": os.pathsep.join(path for path in paths if path)}


def last_line(errors: IO[str]) -> str:
    """Return the last line that a process wrote to standard error."""
    errors.seek(0)
    return errors.read().strip().rpartition("\n")[2][:200]
