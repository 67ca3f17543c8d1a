"""Patterns in, keys out: an entity's own id is its key, and every other way to it is an index."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from singletable.drafts.draft import (
    DraftDerived,
    DraftEntity,
    DraftField,
    DraftIndex,
    DraftKeys,
    DraftParameter,
    DraftPattern,
    DraftTable,
    FieldType,
    paging,
)
from singletable.drafts.identifiers import table_identifier
from singletable.drafts.naming import name_of_class, name_of_field, name_of_pattern
from singletable.drafts.worksheet_words import (
    Asked,
    WorksheetRow,
    asked,
    budget_of,
    entity_words,
    frequency_of,
    is_moment,
    is_number,
)
from singletable.expressions.tree import Path
from singletable.model.table_schema import TABLE

NAME_MAX = 60
_CELLS_MAX = 8
"""How many cells are repeated in a note."""
CELLS_READ = 24
"""Cells of six characters around a point, which a radius of a kilometre or so can touch."""


@dataclass
class _Access:
    """A way to an entity's items: what is equal, and what they are sorted by."""

    equal: tuple[str, ...]
    order: str | None


@dataclass
class _Entity:
    """An entity, while the rows add to it."""

    words: str
    class_name: str
    identity: str = "id"
    parent: _Entity | None = None
    is_placed: bool = False
    accesses: list[_Access] = field(default_factory=list)
    fields: dict[str, FieldType] = field(default_factory=dict)

    @property
    def prefix(self) -> str:
        return self.words.upper().replace(" ", "_")

    @property
    def reference(self) -> str:
        """The field of others that holds its id."""
        return name_of_field(f"{self.words} id")

    @property
    def key_fields(self) -> list[str]:
        return [self.parent.reference, self.identity] if self.parent else [self.identity]

    def add(self, *names: str) -> None:
        for name in names:
            self.fields.setdefault(name, type_by_name(name))


def type_by_name(name: str) -> FieldType:
    """The type that a field of this name has in most models."""
    if is_moment(name):
        return "datetime"
    return "Decimal" if is_number(name) else "str"


def drafted_table(rows: Sequence[WorksheetRow], name: str) -> DraftTable:
    """The table that answers the rows, with notes on what they do not say."""
    known = list(dict.fromkeys(entity_words(row.entry) for row in rows))
    asks = [asked(row, known) for row in rows]
    known += [each.target for each in asks] + [member for each in asks for member in each.members]
    asks = [_named(asked(row, known)) for row in rows]
    entities = _entities(asks)
    notes: list[str] = []
    patterns: dict[str, DraftPattern] = {}
    for ask in asks:
        pattern = _pattern(ask, entities, _name(ask, patterns, entities), notes)
        if pattern is not None:
            patterns[pattern.name] = pattern
    drafted = [_entity(each) for each in entities.values()]
    notes += _told_by_titles(asks, entities)
    notes.append(f"Say which other fields there are, of {_listed([each.class_name for each in drafted])}.")
    count = max((len(each.keys) - 1 for each in drafted), default=0)
    class_name = name_of_class(name, [each.class_name for each in drafted])
    return DraftTable(
        class_name,
        table_identifier(class_name),
        tuple(drafted),
        indexes=tuple(_index(number) for number in range(1, count + 1)),
        patterns=tuple(patterns.values()),
        notes=tuple(dict.fromkeys(notes)),
    )


def _short(text: str) -> str:
    return text if len(text) <= NAME_MAX else f"{text[:NAME_MAX]}..."


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _told_by_titles(asks: Sequence[Asked], entities: dict[str, _Entity]) -> Iterator[str]:
    """The entities that stand in no row's entry: their names are a reader's guess at what a title means."""
    entries = {ask.entry for ask in asks}
    for words, entity in entities.items():
        if words not in entries:
            ask = next(each for each in asks if words in (each.target, *each.members))
            where = f'"{_short(ask.row.title)}" (line {ask.row.line})'
            yield (
                f"{entity.class_name} is told from {where} alone, as no row has it for its entry entity: "
                "rename it, or take it out if nothing of the kind is stored."
            )


def _named(ask: Asked) -> Asked:
    """The row with names of fields that a Python file can have; an entity's own id is called `id`."""
    ask.equal = list(dict.fromkeys(_own_name(ask, each) for each in ask.equal))
    ask.order = _own_name(ask, ask.order) if ask.order else None
    if ask.range is not None:
        ask.range = (_own_name(ask, ask.range[0]), ask.range[1])
    return ask


def _own_name(ask: Asked, name: str) -> str:
    return "id" if name == name_of_field(f"{ask.target} id") else name_of_field(name)


def _name(ask: Asked, taken: dict[str, DraftPattern], entities: dict[str, _Entity]) -> str:
    text = (ask.row.cells.get("name") or ask.row.title).replace("'", "").replace("\u2019", "")
    name = name_of_pattern(text[:NAME_MAX], taken)
    classes = {each.class_name for each in entities.values()}
    if ask.kind == "with" and name_of_class(name, ()) in classes:
        return name_of_pattern(f"{name}_with_members", taken)
    return name


def _entities(asks: Sequence[Asked]) -> dict[str, _Entity]:
    """The entities that the rows speak of, each with what identifies it and the ways to it."""
    words = [each.target for each in asks] + [member for each in asks for member in each.members]
    words = [*(each.entry for each in asks if each.kind != "near"), *words]
    found: dict[str, _Entity] = {}
    for each in dict.fromkeys(words):
        found[each] = _Entity(each, name_of_class(each.title(), [known.class_name for known in found.values()]))
    for ask in asks:
        target = found[ask.target]
        if ask.kind == "get" and len(ask.equal) == 1 and target.identity == "id" and not _asks_for_id(asks, ask.target):
            target.identity = ask.equal[0]
    for ask in asks:
        for member in ask.members:
            if found[member] is not found[ask.target] and found[ask.target].parent is None:
                found[member].parent = found[member].parent or found[ask.target]
    for ask in asks:
        _add_access(ask, found[ask.target])
    for entity in found.values():
        entity.add(*entity.key_fields)
    return found


def _asks_for_id(asks: Sequence[Asked], target: str) -> bool:
    return any(ask.kind == "get" and ask.target == target and ask.equal in ([], ["id"]) for ask in asks)


def _add_access(ask: Asked, target: _Entity) -> None:
    if ask.kind == "near":
        target.is_placed = True
        target.fields |= {"latitude": "float", "longitude": "float"}
        return
    if ask.kind not in ("get", "list"):
        return
    order = ask.range[0] if ask.range else ask.order
    target.add(*ask.equal, *([order] if order else []))
    if (
        ask.kind == "get"
        and (ask.equal or ["id"]) in (target.key_fields, ["id"], [target.identity])
        and not target.parent
    ):
        return
    if target.parent is not None and ask.equal == [target.parent.reference] and order in (None, target.identity):
        return
    equal = tuple(ask.equal) if ask.kind == "list" or ask.equal else (target.identity,)
    for access in target.accesses:
        if access.equal == equal and (order is None or access.order in (None, order)):
            access.order = access.order or order
            return
    target.accesses.append(_Access(equal, order))


def _entity(entity: _Entity) -> DraftEntity:
    keys: dict[str, DraftKeys] = {}
    if entity.parent is not None:
        partition = f"{entity.parent.prefix}#{{{entity.parent.reference}}}"
        keys[TABLE] = DraftKeys((partition,), (f"{entity.prefix}#{_written(entity, entity.identity)}",))
    else:
        keys[TABLE] = DraftKeys((f"{entity.prefix}#{_written(entity, entity.identity)}",), ("METADATA",))
    for number, access in enumerate(entity.accesses, 1):
        keys[f"gsi{number}"] = _access_keys(entity, access)
    derived: dict[str, DraftDerived] = {}
    if entity.is_placed:
        derived["cell"] = DraftDerived("geohash", ("latitude", "longitude"), 6)
        sort = f"{{latitude:number}}#{{longitude:number}}#{_written(entity, entity.identity)}"
        keys[f"gsi{len(entity.accesses) + 1}"] = DraftKeys((f"{entity.prefix}_NEAR#{{cell}}",), (sort,))
    fields = tuple(DraftField(name, kind) for name, kind in entity.fields.items())
    return DraftEntity(
        entity.class_name, fields, keys, doc=f"{entity.class_name}, as a worksheet asks for it.", derived=derived
    )


def _access_keys(entity: _Entity, access: _Access) -> DraftKeys:
    """The first field that is equal is the partition; the others, and then the order, are the sort key."""
    ends = [entity.identity, *([entity.parent.reference] if entity.parent else [])]
    names: list[str] = [*access.equal[1:], *([access.order] if access.order else []), *ends]
    further = [name for name in dict.fromkeys(names) if name not in access.equal[:1]]
    sort = "#".join([entity.prefix, *(_written(entity, name) for name in further)])
    if not access.equal:
        return DraftKeys((f"ALL#{entity.prefix}",), (sort,))
    first = access.equal[0]
    label = first.upper().removesuffix("_ID").strip("_") or "BY"
    return DraftKeys((f"{label}#{_written(entity, first)}",), (sort,))


def _written(entity: _Entity, name: str) -> str:
    return f"{{{name}:number}}" if entity.fields.get(name) == "Decimal" else f"{{{name}}}"


def _index(number: int) -> DraftIndex:
    return DraftIndex(f"gsi{number}", f"GSI{number}", "GSI", (f"GSI{number}PK",), (f"GSI{number}SK",))


def _pattern(ask: Asked, entities: dict[str, _Entity], name: str, notes: list[str]) -> DraftPattern | None:
    target = entities[ask.target]
    where = f"{name} ({_short(ask.row.title)})"
    notes += _unread(ask, where)
    frequency, rate, unknown = frequency_of(ask.row.cells.get("frequency", ""))
    if unknown:
        notes.append(f"{where}: its frequency {_short(unknown)!r} is no word of the worksheet, nor a rate as 100/s is.")
    budget = ask.row.cells.get("budget", "")
    if budget.strip(" -") and budget_of(budget) is None:
        notes.append(f"{where}: its latency budget {_short(budget)!r} is no time such as 10 ms.")
    if ask.kind == "search":
        notes.append(
            f"{where} was left out: no key finds what is inside of text; an index for searching beside it does."
        )
        return None
    if ask.kind == "update":
        notes.append(f"{where} was left out: say which fields it sets, as update(...) of {target.class_name}.")
        return None
    classes = (
        target.class_name,
        *(entities[each].class_name for each in ask.members if entities[each].parent is target),
    )
    is_list = ask.kind == "list" or (ask.kind == "get" and not _is_key(ask, target))
    kinds = {"with": "collection", "near": "within", "create": "create", "delete": "delete"}
    made = DraftPattern(
        name,
        ask.row.title,
        "query" if is_list else kinds.get(ask.kind, "get"),  # type: ignore[arg-type]
        classes if ask.kind == "with" else classes[:1],
        (*_parameters(ask, target, is_list=is_list), *(paging() if is_list and ask.limit is None else ())),
        newest_first=is_list and ask.is_newest_first,
        limit=ask.limit if is_list else None,
        order_by=Path((ask.order,)) if ask.order and is_list and not (ask.is_newest_first or ask.range) else None,
        frequency=frequency,
        rate=rate,
        budget_ms=budget_of(budget),
        fanout=CELLS_READ if ask.kind == "near" else None,
        entry=ask.row.entry if ask.kind == "near" else None,
    )
    if ask.kind == "with" and len(classes) == 1:
        notes.append(f"{where} was left out: its items cannot be in the partition of {target.class_name}.")
        return None
    return made


def _unread(ask: Asked, where: str) -> Iterator[str]:
    """What stands in the row and is not in its pattern."""
    yield from (f"{where}: the filter {_short(text)!r} was not understood." for text in ask.not_understood)
    for name, value in ask.values:
        if ask.kind in ("list", "get"):
            yield f"{where}: {name} is given with each call, and is not always {_short(value)} as in the row."
        else:
            yield f"{where}: it is not filtered by {name}, which is {_short(value)} in the row."
    if ask.kind in ("list", "get") and ask.equal and ask.row.title.lower().startswith("search"):
        yield f"{where}: it finds the whole of {_listed(ask.equal)} alone, and no part of it: keys are not searched."
    if ask.row.beyond:
        shown = ", ".join(repr(_short(each)) for each in ask.row.beyond[:_CELLS_MAX])
        more = " and more" if len(ask.row.beyond) > _CELLS_MAX else ""
        yield f"{where}: {shown}{more} of line {ask.row.line} was not read: no column of the header is above."


def _is_key(ask: Asked, target: _Entity) -> bool:
    return target.parent is None and (ask.equal or ["id"]) in ([target.identity], ["id"])


def _parameters(ask: Asked, target: _Entity, *, is_list: bool) -> Iterator[DraftParameter]:
    if ask.kind == "create":
        return
    if ask.kind == "near":
        yield DraftParameter("area", "float", "Radius")
        return
    if not is_list:
        names = target.key_fields if ask.kind == "delete" else [target.identity]
        yield from (DraftParameter(each, target.fields[each]) for each in names)
        return
    equal = ask.equal if ask.kind == "list" or ask.equal else [target.identity]
    yield from (DraftParameter(each, target.fields[each]) for each in equal)
    if ask.range is not None and ask.range[0] not in equal:
        yield DraftParameter(ask.range[0], target.fields[ask.range[0]], ask.range[1])
