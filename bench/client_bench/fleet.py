"""The contenders at work: a process for each, of which one at a time is told to measure."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from bench.client_bench.contenders import OURS, Contender, Mode
from bench.engine_bench.peers import NotAvailable
from bench.engine_bench.server import stop

ROOT = Path(__file__).resolve().parents[2]
COLD_SECONDS_MAX = 60
# Nobody verifies a signature, but every client makes one.
CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "AKIDEXAMPLE",
    "AWS_SECRET_ACCESS_KEY": "secret",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_REGION": "us-east-1",
    "AWS_EC2_METADATA_DISABLED": "true",
}


class WrongObjects(Exception):
    """A contender reads something else than what is stored."""


@dataclass(frozen=True)
class Worker:
    """A contender that has read everything once, and is right."""

    contender: Contender
    place: str
    """Where it reads: `server`, `memory:` or `file:`."""
    process: subprocess.Popen[str]

    def seconds_of_one(self, row: str, seconds: float, clock: str = "wall") -> float:
        """The seconds of one call by a clock: the median of those made in so many seconds."""
        to, from_ = self.process.stdin, self.process.stdout
        assert to is not None, "both are pipes"
        assert from_ is not None, "both are pipes"
        print(row, seconds, clock, file=to, flush=True)
        return float(from_.readline())


@contextmanager
def working(contender: Contender, mode: Mode, python: Path, url: str, place: str = "server") -> Iterator[Worker]:
    """A contender's process from its first right read to the end of the block."""
    with tempfile.TemporaryFile("w+") as errors:
        command = [str(python), "-m", "bench.client_bench.worker", contender.name, mode, url]
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
                assert process.stdout is not None, "it is a pipe"
                word, _, said = process.stdout.readline().strip().partition(" ")
                if word == "wrong":
                    raise WrongObjects(said)
                if word != "ready":
                    raise NotAvailable(said or f"it ended: {last_line(errors)}")
                yield Worker(contender, place, process)
            finally:
                stop(process)  # type: ignore[arg-type]  # of text, where a server's is of bytes


def cold_start(contender: Contender, python: Path, url: str) -> tuple[float, float]:
    """The seconds of the import and of what follows to the first order, in a process that has done nothing before."""
    command = [str(python), "-m", "bench.client_bench.cold", contender.name, url]
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
        raise NotAvailable(f"it ended: {finished.stderr.strip().rpartition(chr(10))[2][:200]}")
    imported, first = finished.stdout.split()
    return float(imported), float(first)


def environment_of(contender: Contender) -> dict[str, str]:
    """What a contender's process needs: the bench, and for ours what this process was told to find singletable by."""
    # What was installed is compiled already; ours is compiled when it is first imported, unless that is forbidden.
    hidden = {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "PYTHONDONTWRITEBYTECODE"}
    kept = {name: value for name, value in os.environ.items() if name not in hidden and not name.startswith("AWS_")}
    paths = [str(ROOT), *(os.environ.get("PYTHONPATH", "").split(os.pathsep) if contender.library == OURS else ())]
    return {**kept, **CREDENTIALS, "PYTHONPATH": os.pathsep.join(path for path in paths if path)}


def last_line(errors: IO[str]) -> str:
    """What a process said last."""
    errors.seek(0)
    return errors.read().strip().rpartition("\n")[2][:200]
