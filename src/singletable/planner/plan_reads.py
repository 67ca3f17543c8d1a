"""Plan the reads of one entity (get, query, within and ancestors) on every index that contains it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from singletable.expressions.tree import Condition, Parameter, paths
from singletable.lazy_dataclass import replace
from singletable.model.codecs.path_codec import PathCodec
from singletable.model.condition_recorder import ParameterPlaceholder
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.fields import fields_of
from singletable.model.intents import AncestorsIntent, GetIntent, QueryIntent, WithinIntent
from singletable.model.key_template import FieldSlot
from singletable.model.keys import NativePart, Placement, TemplatePart
from singletable.model.parameter_binding import Binding, bindings_for
from singletable.model.parameter_types import Box, Equal
from singletable.model.pattern_declaration import LIMIT, PatternDeclaration
from singletable.planner.index_match import IndexMatch, entities_in_range, match_index
from singletable.planner.mismatches import (
    AncestorsUnknown,
    FilterOnKey,
    Mismatch,
    NotProjected,
    NotServed,
    NotTogether,
    SortUnknown,
    SparseIndex,
    StrongReadOnGsi,
    WrongOrder,
)
from singletable.planner.operands import Atom, EachAncestor, Encoded, KeyComparison, TextOperand
from singletable.planner.plan import Candidate, Plan, QueryLimit
from singletable.planner.sort_key import ReadOrder, read_order
from singletable.planner.trims import Trim

DUPLICATE_CHECK_LIMIT = QueryLimit(2)
"""A Query for one item reads up to two items, so that a duplicate raises an error."""
_PATH_KEY_REMEDY = (
    'Put the path into the key of the entity: key=("TREE#{tree}", "NODE#{path}"), with path: tuple[str, ...].'
)


def read_candidates(design: Design, pattern: PatternDeclaration) -> Iterator[Candidate]:
    """Yield one candidate per index, with the table first."""
    intent = pattern.intent
    assert isinstance(intent, GetIntent | QueryIntent | WithinIntent), "other planners handle other intents"
    entity = design.entity_of(intent.entity)
    bindings, _ = bindings_for(pattern, entity)
    for placement in entity.placements.values():
        condition = match_index(placement, bindings)
        if isinstance(intent, GetIntent):
            yield _get(design, pattern, intent, entity, placement, condition, bindings)
        else:
            yield _query(design, pattern, intent, entity, placement, condition, bindings)


def _get(
    design: Design,
    pattern: PatternDeclaration,
    intent: GetIntent,
    entity: Entity,
    placement: Placement,
    condition: IndexMatch,
    bindings: tuple[Binding, ...],
) -> Candidate:
    index = placement.index
    mismatches = [
        *condition.mismatches,
        *_index_mismatches(entity, placement, bindings, intent.view, intent.consistent, trims=condition.trims),
    ]
    equal = {name for binding in bindings if binding.test is Equal for name in binding.fields}
    identified = entity.identity is not None and bool(entity.identity) and set(entity.identity) <= equal
    if not condition.complete and (index.is_table or not identified) and not mismatches:
        mismatches.append(SortUnknown(condition.open_slot.fields if condition.open_slot else ()))
    direct = index.is_table and condition.complete and not condition.trims
    tests = (*condition.partition, *condition.sort)
    others = () if direct or mismatches else _other_entities(design, entity, placement, tests)
    plan = Plan(
        pattern,
        "GetItem" if direct else "Query",
        index,
        condition.partition,
        condition.sort,
        (entity,),
        other_entities=others,
        # A limit would also count other entities in the range, and items at other times in the same unit.
        limit=None if direct or others or condition.trims else DUPLICATE_CHECK_LIMIT,
        fan_outs=condition.fan_outs,
        view=intent.view,
        consistent=intent.consistent,
        trims=(condition.trims,) if condition.trims else (),
    )
    return Candidate(plan, tuple(mismatches))


def _query(
    design: Design,
    pattern: PatternDeclaration,
    intent: QueryIntent | WithinIntent,
    entity: Entity,
    placement: Placement,
    condition: IndexMatch,
    bindings: tuple[Binding, ...],
) -> Candidate:
    query = intent if isinstance(intent, QueryIntent) else None
    view = query.view if query else None
    consistent, hydrate = (query.consistent, query.hydrate) if query else (False, False)
    order = _order(entity, placement, condition, intent, bindings)
    mismatches = [
        *condition.mismatches,
        *_index_mismatches(entity, placement, bindings, view, consistent, hydrate, condition.trims),
    ]
    mismatches += [order.mismatch] if order.mismatch else []
    mismatches += _filter_mismatches(entity, placement, intent.filter)
    tests = (*condition.partition, *condition.sort)
    others = () if mismatches else _other_entities(design, entity, placement, tests)
    if others and query is not None and isinstance(query.limit, int):
        names = ", ".join(other.label for other in others)
        why = f"the range can also contain {names}, and limit={query.limit} would count their items too"
        mismatches.append(NotTogether(why, f"Give {names} a sort key outside the range, or remove limit=."))
    plan = Plan(
        pattern,
        "Query",
        placement.index,
        condition.partition,
        condition.sort,
        (entity,),
        other_entities=others,
        forward=order.forward,
        order=order.words,
        order_unit=order.unit,
        limit=limit_of(pattern, query.limit if query else None),
        filter=intent.filter,
        fan_outs=condition.fan_outs,
        view=view,
        consistent=consistent,
        hydrate=hydrate and bool(missing_fields(entity, placement, None)),
        trims=(condition.trims,) if condition.trims else (),
    )
    return Candidate(plan, tuple(mismatches))


def _order(
    entity: Entity,
    placement: Placement,
    condition: IndexMatch,
    intent: QueryIntent | WithinIntent,
    bindings: tuple[Binding, ...],
) -> ReadOrder:
    if isinstance(intent, WithinIntent):
        in_a_box = any(binding.test is Box for binding in bindings)
        return ReadOrder(True, "south to north, then west to east" if in_a_box else "by distance")
    order_by = str(intent.order_by.steps[0]) if intent.order_by is not None else None
    fixed = {name for binding in bindings if binding.test is Equal for name in binding.fields}
    if order_by in fixed:  # all items have the same value, so every order is correct
        return read_order(entity, condition.open_slot, None, False)
    order = read_order(entity, condition.open_slot, order_by, intent.newest_first, intent.descending)
    reversed_order = "newest-first order" if intent.newest_first else "descending order" if intent.descending else ""
    requested = f"order by {order_by}" if order_by is not None else reversed_order
    if requested and condition.open_slot is None and not condition.mismatches and not placement.index.is_table:
        unique = (entity.base.fields, entity.identity or entity.base.fields, *entity.declaration.unique)
        if not any(fixed.issuperset(fields) for fields in unique):
            actual = "no other field, because the key condition fixes the whole key"
            return replace(order, mismatch=WrongOrder(requested, actual))
    return order


def limit_of(
    pattern: PatternDeclaration, limit: int | ParameterPlaceholder | None, extra: int = 0
) -> QueryLimit | None:
    """Return the limit that the body or the signature of the pattern declares."""
    if isinstance(limit, ParameterPlaceholder):
        return QueryLimit(Parameter(limit.argument_name), extra)
    if limit is None and LIMIT in pattern.parameters:
        return QueryLimit(Parameter(LIMIT), extra)
    return None if limit is None else QueryLimit(limit, extra)


def _index_mismatches(
    entity: Entity,
    placement: Placement,
    bindings: tuple[Binding, ...],
    view: type | None,
    consistent: bool,
    hydrate: bool = False,
    trims: Iterable[Trim] = (),
) -> Iterator[Mismatch]:
    index = placement.index
    if consistent and index.kind == "GSI":
        yield StrongReadOnGsi()
    missing = missing_fields(entity, placement, view, trims)
    if missing and not hydrate:
        yield NotProjected(missing, str(index.projection), upgraded=entity.label if entity.upgrades else "")
    bound = {name for binding in bindings for name in binding.fields}
    absent = tuple(n for n in sorted(placement.fields) if entity.fields[n].optional and n not in bound)
    if absent and not index.is_table:
        yield SparseIndex(absent)


def _filter_mismatches(entity: Entity, placement: Placement, condition: Condition | None) -> Iterator[Mismatch]:
    """Yield a mismatch if a filter uses key attributes of the index, or attributes that the index does not project."""
    names = sorted({str(path.steps[0]) for path in paths(condition)})
    keys = {part.field.name for part in placement.parts if isinstance(part, NativePart)}
    if on_keys := tuple(name for name in names if name in keys):
        yield FilterOnKey(on_keys)
    projection = placement.index.projection
    # Every index projects its own key attributes and those of the table.
    held = {part.attribute for part in (*entity.base.parts, *placement.parts)} | set(projection.attributes)
    stored = {entity.attributes[name] for name in names} if projection.kind != "ALL" else set()
    if absent := tuple(sorted(stored - held)):
        yield NotProjected(absent, str(projection), (*projection.attributes, *absent))


def _other_entities(
    design: Design, entity: Entity, placement: Placement, tests: tuple[KeyComparison, ...]
) -> tuple[Entity, ...]:
    return tuple(other for other in entities_in_range(design, placement.index, tests) if other is not entity)


def ancestor_candidates(design: Design, pattern: PatternDeclaration) -> Iterator[Candidate]:
    """Yield one candidate for the table. Indexes are no candidates, because BatchGetItem cannot read them."""
    intent = pattern.intent
    assert isinstance(intent, AncestorsIntent), "other planners handle other intents"
    entity = design.entity_of(intent.entity)
    bindings, _ = bindings_for(pattern, entity)
    condition = match_index(entity.base, bindings)
    unserved = (mismatch for mismatch in condition.mismatches if isinstance(mismatch, NotServed))
    mismatches = (
        *_path_mismatches(entity, bindings),
        *(_not_in_key(entity, mismatch.fields) for mismatch in unserved),
        *(_kept_as_unit(entity, trim) for trim in condition.trims),
    )
    plan = Plan(
        pattern,
        "BatchGetItem",
        design.table,
        tuple(_with_ancestors(test) for test in condition.partition),
        tuple(_with_ancestors(test) for test in condition.sort),
        (entity,),
        order="root first",
        consistent=intent.consistent,
    )
    yield Candidate(plan, mismatches)


def path_fields(placement: Placement) -> tuple[str, ...]:
    """Return the path fields of a key."""
    slots = (slot for part in placement.parts if isinstance(part, TemplatePart) for slot in part.template.slots)
    return tuple(slot.name for slot in slots if isinstance(slot, FieldSlot) and isinstance(slot.codec, PathCodec))


def _path_mismatches(entity: Entity, bindings: tuple[Binding, ...]) -> Iterator[Mismatch]:
    paths = path_fields(entity.base)
    if len(paths) != 1:
        found = f"two paths, {' and '.join(paths)}" if paths else "no path"
        yield AncestorsUnknown(f"the key of {entity.label} has {found}", _PATH_KEY_REMEDY)
        return
    (path,) = paths
    bound = next((binding for binding in bindings if path in binding.fields), None)
    if bound is None or bound.test is not Equal or not isinstance(bound.source, Parameter):
        given = "no parameter provides" if bound is None else f"{bound.test.__name__}[...] is not a single value of"
        yield AncestorsUnknown(f"{given} {path}", f"Add the path as a parameter: {path}: tuple[str, ...].")
    equal = {name for binding in bindings if binding.test is Equal for name in binding.fields}
    if missing := sorted(entity.base.fields - equal - {path}):
        names = " and ".join(missing)
        yield AncestorsUnknown(
            f"its key also contains {names}, which no parameter provides", f"Add {names} as a parameter."
        )


def _not_in_key(entity: Entity, fields: tuple[str, ...]) -> Mismatch:
    names = " and ".join(fields)
    return AncestorsUnknown(
        f"the key of {entity.label} has no {names}",
        f"Remove {names} from the parameters, and check the value in the result.",
    )


def _kept_as_unit(entity: Entity, trim: Trim) -> Mismatch:
    why = f"the key of {entity.label} keeps only the {trim.unit} of {trim.field}"
    return AncestorsUnknown(why, f"Remove the parameter {trim.field}, or write {{{trim.field}}} in the key.")


def _with_ancestors(test: KeyComparison) -> KeyComparison:
    return replace(test, operands=tuple(_expand(o) if isinstance(o, TextOperand) else o for o in test.operands))


def _expand(operand: TextOperand) -> TextOperand:
    def expand(atom: Atom) -> Atom:
        is_path = isinstance(atom, Encoded) and isinstance(atom.slot.codec, PathCodec)
        return EachAncestor(atom.binding, atom.slot) if isinstance(atom, Encoded) and is_path else atom

    return TextOperand(tuple(expand(atom) for atom in operand.atoms))


def missing_fields(
    entity: Entity, placement: Placement, view: type | None, trims: Iterable[Trim] = ()
) -> tuple[str, ...]:
    """Return the fields that the result needs and the index does not contain.

    If items may have an older schema version, an upgrade needs the whole item, so a partial projection provides no
    field. The TTL attribute is always needed, to recognise expired items. The fields that the client checks are always
    needed too.
    """
    trimmed = [trim.field for trim in trims]
    needed: Iterable[str] = entity.fields if view is None else dict.fromkeys((*fields_of(view), *trimmed))
    projection = placement.index.projection
    if projection.kind == "ALL":
        return ()
    if entity.upgrades:
        return tuple(needed)
    in_keys = entity.base.exact_fields | placement.exact_fields
    missing = [name for name in needed if name not in in_keys and entity.attributes[name] not in projection.attributes]
    expiry = entity.declaration.ttl
    held = {*projection.attributes, *placement.index.key_attributes, *entity.base.index.key_attributes}
    if expiry is not None and expiry not in missing and entity.attributes[expiry] not in held:
        missing.append(expiry)
    return tuple(missing)
