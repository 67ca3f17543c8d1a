"""Proposed keys for a worksheet: the id of each entity is its key, and each other access gets an index."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from singletable.expressions.tree import Change, Function, Parameter, Path
from singletable.importers.draft import (
    DraftDerived,
    DraftEntity,
    DraftIndex,
    DraftKeys,
    DraftParameter,
    DraftPattern,
    DraftTable,
    FieldType,
    paging,
    set_to_parameter,
)
from singletable.importers.names import class_name, field_name, pattern_name, table_name
from singletable.importers.worksheet.worksheet_fields import WorksheetFields, merged_fields
from singletable.importers.worksheet.worksheet_requests import (
    RowRequest,
    WorksheetRow,
    budget_of,
    entity_words,
    frequency_of,
    is_moment,
    is_number,
    items_of,
    row_request,
)
from singletable.model.table_schema import TABLE
from singletable.planner.formatting import format_list

NAME_MAX = 60
_CELLS_MAX = 8
"""The maximum number of cells that a note shows."""
CELLS_READ = 24
"""The number of geohash cells of precision 6 that a radius of about one kilometre can touch."""


@dataclass
class _Access:
    """An access to items: the fields compared with `=`, and the sort field."""

    equal: tuple[str, ...]
    order: str | None


@dataclass
class _Entity:
    """An entity with the fields and accesses that rows require."""

    words: str
    class_name: str
    identity: str = "id"
    parent: _Entity | None = None
    partition_field: str | None = None
    """The partition key of the recorded table, if its sort key is the identity."""
    recorded_key: tuple[str, ...] = ()
    """The primary key of the recorded table."""
    is_placed: bool = False
    accesses: list[_Access] = field(default_factory=list)
    fields: dict[str, FieldType] = field(default_factory=dict)

    @property
    def prefix(self) -> str:
        return self.words.upper().replace(" ", "_")

    @property
    def reference(self) -> str:
        """The name that other entities use for its id."""
        return field_name(f"{self.words} id")

    @property
    def owner(self) -> str | None:
        """The field that identifies the partition with other items of this entity."""
        return self.partition_field or (self.parent.reference if self.parent else None)

    @property
    def owner_prefix(self) -> str:
        return self.parent.prefix if self.parent else _label(self.partition_field or "")

    @property
    def key_fields(self) -> list[str]:
        return [self.owner, self.identity] if self.owner else [self.identity]

    def add(self, *names: str) -> None:
        for name in names:
            self.fields.setdefault(name, type_by_name(name))


def type_by_name(name: str) -> FieldType:
    """Return the usual type of a field with this name."""
    if is_moment(name):
        return "datetime"
    return "Decimal" if is_number(name) else "str"


def worksheet_table(rows: Sequence[WorksheetRow], name: str, given: WorksheetFields) -> DraftTable:
    """Return a table that serves the rows, with notes on details that the rows do not specify."""
    known = list(dict.fromkeys(entity_words(row.entry) for row in rows))
    requests = [row_request(row, known) for row in rows]
    known += [each.target for each in requests] + [member for each in requests for member in each.members]
    requests = [_named(row_request(row, known)) for row in rows]
    entities = _entities(requests, given)
    notes = list(given.notes)
    patterns: dict[str, DraftPattern] = {}
    for request in requests:
        pattern = _pattern(request, entities, _name(request, patterns, entities), notes)
        patterns[pattern.name] = pattern
    drafted = [_entity(each, given) for each in entities.values()]
    notes += _guessed_entities(requests, entities)
    unread = [words for words in dict.fromkeys([*given.fields, *given.options]) if words not in entities]
    if unread:
        notes.append(f"The fields of {format_list(unread)} were left out, because no access pattern has this entity.")
    without_fields = [each.class_name for words, each in entities.items() if words not in given.fields]
    if without_fields:
        notes.append(f"Add the other fields of {format_list(without_fields)}.")
    count = max((len(each.keys) - 1 for each in drafted), default=0)
    own_class = class_name(name, [each.class_name for each in drafted])
    return DraftTable(
        own_class,
        table_name(own_class),
        tuple(drafted),
        indexes=tuple(_index(number) for number in range(1, count + 1)),
        patterns=tuple(patterns.values()),
        notes=tuple(dict.fromkeys(notes)),
    )


def _short(text: str) -> str:
    return text if len(text) <= NAME_MAX else f"{text[:NAME_MAX]}..."


def _guessed_entities(requests: Sequence[RowRequest], entities: dict[str, _Entity]) -> Iterator[str]:
    """Yield a note for each entity whose name was guessed from a title."""
    entries = {request.entry for request in requests}
    for words, entity in entities.items():
        if words not in entries:
            request = next(each for each in requests if words in (each.target, *each.members))
            where = f'"{_short(request.row.title)}" (line {request.row.line})'
            yield (
                f"{entity.class_name} was inferred from {where}, because no row has it as its entry entity: "
                "rename it, or delete it if it does not exist."
            )


def _named(request: RowRequest) -> RowRequest:
    """Return the request with Python names. The id of the target is `id`."""
    request.equal = list(dict.fromkeys(_own_name(request, each) for each in request.equal))
    request.order = _own_name(request, request.order) if request.order else None
    if request.range is not None:
        request.range = (_own_name(request, request.range[0]), request.range[1])
    return request


def _own_name(request: RowRequest, name: str) -> str:
    return "id" if name == field_name(f"{request.target} id") else field_name(name)


def _name(request: RowRequest, taken: dict[str, DraftPattern], entities: dict[str, _Entity]) -> str:
    text = (request.row.cells.get("name") or request.row.title).replace("'", "").replace("\u2019", "")
    name = pattern_name(text[:NAME_MAX], taken)
    classes = {each.class_name for each in entities.values()}
    if request.kind == "with" and class_name(name, ()) in classes:
        return pattern_name(f"{name}_with_members", taken)
    return name


def _entities(requests: Sequence[RowRequest], given: WorksheetFields) -> dict[str, _Entity]:
    """Return the entities of the rows, with their identity and their accesses."""
    words = [each.target for each in requests] + [member for each in requests for member in each.members]
    words = [*(each.entry for each in requests if each.kind != "near"), *words]
    found: dict[str, _Entity] = {}
    for each in dict.fromkeys(words):
        found[each] = _Entity(each, class_name(each.title(), [known.class_name for known in found.values()]))
    for request in requests:
        target = found[request.target]
        if (
            request.kind == "get"
            and len(request.equal) == 1
            and target.identity == "id"
            and not _reads_by_id(requests, request.target)
        ):
            target.identity = request.equal[0]
    for request in requests:
        for member in request.members:
            if found[member] is not found[request.target] and found[request.target].parent is None:
                found[member].parent = found[member].parent or found[request.target]
    _add_recorded_keys(found, given)
    for request in requests:
        _add_access(request, found[request.target])
    for entity in found.values():
        entity.add(*entity.key_fields)
    return found


def _add_recorded_keys(entities: dict[str, _Entity], given: WorksheetFields) -> None:
    """Identify the items of each entity by the fields of its key in the recorded table, which are one or two."""
    keys = {words: tuple(given.keys.get(words, ())) for words in entities}
    for words, entity in entities.items():
        entity.fields |= {each.name: each.type for each in given.fields.get(words, ())}  # type: ignore[misc]  # checked
        entity.recorded_key = keys[words]
        if len(keys[words]) == 1:
            (entity.identity,) = keys[words]
    for words, names in keys.items():
        if len(names) == 2:
            entity = entities[words]
            of_parent = (entity.parent.reference, entity.parent.identity) if entity.parent else ()
            entity.partition_field = next((each for each in names if each in of_parent), names[0])
            entity.parent = entity.parent if entity.partition_field in of_parent else None
            (entity.identity,) = (each for each in names if each != entity.partition_field)


def _reads_by_id(requests: Sequence[RowRequest], target: str) -> bool:
    return any(
        request.kind == "get" and request.target == target and request.equal in ([], ["id"]) for request in requests
    )


def _add_access(request: RowRequest, target: _Entity) -> None:
    if request.kind == "near":
        target.is_placed = True
        target.fields |= {"latitude": "float", "longitude": "float"}
        return
    if request.kind == "search":
        target.fields["text"] = "str"
        return
    if request.kind not in ("get", "list"):
        return
    order = request.range[0] if request.range else request.order
    target.add(*request.equal, *([order] if order else []))
    if request.kind == "get" and _is_key(request, target):
        return
    if target.owner is not None and request.equal == [target.owner] and order in (None, target.identity):
        return
    equal = tuple(request.equal) if request.kind == "list" or request.equal else (target.identity,)
    for access in target.accesses:
        if access.equal == equal and (order is None or access.order in (None, order)):
            access.order = access.order or order
            return
    target.accesses.append(_Access(equal, order))


def _entity(entity: _Entity, given: WorksheetFields) -> DraftEntity:
    keys: dict[str, DraftKeys] = {}
    if entity.owner is not None:
        partition = f"{entity.owner_prefix}#{_written(entity, entity.owner)}"
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
    return DraftEntity(
        entity.class_name,
        tuple(merged_fields(entity.fields, given.fields.get(entity.words, ()))),
        keys,
        doc=f"{entity.class_name}, proposed for the worksheet.",
        derived=derived,
        identity=entity.recorded_key if entity.recorded_key not in ((), ("id",)) else None,
        options=given.options.get(entity.words, {}),
    )


def _access_keys(entity: _Entity, access: _Access) -> DraftKeys:
    """Return index keys.

    The first equality field is the partition key; the other fields and the order form the sort key.
    """
    ends = [entity.identity, *([entity.owner] if entity.owner else [])]
    names: list[str] = [*access.equal[1:], *([access.order] if access.order else []), *ends]
    further = [name for name in dict.fromkeys(names) if name not in access.equal[:1]]
    sort = "#".join([entity.prefix, *(_written(entity, name) for name in further)])
    if not access.equal:
        return DraftKeys((f"ALL#{entity.prefix}",), (sort,))
    first = access.equal[0]
    return DraftKeys((f"{_label(first)}#{_written(entity, first)}",), (sort,))


def _label(name: str) -> str:
    return name.upper().removesuffix("_ID").strip("_") or "BY"


def _written(entity: _Entity, name: str) -> str:
    return f"{{{name}:number}}" if entity.fields.get(name) == "Decimal" else f"{{{name}}}"


def _index(number: int) -> DraftIndex:
    return DraftIndex(f"gsi{number}", f"GSI{number}", "GSI", (f"GSI{number}PK",), (f"GSI{number}SK",))


def _pattern(request: RowRequest, entities: dict[str, _Entity], name: str, notes: list[str]) -> DraftPattern:
    target = entities[request.target]
    where = f"{name} ({_short(request.row.title)})"
    notes += _unread(request, where)
    frequency, rate, unknown = frequency_of(request.row.cells.get("frequency", ""))
    if unknown:
        notes.append(
            f"{where}: its frequency {_short(unknown)!r} is neither a frequency word nor a rate such as 100/s."
        )
    budget = request.row.cells.get("budget", "")
    if budget.strip(" -") and budget_of(budget) is None:
        notes.append(f"{where}: its latency budget {_short(budget)!r} is not a time such as 10 ms.")
    if request.kind == "search":
        notes.append(f"{where}: keys cannot find words inside text. Use a search index in addition to the table.")
    changes = tuple(set_to_parameter(each) for each in _set_fields(request, target, where, notes))
    if request.kind == "update" and not changes:
        notes.append(f"{where} became put(...), because the row does not name the fields that it sets.")
    classes = (
        target.class_name,
        *(entities[each].class_name for each in request.members if entities[each].parent is target),
    )
    is_list = request.kind in ("list", "search") or (request.kind == "get" and not _is_key(request, target))
    kinds = {"with": "collection", "near": "within", "update": "update" if changes else "put"}
    is_paged = is_list and request.limit is None and not request.is_unlimited
    expected = items_of(request.row.cells.get("items", "")) if is_list or request.kind == "with" else None
    made = DraftPattern(
        name,
        request.row.title,
        "query" if is_list else kinds.get(request.kind, request.kind),  # type: ignore[arg-type]  # the values above
        classes if request.kind == "with" else classes[:1],
        (*_parameters(request, target, entities, is_list=is_list), *(paging() if is_paged else ())),
        newest_first=is_list and request.is_newest_first,
        descending=is_list and request.is_descending,
        changes=changes,
        consistent=_is_consistent(request, target, where, notes, is_list=is_list),
        limit=request.limit if is_list else None,
        filter=Function("contains", (Path(("text",)), Parameter("text"))) if request.kind == "search" else None,
        order_by=Path((request.order,))
        if request.order and is_list and not (request.is_newest_first or request.range)
        else None,
        frequency=frequency,
        rate=rate,
        budget_ms=budget_of(budget),
        fanout=CELLS_READ if request.kind == "near" else _update_requests(changes, target),
        entry=request.row.entry if request.kind == "near" else None,
        options={} if expected is None else {"expected_items": expected},
    )
    if request.kind == "with" and len(classes) == 1:
        notes.append(
            f"{where} reads only {target.class_name}, because {format_list(request.members)} cannot be in its "
            "partition. Declare a pattern for the others."
        )
        return replace(made, kind="get")
    return made


def _unread(request: RowRequest, where: str) -> Iterator[str]:
    """Yield a note for each part of the row that the pattern does not contain."""
    yield from (
        f"{where}: the filter {_short(text)!r} was left out, because it was not understood."
        for text in request.not_understood
    )
    for name, value in request.values:
        if request.kind in ("list", "get"):
            yield f"{where}: {name} is a parameter, but the row contains the constant {_short(value)}."
        else:
            yield f"{where}: the filter {name} = {_short(value)} was left out."
    if request.kind in ("list", "get") and request.equal and request.row.title.lower().startswith("search"):
        names = format_list(request.equal)
        yield (
            f"{where}: it finds only the whole value of {names}, because keys do not support searching inside a value."
        )
    if request.row.beyond:
        shown = ", ".join(repr(_short(each)) for each in request.row.beyond[:_CELLS_MAX])
        more = " and more" if len(request.row.beyond) > _CELLS_MAX else ""
        yield f"{where}: {shown}{more} in line {request.row.line} was left out, because the column has no name."


def _is_key(request: RowRequest, target: _Entity) -> bool:
    equal = request.equal or ["id"]
    if target.owner is not None:
        return sorted(equal) == sorted(target.key_fields)
    return equal in ([target.identity], ["id"])


def _update_requests(changes: Sequence[Change], target: _Entity) -> int | None:
    """Return 2 for an update that moves an index entry, because it must first read the item. Otherwise return None."""
    moved = {name for access in target.accesses for name in (*access.equal, access.order)}
    return 2 if any(change.path.steps[0] in moved for change in changes) else None


def _set_fields(request: RowRequest, target: _Entity, where: str, notes: list[str]) -> list[str]:
    """Return the fields that an update sets. An update cannot change the identity of an item."""
    names = [_own_name(request, each) for each in request.sets]
    if fixed := [each for each in names if each in target.key_fields]:
        notes.append(f"{where}: it cannot set {format_list(fixed)}, which identifies the item.")
    changed = [each for each in names if each not in target.key_fields]
    target.add(*changed)
    return changed


def _is_consistent(request: RowRequest, target: _Entity, where: str, notes: list[str], *, is_list: bool) -> bool:
    """Return whether a read is strongly consistent, which only reads of the table can be."""
    if not request.is_consistent:
        return False
    in_table = not is_list or (target.owner is not None and request.equal == [target.owner])
    if not in_table:
        notes.append(f"{where}: its strongly consistent reads were left out, because it reads an index.")
    return in_table


def _parameters(
    request: RowRequest, target: _Entity, entities: dict[str, _Entity], *, is_list: bool
) -> Iterator[DraftParameter]:
    if request.kind == "with":
        # The field of the members says which of them belong together.
        owner = next((entities[each].owner for each in request.members if entities[each].parent is target), None)
        yield DraftParameter(owner or target.identity, target.fields[target.identity])
        return
    if request.kind in ("create", "put") or (request.kind == "update" and not request.sets):
        return
    if request.kind == "near":
        yield DraftParameter("area", "float", "Radius")
        return
    if request.kind == "search":
        yield DraftParameter("text", "str")
        return
    if not is_list:
        is_whole = request.kind in ("delete", "update") or (request.kind == "get" and target.owner is not None)
        names = target.key_fields if is_whole else [target.identity]
        sets = [_own_name(request, each) for each in request.sets]
        names = [*names, *(each for each in sets if each not in target.key_fields)]
        yield from (DraftParameter(each, target.fields[each]) for each in names)
        return
    equal = request.equal if request.kind == "list" or request.equal else [target.identity]
    yield from (DraftParameter(each, target.fields[each]) for each in equal)
    if request.range is not None and request.range[0] not in equal:
        yield DraftParameter(request.range[0], target.fields[request.range[0]], request.range[1])
