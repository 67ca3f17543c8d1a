"""Dual designs: with them, new code reads and writes the old form of items, or both forms, during a migration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from singletable.errors import DesignError
from singletable.evolve.design_snapshot import (
    FUNCTION,
    copy_snapshot,
    count_snapshot,
    derived_snapshot,
    snapshot_of,
)
from singletable.evolve.differences import differences, works_in_all_phases
from singletable.evolve.moved_entities import MovedEntity
from singletable.evolve.operation import Operation
from singletable.evolve.operations.base_key_changed import BaseKeyChanged
from singletable.evolve.operations.entity_renamed import EntityRenamed
from singletable.evolve.operations.field_renamed import FieldRenamed
from singletable.evolve.phases import ITEM_FORMS, MOVE_FORMS, NEW_FORM, FormUse, ItemForm, Phase
from singletable.evolve.renamed_fields import with_renamed_derived
from singletable.evolve.restored_design import copy_of, count_of, derived_of, index_of, keys_of
from singletable.evolve.snapshot_records import EntitySnapshot, KeysSnapshot, Snapshot
from singletable.lazy_dataclass import dataclass, replace
from singletable.model.derived.derived_function import DerivedFunction
from singletable.model.derived.derived_value import DerivedValue
from singletable.model.derived_data import Marking
from singletable.model.design import Design, compile_declarations
from singletable.model.entity import Entity, EntityDeclaration
from singletable.model.table_schema import GSI, LSI, TABLE
from singletable.planner.plan import UnsupportedPattern
from singletable.planner.planner import plan_copies_query

_OLD = ItemForm(FormUse.READS_OLD, FormUse.WRITES_OLD)
_EXPANDED = ItemForm(FormUse.READS_OLD, FormUse.WRITES_EXPANDED)
_FILLED = ItemForm(FormUse.READS_OLD, FormUse.WRITES_BOTH)
_SWITCHED = ItemForm(FormUse.READS_NEW, FormUse.WRITES_BOTH)
_MARKING: Mapping[ItemForm, Marking] = {
    _OLD: Marking.IGNORED,
    _EXPANDED: Marking.HONORED,
    _FILLED: Marking.WRITTEN,
    _SWITCHED: Marking.COMPLETE,
}


@dataclass(frozen=True)
class DualDesigns:
    """The designs with the classes and patterns of the new code, for each form of items."""

    old: Design
    """The design for reads of the old form, until the new form is complete."""
    new: Design
    writes: Mapping[ItemForm, Design]
    """The design for writes in each phase."""
    incomplete: frozenset[type] = frozenset()
    """The classes whose items the backfill creates, so that reads find all items only after the backfill."""
    moved: tuple[MovedEntity, ...] = ()
    """The entities whose items move. No other change of the form is possible in the same migration."""

    @property
    def both(self) -> Design:
        """The design that writes both forms, from the phase `backfill` to the phase `verify`."""
        return self.new if self.moved else self.writes[_FILLED]

    @property
    def forms(self) -> Mapping[Phase, ItemForm]:
        """The forms that new code reads and writes in each phase."""
        return MOVE_FORMS if self.moved else ITEM_FORMS


def renamed_entities(operations: Sequence[Operation]) -> Mapping[str, str]:
    """Return the old name of each renamed entity."""
    return {each.after: each.before for each in operations if isinstance(each, EntityRenamed)}


def with_former_names(design: Design, names: Mapping[str, str]) -> Design:
    """Return a design that also reads the items with the old names of renamed entities."""
    entities = tuple(
        replace(each, declaration=replace(each.declaration, former_names=(names[each.name],)))
        if each.name in names
        else each
        for each in design.entities
    )
    return replace(design, entities=entities) if names else design


def moved_names(operations: Sequence[Operation]) -> frozenset[str]:
    """Return the names of the entities whose items move."""
    return frozenset(each.entity for each in operations if isinstance(each, BaseKeyChanged))


def moved_entities(design: Design, before: Snapshot, operations: Sequence[Operation]) -> tuple[MovedEntity, ...]:
    """Return the entities whose items move. Raise NotDual if the new code cannot compute an old key."""
    names = moved_names(operations)
    if not names:
        return ()
    for each in operations:
        if isinstance(each, FieldRenamed | EntityRenamed):
            before = each.apply(before)
    try:
        old = _OldForm(design, before, renamed_entities(operations)).old_design()
    except DesignError as problem:
        raise NotDual(f"new code cannot compute the old keys: {problem}") from problem
    return tuple(MovedEntity(old.entity_of(each.cls), each) for each in design.entities if each.name in names)


class NotDual(Exception):
    """New code cannot work with the old form of items; the text says why."""


def dual_designs(design: Design, before: Snapshot) -> DualDesigns:
    """Return the designs for a migration from `before` to `design`; raise NotDual if there are none."""
    operations = differences(before, snapshot_of(design))
    blocking = [str(each) for each in operations if not each.works_in_all_phases]
    if not works_in_all_phases(operations):
        raise NotDual(f"new code cannot write items that old code reads: {', '.join(blocking)}")
    for each in operations:
        if isinstance(each, FieldRenamed | EntityRenamed):
            before = each.apply(before)
    form, moved = _OldForm(design, before, renamed_entities(operations)), moved_names(operations)
    try:
        return form.moving_designs(moved) if moved else form.designs()
    except DesignError as problem:
        raise NotDual(f"new code cannot compute the old form: {problem}") from problem


class _OldForm:
    """The old form of items, computed from the fields of the new classes."""

    def __init__(self, design: Design, before: Snapshot, names: Mapping[str, str]) -> None:
        self._design, self._before, self._names = design, before, names
        new_names = {index.name for alias, index in design.indexes.items() if alias != TABLE}
        self._gone = {a: each for a, each in before.indexes.items() if a != TABLE and each.name not in new_names}
        """The old indexes that the new design does not have, by their old alias."""
        names = {each.name: alias for alias, each in design.indexes.items() if alias != TABLE}
        self._kept = {a: names[each.name] for a, each in before.indexes.items() if a != TABLE and each.name in names}
        """The new aliases of the other indexes, by their old alias."""

    def old_design(self) -> Design:
        """Compile the design of the old form."""
        old_keys = [(each, self._with_old_keys(each)) for each in self._design.entities]
        return self._compiled(
            [self._with_attributes(entity, self._with_old_data(entity, each), None) for entity, each in old_keys],
            self._old_indexes(),
        )

    def moving_designs(self, names: frozenset[str]) -> DualDesigns:
        """Compile the designs for a migration that moves items, and changes nothing else in them."""
        old, new = self.old_design(), self._design
        changed = [each for each in new.entities if each.name in names]
        moved = tuple(MovedEntity(old.entity_of(each.cls), each) for each in changed)
        for each in moved:
            if not each.is_exact:
                raise NotDual(f"the old and the new key of {each.new.label} do not determine each other")
        if new.settings.type_attribute is None:
            raise NotDual("items without a type attribute are recognised by their key")
        for entity in changed:
            for copy in entity.declaration.copies:
                for design in (old, new):
                    plan = plan_copies_query(design, copy, design.entity_of(entity.cls))
                    if isinstance(plan, UnsupportedPattern) or plan.index.kind != "GSI" or plan.index.is_inverse:
                        raise NotDual(f"a Query on the keys of the table finds the copies in {entity.label}")
        writes = dict.fromkeys(MOVE_FORMS.values(), new) | {_OLD: old}
        return DualDesigns(old, new, writes, moved=moved)

    def designs(self) -> DualDesigns:
        """Compile the designs."""
        entities = self._design.entities
        old = self.old_design()
        indexes = [*self._design.settings.indexes, *(self._index(a, self._free_alias(a)) for a in self._gone)]
        both_keys = [(each, self._with_both_keys(each)) for each in entities]
        new = with_former_names(self._design, self._names)
        writes = {_OLD: old, NEW_FORM: new}
        for form in (_EXPANDED, _FILLED, _SWITCHED):
            declared = [
                self._with_attributes(entity, self._with_both_data(entity, each, _MARKING[form]), form.reads)
                for entity, each in both_keys
            ]
            writes[form] = self._compiled(declared, indexes)
        self._check_copies(old, writes[_FILLED])
        added = {each.cls for each in entities if each.declaration.mirror_of and self._record(each) is None}
        return DualDesigns(old, new, writes, frozenset(added))

    def _record(self, entity: Entity) -> EntitySnapshot | None:
        return self._before.entities.get(entity.name)

    def _with_old_data(self, entity: Entity, declaration: EntityDeclaration) -> EntityDeclaration:
        """Return the declaration with the derived data of the old design."""
        record = self._record(entity)
        if record is None:
            return replace(declaration, mirror_of=None)
        codecs = declaration.codecs
        kept = tuple(each for each in declaration.copies if copy_snapshot(each) in record.copies)
        counted = tuple(
            each if count_snapshot(each, codecs) in record.counted else replace(each, marking=Marking.IGNORED)
            for each in declaration.counted
        )
        copies = (*kept, *self._dropped_copies(entity, record))
        counted = (*counted, *self._dropped_counters(entity, record))
        return replace(declaration, unique=record.unique, copies=copies, counted=counted)

    def _with_both_data(self, entity: Entity, declaration: EntityDeclaration, marking: Marking) -> EntityDeclaration:
        """Return the declaration with the derived data of both designs."""
        record = self._record(entity)
        if record is None:
            return declaration
        codecs, copied = declaration.codecs, {ours for each in declaration.copies for ours in each.fields.values()}
        counted = tuple(
            each if count_snapshot(each, codecs) in record.counted else replace(each, marking=marking)
            for each in declaration.counted
        )
        compiled = {each.field: each.tracked_fields for each in entity.declaration.counted}
        for each in counted:
            if each.marking is not None and copied & compiled[each.field]:
                raise NotDual(f"{entity.label} counts by copied fields: {', '.join(sorted(copied))}")
        unique = (*declaration.unique, *(each for each in record.unique if each not in declaration.unique))
        copies = (*declaration.copies, *self._dropped_copies(entity, record))
        counted = (*counted, *self._dropped_counters(entity, record))
        return replace(declaration, unique=unique, copies=copies, counted=counted)

    def _with_attributes(
        self, entity: Entity, declaration: EntityDeclaration, reads: FormUse | None
    ) -> EntityDeclaration:
        """Return the declaration with the attribute names that a form reads, and the other names as second forms.

        If `reads` is None, the declaration has the old names and no second forms.
        """
        record = self._record(entity)
        renamed: dict[str, tuple[str, str]] = {}
        for name, attribute in declaration.attributes.items():
            field = None if record is None else record.field(name)
            if field is not None and field.attribute != attribute:
                renamed[name] = (field.attribute, attribute)
        if not renamed:
            return declaration
        for count in (each for other in self._design.entities for each in other.declaration.counted):
            if count.owner is entity.cls and count.field in renamed:
                raise NotDual(f"new code counts in {entity.label}.{count.field}, whose attribute is renamed")
        reads_new = reads is FormUse.READS_NEW
        primary = {name: new if reads_new else old for name, (old, new) in renamed.items()}
        second = {old if reads_new else new: name for name, (old, new) in renamed.items()}
        attributes = {**declaration.attributes, **primary}
        return replace(declaration, attributes=attributes, second_forms={} if reads is None else second)

    def _dropped_copies(self, entity: Entity, record: EntitySnapshot) -> list[Any]:
        kept = [copy_snapshot(each) for each in entity.declaration.copies]
        return [copy_of(each, self._classes(each.source)) for each in record.copies if each not in kept]

    def _dropped_counters(self, entity: Entity, record: EntitySnapshot) -> list[Any]:
        kept = [count_snapshot(each, entity.declaration.codecs) for each in entity.declaration.counted]
        return [count_of(each, self._classes(each.owner)) for each in record.counted if each not in kept]

    def _classes(self, needed: str) -> Mapping[str, type]:
        classes = {each.name: each.cls for each in self._design.entities}
        if needed not in classes:
            raise NotDual(f"new code has no entity {needed!r}, whose items old code keeps in sync")
        return classes

    def _check_copies(self, old: Design, both: Design) -> None:
        """Raise NotDual if no Query on the old indexes finds the copies that new code must update."""
        for entity in both.entities:
            for copy in entity.declaration.copies:
                if isinstance(plan_copies_query(old, copy, old.entity_of(entity.cls)), UnsupportedPattern):
                    raise NotDual(f"no Query on the old indexes finds the copies in {entity.label}")

    def _compiled(self, declarations: list[EntityDeclaration], indexes: list[GSI | LSI]) -> Design:
        expiry = ((each, each.ttl) for each in declarations)
        found = next((each.attributes[name] for each, name in expiry if name), self._design.ttl_attribute)
        settings = replace(self._design.settings, indexes=tuple(indexes), ttl_attribute=found)
        declarations = [self._with_old_name(_placed_estimates(each)) for each in declarations]
        return compile_declarations(settings, declarations, self._design.patterns)

    def _with_old_name(self, declaration: EntityDeclaration) -> EntityDeclaration:
        old = self._names.get(declaration.name)
        return declaration if old is None else replace(declaration, name=old, former_names=(declaration.name,))

    def _old_indexes(self) -> list[GSI | LSI]:
        return [self._index(alias, alias) for alias in self._before.indexes if alias != TABLE]

    def _index(self, alias: str, name: str) -> GSI | LSI:
        return index_of(msgspec.structs.replace(self._before.indexes[alias], alias=name))

    def _free_alias(self, alias: str) -> str:
        while alias in self._design.indexes:
            alias = f"old_{alias}"
        return alias

    def _with_old_keys(self, entity: Entity) -> EntityDeclaration:
        declaration, record = entity.declaration, self._before.entities.get(entity.name)
        keys = {TABLE: declaration.keys[TABLE] if record is None else keys_of(TABLE, record.keys[TABLE])}
        derived: dict[str, DerivedValue] = dict(() if record is None else self._derived(entity, record.keys[TABLE]))
        for alias in self._before.indexes:
            new_alias = self._kept.get(alias)
            if record is None:  # an entity without stored items has its new keys from the beginning
                if new_alias in declaration.keys:
                    keys[alias] = declaration.keys[new_alias or ""]
            elif alias in record.keys and alias != TABLE:
                keys[alias] = keys_of(alias, record.keys[alias])
                derived |= self._derived(entity, record.keys[alias])
        return replace(declaration, keys=keys, derived={**declaration.derived, **derived})

    def _with_both_keys(self, entity: Entity) -> EntityDeclaration:
        declaration, record = entity.declaration, self._before.entities.get(entity.name)
        keys, derived = dict(declaration.keys), dict(declaration.derived)
        for alias, old_keys in {} if record is None else _index_keys(record).items():
            new_alias = self._kept.get(alias) or self._free_alias(alias)
            if new_alias in keys:  # an index that both designs have contains the same keys
                continue
            renames = {name: f"old_{name}" for name in old_keys.derived if name in derived}
            renamed = with_renamed_derived(old_keys, renames)
            keys[new_alias] = keys_of(new_alias, renamed)
            derived |= self._derived(entity, renamed)
        return replace(declaration, keys=keys, derived=derived)

    def _derived(self, entity: Entity, keys: KeysSnapshot) -> Mapping[str, DerivedValue]:
        """Return the derived values of old keys; a function of the user is taken from the new code by its name."""
        known: dict[str, Any] = {
            str(derived_snapshot(each).options["function"]): each.function
            for each in entity.declaration.derived.values()
            if isinstance(each, DerivedFunction)
        }
        for name, record in keys.derived.items():
            if record.kind == FUNCTION and record.options.get("function") not in known:
                function = record.options.get("function")
                raise NotDual(f"the old keys of {entity.label} contain {name}, which needs the function {function}")
        return {name: derived_of(record, known) for name, record in keys.derived.items()}


def _index_keys(record: EntitySnapshot) -> dict[str, KeysSnapshot]:
    return {alias: keys for alias, keys in record.keys.items() if alias != TABLE}


def _placed_estimates(declaration: EntityDeclaration) -> EntityDeclaration:
    """Return the declaration without estimates for indexes in which the entity has no keys."""
    expected = {alias: each for alias, each in declaration.expected_per_partition.items() if alias in declaration.keys}
    return replace(declaration, expected_per_partition=expected)
