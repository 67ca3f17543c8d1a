"""Groups of items of one entity: by a declared kind, by a type attribute, or by the literals in their keys."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from singletable.importers.live.key_words import (
    DELIMITER,
    is_key_name,
    is_sort_name,
    looks_literal,
    segments_of,
    split_prefix,
    words_of_key,
)
from singletable.importers.live.sampled_table import Item, SampledTable
from singletable.importers.names import class_name

TYPE_ATTRIBUTES = (
    *("entity_type", "entityType", "EntityType", "Type", "type", "_type", "_et", "__edb_e__"),
    *("entity", "Entity", "kind"),
    *("item_type", "itemType", "ItemType", "record_type", "recordType", "RecordType", "object_type", "objectType"),
    *("ENTITY_TYPE", "TYPE", "__typename"),
)
KINDS_MAX = 60
# Attributes with these names often classify items of one entity, such as a product of the type "book".
_AMBIGUOUS = ("Type", "type", "TYPE", "kind")
_NAME_MIN = 3
_ENDING_MIN = 5
"""Shorter words in capitals after a value are often codes, such as that of an airport."""
_GENERIC_WORDS = ("METADATA", "META", "INFO", "PROFILE", "DETAILS", "DATA", "A")


@dataclass(frozen=True)
class EntityGroup:
    """The items of one entity. `kind` is the declared kind, `stored_name` the value of the type attribute."""

    name: str
    items: tuple[Item, ...]
    kind: str | None = None
    stored_name: str | None = None


def entity_groups(table: SampledTable) -> tuple[str | None, tuple[EntityGroup, ...]]:
    """Return the type attribute, if there is one, and the groups in the order of their first items."""
    attribute = type_attribute(table)
    if attribute is None:
        return None, tuple(_groups_by_key(table))
    kinds = table.kinds or (None,) * len(table.items)
    found: dict[str, list[Item]] = {}
    named: dict[str, str] = {}
    for item, kind in zip(table.items, kinds, strict=True):
        stored = item[attribute]["S"]
        found.setdefault(stored, []).append(item)
        named.setdefault(stored, kind or stored)
    return attribute, tuple(
        EntityGroup(named[stored], tuple(items), named[stored], stored) for stored, items in found.items()
    )


def varying_literals(table: SampledTable, groups: Sequence[EntityGroup]) -> dict[str, frozenset[str]]:
    """Return, by key attribute, the literals after which the items of one entity have several different values.

    In the keys of another entity, a single value after such a literal is a value too.
    """
    found: dict[str, frozenset[str]] = {}
    for name in table.key_attributes:
        for group in groups:
            after: dict[str, set[str]] = {}
            for head, *others in filter(None, (words_of_key(item, name) for item in group.items)):
                after.setdefault(head, set()).update(others[:1])
            found[name] = found.get(name, frozenset()) | {head for head, values in after.items() if len(values) > 1}
    return found


def type_attribute(table: SampledTable) -> str | None:
    """Return an attribute with a usual name that every item has and that agrees with declared kinds and keys."""
    for name in TYPE_ATTRIBUTES:
        if name in table.key_attributes or not table.items:
            continue
        values = [item.get(name, {}).get("S") for item in table.items]
        if None in values or len(set(values)) > KINDS_MAX:
            continue
        pairs = set(zip(values, table.kinds, strict=True)) if table.kinds else {(value, value) for value in values}
        is_declared = len({kind for _, kind in pairs}) == len(pairs) == len(set(values))
        if is_declared and _agrees_with_keys(table, name):
            return name
    return None


def ambiguous_types(table: SampledTable) -> tuple[str, tuple[str, ...]] | None:
    """Return an attribute with the type of every item, and the types, if one type has keys of several forms."""
    constants = _literal_segments(table)
    forms = [_key_form(item, table.keys, constants) for item in table.items]
    for name in TYPE_ATTRIBUTES if not table.kinds else ():
        values = tuple(str(item.get(name, {}).get("S", "")) for item in table.items)
        if name in table.key_attributes or "" in values or not 1 < len(set(values)) < len(set(forms)):
            continue
        if len(set(zip(forms, values, strict=True))) == len(set(forms)):
            return name, values
    return None


def ambiguous_type_notes(table: SampledTable, groups: Sequence[EntityGroup]) -> Iterator[str]:
    """Yield a note on each type whose items have keys of several forms, so that it does not determine the entity."""
    found = ambiguous_types(table)
    if found is None or type_attribute(table) is not None:
        return
    attribute = found[0]
    names: dict[str, list[str]] = {}
    for group in groups:
        names.setdefault(group.items[0][attribute]["S"], []).append(group.name)
    for stored, entities in names.items():
        if len(entities) > 1:
            yield (
                f"{attribute} is {stored!r} in items with keys of {len(entities)} forms, so {attribute} does not "
                f"determine the entity. The model has {' and '.join(map(class_name, entities))}."
            )


def _agrees_with_keys(table: SampledTable, name: str) -> bool:
    """Return whether all keys of each type start with the same literals. A path can have any length.

    If two types of an ambiguous attribute have keys with the same literals, they are one entity.
    """
    constants = _literal_segments(table)
    forms: dict[str, set[object]] = {}
    for item in table.items:
        form = _key_form(item, table.keys, constants)
        forms.setdefault(item[name]["S"], set()).add(
            tuple(part[0] if isinstance(part, tuple) else part for part in form)
        )
    if any(len(seen) > 1 for seen in forms.values()):
        return False
    if name not in _AMBIGUOUS or table.kinds:
        return True
    with_literals = [
        form for seen in forms.values() for form in seen if any(part not in ("*", "S") for part in _parts(form))
    ]
    return len(set(with_literals)) == len(with_literals)


def _parts(form: object) -> tuple[object, ...]:
    return form if isinstance(form, tuple) else ()


def _groups_by_key(table: SampledTable) -> Iterator[EntityGroup]:
    constants = _literal_segments(table)
    found: dict[tuple[str | None, object], list[Item]] = {}
    kinds = table.kinds or (None,) * len(table.items)
    for item, kind in zip(table.items, kinds, strict=True):
        found.setdefault((kind, _key_form(item, table.keys, constants)), []).append(item)
    names: set[str] = set()
    types = ambiguous_types(table)
    owners = {} if types is None else _owners(types[0], found)
    for (kind, form), items in found.items():
        if types is not None:
            own = items[0][types[0]]["S"]
            parent = owners.get(_parts(form)[:1], own)
            name = own if parent == own and own not in names else _free(f"{parent} {own}", names)
            names.add(name)
            yield EntityGroup(name, tuple(items))
            continue
        name = _name(form, kind or table.name, names)
        if kind is None and _is_of_parent(form, items, table.keys) and not name.endswith(" item"):
            name = item_name(name)
        if kind is not None:
            name = kind if kind not in names else f"{kind} {name.removeprefix(kind)}".strip()
        names.add(name)
        yield EntityGroup(name, tuple(items), kind)


def _is_of_parent(form: object, items: Sequence[Item], keys: Sequence[str]) -> bool:
    """Return whether only the partition key has a literal, and several items share a partition.

    The literal then names the parent of the items: items under `USER#1` that are sorted by time are not users.
    """
    parts = _parts(form)
    if len(parts) < 2 or not any(word not in ("*", "") for word in _parts(parts[0])):
        return False
    if any(word not in ("*", "") for word in (_parts(parts[1]) or ("*",))):
        return False
    partitions = [str(item.get(keys[0])) for item in items]
    return len(set(partitions)) < len(partitions)


def _literal_segments(table: SampledTable) -> frozenset[tuple[str, int, str]]:
    """Return the segments that look like literals, each with its key attribute and its position."""
    found: dict[tuple[str, int, str], list[Item]] = {}
    for item in table.items:
        for name in table.keys:
            segments = segments_of(item, name)
            for place, word in enumerate(segments):
                if word not in table.identifiers and _is_literal(name, segments, place, is_first=name == table.keys[0]):
                    found.setdefault((name, place, word), []).append(item)
    return frozenset(found) - _field_values(found, table.key_attributes)


def _field_values(
    found: dict[tuple[str, int, str], list[Item]], keys: Collection[str]
) -> frozenset[tuple[str, int, str]]:
    """Return the segments that repeat an attribute of each of their items, such as the airport in `SEA#2024-05-01`.

    A single value does not suffice. The attribute must equal several different values at the same position.
    """
    explained: dict[tuple[str, int, str], set[str]] = {}
    for (name, place, word), items in found.items():
        for attribute in items[0].keys() - set(keys) - set(TYPE_ATTRIBUTES):
            if all(item.get(attribute, {}).get("S") == word for item in items):
                explained.setdefault((name, place, attribute), set()).add(word)
    return frozenset(
        (name, place, word) for (name, place, _), words in explained.items() if len(words) > 1 for word in words
    )


def _is_literal(name: str, segments: list[str], place: int, *, is_first: bool) -> bool:
    """Return whether a segment looks like a literal: a word before or after a value, or the only word of a sort key."""
    if len(segments) > 1 and not segments[0]:  # a key such as #USER#u1 begins with the delimiter
        is_word_of_two = len(segments) > 2 and place == 1 and segments[1].isupper()
        return place > 0 and (is_word_of_two or _is_literal(name, segments[1:], place - 1, is_first=is_first))
    word = segments[place]
    if DELIMITER in name or (len(segments) == 1 and not is_key_name(name)):
        return False  # an attribute named Status#Date names its parts, and a key named CustomerID contains one value
    if len(segments) == 1:
        return looks_literal(word) and (word.isupper() or is_sort_name(name))
    if is_first and _is_ending(segments, place):
        return True
    return place % 2 == 0 and place + 1 < len(segments) and looks_literal(word)


def _is_ending(segments: list[str], place: int) -> bool:
    """Return whether a segment is a word in capitals after the only value of a key, as in `u1#ORDERS`."""
    is_after_value = place == 1 and len(segments) == 2 and not looks_literal(segments[0])
    return is_after_value and segments[1].isupper() and len(segments[1]) >= _ENDING_MIN and looks_literal(segments[1])


def _key_form(item: Item, keys: Sequence[str], constants: frozenset[tuple[str, int, str]]) -> tuple[object, ...]:
    """Return the keys with a star in place of every value. For a key that is not a string, return its type.

    A value with a prefix, such as `User:u1`, becomes `User:*`.
    """
    form: list[object] = []
    for name in keys:
        segments = segments_of(item, name)
        if not segments:
            form.append(next(iter(item.get(name) or {"": None})))
        else:
            form.append(tuple(_mark(name, segments, place, constants) for place in range(len(segments))))
    return tuple(form)


def _mark(name: str, segments: list[str], place: int, constants: frozenset[tuple[str, int, str]]) -> str:
    word = segments[place]
    is_constant = (name, place, word) in constants
    if is_constant or not word:
        return word
    prefixed = split_prefix(word) if is_key_name(name) else None
    return f"{prefixed[0]}*" if prefixed is not None else "*"


def _name(form: object, table_name: str, taken: set[str]) -> str:
    """Return the last literal of the keys that is a readable word, otherwise a name from the name of the table."""
    parts = [part for part in (form if isinstance(form, tuple) else ()) if isinstance(part, tuple)]
    words = [str(word).rstrip(":=|~*") for part in parts for word in part if word not in ("*", "")]
    readable = [word for word in words if len(word) >= _NAME_MIN and word.upper() not in _GENERIC_WORDS]
    name = readable[-1] if readable else item_name(table_name)
    if name in taken:
        name = " ".join(readable or [name, *words])
    return _free(name, taken)


def _free(name: str, taken: Collection[str]) -> str:
    found, number = name, 2
    while found in taken:
        found, number = f"{name}{number}", number + 1
    return found


def _owners(
    attribute: str, groups: Mapping[tuple[str | None, object], Sequence[Item]]
) -> dict[tuple[object, ...], str]:
    """Return the types of items whose partition key and sort key have the same form, by this form."""
    forms = [(_parts(form), items) for (_, form), items in groups.items()]
    return {parts[:1]: items[0][attribute]["S"] for parts, items in forms if len(parts) == 2 and parts[0] == parts[1]}


def item_name(table_name: str) -> str:
    """Return a name for the only entity of a table: `Cart` for CartTable, `MusicItem` for Music."""
    base = re.sub(r"[\W_]*(?:table|tbl|model)$", "", table_name, flags=re.IGNORECASE)
    return base if base and class_name(base) != class_name(table_name) else f"{table_name} item"
