"""SELECT: a page of what it selects, be it one item, ranges of partitions, or everything that passes its condition."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Raw

from singletable.engine.asked import WHOLE, Check, Projected, refuse_parts_of_keys
from singletable.engine.capacity import Consumed, add
from singletable.engine.page import Reading
from singletable.engine.page_request import (
    STARTING_KEY,
    Source,
    Wanted,
    check_start_key,
    consumed_by,
    read_wanted,
    start_position,
)
from singletable.engine.partiql.access import Access, Read, access_of
from singletable.engine.partiql.next_token import Continuation, invalid_token
from singletable.engine.table import Item, OpenTable, decode_item
from singletable.errors import RequestRefused, invalid
from singletable.expressions.evaluate import compiled
from singletable.expressions.tree import Condition, paths
from singletable.partiql.columns import Columns
from singletable.partiql.statements import Select
from singletable.values.accept import accept_item
from singletable.values.capacity_units import CONSISTENT, EVENTUAL
from singletable.values.limits import PAGE_BYTES_MAX

if TYPE_CHECKING:
    from singletable.engine.engine import Engine

# The developer guide, on IN: results come in pages of up to ten items.
SEVERAL_READS_ITEMS_MAX = 10


class Selected(NamedTuple):
    """A page of items, where it stopped if there may be more, and what it consumed."""

    items: list[Raw]
    stopped_at: Continuation | None
    units: Consumed


class PlannedSelect(NamedTuple):
    """Where a SELECT reads, how, and what of each item it returns."""

    source: Source
    access: Access
    projection: Projected
    fetches: bool
    values: Mapping[str, Any]


def planned_select(
    table: OpenTable, select: Select, values: Mapping[str, Any], *, is_consistent: bool = False
) -> PlannedSelect:
    """Decides how a SELECT is read; refuses what the table or the index cannot answer."""
    source = _source(table, select.source.index, is_consistent=is_consistent)
    projection = WHOLE if select.columns is None else Projected(Columns(select.columns))
    if select.where is not None:
        refuse_parts_of_keys(_looked_into(select.where), table)
    refuse_parts_of_keys(projection.nested_attributes, table)
    access = access_of(source, select.where, select.order, values)
    return PlannedSelect(source, access, projection, _fetches(source, select), values)


def run_select(
    engine: Engine, plan: PlannedSelect, start: Continuation | None, limit: int | None, *, is_consistent: bool
) -> Selected:
    """Reads one page, from where the last one stopped."""
    source, reads = plan.source, plan.access.reads
    first, position = (0, b"") if start is None else (start.read, _position(plan, start))
    if len(reads) > 1:
        limit = min(limit or SEVERAL_READS_ITEMS_MAX, SEVERAL_READS_ITEMS_MAX)
    factor = CONSISTENT if is_consistent else EVENTUAL
    units: dict[str, Consumed] = {source.table.name: Consumed()}
    items: list[Raw] = []
    scanned = read_bytes = 0
    stopped_at: Continuation | None = None
    with engine.store.snapshot() if plan.fetches or len(reads) > 1 else engine.store.reading() as connection:
        for number in range(first, len(reads)):
            left = None if limit is None or plan.access.kind == "GetItem" else limit - scanned
            reading = _reading(plan, reads[number], position if number == first else b"", left)
            page, fetched = read_wanted(connection, source, reading, _wanted(plan, reads[number]))
            consumed = consumed_by(source, page, fetched, factor)
            if source.table.traffic is not None:
                # Which partition it is, the condition does not say in one place, so no key is counted for it.
                source.table.traffic.read_page(source.index, consumed, reading.keys.low, None)
            add(units, source.table.name, consumed)
            items += page.items
            scanned += 1 if plan.access.kind == "GetItem" else page.scanned
            read_bytes += page.read_bytes
            is_last = number + 1 == len(reads)
            if page.stopped_at is not None:
                stopped_at = Continuation(number, _key(source, decode_item(page.stopped_at)))
                break
            if not is_last and ((limit is not None and scanned >= limit) or read_bytes >= PAGE_BYTES_MAX):
                stopped_at = Continuation(number + 1, {})
                break
    return Selected(items, stopped_at, units[source.table.name])


def _source(table: OpenTable, name: str | None, *, is_consistent: bool) -> Source:
    """What is read, refused in other words than a Query's (captured)."""
    if name is None:
        return Source(table, None)
    index = table.index(name)
    if index is None:
        raise invalid("The table does not have the specified index")
    if not index.definition.is_local:
        if is_consistent:
            raise invalid("Strongly consistent read is not supported on Global Secondary Indexes")
        if index.definition.status == "CREATING":
            raise invalid(f"Cannot read from backfilling global secondary index: {index.name}")
    return Source(table, index)


def _fetches(source: Source, select: Select) -> bool:
    """Whether columns are fetched from the table, which a global index does not do."""
    index = source.index
    if index is None or select.columns is None:
        return False
    lacking = list(dict.fromkeys(path.attribute for path in select.columns if not index.holds(path.attribute)))
    if lacking and not index.definition.is_local:
        raise invalid(
            "One or more parameter values were invalid: "
            f"Global secondary index {index.name} does not project [{', '.join(lacking)}]"
        )
    return bool(lacking)


def _looked_into(where: Condition) -> frozenset[str]:
    return frozenset(path.attribute for path in paths(where) if len(path.steps) > 1)


def _wanted(plan: PlannedSelect, read: Read) -> Wanted:
    keep: Check | None = None
    if read.filter is not None:
        test, values = compiled(read.filter), plan.values
        keep = lambda item: test(item, values)  # noqa: E731  # a test with its values, as the page wants it
    return Wanted(keep, plan.projection, False, plan.fetches)


def _reading(plan: PlannedSelect, read: Read, position: bytes, limit: int | None) -> Reading:
    keys, descending = read.keys, plan.access.descending
    if position:
        keys = keys.before(position) if descending else keys.after(position)
    return Reading(plan.source.tree, keys, descending, limit)


def _key(source: Source, item: Item) -> Item:
    return {name: item[name] for name in source.key_names}


def _position(plan: PlannedSelect, start: Continuation) -> bytes:
    """The stored key of a position, which lies in the read that it is one of; none at the beginning of a read."""
    if not 0 <= start.read < len(plan.access.reads):
        raise invalid_token()
    if not start.key:
        return b""
    source = plan.source
    try:
        accept_item(start.key)
        check_start_key(source, start.key, source.key_attributes, STARTING_KEY)
        position = start_position(source, start.key)
    except RequestRefused:
        raise invalid_token() from None
    if not plan.access.reads[start.read].keys.holds(position):
        raise invalid_token()
    return position
