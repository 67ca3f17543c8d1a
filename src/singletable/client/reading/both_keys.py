"""Ranges of both keys: the Queries of a read while a migration moves items, merged in the order of the new keys.

The ranges are read in windows: first the old range, then the new one, both with strong consistency. An item that moves
meanwhile leaves the range that was read first, so a window contains every item at least once. The merge removes second
copies. While an undo moves items back, a window reads the old range once more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from singletable.client.reading.query_execution import MergedQueries, Position
from singletable.client.reading.table_reader import ReadOptions, TableReader
from singletable.client.reading.unreadable_items import UnreadableItems
from singletable.client.request_steps import Steps
from singletable.client.responses import Item, read_page
from singletable.client.write.item_actions import KeyId, key_id
from singletable.errors import CursorRefused, TableDiffers
from singletable.evolve.moved_entities import MovedEntity
from singletable.lazy_dataclass import dataclass, replace
from singletable.model.intents import AncestorsIntent, CollectionIntent, FeedIntent, QueryIntent
from singletable.model.key_template import LiteralText
from singletable.model.keys import KeyPart, TemplatePart
from singletable.planner.plan import EXAMINED_MAX, EXAMINED_MIN, Plan, UnsupportedPattern
from singletable.planner.planned_requests import Request, read_requests
from singletable.planner.planner import plan as plan_pattern

if TYPE_CHECKING:
    from singletable.client.connected_table import ConnectedTable
    from singletable.model.pattern_declaration import PatternDeclaration

Arguments = Mapping[str, Any]


def without_fanout(pattern: PatternDeclaration) -> PatternDeclaration:
    """Return a pattern that may send any number of Queries: the old design can have more shards than the new one."""
    return replace(pattern, options=replace(pattern.options, fanout=None))


@dataclass
class RangesOfBothKeys:
    """Decides which reads need the ranges of both the old and the new keys, and plans the reads of the old ranges."""

    old: TableReader
    """The reader of the design with the old keys."""
    moved: tuple[MovedEntity, ...]
    is_returning: bool
    """Whether an undo moves items back."""
    _plans: dict[tuple[str, type | None], Plan | str] = field(init=False, default_factory=dict)
    _forms: dict[str, str | None] = field(init=False, default_factory=dict)

    def merges(self, plan: Plan) -> bool:
        """Return whether a plan reads a range of keys that items leave or enter."""
        classes = {each.new.cls for each in self.moved}
        is_index = plan.index.kind == "GSI" and not plan.index.is_inverse
        return plan.operation == "Query" and not is_index and any(each.cls in classes for each in plan.entities)

    def problem_of(self, plan: Plan) -> str | None:
        """Return why a pattern cannot be called while items move, or None."""
        if plan.operation != "Query" or not self.merges(plan):
            return None
        if not plan.index.is_table:
            return f"the keys of {plan.index.display_name} contain the key of the table, which changes"
        if not isinstance(plan.pattern.intent, QueryIntent | FeedIntent | CollectionIntent | AncestorsIntent):
            return "it reads a range of the keys that change"
        if not plan.index.sort:
            return "the table has no sort key"
        found = self._old_plan(plan)
        return found if isinstance(found, str) else None

    def old_plan(self, plan: Plan) -> Plan:
        """Return the plan of the same read in the old design."""
        found = self._old_plan(plan)
        assert isinstance(found, Plan), "the caller has checked the pattern"
        return found

    def _old_plan(self, plan: Plan) -> Plan | str:
        key = (plan.pattern.name, plan.view)
        if key not in self._plans:
            made = plan_pattern(self.old.design, without_fanout(plan.pattern))
            if isinstance(made, UnsupportedPattern):
                self._plans[key] = f"no request of the old design serves it ({made.reason})"
            elif made.operation != "Query" or not made.index.is_table:
                self._plans[key] = "the old design reads it from another index"
            else:
                self._plans[key] = replace(made, view=plan.view)
        return self._plans[key]

    def old_form(self, plan: Plan) -> str | None:
        """Return the `key_form` of the same read in the old design, or None if the old design has no plan for it."""
        if plan.pattern.name not in self._forms:
            found = plan_pattern(self.old.design, without_fanout(plan.pattern))
            form = None if isinstance(found, UnsupportedPattern) else self.old.key_form(found)
            self._forms[plan.pattern.name] = form
        return self._forms[plan.pattern.name]

    @cached_property
    def _by_class(self) -> Mapping[type, MovedEntity]:
        return {each.new.cls: each for each in self.moved}

    def new_key(self, key: Item) -> Item:
        """Return the new key of an item, given the key under which it is stored."""
        for each in self.moved:
            found = each.keys_of(key)
            if found is not None:
                return found[1]
        return key

    def is_in_order(self, plan: Plan) -> bool:
        """Return whether the old range has the order of the new one, so that both can be read in windows."""
        old = {each.cls: each for each in self.old_plan(plan).entities}
        pairs = [(old[each.cls], each) for each in plan.entities]
        if all(one.base.sort == other.base.sort for one, other in pairs):
            return True
        ((one, other), *others) = pairs
        return not others and [*map(_without_start, one.base.sort)] == [*map(_without_start, other.base.sort)]

    def old_sort(self, plan: Plan, key: Item) -> dict[str, Any]:
        """Return the sort key that the item with this new key has in the old range."""
        entity = plan.entities[0]
        moved = self._by_class.get(entity.cls)
        names = [each.name for each in plan.index.sort]
        if moved is None or moved.old.base.sort == moved.new.base.sort:
            return {name: key[name] for name in names}
        values: dict[str, Any] = {}
        for part in moved.new.base.parts:
            values |= part.decode(key[part.attribute]["S"])
        found = moved.old.base.encode(values, moved.old.base.sort) or {}
        return {name: {"S": found[name]} for name in names}


def reject_while_items_move(opened: ConnectedTable, name: str) -> None:
    """Raise TableDiffers if a migration moves items, because a call reads the partition of only one key."""
    if opened.reader.both_keys is not None:
        raise TableDiffers(
            f"table {opened.reader.name!r}: {name} cannot be called yet: a migration moves items between two keys.\n"
            "  It works from the phase 'switch' on; `singletable migrate status` shows the progress."
        )


def _without_start(part: KeyPart) -> object:
    """Return what decides the order of the values of a key attribute: its template without the literal text before it.

    Text after a field counts: `{sku}` and `{sku}|` have different orders.
    """
    if not isinstance(part, TemplatePart):
        return part
    first, *others = part.template.parts
    return others if isinstance(first, LiteralText) else [first, *others]


def queries_of(
    reader: TableReader,
    plan: Plan,
    arguments: Arguments,
    requests: Sequence[Request],
    positions: Sequence[Position],
    options: ReadOptions,
    *,
    backwards: bool = False,
    unreadable: UnreadableItems | None = None,
) -> MergedQueries:
    """Return the Queries of a read: those of the plan, or those of both keys while a migration moves the items."""
    if reader.both_keys is None or not reader.both_keys.merges(plan):
        return MergedQueries(reader, plan, requests, positions, options, backwards=backwards, unreadable=unreadable)
    return MergedRanges(reader, plan, arguments, requests, positions, options, backwards, unreadable)


def position_count(reader: TableReader, plan: Plan, requests: Sequence[Request]) -> int:
    """Return the number of positions in a cursor of a read."""
    has_mark = reader.both_keys is not None and reader.both_keys.merges(plan) and len(requests) > 1
    return len(requests) + has_mark


def accepted_forms(reader: TableReader, plan: Plan) -> frozenset[str]:
    """Return the forms of keys in the cursors that a read accepts: both, while a migration moves the items."""
    own, both = reader.key_form(plan), reader.both_keys
    old = None if both is None else both.old_form(plan)
    return frozenset((own,)) if old is None else frozenset((own, old))


@dataclass
class _Range:
    """The Queries with the old keys of a read, or those with the new keys."""

    reader: TableReader
    plan: Plan
    requests: Sequence[Request]
    options: ReadOptions
    is_old: bool


@dataclass
class _Found:
    """One item of a window: its order, the number of its Query in the new range, its new key and its attributes."""

    order: bytes
    query: int
    key: Item
    item: Item


class MergedRanges(MergedQueries):
    """The Queries with the old keys and those with the new keys, merged by the new sort key."""

    def __init__(
        self,
        reader: TableReader,
        plan: Plan,
        arguments: Arguments,
        requests: Sequence[Request],
        positions: Sequence[Position],
        options: ReadOptions,
        backwards: bool,
        unreadable: UnreadableItems | None,
    ) -> None:
        if len(positions) > len(requests) and positions[-1] is not False:
            raise _issued_before(plan)
        positions = positions[: len(requests)]
        super().__init__(reader, plan, requests, positions, options, backwards=backwards, unreadable=unreadable)
        assert reader.both_keys is not None, "the caller has checked the reader"
        self._both = both = reader.both_keys
        old_plan = both.old_plan(plan)
        old_requests = read_requests(both.old.design, old_plan, arguments)
        old_options = replace(options, trims=None).trimming(old_plan, arguments)
        old = _Range(both.old, old_plan, old_requests, old_options, True)
        new = _Range(reader, plan, requests, options, False)
        self._ranges = (old, new, old) if both.is_returning else (old, new)
        self._in_order = both.is_in_order(plan)
        self._partition, self._sort = plan.index.partition[0].name, plan.index.sort[0].name
        self._partitions = [_partition_of(each, plan) for each in requests]
        self._after: list[Position] = [self._known(each, n) for n, each in enumerate(positions)]
        """The position of each new Query; the items up to it were returned."""
        self._window: list[_Found] = []
        self._is_finished = all(each is True for each in self._after)
        self._start: list[Position] | None = None

    def _known(self, position: Position, number: int) -> Position:
        """Return a position as a new key. A cursor of the phase `pending` contains the old key of an item."""
        if not isinstance(position, dict):
            return position
        is_single = len(self._partitions) == 1  # other cursors contain new keys, and the partitions of their Queries
        key = self._both.new_key(position) if is_single else position
        if key.keys() != {self._partition, self._sort} or key[self._partition] != self._partitions[number]:
            raise _issued_before(self._plan)
        return key

    def take(self, count: int | None) -> Steps[list[Item]]:
        """Return the next `count` items in order. Without a count, return the items of the next window."""
        taken: list[Item] = []
        while count is None or len(taken) < count:
            if not self._window:
                if self._is_finished:
                    break
                yield from self._read_window(None if count is None else count - len(taken) + 1)
                continue
            given = self._window if count is None else self._window[: count - len(taken)]
            taken += [each.item for each in given]
            self._advance(given)
            self._window = self._window[len(given) :]
            if not self._window:  # the window contained all items up to its last one
                for number, known in enumerate(self._after):
                    self._after[number] = known if known is True else self._at(number, given[-1].key)
            if count is None:
                break
        return taken

    def look_ahead(self) -> Steps[None]:
        """Read until an item is available or both ranges have ended."""
        while not self._window and not self._is_finished:
            yield from self._read_window(1)

    def _advance(self, given: Sequence[_Found]) -> None:
        """Move the positions behind some items. Items with an equal sort key follow the order of the Queries."""
        last = given[-1]
        before = next((each for each in reversed(given) if each.order != last.order), None)
        for number in range(len(self._after)):
            is_behind = number >= last.query if self._backwards else number <= last.query
            known = last if is_behind else before
            if known is not None and self._after[number] is not True:
                self._after[number] = self._at(number, known.key)

    def _at(self, number: int, key: Item) -> Item:
        return {self._partition: self._partitions[number], self._sort: key[self._sort]}

    def _read_window(self, limit: int | None) -> Steps[None]:
        """Read both ranges from the current positions, up to the position that every Query has reached."""
        if self.unreadable is not None:
            self.unreadable.responses = []
        found: dict[KeyId, _Found] = {}
        ends: list[_Found] = []
        for each in self._ranges:
            for number in range(len(each.requests)):
                items, is_over = yield from self._read_range(each, number, limit)
                for one in items:
                    found[key_id(one.key)] = one
                if not is_over:
                    ends.append(items[-1])
        in_order = sorted(found.values(), key=self._rank)
        self._window, self._is_finished = in_order, not ends
        if ends:
            end = min(ends, key=self._distance)
            self._window = [each for each in in_order if self._distance(each) <= self._distance(end)]
        self._window = [each for each in self._window if not self._was_returned(each)]
        if self._start is None and (self._window or self._is_finished):
            self._start = self._first_positions(None if not ends else min(ends, key=self._distance))
        if ends and not self._window:
            # All items up to the end of the window were returned, so the next window starts there.
            for number in range(len(self._after)):
                self._after[number] = self._at(number, min(ends, key=self._distance).key)

    def _first_positions(self, end: _Found | None) -> list[Position]:
        positions: list[Position] = []
        for number in range(len(self._after)):
            first = next((each for each in self._window if each.query == number), end)
            positions.append(None if first is None else self._at(number, first.key))
        return positions

    def _distance(self, found: _Found) -> Any:
        return _InOrder(found.order, self._forward)

    def _rank(self, found: _Found) -> Any:
        return self._distance(found), -found.query if self._backwards else found.query

    def _was_returned(self, found: _Found) -> bool:
        position = self._after[found.query]
        if not isinstance(position, dict):
            return position is True
        return not _InOrder(_bytes(position[self._sort]), self._forward) < self._distance(found)

    def _read_range(self, given: _Range, number: int, limit: int | None) -> Steps[tuple[list[_Found], bool]]:
        """Return items of one Query, and whether they are all. Without an order, read the whole Query."""
        call = given.reader.call(given.requests[number], given.plan, replace(given.options, consistent=True))
        parameters = call.parameters
        parameters.pop("Limit", None)
        parameters.pop("ScanIndexForward", None)
        if not self._forward:
            parameters["ScanIndexForward"] = False
        start = self._start_of(given, number)
        if start is True:
            return [], True
        if isinstance(start, dict):
            parameters["ExclusiveStartKey"] = start
        examined = None if limit is None else max(limit, EXAMINED_MIN if given.plan.filter is not None else 0)
        found: list[_Found] = []
        while True:
            if examined is not None and self._in_order:
                parameters["Limit"] = examined
                examined = min(2 * max(examined, EXAMINED_MIN), EXAMINED_MAX)
            (body,) = yield (call._replace(parameters=dict(parameters)),)
            page = read_page(body)
            given.reader.count_capacity(given.plan, page.consumed_capacity)
            if self.unreadable is not None:
                self.unreadable.responses.append(body)
            matching = given.reader.matching(page.items, given.plan, given.options)
            found += [each for item in matching if (each := self._found(item)) is not None]
            if page.last_evaluated_key is None:
                return found, True
            if found and self._in_order:
                return found, False
            parameters["ExclusiveStartKey"] = page.last_evaluated_key

    def _found(self, item: Item) -> _Found | None:
        names = self._reader.design.table.key_attributes
        key = self._both.new_key({name: item[name] for name in names})
        if key[self._partition] not in self._partitions:
            return None
        query = self._partitions.index(key[self._partition])
        return _Found(_bytes(key[self._sort]), query, key, {**item, **key})

    def _start_of(self, given: _Range, number: int) -> Position:
        """Return the position after which a Query must read."""
        if not self._in_order:
            return None
        if not given.is_old:
            return self._after[number]
        if any(each is None for each in self._after):
            return None
        known = [each for each in self._after if isinstance(each, dict)]
        if not known:
            return True
        first = min(known, key=lambda each: _InOrder(_bytes(each[self._sort]), self._forward))
        partition = _partition_of(given.requests[number], given.plan)
        return {self._partition: partition, **self._both.old_sort(self._plan, first)}

    @property
    def reversed_positions(self) -> list[Position]:
        """The positions from which the Queries read in the other direction, starting at the first returned item."""
        assert self._start is not None, "`take` must be called first"
        return self._start + self._mark

    @property
    def positions(self) -> list[Position] | None:
        """The current position of each new Query; None if both ranges have ended."""
        return None if self._is_finished and not self._window else self._after + self._mark

    @property
    def _mark(self) -> list[Position]:
        """One more position, which distinguishes the cursors of several Queries from those of other phases."""
        return [False] if len(self._after) > 1 else []


def _issued_before(plan: Plan) -> CursorRefused:
    return CursorRefused(
        f"{plan.pattern.name}: a migration moves the items, and the cursor was issued before; request the first page "
        "again"
    )


def _partition_of(request: Request, plan: Plan) -> dict[str, Any]:
    """Return the partition key that a Query reads."""
    (test, *_) = plan.written_condition.tests
    value: dict[str, Any] = request.parameters["ExpressionAttributeValues"][test.placeholders[0]]
    return value


def _bytes(value: Mapping[str, Any]) -> bytes:
    text: str = value["S"]
    return text.encode()


class _InOrder:
    """A sort key that compares in the order of the read: a smaller one is read earlier."""

    __slots__ = ("_forward", "_text")

    def __init__(self, text: bytes, forward: bool) -> None:
        self._text, self._forward = text, forward

    def __lt__(self, other: _InOrder) -> bool:
        return self._text < other._text if self._forward else other._text < self._text

    def __le__(self, other: _InOrder) -> bool:
        return not other < self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _InOrder) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)
