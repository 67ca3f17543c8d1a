"""What Query and Scan have in common: where they read, from which item on, and what of each item they return."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET, Raw

from singletable.engine.asked import WHOLE, Check, Projected
from singletable.engine.capacity import Consumed, told
from singletable.engine.definition import KeyAttribute
from singletable.engine.keys import exact_key, stored_key
from singletable.engine.page import Page, Reading, read_page, read_page_through
from singletable.engine.storage.tree import Tree
from singletable.engine.table import PUT_WORDS, Item, KeyOrder, OpenIndex, OpenTable, decode_item
from singletable.errors import RequestRefused, invalid
from singletable.values.accept import accept_item
from singletable.values.capacity_units import CONSISTENT, EVENTUAL, read_units
from singletable.wire.pages import PageRequest, PageResult

STARTING_KEY = "The provided starting key is invalid"
NO_SPECIFIC = "Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES"

# The service tells these about a starting key as about any other value, and the rest with a word about the key.
_SAID_PLAINLY = ("contains duplicates", "number set", "numeric value", "significant digits", "number with magnitude")

_encode = msgspec.json.Encoder().encode


@dataclass(frozen=True, slots=True)
class Source:
    """The table, and the index of it that is read, if it is one."""

    table: OpenTable
    index: OpenIndex | None

    @property
    def tree(self) -> Tree:
        """What holds the items."""
        return self.table.tree if self.index is None else self.index.tree

    @property
    def order(self) -> KeyOrder:
        """The key that it is in the order of."""
        return self.table.order if self.index is None else self.index.order

    @property
    def key_attributes(self) -> tuple[KeyAttribute, ...]:
        """The attributes of the key that it is ordered by."""
        return (self.index or self.table).definition.key_attributes

    @property
    def key_names(self) -> tuple[str, ...]:
        """The attributes that say where an item stands."""
        return self.table.key_names if self.index is None else self.index.key_names


class Wanted(NamedTuple):
    """What of each item is returned."""

    filter: Check | None
    projection: Projected
    is_count: bool
    fetches: bool


WHOLE_ITEMS = Wanted(None, WHOLE, is_count=False, fetches=False)


def check_select(request: PageRequest, refused_without_attributes: str) -> None:
    """Refuses a Select that contradicts the rest of the request."""
    has_projection = request.projection_expression is not None or request.attributes_to_get is not None
    if request.select == "SPECIFIC_ATTRIBUTES" and not has_projection:
        raise invalid(refused_without_attributes)
    if has_projection and request.select not in (None, "SPECIFIC_ATTRIBUTES"):
        name = "ProjectionExpression" if request.projection_expression is not None else "AttributesToGet"
        chosen = "only the Count" if request.select == "COUNT" else request.select
        raise invalid(f"Cannot specify the {name} when choosing to get {chosen}")
    if request.select == "ALL_PROJECTED_ATTRIBUTES" and request.index_name is None:
        raise invalid("ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName")


def accept_start_key(request: PageRequest) -> None:
    """Checks the values of a starting key."""
    if request.exclusive_start_key is None:
        return
    try:
        accept_item(request.exclusive_start_key)
    except RequestRefused as refusal:
        if refusal.code != "ValidationException" or any(words in refusal.message for words in _SAID_PLAINLY):
            raise
        raise invalid(f"{STARTING_KEY}: {refusal.message}") from None


def source_of(table: OpenTable, request: PageRequest) -> Source:
    """What the request reads; refuses an index that is not there, or not ready."""
    if request.index_name is None:
        return Source(table, None)
    index = table.index(request.index_name)
    if index is None:
        raise invalid(f"The table does not have the specified index: {request.index_name}")
    if not index.definition.is_local:
        if request.consistent_read:
            raise invalid("Consistent reads are not supported on global secondary indexes")
        if index.definition.status == "CREATING":
            raise invalid(f"Cannot read from backfilling global secondary index: {index.name}")
    return Source(table, index)


def wanted_of(source: Source, request: PageRequest, keep: Check | None, projection: Projected) -> Wanted:
    """What is returned of each item; an attribute that an index lacks is fetched from the table, or refused."""
    return Wanted(keep, projection, request.select == "COUNT", _fetches(source, request, projection))


def _fetches(source: Source, request: PageRequest, projection: Projected) -> bool:
    index = source.index
    if index is None or index.definition.projection == "ALL":
        return False
    if request.select == "ALL_ATTRIBUTES":
        if not index.definition.is_local:
            raise invalid(
                "One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not supported for global "
                f"secondary index {index.name} because its projection type is not ALL"
            )
        return True
    lacking = [name for name in projection.attributes if not index.holds(name)]
    if lacking and not index.definition.is_local:
        raise invalid(
            "One or more parameter values were invalid: "
            f"Global secondary index {index.name} does not project [{', '.join(lacking)}]"
        )
    return bool(lacking)


def check_start_key(source: Source, start: Item, keys: tuple[KeyAttribute, ...], mismatch: str) -> None:
    """Refuses a starting key with too few or too many attributes, or without one of those in `keys`."""
    if len(start) != len(source.key_names):
        raise invalid(mismatch)
    for attribute in keys:
        value = start.get(attribute.name)
        if value is None:
            raise invalid(STARTING_KEY)
        if attribute.kind not in value:
            raise invalid("The provided key element does not match the schema")


def start_position(source: Source, start: Item) -> bytes:
    """The stored key of the item that the last page stopped at."""
    index = source.index
    try:
        base_key = exact_key(source.table, {name: start[name] for name in source.table.key_names if name in start})
        if index is None:
            return base_key
        key = index.key_of(start, base_key, PUT_WORDS)
    except RequestRefused as refusal:
        raise invalid(f"{STARTING_KEY}: {refusal.message}") from None
    assert key is not None
    return key


def read(
    connection: sqlite3.Connection,
    source: Source,
    reading: Reading,
    request: PageRequest,
    wanted: Wanted,
    partition: Item | None = None,
) -> PageResult:
    """Reads one page and tells it; `partition` has the values of the only partition that it reads, if that is so."""
    page, fetched = read_wanted(connection, source, reading, wanted)
    if source.table.traffic is not None:
        units = _units(source, request, page, fetched)
        source.table.traffic.read_page(source.index, units, reading.keys.low, partition)
    last: Any = UNSET
    if page.stopped_at is not None:
        item = decode_item(page.stopped_at)
        last = {name: item[name] for name in source.key_names}
    return PageResult(
        items=UNSET if wanted.is_count else page.items,
        count=page.count,
        scanned_count=page.scanned,
        last_evaluated_key=last,
        consumed_capacity=_consumed(source, request, page, fetched),
    )


def read_wanted(
    connection: sqlite3.Connection, source: Source, reading: Reading, wanted: Wanted
) -> tuple[Page, list[int]]:
    """One page of what is wanted, and the sizes of the items that were fetched from the table for it."""
    fetched: list[int] = []
    if wanted.fetches:
        return read_page_through(connection, reading, _fetching(connection, source, wanted, fetched)), fetched
    if wanted.filter is None and wanted.projection.is_whole:
        return read_page(connection, reading), fetched
    return read_page_through(connection, reading, _through(wanted)), fetched


def _through(wanted: Wanted) -> Any:
    keep, project = wanted.filter, wanted.projection.of

    def through(item: Item) -> Raw | None:
        return Raw(_encode(project(item))) if keep is None or keep(item) else None

    return through


def _fetching(connection: sqlite3.Connection, source: Source, wanted: Wanted, fetched: list[int]) -> Any:
    """The whole item from the table for every entry of a local index, whose sizes are noted: they are paid for."""
    through = _through(wanted)
    table = source.table

    def fetching(entry: Item) -> Raw | None:
        row = table.tree.get(connection, stored_key(table, entry))
        assert row is not None
        fetched.append(row[1])
        kept: Raw | None = through(decode_item(row[0]))
        return kept

    return fetching


def _consumed(source: Source, request: PageRequest, page: Page, fetched: list[int]) -> Any:
    detail = request.return_consumed_capacity
    if detail is None or detail == "NONE":
        return UNSET
    return told(source.table.name, _units(source, request, page, fetched), detail)


def _units(source: Source, request: PageRequest, page: Page, fetched: list[int]) -> Consumed:
    factor = CONSISTENT if request.consistent_read else EVENTUAL
    return consumed_by(source, page, fetched, factor)


def consumed_by(source: Source, page: Page, fetched: list[int], factor: float) -> Consumed:
    """The units of one page: everything that was read is counted, whatever the filter left of it, and rounded once."""
    units = Consumed()
    read_of_page = read_units(page.read_bytes, factor)
    if source.index is None:
        units.table = read_of_page
    else:
        units.add_index(source.index.name, read_of_page, is_local=source.index.definition.is_local)
        units.table = sum((read_units(size, factor) for size in fetched), 0.0)
    return units
