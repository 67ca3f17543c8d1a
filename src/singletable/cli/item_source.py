"""Items from a store or a JSON file, sorted by entity."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from singletable.cli.item_json import items_of_json
from singletable.client.connected_table import ConnectedTable
from singletable.client.items.item_types import ItemTypes
from singletable.client.request_steps import Call, Steps
from singletable.client.responses import read_page
from singletable.client.table import Table
from singletable.cost.measured_items import ItemSample, measure_items
from singletable.errors import ArgumentRefused, StoreRefused
from singletable.model.entity import Entity

SAMPLED_ITEMS_MAX = 10_000
_SQLITE = b"SQLite format 3\x00"
_SCHEMES = ("file:", "http:", "https:", "dynamodb:")

Item = dict[str, dict[str, Any]]


def is_store(place: str) -> bool:
    """Return whether a place is a URL or a store file."""
    if place.startswith(_SCHEMES):
        return True
    with Path(place).open("rb") as file:
        return file.read(len(_SQLITE)) == _SQLITE


def open_store(table: type[Table], place: str) -> Table:
    """Open the table of an existing store. Create nothing."""
    path = Path(place.removeprefix("file:"))
    if not place.startswith(_SCHEMES) or place.startswith("file:"):
        if not path.is_file():
            raise StoreRefused(f"There is no store at {path}.\n  Check the path; no store was created.")
        place = f"file:{path}"
    return table.open(place)


def stored_items(opened: ConnectedTable, most: int) -> tuple[list[Item], bool]:
    """Return the first items of a Scan, and whether these are all items."""
    items: list[Item] = []
    request: dict[str, Any] = {"TableName": opened.reader.name}
    while True:
        found, last = opened.run(_page({**request, "Limit": most - len(items)}))
        items += found
        if last is None:
            return items, True
        if len(items) >= most:
            return items, False
        request["ExclusiveStartKey"] = last


def _page(parameters: dict[str, Any]) -> Steps[tuple[list[Item], Any]]:
    (body,) = yield (Call("Scan", parameters),)
    answer = read_page(body)
    return answer.items, answer.last_evaluated_key


def read_sample(table: type[Table], place: str) -> ItemSample:
    """Return the item sizes per entity in a store or a JSON file."""
    try:
        from_store = is_store(place)
    except OSError as problem:
        raise ArgumentRefused(f"cannot read the sample {place}: {problem.strerror or problem}") from None
    if from_store:
        with open_store(table, place) as opened:
            items, is_complete = stored_items(opened._opened(), SAMPLED_ITEMS_MAX)
    else:
        items, is_complete = _items_of_file(place), False
    sample = measure_items(table.design, items_by_entity(ItemTypes(table.design), items), is_complete=is_complete)
    if not sample.sizes:
        raise ArgumentRefused(f"{place} contains no items of {table.design.name}, so it has no item sizes")
    return sample


def _items_of_file(place: str) -> list[Item]:
    try:
        text = Path(place).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise ArgumentRefused(f"cannot read the sample {place}: {problem}") from None
    return list(items_of_json(text, place))


def items_by_entity(kinds: ItemTypes, items: list[Item]) -> Iterator[tuple[Entity | None, Item]]:
    """Yield each item with its entity. Unique markers are skipped."""
    for item in items:
        if not kinds.is_marker(item):
            yield kinds.entity_of(item), item
