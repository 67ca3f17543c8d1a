"""Forked writers that are killed, and the reports that they wrote before."""

from __future__ import annotations

import json
import os
import random
import select
import signal
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from singletable.engine.engine import Engine
from singletable.errors import RequestRefused
from tests.engine.crash_model import Operation, random_operation, request_of

Told = list[list[Any]]


class Victim:
    """A process that runs until it is killed at a random time."""

    def __init__(self, work: Callable[[int], None], seconds: float) -> None:
        self.reading, writing = os.pipe()
        self._output = b""
        self.deadline = time.monotonic() + seconds
        self._child = os.fork()
        if self._child == 0:
            os.close(self.reading)
            try:
                work(writing)
            finally:
                os._exit(0)
        os.close(writing)

    def listen(self) -> None:
        self._output += os.read(self.reading, 1 << 16)

    def kill(self) -> None:
        os.kill(self._child, signal.SIGKILL)
        os.waitpid(self._child, 0)
        while part := os.read(self.reading, 1 << 16):
            self._output += part
        os.close(self.reading)

    @property
    def reported(self) -> Told:
        # An incomplete last line is ignored.
        return [json.loads(line) for line in self._output.split(b"\n")[:-1]]


def kill_in_turn(victims: Sequence[Victim]) -> Told:
    """Kill each writer at its time while the others continue. Return the reports of all writers."""
    living = sorted(victims, key=lambda victim: victim.deadline)
    while living:
        left = living[0].deadline - time.monotonic()
        if left <= 0:
            living.pop(0).kill()
            continue
        ready = select.select([victim.reading for victim in living], [], [], left)[0]
        for victim in living:
            if victim.reading in ready:
                victim.listen()
    return [line for victim in victims for line in victim.reported]


def write_until_killed(url: str, seed: int, writers: Sequence[int], pipe: int) -> None:
    """Run one thread per writer on one engine, each with its own items. Report every operation before and after it."""
    engine = Engine(url)
    telling = threading.Lock()

    def tell(*words: Any) -> None:
        with telling:
            os.write(pipe, json.dumps(words).encode() + b"\n")

    def work(writer: int) -> None:
        chance = random.Random(f"{seed} {writer}")
        number = 0
        while True:
            number += 1
            operation = random_operation(chance, writer, number)
            tell("doing", writer, operation)
            action, request = request_of(operation)
            try:
                engine.call(action, request)
            except RequestRefused as error:
                if not _may_refuse(operation, error):
                    tell("failed", writer, str(error))
                    return
            except Exception as error:
                tell("failed", writer, repr(error))
                raise
            tell("done", writer, operation)

    for writer in writers:
        threading.Thread(target=work, args=(writer,)).start()
    threading.Event().wait()


def _may_refuse(operation: Operation, error: RequestRefused) -> bool:
    # The other writer may have created or deleted the index already, or may be doing so now.
    is_poor = error.code == "TransactionCanceledException" and "ConditionalCheckFailed" in error.message
    kind: str = operation["kind"]
    return kind == "index" or (kind == "transfer" and is_poor)
