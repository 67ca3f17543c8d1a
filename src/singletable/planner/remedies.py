"""Remedies for unsupported patterns: the smallest edits with which the planner can prove that the pattern is served."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from singletable.expressions.tree import And, Compare, Condition, Parameter, Path
from singletable.lazy_dataclass import replace
from singletable.model.codecs.text_codec import ORDERED_DELIMITER
from singletable.model.condition_recorder import exists, record_condition
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.intents import (
    AncestorsIntent,
    CollectionIntent,
    GetIntent,
    Intent,
    ItemWriteIntent,
    QueryIntent,
    WithinIntent,
)
from singletable.model.parameter_types import AREA_TYPES, Children, Equal
from singletable.model.pattern_declaration import ParameterDeclaration, PatternDeclaration
from singletable.model.table_schema import ALL, GSI, LSI, TABLE, Index, IndexProjection, Native, include
from singletable.planner.changed_designs import harms_nothing, is_served, with_declarations, with_keys
from singletable.planner.key_proposals import entity_identity, new_index
from singletable.planner.key_source import (
    change_sort,
    keys_edits,
    parameters_for,
    quoted,
    replace_in_templates,
)
from singletable.planner.mismatches import (
    AncestorsUnknown,
    ChangesKey,
    FieldsMissing,
    FilterOnKey,
    KeyMissing,
    Mismatch,
    NotProjected,
    NotServed,
    NotTogether,
    PartitionUnknown,
    SortUnknown,
    SparseIndex,
    StrongReadOnGsi,
    Unordered,
    WrongOrder,
)
from singletable.planner.plan import UnsupportedPattern
from singletable.planner.primary_key_proposals import key_remedy
from singletable.planner.remedy import (
    Alternative,
    Edit,
    Remedy,
    RemoveKeyword,
    SetKeyword,
    body_place,
    import_from_package,
    index_place,
    pattern_place,
    table_place,
)

_MOVED_BEFORE, _MOVED_AFTER = "A", "Z"


def remedy(design: Design, unsupported: UnsupportedPattern) -> Remedy:
    """Return the remedy: the edits with which the pattern is supported."""
    if any(isinstance(mismatch, KeyMissing) for mismatch in unsupported.mismatches):
        return key_remedy(design, *(entity for entity in unsupported.entities if not entity.placements))
    alternatives = tuple(dict.fromkeys(_alternatives(design, unsupported)))
    if alternatives:
        return Remedy("", alternatives)
    unserved = any(isinstance(mismatch, NotServed) for mismatch in unsupported.mismatches)
    sentences = [
        _sentence(mismatch, unsupported.pattern)
        for mismatch in unsupported.mismatches
        # Omit the remedy for the partition key, because the index would still not support the comparison.
        if unsupported.pattern.is_write or not (unserved and isinstance(mismatch, PartitionUnknown))
    ]
    return Remedy(" ".join(dict.fromkeys(sentences)) or "Give all members the same partition key.")


def _alternatives(design: Design, unsupported: UnsupportedPattern) -> Iterator[Alternative]:
    """Yield the alternatives, with the smallest change first."""
    pattern, kinds = unsupported.pattern, {type(mismatch) for mismatch in unsupported.mismatches}
    for mismatch in unsupported.mismatches:
        match mismatch:
            case Unordered(slot):
                yield from _ordered_slots(design, pattern, slot)
            case NotProjected():
                yield from _projections(design, unsupported, mismatch)
            case StrongReadOnGsi():
                yield from _eventual_read(design, pattern)
            case FilterOnKey(fields):
                yield from _templates_for_filter(design, pattern, fields)
            case SparseIndex(fields):
                yield from _only_present(design, pattern, fields)
            case WrongOrder(is_number=True):
                yield from _descending(design, pattern)
            case NotTogether(movable=movable):
                yield from _other_sort_keys(design, pattern, movable)
            case _:
                pass
    if kinds & {PartitionUnknown, SortUnknown, NotServed, FieldsMissing}:
        yield from _more_parameters(design, unsupported)
    if kinds & {PartitionUnknown, NotServed, WrongOrder, Unordered}:
        yield from new_index(design, pattern)


def _body(
    design: Design,
    pattern: PatternDeclaration,
    intent: Intent,
    edits: tuple[Edit, ...],
    effect: str,
    *,
    needs_decision: bool = False,
) -> Iterator[Alternative]:
    """Yield edits to the body of a pattern, if the pattern is served with the changed body."""
    if is_served(design, replace(pattern, intent=intent)):
        yield Alternative(edits, effect, needs_decision)


def _ordered_slots(design: Design, pattern: PatternDeclaration, slot: str) -> Iterator[Alternative]:
    """Yield formats of a field that sort, and the delimiter that keeps paths in order."""
    if isinstance(pattern.intent, CollectionIntent):
        return
    entity = design.entity_of(pattern.intent.entity)
    for edits, changed in ordered_keys(design, entity, slot):
        if is_served(changed, pattern) and harms_nothing(design, changed):
            yield Alternative(edits)
            return


def ordered_keys(design: Design, entity: Entity, slot: str) -> Iterator[tuple[tuple[Edit, ...], Design]]:
    """Yield edits that write a slot of an entity in sorted order, each with the resulting design."""
    name = slot.strip("{}").partition(":")[0]
    for sorted_slot in (f"{{{name}}}", f"{{{name}:number}}"):
        declaration, edits = entity.declaration, tuple[Edit, ...]()
        for alias, keys in entity.declaration.keys.items():
            changed_keys = replace_in_templates(keys, slot, sorted_slot)
            if changed_keys != keys:
                declaration = replace(declaration, keys={**declaration.keys, alias: changed_keys})
                edits += keys_edits(entity, alias, changed_keys)
        changed = with_declarations(design, {entity.cls: declaration}) if edits else None
        if changed is not None:
            yield edits, changed
    if design.settings.delimiter != ORDERED_DELIMITER:
        yield from _ordered_delimiter(design)


def _ordered_delimiter(design: Design) -> Iterator[tuple[tuple[Edit, ...], Design]]:
    """Yield the edits that separate the segments of all keys with `#`."""
    old = design.settings.delimiter
    edits: list[Edit] = [SetKeyword(table_place(design), "delimiter", quoted(ORDERED_DELIMITER))]
    declarations = {}
    for entity in design.entities:
        keys = {
            alias: replace_in_templates(keys, old, ORDERED_DELIMITER) for alias, keys in entity.declaration.keys.items()
        }
        declarations[entity.cls] = replace(entity.declaration, keys=keys)
        edits += [edit for alias in keys for edit in keys_edits(entity, alias, keys[alias])]
    changed = with_declarations(design, declarations, delimiter=ORDERED_DELIMITER)
    if changed is not None:
        yield tuple(edits), changed


def _projections(design: Design, unsupported: UnsupportedPattern, mismatch: NotProjected) -> Iterator[Alternative]:
    pattern, entity, index = unsupported.pattern, unsupported.entities[0], unsupported.nearest
    place = None if index is None else index_place(design, index.alias)
    if index is not None and place is not None:
        projection = ALL if mismatch.upgraded else _projection(index, entity, mismatch)
        source = f"include({', '.join(map(quoted, projection.attributes))})"
        edits: tuple[Edit, ...] = (RemoveKeyword(place, "projection"),)
        if projection is not ALL:
            imported = () if index.projection.attributes else (import_from_package(place, "include"),)
            edits = (SetKeyword(place, "projection", source), *imported)
        if is_served(
            with_declarations(design, {}, [pattern], indexes=_with_projection(design, index, projection)), pattern
        ):
            yield Alternative(edits, f"{index.label} then stores more per item, and you must create the index again.")
    if isinstance(pattern.intent, QueryIntent):
        effect = "The query then reads whole items from the table, with one more request per 100 items."
        edits = (SetKeyword(body_place(pattern), "hydrate", "True"),)
        yield from _body(design, pattern, replace(pattern.intent, hydrate=True), edits, effect)


def _projection(index: Index, entity: Entity, mismatch: NotProjected) -> IndexProjection:
    missing = mismatch.include or tuple(entity.attributes[name] for name in mismatch.fields)
    return include(*dict.fromkeys((*index.projection.attributes, *missing)))


def _with_projection(design: Design, index: Index, projection: IndexProjection) -> Sequence[GSI | LSI]:
    return [
        replace(each, projection=projection) if each.alias == index.alias else each for each in design.settings.indexes
    ]


def _eventual_read(design: Design, pattern: PatternDeclaration) -> Iterator[Alternative]:
    if isinstance(pattern.intent, GetIntent | QueryIntent | CollectionIntent):
        edits = (RemoveKeyword(body_place(pattern), "consistent"),)
        effect = "The read may then miss the most recent writes."
        yield from _body(design, pattern, replace(pattern.intent, consistent=False), edits, effect, needs_decision=True)


def _descending(design: Design, pattern: PatternDeclaration) -> Iterator[Alternative]:
    """Yield `descending=` in place of `newest_first=` for a sort key that is not a date or datetime."""
    intent = pattern.intent
    if isinstance(intent, QueryIntent | CollectionIntent) and intent.newest_first:
        place = body_place(pattern)
        edits = (RemoveKeyword(place, "newest_first"), SetKeyword(place, "descending", "True"))
        changed = replace(intent, newest_first=False, descending=True)
        effect = "The pattern then returns the highest number first."
        yield from _body(design, pattern, changed, edits, effect, needs_decision=True)


def _templates_for_filter(
    design: Design, pattern: PatternDeclaration, fields: tuple[str, ...]
) -> Iterator[Alternative]:
    """Yield keys that store the fields in a template instead of native attributes.

    A filter can then use the attributes of the fields.
    """
    if isinstance(pattern.intent, CollectionIntent):
        return
    entity = design.entity_of(pattern.intent.entity)
    for alias, keys in entity.declaration.keys.items():
        changed_keys = _native_as_template(keys, fields)
        if changed_keys != keys:
            changed = with_declarations(design, {entity.cls: with_keys(entity, alias, changed_keys)})
            if is_served(changed, pattern) and harms_nothing(design, changed):
                yield Alternative(keys_edits(entity, alias, changed_keys))


def _native_as_template(keys: Any, fields: tuple[str, ...]) -> Any:
    if isinstance(keys, Native) and keys.field in fields:
        return f"{{{keys.field}{f':{keys.format}' if keys.format else ''}}}"
    return tuple(_native_as_template(each, fields) for each in keys) if isinstance(keys, tuple) else keys


def _only_present(design: Design, pattern: PatternDeclaration, fields: tuple[str, ...]) -> Iterator[Alternative]:
    intent = pattern.intent
    if not isinstance(intent, GetIntent | QueryIntent) or intent.where is not None:
        return
    conditions = tuple(record_condition(intent.entity, _exists(name)) for name in fields)
    where: Condition = conditions[0] if len(conditions) == 1 else And(conditions)
    tests = [f"exists(item.{name})" for name in fields]
    source = tests[0] if len(tests) == 1 else " & ".join(f"({test})" for test in tests)
    edits = (
        SetKeyword(body_place(pattern), "where", f"lambda item: {source}"),
        import_from_package(body_place(pattern), "exists"),
    )
    effect = f"The pattern then returns only items that have a value for {' and '.join(fields)}."
    yield from _body(design, pattern, replace(intent, where=where), edits, effect, needs_decision=True)


def _exists(name: str) -> Callable[[Any], bool]:
    return lambda item: exists(getattr(item, name))


def _other_sort_keys(design: Design, pattern: PatternDeclaration, movable: tuple[str, ...]) -> Iterator[Alternative]:
    """Yield sort keys that move entities before or after the range of a collection."""
    entities = [entity for entity in design.entities if entity.label in movable]
    delimiter = design.settings.delimiter
    for group in (_MOVED_BEFORE, _MOVED_AFTER):
        edits, declarations = tuple[Edit, ...](), {}
        for entity in entities:
            keys = change_sort(entity.declaration.keys[TABLE], partial(_in_group, f"{group}{delimiter}"))
            if keys is not None:
                declarations[entity.cls] = with_keys(entity, TABLE, keys)
                edits += keys_edits(entity, TABLE, keys)
        changed = with_declarations(design, declarations) if edits else None
        if is_served(changed, pattern) and harms_nothing(design, changed):
            yield Alternative(edits)
            return


def _in_group(prefix: str, template: str) -> str:
    return f"{prefix}{template}"


def _more_parameters(design: Design, unsupported: UnsupportedPattern) -> Iterator[Alternative]:
    """Yield parameters that complete a key of the existing design."""
    pattern, intent = unsupported.pattern, unsupported.pattern.intent
    if isinstance(intent, CollectionIntent | WithinIntent | AncestorsIntent):
        return
    entity = design.entity_of(intent.entity)
    for names in _missing_fields(entity, pattern, unsupported.mismatches):
        more = {name: ParameterDeclaration(name, Equal, entity.fields[name].type, True) for name in names}
        changed = replace(pattern, parameters={**pattern.parameters, **more})
        edits = parameters_for(entity, pattern_place(pattern), names)
        if isinstance(intent, ItemWriteIntent) and intent.where is None:
            changed, edits = _with_condition(changed, edits, unsupported.mismatches)
        if is_served(design, changed):
            narrows = isinstance(intent, QueryIntent)
            effect = f"The pattern then returns the items of one {names[0]} only." if narrows else ""
            yield Alternative(edits, effect, needs_decision=narrows)
            return


def _missing_fields(
    entity: Entity, pattern: PatternDeclaration, mismatches: Sequence[Mismatch]
) -> Iterator[tuple[str, ...]]:
    """Yield the parameters to try. A query needs one; a single item needs every field of its key."""
    declared = set(pattern.parameters)
    needed = [name for placement in entity.placements.values() for name in sorted(placement.fields)]
    if isinstance(pattern.intent, QueryIntent):
        identity = set(entity_identity(entity))
        yield from ((name,) for name in dict.fromkeys(needed) if name not in declared | identity)
        return
    missing = [name for each in mismatches if isinstance(each, FieldsMissing) for name in each.fields]
    yield tuple(dict.fromkeys((*sorted(entity.base.fields - declared), *missing)))


def _with_condition(
    pattern: PatternDeclaration, edits: tuple[Edit, ...], mismatches: Sequence[Mismatch]
) -> tuple[PatternDeclaration, tuple[Edit, ...]]:
    """Make the parameters that are not part of the primary key a condition of the write."""
    names = [name for each in mismatches if isinstance(each, NotServed) and each.test is Equal for name in each.fields]
    if not names or not isinstance(pattern.intent, ItemWriteIntent):
        return pattern, edits
    tests = tuple(Compare("=", Path((name,)), Parameter(name)) for name in names)
    intent = replace(pattern.intent, where=tests[0] if len(tests) == 1 else And(tests))
    source = " & ".join(f"(item.{name} == {name})" for name in names)
    edits += (SetKeyword(body_place(pattern), "where", f"lambda item: {source}"),)
    return replace(pattern, intent=intent), edits


def _sentence(mismatch: Mismatch, pattern: PatternDeclaration) -> str:
    match mismatch:
        case NotProjected(upgraded=upgraded):
            return "Project ALL." if upgraded else "Project the fields, or read a smaller class with view=."
        case StrongReadOnGsi():
            return (
                "Remove consistent=True, or change the keys so that the table or a local secondary index serves "
                "the pattern."
            )
        case FilterOnKey(fields):
            return f"Make {', '.join(fields)} a parameter, so that it becomes part of the key condition."
        case SparseIndex(fields):
            return f"To read only items that have a value, add where=lambda item: exists(item.{fields[0]})."
        case ChangesKey():
            return "Delete the item and create it under its new key, in one transaction."
        case FieldsMissing(fields):
            parameters = "a parameter" if len(fields) == 1 else "parameters"
            return f"Add {' and '.join(fields)} as {parameters}, or take the whole item as one parameter."
        case SortUnknown(fields) if isinstance(pattern.intent, GetIntent):
            return f"Add {' and '.join(fields)} as a parameter, or read several items with query(...)."
        case NotTogether(_, change) | AncestorsUnknown(_, change):
            return change
        case NotServed():
            return _unserved(mismatch, pattern)
        case Unordered(_, reason):
            return f"{reason[:1].upper()}{reason[1:]}."
        case PartitionUnknown(fields) | SortUnknown(fields):
            return f"Add {' and '.join(fields)} as a parameter."
        case _:
            return (
                "Put the field to sort by into the sort key: a date or datetime for newest_first=True, or the field in "
                "order_by=lambda item: item.id."
            )


def _unserved(mismatch: NotServed, pattern: PatternDeclaration) -> str:
    names = " and ".join(mismatch.fields)
    if mismatch.test is Children:
        return (
            f'Add derived={{"level": depth("{names}")}}, and put {{level}} into the partition key of an index and '
            f"{{{names}}} into its sort key."
        )
    if mismatch.test in AREA_TYPES:
        quoted_names = ", ".join(f'"{name}"' for name in mismatch.fields)
        return f'Add derived={{"cell": geohash({quoted_names}, precision=6)}}, and put {{cell}} into a partition key.'
    if isinstance(pattern.intent, ItemWriteIntent):
        return f"A write accepts only the primary key: remove {names}, or make it a condition with where=."
    if isinstance(pattern.intent, GetIntent | CollectionIntent):
        return f"Put {names} into the key of an index, or read several items with query(...)."
    return f"Put {names} into the key of an index, or filter the result with filter=."
