"""Redesign: the same entities and patterns without keys, to compare the declared keys with the chosen keys."""

from __future__ import annotations

from dataclasses import replace

from singletable.model.design import Design, compile_declarations
from singletable.model.entity import Entity, EntityDeclaration


def without_keys(design: Design) -> Design:
    """Return the design without keys and indexes. Each entity keeps the identity that its key gives it."""
    declarations = [_keyless(each) for each in design.entities]
    declarations += [each.declaration for each in design.keyless]
    return compile_declarations(replace(design.settings, indexes=()), declarations, design.patterns)


def _keyless(entity: Entity) -> EntityDeclaration:
    identity = entity.identity or tuple(name for name in entity.fields if name in entity.base.exact_fields)
    return replace(entity.declaration, keys={}, identity=identity, expected_per_partition={}, mirror_of=None)
