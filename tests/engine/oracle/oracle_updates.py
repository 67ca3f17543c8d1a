"""Updates and projections that can print themselves as DynamoDB expressions and apply themselves to an item."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from decimal import Decimal, localcontext
from typing import Any

from tests.engine.oracle.oracle_conditions import Expression, Placeholders
from tests.engine.oracle.oracle_values import (
    Invalid,
    Item,
    Path,
    Unspecified,
    Value,
    at,
    kind_of,
    normal,
    normal_item,
    parts,
    plain_number,
    same,
)

LARGEST = Decimal("9.9999999999999999999999999999999999999E+125")
SMALLEST = Decimal("1E-130")
DIGITS_MAX = 38


class Source(Expression):
    """The right side of an assignment."""

    def of(self, item: Item) -> Value:
        raise NotImplementedError


@dataclass(frozen=True)
class New(Source):
    value: Value

    def text(self, placeholders: Placeholders) -> str:
        return placeholders.value(self.value)

    def of(self, item: Item) -> Value:
        return self.value


@dataclass(frozen=True)
class Old(Source):
    path: Path

    def text(self, placeholders: Placeholders) -> str:
        return placeholders.path(self.path)

    def of(self, item: Item) -> Value:
        value = at(item, self.path)
        if value is None:
            raise Invalid("an attribute that does not exist in the item")
        return value


@dataclass(frozen=True)
class IfNotExists(Source):
    path: Path
    other: Source

    def text(self, placeholders: Placeholders) -> str:
        return f"if_not_exists({placeholders.path(self.path)}, {self.other.text(placeholders)})"

    def of(self, item: Item) -> Value:
        value = at(item, self.path)
        return self.other.of(item) if value is None else value


@dataclass(frozen=True)
class ListAppend(Source):
    first: Source
    second: Source

    def text(self, placeholders: Placeholders) -> str:
        return f"list_append({self.first.text(placeholders)}, {self.second.text(placeholders)})"

    def of(self, item: Item) -> Value:
        first, second = self.first.of(item), self.second.of(item)
        if kind_of(first) != "L" or kind_of(second) != "L":
            raise Invalid("list_append of something that is not a list")
        return {"L": first["L"] + second["L"]}


@dataclass(frozen=True)
class Arithmetic(Source):
    sign: str
    left: Source
    right: Source

    def text(self, placeholders: Placeholders) -> str:
        return f"{self.left.text(placeholders)} {self.sign} {self.right.text(placeholders)}"

    def of(self, item: Item) -> Value:
        left, right = self.left.of(item), self.right.of(item)
        if kind_of(left) != "N" or kind_of(right) != "N":
            raise Invalid("arithmetic with something that is not a number")
        return sum_of(left, right, 1 if self.sign == "+" else -1)


def sum_of(left: Value, right: Value, sign: int) -> Value:
    with localcontext(prec=400):
        result = Decimal(left["N"]) + sign * Decimal(right["N"])
        if result and not SMALLEST <= abs(result) <= LARGEST:
            raise Invalid("a number out of range")
        if len(plain_number(abs(result)).replace(".", "").strip("0")) > DIGITS_MAX:
            raise Unspecified("a sum of more than 38 digits")
        return {"N": plain_number(result)}


class _Gone:
    """A placeholder for a removed list element, so that the other elements keep their positions."""


@dataclass(frozen=True)
class Update(Expression):
    """The four clauses of an update. Their paths do not overlap."""

    sets: tuple[tuple[Path, Source], ...] = ()
    removes: tuple[Path, ...] = ()
    adds: tuple[tuple[Path, Value], ...] = ()
    deletes: tuple[tuple[Path, Value], ...] = ()

    def text(self, placeholders: Placeholders) -> str:
        sets = [f"{placeholders.path(path)} = {source.text(placeholders)}" for path, source in self.sets]
        removes = [placeholders.path(path) for path in self.removes]
        adds = [f"{placeholders.path(path)} {placeholders.value(value)}" for path, value in self.adds]
        deletes = [f"{placeholders.path(path)} {placeholders.value(value)}" for path, value in self.deletes]
        clauses = {"SET": sets, "REMOVE": removes, "ADD": adds, "DELETE": deletes}
        return " ".join(f"{word} {', '.join(changes)}" for word, changes in clauses.items() if changes)

    @property
    def paths(self) -> list[Path]:
        return [*(path for path, _ in (*self.sets, *self.adds, *self.deletes)), *self.removes]

    @property
    def only_removes(self) -> bool:
        """Return whether the update creates no item, because it only removes."""
        return not self.sets and not self.adds

    @property
    def given(self) -> list[tuple[Path, Value]]:
        """Return the attributes that the update writes for any item."""
        return [(path, source.value) for path, source in self.sets if isinstance(source, New)] + list(self.adds)

    def applied(self, old: Item) -> Item:
        """Return the updated item. The operands read the item before the update."""
        values: dict[Path, Value | None] = {path: source.of(old) for path, source in self.sets}
        values |= {path: _added(at(old, path), value) for path, value in self.adds}
        values |= {path: _without(at(old, path), value) for path, value in self.deletes}
        values |= dict.fromkeys(self.removes)
        new: Value = {"M": copy.deepcopy(old)}
        # Elements beyond the end of a list are appended in the order of their positions.
        for path in sorted(values, key=lambda path: [(isinstance(step, int), step) for step in path]):
            _put(new, old, path, copy.deepcopy(values[path]))
        return normal_item(_swept(new)["M"])

    def old_parts(self, old: Item) -> Item:
        return parts(old, self.paths)

    def new_parts(self, old: Item, new: Item) -> Item:
        """Return the updated parts. For moved list elements, the result is unspecified."""
        for path in self.paths:
            if any(isinstance(step, int) for step in path) and (at(old, path) is None or at(new, path) is None):
                raise Unspecified("parts of a list that has grown or shrunk")
        if any(isinstance(step, int) for path in (*self.removes, *(path for path, _ in self.deletes)) for step in path):
            raise Unspecified("parts of a list that has shrunk")
        return parts(new, self.paths)


def _added(old: Value | None, value: Value) -> Value:
    if old is None:
        return value
    kind = kind_of(value)
    if kind_of(old) != kind:
        raise Invalid("ADD to another type")
    if kind == "N":
        return sum_of(old, value, 1)
    old_members = normal(old)[kind]
    return {kind: old_members + [member for member in normal(value)[kind] if member not in old_members]}


def _without(old: Value | None, value: Value) -> Value | None:
    if old is None:
        return None
    kind = kind_of(value)
    if kind_of(old) != kind:
        raise Invalid("DELETE from another type")
    left = [member for member in normal(old)[kind] if member not in normal(value)[kind]]
    return {kind: left} if left else None


def _put(new: Value, old: Item, path: Path, value: Value | None) -> None:
    """Write or remove one path of the new item. List positions refer to the old list."""
    place: Any = new
    for step, following in zip((None, *path[:-1]), path, strict=True):
        if step is not None:
            place = _inside(place, step)
        if place is None or isinstance(place, _Gone) or ("M" if isinstance(following, str) else "L") not in place:
            raise Invalid("a document path that leads nowhere")
    last = path[-1]
    if isinstance(last, str):
        if value is None:
            place["M"].pop(last, None)
        else:
            place["M"][last] = value
        return
    length = len((at(old, path[:-1]) or {"L": []})["L"])
    if last < length:
        place["L"][last] = _Gone() if value is None else value
    elif value is not None:
        place["L"].append(value)


def _inside(place: Value, step: str | int) -> Any:
    if isinstance(step, str):
        return place["M"].get(step)
    return place["L"][step] if step < len(place["L"]) else None


def _swept(value: Value) -> Value:
    ((kind, content),) = value.items()
    if kind == "L":
        return {kind: [_swept(element) for element in content if not isinstance(element, _Gone)]}
    if kind == "M":
        return {kind: {name: _swept(member) for name, member in content.items()}}
    return value


@dataclass(frozen=True)
class Projection(Expression):
    """A projection expression."""

    paths: tuple[Path, ...]

    def text(self, placeholders: Placeholders) -> str:
        return ", ".join(placeholders.path(path) for path in self.paths)

    def of(self, item: Item) -> Item:
        return parts(item, list(self.paths))


def overlap(one: Path, other: Path) -> bool:
    """Return whether DynamoDB rejects two paths in one expression, because they overlap or disagree on a type."""
    for first, second in zip(one, other, strict=False):
        if isinstance(first, int) != isinstance(second, int):
            return True
        if first != second:
            return False
    return True


def unchanged(one: Item | None, other: Item | None) -> bool:
    return one is not None and other is not None and same({"M": one}, {"M": other})
