"""Redesign: the same entities and patterns without keys, to compare the declared keys with the chosen keys."""

from __future__ import annotations

from dataclasses import replace

from singletable.model.design import Design, compile_declarations
from singletable.model.entity import Entity, EntityDeclaration


def without_keys(design: Design) -> Design:
    """Return the design without keys and indexes. Each entity keeps the identity that its key gives it.

    Mirrored edges and their originals keep their keys, because only their keys distinguish them.
    """
    mirrors = {each.declaration.mirror_of for each in design.entities}
    kept = [each for each in design.entities if each.declaration.mirror_of is not None or each.cls in mirrors]
    used = {alias for each in kept for alias in each.placements}
    declarations = [each.declaration if each in kept else _keyless(each) for each in design.entities]
    declarations += [each.declaration for each in design.keyless]
    indexes = tuple(each for each in design.settings.indexes if each.alias in used)
    return compile_declarations(replace(design.settings, indexes=indexes), declarations, design.patterns)


def _keyless(entity: Entity) -> EntityDeclaration:
    identity = entity.identity or tuple(name for name in entity.fields if name in entity.base.exact_fields)
    return replace(entity.declaration, keys={}, identity=identity, expected_per_partition={}, mirror_of=None)


def declared_counts(design: Design) -> dict[str, dict[frozenset[str], int]]:
    """Return the declared items per partition by entity and by the fields of the partition key.

    A chosen key with the same partition fields has the same number of items in a partition.
    """
    found: dict[str, dict[frozenset[str], int]] = {}
    for entity in design.entities:
        counts = entity.declaration.expected_per_partition
        found[entity.label] = {
            placement.partition_fields: counts[alias]
            for alias, placement in entity.placements.items()
            if alias in counts
        }
    return found
