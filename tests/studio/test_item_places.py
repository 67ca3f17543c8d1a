from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from examples.papers.model import Papers
from singletable import Page, Table, collection, entity, exists, pattern, query, sparse
from singletable.studio.item_places import ItemView, ItemViews
from singletable.studio.item_rows import NO_ENTITY, ItemRows
from singletable.verify.design_check import check
from tests.studio.opened_studio import COMMERCE, store_of, view_of, workspace

Views = dict[str, ItemView]


@pytest.fixture(scope="module")
def views(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Views]:
    space = workspace(COMMERCE, store_of(tmp_path_factory.mktemp("store")))
    view = view_of(space)
    from singletable.studio.column_pages import ColumnPosition

    rows = view.columns.page(view.design.table, ColumnPosition()).rows
    import json

    items = [view.columns.item(json.loads(row.id)) for row in rows]
    found = [view.views.view(item) for item in items if item is not None]
    yield {f"{each.label} {each.name}": each for each in found}
    space.close()


def test_an_item_has_a_place_in_every_column(views: Views) -> None:
    order = views["Order B7"]
    shown = {place.label: "".join(piece.text for piece in place.partition) for place in order.places}
    assert shown == {"table": "USER#42", "GSI1": "ORDER_BY_DATE", "GSI2": "USER#42#PENDING"}
    assert [piece.field for piece in order.places[2].partition if piece.field] == ["user_id", "status"]


def test_a_place_says_why_the_item_is_absent(views: Views) -> None:
    reasons = {place.label: place.reason for place in views["User 42"].places}
    assert reasons == {"table": "", "GSI1": "User declares no gsi1=", "GSI2": "User declares no gsi2="}


def test_the_patterns_that_return_an_item_have_its_arguments(views: Views) -> None:
    calls = {each.pattern: each.call for each in views["Order B7"].patterns}
    assert calls["orders_in_status"] == 'orders_in_status("42", "PENDING")'
    assert calls["recent_orders"] == 'recent_orders("42")'
    assert "orders_placed" in calls
    assert {each.pattern for each in views["OrderItem A1 · 2"].patterns} == {"order_with_items"}
    assert [each.call for each in views["OrderItem A1 · 2"].patterns] == ['order_with_items("A1")']


def test_item_places_have_short_names(views: Views) -> None:
    assert {"User 42", "Order B7", "OrderDetails A1", "OrderItem A1 · 1", "Review abc"} <= views.keys()


@entity(key=("ORDER#{id}", "META"), gsi1=sparse("SHIPPED", "{shipped_at}#{id}"))
@dataclass
class Parcel:
    id: str
    shipped_at: str | None = None


class Parcels(Table, entities=[Parcel]):
    @pattern()
    def shipped(self) -> Page[Parcel]:
        """Shipped parcels."""
        return query(Parcel, where=lambda parcel: exists(parcel.shipped_at))


def test_the_item_place_in_a_sparse_index_names_the_field_without_a_value() -> None:
    design = Parcels.design
    views = ItemViews(ItemRows(design), check(design).outcomes)
    item = {"PK": {"S": "ORDER#1"}, "SK": {"S": "META"}, "id": {"S": "1"}, "entity_type": {"S": "Parcel"}}
    assert views.view(item).places[1].reason == "shipped_at is not set"


@entity(key=("OWNER#{id}", "OWNER#{id}"))
@dataclass
class Owner:
    id: str


@entity(key=("OWNER#{owner_id}", "CAR#{id}"))
@dataclass
class Car:
    owner_id: str
    id: str


@dataclass
class Garage:
    owner: Owner
    cars: list[Car]


class Garages(Table, entities=[Owner, Car]):
    @pattern()
    def garage(self, id: str) -> Garage | None:
        """An owner with the cars."""
        return collection(Garage)


def test_the_item_places_read_the_argument_of_a_collection_from_its_partition() -> None:
    design = Garages.design
    views = ItemViews(ItemRows(design), check(design).outcomes)
    keys = {"PK": {"S": "OWNER#o1"}, "SK": {"S": "CAR#c1"}, "entity_type": {"S": "Car"}}
    car = views.view({**keys, "owner_id": {"S": "o1"}, "id": {"S": "c1"}})
    assert [each.call for each in car.patterns] == ['garage("o1")']


def test_the_item_view_names_a_value_of_both_keys_once() -> None:
    design = Papers.design
    views = ItemViews(ItemRows(design), check(design).outcomes)
    key = {"S": "AUTHOR#ada"}
    author = views.view({"PK": key, "SK": key, "entity_type": {"S": "Author"}, "handle": {"S": "ada"}})
    assert author.name == "ada"


def test_the_item_places_of_an_item_without_an_entity_show_its_problem(tmp_path: Path) -> None:
    view = view_of(workspace(COMMERCE))
    found = view.views.view({"PK": {"S": "X#1"}, "SK": {"S": "Y"}, "note": {"S": "left over"}})
    assert found.entity == NO_ENTITY
    assert found.label == "no entity"
    assert "no entity has a key like" in found.problems[0]
    assert [place.reason for place in found.places[1:]] == [
        "GSI1PK and GSI1SK are not set",
        "GSI2PK and GSI2SK are not set",
    ]
    assert found.patterns == ()


def test_an_item_place_with_a_wrong_index_key_is_a_problem(views: Views) -> None:
    view = view_of(workspace(COMMERCE))
    item = {each.name: {each.type: each.text} for each in (*views["Order B7"].attributes, *views["Order B7"].keys)}
    assert view.views.view(item).problems == ()
    item["GSI2PK"] = {"S": "USER#42#LOST"}
    assert "GSI2PK of GSI2 differs from the values of the fields" in view.views.view(item).problems[0]
