"""Notes on values that are stored twice: copies of another item's attributes, and index keys equal to the table key."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from singletable.importers.live.entity_groups import EntityGroup
from singletable.importers.live.key_words import DELIMITER, is_key_name
from singletable.importers.live.sampled_table import Item, SampledTable
from singletable.model.field_roles import words_of

SHORTEST_COPY = 3
_REFERENCES = frozenset(
    {"id", "uuid", "key", "type", "status", "state", "kind", "at", "date", "time", "timestamp", "pk", "sk", "currency"}
    | {"notes", "comment", "message", "description", "text"}
)
"""Last words of attributes that repeat in related items on purpose, or whose value never changes."""


def copied_value_notes(table: SampledTable, groups: Sequence[EntityGroup], type_attribute: str | None) -> Iterator[str]:
    """Yield notes on copies that nothing keeps in sync, and on indexes by an attribute that equals the table key."""
    left_out = {*table.keys, *filter(is_key_name, table.key_attributes), type_attribute}
    reported: set[tuple[str, str, str, str]] = set()
    for parent in groups:
        if len({str(item.get(table.keys[0])) for item in parent.items}) < len(parent.items):
            continue  # several items in a partition: none of them is the parent of the others
        copies: dict[str, list[str]] = {}
        for child in groups:
            if child is not parent:
                for source, copy in _copies(table, parent, child, left_out):
                    if (child.name, copy, parent.name, source) not in reported:
                        reported.add((parent.name, source, child.name, copy))
                        copies.setdefault(source, []).append(f"{child.name}.{copy}")
        for source, found in copies.items():
            yield (
                f"{', '.join(found)} {'repeats' if len(found) == 1 else 'repeat'} {parent.name}.{source}, and nothing "
                "keeps the copies in sync. If the value can change, declare copies=."
            )
    yield from _repeated_keys(table)


def _copies(
    table: SampledTable, parent: EntityGroup, child: EntityGroup, left_out: set[str | None]
) -> Iterator[tuple[str, str]]:
    """Yield the attributes of a parent with the attributes of its children that have the same values."""
    pairs = list(_related(table, parent.items, child.items))
    sources = _texts(table, pairs[0][0], left_out) if pairs else []
    for source in sources:
        for copy in _texts(table, pairs[0][1], left_out):
            equal = [own[source] for own, other in pairs if source in own and own[source] == other.get(copy)]
            known = sum(source in own and copy in other for own, other in pairs)
            different = len({str(each) for each in equal})
            if known and len(equal) == known and (different > 1 or source == copy):
                yield source, copy


def _related(table: SampledTable, parents: Sequence[Item], children: Sequence[Item]) -> Iterator[tuple[Item, Item]]:
    """Yield each child with its parent: an attribute of the child contains the parent's partition key or id."""
    partition = table.keys[0]
    by_key = {str(item[partition].get("S")): item for item in reversed(parents) if partition in item}
    for child in children:
        texts = [each.get("S") for each in child.values()]
        found = next((by_key[text] for text in texts if isinstance(text, str) and text in by_key), None)
        if found is not None:
            yield found, child


def _texts(table: SampledTable, item: Item, left_out: set[str | None]) -> list[str]:
    """Return the text attributes that are not identifiers, because no key contains them."""
    key = DELIMITER.join(str(item[name].get("S", "")) for name in table.keys if name in item)
    found = [(name, value["S"]) for name, value in item.items() if name not in left_out and "S" in value]
    return [
        name
        for name, text in found
        if len(text) >= SHORTEST_COPY
        and text not in key
        and not text.isdigit()
        and not _REFERENCES.intersection(words_of(name)[-1:])
    ]


def _repeated_keys(table: SampledTable) -> Iterator[str]:
    """Yield a note on each index whose partition key equals that of the table in all of its items."""
    key = table.keys[0]
    for index in table.indexes:
        if index.kind != "GSI" or len(index.partition) != 1 or index.partition[0] in table.keys:
            continue
        name = index.partition[0]
        inside = [item for item in table.items if name in item]
        if len({str(item[name]) for item in inside}) > 1 and all(item[name] == item.get(key) for item in inside):
            yield (
                f"The index {index.name} is probably redundant: {name} equals {key} in all items, so the table serves "
                "the same reads."
            )
