"""Measure the capacity that patterns consume on real items, and compare it with the estimates.

Reads run on the store itself, with values of stored items. Writes run on a copy of the items in memory, so that the
store does not change.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Any, Literal, get_args, get_origin
from uuid import UUID

from singletable.cli.item_source import SAMPLED_ITEMS_MAX, Item, items_by_entity, open_store, stored_items
from singletable.client.connected_table import ConnectedTable
from singletable.client.request_steps import Call, Steps
from singletable.client.table import Table
from singletable.cost.call_costs import CallCost
from singletable.cost.cost_report import CostReport
from singletable.errors import SingletableError
from singletable.model.intents import ItemWriteIntent, QueryIntent
from singletable.model.parameter_types import (
    AREA_TYPES,
    Area,
    Between,
    Box,
    Children,
    Equal,
    Nearest,
    Prefix,
    Radius,
    Since,
    Subtree,
    Until,
)
from singletable.model.pattern_declaration import CURSOR, LIMIT, ParameterDeclaration
from singletable.planner.formatting import GUESS_MARK, format_number
from singletable.planner.stored_items import key_of, values_of
from singletable.values.limits import BATCH_WRITES_MAX

CALLS_MAX = 20
_NEAR_METERS, _NEAR_DEGREES = 1000.0, 0.01

Objects = Mapping[str, Sequence[Any]]
"""Stored objects by entity label."""


@dataclass(frozen=True)
class PatternMeasurement:
    """The estimate of a pattern, and the average consumption of its calls."""

    name: str
    calls: int
    estimated_reads: float
    estimated_writes: float
    reads: float
    writes: float
    note: str = ""
    is_guessed: bool = False
    """Whether the estimate is based on an assumption."""

    @property
    def estimated(self) -> str:
        """The estimate as text."""
        return _units(self.estimated_reads, self.estimated_writes, GUESS_MARK if self.is_guessed else "")

    @property
    def consumed(self) -> str:
        """The consumed units as text."""
        return _units(self.reads, self.writes)

    @property
    def ratio(self) -> float | None:
        """The consumption as a multiple of the estimate.

        For a write, it compares write units; for a read, read units.
        """
        if not self.calls:
            return None
        return self.writes / self.estimated_writes if self.estimated_writes else self.reads / self.estimated_reads


class _NoValue(Exception):
    """The error for a parameter for which the store has no value."""


def measure(table: type[Table], report: CostReport, place: str) -> list[PatternMeasurement]:
    """Run every planned pattern several times, and return the measurements."""
    with open_store(table, place) as store:
        items, _ = stored_items(store._opened(), SAMPLED_ITEMS_MAX)
        objects = _objects(store._opened(), items)
        measured = []
        for call in report.calls:
            if not call.plan.pattern.is_write:
                measured.append(_measured(store, call, objects))
                continue
            with table.open("memory:", create=True) as copy:  # each pattern gets a new copy
                copy._opened().run(_copied(copy._opened(), items))
                measured.append(_measured(copy, call, objects))
        return measured


def _objects(opened: ConnectedTable, items: list[Item]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for entity, item in items_by_entity(opened.reader.item_types, items):
        if entity is not None:
            found.setdefault(entity.label, []).append(opened.reader.item_types.decoder(entity).read(item))
    return found


def _copied(opened: ConnectedTable, items: list[Item]) -> Steps[None]:
    name = opened.reader.name
    for start in range(0, len(items), BATCH_WRITES_MAX):
        puts = [{"PutRequest": {"Item": item}} for item in items[start : start + BATCH_WRITES_MAX]]
        yield (Call("BatchWriteItem", {"RequestItems": {name: puts}}),)


def _measured(table: Table, call: CallCost, objects: Objects) -> PatternMeasurement:
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
        labels = ", ".join(entity.label for entity in call.plan.entities)
        return PatternMeasurement(
            call.name, 0, *estimated, 0.0, 0.0, note or f"the store contains no {labels}", bool(cost.guessed)
        )
    return PatternMeasurement(
        call.name, calls, *estimated, reads / calls, writes / calls, is_guessed=bool(cost.guessed)
    )


def _subjects(call: CallCost, objects: Objects) -> list[Any]:
    """Return objects for the arguments of the calls, spread over the sample."""
    held = [each for entity in call.plan.entities[:1] for each in objects.get(entity.label, ())]
    step = max(1, len(held) // CALLS_MAX)
    return held[::step][:CALLS_MAX]


def _arguments(call: CallCost, subject: Any, objects: Objects) -> dict[str, Any]:
    """Return the arguments of a pattern from the fields of an object. Parameters with defaults are omitted."""
    pattern = call.plan.pattern
    changed = pattern.intent.changed if isinstance(pattern.intent, ItemWriteIntent) else frozenset[str]()
    arguments: dict[str, Any] = {}
    for name, parameter in pattern.parameters.items():
        if name in (LIMIT, CURSOR) or not parameter.required:
            continue
        if parameter.type is call.plan.entities[0].cls:
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
        for entity in call.plan.entities
        for each in objects.get(entity.label, ())
        if (found := getattr(each, name, None)) is not None
    ]
    if own is None and not others:
        raise _NoValue(f"no stored item has a value for {name}")
    if is_new:  # the value must change so that index entries move
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
            raise _NoValue(f"no value can be chosen for {name}")


def _another(parameter: ParameterDeclaration, own: Any) -> Any:
    """Return a different value of the same type with about the same size."""
    members = get_args(parameter.type) if get_origin(parameter.type) is Literal else ()
    if isinstance(own, enum.Enum):
        members = tuple(type(own))
    if others := [each for each in members if each != own]:
        return others[0]
    if members:
        raise _NoValue(f"{parameter.name} has only one value, so nothing would change")
    match own:
        case str():
            return own[:-1] + ("b" if own.endswith("a") else "a")
        case bytes():
            return own[:-1] + (b"b" if own.endswith(b"a") else b"a")
        case bool():
            return not own
        case int() | float() | Decimal():
            return own + 1
        case date():  # or datetime
            return own + timedelta(days=1)
        case UUID():
            return UUID(int=own.int ^ 1)
        case _:
            raise _NoValue(f"no stored item has a different value for {parameter.name}")


def _area(call: CallCost, kind: type, subject: Any) -> Area:
    """Return an area around an object, of the type that the pattern takes."""
    from singletable.model.derived.geohash_cell import GeohashCell

    for derived in call.plan.entities[0].declaration.derived.values():
        if isinstance(derived, GeohashCell):
            latitude, longitude = (float(getattr(subject, name)) for name in derived.fields)
            if kind is Box:
                south, north = max(-90.0, latitude - _NEAR_DEGREES), min(90.0, latitude + _NEAR_DEGREES)
                return Box(south, longitude, north, min(180.0, longitude + _NEAR_DEGREES))
            if kind is Nearest:
                return Nearest(latitude, longitude, 10, meters=_NEAR_METERS)
            return Radius(latitude, longitude, _NEAR_METERS)
    raise _NoValue("the entity has no geohash cell, so its coordinates are unknown")


def _prepare(table: Table, call: CallCost, subject: Any) -> None:
    """Delete the object from the copy of the store, so that a put or a create writes a new item."""
    intent, entity = call.plan.pattern.intent, call.plan.entities[0]
    if not isinstance(intent, ItemWriteIntent) or intent.kind not in ("put", "create"):
        return
    try:
        table.delete(subject)
    except SingletableError:  # the items of its derived data may not be in the sample
        request = {"TableName": table._opened().reader.name, "Key": key_of(entity, values_of(entity, subject))}
        table._opened().run(_one(Call("DeleteItem", request)))


def _one(call: Call) -> Steps[None]:
    yield (call,)


def _run(table: Table, call: CallCost, arguments: dict[str, Any]) -> None:
    """Call the pattern. Read all pages unless it has a limit."""
    pattern: Any = getattr(table, call.name)
    if isinstance(call.plan.pattern.intent, QueryIntent) and call.plan.limit is None:
        for _ in pattern.all(**arguments):
            pass
    else:
        pattern(**arguments)


def _units(reads: float, writes: float, mark: str = "") -> str:
    texts = [f"{mark}{format_number(writes)} WRU"] if writes else []
    return " + ".join([*texts, *([f"{mark}{format_number(reads)} RRU"] if reads or not writes else [])])
