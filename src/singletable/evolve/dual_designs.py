"""Dual designs: the design of new code with the old index keys, and with both, for as long as a migration is open."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from singletable.errors import DesignError
from singletable.evolve.design_snapshot import FUNCTION, derived_snapshot, snapshot_of
from singletable.evolve.differences import differences, works_in_all_phases
from singletable.evolve.operations.field_renamed import FieldRenamed
from singletable.evolve.renamed_fields import with_renamed_derived
from singletable.evolve.restored_design import derived_of, index_of, keys_of
from singletable.evolve.snapshot_records import EntitySnapshot, KeysSnapshot, Snapshot
from singletable.lazy_dataclass import dataclass, replace
from singletable.model.derived.derived_function import DerivedFunction
from singletable.model.derived.derived_value import DerivedValue
from singletable.model.design import Design, compile_declarations
from singletable.model.entity import Entity, EntityDeclaration
from singletable.model.table_schema import GSI, LSI, TABLE


@dataclass(frozen=True)
class DualDesigns:
    """Three designs with the classes and patterns of the new code."""

    old: Design
    """With the indexes and index keys of the old design, for reads until the new indexes are complete."""
    both: Design
    """With the indexes and index keys of both designs, for writes."""
    new: Design


class NotDual(Exception):
    """New code cannot work with the old index keys; the text says why."""


def dual_designs(design: Design, before: Snapshot) -> DualDesigns:
    """Return the designs for a migration from `before` to `design`; raise NotDual if there are none."""
    operations = differences(before, snapshot_of(design))
    blocking = [str(each) for each in operations if not each.works_in_all_phases]
    if not works_in_all_phases(operations):
        raise NotDual(f"new code cannot write items that old code reads: {', '.join(blocking)}")
    for each in operations:
        if isinstance(each, FieldRenamed):
            before = each.apply(before)
    try:
        return _OldKeys(design, before).designs()
    except DesignError as problem:
        raise NotDual(f"new code cannot compute the old keys: {problem}") from problem


class _OldKeys:
    """The keys of an old design, computed from the fields of the new classes."""

    def __init__(self, design: Design, before: Snapshot) -> None:
        self._design, self._before = design, before
        new_names = {index.name for alias, index in design.indexes.items() if alias != TABLE}
        self._gone = {a: each for a, each in before.indexes.items() if a != TABLE and each.name not in new_names}
        """The old indexes that the new design does not have, by their old alias."""
        names = {each.name: alias for alias, each in design.indexes.items() if alias != TABLE}
        self._kept = {a: names[each.name] for a, each in before.indexes.items() if a != TABLE and each.name in names}
        """The new aliases of the other indexes, by their old alias."""

    def designs(self) -> DualDesigns:
        """Compile the designs."""
        design = self._design
        old = self._compiled([self._with_old_keys(each) for each in design.entities], self._old_indexes())
        both = [self._with_both_keys(each) for each in design.entities]
        indexes = [*design.settings.indexes, *(self._index(a, self._free_alias(a)) for a in self._gone)]
        return DualDesigns(old, self._compiled(both, indexes), design)

    def _compiled(self, declarations: list[EntityDeclaration], indexes: list[GSI | LSI]) -> Design:
        settings = replace(self._design.settings, indexes=tuple(indexes), ttl_attribute=self._design.ttl_attribute)
        declarations = [_placed_estimates(each) for each in declarations]
        return compile_declarations(settings, declarations, self._design.patterns)

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
        keys = {TABLE: declaration.keys[TABLE]}
        derived: dict[str, DerivedValue] = {}
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
