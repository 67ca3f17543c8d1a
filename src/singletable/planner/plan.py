"""Plans: the request that answers a pattern with its proof, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from math import prod
from typing import Literal, NamedTuple

from singletable.expressions.printer import Placeholders
from singletable.expressions.tree import Change, Condition, Parameter
from singletable.model.declaration import PatternDeclaration
from singletable.model.entity import Entity
from singletable.model.index import Index
from singletable.model.shape import Member
from singletable.planner.kept import Kept
from singletable.planner.obstacles import Obstacle
from singletable.planner.operands import EachAbove, KeyTest, Spread, TextOperand, written_test
from singletable.values.limits import BATCH_GET_KEYS_MAX

Operation = Literal["GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"]


class Verdict(Enum):
    """What the planner says of a pattern."""

    ONE_REQUEST = "one request"
    DECLARED_FANOUT = "declared fan-out"
    UNDECLARED_FANOUT = "undeclared fan-out"
    REFUSED = "refused"


@dataclass(frozen=True)
class LimitOf:
    """How many items a Query may examine: the limit that was asked for, and the single members read with them."""

    count: int | Parameter
    extra: int = 0

    def show(self) -> str:
        """The limit with a parameter in braces."""
        if isinstance(self.count, int):
            return str(self.count + self.extra)
        return f"{{{self.count.name}}}" + (f" + {self.extra}" if self.extra else "")


@dataclass(frozen=True)
class Rewrite:
    """A key attribute of an index that an update must write anew because a field in it changes."""

    index: Index
    attribute: str
    template: str
    unknown: tuple[str, ...]
    is_removed: bool = False
    """Whether the item leaves the index, and the attribute goes."""


class WrittenTest(NamedTuple):
    """A test of a key, whether it is of the sort key, and the placeholders of its operands."""

    test: KeyTest
    is_sort: bool
    placeholders: tuple[str, ...]


class WrittenCondition(NamedTuple):
    """A key condition as it is sent, but for the values: they are all that differs between two calls."""

    text: str
    names: Mapping[str, str]
    tests: tuple[WrittenTest, ...]


@dataclass(frozen=True)
class Plan:
    """The request that answers a pattern."""

    pattern: PatternDeclaration
    operation: Operation
    index: Index
    partition: tuple[KeyTest, ...]
    sort: tuple[KeyTest, ...]
    wanted: tuple[Entity, ...]
    foreign: tuple[Entity, ...] = ()
    forward: bool = True
    order: str = ""
    limit: LimitOf | None = None
    filter: Condition | None = None
    condition: Condition | None = None
    changes: tuple[Change, ...] = ()
    rewrites: tuple[Rewrite, ...] = ()
    spreads: tuple[Spread, ...] = ()
    members: tuple[Member, ...] = ()
    view: type | None = None
    consistent: bool = False
    hydrate: bool = False
    passed_over: tuple[PassedOver, ...] = ()
    kept: Kept | None = None
    validation_read: str | None = None
    """Why an update reads the item first to validate it, such as `Order has a model_validator (dates_in_order)`."""

    @property
    def tests(self) -> tuple[KeyTest, ...]:
        """The key condition, the partition's tests first."""
        return (*self.partition, *self.sort)

    @cached_property
    def written_condition(self) -> WrittenCondition:
        """The key condition with placeholders, which is written once for all calls."""
        placeholders, texts, tests = Placeholders(), [], []
        for test in self.tests:
            operands = [placeholders.value(None) for _ in test.operands]
            texts.append(written_test(placeholders.name(test.attribute), test.operator, operands))
            tests.append(WrittenTest(test, test in self.sort, tuple(operands)))
        return WrittenCondition(" AND ".join(texts), placeholders.names, tuple(tests))

    @property
    def queries(self) -> int | None:
        """How many Queries the pattern is; None when the arguments decide."""
        counts = [spread.count for spread in self.spreads]
        return None if None in counts else prod(count for count in counts if count is not None)

    @property
    def each_above(self) -> EachAbove | None:
        """The path whose nodes above are asked for, each by its key."""
        operands = (operand for test in self.tests for operand in test.operands if isinstance(operand, TextOperand))
        return next((atom for operand in operands for atom in operand.atoms if isinstance(atom, EachAbove)), None)

    @property
    def reads_item_first(self) -> bool:
        """Whether a write reads the stored item first: for derived data, for index keys or for validation."""
        is_read_for_derived_data = self.kept is not None and self.kept.looks_first
        is_read_for_keys = any(rewrite.unknown for rewrite in self.rewrites)
        return is_read_for_derived_data or is_read_for_keys or self.validation_read is not None

    @property
    def requests(self) -> int | None:
        """How many requests a page of the answer takes; None when the arguments decide."""
        if self.hydrate:
            known = self.limit is not None and isinstance(self.limit.count, int) and self.queries is not None
            if not known or self.limit is None or not isinstance(self.limit.count, int):
                return None
            return (self.queries or 1) + -(-self.limit.count // BATCH_GET_KEYS_MAX)
        if self.operation == "BatchGetItem":
            return None
        if self.pattern.is_write:
            other_reads = 0 if self.kept is None else self.kept.reads - self.kept.looks_first
            return 1 + self.reads_item_first + other_reads
        return self.queries

    @property
    def verdict(self) -> Verdict:
        """One request, or a fan-out that the pattern declares or fails to declare."""
        declared, requests = self.pattern.options.fanout, self.requests
        if requests == 1:
            return Verdict.ONE_REQUEST
        least = self.queries if requests is None and self.hydrate else requests  # the Queries, whatever they find
        if least is None:  # each of the cells or buckets of the arguments in every shard
            least = prod(spread.count for spread in self.spreads if spread.count is not None)
        if declared is not None and least <= declared:
            return Verdict.DECLARED_FANOUT
        by_itself = self.hydrate and self.queries == 1 and declared is None
        return Verdict.DECLARED_FANOUT if by_itself else Verdict.UNDECLARED_FANOUT

    @property
    def fanout(self) -> str:
        """The number of requests in words: exact, or the most that was declared."""
        if self.requests is not None:
            return str(self.requests)
        declared = self.pattern.options.fanout
        if self.hydrate and (self.queries is not None or declared is not None):
            queries = self.queries if self.queries is not None else f"at most {declared}"
            return f"{queries} + 1 per {BATCH_GET_KEYS_MAX} items"
        return f"at most {declared}" if declared is not None else "a number that the arguments decide"

    @property
    def strong_possible(self) -> bool:
        """Whether a strongly consistent read can be asked for."""
        return self.index.kind != "GSI" and not self.hydrate

    def key_condition(self) -> str:
        """The key condition in DynamoDB's notation, with parameters in braces."""
        return " AND ".join(test.show() for test in self.tests)


@dataclass(frozen=True)
class PassedOver:
    """An index that does not serve the pattern, or serves it worse, and why."""

    index: str
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class Refusal:
    """A pattern that no single request answers: the smallest reason, and the smallest change that would help."""

    pattern: PatternDeclaration
    reason: str
    needs_scan: bool
    wanted: tuple[Entity, ...]
    obstacles: tuple[Obstacle, ...]
    passed_over: tuple[PassedOver, ...]

    @property
    def verdict(self) -> Verdict:
        """Refused."""
        return Verdict.REFUSED


Outcome = Plan | Refusal


@dataclass(frozen=True)
class Candidate:
    """A plan on one index, with what stands in its way."""

    plan: Plan
    obstacles: tuple[Obstacle, ...]

    @property
    def cost(self) -> tuple[int, ...]:
        """Smaller is better: obstacles, then requests, then what is read in vain, then the table before its indexes."""
        queries = self.plan.queries
        kinds: Sequence[str] = ("table", "LSI", "GSI")
        return (
            len(self.obstacles),
            10_000 if queries is None else queries,
            len(self.plan.foreign),
            kinds.index(self.plan.index.kind),
        )
