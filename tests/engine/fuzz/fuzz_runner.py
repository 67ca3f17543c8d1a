"""The fuzz runner: sends mutated requests to an engine, and reports responses that DynamoDB would never return.

A round starts with a new store. Its requests depend only on the seed, the action and the number of the round. So a
failure can be reproduced by running only its round.
"""

from __future__ import annotations

import copy
import faulthandler
import gc
import json
import os
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import botocore.session  # type: ignore[import-untyped]  # botocore has no types

from singletable.engine.dispatch import ACTIONS
from singletable.engine.engine import Engine
from singletable.engine.integrity_check import check_store
from tests.engine.fuzz import byte_mutations, expression_mutations, json_mutations
from tests.engine.fuzz.filled_store import fill, filled, restore
from tests.engine.fuzz.seeds import seeds
from tests.engine.oracle.seeded_choices import SeededChoices

REQUESTS_PER_ROUND = 100
CPU_SECONDS_MAX = 5.0  # for each request; most requests take less than a thousandth of this
HANGING_SECONDS = 120.0  # wall-clock time, before the process is killed
GROWTH_BYTES_MAX = 192 * 1024 * 1024  # the maximum memory growth of the process between the first and the last rounds

# Errors that every action may raise.
_COMMON_ERRORS = frozenset(("ValidationException", "SerializationException", "AccessDeniedException"))


@dataclass(frozen=True)
class Fuzz:
    """The fuzzed requests of one action for a seed."""

    target: str
    seed: int

    @property
    def action(self) -> str:
        return self.target.rpartition(".")[2]

    def bodies(self, number: int) -> Iterator[bytes]:
        """Yield the requests of a round."""
        chance = SeededChoices(f"{self.seed}/{self.target}/{number}")
        written, of_shape = seeds(self.action, ACTIONS[self.target].shape)
        for _ in range(REQUESTS_PER_ROUND):
            starts = of_shape if not written or chance.one_in(8) else written
            yield mutated(chance, chance.pick(starts), chance.pick(starts))

    def run(self, numbers: range, folder: Path) -> dict[int, int]:
        """Run these rounds; return the number of responses by status."""
        answered: dict[int, int] = {}
        # A process grows at first, so the growth is measured from a quarter of the rounds on, if there are several. A
        # full collection takes a second in a process that has run thousands of tests.
        warm = numbers[len(numbers) // 4] if len(numbers) > 1 else None
        before = 0
        for number in numbers:
            for status in _Round(self, number, folder / f"round-{number}").run():
                answered[status] = answered.get(status, 0) + 1
            if number == warm:
                before = _collected_bytes()
        if warm is not None:
            growth = _collected_bytes() - before
            assert growth < GROWTH_BYTES_MAX, (
                f"{self.action}: the process grew by {growth:,} bytes in {len(numbers)} rounds"
            )
        return answered


def mutated(chance: SeededChoices, valid: dict[str, Any], other: dict[str, Any]) -> bytes:
    """Return an almost valid request, with one to four changes of its shape, expressions and bytes.

    Sometimes it has a parameter of another request.
    """
    request = copy.deepcopy(valid)
    if other and chance.one_in(8):
        parameter = chance.pick(list(other))
        request[parameter] = copy.deepcopy(other[parameter])
    for _ in chance.times(1, chance.pick((1, 1, 2, 4))):
        if chance.one_in(3):
            expression_mutations.mutate(chance, request)
        else:
            json_mutations.mutate(chance, request)
    body = json_mutations.encoded(request)
    if chance.one_in(8):
        for _ in chance.times(1, 3):
            body = byte_mutations.mutate(chance, body)
    return body


class _Round:
    def __init__(self, fuzz: Fuzz, number: int, path: Path) -> None:
        self._fuzz = fuzz
        self._number = number
        self._path = path
        self._writes = ACTIONS[fuzz.target].writes
        self._at = 0
        self._body = b""

    def run(self) -> Iterator[int]:
        """Send every request of the round; yield the status of each response."""
        with filled(self._path) as engine, _commits(self._path) as commits, _Watchdog(self.report) as watch:
            for at, body in enumerate(self._fuzz.bodies(self._number)):
                self._at, self._body = at, body
                written = commits()
                started = time.thread_time()
                with watch:
                    status, document = self._answer(engine)
                seconds = time.thread_time() - started
                assert seconds < CPU_SECONDS_MAX, self.report(f"took {seconds:.1f} seconds")
                self._check(status, document)
                if status == 200 and self._writes:
                    engine.backfill.wait()
                    engine.jobs.wait()
                    (restore if at % 2 else fill)(engine)
                else:
                    assert commits() == written, self.report(f"committed a write, although it should not: {document}")
                yield status
        checked = check_store(self._path)
        assert not checked.problems, self.report(f"damaged the store: {checked.problems}")

    def _answer(self, engine: Engine) -> tuple[int, Any]:
        try:
            answer = engine.answer(self._fuzz.target, self._body)
            return answer.status, json.loads(answer.body or b"{}")  # TagResource and UntagResource have empty bodies
        except Exception as error:
            raise AssertionError(self.report(f"raised {error!r}")) from error

    def _check(self, status: int, document: Any) -> None:
        assert isinstance(document, dict), self.report(f"is not an object: {document}")
        if status == 200:
            return
        assert 400 <= status < 500, self.report(f"has status {status}: {document}")
        code = str(document.get("__type")).rpartition("#")[2]
        assert code in known_errors(self._fuzz.target), self.report(f"has an error that it cannot have: {document}")
        message = document.get("message", document.get("Message"))
        if code == "SerializationException" and message is None:
            return  # the answer of DynamoDB to a body that is not JSON
        assert isinstance(message, str), self.report(f"has no error message: {document}")
        assert message, self.report(f"has no error message: {document}")

    def report(self, what: str) -> str:
        """Return a failure message with the request and the command that repeats it."""
        fuzz = self._fuzz
        shown = repr(self._body) if len(self._body) <= 5_000 else f"{self._body[:5_000]!r} ... {len(self._body)} bytes"
        again = (
            f"FUZZ_SEED={fuzz.seed} FUZZ_ROUND={self._number} pytest tests/engine/fuzz/test_fuzz.py -k {fuzz.action}"
        )
        return f"{fuzz.action} {what[:2_000]}\nrequest {self._at} of round {self._number}: {shown}\nagain: {again}"


class _Watchdog:
    """Kills the process and reports the request if a response takes too long."""

    def __init__(self, report: Any) -> None:
        self._report = report
        self._since: float | None = None
        self._depth = 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> Self:
        self._depth += 1
        if self._depth == 1:
            self._thread.start()
        else:
            self._since = time.monotonic()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._depth -= 1
        self._since = None
        if self._depth == 0:
            self._ended.set()
            self._thread.join()

    def _look(self) -> None:
        while not self._ended.wait(1.0):
            since = self._since
            if since is not None and time.monotonic() - since > HANGING_SECONDS:
                sys.stderr = sys.__stderr__
                print(self._report("does not end"), file=sys.stderr, flush=True)
                faulthandler.dump_traceback()
                os._exit(70)


@contextmanager
def _commits(path: Path) -> Iterator[Callable[[], int]]:
    """Yield a function whose result changes with every commit to the store."""
    with closing(sqlite3.connect(path)) as connection:
        yield lambda: int(connection.execute("PRAGMA data_version").fetchone()[0])


@cache
def known_errors(target: str) -> frozenset[str]:
    """Return the errors that an action may raise, according to botocore's model of the API."""
    service, action = ("dynamodbstreams" if "Streams" in target else "dynamodb"), target.rpartition(".")[2]
    model = botocore.session.Session().get_service_model(service)
    named = model.operation_model(action).error_shapes if action in model.operation_names else model.error_shapes
    return _COMMON_ERRORS | {shape.name for shape in named} - {"InternalServerError"}


def _collected_bytes() -> int:
    gc.collect()
    return memory_bytes()


def memory_bytes() -> int:
    """Return the memory of the process. Return 0 if it is not available."""
    try:
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    except OSError:
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")
