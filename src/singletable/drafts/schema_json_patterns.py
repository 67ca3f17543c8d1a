"""The access patterns of a `schema.json` as patterns of a draft, or as notes that say why they are none."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from singletable.drafts.conditions import set_to_parameter
from singletable.drafts.draft import (
    DraftEntity,
    DraftField,
    DraftParameter,
    DraftPattern,
    NativeKey,
    Position,
    RangeKind,
    paging,
)
from singletable.drafts.proposals import fields_in
from singletable.drafts.schema_json_filters import FilterReader
from singletable.model.table_schema import TABLE

_RANGES: Mapping[str, RangeKind] = {
    "begins_with": "Prefix",
    "between": "Between",
    ">=": "Since",
    ">": "Since",
    "<=": "Until",
    "<": "Until",
}
_PAGING = ("limit", "cursor", "page_size", "page_token", "next_token", "last_evaluated_key", "exclusive_start_key")
_FROM_WORDS = ("start", "from", "since", "after", "min", "begin", "low", "lower")
_TO_WORDS = ("end", "to", "until", "before", "max", "high", "upper")


@dataclass(frozen=True)
class PatternSource:
    """An entity as it was read, with the patterns that stand under it."""

    entity: DraftEntity
    fields: Mapping[str, DraftField]
    """Its fields by the names that the document has for them."""
    aliases: Mapping[str, str]
    """The indexes' aliases by their names."""
    classes: Mapping[str, str]
    patterns: Sequence[dict[str, Any]]


class _NotAPattern(Exception):
    """Why a pattern of the document cannot be one of ours."""


def drafted_pattern(
    source: PatternSource, pattern: dict[str, Any], name: str, entities: Sequence[DraftEntity], notes: list[str]
) -> DraftPattern | None:
    """The pattern, or None and a note."""
    try:
        made = _Reading(source, pattern, name, entities)
        drafted = made.drafted()
    except _NotAPattern as reason:
        notes.append(f"{name} ({pattern['description']}) was left out: {reason}.")
        return None
    notes += [f"{name}: {note}." for note in made.notes]
    return drafted


class _Reading:
    """One pattern, while it is read."""

    def __init__(
        self, source: PatternSource, pattern: dict[str, Any], name: str, entities: Sequence[DraftEntity]
    ) -> None:
        self.source = source
        self.pattern = pattern
        self.name = name
        self.entities = entities
        self.notes: list[str] = []
        self.plain = [each["name"] for each in pattern.get("parameters") or () if each["type"] != "entity"]
        self.given = [each["entity_type"] for each in pattern.get("parameters") or () if each["type"] == "entity"]

    def drafted(self) -> DraftPattern:
        match self.pattern["operation"]:
            case "GetItem":
                return self._made("get", self._key_parameters())
            case "DeleteItem":
                return self._made("delete", self._key_parameters())
            case "PutItem":
                return self._put()
            case "UpdateItem":
                return self._update()
            case "Query" if self.pattern["return_type"] == "mixed_data":
                return self._collection()
            case "Query":
                return self._query()
            case "Scan":
                raise _NotAPattern("it is a Scan; give the entity an index whose partition holds what it looks for")
            case "BatchGetItem":
                raise _NotAPattern("it reads several keys at once, which get_many(...) of every table does")
            case _:
                raise _NotAPattern("it writes several items at once, which put_many(...) of every table does")

    def _made(self, kind: Any, parameters: tuple[DraftParameter, ...], **further: Any) -> DraftPattern:
        names = (self.source.entity.class_name,)
        reads = kind in ("get", "query")
        consistent = reads and bool(self.pattern.get("consistent_read"))
        return DraftPattern(
            self.name, self.pattern["description"], kind, names, parameters, consistent=consistent, **further
        )

    def _put(self) -> DraftPattern:
        others = [each for each in self.given if self.source.classes[each] != self.source.entity.class_name]
        if others:
            self.notes.append(f"it is given {', '.join(others)} as well, which it does not write")
        return self._made("put", ())

    def _update(self) -> DraftPattern:
        if self.given:
            raise _NotAPattern("it is given a whole item; put(...) writes one, and an update names its fields")
        keys = self._key_fields()
        changed = [name for name in self.plain if name in self.source.fields and self._field(name).name not in keys]
        unknown = [name for name in self.plain if name not in self.source.fields]
        parameters = self._bound([name for name in self.plain if name not in changed and name not in unknown], keys)
        if missing := [key for key in keys if key not in {each.name for each in parameters}]:
            if len(missing) != len(unknown):
                raise _NotAPattern(f"it is not given {' and '.join(missing)}, which the key is made of")
            parameters = (*parameters, *(self._parameter(name) for name in missing))
            unknown = []
        if unknown:
            self.notes.append(f"{', '.join(unknown)} is no field, and was left out")
        if not changed:
            raise _NotAPattern("it does not say which fields it sets")
        sets = tuple(self._parameter(self._field(name).name) for name in changed)
        return self._made("update", (*parameters, *sets), changes=tuple(set_to_parameter(each.name) for each in sets))

    def _query(self) -> DraftPattern:
        partition, sort = self._index_fields()
        reader = FilterReader(self._field, self.plain, _NotAPattern)
        condition, filtering = reader.condition(self.pattern.get("filter_expression")), reader.used
        names = [name for name in self.plain if name not in filtering and name not in _PAGING]
        names, bounds, kind = self._range(names)
        parameters = self._bound(names, partition)
        equal = {each.name for each in parameters}
        if kind is not None:
            open_fields = [each for each in sort if each not in equal]
            target = self._field(bounds[0]).name if bounds[0] in self.source.fields else next(iter(open_fields), None)
            if target is None:
                raise _NotAPattern("its range is over a key that has no field")
            parameters = (*parameters, self._parameter(target, kind))
        return self._made(
            "query",
            (
                *parameters,
                *(each for each in filtering.values() if each.name not in equal),
                *(paging() if self.pattern["return_type"] == "entity_list" else ()),
            ),
            filter=condition,
        )

    def _collection(self) -> DraftPattern:
        if self.pattern.get("index_name") or self.pattern.get("filter_expression"):
            raise _NotAPattern("it reads items of several kinds by an index or with a filter")
        own = self.source.entity
        alike = [each for each in self.entities if _outline(each) == _outline(own)]
        heads = [each for each in alike if _is_single(each)]
        if len(heads) != 1 or len(alike) < 2:
            raise _NotAPattern("it reads items of several kinds, and no one of them heads the partition")
        names = (heads[0].class_name, *(each.class_name for each in alike if each is not heads[0]))
        parameters = self._bound(self.plain, fields_in(own.keys[TABLE].partition))
        return DraftPattern(self.name, self.pattern["description"], "collection", names, parameters)

    def _range(self, names: list[str]) -> tuple[list[str], list[str], RangeKind | None]:
        """The parameters without those of a range, those, and which range it is."""
        condition = self.pattern.get("range_condition")
        if condition is not None:
            count = 2 if condition == "between" else 1
            if condition in (">", "<"):
                self.notes.append(f"{condition} leaves out the value itself, and the range here includes it")
            return names[:-count], names[-count:], _RANGES[condition]
        last = names[-2:]
        are_ends = len(last) == 2 and _starts(last[0], _FROM_WORDS) and _starts(last[1], _TO_WORDS)
        if are_ends and not any(each in self.source.fields for each in last):
            self.notes.append(f"{last[0]} and {last[1]} are taken for the ends of a range")
            return names[:-2], last, "Between"
        return names, [], None

    def _key_parameters(self) -> tuple[DraftParameter, ...]:
        return self._bound(self.plain, self._key_fields())

    def _key_fields(self) -> list[str]:
        keys = self.source.entity.keys[TABLE]
        return fields_in((*keys.partition, *keys.sort))

    def _index_fields(self) -> tuple[list[str], list[str]]:
        index = self.pattern.get("index_name")
        alias = self.source.aliases[index] if index else TABLE
        if alias not in self.source.entity.keys:
            raise _NotAPattern(f"the entity is not in {index}")
        keys = self.source.entity.keys[alias]
        return fields_in(keys.partition), fields_in(keys.sort)

    def _bound(self, names: Sequence[str], keys: Sequence[str]) -> tuple[DraftParameter, ...]:
        """Parameters by the names of fields; others stand for the fields of the key that are not given, in order."""
        known = [self._field(name).name for name in names if name in self.source.fields]
        free = [key for key in keys if key not in known]
        unknown = [name for name in names if name not in self.source.fields]
        if len(unknown) > len(free):
            raise _NotAPattern(f"{' and '.join(unknown)} is no field of its key")
        stands_for = dict(zip(unknown, free, strict=False))
        ordered = [self._field(name).name if name in self.source.fields else stands_for[name] for name in names]
        return tuple(self._parameter(name) for name in dict.fromkeys(ordered))

    def _field(self, name: str) -> DraftField:
        return self.source.fields[name]

    def _parameter(self, name: str, kind: RangeKind | None = None) -> DraftParameter:
        known = next(each for each in self.source.entity.fields if each.name == name)
        return DraftParameter(name, known.type, kind)


def _starts(name: str, words: Sequence[str]) -> bool:
    parts = re.split(r"[_\W]+", name.lower())
    return bool({parts[0], parts[-1]} & set(words))


def _outline(entity: DraftEntity) -> tuple[str, ...]:
    return tuple(_gaps(each) for each in entity.keys[TABLE].partition)


def _gaps(position: Position) -> str:
    return "native" if isinstance(position, NativeKey) else re.sub(r"\{[^{}]*\}", "{}", position)


def _is_single(entity: DraftEntity) -> bool:
    keys = entity.keys[TABLE]
    return set(fields_in(keys.sort)) <= set(fields_in(keys.partition))
