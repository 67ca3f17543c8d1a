"""Column pages: the items of the table or an index, read page by page with Scan, Query or a search."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from singletable.client.connected_table import ConnectedTable
from singletable.errors import ArgumentRefused
from singletable.model.entity import Entity
from singletable.model.regular_language import literal, overlap
from singletable.model.table_schema import Index
from singletable.studio.item_rows import Item, ItemRow, ItemRows, ReadItems, item_id, key_json
from singletable.studio.studio_store import send

ROWS_MAX = 100
"""The number of items of one page. It is more than three columns of a large screen show."""
SKIPPED_ROWS_MIN = 50
"""If a partition has this many rows at the end of a page, the next page skips the rest of it.

The user can request the rest.
"""
SEARCH_ITEMS, SEARCH_REQUESTS_MAX = 1_000, 20

_LARGEST: Mapping[str, str] = {
    "S": "\U0010ffff" * 256,
    "N": "9.9999999999999999999999999999999999999E+125",
    "B": base64.b64encode(b"\xff" * 1024).decode(),
}
"""The largest sort key of each type."""


@dataclass(frozen=True)
class FieldSearch:
    """A search for items by the value of a field."""

    field: str
    """The stored attribute name."""
    text: str
    entity: int | None = None
    """The number of the entity; None for all."""


@dataclass(frozen=True)
class ColumnPosition:
    """The page of a column to read."""

    partition: Item | None = None
    """The partition key of a Query. None reads the whole table or index."""
    sort_prefix: str = ""
    start: Item | None = None
    search: FieldSearch | None = None


@dataclass(frozen=True)
class ColumnPage:
    """One page of a column."""

    rows: tuple[ItemRow, ...]
    next: Item | None = None
    """The start key of the next page. None at the end."""
    skip: Item | None = None
    """The start key after a large partition at the end of the page. None if there is none."""
    examined: int = 0

    def document(self) -> dict[str, Any]:
        """Return the page as JSON."""
        rows = [row.document() for row in self.rows]
        return {"rows": rows, "next": self.next, "skip": self.skip, "examined": self.examined}


class ColumnReader:
    """Reads the columns of one open table."""

    def __init__(self, opened: ConnectedTable, rows: ItemRows, read_items: ReadItems) -> None:
        self._opened, self._rows, self._read_items = opened, rows, read_items

    def page(self, index: Index, position: ColumnPosition) -> ColumnPage:
        """Read one page."""
        if position.search is not None:
            return self._search(index, position, position.search)
        operation = "Scan" if position.partition is None else "Query"
        parameters: Item = {**self._parameters(index, position), "Limit": ROWS_MAX}
        answer = send(self._opened, operation, parameters)
        items = answer.get("Items") or []
        following = answer.get("LastEvaluatedKey")
        skip = self._after_partition(index, items, following) if position.partition is None else None
        return ColumnPage(self._shown(index, items), following, skip, int(answer.get("ScannedCount", len(items))))

    def item(self, key: Item) -> Item | None:
        """Return a whole item that a page has read, or read the stored item."""
        known = self._read_items.get(self._rows.design.name, item_id(self._rows.design, key))
        return known.item if known is not None else self.fresh_item(key)

    def fresh_item(self, key: Item) -> Item | None:
        """Read an item by its key. Return None if it does not exist."""
        name = self._opened.reader.name
        parameters = {"TableName": name, "Key": key, "ReturnConsumedCapacity": "TOTAL", "ConsistentRead": True}
        found: Item | None = send(self._opened, "GetItem", parameters).get("Item")
        if found is not None:
            self._read_items.add(self._rows.design.name, item_id(self._rows.design, found), found)
        return found

    def _parameters(self, index: Index, position: ColumnPosition) -> dict[str, Any]:
        parameters: dict[str, Any] = {"TableName": self._opened.reader.name, "ReturnConsumedCapacity": "TOTAL"}
        if not index.is_table:
            parameters["IndexName"] = index.name
        if position.start is not None:
            parameters["ExclusiveStartKey"] = position.start
        if position.partition is not None:
            parameters |= _key_condition(index, position.partition, position.sort_prefix)
        return parameters

    def _shown(self, index: Index, items: Sequence[Item]) -> tuple[ItemRow, ...]:
        if index.projection.kind == "ALL":
            for item in items:
                self._read_items.add(self._rows.design.name, item_id(self._rows.design, item), item)
        return tuple(self._rows.row(item, index) for item in items)

    def _after_partition(self, index: Index, items: Sequence[Item], following: Item | None) -> Item | None:
        """Return the start key after the last partition of a page, if the partition is large and continues."""
        if following is None or not index.sort:
            return None
        names = [each.name for each in index.partition]
        last = key_json(following, names)
        if sum(key_json(item, names) == last for item in items) < SKIPPED_ROWS_MIN:
            return None
        table = self._rows.design.table
        attributes = {each.name: each for each in (*table.partition, *table.sort, *index.sort)}
        largest = {name: {each.type: _LARGEST[each.type]} for name, each in attributes.items() if name not in names}
        return {**{name: following[name] for name in names}, **largest}

    def _search(self, index: Index, position: ColumnPosition, search: FieldSearch) -> ColumnPage:
        """Scan until a page of rows is found, or until the maximum number of requests is reached."""
        parameters: Item = {**self._parameters(index, position), **_filter(search), "Limit": SEARCH_ITEMS}
        rows: list[ItemRow] = []
        examined = 0
        for _ in range(SEARCH_REQUESTS_MAX):
            answer = send(self._opened, "Scan", parameters)
            found = self._shown(index, answer.get("Items") or [])
            rows += [row for row in found if search.entity is None or row.entity == search.entity]
            examined += int(answer.get("ScannedCount", 0))
            following = answer.get("LastEvaluatedKey")
            if following is None or len(rows) >= ROWS_MAX:
                return ColumnPage(tuple(rows), following, None, examined)
            parameters["ExclusiveStartKey"] = following
        return ColumnPage(tuple(rows), parameters["ExclusiveStartKey"], None, examined)


def _key_condition(index: Index, partition: Item, sort_prefix: str) -> dict[str, Any]:
    names = {f"#p{number}": each.name for number, each in enumerate(index.partition)}
    if any(each.name not in partition for each in index.partition):
        raise ArgumentRefused(f"{index.label}: the partition key needs {', '.join(names.values())}")
    values = {f":p{number}": partition[each.name] for number, each in enumerate(index.partition)}
    tests = [f"#p{number} = :p{number}" for number in range(len(index.partition))]
    if sort_prefix and index.sort:
        first = index.sort[0]
        names["#s"] = first.name
        values[":s"] = {first.type: sort_prefix}
        tests.append("begins_with(#s, :s)" if first.type != "N" else "#s >= :s")
    return {
        "KeyConditionExpression": " AND ".join(tests),
        "ExpressionAttributeNames": names,
        "ExpressionAttributeValues": values,
    }


def _filter(search: FieldSearch) -> dict[str, Any]:
    tests, values = ["begins_with(#f, :text)"], {":text": {"S": search.text}}
    if _is_number(search.text):
        tests.append("#f = :number")
        values[":number"] = {"N": search.text}
    if search.text in ("true", "false"):
        tests.append("#f = :truth")
        values[":truth"] = {"BOOL": search.text == "true"}  # type: ignore[dict-item]  # the one type without text
    return {
        "FilterExpression": " OR ".join(tests),
        "ExpressionAttributeNames": {"#f": search.field},
        "ExpressionAttributeValues": values,
    }


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return text.lower().lstrip("+-") not in {"nan", "inf", "infinity"}


@dataclass(frozen=True)
class Found:
    """The meaning of a search text: partitions to query, or a field to search for."""

    partitions: tuple[tuple[Index, Item, str], ...] = ()
    search: FieldSearch | None = None

    def document(self) -> dict[str, Any]:
        """Return the meaning as JSON."""
        places = [
            {"place": index.label, "partition": partition, "sort": sort} for index, partition, sort in self.partitions
        ]
        search = self.search and {"field": self.search.field, "text": self.search.text, "entity": self.search.entity}
        return {"places": places, "search": search}


def meaning_of(rows: ItemRows, text: str) -> Found:
    """Return the meaning of a search text: `field:value`, `Entity.field:value`, or the start of a primary key."""
    name, colon, value = text.partition(":")
    field = _field(rows, name.strip()) if colon and value.strip() else None
    if field is not None:
        return Found(search=FieldSearch(field[0], value.strip(), field[1]))
    indexes = tuple(rows.design.indexes.values())
    if (key := _json_key(text)) is not None:
        placed = tuple((index, key, "") for index in indexes if {each.name for each in index.partition} == key.keys())
        if not placed:
            raise ArgumentRefused(f"no partition key consists of {', '.join(key)}; {_key_names(indexes)}")
        return Found(placed)
    partition, sort = _key_texts(text.strip())
    matching = [index for index in indexes if _may_contain(rows, index, partition)] or [rows.design.table]
    if any(len(index.partition) > 1 for index in matching):
        raise ArgumentRefused(f"write a partition key of several attributes as DynamoDB JSON; {_key_names(matching)}")
    return Found(
        tuple((index, {index.partition[0].name: {index.partition[0].type: partition}}, sort) for index in matching)
    )


def _key_texts(text: str) -> tuple[str, str]:
    """Return the partition key and the start of the sort key; a partition key with spaces is in quotation marks."""
    quoted = re.match(r'"([^"]*)"(?:\s+(.*))?$', text, re.DOTALL)
    if quoted is not None:
        return quoted[1], quoted[2] or ""
    partition, _, sort = text.partition(" ")
    return partition, sort.strip().removeprefix("/").strip()


def _field(rows: ItemRows, name: str) -> tuple[str, int | None] | None:
    """Return the stored attribute of `field` or `Entity.field`, and the number of the entity."""
    label, dot, field = name.rpartition(".")
    for number, entity in enumerate(rows.design.entities):
        if dot and entity.label.lower() != label.lower():
            continue
        if field in entity.attributes:
            return entity.attributes[field], number if dot else None
    return None


def _may_contain(rows: ItemRows, index: Index, partition: str) -> bool:
    return any(_matches(entity, index, partition) for entity in rows.design.placed_in(index))


def _matches(entity: Entity, index: Index, partition: str) -> bool:
    parts = entity.placements[index.alias].partition
    return len(parts) == 1 and parts[0].type == "S" and overlap(parts[0].language, literal(partition))


def _json_key(text: str) -> Item | None:
    """Return the partition key that a text contains as DynamoDB JSON; None for another text."""
    try:
        found = json.loads(text)
    except ValueError:
        return None
    return found if isinstance(found, dict) and found else None


def _key_names(indexes: Sequence[Index]) -> str:
    """Return the partition keys of indexes as DynamoDB JSON, for a message."""
    keys = dict.fromkeys(json.dumps({each.name: {each.type: "..."} for each in index.partition}) for index in indexes)
    return f"write {' or '.join(keys)}"
