"""What patterns consume on real items, held against their estimates.

Reads run on the store itself, with the values of items that are in it. Writes run on a copy of those items in memory,
so that the store stays as it is.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Any, Literal, get_args, get_origin
from uuid import UUID

from singletable.cli.sampling import SAMPLED_ITEMS_MAX, Item, open_store, stored_items, told_apart
from singletable.client.open_table import OpenTable
from singletable.client.steps import Call, Steps
from singletable.client.table import Table
from singletable.cost.calls import CallCost
from singletable.cost.report import CostReport
from singletable.errors import SingletableError
from singletable.model.areas import AREA_TYPES, Area, Box, Nearest, Radius
from singletable.model.declaration import CURSOR, LIMIT, ParameterDeclaration
from singletable.model.intents import Query, Write
from singletable.model.ranges import Between, Children, Equal, Prefix, Since, Subtree, Until
from singletable.planner.amounts import GUESS, number
from singletable.planner.items import key_of, values_of
from singletable.values.limits import BATCH_WRITES_MAX

CALLS_MAX = 20
_NEAR_METERS, _NEAR_DEGREES = 1000.0, 0.01

Objects = Mapping[str, Sequence[Any]]
"""Objects that are in the store, by the labels of their entities."""


@dataclass(frozen=True)
class Measured:
    """A pattern's estimate beside what its calls consumed on average."""

    name: str
    calls: int
    estimated_reads: float
    estimated_writes: float
    reads: float
    writes: float
    note: str = ""
    is_guessed: bool = False
    """Whether the estimate rests on a guess."""

    @property
    def estimated(self) -> str:
        """The estimate in words."""
        return _units(self.estimated_reads, self.estimated_writes, GUESS if self.is_guessed else "")

    @property
    def consumed(self) -> str:
        """What was consumed, in words."""
        return _units(self.reads, self.writes)

    @property
    def ratio(self) -> float | None:
        """How many times the estimate was consumed: of a write its write units, otherwise its read units."""
        if not self.calls:
            return None
        return self.writes / self.estimated_writes if self.estimated_writes else self.reads / self.estimated_reads


class _NoValue(Exception):
    """A parameter for which the store has no value."""


def measure(table: type[Table], report: CostReport, place: str) -> list[Measured]:
    """Runs every pattern that has a plan, some times each."""
    with open_store(table, place) as store:
        items, _ = stored_items(store._opened(), SAMPLED_ITEMS_MAX)
        objects = _objects(store._opened(), items)
        measured = []
        for call in report.calls:
            if not call.plan.pattern.is_write:
                measured.append(_measured(store, call, objects))
                continue
            with table.open("memory:", create=True) as copy:  # what one pattern took away is there for the next
                copy._opened().run(_copied(copy._opened(), items))
                measured.append(_measured(copy, call, objects))
        return measured


def _objects(opened: OpenTable, items: list[Item]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for entity, item in told_apart(opened.reader.kinds, items):
        if entity is not None:
            found.setdefault(entity.label, []).append(opened.reader.kinds.decoder(entity).read(item))
    return found


def _copied(opened: OpenTable, items: list[Item]) -> Steps[None]:
    name = opened.reader.name
    for start in range(0, len(items), BATCH_WRITES_MAX):
        puts = [{"PutRequest": {"Item": item}} for item in items[start : start + BATCH_WRITES_MAX]]
        yield (Call("BatchWriteItem", {"RequestItems": {name: puts}}),)


def _measured(table: Table, call: CallCost, objects: Objects) -> Measured:
    cost = call.estimate
    estimated = (cost.units, 0.0) if cost.kind == "read" else (cost.reads, cost.units)
    reads = writes = 0.0
    calls, note = 0, ""
    for subject in _subjects(call, objects):
        try:
            arguments = _arguments(call, subject, objects)
            _prepare(table, call, subject)
            table.metrics.reset()
            _run(table, call, arguments)
        except _NoValue as missing:
            note = str(missing)
            continue
        except (SingletableError, ValueError, TypeError) as problem:
            note = f"{type(problem).__name__}: {str(problem).splitlines()[0]}"
            continue
        used = table.metrics.total
        reads, writes, calls = reads + used.read_units, writes + used.write_units, calls + 1
    if not calls:
        wanted = ", ".join(entity.label for entity in call.plan.wanted)
        return Measured(call.name, 0, *estimated, 0.0, 0.0, note or f"the store holds no {wanted}", bool(cost.guessed))
    return Measured(call.name, calls, *estimated, reads / calls, writes / calls, is_guessed=bool(cost.guessed))


def _subjects(call: CallCost, objects: Objects) -> list[Any]:
    """Objects to ask about, from all over the sample."""
    held = [each for entity in call.plan.wanted[:1] for each in objects.get(entity.label, ())]
    step = max(1, len(held) // CALLS_MAX)
    return held[::step][:CALLS_MAX]


def _arguments(call: CallCost, subject: Any, objects: Objects) -> dict[str, Any]:
    """Values for the parameters of a pattern, as the subject has them; those with defaults are left to them."""
    pattern = call.plan.pattern
    changed = pattern.intent.changed if isinstance(pattern.intent, Write) else frozenset[str]()
    arguments: dict[str, Any] = {}
    for name, parameter in pattern.parameters.items():
        if name in (LIMIT, CURSOR) or not parameter.required:
            continue
        if parameter.type is call.plan.wanted[0].cls:
            arguments[name] = subject
        else:
            arguments[name] = _argument(call, parameter, subject, objects, is_new=name in changed)
    return arguments


def _argument(call: CallCost, parameter: ParameterDeclaration, subject: Any, objects: Objects, *, is_new: bool) -> Any:
    if parameter.test in AREA_TYPES:
        return _area(call, parameter.test, subject)
    name = parameter.name
    own = getattr(subject, name, None)
    others = [
        found
        for entity in call.plan.wanted
        for each in objects.get(entity.label, ())
        if (found := getattr(each, name, None)) is not None
    ]
    if own is None and not others:
        raise _NoValue(f"no item of the store has a value for {name}")
    if is_new:  # an update that changes something, so that index entries move as they would
        different = [each for each in others if each != own]
        own = different[0] if different else _another(parameter, own)
    own = own if own is not None else others[0]
    match parameter.test:
        case test if test is Equal:
            return own
        case test if test is Between:
            return Between(min(others), max(others))
        case test if test is Since:
            return Since(min(others))
        case test if test is Until:
            return Until(max(others))
        case test if test is Prefix:
            return Prefix(own[:1])
        case test if test in (Subtree, Children):
            return test(own[:-1] if len(own) > 1 else own)
        case _:
            raise _NoValue(f"{name} has a test of which no value is known")


def _another(parameter: ParameterDeclaration, own: Any) -> Any:
    """A value that no item has, of the same type and about the same size."""
    members = get_args(parameter.type) if get_origin(parameter.type) is Literal else ()
    if isinstance(own, enum.Enum):
        members = tuple(type(own))
    if others := [each for each in members if each != own]:
        return others[0]
    if members:
        raise _NoValue(f"{parameter.name} has one value only, so that nothing would change")
    match own:
        case str():
            return own[:-1] + ("b" if own.endswith("a") else "a")
        case bytes():
            return own[:-1] + (b"b" if own.endswith(b"a") else b"a")
        case bool():
            return not own
        case int() | float() | Decimal():
            return own + 1
        case date():  # and so is a datetime
            return own + timedelta(days=1)
        case UUID():
            return UUID(int=own.int ^ 1)
        case _:
            raise _NoValue(f"no item of the store has another value for {parameter.name}")


def _area(call: CallCost, kind: type, subject: Any) -> Area:
    """An area around the subject, of the kind that the pattern takes."""
    from singletable.model.derived.geocell import GeoCell

    for derived in call.plan.wanted[0].declaration.derived.values():
        if isinstance(derived, GeoCell):
            latitude, longitude = (float(getattr(subject, name)) for name in derived.fields)
            if kind is Box:
                south, north = max(-90.0, latitude - _NEAR_DEGREES), min(90.0, latitude + _NEAR_DEGREES)
                return Box(south, longitude, north, min(180.0, longitude + _NEAR_DEGREES))
            if kind is Nearest:
                return Nearest(latitude, longitude, 10, meters=_NEAR_METERS)
            return Radius(latitude, longitude, _NEAR_METERS)
    raise _NoValue("no cell says which fields are a place")


def _prepare(table: Table, call: CallCost, subject: Any) -> None:
    """Takes the subject out of the copy before it is put, so that the put is one of a new item."""
    intent, entity = call.plan.pattern.intent, call.plan.wanted[0]
    if not isinstance(intent, Write) or intent.kind not in ("put", "create"):
        return
    try:
        table.delete(subject)
    except SingletableError:  # what it is kept right with may not be in the sample
        request = {"TableName": table._opened().reader.name, "Key": key_of(entity, values_of(entity, subject))}
        table._opened().run(_one(Call("DeleteItem", request)))


def _one(call: Call) -> Steps[None]:
    yield (call,)


def _run(table: Table, call: CallCost, arguments: dict[str, Any]) -> None:
    """One call, to its last page unless it has a limit."""
    pattern: Any = getattr(table, call.name)
    if isinstance(call.plan.pattern.intent, Query) and call.plan.limit is None:
        for _ in pattern.all(**arguments):
            pass
    else:
        pattern(**arguments)


def _units(reads: float, writes: float, mark: str = "") -> str:
    told = [f"{mark}{number(writes)} WRU"] if writes else []
    return " + ".join([*told, *([f"{mark}{number(reads)} RRU"] if reads or not writes else [])])
