"""Closed sets: the few texts that the partitions of an index are made of, told from how often each of them was seen."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from singletable.drafts.draft import DraftEntity, DraftKeys, NativeKey, Position
from singletable.drafts.identifiers import field_identifier
from singletable.drafts.item_fields import Fields
from singletable.drafts.literals import DELIMITER
from singletable.drafts.proposals import fields_in
from singletable.drafts.seen_items import SeenIndex, SeenTable
from singletable.model.table_schema import TABLE

VALUES_MAX = 26
ITEMS_MIN = 10
# So many items were seen for each value; for numbers and names, which go on where the sample ends, it takes more.
_ITEMS_EACH = 3
_ITEMS_EACH_OF_NAMES = 10
# One item in so many may have a value that no other has: that share says how much was not seen (Good and Turing).
_ITEMS_PER_LONELY_VALUE = 20
_TEXT_MAX = 32

# A word of few digits, or several with one sign between them; text, moments and long numbers are none.
_WORDS = re.compile(r"(?!.*\d{4})[^\W_]+(?:[-_.:/][^\W_]+)*")
_BETWEEN_WORDS = re.compile(r"[-_.:/]")
_NUMBER = re.compile(r"[0-9]{1,3}")
_ALONE = re.compile(r"[^{}]*\{([^{}:]+)\}[^{}]*")
# Fields that say which one, and not of what kind: there is always one more of them.
_TELLS_WHICH = frozenset(
    (
        *("id", "ids", "uuid", "guid", "key", "sku", "slug", "name", "title", "label", "handle", "username", "email"),
        *("mail", "phone", "address", "city", "url", "path", "token", "hash", "user", "owner", "author", "member"),
        *("customer", "tenant", "account", "device", "date", "day", "week", "month", "year", "time", "at", "on", "by"),
    )
)


def closed_sets(
    table: SeenTable, kind: str, fields: Fields, keys: Mapping[str, DraftKeys], aliases: Mapping[SeenIndex, str]
) -> dict[str, DraftKeys]:
    """The keys; a field that alone tells an index's partitions apart has its values as choices where they are few.

    Such a field that only the key holds has the name of the literal before it: there is no id that it could be.
    """
    found = dict(keys)
    partitions = {segment for item in table.items for segment in _segments(item.get(table.keys[0], {}).get("S"))}
    for index, alias in aliases.items():
        if alias not in found or index.kind != "GSI":
            continue
        name = _only_field(found[alias].partition)
        if name is None or not _may_be_closed(fields, name, found):
            continue
        wanted = _name_in(found[alias].partition[0], kind) if name in fields.key_only else name
        if wanted.rpartition("_")[2] in _TELLS_WHICH:
            continue
        values = [str(value) for value in fields.values[name] if value is not None]
        if partitions.intersection(values) or not is_closed(values):
            continue
        fields.by_name[name] = replace(fields.by_name[name], choices=tuple(sorted(set(values))))
        if name in fields.key_only:
            found = _named_anew(fields, name, wanted, found)
    return found


def closed_set_notes(entities: Iterable[DraftEntity], counts: Iterable[int]) -> Iterator[str]:
    """What the reader of a draft has to know of its choices."""
    for entity, count in zip(entities, counts, strict=True):
        for field in entity.fields:
            if field.choices:
                yield (
                    f"{entity.class_name}.{field.name} has the {len(field.choices)} values that {count} items show, "
                    "which may not be all there are. Add others to its Literal before they are written or read: "
                    "items that have them are refused, and a list over all partitions passes them over."
                )


def is_closed(values: Sequence[str]) -> bool:
    """Whether these values of items are so few, and each so often seen, that one may hold them for all there are.

    Two or more words, each of which is one of few, are too, if they were seen in every combination: a shard that was
    made of two fields needs no more items than the fields do.
    """
    distinct = set(values)
    if len(values) < ITEMS_MIN or not 2 <= len(distinct) <= VALUES_MAX:
        return False
    if any(_is_no_word(text) for text in distinct) or _are_numbered(distinct):
        return False
    if all(_NUMBER.fullmatch(text) for text in distinct):
        return _are_in_a_row(distinct) and _are_seen(values, _ITEMS_EACH_OF_NAMES)
    if any(text[0].isupper() and not text.isupper() for text in distinct):
        return _are_seen(values, _ITEMS_EACH_OF_NAMES)
    return _are_seen(values, _ITEMS_EACH) or _are_combined(values)


def _is_no_word(text: str) -> bool:
    return len(text) > _TEXT_MAX or _WORDS.fullmatch(text) is None


def _are_numbered(distinct: set[str]) -> bool:
    """Whether they are one word with numbers behind it: c1 and c2, or user-1 and user-2, are ids."""
    heads = {re.sub(r"[0-9]+$", "", text) for text in distinct}
    return len(heads) == 1 and heads != {""}


def _are_in_a_row(distinct: set[str]) -> bool:
    numbers = sorted(map(int, distinct))
    return numbers[0] in (0, 1) and numbers == list(range(numbers[0], numbers[0] + len(distinct)))


def _are_seen(values: Sequence[str], items_each: int) -> bool:
    """Whether every value was seen so often on average, and hardly one of them only once."""
    counts = Counter(values)
    lonely = sum(count == 1 for count in counts.values())
    return len(values) >= items_each * len(counts) and lonely * _ITEMS_PER_LONELY_VALUE <= len(values)


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


def _segments(text: object) -> list[str]:
    return text.split(DELIMITER) if isinstance(text, str) else []


def _only_field(partition: tuple[Position, ...]) -> str | None:
    """The field that is all that varies in a partition key, written as it is."""
    alone = _ALONE.fullmatch(partition[0]) if len(partition) == 1 and isinstance(partition[0], str) else None
    return alone[1] if alone is not None else None


def _may_be_closed(fields: Fields, name: str, keys: Mapping[str, DraftKeys]) -> bool:
    """Whether the field is text that says of what kind an item is: what is in its own key says which one it is."""
    known = fields.by_name.get(name)
    if known is None or known.type != "str" or known.choices or name in fields.raw:
        return False
    own = (*keys[TABLE].partition, *keys[TABLE].sort)
    return name not in fields_in(own) and all(name not in made.fields for made in fields.derived.values())


def _name_in(position: Position, kind: str) -> str:
    """The literal before the value as a name; `CUSTOMER#...` of a customer is some part of all customers."""
    before = str(position).partition("{")[0].rstrip(DELIMITER).rpartition(DELIMITER)[2].rstrip("=")
    own, said = (re.sub(r"[\W_]", "", text).lower() for text in (kind, before))
    return "part" if own.startswith(said) or said.startswith(own) else field_identifier(before)


def _named_anew(fields: Fields, old: str, wanted: str, keys: Mapping[str, DraftKeys]) -> dict[str, DraftKeys]:
    """The keys with another name for a field that only they hold."""
    new = fields.free_name(wanted)
    fields.by_name = {
        new if name == old else name: replace(each, name=new) if name == old else each
        for name, each in fields.by_name.items()
    }
    fields.values[new] = fields.values.pop(old)
    fields.key_only = {new if name == old else name for name in fields.key_only}
    slot = re.compile(rf"\{{{re.escape(old)}(?=[:}}])")

    def renamed(positions: tuple[Position, ...]) -> tuple[Position, ...]:
        return tuple(each if isinstance(each, NativeKey) else slot.sub(f"{{{new}", each) for each in positions)

    return {alias: DraftKeys(renamed(each.partition), renamed(each.sort), each.sparse) for alias, each in keys.items()}
