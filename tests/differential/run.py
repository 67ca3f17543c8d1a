"""The run: random requests to both sides, and every difference with the smallest request that shows it."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from tests.differential.actions import CORE, Generated, of_groups
from tests.differential.ask import Exchange, exchange
from tests.differential.compare import Difference, differences, kind_of
from tests.differential.justification import Justified
from tests.differential.justified import justification
from tests.differential.sides import Request, Side
from tests.differential.smaller import Example, Smaller
from tests.differential.state import TABLE_WRITES, BothSides
from tests.differential.wrong import made_wrong
from tests.engine.chance import Chance
from tests.engine.generated_values import Given
from tests.engine.plain_table import Key
from tests.engine.plain_values import Item

WRONG_ONE_IN = 3
JSON_TYPES_ONE_IN = 40
PAGES_MAX = 5


@dataclass
class Found:
    """A kind of difference: how often it came up, for which actions, and one example."""

    kind: str
    example: dict[str, Any]
    count: int = 0
    actions: Counter[str] = field(default_factory=Counter)


@dataclass
class Outcome:
    """What a run found."""

    steps: int = 0
    refused: int = 0
    actions: Counter[str] = field(default_factory=Counter)
    found: dict[str, Found] = field(default_factory=dict)
    justified: Counter[Justified] = field(default_factory=Counter)


class Run:
    """One run from one seed."""

    def __init__(self, ours: Side, theirs: Side, seed: int, say: Callable[[str], None]) -> None:
        self._seed = seed
        self._chance = Chance(seed)
        self._both = BothSides(ours, theirs, self._chance)
        self._generated = of_groups([CORE])
        self._say = say
        self.shrinks = True
        self.outcome = Outcome()

    def use(self, groups: Iterable[str]) -> None:
        """Other groups of actions from now on."""
        self._generated = of_groups(groups)

    def steps(self, count: int) -> Outcome:
        while self.outcome.steps < count:
            # Each step has chances of its own, so that one that ends otherwise does not change all that follow.
            self._chance = Chance(hash((self._seed, self.outcome.steps)))
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
        if self._chance.one_in(WRONG_ONE_IN):
            json_types = self._chance.one_in(JSON_TYPES_ONE_IN)
            request = made_wrong(self._chance, generated.action, request, json_types=json_types)
        return request

    def step(self, action: str, request: Request) -> Exchange:
        """One request to both sides; what differs is counted, and shrunk when it is new."""
        before = self._both.world.contents()
        passing = {given.table.name: given for given in self._both.world.passing}
        done = exchange(self._both.sides, self._both.world, action, request)
        found = [*differences(done), *self._both.learn(done)]
        if not done.is_agreed or (done.ours.is_refused and done.ours.code != "TransactionCanceledException"):
            # Local remembers some of the tokens that it refused.
            self._both.world.forget_token(request)
        if action in TABLE_WRITES:
            self._both.world.tokens.clear()
        self.outcome.steps += 1
        self.outcome.actions[action] += 1
        self.outcome.refused += done.theirs.is_refused
        for difference in found:
            reason = justification(done, difference)
            if reason is not None:
                self.outcome.justified[reason] += 1
                continue
            kind = kind_of(done, difference)
            if kind not in self.outcome.found:
                self._say(f"step {self.outcome.steps}: {kind}"[:160])
                self.outcome.found[kind] = Found(kind, self._example(kind, done, difference, before, passing))
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
        passing: dict[str, Given],
    ) -> dict[str, Any]:
        """The difference with as little around it as still shows it; everything is as it was afterwards."""
        example = Example(done.request, {}, difference)
        if self.shrinks:
            example = Smaller(self._both, kind, done.action, before, passing).of(done.request, difference)
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
