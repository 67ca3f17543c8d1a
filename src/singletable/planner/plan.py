"""Plans: the request that serves a pattern, or the reason why no request does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from math import prod
from typing import Literal, NamedTuple

from singletable.expressions.printer import Placeholders
from singletable.expressions.tree import Change, Condition, Parameter
from singletable.model.collection_shape import ShapeMember
from singletable.model.entity import Entity
from singletable.model.pattern_declaration import PatternDeclaration
from singletable.model.table_schema import Index
from singletable.planner.mismatches import Mismatch
from singletable.planner.operands import EachAncestor, FanOut, KeyComparison, TextOperand, comparison_text
from singletable.planner.write_effects import DerivedWrites
from singletable.values.limits import BATCH_GET_KEYS_MAX

Operation = Literal["GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"]


class Verdict(Enum):
    """The planner's verdict on a pattern."""

    ONE_REQUEST = "one request"
    DECLARED_FANOUT = "declared fan-out"
    UNDECLARED_FANOUT = "undeclared fan-out"
    UNSUPPORTED = "not supported"


@dataclass(frozen=True)
class QueryLimit:
    """The Limit of a Query: the requested limit plus the single members read with the list."""

    count: int | Parameter
    extra: int = 0

    def show(self) -> str:
        """Return the limit, with a parameter in braces."""
        if isinstance(self.count, int):
            return str(self.count + self.extra)
        return f"{{{self.count.name}}}" + (f" + {self.extra}" if self.extra else "")


@dataclass(frozen=True)
class KeyAttributeRewrite:
    """A key attribute of an index that an update must recompute because it contains a changed field."""

    index: Index
    attribute: str
    template: str
    unknown: tuple[str, ...]
    is_removed: bool = False
    """Whether the item leaves the index, so that the attribute is removed."""


class ComparisonTemplate(NamedTuple):
    """A key comparison, whether it is on the sort key, and the placeholders of its operands."""

    test: KeyComparison
    is_sort: bool
    placeholders: tuple[str, ...]


class KeyConditionTemplate(NamedTuple):
    """A key condition expression without values; only the values differ between calls."""

    text: str
    names: Mapping[str, str]
    tests: tuple[ComparisonTemplate, ...]


@dataclass(frozen=True)
class Plan:
    """The request that serves a pattern."""

    pattern: PatternDeclaration
    operation: Operation
    index: Index
    partition: tuple[KeyComparison, ...]
    sort: tuple[KeyComparison, ...]
    entities: tuple[Entity, ...]
    other_entities: tuple[Entity, ...] = ()
    forward: bool = True
    order: str = ""
    limit: QueryLimit | None = None
    filter: Condition | None = None
    condition: Condition | None = None
    changes: tuple[Change, ...] = ()
    rewrites: tuple[KeyAttributeRewrite, ...] = ()
    fan_outs: tuple[FanOut, ...] = ()
    members: tuple[ShapeMember, ...] = ()
    view: type | None = None
    consistent: bool = False
    hydrate: bool = False
    other_indexes: tuple[OtherIndex, ...] = ()
    derived_writes: DerivedWrites | None = None
    validation_read: str | None = None
    """Why an update reads the item first to validate it, such as `Order has a model_validator (dates_in_order)`."""

    @property
    def tests(self) -> tuple[KeyComparison, ...]:
        """The comparisons of the key condition, partition key first."""
        return (*self.partition, *self.sort)

    @cached_property
    def written_condition(self) -> KeyConditionTemplate:
        """The key condition with placeholders, computed once for all calls."""
        placeholders, texts, tests = Placeholders(), [], []
        for test in self.tests:
            operands = [placeholders.value(None) for _ in test.operands]
            texts.append(comparison_text(placeholders.name(test.attribute), test.operator, operands))
            tests.append(ComparisonTemplate(test, test in self.sort, tuple(operands)))
        return KeyConditionTemplate(" AND ".join(texts), placeholders.names, tuple(tests))

    @property
    def queries(self) -> int | None:
        """The number of Queries; None when it depends on the arguments."""
        counts = [fan_out.count for fan_out in self.fan_outs]
        return None if None in counts else prod(count for count in counts if count is not None)

    @property
    def each_ancestor(self) -> EachAncestor | None:
        """The path whose ancestors are read, each by its key."""
        operands = (operand for test in self.tests for operand in test.operands if isinstance(operand, TextOperand))
        return next((atom for operand in operands for atom in operand.atoms if isinstance(atom, EachAncestor)), None)

    @property
    def reads_item_first(self) -> bool:
        """Whether a write reads the stored item first: for derived data, for index keys or for validation."""
        is_read_for_derived_data = self.derived_writes is not None and self.derived_writes.reads_item_first
        is_read_for_keys = any(rewrite.unknown for rewrite in self.rewrites)
        return is_read_for_derived_data or is_read_for_keys or self.validation_read is not None

    @property
    def requests(self) -> int | None:
        """The number of requests per page of the result; None when it depends on the arguments."""
        if self.hydrate:
            known = self.limit is not None and isinstance(self.limit.count, int) and self.queries is not None
            if not known or self.limit is None or not isinstance(self.limit.count, int):
                return None
            return (self.queries or 1) + -(-self.limit.count // BATCH_GET_KEYS_MAX)
        if self.operation == "BatchGetItem":
            return None
        if self.pattern.is_write:
            other_reads = (
                0 if self.derived_writes is None else self.derived_writes.reads - self.derived_writes.reads_item_first
            )
            return 1 + self.reads_item_first + other_reads
        return self.queries

    @property
    def verdict(self) -> Verdict:
        """One request, a declared fan-out, or an undeclared fan-out."""
        declared, requests = self.pattern.options.fanout, self.requests
        if requests == 1:
            return Verdict.ONE_REQUEST
        least = (
            self.queries if requests is None and self.hydrate else requests
        )  # the Queries, without the BatchGetItem requests that follow
        if least is None:  # at least one cell or bucket in every shard
            least = prod(fan_out.count for fan_out in self.fan_outs if fan_out.count is not None)
        if declared is not None and least <= declared:
            return Verdict.DECLARED_FANOUT
        by_itself = self.hydrate and self.queries == 1 and declared is None
        return Verdict.DECLARED_FANOUT if by_itself else Verdict.UNDECLARED_FANOUT

    @property
    def fanout(self) -> str:
        """The number of requests in words: exact, or the declared maximum."""
        if self.requests is not None:
            return str(self.requests)
        declared = self.pattern.options.fanout
        if self.hydrate and (self.queries is not None or declared is not None):
            queries = self.queries if self.queries is not None else f"at most {declared}"
            return f"{queries} + 1 per {BATCH_GET_KEYS_MAX} items"
        return f"at most {declared}" if declared is not None else "a number that depends on the arguments"

    @property
    def strong_possible(self) -> bool:
        """Whether strongly consistent reads are possible."""
        return self.index.kind != "GSI" and not self.hydrate

    def key_condition(self) -> str:
        """Return the key condition in DynamoDB's notation, with parameters in braces."""
        return " AND ".join(test.show() for test in self.tests)


@dataclass(frozen=True)
class OtherIndex:
    """An index that the planner did not choose for the pattern, and the reason."""

    index: str
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class UnsupportedPattern:
    """A pattern that no plan serves: the reason, and the mismatches with the best index."""

    pattern: PatternDeclaration
    reason: str
    needs_scan: bool
    entities: tuple[Entity, ...]
    mismatches: tuple[Mismatch, ...]
    other_indexes: tuple[OtherIndex, ...]

    @property
    def verdict(self) -> Verdict:
        """Always `UNSUPPORTED`."""
        return Verdict.UNSUPPORTED


Outcome = Plan | UnsupportedPattern


@dataclass(frozen=True)
class Candidate:
    """A plan on one index, with its mismatches."""

    plan: Plan
    mismatches: tuple[Mismatch, ...]

    @property
    def cost(self) -> tuple[int, ...]:
        """Rank candidates (smaller is better) by mismatches, Queries, other entities in the range and kind of index."""
        queries = self.plan.queries
        kinds: Sequence[str] = ("table", "LSI", "GSI")
        return (
            len(self.mismatches),
            10_000 if queries is None else queries,
            len(self.plan.other_entities),
            kinds.index(self.plan.index.kind),
        )
