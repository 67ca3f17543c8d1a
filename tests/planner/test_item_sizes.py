"""The size that the types of fields give is that of an item whose values are as long as they are supposed to be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from singletable import Table, entity
from singletable.planner.item_sizes import ItemSizes
from singletable.planner.stored_items import item_of, values_of
from singletable.values.item_size import item_size

TEXTS = [f"{number:016}" for number in range(3)]
TEXT = TEXTS[0]
FLOAT = 0.1234567890123456


@dataclass
class Line:
    sku: str
    title: str | None
    quantity: int
    price: float


@dataclass
class Node:
    text: str
    below: list[Node]


@entity(key=("CART#{id}", "CART"))
@dataclass
class Cart:
    id: str
    lines: list[Line]
    main: Line
    tags: set[str]
    place: tuple[float, float]
    extra: dict[str, str]
    counts: Mapping[str, list[int]] = field(default_factory=dict)
    loose: list = field(default_factory=list)  # type: ignore[type-arg]  # a list of which nobody says what is in it


@entity(key=("TREE#{id}", "TREE"))
@dataclass
class Tree:
    id: str
    root: Node


@entity(key=("EVENT#{id}", "EVENT"))
@dataclass
class Event:
    id: str
    what: int | Line | str


class Carts(Table, entities=[Cart, Tree, Event]):
    """Classes, lists, sets and maps inside of fields."""


def _bytes(value: object) -> int:
    made = Carts.design.entity_of(type(value))
    return item_size(item_of(Carts.design, made, values_of(made, value)))


def test_item_sizes_of_nested_fields_follow_from_their_types() -> None:
    line = Line(TEXT, TEXT, 123456, FLOAT)
    texts = dict.fromkeys(TEXTS, TEXT)
    cart = Cart(TEXT, [line] * 3, line, set(TEXTS), (FLOAT, FLOAT), texts, dict.fromkeys(TEXTS, [123456] * 3), TEXTS)
    assert ItemSizes(Carts.design).item(Carts.design.entity_of(Cart)) == _bytes(cart)


def test_item_sizes_of_a_union_are_those_of_its_largest_type() -> None:
    size = ItemSizes(Carts.design).item(Carts.design.entity_of(Event))
    assert size == _bytes(Event(TEXT, Line(TEXT, TEXT, 123456, FLOAT)))


def test_item_sizes_of_a_recursive_class_are_finite() -> None:
    size = ItemSizes(Carts.design).item(Carts.design.entity_of(Tree))
    assert _bytes(Tree(TEXT, Node(TEXT, []))) < size < _bytes(Tree(TEXT, Node(TEXT, [Node(TEXT, [])] * 3)))
