"""Observations about the values of one entity, and the findings that follow from them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple, get_origin

from singletable.model.entity import Entity
from singletable.model.field_roles import words_of
from singletable.model.key_template import DerivedSlot, LiteralText
from singletable.model.keys import TemplatePart
from singletable.planner.formatting import format_count
from singletable.verify.findings import Finding, Rule, entity_finding
from singletable.verify.item_rules import (
    JSON_AS_TEXT,
    KEY_SHAPES,
    LOCAL_OFFSET,
    MALFORMED_TIME,
    MAP_BY_ID,
    NUMBER_AS_TEXT,
    OTHER_PERIOD,
    PLACEHOLDER_VALUE,
    TIME_WITHOUT_ZONE_RULE,
)

ITEMS_PER_OTHER_SHAPE = 2
"""An item whose key has another number of parts is reported if at least this many items have the usual number."""
# Texts of digits with these names are identifiers: nobody adds them up or sorts them by value.
_IDENTIFIERS = frozenset(
    (
        *("id", "ids", "uuid", "guid", "sku", "ean", "isbn", "upc", "code", "zip", "zipcode", "postal", "postcode"),
        *("pin", "phone", "tel", "telephone", "mobile", "fax", "number", "no", "num", "nr", "account", "acct", "card"),
        *("cvv", "ssn", "ref", "reference", "key", "hash", "token", "serial", "name", "email"),
        *("address", "street", "room", "house", "building", "floor", "seat", "flight", "license", "plate", "vin"),
        *("ip", "mac"),
    )
)
TIME_REMEDY = "Correct the items, and declare the field as a datetime or date, which rejects such text."
_MAP_REMEDY = "Store each member as an item of its own in the same partition, with the id in the sort key."
_PERIOD_REMEDY = "Put each item again with the month or the day of its time in the partition key."
_SHAPE_REMEDY = "Delete the items, and write them under a key like the others."
_ZONE_REMEDY = "Write UTC, such as 2024-01-01T10:00:00Z, and declare the field as a datetime."
_JSON_REMEDY = "Store a map or a list, and declare the field as a dict or a list."
_DOCUMENTS = frozenset({"json", "raw", "payload", "body", "blob", "document", "snapshot", "content", "template"})
"""Words of fields that contain a document as a whole."""
_NUMBER_REMEDY = "Declare the field as int, Decimal or bool, and write the items again."
_PLACEHOLDER_REMEDY = "Write a real value, or remove the attribute."


class ValueFinding(NamedTuple):
    """A finding about values, with the number of items, an example, and the value that shows the problem."""

    finding: Finding
    items: int
    key: str
    value: str = ""


@dataclass
class SeenItems:
    """The items with one problem in one attribute, and the first of them."""

    items: int = 0
    key: str = ""
    value: str = ""

    def add(self, key: str, value: str) -> None:
        """Count an item, and keep the first."""
        self.items += 1
        if self.items == 1:
            self.key, self.value = key, value


@dataclass
class EntityValues:
    """The observations about the items of one entity so far."""

    entity: Entity
    items: int = 0
    types: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict)
    """The types of each attribute, with the key and the value of the first item that has it."""
    ordinary: set[str] = field(default_factory=set)
    """Attributes with a text that is not a number."""
    seen: dict[tuple[str, str], SeenItems] = field(default_factory=dict)
    """Problems by kind and attribute."""
    formats: dict[str, dict[str, tuple[str, str]]] = field(default_factory=dict)
    """The formats of the times of each attribute, with the first item that has it."""
    months: dict[str, set[str]] = field(default_factory=dict)
    """The names of months in each key attribute."""
    shapes: dict[str, dict[int, SeenItems]] = field(default_factory=dict)
    """The items of each key attribute by their number of delimiters."""
    literals: frozenset[str] = frozenset()
    """The segments that the templates of the entity contain as literal text."""
    bucketed: frozenset[str] = frozenset()
    """The indexes whose partition key contains a period that the model computes."""
    expiries: set[int] = field(default_factory=set)
    expiry_items: int = 0

    def add(self, problem: str, attribute: str, key: str, value: str) -> None:
        """Count an item with a problem in an attribute."""
        self.seen.setdefault((problem, attribute), SeenItems()).add(key, value)


def value_findings(values: EntityValues) -> Iterator[ValueFinding]:
    """Yield the findings about the values of one entity, without those about its expiry time."""
    yield from _malformed(values)
    yield from _formats(values)
    yield from _numbers(values)
    yield from _placeholders(values)
    yield from _shapes(values)
    yield from _without_zone(values)
    yield from _maps_by_id(values)
    yield from _other_periods(values)
    yield from _json_as_text(values)
    yield from _with_offset(values)


def _malformed(values: EntityValues) -> Iterator[ValueFinding]:
    found = {name: seen for (problem, name), seen in values.seen.items() if problem == "malformed time"}
    if found:
        names = ", ".join(found)
        message = f"{names}: text that looks like a time is not a valid time, so it does not sort by time"
        yield value_finding(MALFORMED_TIME, values.entity, message, TIME_REMEDY, _first(found))
    found = {name: seen for (problem, name), seen in values.seen.items() if problem == "unsorted time"}
    if found:
        what = "is a time" if len(found) == 1 else "are times"
        message = (
            f"{', '.join(found)} {what} whose text begins with the day, the month or the hour, so it does not sort"
        )
        message += " by time"
        yield value_finding(MALFORMED_TIME, values.entity, message, TIME_REMEDY, _first(found))


def _formats(values: EntityValues) -> Iterator[ValueFinding]:
    for name, formats in values.formats.items():
        if len(formats) > 1:
            texts = [text for _, text in formats.values()]
            message = f"{name} has times in {len(formats)} formats, so they do not sort by time: {', '.join(texts[:3])}"
            seen = SeenItems(1, list(formats.values())[1][0], texts[1])
            yield value_finding(MALFORMED_TIME, values.entity, message, TIME_REMEDY, seen)


def _numbers(values: EntityValues) -> Iterator[ValueFinding]:
    fields = {attribute: values.entity.fields[name].type for name, attribute in values.entity.attributes.items()}
    text = {
        name for _, name in values.seen if fields.get(name.partition(".")[0], str) in (str, Any) or "." in name
    }  # ST202 reports other types
    for kind in ("number", "boolean"):
        found = {
            name: seen
            for (problem, name), seen in values.seen.items()
            if problem == kind
            and name not in values.ordinary
            and name in text
            and not _IDENTIFIERS.intersection(words_of(name.rpartition(".")[2]))
        }
        if found:
            what = f"is a {kind}" if len(found) == 1 else f"are {kind}s"
            why = "neither adds nor compares by value" if kind == "number" else "compares as text"
            message = f"{', '.join(found)} {what} stored as text, which DynamoDB {why}"
            yield value_finding(NUMBER_AS_TEXT, values.entity, message, _NUMBER_REMEDY, _first(found))


def _placeholders(values: EntityValues) -> Iterator[ValueFinding]:
    for problem, what in (
        ("placeholder", "a placeholder instead of a value"),
        ("quotes", "quotes as part of a key"),
        ("spaces", "a space at the start or the end"),
        ("malformed list", "a list or a map as text that is not JSON"),
    ):
        found = {name: seen for (kind, name), seen in values.seen.items() if kind == problem}
        if found:
            message = f"{', '.join(found)} {'contains' if len(found) == 1 else 'contain'} {what}"
            yield value_finding(PLACEHOLDER_VALUE, values.entity, message, _PLACEHOLDER_REMEDY, _first(found))


def _maps_by_id(values: EntityValues) -> Iterator[ValueFinding]:
    for (problem, name), seen in values.seen.items():
        if problem == "ids in a map":
            message = f"{name} is a map with a member per id, so the item grows with every id, up to 400 KB"
            yield value_finding(MAP_BY_ID, values.entity, message, _MAP_REMEDY, seen)


def _other_periods(values: EntityValues) -> Iterator[ValueFinding]:
    for (problem, name), seen in values.seen.items():
        if problem == "other period":
            message = f"the time in {name} is not in the period of its partition key, so a read by period misses items"
            yield value_finding(OTHER_PERIOD, values.entity, message, _PERIOD_REMEDY, seen)


def _json_as_text(values: EntityValues) -> Iterator[ValueFinding]:
    found = {
        name: seen
        for (problem, name), seen in values.seen.items()
        if problem == "JSON" and not _DOCUMENTS.intersection(words_of(name.rpartition(".")[2]))
    }
    if found:
        message = f"{', '.join(found)} {'contains' if len(found) == 1 else 'contain'} JSON as text, whose members no "
        message += "filter, projection or update can reach"
        yield value_finding(JSON_AS_TEXT, values.entity, message, _JSON_REMEDY, _first(found))


def _with_offset(values: EntityValues) -> Iterator[ValueFinding]:
    found = {name: seen for (problem, name), seen in values.seen.items() if problem == "offset"}
    if found:
        message = f"{', '.join(found)}: times with a UTC offset do not sort with times in UTC or with another offset"
        yield value_finding(LOCAL_OFFSET, values.entity, message, _ZONE_REMEDY, _first(found))


def _without_zone(values: EntityValues) -> Iterator[ValueFinding]:
    found = {name: seen for (problem, name), seen in values.seen.items() if problem == "no zone"}
    if found:
        what = "is a time" if len(found) == 1 else "are times"
        message = f"{', '.join(found)} {what} without a time zone, so readers in another place read another time"
        yield value_finding(TIME_WITHOUT_ZONE_RULE, values.entity, message, _ZONE_REMEDY, _first(found))


def _shapes(values: EntityValues) -> Iterator[ValueFinding]:
    """Yield the key attributes in which a few items have a different number of parts from the rest."""
    for name, shapes in values.shapes.items():
        usual = max(shapes, key=lambda parts: shapes[parts].items)
        others = {parts: seen for parts, seen in shapes.items() if parts != usual}
        count = sum(seen.items for seen in others.values())
        if (
            count
            and count * ITEMS_PER_OTHER_SHAPE <= shapes[usual].items
            and name not in _path_attributes(values.entity)
        ):
            first = next(iter(others.values()))
            message = f"{name} usually has {format_count(usual, 'part')}, but these items have another number of parts"
            yield value_finding(
                KEY_SHAPES, values.entity, message, _SHAPE_REMEDY, SeenItems(count, first.key, first.value)
            )


def _path_attributes(entity: Entity) -> set[str]:
    """Return the key attributes that contain a path, which can have any number of parts."""
    parts = [part for placement in entity.placements.values() for part in placement.parts]
    return {
        part.attribute
        for part in parts
        if isinstance(part, TemplatePart) and any(get_origin(entity.fields[name].type) is tuple for name in part.fields)
    }


def literal_segments(entity: Entity) -> Iterator[str]:
    """Yield the segments that the templates of an entity contain as literal text."""
    for placement in entity.placements.values():
        for part in placement.parts:
            if isinstance(part, TemplatePart):
                pieces = [piece.text for piece in part.template.parts if isinstance(piece, LiteralText)]
                yield from (segment for text in pieces for segment in text.split(part.template.delimiter))


def bucketed_indexes(entity: Entity) -> Iterator[str]:
    """Yield the aliases of the indexes whose partition key contains a derived value, such as a month."""
    for alias, placement in entity.placements.items():
        parts = (part for part in placement.partition if isinstance(part, TemplatePart))
        if any(isinstance(slot, DerivedSlot) for part in parts for slot in part.template.slots):
            yield alias


def _first(found: dict[str, SeenItems]) -> SeenItems:
    """Return the first example, with the number of items of the most frequent attribute."""
    first = next(iter(found.values()))
    return SeenItems(max(seen.items for seen in found.values()), first.key, first.value)


def value_finding(rule: Rule, entity: Entity, message: str, remedy: str, seen: SeenItems) -> ValueFinding:
    """Return a finding about an entity with the items that show it."""
    return ValueFinding(entity_finding(rule, entity, message, remedy), seen.items, seen.key, seen.value)
