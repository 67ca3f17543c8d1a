"""A run: random requests to both sides, and every difference with a minimal request that shows it."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from tests.differential.actions import CORE, Generated, of_groups
from tests.differential.compare import Difference, differences, kind_of
from tests.differential.difference_matchers import IntendedDifference
from tests.differential.exchange import Exchange, exchange
from tests.differential.intended_differences import intended_difference
from tests.differential.minimise import Example, ExampleMinimiser
from tests.differential.request_mutations import mutate
from tests.differential.sides import Request, Side
from tests.differential.state import TABLE_WRITES, BothSides
from tests.engine.oracle.generated_values import Given
from tests.engine.oracle.oracle_table import Key
from tests.engine.oracle.oracle_values import Item
from tests.engine.oracle.seeded_choices import SeededChoices

INVALID_ONE_IN = 3
JSON_TYPES_ONE_IN = 40
PAGES_MAX = 5


@dataclass
class Found:
    """A kind of difference: its number of occurrences, its actions, and one example."""

    kind: str
    example: dict[str, Any]
    count: int = 0
    actions: Counter[str] = field(default_factory=Counter)


@dataclass
class RunResult:
    """The result of a run."""

    steps: int = 0
    rejected: int = 0
    actions: Counter[str] = field(default_factory=Counter)
    found: dict[str, Found] = field(default_factory=dict)
    intended: Counter[IntendedDifference] = field(default_factory=Counter)


class Run:
    """One run from one seed."""

    def __init__(self, ours: Side, theirs: Side, seed: int, show_progress: Callable[[str], None]) -> None:
        self._seed = seed
        self._chance = SeededChoices(seed)
        self._both = BothSides(ours, theirs, self._chance)
        self._generated = of_groups([CORE])
        self._show_progress = show_progress
        self.shrinks = True
        self.outcome = RunResult()

    def use(self, groups: Iterable[str]) -> None:
        """Select other groups of actions."""
        self._generated = of_groups(groups)

    def steps(self, count: int) -> RunResult:
        while self.outcome.steps < count:
            # Each step has its own seed, so that a different result does not change all following steps.
            self._chance = SeededChoices(hash((self._seed, self.outcome.steps)))
            generated = self._chance.pick(self._generated)
            request = self._request(generated)
            for _ in range(PAGES_MAX):
                done = self.step(generated.action, request)
                last = done.theirs.document.get("LastEvaluatedKey") if generated.action == "Query" else None
                if not done.is_agreed or last is None or last != done.ours.document.get("LastEvaluatedKey"):
                    break
                request = {**request, "ExclusiveStartKey": last}
        return self.outcome

    def _request(self, generated: Generated) -> Request:
        request = copy.deepcopy(generated.make(self._chance, self._both.world))
        if self._chance.one_in(INVALID_ONE_IN):
            json_types = self._chance.one_in(JSON_TYPES_ONE_IN)
            request = mutate(self._chance, generated.action, request, json_types=json_types)
        return request

    def step(self, action: str, request: Request) -> Exchange:
        """Send one request to both sides. Count the differences, and minimise the new ones."""
        before = self._both.world.contents()
        temporary = {given.table.name: given for given in self._both.world.temporary}
        done = exchange(self._both.sides, self._both.world, action, request)
        found = [*differences(done), *self._both.learn(done)]
        if not done.is_agreed or (done.ours.is_error and done.ours.code != "TransactionCanceledException"):
            # Local stores the tokens of some requests that it rejects.
            self._both.world.forget_token(request)
        if action in TABLE_WRITES:
            self._both.world.tokens.clear()
        self.outcome.steps += 1
        self.outcome.actions[action] += 1
        self.outcome.rejected += done.theirs.is_error
        for difference in found:
            reason = intended_difference(done, difference)
            if reason is not None:
                self.outcome.intended[reason] += 1
                continue
            kind = kind_of(done, difference)
            if kind not in self.outcome.found:
                self._show_progress(f"step {self.outcome.steps}: {kind}"[:160])
                self.outcome.found[kind] = Found(kind, self._example(kind, done, difference, before, temporary))
            self.outcome.found[kind].count += 1
            self.outcome.found[kind].actions[action] += 1
        return done

    # Examples

    def _example(
        self,
        kind: str,
        done: Exchange,
        difference: Difference,
        before: dict[str, dict[Key, Item]],
        temporary: dict[str, Given],
    ) -> dict[str, Any]:
        """Return a minimal example of the difference, and restore the state."""
        example = Example(done.request, {}, difference)
        if self.shrinks:
            example = ExampleMinimiser(self._both, kind, done.action, before, temporary).of(done.request, difference)
        names = self._both.world.named_in(example.request)
        return {
            "action": done.action,
            "request": example.request,
            "tables": [self._both.world.givens[name].table.creation() for name in names],
            "items": {name: list(example.items[name].values()) for name in names if example.items.get(name)},
            "path": example.difference.path,
            "ours": example.difference.ours,
            "theirs": example.difference.theirs,
        }
