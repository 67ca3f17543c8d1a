"""Runners in a simulation: between two requests of a runner, clients act, it ends, or another runner overtakes it."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from random import Random
from typing import Any

from singletable import MigrationRefused, MigrationStopped
from singletable.client.open_table import transport_for
from singletable.client.request_session import Session
from singletable.client.request_steps import Call
from singletable.engine.engine import Engine
from singletable.errors import RequestRefused, Unreachable

SLICE_SECONDS = 5.0
POLL_SECONDS = 1.0


class Killed(Exception):
    """The process of a runner has ended."""


class World(ABC):
    """An engine, a clock, and clients that act between the requests of a runner."""

    def __init__(self, seed: int) -> None:
        self.random, self.now, self.depth = Random(seed), 1000.0, 0
        self.engine = Engine("memory:")

    def clock(self) -> float:
        """Return the time of the simulation."""
        return self.now

    @abstractmethod
    def act(self) -> None:
        """Let some clients send some requests."""

    @abstractmethod
    def run_once(self, session: Session) -> bool:
        """Let one runner work. Return whether the migration is over."""

    def advance(self, seconds: float) -> None:
        """Let time pass; clients act meanwhile."""
        end = self.now + seconds
        while self.now < end:
            self.now += min(SLICE_SECONDS, end - self.now)
            self.act()

    def run_to_the_end(self) -> None:
        """Start runners until one of them finishes the migration."""
        for attempt in range(200):
            try:
                if self.run_once(RunnerSession(self, 0.0 if attempt > 20 else 0.03)):
                    return
            except (Killed, MigrationStopped, MigrationRefused):
                self.advance(self.random.choice((0.0, 10.0, 100.0)))
        raise AssertionError("the migration does not end")


class RunnerSession(Session):
    """The session of a runner."""

    def __init__(self, world: World, trouble: float) -> None:
        super().__init__(transport_for(world.engine))
        self.world, self.trouble = world, trouble

    def send(self, call: Call) -> bytes:
        world, chance = self.world, self.world.random.random()
        world.act()
        if chance < self.trouble / 2:
            raise Killed
        if chance < self.trouble and world.depth == 0:
            world.depth += 1
            try:  # this runner stops for a while; another one works, and then this one sends its request
                for _ in range(world.random.choice((1, 1, 4))):
                    self._overtake()
            finally:
                world.depth -= 1
        return super().send(call)

    def _overtake(self) -> None:
        try:
            self.world.run_once(RunnerSession(self.world, self.trouble / 4))
        except (Killed, MigrationStopped, MigrationRefused):
            return

    def send_all(self, calls: Sequence[Call]) -> Sequence[bytes]:
        return [self.send(each) for each in calls]

    def send_each(self, calls: Sequence[Call], meanwhile: Any = None) -> Sequence[Any]:
        results: list[Any] = []
        for each in calls:
            try:
                results.append(self.send(each))
            except (RequestRefused, Unreachable) as problem:
                results.append(problem)
        return results

    def wait(self, seconds: float) -> None:
        if seconds == POLL_SECONDS:  # the runner polls an index, which the engine creates in real time
            time.sleep(0.002)
            self.world.act()
        else:
            self.world.advance(seconds)
