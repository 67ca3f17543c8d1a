"""Items of one kind: by an attribute that names it, or by the literals in their keys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from singletable.drafts.literals import DELIMITER, is_key_name, is_sort_name, looks_literal
from singletable.drafts.seen_items import Item, SeenTable

KNOWN_TYPE_ATTRIBUTES = (
    "entity_type",
    "entityType",
    "EntityType",
    "Type",
    "type",
    "_type",
    "_et",
    "__edb_e__",
    "entity",
    "Entity",
    "kind",
)
KINDS_MAX = 60


@dataclass(frozen=True)
class Cluster:
    """Items that are of one kind, and the name that they or their keys give it."""

    name: str
    items: tuple[Item, ...]


def clusters_of(table: SeenTable) -> tuple[str | None, tuple[Cluster, ...]]:
    """The attribute that tells kinds apart, if there is one, and the kinds in the order in which they were met."""
    attribute = type_attribute(table)
    if attribute is not None:
        found: dict[str, list[Item]] = {}
        for item in table.items:
            found.setdefault(item[attribute]["S"], []).append(item)
        return attribute, tuple(Cluster(name, tuple(items)) for name, items in found.items())
    return None, tuple(_by_keys(table))


def type_attribute(table: SeenTable) -> str | None:
    """An attribute of a usual name that every item has as text, and for whose values keys have different forms."""
    keys = {*table.keys, *(name for index in table.indexes for name in (*index.partition, *index.sort))}
    for name in KNOWN_TYPE_ATTRIBUTES:
        if name in keys or not table.items:
            continue
        values = [item.get(name, {}).get("S") for item in table.items]
        if None not in values and len(set(values)) <= KINDS_MAX and _splits_forms(table, name):
            return name
    return None


def _splits_forms(table: SeenTable, name: str) -> bool:
    """Whether the keys of each kind begin alike: then the attribute says no less than the keys do.

    Only the beginnings are held against each other, since a path goes on for as long as it likes.
    """
    constants = _constant_words(table)
    forms: dict[str, set[object]] = {}
    for item in table.items:
        form = _form(item, table.keys, constants)
        forms.setdefault(item[name]["S"], set()).add(
            tuple(part[0] if isinstance(part, tuple) else part for part in form)
        )
    return all(len(seen) == 1 for seen in forms.values())


def _by_keys(table: SeenTable) -> Iterator[Cluster]:
    constants = _constant_words(table)
    found: dict[tuple[str | None, object], list[Item]] = {}
    kinds = table.kinds or (None,) * len(table.items)
    for item, kind in zip(table.items, kinds, strict=True):
        found.setdefault((kind, _form(item, table.keys, constants)), []).append(item)
    names: set[str] = set()
    for (kind, form), items in found.items():
        name = _name(form, kind or table.name, names)
        if kind is not None:
            name = kind if kind not in names else f"{kind} {name.removeprefix(kind)}"
        names.add(name)
        yield Cluster(name, tuple(items))


def _constant_words(table: SeenTable) -> frozenset[tuple[str, int, str]]:
    """Segments of keys that look like literals, each with the key and the place it was seen in."""
    return frozenset(
        (name, place, word)
        for item in table.items
        for name in table.keys
        for place, word in enumerate(_segments(item, name))
        if _is_literal(name, _segments(item, name), place)
    )


def _is_literal(name: str, segments: list[str], place: int) -> bool:
    """Whether a segment looks like a literal: the word that heads a segment, or the one word of a sort key."""
    word = segments[place]
    if DELIMITER in name or (len(segments) == 1 and not is_key_name(name)):
        return False  # `Status#Date` names what it is made of, and a key called CustomerID holds one
    if len(segments) == 1:
        return looks_literal(word) and (word.isupper() or is_sort_name(name))
    return place % 2 == 0 and place + 1 < len(segments) and looks_literal(word)


def _segments(item: Item, name: str) -> list[str]:
    text = item.get(name, {}).get("S")
    return text.split(DELIMITER) if isinstance(text, str) else []


def _form(item: Item, keys: Sequence[str], constants: frozenset[tuple[str, int, str]]) -> tuple[object, ...]:
    """The keys with what varies left out: literals by themselves, everything else as a star."""
    form: list[object] = []
    for name in keys:
        segments = _segments(item, name)
        if not segments:
            form.append(next(iter(item.get(name) or {"": None})))
            continue
        form.append(tuple(_mark(name, segments, place, constants) for place in range(len(segments))))
    return tuple(form)


def _mark(name: str, segments: list[str], place: int, constants: frozenset[tuple[str, int, str]]) -> str:
    """A literal by itself; an empty segment is one too."""
    word = segments[place]
    is_marked = (name, place, word) in constants and (len(segments) == 1 or place % 2 == 0)
    return word if is_marked or not word else "*"


def _name(form: object, table_name: str, taken: set[str]) -> str:
    """A name out of the last literal of the keys, or of the first."""
    parts = [part for part in (form if isinstance(form, tuple) else ()) if isinstance(part, tuple)]
    words: list[str] = [str(word) for part in parts for word in part if word not in ("*", "")]
    plain = [word for word in words if word.upper() not in ("METADATA", "META", "INFO", "PROFILE", "DETAILS", "A")]
    name = (plain or words or [table_name])[-1]
    if name in taken:
        name = " ".join(plain or words or [table_name])
    found, number = name, 2
    while found in taken:
        found, number = f"{name}{number}", number + 1
    return found
