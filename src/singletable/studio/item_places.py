"""Item places: the keys of an item in the table and the indexes, why it is absent, and what returns it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any
from urllib.parse import urlencode

from singletable.conformance.item_comparison import ItemComparer, ItemComparison, ItemProblem
from singletable.document.item_collections import text_of
from singletable.document.svg import clean
from singletable.errors import SingletableError
from singletable.expressions.evaluate import compile_condition
from singletable.expressions.tree import Parameter
from singletable.model.derived.geohash_cell import GeohashCell
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.parameter_types import (
    AREA_TYPES,
    Between,
    Box,
    Children,
    Nearest,
    Prefix,
    Radius,
    Since,
    Subtree,
    Until,
)
from singletable.model.pattern_declaration import ParameterDeclaration
from singletable.model.table_schema import Index
from singletable.planner.estimate import estimate
from singletable.planner.operands import Encoded, FixedText, TextOperand
from singletable.planner.plan import Outcome, Plan
from singletable.studio.item_rows import Item, ItemRows, key_json
from singletable.studio.key_pieces import KeyPieces, key_texts, value_text
from singletable.values.item_size import item_size
from singletable.values.limits import PAGE_BYTES_MAX

_NEAR_DEGREES, _NEAR_METERS, _NEAREST = 0.005, 500.0, 3


@dataclass(frozen=True)
class ItemPlace:
    """The place of an item in the table or an index. `reason` says why it is absent."""

    label: str
    partition: KeyPieces = ()
    sort: KeyPieces = ()
    partition_id: str = ""
    reason: str = ""

    def document(self) -> dict[str, Any]:
        """Return the place as JSON."""
        texts = {"p": [list(each) for each in self.partition], "s": [list(each) for each in self.sort]}
        return {"place": self.label, "k": self.partition_id, "reason": self.reason, **texts}


@dataclass(frozen=True)
class ShownAttribute:
    """An attribute of an item: its name, its value as text, its type, and the keys that contain it."""

    name: str
    text: str
    type: str
    note: str = ""


@dataclass(frozen=True)
class ReturningPattern:
    """A call of a read pattern whose range contains the item."""

    pattern: str
    call: str
    arguments: tuple[tuple[str, str], ...]
    """The arguments, as texts that the form of the pattern accepts."""
    index: str
    cost: str

    @property
    def query(self) -> str:
        """The arguments as the query string of the pattern's page."""
        return urlencode(self.arguments)


@dataclass(frozen=True)
class ItemView:
    """The content of the page about one item."""

    id: str
    entity: int
    label: str
    name: str
    bytes: int
    attributes: tuple[ShownAttribute, ...]
    keys: tuple[ShownAttribute, ...]
    places: tuple[ItemPlace, ...]
    patterns: tuple[ReturningPattern, ...]
    problems: tuple[str, ...]
    location: str = ""
    """The place of the entity's declaration, as `path:line`."""

    @property
    def share_of_page(self) -> str:
        """The share of the item in a page of 1 MB."""
        return f"{self.bytes / PAGE_BYTES_MAX:.2%}"


class ItemViews:
    """Describes the items of one design."""

    def __init__(self, rows: ItemRows, outcomes: Sequence[Outcome]) -> None:
        self._rows, self._outcomes = rows, outcomes
        self._comparer = ItemComparer(rows.design)

    def view(self, item: Item) -> ItemView:
        """Return the view of an item."""
        rows, design = self._rows, self._rows.design
        number = rows.number_of(item)
        entity = design.entities[number] if number >= 0 else None
        compared = self._comparer.compare(item)
        keys = tuple(dict.fromkeys(name for index in design.indexes.values() for name in index.key_attributes))
        own = {design.settings.type_attribute, design.settings.schema_version_attribute}
        names = _ordered(item, entity)
        return ItemView(
            id=key_json(item, design.table.key_attributes),
            entity=number,
            label=rows.label_of(number),
            name=_name(item, entity, design),
            bytes=item_size(item),
            attributes=tuple(_shown(item, name, entity) for name in names if name not in own and name not in keys),
            keys=tuple(_shown(item, name, None) for name in (*keys, *sorted(filter(None, own))) if name in item),
            places=tuple(_place(item, entity, compared, index) for index in design.indexes.values()),
            patterns=tuple(self._returning(item, entity, compared.values)) if entity is not None else (),
            problems=tuple(_problem_text(each) for each in compared.problems),
            location=entity.location.full if entity is not None and not entity.location.full.startswith("<") else "",
        )

    def _returning(self, item: Item, entity: Entity, values: Mapping[str, Any]) -> Iterator[ReturningPattern]:
        for plan in self._outcomes:
            if not isinstance(plan, Plan) or plan.pattern.is_write or entity not in plan.entities:
                continue
            if plan.filter is not None and not _passes(plan, item):
                continue
            try:
                arguments = dict(_arguments(plan, entity, item, values))
            except SingletableError:
                continue
            texts = {name: argument_text(value) for name, value in arguments.items()}
            required = [each.name for each in plan.pattern.parameters.values() if each.required]
            call = ", ".join(_call_text(arguments[name]) if name in arguments else "…" for name in required)
            cost = str(estimate(self._rows.design, plan))
            yield ReturningPattern(
                plan.pattern.name, f"{plan.pattern.name}({call})", tuple(texts.items()), plan.index.label, cost
            )


def _problem_text(problem: ItemProblem) -> str:
    """Return a problem as text: `ST203 SK does not match "USER#{id}": SK is 'USER'`."""
    return f"{problem.rule.code} {problem.reason}" + (f": {problem.detail}" if problem.detail else "")


def _ordered(item: Item, entity: Entity | None) -> list[str]:
    declared = [name for name in entity.attributes.values() if name in item] if entity is not None else []
    return [*declared, *(name for name in item if name not in declared)]


def _name(item: Item, entity: Entity | None, design: Design) -> str:
    """Return a short name: the last field of the key, preceded by the partition if this field is not an ID.

    If there is none, return the key.
    """
    table = design.table
    partition, sort = (key_texts(item, part, entity, table) for part in (table.partition, table.sort))
    fields = [[each for each in texts if each.field] for texts in (partition, sort)]
    last = [texts[-1] for texts in fields if texts]
    if not last:
        return "".join(each.text for each in (*partition, *sort))
    shown = last[-1:] if last[-1].field.lower().endswith("id") else last
    return " · ".join(dict.fromkeys(each.value or each.text for each in shown))


def _shown(item: Item, name: str, entity: Entity | None) -> ShownAttribute:
    ((kind, _),) = item[name].items()
    note = ""
    if entity is not None:
        field = next((each for each, stored in entity.attributes.items() if stored == name), None)
        used = [
            part.attribute
            for placement in entity.placements.values()
            for part in placement.parts
            if field in part.fields
        ]
        note = f"in {', '.join(dict.fromkeys(used))}" if used else "" if field is not None else "not in the model"
    return ShownAttribute(name, clean(text_of(item[name])), kind, note)


def _place(item: Item, entity: Entity | None, compared: ItemComparison, index: Index) -> ItemPlace:
    attributes = (*index.partition, *index.sort)
    if all(each.type in item.get(each.name, {}) for each in attributes):
        partition = key_texts(item, index.partition, entity, index)
        sort = key_texts(item, index.sort, entity, index)
        return ItemPlace(index.label, partition, sort, key_json(item, [each.name for each in index.partition]))
    return ItemPlace(index.label, reason=_absence(item, entity, compared, index))


def _absence(item: Item, entity: Entity | None, compared: ItemComparison, index: Index) -> str:
    """Return why an index does not contain an item."""
    missing = [each.name for each in (*index.partition, *index.sort) if each.name not in item]
    if entity is None:
        return f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} not set"
    placement = entity.placements.get(index.alias)
    if placement is None:
        return f"{entity.label} declares no {index.alias}="
    unset = sorted(name for name in placement.fields if compared.values and compared.values.get(name) is None)
    if unset:
        return f"{' and '.join(unset)} {'is' if len(unset) == 1 else 'are'} not set"
    if len(missing) > 1:
        return f"{' and '.join(missing)} are missing, although the model writes them"
    return f"{missing[0] if missing else 'a key attribute'} is missing, although the model writes it"


def _passes(plan: Plan, item: Item) -> bool:
    """Return whether an item passes the filter of a pattern. Return True if that depends on arguments."""
    condition = plan.filter
    if condition is None:
        return True
    try:
        return compile_condition(condition)(item, {})
    except (KeyError, TypeError, SingletableError):
        return True


def _arguments(plan: Plan, entity: Entity, item: Item, values: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the arguments with which a pattern returns an item.

    They come from its fields, or from the key that it reads.
    """
    from_key = dict(_key_arguments(plan, item))
    own = _partition_fields(plan, entity)
    for parameter in plan.pattern.bound_parameters:
        if parameter.test in AREA_TYPES:
            yield from ((parameter.name, area) for area in _areas(parameter.test, entity, values))
            continue
        value = values.get(parameter.name)
        if value is None or parameter.name not in own:
            value = from_key.get(parameter.name, value)
        if value is not None:
            yield parameter.name, _range_of(parameter, value)


def _partition_fields(plan: Plan, entity: Entity) -> set[str]:
    """Return the fields of an entity in the partition key that a pattern reads.

    A parameter of a collection may have the name of another member's field: `id` of User is not `id` of Order.
    """
    placement = entity.placements.get(plan.index.alias)
    read = {test.attribute for test in plan.partition}
    return {name for part in (placement.parts if placement else ()) if part.attribute in read for name in part.fields}


def _key_arguments(plan: Plan, item: Item) -> Iterator[tuple[str, Any]]:
    for test in plan.partition:
        for operand in test.operands:
            if not isinstance(operand, TextOperand) or "S" not in item.get(test.attribute, {}):
                continue
            atoms = [atom for atom in operand.atoms if isinstance(atom, FixedText | Encoded)]
            expression = "".join(re.escape(each.text) if isinstance(each, FixedText) else "(.*?)" for each in atoms)
            match = re.fullmatch(expression, item[test.attribute]["S"], re.DOTALL)
            slots = [each for each in atoms if isinstance(each, Encoded)]
            for slot, text in zip(slots, match.groups() if match else (), strict=False):
                if isinstance(slot.binding.source, Parameter):
                    yield slot.binding.source.name, slot.slot.codec.decode(text)


def _range_of(parameter: ParameterDeclaration, value: Any) -> Any:
    if parameter.test is Between:
        return Between(value, value)
    if parameter.test in (Since, Until):
        return parameter.test(value)
    if parameter.test is Children:
        return Children(value[:-1])
    if parameter.test is Subtree:
        return Subtree(value)
    return Prefix(value[:1]) if parameter.test is Prefix else value


def _areas(test: type, entity: Entity, values: Mapping[str, Any]) -> Iterator[Radius | Box | Nearest]:
    """Yield a small area around the location of an item."""
    cells = (each for each in entity.declaration.derived.values() if isinstance(each, GeohashCell))
    for cell in cells:
        latitude, longitude = (values.get(name) for name in cell.fields)
        if latitude is None or longitude is None:
            continue
        north, east = float(latitude), float(longitude)
        if test is Radius:
            yield Radius(north, east, _NEAR_METERS)
        elif test is Nearest:
            yield Nearest(north, east, _NEAREST, meters=_NEAR_METERS)
        else:
            edges = (north - _NEAR_DEGREES, east - _NEAR_DEGREES, north + _NEAR_DEGREES, east + _NEAR_DEGREES)
            yield Box(*(round(edge, 4) for edge in edges))
        return


def argument_text(value: Any) -> str:
    """Return an argument as the text that the form of a pattern accepts."""
    if isinstance(value, Between):
        return f"{argument_text(value.low)}..{argument_text(value.high)}"
    if isinstance(value, Since):
        return f"{argument_text(value.low)}.."
    if isinstance(value, Until):
        return f"..{argument_text(value.high)}"
    if isinstance(value, Prefix):
        return str(value.start)
    if isinstance(value, Radius | Box | Nearest):
        return ",".join(f"{getattr(value, name):g}" for name in value.__dataclass_fields__)
    if isinstance(value, Subtree | Children):
        return argument_text(value.root if isinstance(value, Subtree) else value.parent)
    if isinstance(value, datetime):
        return value.isoformat().removesuffix("+00:00") + "Z" * (value.utcoffset() == timedelta(0))
    return value_text(value)


def _call_text(value: Any) -> str:
    if isinstance(value, int | float | Decimal) and not isinstance(value, bool | Enum):
        return str(value)
    return (
        argument_text(value)
        if isinstance(value, Between | Since | Until | Radius | Box | Nearest | datetime)
        else f'"{argument_text(value)}"'
    )
