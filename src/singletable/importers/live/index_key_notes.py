"""Notes on index keys of inferred entities: items that are not in the index, and keys that differ from their field."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from singletable.importers.draft import DraftIndex, DraftKeys, NativeKey, Position, fields_in
from singletable.importers.live.item_fields import ItemFields
from singletable.importers.live.key_templates import is_clear_majority
from singletable.importers.live.key_words import DELIMITER, is_key_name
from singletable.importers.live.keys_only import index_attributes
from singletable.importers.live.sampled_table import Item
from singletable.model.field_roles import words_of


def incomplete_key_notes(
    entity: str,
    items: Sequence[Item],
    indexes: Sequence[DraftIndex],
    keys: Mapping[str, DraftKeys],
    fields: ItemFields,
) -> Iterator[str]:
    """Yield notes on key attributes of an index that does not contain the items, because another key is missing."""
    stored = {each.stored_as for each in fields.by_name.values()}
    for index in (each for each in indexes if each.alias not in keys):
        names = index_attributes(index)
        seen = {name for item in items for name in names if name in item}
        lost = [name for name in names if name in seen and name not in stored and name not in fields.templates]
        if lost:
            missing = ", ".join(name for name in names if name not in seen) or "a key in each of them"
            yield (
                f"{entity}: {', '.join(lost)} was left out. The index {index.name} does not contain the items, "
                f"because they have no {missing}. check --items reports them as ST225."
            )


def rare_absence_notes(
    entity: str,
    index: DraftIndex,
    inside: Sequence[int],
    outside: Sequence[int],
    positions: Mapping[str, Position],
    fields: ItemFields,
    shown: str,
) -> Iterator[str]:
    """Yield notes on a sparse index with most items: the missing items (with keys `shown`), and a single partition."""
    count = len(inside) + len(outside)
    is_by_attribute = all(isinstance(each, NativeKey) for each in positions.values())
    if not is_clear_majority(len(inside), count) and not (is_by_attribute and len(outside) < count):
        return
    used = [name for name in fields_in(tuple(positions.values())) if name in fields.values]
    lacking = [name for name in used if any(fields.values[name][place] is None for place in outside)]
    if lacking:
        yield (
            f"{entity}: {len(outside)} of {count} items are not in the index {index.name}, because they have no "
            f"{' or '.join(lacking)}: {shown}. If that is a mistake, give them a value."
        )
    constant = [positions[name] for name in index.partition]
    if is_clear_majority(len(inside), count) and not fields_in(tuple(constant)):
        text = DELIMITER.join(map(str, constant))
        yield (
            f"{entity}: all items in the index {index.name} are in one partition, {text}. A partition serves at most "
            "1,000 write units per second, so put a field into the key if the list grows."
        )


def other_value_notes(entity: str, keys: Mapping[str, DraftKeys], fields: ItemFields) -> Iterator[str]:
    """Yield a note if a partition key names a field, as in #TIMESTAMP, but the sort key has other values than it."""
    for of_index in keys.values():
        words = {words_of(word) for each in of_index.partition if isinstance(each, str) for word in each.split("#")}
        for sort in (each for each in of_index.sort if isinstance(each, NativeKey)):
            attribute = fields.by_name[sort.field].stored_as
            for name in (each for each in fields.by_name if each != sort.field and words_of(each) in words):
                pairs = zip(fields.values[sort.field], fields.values[name], strict=True)
                both = [(own, other) for own, other in pairs if own is not None and other is not None]
                differing = sum(own != other for own, other in both)
                if is_key_name(attribute or "") and differing:
                    yield (
                        f"{entity}: {attribute} differs from {name} in {differing} of {len(both)} items, although "
                        f"its partition is named after {name}. Correct the items, or rename the partition."
                    )
