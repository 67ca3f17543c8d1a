"""Items of a store or of a file, told apart by entity, for what they weigh."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from singletable.cli.item_json import items_of_json
from singletable.client.answers import read_page
from singletable.client.items.kinds import Kinds
from singletable.client.open_table import OpenTable
from singletable.client.steps import Call, Steps
from singletable.client.table import Table
from singletable.cost.sample import Sample, sample_of
from singletable.errors import ArgumentRefused, StoreRefused
from singletable.model.entity import Entity

SAMPLED_ITEMS_MAX = 10_000
_SQLITE = b"SQLite format 3\x00"
_SCHEMES = ("file:", "http:", "https:", "dynamodb:")

Item = dict[str, dict[str, Any]]


def is_store(place: str) -> bool:
    """Whether a place is a URL, or the file of a store."""
    if place.startswith(_SCHEMES):
        return True
    with Path(place).open("rb") as file:
        return file.read(len(_SQLITE)) == _SQLITE


def open_store(table: type[Table], place: str) -> Table:
    """The table in a store that is there; nothing is made."""
    path = Path(place.removeprefix("file:"))
    if not place.startswith(_SCHEMES) or place.startswith("file:"):
        if not path.is_file():
            raise StoreRefused(f"There is no store at {path}.\n  Look at the path; nothing was made.")
        place = f"file:{path}"
    return table.open(place)


def stored_items(opened: OpenTable, most: int) -> tuple[list[Item], bool]:
    """The first items that a Scan finds, and whether they are all."""
    items: list[Item] = []
    asked: dict[str, Any] = {"TableName": opened.reader.name}
    while True:
        found, last = opened.run(_page({**asked, "Limit": most - len(items)}))
        items += found
        if last is None:
            return items, True
        if len(items) >= most:
            return items, False
        asked["ExclusiveStartKey"] = last


def _page(parameters: dict[str, Any]) -> Steps[tuple[list[Item], Any]]:
    (body,) = yield (Call("Scan", parameters),)
    answer = read_page(body)
    return answer.items, answer.last_evaluated_key


def read_sample(table: type[Table], place: str) -> Sample:
    """What the items of a store, or of a file of JSON, weigh by entity."""
    try:
        from_store = is_store(place)
    except OSError as problem:
        raise ArgumentRefused(f"the sample in {place} cannot be read: {problem.strerror or problem}") from None
    if from_store:
        with open_store(table, place) as opened:
            items, is_complete = stored_items(opened._opened(), SAMPLED_ITEMS_MAX)
    else:
        items, is_complete = _items_of_file(place), False
    sample = sample_of(table.design, told_apart(Kinds(table.design), items), is_complete=is_complete)
    if not sample.sizes:
        raise ArgumentRefused(f"{place} holds no item of {table.design.name}, so that there are no sizes to take")
    return sample


def _items_of_file(place: str) -> list[Item]:
    try:
        text = Path(place).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise ArgumentRefused(f"the sample in {place} cannot be read: {problem}") from None
    return list(items_of_json(text, place))


def told_apart(kinds: Kinds, items: list[Item]) -> Iterator[tuple[Entity | None, Item]]:
    """Each item with the entity that it is; markers, which no entity is, are left out."""
    for item in items:
        if not kinds.is_marker(item):
            yield kinds.entity_of(item), item
