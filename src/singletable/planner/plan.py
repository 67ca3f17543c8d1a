"""Plans: the request that serves a pattern, or the reason why no request serves it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from functools import cached_property
from math import prod
from typing import Literal, NamedTuple

from singletable.expressions.printer import Placeholders
from singletable.expressions.tree import Change, Condition, Parameter
from singletable.lazy_dataclass import dataclass
from singletable.model.collection_shape import ShapeMember
from singletable.model.entity import Entity
from singletable.model.pattern_declaration import PatternDeclaration
from singletable.model.table_schema import Index
from singletable.planner.formatting import GUESS_MARK, format_count
from singletable.planner.mismatches import Mismatch, NotProjected, misses_partition
from singletable.planner.operands import EachAncestor, FanOut, KeyComparison, TextOperand, comparison_text
from singletable.planner.trims import Trim
from singletable.planner.write_effects import DerivedWrites
from singletable.values.limits import BATCH_GET_KEYS_MAX

# If a filter, other entities or expired items hide most of the items, a small limit would cause many requests. So each
# request examines at least this many items. After each request without a match, the number doubles, up to a maximum
# that is more than one page of 1 MB can contain.
EXAMINED_MIN = 100
EXAMINED_MAX = 100_000

Operation = Literal["GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"]


class Verdict(Enum):
    """The planner's verdict on a pattern."""

    ONE_REQUEST = "one request"
    SEVERAL_PAGES = "several pages"
    UNBOUNDED = "unbounded"
    DECLARED_FANOUT = "declared fan-out"
    UNDECLARED_FANOUT = "undeclared fan-out"
    UNSUPPORTED = "not supported"

    @property
    def is_served(self) -> bool:
        """Whether requests serve the pattern, and the pattern declares its fan-out."""
        return self not in (Verdict.UNDECLARED_FANOUT, Verdict.UNSUPPORTED)


@dataclass(frozen=True)
class PageCount:
    """The pages of one Query.

    Each page is a request that reads up to 1 MB. `count` is None if the Query is unbounded.
    """

    count: int | None = 1
    items: int = 1
    """The items that the Query reads."""
    bytes: int = 0
    guesses_items: bool = False
    """Whether the number of items is a guess."""
    is_guessed: bool = False
    """Whether the number of bytes, and so the number of pages, depends on a guess, such as the size of an item."""
    one_page_limit: int | None = None
    """The highest limit with which the Query reads one page. None if it cannot have a limit."""
    unknown: tuple[str, ...] = ()
    """The entities that make the Query unbounded, because the number of their items is unknown."""

    def show(self) -> str:
        """Return the number of pages, with the guess mark: `≈3 pages`."""
        if self.count is None:
            return Verdict.UNBOUNDED.value
        return f"{GUESS_MARK if self.is_guessed else ''}{format_count(self.count, 'page')}"


@dataclass(frozen=True)
class QueryLimit:
    """The Limit of a Query: the requested limit plus the single members that the Query reads with the list."""

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
    """Whether the attribute is removed, because the item leaves the index."""


class ComparisonTemplate(NamedTuple):
    """A key comparison, whether it is on the sort key, and the placeholders of its operands."""

    test: KeyComparison
    is_sort: bool
    placeholders: tuple[str, ...]


class KeyConditionTemplate(NamedTuple):
    """A key condition expression without values. Only the values differ between calls."""

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
    order_unit: str | None = None
    """The unit of time, such as `second`, to which the order is exact. None if the order is exact."""
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
    takes_limit: bool = True
    """Whether a limit would stop the read, if the pattern declared one."""
    trims: tuple[tuple[Trim, ...], ...] = ()
    """The predicates of each entity that the client checks because the key contains only a unit of the time."""
    pages: PageCount = PageCount()
    """The pages of each Query. A write, and a read without a Query, count as one page."""
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
        """The number of Queries. None if it depends on the arguments."""
        counts = [fan_out.count for fan_out in self.fan_outs]
        return None if None in counts else prod(count for count in counts if count is not None)

    @property
    def each_ancestor(self) -> EachAncestor | None:
        """The path parameter of a plan that reads each ancestor of a path by its key."""
        operands = (operand for test in self.tests for operand in test.operands if isinstance(operand, TextOperand))
        return next((atom for operand in operands for atom in operand.atoms if isinstance(atom, EachAncestor)), None)

    @property
    def reads_item_first(self) -> bool:
        """Whether a write reads the stored item first, for derived data, for index keys or for validation."""
        is_read_for_derived_data = self.derived_writes is not None and self.derived_writes.reads_item_first
        is_read_for_keys = any(rewrite.unknown for rewrite in self.rewrites)
        return is_read_for_derived_data or is_read_for_keys or self.validation_read is not None

    @property
    def requests(self) -> int | None:
        """The number of requests per page of the result. None if it depends on the arguments."""
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
    def requests_of_call(self) -> int | None:
        """The estimated number of requests of one call, including all pages and fetched items.

        None if it is unbounded.
        """
        if self.pages.count is None:
            return None
        declared = self.pattern.options.fanout or 1
        if self.operation == "BatchGetItem":
            return -(-declared // BATCH_GET_KEYS_MAX)
        queries = self.requests if self.pattern.is_write else self.queries
        count = (queries or declared) * self.pages.count
        fetched = self.pages.items * (self.queries or 1) if self.hydrate else 0
        return count + -(-fetched // BATCH_GET_KEYS_MAX)

    @property
    def is_within_max_requests(self) -> bool:
        """Whether a call needs at most as many requests as `max_requests=` declares. True if it declares no number."""
        declared, needed = self.pattern.options.max_requests, self.requests_of_call
        return declared is None or (needed is not None and needed <= declared)

    @property
    def is_as_declared(self) -> bool:
        """Whether a call is one request, or as many as the pattern declares with `fanout=` and `max_requests=`."""
        if not self.is_within_max_requests:
            return False
        is_declared = self.pattern.options.max_requests is not None and self.verdict is Verdict.SEVERAL_PAGES
        return is_declared or self.verdict in (Verdict.ONE_REQUEST, Verdict.DECLARED_FANOUT)

    @property
    def verdict(self) -> Verdict:
        """The verdict on the whole result: one request, several pages, unbounded, or a fan-out."""
        fan_out = self._fan_out_verdict()
        if fan_out is Verdict.UNDECLARED_FANOUT or self.pages.count == 1:
            return fan_out
        return Verdict.UNBOUNDED if self.pages.count is None else Verdict.SEVERAL_PAGES

    def _fan_out_verdict(self) -> Verdict:
        """Return the verdict on the requests per page of the result."""
        declared, requests = self.pattern.options.fanout, self.requests
        if requests == 1:
            return Verdict.ONE_REQUEST
        least = (
            self.queries if requests is None and self.hydrate else requests
        )  # counts the Queries without the BatchGetItem requests after them
        if least is None:  # every shard needs at least one Query, for a cell or a bucket
            least = prod(fan_out.count for fan_out in self.fan_outs if fan_out.count is not None)
        if declared is not None and least <= declared:
            return Verdict.DECLARED_FANOUT
        by_itself = self.hydrate and self.queries == 1 and declared is None
        return Verdict.DECLARED_FANOUT if by_itself else Verdict.UNDECLARED_FANOUT

    @property
    def fanout(self) -> str:
        """The number of requests as text: exact, or the declared maximum."""
        if self.requests is not None:
            return str(self.requests)
        declared = self.pattern.options.fanout
        if self.hydrate and (self.queries is not None or declared is not None):
            queries = self.queries if self.queries is not None else f"at most {declared}"
            return f"{queries} + 1 per {BATCH_GET_KEYS_MAX} items"
        return f"at most {declared}" if declared is not None else "a number that depends on the arguments"

    def verdict_text(self) -> str:
        """Return the verdict with its numbers: `≈3 pages`, `declared fan-out of 8, 3 pages each`."""
        fan_out = self._fan_out_verdict()
        text = fan_out.value if fan_out is Verdict.ONE_REQUEST else f"{fan_out.value} of {self.fanout}"
        if self.verdict is fan_out:
            return text
        pages = self.pages.show()
        if fan_out is Verdict.ONE_REQUEST:
            return pages
        return f"{text}, {pages} each" if self.pages.count is not None else f"{text}, {pages}"

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
    """A pattern that no plan serves: the nearest index with its mismatches, the reason, and the other indexes."""

    pattern: PatternDeclaration
    reason: str
    needs_scan: bool
    entities: tuple[Entity, ...]
    mismatches: tuple[Mismatch, ...]
    other_indexes: tuple[OtherIndex, ...]
    nearest: Index | None = None
    """The index to which the mismatches apply. None if no index contains the entities."""

    @property
    def verdict(self) -> Verdict:
        """Always `UNSUPPORTED`."""
        return Verdict.UNSUPPORTED

    @property
    def is_as_declared(self) -> bool:
        """Always False: no request serves the pattern."""
        return False

    def verdict_text(self) -> str:
        """Return the verdict."""
        return self.verdict.value


Outcome = Plan | UnsupportedPattern


@dataclass(frozen=True)
class Candidate:
    """A plan on one index, with its mismatches."""

    plan: Plan
    mismatches: tuple[Mismatch, ...]

    @property
    def cost(self) -> tuple[int, ...]:
        """Return the rank of the candidate; the lowest rank is best.

        The rank depends on the partition key, mismatches, missing fields, Queries, other entities and the index. An
        index whose partition key the pattern provides comes first, even if it has more mismatches than others.
        """
        queries = self.plan.queries
        kinds: Sequence[str] = ("table", "LSI", "GSI")
        return (
            sum(misses_partition(mismatch) for mismatch in self.mismatches),
            len(self.mismatches),
            sum(len(each.fields) for each in self.mismatches if isinstance(each, NotProjected)),
            10_000 if queries is None else queries,
            len(self.plan.other_entities),
            kinds.index(self.plan.index.kind),
        )
