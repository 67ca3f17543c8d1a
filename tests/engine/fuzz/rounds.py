"""Sends mutated requests to an engine, round by round, and says which answer was none that DynamoDB could give.

A round starts with a new store, and all that is in it follows from the seed, the action and the number of the round:
what failed once fails again when that round alone is run.
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

from singletable.engine.check_store import check_store
from singletable.engine.dispatch import ACTIONS
from singletable.engine.engine import Engine
from tests.engine.chance import Chance
from tests.engine.fuzz import byte_mutations, expression_mutations, json_mutations
from tests.engine.fuzz.filled_store import fill, filled, restore
from tests.engine.fuzz.seeds import seeds

REQUESTS_PER_ROUND = 100
CPU_SECONDS_MAX = 5.0  # of one request; most take less than a thousandth of that
HANGING_SECONDS = 120.0  # by the clock, before the process is ended
GROWTH_BYTES_MAX = 192 * 1024 * 1024  # of the process, between the first rounds and the last

# What the service says before it looks at what an action can fail with.
_SAID_BY_ALL = frozenset(("ValidationException", "SerializationException", "AccessDeniedException"))


@dataclass(frozen=True)
class Fuzz:
    """The requests of one action, by a seed."""

    target: str
    seed: int

    @property
    def action(self) -> str:
        return self.target.rpartition(".")[2]

    def bodies(self, number: int) -> Iterator[bytes]:
        """The requests of a round."""
        chance = Chance(f"{self.seed}/{self.target}/{number}")
        written, of_shape = seeds(self.action, ACTIONS[self.target].shape)
        for _ in range(REQUESTS_PER_ROUND):
            starts = of_shape if not written or chance.one_in(8) else written
            yield mutated(chance, chance.pick(starts), chance.pick(starts))

    def run(self, numbers: range, folder: Path) -> dict[int, int]:
        """Runs these rounds, and returns how many answers had which status."""
        answered: dict[int, int] = {}
        warm = numbers[len(numbers) // 4]
        before = memory_bytes()
        for number in numbers:
            for status in _Round(self, number, folder / f"round-{number}").run():
                answered[status] = answered.get(status, 0) + 1
            if number == warm:
                gc.collect()
                before = memory_bytes()
        gc.collect()
        growth = memory_bytes() - before
        assert growth < GROWTH_BYTES_MAX, (
            f"{self.action}: the process grew by {growth:,} bytes in {len(numbers)} rounds"
        )
        return answered


def mutated(chance: Chance, valid: dict[str, Any], other: dict[str, Any]) -> bytes:
    """A request that is almost right: one to four changes of its shape, of its expressions, and of its bytes.

    Now and then it has a parameter of another one.
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
        """Sends every request of the round; yields the status of each answer."""
        with filled(self._path) as engine, _commits(self._path) as commits, _Watch(self.told) as watch:
            for at, body in enumerate(self._fuzz.bodies(self._number)):
                self._at, self._body = at, body
                written = commits()
                started = time.thread_time()
                with watch:
                    status, document = self._answer(engine)
                seconds = time.thread_time() - started
                assert seconds < CPU_SECONDS_MAX, self.told(f"took {seconds:.1f} seconds")
                self._check(status, document)
                if status == 200 and self._writes:
                    engine.backfill.wait()
                    engine.jobs.wait()
                    (restore if at % 2 else fill)(engine)
                else:
                    assert commits() == written, self.told(f"wrote something, and should not have: {document}")
                yield status
        checked = check_store(self._path)
        assert not checked.problems, self.told(f"left a store that is not sound: {checked.problems}")

    def _answer(self, engine: Engine) -> tuple[int, Any]:
        try:
            answer = engine.answer(self._fuzz.target, self._body)
            return answer.status, json.loads(answer.body)
        except Exception as error:
            raise AssertionError(self.told(f"raised {error!r}")) from error

    def _check(self, status: int, document: Any) -> None:
        assert isinstance(document, dict), self.told(f"is no object: {document}")
        if status == 200:
            return
        assert 400 <= status < 500, self.told(f"has status {status}: {document}")
        code = str(document.get("__type")).rpartition("#")[2]
        assert code in known_errors(self._fuzz.target), self.told(f"has an error that it cannot have: {document}")
        words = document.get("message", document.get("Message"))
        assert isinstance(words, str), self.told(f"does not say what is wrong: {document}")
        assert words, self.told(f"does not say what is wrong: {document}")

    def told(self, what: str) -> str:
        """What is wrong, with the request, and how it is sent again."""
        fuzz = self._fuzz
        shown = repr(self._body) if len(self._body) <= 5_000 else f"{self._body[:5_000]!r} ... {len(self._body)} bytes"
        again = (
            f"FUZZ_SEED={fuzz.seed} FUZZ_ROUND={self._number} pytest tests/engine/fuzz/test_fuzz.py -k {fuzz.action}"
        )
        return f"{fuzz.action} {what[:2_000]}\nrequest {self._at} of round {self._number}: {shown}\nagain: {again}"


class _Watch:
    """Ends the process, with word of the request, when an answer does not come."""

    def __init__(self, told: Any) -> None:
        self._told = told
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
                print(self._told("does not end"), file=sys.stderr, flush=True)
                faulthandler.dump_traceback()
                os._exit(70)


@contextmanager
def _commits(path: Path) -> Iterator[Callable[[], int]]:
    """A number that is another one after every commit to the store."""
    with closing(sqlite3.connect(path)) as connection:
        yield lambda: int(connection.execute("PRAGMA data_version").fetchone()[0])


@cache
def known_errors(target: str) -> frozenset[str]:
    """The errors that an action may answer with, as botocore knows the API."""
    service, action = ("dynamodbstreams" if "Streams" in target else "dynamodb"), target.rpartition(".")[2]
    model = botocore.session.Session().get_service_model(service)
    named = model.operation_model(action).error_shapes if action in model.operation_names else model.error_shapes
    return _SAID_BY_ALL | {shape.name for shape in named} - {"InternalServerError"}


def memory_bytes() -> int:
    """What the process has in memory; 0 where nobody tells."""
    try:
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    except OSError:
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")
