"""Access patterns from the rows of a pattern table, or the reason why a row is not a pattern."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from singletable.expressions.tree import Change, Compare, Condition, Constant, Parameter, Path
from singletable.importers import names as python_names
from singletable.importers.draft import DraftField, DraftParameter, DraftPattern, PatternKind, RangeKind, paging
from singletable.importers.pattern_table.key_cells import KeyCell, KeyField, KeyText, KeyValue, Piece
from singletable.importers.pattern_table.row_access import Access
from singletable.importers.pattern_table.row_entities import (
    InferredEntity,
    InferredTable,
    is_generic,
    range_head,
    type_of,
)

_NAME_MAX = 60


@dataclass
class RowPatterns:
    """The patterns of the rows, and a note for everything that is not in them."""

    patterns: list[DraftPattern] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def row_patterns(accesses: Sequence[Access], table: InferredTable) -> RowPatterns:
    """Return a pattern for each row that can be one. The planner decides later whether the pattern is served."""
    made = RowPatterns()
    for access in accesses:
        name = python_names.pattern_name(access.title[:_NAME_MAX], [each.name for each in made.patterns])
        where = f"{access.title} (line {access.row.line})"
        made.notes += [f"{where}: not read: {text}." for text in access.unread]
        found = _pattern(access, table, name, where, made.notes)
        if isinstance(found, str):
            made.notes.append(f"{where} is not in the model: {found}.")
        else:
            made.patterns.append(found)
    return made


def _pattern(access: Access, table: InferredTable, name: str, where: str, notes: list[str]) -> DraftPattern | str:
    entities = table.by_row[id(access)]
    if access.kind == "other":
        operation = access.row.cell("operation") or "no operation"
        return f"{operation} is not a read or write of one item; use table.transaction() or a batch"
    if access.kind == "put":
        kind: PatternKind = "create" if access.conditions.is_new else "put"
        return DraftPattern(name, access.title, kind, (entities[0].class_name,))
    if access.kind == "update":
        return _update(access, entities[0], name, where, notes)
    entity, *others = entities
    if others and access.kind in ("query", "scan"):
        return _collection(access, entities, name, where, notes)
    if access.kind in ("get", "delete") and entity.partition is not None and access.index is None:
        return DraftPattern(name, access.title, access.kind, (entity.class_name,), tuple(_key_parameters(entity)))
    if access.kind == "delete":
        return "DynamoDB deletes by the key of the table, which the file does not contain"
    return _query(access, table, entity, name, where, notes)


def _key_parameters(entity: InferredEntity) -> Iterator[DraftParameter]:
    yield from (DraftParameter(name, type_of(name)) for name in entity.key_fields)


def _update(access: Access, entity: InferredEntity, name: str, where: str, notes: list[str]) -> DraftPattern | str:
    """Return an update of the fields that an UpdateExpression sets, or of the field in the title."""
    if entity.partition is None:
        return "DynamoDB updates by the key of the table, which the file does not contain"
    changes: list[Change] = []
    parameters = list(_key_parameters(entity))
    if access.conditions.settings:
        for each in access.conditions.settings:
            entity.more_fields[each.field] = None
            value = Parameter(each.parameter)
            changes.append(Change("ADD" if each.is_added else "SET", Path((each.field,)), value))
            parameters.append(DraftParameter(each.parameter, "int" if each.is_added else type_of(each.field)))
            if each.is_negative:
                notes.append(f"{where}: the file subtracts {each.parameter}; pass a negative number.")
    elif (
        "expression" not in access.conditions.unread.lower()
        and access.noun
        and access.noun != entity.noun
        and not access.noun.endswith(f" {entity.noun}")
    ):
        changed = python_names.field_name(access.noun)
        if changed in entity.key_fields:
            return f"it changes {changed}, which is part of the key"
        entity.more_fields[changed] = None
        notes.append(f"{where}: the file does not say what it changes; the model sets {changed}, as in the title.")
        changes.append(Change("SET", Path((changed,)), Parameter(changed)))
        parameters.append(DraftParameter(changed, type_of(changed)))
    else:
        return f"the file does not say which fields it changes; add update({entity.class_name}, ...)"
    return DraftPattern(name, access.title, "update", (entity.class_name,), tuple(parameters), changes=tuple(changes))


def _collection(
    access: Access, entities: Sequence[InferredEntity], name: str, where: str, notes: list[str]
) -> DraftPattern:
    """Return a read of the whole partition: single items, and a list of each entity that can have several."""
    assert access.partition is not None, "only a partition has several entities"
    if access.conditions.limit is not None or access.conditions.is_newest_first:
        notes.append(f"{where}: a collection has no limit and no order.")
    known = set(access.partition.value.fields)
    members = []
    for entity in entities:
        if set(entity.key_fields) <= known:
            members.append(DraftField(python_names.variable_name(entity.class_name), entity.class_name, optional=True))
        else:
            several = python_names.variable_name(entity.class_name, "s")
            members.append(DraftField(several, f"list[{entity.class_name}]", has_default=True, default=[]))
    parameters = tuple(DraftParameter(each, type_of(each)) for each in access.partition.value.fields)
    classes = tuple(each.class_name for each in entities)
    return DraftPattern(name, access.title, "collection", classes, parameters, members=tuple(members))


def _query(
    access: Access, table: InferredTable, entity: InferredEntity, name: str, where: str, notes: list[str]
) -> DraftPattern:
    parameters: dict[str, RangeKind | None] = {}
    index = table.indexes.get(access.index or "")
    partition, sort = entity.partition, entity.sort
    if index is not None and index.is_inverse:
        partition, sort = entity.sort, entity.partition
    elif index is not None:
        partition, sort = entity.index_keys.get(index.alias, (None, None))
    cells = [*([access.partition] if access.partition is not None else []), *access.sort[:1]]
    targets = (partition, sort) if access.partition is not None else (sort,)
    if other := next((each for each in zip(cells, targets, strict=False) if _is_other_key(*each)), None):
        cell, target = other
        notes.append(
            f"{where}: it reads keys such as {cell.value.template}, but those of {entity.class_name} are "
            f"{target.template if target else 'missing'}. The pattern has no parameters, so check reports it."
        )
        return DraftPattern(name, access.title, "query", (entity.class_name,), paging())
    if access.partition is not None:
        parameters |= dict(_bound(access.partition, partition, where, notes))
    for cell in access.sort[:1]:
        parameters |= dict(_bound(cell, sort, where, notes))
        if cell.operator in ("<", ">"):
            notes.append(f"{where}: the range of the model includes its bound, but {cell.operator} does not.")
    entity.more_fields |= dict.fromkeys(parameters)
    conditions = access.conditions
    condition = _filter(access, entity, where, notes)
    is_paged = conditions.limit is None
    given = [DraftParameter(each, type_of(each), kind) for each, kind in parameters.items()]
    return DraftPattern(
        name,
        access.title,
        "query",
        (entity.class_name,),
        (*given, *(paging() if is_paged else ())),
        newest_first=conditions.is_newest_first,
        limit=conditions.limit,
        filter=condition,
    )


def _is_other_key(cell: KeyCell, target: KeyValue | None) -> bool:
    """Return whether a key condition and the key of the entity begin with different literal text."""
    first, own = (_head(value) for value in (cell.value, target))
    return bool(first and own) and not own.startswith(first) and not first.startswith(own)


def _head(value: KeyValue | None) -> str:
    """Return the literal text at the start of a key."""
    pieces = value.segments[0] if value is not None and value.segments else ()
    texts = [piece.text for piece in pieces if isinstance(piece, KeyText)]
    return "".join(texts) if len(texts) == len(pieces) else ""


def _filter(access: Access, entity: InferredEntity, where: str, notes: list[str]) -> Condition | None:
    (first, *others) = [*access.conditions.filters.items(), ("", None)]
    for other, _ in others[:-1]:
        notes.append(f"{where}: the filter on {other} was left out, because it was not understood.")
    name, value = first
    if not name:
        return None
    if value is None or name in entity.key_fields:
        notes.append(
            f"{where}: the filter on {name} was left out; add filter=lambda item: item.{name} == ... to the pattern."
        )
        return None
    entity.more_fields[name] = None
    return Compare("=", Path((name,)), Constant(value))


def _bound(
    cell: KeyCell, target: KeyValue | None, where: str, notes: list[str]
) -> Iterator[tuple[str, RangeKind | None]]:
    """Yield the parameters of a key condition: each is a field of the key, with the range of the condition."""
    if cell.value.is_one_slot and not is_generic(cell.attribute) and (target is None or target.is_one_slot):
        own = target.fields[0] if target else python_names.field_name(str(cell.attribute))
        yield own, _range(cell, own, is_open=True)
        return
    head = range_head(cell)
    is_whole = len(head.segments) < len(cell.value.segments)
    for number, segment in enumerate(head.segments):
        is_last = number == len(head.segments) - 1
        given: tuple[Piece, ...] = segment
        if target is not None and number < len(target.segments):
            given = target.segments[number]
        names = [piece.field for piece in given if isinstance(piece, KeyField)]
        own_names = [piece.field for piece in segment if isinstance(piece, KeyField)]
        if own_names:
            for each in names if len(names) == len(own_names) else own_names:
                yield each, _range(cell, each, is_open=is_last and not is_whole)
        elif names:
            text = "".join(piece.text for piece in segment if isinstance(piece, KeyText))
            is_prefix = is_last and not is_whole and cell.operator == "begins_with" and type_of(names[0]) == "str"
            notes.append(f"{where}: {names[0]} is a parameter, but the file always uses the value {text!r}.")
            yield names[0], "Prefix" if is_prefix else None


def _range(cell: KeyCell, name: str, *, is_open: bool) -> RangeKind | None:
    if not is_open or cell.operator == "=":
        return None
    if cell.operator == "begins_with":
        return "Prefix" if type_of(name) == "str" else None
    return "Between" if cell.operator == "between" else "Since" if cell.operator.startswith(">") else "Until"
