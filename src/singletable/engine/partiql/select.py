"""Plans SELECT statements, and reads a page of items. In batches and transactions, reads one item by its key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Raw

from singletable.engine.items.consumed_capacity import ConsumedUnits, add_units, units_of_page
from singletable.engine.items.item_keys import exact_key
from singletable.engine.items.page_reader import PageRange, PageSelection, PageSource, read_selected
from singletable.engine.items.page_selection import STARTING_KEY, check_start_key, start_position
from singletable.engine.items.request_expressions import WHOLE, ItemPredicate, ItemProjection, reject_nested_keys
from singletable.engine.partiql.bound_statement import BoundStatement, value_of
from singletable.engine.partiql.select_access import RangeRead, SelectAccess, plan_access
from singletable.engine.partiql.where_clause import branches_of, key_test
from singletable.engine.signed_tokens import Continuation, invalid_token
from singletable.engine.tables.stored_table import Item, StoredTable, decode_item
from singletable.errors import RequestRefused, invalid
from singletable.expressions.evaluate import compile_condition
from singletable.expressions.tree import Condition, paths
from singletable.partiql.statements import Columns, SelectStatement
from singletable.values.attribute_value import equal
from singletable.values.item_size import CONSISTENT, EVENTUAL
from singletable.values.item_validation import accept_item
from singletable.values.limits import PAGE_BYTES_MAX

if TYPE_CHECKING:
    from singletable.engine.engine import Engine

# According to DynamoDB's developer guide, a SELECT with IN returns pages of up to ten items.
SEVERAL_READS_ITEMS_MAX = 10


class Selected(NamedTuple):
    """A page of items, the position of the next page if there may be one, and the consumed units."""

    items: list[Raw]
    stopped_at: Continuation | None
    units: ConsumedUnits


class PlannedSelect(NamedTuple):
    """The plan of a SELECT: the table or index, the access path and the returned attributes."""

    source: PageSource
    access: SelectAccess
    projection: ItemProjection
    fetches: bool
    values: Mapping[str, Any]


def planned_select(
    table: StoredTable, select: SelectStatement, values: Mapping[str, Any], *, is_consistent: bool = False
) -> PlannedSelect:
    """Plan a SELECT. Raise an error if the table or index cannot execute it."""
    source = _source(table, select.source.index, is_consistent=is_consistent)
    projection = WHOLE if select.columns is None else ItemProjection(Columns(select.columns))
    if select.where is not None:
        reject_nested_keys(_nested_attributes(select.where), table)
    reject_nested_keys(projection.nested_attributes, table)
    access = plan_access(source, select.where, select.order, values)
    return PlannedSelect(source, access, projection, _fetches(source, select), values)


def run_select(
    engine: Engine, plan: PlannedSelect, start: Continuation | None, limit: int | None, *, is_consistent: bool
) -> Selected:
    """Read one page, starting where the previous page ended."""
    source, reads = plan.source, plan.access.reads
    first, position = (0, b"") if start is None else (start.read, _position(plan, start))
    if len(reads) > 1:
        limit = min(limit or SEVERAL_READS_ITEMS_MAX, SEVERAL_READS_ITEMS_MAX)
    factor = CONSISTENT if is_consistent else EVENTUAL
    units: dict[str, ConsumedUnits] = {source.table.name: ConsumedUnits()}
    items: list[Raw] = []
    scanned = read_bytes = 0
    stopped_at: Continuation | None = None
    with engine.store.snapshot() if plan.fetches or len(reads) > 1 else engine.store.reading() as connection:
        for number in range(first, len(reads)):
            left = None if limit is None or plan.access.kind == "GetItem" else limit - scanned
            page_range = _page_range(plan, reads[number], position if number == first else b"", left)
            page, fetched = read_selected(connection, source, page_range, _selection(plan, reads[number]))
            consumed = units_of_page(source.index, page.read_bytes, fetched, factor)
            if source.table.traffic is not None:
                # Contributor Insights counts no key here, because a SELECT can read more than one partition.
                source.table.traffic.read_page(source.index, consumed, page_range.keys.low, None)
            add_units(units, source.table.name, consumed)
            items += page.items
            scanned += 1 if plan.access.kind == "GetItem" else page.scanned
            read_bytes += page.read_bytes
            is_last = number + 1 == len(reads)
            if page.last_item is not None:
                stopped_at = Continuation(number, _key(source, decode_item(page.last_item)))
                break
            if not is_last and ((limit is not None and scanned >= limit) or read_bytes >= PAGE_BYTES_MAX):
                stopped_at = Continuation(number + 1, {})
                break
    return Selected(items, stopped_at, units[source.table.name])


def _source(table: StoredTable, name: str | None, *, is_consistent: bool) -> PageSource:
    """Return the table or index to read. The error messages differ from those of a Query (captured from AWS)."""
    if name is None:
        return PageSource(table, None)
    index = table.index(name)
    if index is None:
        raise invalid("The table does not have the specified index")
    if not index.definition.is_local:
        if is_consistent:
            raise invalid("Strongly consistent read is not supported on Global Secondary Indexes")
        if index.definition.status == "CREATING":
            raise invalid(f"Cannot read from backfilling global secondary index: {index.name}")
    return PageSource(table, index)


def _fetches(source: PageSource, select: SelectStatement) -> bool:
    """Return whether a read of a local index must fetch columns from the table.

    Raise an error for a global index that does not project a selected column.
    """
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


def _nested_attributes(where: Condition) -> frozenset[str]:
    return frozenset(path.attribute for path in paths(where) if len(path.steps) > 1)


def _selection(plan: PlannedSelect, read: RangeRead) -> PageSelection:
    predicate: ItemPredicate | None = None
    if read.filter is not None:
        test, values = compile_condition(read.filter), plan.values
        predicate = lambda item: test(item, values)  # noqa: E731  # binds the values of the statement
    return PageSelection(predicate, plan.projection, False, plan.fetches)


def _page_range(plan: PlannedSelect, read: RangeRead, position: bytes, limit: int | None) -> PageRange:
    keys, descending = read.keys, plan.access.descending
    if position:
        keys = keys.before(position) if descending else keys.after(position)
    return PageRange(plan.source.tree, keys, descending, limit)


def _key(source: PageSource, item: Item) -> Item:
    return {name: item[name] for name in source.key_names}


def _position(plan: PlannedSelect, start: Continuation) -> bytes:
    """Return the stored key of a position, which is empty at the start of a read.

    Raise an error if the key is outside the range of the read.
    """
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


def planned_get(
    table: StoredTable, bound: BoundStatement, select: SelectStatement, key_needed: str
) -> tuple[bytes, ItemProjection]:
    """Return the stored key and the projection of a SELECT. Raise `key_needed` unless it selects exactly one key."""
    key = selected_key(table, bound, select, key_needed)
    return exact_key(table, key), selected_columns(table, select)


def selected_key(table: StoredTable, bound: BoundStatement, select: SelectStatement, key_needed: str) -> Item:
    """Return the key that a SELECT selects. Raise an error unless its condition is exactly one complete key."""
    if select.source.index is not None:
        raise invalid(key_needed)
    branch = _only_branch(table, select.where, key_needed)
    key: Item = {}
    for condition in branch:
        test = key_test(condition, table.key_names)
        if test is None or test.operator != "=":
            raise invalid(key_needed)
        value = value_of(test.operands[0], bound.values)
        if not equal(key.setdefault(test.attribute, value), value):
            raise invalid(key_needed)
    if len(key) < len(table.key_names):
        raise invalid(key_needed)
    return key


def selected_columns(table: StoredTable, select: SelectStatement) -> ItemProjection:
    """Return the projection of a SELECT."""
    projection = WHOLE if select.columns is None else ItemProjection(Columns(select.columns))
    reject_nested_keys(projection.nested_attributes, table)
    return projection


def _only_branch(table: StoredTable, where: Condition | None, key_needed: str) -> tuple[Condition, ...]:
    names = table.key_names
    branches = None if where is None else branches_of(where, names[:1], names)
    if branches is None or len(branches) > 1:
        raise invalid(key_needed)
    return branches[0]
