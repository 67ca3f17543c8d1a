"""Draft of an existing table: entities, fields and key templates inferred from its description and sample items."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from singletable.importers.draft import (
    DraftEntity,
    DraftField,
    DraftIndex,
    DraftKeys,
    DraftTable,
    NativeKey,
    Position,
    fields_in,
    identity_note,
    identity_of,
    left_out_index,
)
from singletable.importers.live.closed_sets import closed_set_notes, closed_sets
from singletable.importers.live.copied_values import copied_value_notes
from singletable.importers.live.entity_groups import (
    EntityGroup,
    ambiguous_type_notes,
    entity_groups,
    varying_literals,
)
from singletable.importers.live.index_gaps import gap_notes
from singletable.importers.live.index_key_notes import incomplete_key_notes, other_value_notes, rare_absence_notes
from singletable.importers.live.item_fields import ItemFields, field_type, python_value
from singletable.importers.live.key_overlaps import RAW_REASON, with_accepted_overlaps
from singletable.importers.live.key_templates import TemplateInference, is_clear_majority
from singletable.importers.live.key_words import DELIMITER, identifiers, is_key_name, looks_literal
from singletable.importers.live.keys_only import index_attributes, table_of_keys
from singletable.importers.live.misspelt_keys import with_corrected_keys
from singletable.importers.live.other_delimiters import (
    other_delimiter,
    with_other_delimiter,
    with_usual_delimiter,
)
from singletable.importers.live.sampled_table import SampledTable
from singletable.importers.names import class_name, field_name
from singletable.importers.proposals import with_proposed_patterns
from singletable.model.field_roles import words_of
from singletable.model.table_schema import TABLE
from singletable.planner.formatting import format_count

SCHEMA_VERSION = "schema_v"
"""The attribute in which the library stores the schema version of an item."""
EXAMPLES_MAX = 3
SHORTEST_WORD = 3
"""In the declared name of a key, a word in capitals is a literal if it has at least this length."""
NO_SAMPLED_KEYS = "no sampled item has its keys"
"""Why an index of a sampled table is not in the model."""


def inferred_table(table: SampledTable, taken: Collection[str] = ()) -> DraftTable:
    """Return the draft of a table with proposed patterns. `taken` contains the class names of other tables."""
    return with_proposed_patterns(inferred_entities(table, taken))


def inferred_entities(table: SampledTable, taken: Collection[str] = ()) -> DraftTable:
    """Return the draft of a table without patterns."""
    if not table.items:
        return table_of_keys(table)
    if (pair := other_delimiter(table)) is not None:
        return with_other_delimiter(inferred_entities(with_usual_delimiter(table, pair), taken), pair)
    empty = table.empty_keys
    table, corrections = with_corrected_keys(table.without_empty_keys())
    table = replace(table, identifiers=identifiers(table.items, table.key_attributes))
    attribute, groups = entity_groups(table)
    table = replace(table, varying=varying_literals(table, groups))
    entities: list[DraftEntity] = []
    notes: list[str] = []
    for group in groups:
        names = [*taken, *(entity.class_name for entity in entities)]
        name = class_name(group.name, names)
        inference = _EntityInference(table, group, attribute, name)
        entities.append(inference.entity())
        notes += [*renamed_class(group.name, name), *inference.notes]
    entities = with_accepted_overlaps(entities, notes)
    used = tuple(index for index in table.indexes if any(index.alias in entity.keys for entity in entities))
    notes += ambiguous_type_notes(table, groups)
    notes += _attribute_notes(entities)
    notes += closed_set_notes(entities, [len(group.items) for group in groups])
    notes += gap_notes(entities, used)
    notes += copied_value_notes(table, groups, attribute)
    return DraftTable(
        class_name(table.name, [*taken, *(entity.class_name for entity in entities)]),
        table.name,
        tuple(entities),
        table.keys,
        used,
        (),
        attribute,
        table.ttl_attribute if not any(entity.ttl for entity in entities) else None,
        doc=f"{table.name}, inferred from {format_count(len(table.items), 'item')}.",
        notes=(*corrections, *_empty_key_notes(empty), *_index_notes(table, used), *notes),
    )


def renamed_class(name: str, given: str) -> Iterator[str]:
    """Yield a note on an entity whose class needs another name, because a class of the file already has this name."""
    if given != (usual := class_name(name, ())):
        yield f"The class of {name} is {given}, because another class of the file has the name {usual}."


def _empty_key_notes(empty: Mapping[str, int]) -> Iterator[str]:
    if empty:
        shown = ", ".join(f"{name} ({format_count(count, 'item')})" for name, count in empty.items())
        yield (
            f"Index keys that are an empty string, which DynamoDB rejects: {shown}. In the model, these items are not "
            "in the index. check --items reports them as ST221."
        )


def _index_notes(table: SampledTable, used: Sequence[DraftIndex]) -> Iterator[str]:
    for index in table.indexes:
        if index not in used:
            yield left_out_index(index, NO_SAMPLED_KEYS)


def _attribute_notes(entities: Sequence[DraftEntity]) -> Iterator[str]:
    for entity in entities:
        if any(field.stored_as == SCHEMA_VERSION for field in entity.fields):
            yield (
                f"{entity.class_name}.{SCHEMA_VERSION} is a plain field, because the functions that upgrade items "
                "are not in the table. Replace it with schema_version= and @upgrade functions."
            )


class _EntityInference:
    """Infers one entity from its items."""

    def __init__(self, table: SampledTable, group: EntityGroup, type_attribute: str | None, name: str) -> None:
        self.table = table
        self.group = group
        self.name = name
        self.type_attribute = type_attribute
        self.notes: list[str] = []
        self.version = 1 if all(item.get(SCHEMA_VERSION) == {"N": "1"} for item in group.items) else None
        left_out = {type_attribute} if type_attribute else set()
        self.fields = self._fields(left_out | ({SCHEMA_VERSION} if self.version is not None else set()))

    def entity(self) -> DraftEntity:
        """Return the entity."""
        everywhere = list(range(len(self.group.items)))
        positions = tuple(self._position(name, everywhere) for name in self.table.keys)
        keys = {TABLE: DraftKeys(positions[:1], positions[1:])}
        for index in self.table.indexes:
            if (of_index := self._index_keys(index)) is not None:
                keys[index.alias] = of_index
        self.notes += incomplete_key_notes(self.name, self.group.items, self.table.indexes, keys, self.fields)
        self.notes += other_value_notes(self.name, keys, self.fields)
        fields = self.fields
        keys = closed_sets(self.table, self.group.name, fields, keys)
        ttl = next((each for each in fields.by_name.values() if each.stored_as == self.table.ttl_attribute), None)
        identity = identity_of(self.name, fields.by_name, keys[TABLE])
        self._add_notes(identity)
        return DraftEntity(
            self.name,
            tuple(fields.by_name.values()),
            keys,
            self.group.stored_name,
            f"{self.name}, inferred from {format_count(len(self.group.items), 'item')}.",
            ttl.name if ttl is not None and ttl.type == "int" else None,
            {"ST107": RAW_REASON} if fields.raw else {},
            dict(fields.derived),
            identity=identity,
            schema_version=self.version,
        )

    def _add_notes(self, identity: tuple[str, ...] | None) -> None:
        for place, (chosen, others) in self.fields.choices.items():
            names = " and ".join((chosen, *others))
            self.notes.append(
                f"{self.name}: {place} could also be {', '.join(others)}: {names} are equal in all items."
            )
        for attribute, (slot, places) in self.fields.exceptions.items():
            self.notes.append(
                f"{self.name}: {attribute} contains {slot} in {len(self.group.items) - len(places)} of "
                f"{len(self.group.items)} items, and another value in: {self._keys_of(places)}. check --items reports "
                "them as ST203 or ST204."
            )
        for place, (name, count, items) in self.fields.differences.items():
            self.notes.append(
                f"{self.name}: {place} differs from {name} in {count} of {items} items, so it is a separate field. If "
                f"both have the same meaning, correct the items and use {{{name}}} in the key."
            )
        if self.fields.raw:
            names = ", ".join(sorted(self.fields.raw))
            self.notes.append(
                f'{self.name}: accept={{"ST107": ...}} was added, because keys contain the text of {names} unescaped.'
            )
        if identity is not None:
            self.notes.append(identity_note(self.name, identity))

    def _fields(self, left_out: Collection[str]) -> ItemFields:
        """Return the attributes as fields, except keys that are composed of other values."""
        items, key_names = self.group.items, self.table.key_attributes
        attributes = dict.fromkeys(name for item in items for name in item)
        by_name: dict[str, DraftField] = {}
        fields = ItemFields(by_name, {}, attributes=frozenset((*attributes, *left_out, *key_names)))
        for attribute in attributes:
            if attribute not in left_out and not (attribute in key_names and self._is_composed(attribute)):
                self._add_field(fields, attribute)
        return fields

    def _add_field(self, fields: ItemFields, attribute: str) -> None:
        seen = [item.get(attribute) for item in self.group.items]
        kind = field_type(each for each in seen if each is not None)
        alias = self._alias(attribute)
        name = field_name(alias or attribute, (*fields.by_name, *fields.derived))
        is_optional = any(each is None or "NULL" in each for each in seen)
        fields.by_name[name] = DraftField(name, kind, is_optional, None if name == attribute else attribute)
        fields.values[name] = [python_value(kind, each) for each in seen]

    def _alias(self, attribute: str) -> str | None:
        """Return the declared name of the content of a generic key attribute."""
        alias = self.table.aliases.get(self.group.kind or "", {}).get(attribute)
        return alias if alias is not None and is_key_name(attribute) and not is_key_name(alias) else None

    def _is_composed(self, attribute: str) -> bool:
        """Return whether a key attribute is text with several parts, or has the name of a generic key."""
        texts = [item[attribute].get("S") for item in self.group.items if attribute in item]
        if any(text is None for text in texts):
            return False
        return is_key_name(attribute) or any(DELIMITER in str(text) for text in texts)

    def _index_keys(self, index: DraftIndex) -> DraftKeys | None:
        """Return the keys of an index that contains some of the items.

        They are sparse if it does not contain all items.
        """
        names, items = index_attributes(index), self.group.items
        inside = [place for place, item in enumerate(items) if all(name in item for name in names)]
        if not inside:
            return self._native_index_keys(index)
        is_sparse = len(inside) < len(items)
        positions = self._sparse_positions(index, inside) if is_sparse else None
        if positions is not None:
            self._note_rare_absence(index, inside, positions)
        elif is_sparse and (positions := self._complete_positions(index, inside)) is not None:
            is_sparse = False
        if positions is None:
            if is_sparse:
                self._add_key_fields(names)
            positions = {name: self._position(name, inside) for name in names}
            if is_sparse and not self._excludes_others(tuple(positions.values()), inside):
                self.notes.append(
                    f"{self.name} is not in the index {index.name}: {len(inside)} of {len(items)} items have its keys, "
                    "and no field is missing in the others."
                )
                return None
            if is_sparse:
                self._note_rare_absence(index, inside, positions)
        if index.kind == "LSI":
            return DraftKeys(tuple(positions[name] for name in index.sort), (), is_sparse)
        partition = tuple(positions[name] for name in index.partition)
        return DraftKeys(partition, tuple(positions[name] for name in index.sort), is_sparse)

    def _native_index_keys(self, index: DraftIndex) -> DraftKeys | None:
        """Return keys for an index whose attributes are all fields, although no item has all of these fields.

        An item with all these fields would be in the index, so the model must declare it.
        """
        stored = {each.stored_as: each.name for each in self.fields.by_name.values()}
        if index.kind == "LSI" or not all(name in stored for name in (*index.partition, *index.sort)):
            return None
        partition = tuple(NativeKey(stored[name]) for name in index.partition)
        return DraftKeys(partition, tuple(NativeKey(stored[name]) for name in index.sort), sparse=True)

    def _sparse_positions(self, index: DraftIndex, inside: list[int]) -> Mapping[str, Position] | None:
        """Return the keys of a sparse index if fields determine which items it contains. Otherwise return None."""
        fields, items = self.fields, self.group.items
        own = [name for name in (*index.partition, *index.sort) if name not in self.table.keys]
        partly = [item for place, item in enumerate(items) if place not in inside and any(name in item for name in own)]
        # A few items with a part of a key are mistakes, which check --items reports as ST225.
        is_partly_in = bool(partly) and not is_clear_majority(len(inside), len(inside) + len(partly))
        before = fields.snapshot()
        fields.preferred = frozenset(
            name
            for name, values in fields.values.items()
            if all((value is not None) == (place in inside) for place, value in enumerate(values))
        )
        positions = {name: self._position(name, inside) for name in index_attributes(index)}
        fields.preferred = frozenset()
        added = {name for name in fields_in(tuple(positions.values())) if name not in before.by_name}
        # A field that no attribute stores would be lost if an item outside the index is read and written again.
        is_lossy = bool(added & fields.key_only)
        if is_partly_in or is_lossy or not self._excludes_others(tuple(positions.values()), inside):
            fields.restore(before)
            return None
        return positions

    def _complete_positions(self, index: DraftIndex, inside: list[int]) -> Mapping[str, Position] | None:
        """Return the keys of an index, and add a note, if a few items are missing by mistake. Otherwise return None.

        It is a mistake if a clear majority of the items is in the index, the others have all fields of the index keys,
        and no other attribute shows why they are not in the index.
        """
        fields, items = self.fields, self.group.items
        outside = [place for place in range(len(items)) if place not in inside]
        if not is_clear_majority(len(inside), len(items)) or self._is_explained(inside, outside):
            return None
        before = fields.snapshot()
        positions = {name: self._position(name, inside) for name in index_attributes(index)}
        used = fields_in(tuple(positions.values()))
        is_native = any(isinstance(each, NativeKey) for name, each in positions.items() if name not in self.table.keys)
        known = [fields.values[name] for name in used if name in before.by_name and name in fields.values]
        # An index key of literals only is a marker that some items have on purpose.
        if (
            not used
            or is_native
            or len(known) < len(used)
            or any(seen[place] is None for seen in known for place in outside)
        ):
            fields.restore(before)
            return None
        self.notes.append(
            f"{self.name}: {len(outside)} of {len(items)} items are missing from the index {index.name}, although they "
            f"have all fields of its keys: {self._keys_of(outside)}. check --items reports them as ST205."
        )
        return positions

    def _is_explained(self, inside: list[int], outside: list[int]) -> bool:
        """Return whether an attribute with repeated values, such as a status, separates the items of an index."""
        items = self.group.items
        for name in {name for item in items for name in item} - self.table.key_attributes:
            within = [repr(items[place].get(name)) for place in inside]
            others = {repr(items[place].get(name)) for place in outside}
            if len(set(within)) < len(within) and not others.intersection(within):
                return True
        return False

    def _note_rare_absence(self, index: DraftIndex, inside: list[int], positions: Mapping[str, Position]) -> None:
        """Add a note if few items are missing from a sparse index: perhaps they lack a value by mistake."""
        outside = [place for place in range(len(self.group.items)) if place not in inside]
        shown = self._keys_of(outside)
        self.notes += rare_absence_notes(self.name, index, inside, outside, positions, self.fields, shown)

    def _keys_of(self, places: Sequence[int]) -> str:
        """Return the keys of some items, for notes."""
        shown = [
            ", ".join(
                f"{name}={' '.join(map(str, self.group.items[place][name].values()))}" for name in self.table.keys
            )
            for place in places[:EXAMPLES_MAX]
        ]
        more = len(places) - len(shown)
        return "; ".join((*shown, *([f"and {more} more"] if more else [])))

    def _add_key_fields(self, names: Sequence[str]) -> None:
        """Add each key attribute as a field, unless fields or templates already explain it."""
        stored = {each.stored_as for each in self.fields.by_name.values()}
        for attribute in names:
            if attribute not in self.fields.templates and attribute not in stored:
                self._add_field(self.fields, attribute)

    def _excludes_others(self, positions: tuple[Position, ...], inside: list[int]) -> bool:
        """Return whether every item outside the index lacks a field of its keys."""
        values = [self.fields.values[name] for name in fields_in(positions) if name in self.fields.values]
        return all(
            any(len(seen) <= place or seen[place] is None for seen in values)
            for place in range(len(self.group.items))
            if place not in inside
        )

    def _position(self, attribute: str, indices: list[int]) -> Position:
        fields = self.fields
        for known in fields.by_name.values():
            if known.stored_as == attribute:
                return NativeKey(known.name)
        if attribute not in fields.templates:
            texts = [str(self.group.items[place][attribute]["S"]) for place in indices]
            usual = self._usual_name(attribute)
            alias = self._alias(attribute)
            varying = self.table.varying.get(attribute, ())
            words = self.table.identifiers
            inference = TemplateInference(fields, attribute, texts, indices, alias, usual, varying, words)
            of_entity = texts[0] if self._names_entity(texts) else None
            fields.templates[attribute] = self._declared(attribute, inference) or of_entity or inference.infer()
            if alias is not None and _contradicts(alias, fields.templates[attribute]):
                self.notes.append(
                    f"{self.name}: the document declares {attribute} as {alias}, but the items contain "
                    f"{fields.templates[attribute]}. One of them is a mistake."
                )
        return fields.templates[attribute]

    def _names_entity(self, texts: Sequence[str]) -> bool:
        """Return whether a key is the name of the entity in every item, such as `order` in the items of ORDER."""
        is_same = len(set(texts)) == 1 and re.fullmatch(r"\w+", texts[0]) is not None
        return is_same and words_of(texts[0]) == words_of(self.group.name)

    def _mismatch(self, inference: TemplateInference, declared: str) -> str:
        """Return a note that some items do not match a declared template, with the key of the first such item."""
        before, attribute = self.fields.snapshot(), inference.attribute
        for place, text in zip(inference.indices, inference.texts, strict=True):
            found = TemplateInference(self.fields, attribute, [text], [place]).declared(declared)
            self.fields.restore(before)
            if found is None:
                return f"the items do not match it, such as {self._keys_of([place])}"
        return "no field has its values in all items"

    def _usual_name(self, attribute: str) -> str:
        """Return a default name for a value: the id of the entity, if the value alone identifies an item."""
        partition, *sort = self.table.keys
        others = {item[name].get("S", "") for item in self.group.items for name in sort}
        is_alone = not others or (len(others) == 1 and all(map(looks_literal, others)))
        return f"{self.name}_id" if attribute == partition and is_alone else "part"

    def _declared(self, attribute: str, inference: TemplateInference) -> str | None:
        """Return the declared template if every item matches it. Otherwise add a note and return None."""
        declared = self.table.templates.get(self.group.kind or "", {}).get(attribute)
        if declared is None:
            return None
        before = self.fields.snapshot()
        if self.type_attribute is not None and self.group.stored_name is not None:
            declared = declared.replace(f"${{{self.type_attribute}}}", self.group.stored_name)
        found = inference.declared(declared)
        if found is None:
            self.fields.restore(before)
            has_expression = re.search(r"[ %()]", re.sub(r"\$\{[^{}]*\}", "", declared)) is not None
            reason = "a template cannot contain expressions" if has_expression else self._mismatch(inference, declared)
            self.notes.append(
                f"{self.name}: the declared template {declared} of {attribute} was not used, because {reason}; "
                "the template in the model is inferred from the items."
            )
        return found


def _contradicts(alias: str, template: str) -> bool:
    """Return whether a declared name of a key has another literal word than the template, at the same position."""
    words, parts = alias.split(DELIMITER), template.split(DELIMITER)
    return len(words) == len(parts) and any(
        word.isupper() and len(word) >= SHORTEST_WORD and "{" not in part and part and part != word
        for word, part in zip(words, parts, strict=True)
    )
