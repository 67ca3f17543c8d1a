"""Closed sets: fields with few possible values, inferred from the frequency of each value in the keys of an index."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from singletable.importers.draft import DraftEntity, DraftKeys, NativeKey, Position, fields_in
from singletable.importers.live.item_fields import ItemFields
from singletable.importers.live.key_words import DELIMITER, segments_of
from singletable.importers.live.sampled_table import SampledTable
from singletable.importers.names import field_name
from singletable.model.table_schema import TABLE

VALUES_MAX = 26
ITEMS_MIN = 10
# The number of items per value that is needed. Numbers and names need more, because further values are likely.
_ITEMS_EACH = 3
_ITEMS_EACH_OF_NAMES = 10
# The share of values that occur only once is an estimate of the share of unseen values (Good-Turing). At most one item
# in 20 may have an unseen value.
_ITEMS_PER_SINGLE_VALUE = 20
_TEXT_MAX = 32

# Matches words with few digits, separated by single signs. It does not match free text, timestamps or long numbers.
_WORDS = re.compile(r"(?!.*\d{4})[^\W_]+(?:[-_.:/][^\W_]+)*")
_BETWEEN_WORDS = re.compile(r"[-_.:/]")
_NUMBER = re.compile(r"[0-9]{1,3}")
_ONE_SLOT = re.compile(r"[^{}]*\{([^{}:]+)\}[^{}]*")
# Names of fields that identify items instead of classifying them. Such a field can always have a new value.
_IDENTIFYING = frozenset(
    (
        *("id", "ids", "uuid", "guid", "key", "sku", "slug", "name", "title", "label", "handle", "username", "email"),
        *("mail", "phone", "address", "city", "url", "path", "token", "hash", "user", "owner", "author", "member"),
        *("customer", "tenant", "account", "device", "date", "day", "week", "month", "year", "time", "at", "on", "by"),
    )
)


def closed_sets(
    table: SampledTable, kind: str, fields: ItemFields, keys: Mapping[str, DraftKeys]
) -> dict[str, DraftKeys]:
    """Return the keys, and set the choices of fields that are the only varying part of a partition key.

    If such a field is only in keys, the literal before it becomes its name.
    """
    found = dict(keys)
    partitions = {segment for item in table.items for segment in segments_of(item, table.keys[0])}
    for index in table.indexes:
        alias = index.alias
        if alias not in found or index.kind != "GSI":
            continue
        name = _only_field(found[alias].partition)
        if name is None or not _can_classify(fields, name, found):
            continue
        new_name = _name_in(found[alias].partition[0], kind) if name in fields.key_only else name
        if new_name.rpartition("_")[2] in _IDENTIFYING:
            continue
        values = [str(value) for value in fields.values[name] if value is not None]
        if partitions.intersection(values) or not is_closed(values):
            continue
        fields.by_name[name] = replace(fields.by_name[name], choices=tuple(sorted(set(values))))
        if name in fields.key_only:
            found = _renamed(fields, name, new_name, found)
    return found


def closed_set_notes(entities: Iterable[DraftEntity], counts: Iterable[int]) -> Iterator[str]:
    """Yield a note for every field with inferred choices."""
    for entity, count in zip(entities, counts, strict=True):
        for field in entity.fields:
            if field.choices:
                yield (
                    f"{entity.class_name}.{field.name}: the Literal has the {len(field.choices)} values of {count} "
                    "sampled items. Add missing values to it. The model rejects items with other values, and a list "
                    "over all partitions does not read these items."
                )


def is_closed(values: Sequence[str]) -> bool:
    """Return whether the values are few, and each is so frequent that there are probably no others.

    Values of several words are closed if every word is closed and every combination occurs. So a shard key of two
    fields needs no more items than the single fields need.
    """
    distinct = set(values)
    if len(values) < ITEMS_MIN or not 2 <= len(distinct) <= VALUES_MAX:
        return False
    if any(_is_long_or_text(text) for text in distinct) or _are_numbered(distinct):
        return False
    if all(_NUMBER.fullmatch(text) for text in distinct):
        return _are_in_a_row(distinct) and _are_seen(values, _ITEMS_EACH_OF_NAMES)
    if any(text[0].isupper() and not text.isupper() for text in distinct):
        return _are_seen(values, _ITEMS_EACH_OF_NAMES)
    return _are_seen(values, _ITEMS_EACH) or _are_combined(values)


def _is_long_or_text(text: str) -> bool:
    return len(text) > _TEXT_MAX or _WORDS.fullmatch(text) is None


def _are_numbered(distinct: set[str]) -> bool:
    """Return whether the values are one word with different numbers.

    Then they are identifiers, such as c1 and c2, or user-1 and user-2.
    """
    heads = {re.sub(r"[0-9]+$", "", text) for text in distinct}
    return len(heads) == 1 and heads != {""}


def _are_in_a_row(distinct: set[str]) -> bool:
    numbers = sorted(map(int, distinct))
    return numbers[0] in (0, 1) and numbers == list(range(numbers[0], numbers[0] + len(distinct)))


def _are_seen(values: Sequence[str], items_each: int) -> bool:
    """Return whether values are frequent on average, and only few of them occur only once."""
    counts = Counter(values)
    singles = sum(count == 1 for count in counts.values())
    return len(values) >= items_each * len(counts) and singles * _ITEMS_PER_SINGLE_VALUE <= len(values)


def _are_combined(values: Sequence[str]) -> bool:
    columns = list(zip(*map(_words, values), strict=False))
    if len({len(_words(text)) for text in values}) != 1 or len(columns) < 2:
        return False
    combinations = 1
    for column in columns:
        combinations *= len(set(column))
    return combinations == len(set(values)) and all(_are_seen(column, _ITEMS_EACH) for column in columns)


def _words(text: str) -> list[str]:
    return _BETWEEN_WORDS.split(text)


def _only_field(partition: tuple[Position, ...]) -> str | None:
    """Return the field that is the only varying part of a partition key."""
    match = _ONE_SLOT.fullmatch(partition[0]) if len(partition) == 1 and isinstance(partition[0], str) else None
    return match[1] if match is not None else None


def _can_classify(fields: ItemFields, name: str, keys: Mapping[str, DraftKeys]) -> bool:
    """Return whether the field can classify items. A field of the table key identifies items instead."""
    known = fields.by_name.get(name)
    if known is None or known.type != "str" or known.choices or name in fields.raw:
        return False
    own = (*keys[TABLE].partition, *keys[TABLE].sort)
    return name not in fields_in(own) and all(name not in made.fields for made in fields.derived.values())


def _name_in(position: Position, kind: str) -> str:
    """Return a field name from the literal before the value. Return `part` if the literal is the name of the entity."""
    before = str(position).partition("{")[0].rstrip(DELIMITER).rpartition(DELIMITER)[2].rstrip("=")
    own, word = (re.sub(r"[\W_]", "", text).lower() for text in (kind, before))
    return "part" if own.startswith(word) or word.startswith(own) else field_name(before)


def _renamed(fields: ItemFields, old: str, name: str, keys: Mapping[str, DraftKeys]) -> dict[str, DraftKeys]:
    """Return the keys with another name for a field that no attribute stores."""
    new = fields.free_name(name)
    fields.by_name = {
        new if known == old else known: replace(each, name=new) if known == old else each
        for known, each in fields.by_name.items()
    }
    fields.values[new] = fields.values.pop(old)
    fields.key_only = {new if known == old else known for known in fields.key_only}
    slot = re.compile(rf"\{{{re.escape(old)}(?=[:}}])")

    def renamed(positions: tuple[Position, ...]) -> tuple[Position, ...]:
        return tuple(each if isinstance(each, NativeKey) else slot.sub(f"{{{new}", each) for each in positions)

    return {alias: DraftKeys(renamed(each.partition), renamed(each.sort), each.sparse) for alias, each in keys.items()}
