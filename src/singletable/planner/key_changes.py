"""Edits that change the keys of entities, and the parameters that patterns need for the changed keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from singletable.lazy_dataclass import replace
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.intents import GetIntent, ItemWriteIntent
from singletable.model.parameter_types import Equal
from singletable.model.pattern_declaration import ParameterDeclaration, PatternDeclaration
from singletable.model.table_schema import Keys
from singletable.planner.changed_designs import is_served, patterns_of, with_declarations
from singletable.planner.key_source import change_templates, keys_edits, parameters_for, quoted
from singletable.planner.plan import Plan
from singletable.planner.planner import plan
from singletable.planner.remedy import Edit, SetKeyword, pattern_place, table_place

ChangedKeys = Mapping[str, Keys]
"""The changed keys of an entity, by the alias of the index."""


def template_change(
    design: Design, entities: Sequence[Entity], change: Callable[[str], str]
) -> tuple[Edit, ...] | None:
    """Return the edits that change the key templates of entities.

    Return None if a pattern would no longer be served.
    """
    changed: list[tuple[Entity, ChangedKeys]] = []
    for entity in entities:
        declared = entity.declaration.keys
        keys = {alias: change_templates(keys, change) for alias, keys in declared.items()}
        changed.append((entity, {alias: each for alias, each in keys.items() if each != declared[alias]}))
    return key_change(design, changed)


def key_change(
    design: Design, changed: Sequence[tuple[Entity, ChangedKeys]], attributes: tuple[str, ...] | None = None
) -> tuple[Edit, ...] | None:
    """Return the edits of the keys, and of the patterns that need more parameters; None if a pattern is not served.

    `attributes` are the new names of the table's key attributes, if these names also change.
    """
    edits, declarations = tuple[Edit, ...](), {}
    for entity, keys in changed:
        declarations[entity.cls] = replace(entity.declaration, keys={**entity.declaration.keys, **keys})
        edits += tuple(edit for alias in keys for edit in keys_edits(entity, alias, keys[alias]))
    settings: dict[str, Any] = {} if attributes is None else {"keys": attributes}
    after = with_declarations(design, declarations, None, **settings) if edits else None
    if after is None:
        return None
    if attributes is not None:
        source = f"({', '.join(map(quoted, attributes))}{',' if len(attributes) == 1 else ''})"
        edits += (SetKeyword(table_place(design), "keys", source),)
    for pattern in patterns_of(design, declarations):
        before = plan(design, pattern)
        if isinstance(before, Plan) and before.verdict.is_served and not is_served(after, pattern):
            if (more := _more_parameters(after, pattern)) is None:
                return None
            edits += more
    return edits


def _more_parameters(design: Design, pattern: PatternDeclaration) -> tuple[Edit, ...] | None:
    """Return the parameters with which the pattern reads or writes one item by its changed key.

    Return None if the pattern is not served even with these parameters.
    """
    intent = pattern.intent
    if not isinstance(intent, GetIntent | ItemWriteIntent):
        return None
    entity = design.entity_of(intent.entity)
    names = sorted(entity.base.fields - set(pattern.parameters))
    more = {name: ParameterDeclaration(name, Equal, entity.fields[name].type, True) for name in names}
    if not is_served(design, replace(pattern, parameters={**pattern.parameters, **more})):
        return None
    return parameters_for(entity, pattern_place(pattern), names)
