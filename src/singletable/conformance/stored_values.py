"""Check the values of many items: malformed times, numbers as text, placeholders, expiry times, attribute types."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from singletable.client.items.decoder import Item
from singletable.conformance.entity_values import (
    TIME_REMEDY,
    EntityValues,
    SeenItems,
    ValueFinding,
    bucketed_indexes,
    literal_segments,
    value_finding,
    value_findings,
)
from singletable.conformance.suspect_text import (
    MONTHS,
    TIME_WITH_OFFSET,
    TIME_WITHOUT_ZONE,
    VALID_TIME,
    is_name,
    is_template_syntax,
    other_period,
    suspicion_of,
    time_format,
)
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.field_roles import words_of
from singletable.verify.findings import table_finding
from singletable.verify.item_rules import (
    IMPLAUSIBLE_TTL,
    MALFORMED_TIME,
    SEVERAL_SPELLINGS,
    SEVERAL_TYPES,
)

CHECKED_ITEMS = 10_000
"""Up to this number of items per entity, every item is checked. After that, one item in CHECKED_EACH is checked."""
CHECKED_EACH = 16
FORMATS_MAX = 20
TIMES_MAX = 10_000
"""The number of different times that are remembered, to compare expiry times with them."""
SHARE_OF_SAME_TIMES_MIN = 0.5
MILLISECONDS_MIN = 100_000_000_000
"""As seconds since 1970, a number from here on is later than the year 5000."""
SECONDS_MIN = 100_000_000
"""As seconds since 1970, a smaller number is before 1973: a duration, not a time."""
_ID_KEY = re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F-]{27}|[A-Za-z]*[-_#]?[0-9]{3,}|[0-9A-HJKMNP-TV-Z]{26}")
"""A UUID, a ULID or a numbered id as the name of a member of a map."""
_CREATION = frozenset({"created", "creation", "timestamp", "ts", "registered", "issued", "posted", "written"})


class StoredValues:
    """Checks the values of the items of a table, one item after another, in bounded memory."""

    def __init__(self, design: Design) -> None:
        self._design = design
        self._delimiter = design.settings.delimiter
        self._base = design.table.key_attributes
        indexes = design.indexes.values()
        self._keys = frozenset((*self._base, *(name for index in indexes for name in index.key_attributes)))
        self._reserved = {design.settings.type_attribute, design.settings.schema_version_attribute}
        self._entities = {
            each.name: EntityValues(
                each, literals=frozenset(literal_segments(each)), bucketed=frozenset(bucketed_indexes(each))
            )
            for each in design.entities
        }
        self._times: dict[int, str] = {}
        self._pairs = [
            (index.alias, index.partition[0].name, index.sort[0].name)
            for index in (design.table, *indexes)
            if len(index.partition) == len(index.sort) == 1
        ]

    def add(self, entity: Entity | None, item: Item) -> None:
        """Check an item, if it belongs to an entity and to the sample."""
        if entity is None:
            return
        values = self._entities[entity.name]
        values.items += 1
        if values.items > CHECKED_ITEMS and values.items % CHECKED_EACH:
            return
        types = values.types
        for name, value in item.items():
            ((kind, content),) = value.items()
            if (name, kind) not in types:
                types[name, kind] = self._key_text(item), str(content)
            if kind in ("M", "L"):
                self._add_inner(values, item, name, value)
            elif kind == "S":
                self._add_string(values, item, name, content)
            elif kind == "N" and len(self._times) < TIMES_MAX and _is_time_name(name):
                self._add_time(name, content)
        self._add_periods(values, item)
        expiry = self._design.ttl_attribute or "ttl"
        for name in (expiry, expiry.upper()):
            if name in item and "N" in item[name]:
                self._add_expiry(values, item, name)
                return

    def _add_string(self, values: EntityValues, item: Item, name: str, text: str) -> None:
        if name in self._keys:
            self._add_key(values, item, name, text)
        elif (found := suspicion_of(text)) is not None:
            self._add_text(values, item, name, text, found)
        else:
            values.ordinary.add(name)
            if VALID_TIME.fullmatch(text):
                self._add_format(values, item, name, text)

    def _add_inner(self, values: EntityValues, item: Item, name: str, value: dict[str, Any]) -> None:
        """Check the texts inside a map or a list."""
        stack = [(name, value)]
        while stack:
            path, each = stack.pop()
            ((kind, content),) = each.items()
            if kind == "M":
                if sum(_ID_KEY.fullmatch(inner) is not None for inner in content) > 1:
                    values.add("ids in a map", path, self._key_text(item), next(iter(content)))
                stack += [(f"{path}.{inner}", one) for inner, one in content.items()]
            elif kind == "L":
                stack += [(path, one) for one in content]
            elif kind == "S":
                self._add_string(values, item, path, content)

    def _add_text(self, values: EntityValues, item: Item, name: str, text: str, found: str) -> None:
        if found in ("number", "boolean"):
            if text.isdigit() and len(self._times) < TIMES_MAX and _is_time_name(name):
                self._add_time(name, text)
            if name in values.ordinary or self._is_in_key(item, text):
                values.ordinary.add(name)
                return
        else:
            values.ordinary.add(name)
        if found != "quotes":  # a title or a comment can be a quotation
            values.add(found, name, self._key_text(item), text)

    def _add_key(self, values: EntityValues, item: Item, name: str, text: str) -> None:
        if is_template_syntax(text):
            values.add("placeholder", name, self._key_text(item), text)
            return
        segments = text.split(self._delimiter) if self._delimiter in text else [text]
        shapes = values.shapes.setdefault(name, {})
        if (shape := shapes.get(len(segments))) is None:
            shape = shapes[len(segments)] = SeenItems() if len(shapes) < FORMATS_MAX else SeenItems(1)
        shape.add(self._key_text(item) if not shape.items else "", text)
        names = [each for each in segments if is_name(each) and each not in values.literals]
        if names:
            values.add("placeholder", name, self._key_text(item), names[-1])
        for segment in segments:
            if segment.lower() in MONTHS:
                values.months.setdefault(name, set()).add(segment)
                if len(values.months[name]) > 1:
                    values.add("unsorted time", name, self._key_text(item), segment)
                continue
            if TIME_WITH_OFFSET.fullmatch(segment):
                values.add("offset", name, self._key_text(item), segment)
            if VALID_TIME.fullmatch(segment):
                self._add_format(values, item, name, segment)
            elif (found := suspicion_of(segment)) is not None and found not in (
                "number",
                "boolean",
                "malformed list",
                "JSON",
            ):
                values.add(found, name, self._key_text(item), segment)

    def _add_periods(self, values: EntityValues, item: Item) -> None:
        """Check that the time in a sort key is in the month or the day of the partition key."""
        for alias, partition, sort in self._pairs:
            if alias in values.bucketed:
                continue
            if "S" not in item.get(partition, ()) or "S" not in item.get(sort, ()):
                continue
            found = other_period(*(item[name]["S"].split(self._delimiter) for name in (partition, sort)))
            if found is not None:
                shown = f"{found[1]}, but the partition key contains {found[0]}"
                values.add("other period", sort, self._key_text(item), shown)

    def _add_format(self, values: EntityValues, item: Item, name: str, text: str) -> None:
        is_time = name in self._keys or _is_time_name(name.rpartition(".")[2])
        if is_time and TIME_WITHOUT_ZONE.fullmatch(text) and not _is_identifier(item, text):
            values.add("no zone", name, self._key_text(item), text)
        formats = values.formats.setdefault(name, {})
        shape = time_format(text)
        if shape not in formats and len(formats) < FORMATS_MAX:
            formats[shape] = self._key_text(item), text

    def _add_time(self, name: str, digits: str) -> None:
        seconds = int(digits) if digits.isdigit() else 0
        if SECONDS_MIN <= seconds < MILLISECONDS_MIN and name != self._design.ttl_attribute:
            self._times.setdefault(seconds, name)

    def _add_expiry(self, values: EntityValues, item: Item, name: str) -> None:
        text = item[name]["N"]
        seconds = float(text)
        if seconds >= MILLISECONDS_MIN:
            values.add("milliseconds", name, self._key_text(item), text)
        elif seconds < SECONDS_MIN:
            values.add("duration", name, self._key_text(item), text)
        elif (created := _created(item, name)) is not None and seconds <= created[1]:
            values.add(f"at birth, {created[0]}", name, self._key_text(item), text)
        else:
            values.expiry_items += 1
            if len(values.expiries) < TIMES_MAX:
                values.expiries.add(int(seconds))

    def _is_in_key(self, item: Item, text: str) -> bool:
        """Return whether a key contains the text, so that the text identifies an item."""
        return any(text in str(item[name].get("S", "")).split(self._delimiter) for name in self._keys if name in item)

    def _key_text(self, item: Item) -> str:
        return ", ".join(f"{name}={str(*item[name].values()) if name in item else 'missing'}" for name in self._base)

    def findings(self) -> Iterator[ValueFinding]:
        """Yield the findings about the values of all items."""
        for values in self._entities.values():
            yield from value_findings(values)
            yield from self._expiries(values)
        yield from self._formats_of_entities()
        yield from self._types()
        yield from self._spellings()

    def _expiries(self, values: EntityValues) -> Iterator[ValueFinding]:
        for (problem, name), seen in values.seen.items():
            message = _TTL_PROBLEMS.get(problem.partition(",")[0])
            if message is not None:
                text = message.format(name=name, other=problem.partition(", ")[2])
                yield value_finding(IMPLAUSIBLE_TTL, values.entity, text, _TTL_REMEDY, seen)
        same = [seconds for seconds in values.expiries if seconds in self._times]
        if same and len(same) >= len(values.expiries) * SHARE_OF_SAME_TIMES_MIN:
            name, other = self._design.ttl_attribute or "ttl", self._times[same[0]]
            message = f"{name} equals the {other} of other items, so the items expire at that time, not after it"
            seen = SeenItems(values.expiry_items, "", str(same[0]))
            yield value_finding(IMPLAUSIBLE_TTL, values.entity, message, _TTL_REMEDY, seen)

    def _formats_of_entities(self) -> Iterator[ValueFinding]:
        """Yield the times of creation that some entities store as a date, and other entities as a time."""
        found: dict[str, dict[str, tuple[str, tuple[str, str]]]] = {}
        for values in self._entities.values():
            for name, formats in values.formats.items():
                if len(formats) == 1 and name not in self._keys and not _CREATION.isdisjoint(words_of(name)):
                    ((shape, first),) = formats.items()
                    found.setdefault(name, {}).setdefault(shape, (values.entity.label, first))
        for name, shapes in found.items():
            if len(shapes) > 1:
                shown = " and ".join(f"{text} in {label}" for label, (_, text) in shapes.values())
                message = f"{name} has times in {len(shapes)} formats, so they do not sort by time: {shown}"
                finding = table_finding(MALFORMED_TIME, self._design, message, TIME_REMEDY)
                key, value = list(shapes.values())[-1][1]
                yield ValueFinding(finding, 1, key, value)

    def _spellings(self) -> Iterator[ValueFinding]:
        """Yield the attributes of one entity, or of several, whose names differ only by case or by separators."""
        found: dict[str, dict[str, tuple[str, tuple[str, str]]]] = {}
        for values in self._entities.values():
            for (name, _), first in values.types.items():
                if name not in self._reserved:
                    plain = name.replace("_", "").replace("-", "").casefold()
                    found.setdefault(plain, {}).setdefault(name, (values.entity.label, first))
        for names in found.values():
            if len(names) > 1:
                shown = " and ".join(f"{name} in {label}" for name, (label, _) in names.items())
                message = f"{shown} are different attributes, so a filter or an index on one of them misses the other"
                finding = table_finding(SEVERAL_SPELLINGS, self._design, message, _SPELLING_REMEDY)
                yield ValueFinding(finding, 1, list(names.values())[-1][1][0], list(names)[-1])

    def _types(self) -> Iterator[ValueFinding]:
        """Yield the attributes that have one type in some items and another type in others."""
        found: dict[str, dict[str, tuple[str, tuple[str, str]]]] = {}
        for values in self._entities.values():
            for (name, kind), first in values.types.items():
                if kind != "NULL" and name not in self._reserved:
                    found.setdefault(name, {}).setdefault(kind, (values.entity.label, first))
        for name, kinds in found.items():
            if len(kinds) > 1:
                shown = " and ".join(f"{kind} in {label}" for kind, (label, _) in kinds.items())
                message = f"{name} is {shown}, so a condition, a filter or an index on {name} does not match all items"
                finding = table_finding(SEVERAL_TYPES, self._design, message, _TYPE_REMEDY)
                key, value = list(kinds.values())[-1][1]
                yield ValueFinding(finding, 1, key, value)


_NOT_IN_KEYS = ("number", "boolean", "malformed list", "JSON")
"""The suspicions that are no mistake if the text is in a key."""
_TTL_PROBLEMS = {
    "milliseconds": "{name} is a time in milliseconds, but DynamoDB reads it as seconds, so the items never expire",
    "duration": "{name} is not a time since 1970 but a small number, such as a duration, so DynamoDB ignores it",
    "at birth": "{name} is not after {other} of the same item, so the items expire when they are written",
}
_TTL_REMEDY = "Store the time at which the item expires, in seconds since 1970: the time of creation plus a duration."
_TYPE_REMEDY = "Use one type for the attribute in all items, or two names for two meanings."
_SPELLING_REMEDY = "Use one spelling, and rename the attribute in the items that have another one."


def _is_identifier(item: Item, text: str) -> bool:
    """Return whether an id of the item has this text, although it looks like a time."""
    return any(value.get("S") == text and words_of(name)[-1:] in (("id",), ("uuid",)) for name, value in item.items())


@lru_cache(maxsize=4_096)
def _is_time_name(name: str) -> bool:
    words = words_of(name)
    return bool(words) and (not _CREATION.isdisjoint(words) or words[-1] in ("at", "time", "date", "epoch"))


def _created(item: Item, expiry: str) -> tuple[str, float] | None:
    """Return the time of creation that the item contains, with the attribute that contains it."""
    for name, value in item.items():
        if name == expiry or _CREATION.isdisjoint(words_of(name)):
            continue
        text = value.get("N") or value.get("S")
        if isinstance(text, str) and (seconds := _seconds(text)) is not None:
            return name, seconds
    return None


def _seconds(text: str) -> float | None:
    """Return seconds since 1970 from a number of seconds or milliseconds, or from a time in the ISO format."""
    if text.isdigit():
        number = int(text)
        number = number // 1_000 if number >= MILLISECONDS_MIN else number
        return number if number >= SECONDS_MIN else None
    if VALID_TIME.fullmatch(text) is None:
        return None
    found = datetime.fromisoformat(text)
    return (found if found.tzinfo is not None else found.replace(tzinfo=UTC)).timestamp()
