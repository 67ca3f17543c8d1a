"""Entity placement: names and types of key attributes, and conflicts between entities."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest

from singletable.errors import Location, Problem
from singletable.model.entity import Entity, EntityDeclaration, declaration_of, entity
from singletable.model.entity_placement import place_entities
from singletable.model.keys import NativePart, TemplatePart
from singletable.model.table_schema import (
    ALL,
    GSI,
    KEYS_ONLY,
    LSI,
    Index,
    KeyAttribute,
    TableSettings,
    include,
    native,
    sparse,
)

HERE = Location("model.py", 7)
FIELDS: dict[str, Any] = {
    "id": str,
    "name": str,
    "status": str,
    "at": datetime,
    "count": int,
    "price": Decimal,
    "blob": bytes,
    "tags": list[str],
    "note": str | None,
}


def declared(label: str = "Order", *, fields: dict[str, Any] | None = None, **keywords: Any) -> EntityDeclaration:
    cls = dataclasses.make_dataclass(label, list((FIELDS if fields is None else fields).items()))
    found = declaration_of(entity(**{"key": ("ORDER#{id}", "METADATA"), **keywords})(cls))
    assert found is not None
    return dataclasses.replace(found, location=HERE)


Placed = tuple[dict[str, Index], list[Entity], list[Problem]]


def place(*declarations: EntityDeclaration, indexes: Sequence[GSI | LSI] = (), **settings: Any) -> Placed:
    return place_entities(TableSettings("Shop", HERE, indexes=tuple(indexes), **settings), declarations)


def names_of(index: Index) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return tuple(each.name for each in index.partition), tuple(each.name for each in index.sort)


def types_of(index: Index) -> dict[str, str]:
    return {each.name: each.type for each in (*index.partition, *index.sort)}


def messages(placed: Placed) -> list[str]:
    assert all(problem.location == HERE for problem in placed[2])
    return [problem.message for problem in placed[2]]


def test_entity_placement_gives_key_attributes_conventional_default_names() -> None:
    indexes, _, problems = place(
        declared(gsi1=("A#{id}", "B"), gsi2=("C#{name}",), lsi1="{at}", by_name=("{name}", "X"))
    )
    assert problems == []
    assert {alias: (index.name, index.kind, *names_of(index)) for alias, index in indexes.items()} == {
        "key": ("Shop", "table", ("PK",), ("SK",)),
        "gsi1": ("GSI1", "GSI", ("GSI1PK",), ("GSI1SK",)),
        "gsi2": ("GSI2", "GSI", ("GSI2PK",), ()),
        "lsi1": ("LSI1", "LSI", ("PK",), ("LSI1SK",)),
        "by_name": ("by_name", "GSI", ("by_namePK",), ("by_nameSK",)),
    }


def test_entity_placement_takes_configured_key_attribute_and_index_names() -> None:
    given: list[GSI | LSI] = [
        GSI("gsi1", name="inverted", keys=("gpk", "gsk")),
        LSI("lsi1", name="recent", sort="lsk"),
        LSI("by_name", sort="nsk"),
    ]
    indexes, _, problems = place(
        declared(gsi1=("A#{id}", "B"), lsi1="{at}", by_name="{name}"), indexes=given, keys=("pk", "sk")
    )
    assert problems == []
    assert {alias: (index.name, index.kind, *names_of(index)) for alias, index in indexes.items()} == {
        "key": ("Shop", "table", ("pk",), ("sk",)),
        "gsi1": ("inverted", "GSI", ("gpk",), ("gsk",)),
        "lsi1": ("recent", "LSI", ("pk",), ("lsk",)),
        "by_name": ("by_name", "LSI", ("pk",), ("nsk",)),
    }


def test_entity_placement_accepts_a_table_without_a_sort_key() -> None:
    indexes, (order,), problems = place(declared(key="ORDER#{id}"))
    assert problems == []
    assert names_of(indexes["key"]) == (("PK",), ())
    assert order.base.encode({"id": "o1"}) == {"PK": "ORDER#o1"}
    assert names_of(place(declared(key=("ORDER#{id}",)), keys=("pk",))[0]["key"]) == (("pk",), ())


def test_entity_placement_gives_a_local_index_the_partition_key_of_the_table() -> None:
    indexes, (order,), problems = place(declared(lsi1="{status}#{at:seconds}"))
    assert problems == []
    placement = order.placements["lsi1"]
    assert placement.partition == order.base.partition
    assert indexes["lsi1"].partition == indexes["key"].partition
    assert [str(part) for part in placement.parts] == ["ORDER#{id}", "{status}#{at:seconds}"]


def test_entity_placement_gives_native_keys_the_stored_names_and_types() -> None:
    order = declared(
        key=(native("id"), native("count")),
        gsi1=(native("status"), native("price")),
        gsi2=(native("blob"), "X"),
        attributes={"status": "Status"},
    )
    indexes, (placed,), problems = place(order)
    assert problems == []
    assert types_of(indexes["key"]) == {"id": "S", "count": "N"}
    assert types_of(indexes["gsi1"]) == {"Status": "S", "price": "N"}
    assert types_of(indexes["gsi2"]) == {"blob": "B", "GSI2SK": "S"}
    assert [type(part) for part in placed.placements["gsi2"].parts] == [NativePart, TemplatePart]
    assert placed.placements["gsi1"].index == indexes["gsi1"]


def test_entity_placement_accepts_four_attributes_per_key_in_a_global_index() -> None:
    fields = {f"f{number}": (str, int, bytes, str)[number % 4] for number in range(8)}
    keys = tuple(tuple(native(f"f{number}") for number in side) for side in (range(4), range(4, 8)))
    indexes, (placed,), problems = place(declared(key="A#{f0}", fields=fields, gsi1=keys))
    assert problems == []
    assert types_of(indexes["gsi1"]) == dict(zip(fields, "SNBSSNBS", strict=True))
    values = {"f0": "a", "f1": 1, "f2": b"b", "f3": "c", "f4": "d", "f5": 2, "f6": b"e", "f7": "f"}
    encoded = placed.placements["gsi1"].encode(values)
    assert encoded == values
    assert placed.placements["gsi1"].decode(encoded) == values
    assert placed.placements["gsi1"].encode({**values, "f6": None}) is None


def test_entity_placement_numbers_the_attributes_of_a_multi_attribute_key() -> None:
    indexes, _, problems = place(declared(gsi1=(("A#{id}", "B#{status}"), ("C#{name}", native("count"), "D"))))
    assert problems == []
    assert names_of(indexes["gsi1"]) == (("GSI1PK1", "GSI1PK2"), ("GSI1SK1", "count", "GSI1SK3"))


def test_entity_placement_accepts_names_for_the_attributes_of_a_multi_attribute_key() -> None:
    index = GSI("gsi1", keys=(("tenant", "region"), "sort"))
    indexes, _, problems = place(declared(gsi1=(("A#{id}", "B#{status}"), "C#{name}")), indexes=[index])
    assert problems == []
    assert names_of(indexes["gsi1"]) == (("tenant", "region"), ("sort",))


def test_entity_placement_uses_the_declared_projection() -> None:
    given: list[GSI | LSI] = [GSI("gsi1", projection=KEYS_ONLY), LSI("lsi1", projection=include("name"))]
    indexes, (order,), _ = place(declared(gsi1=("A#{id}",), lsi1="{at}", gsi2=("B#{id}",)), indexes=given)
    found = {alias: str(index.projection) for alias, index in indexes.items()}
    assert found == {"key": str(ALL), "gsi1": "KEYS_ONLY", "lsi1": "INCLUDE name", "gsi2": "ALL"}
    assert order.placements["gsi1"].index.projection is KEYS_ONLY


def test_entity_placement_marks_a_sparse_placement() -> None:
    _, (order,), problems = place(
        declared(gsi1=sparse("NOTE#{note}", "{at}"), gsi2=("A#{id}", "B"), lsi1=sparse("{note}"))
    )
    assert problems == []
    assert {alias: placement.sparse for alias, placement in order.placements.items()} == {
        "key": False,
        "gsi1": True,
        "gsi2": False,
        "lsi1": True,
    }
    values = {"id": "o1", "note": None, "at": datetime(2026, 1, 1)}
    assert order.placements["gsi1"].encode(values) is None
    assert order.placements["lsi1"].encode(values) is None


def test_entity_placement_creates_a_declared_index_without_entities() -> None:
    indexes, _, problems = place(declared(), indexes=[GSI("gsi1", keys=("a", "b"))])
    assert problems == []
    assert names_of(indexes["gsi1"]) == (("a",), ("b",))


def test_entity_placement_shares_the_attributes_of_an_overloaded_index() -> None:
    customer = declared("Customer", key=("CUST#{id}", "M"), gsi1=("NAME#{name}", "CUST"))
    indexes, entities, problems = place(customer, declared(gsi1=("CUST#{name}", "ORDER#{id}")))
    assert problems == []
    assert [one.placements["gsi1"].index for one in entities] == [indexes["gsi1"]] * 2


@pytest.mark.parametrize(
    ("keywords", "expected"),
    [
        (
            {"key": ("A", "B", "C")},
            "Order: key=('A', 'B', 'C') is not a valid key; expected a partition and a sort key template",
        ),
        ({"key": ()}, "is not a valid key"),
        ({"key": 5}, "is not a valid key"),
        ({"key": ["A", "B"]}, "is not a valid key"),
        ({"key": ((), "B")}, "is not a valid key"),
        ({"gsi1": ("A", 5)}, "Order: gsi1=('A', 5) is not a valid key"),
        ({"gsi1": (("A", 5), "B")}, "is not a valid key"),
        ({"gsi1": sparse("A", 5)}, "is not a valid key"),  # type: ignore[arg-type]
        ({"lsi1": ("A", "B")}, "Order: lsi1=('A', 'B') is not a valid key; expected one sort key template"),
        ({"lsi1": ()}, "expected one sort key template"),
        ({"lsi1": ((),)}, "expected one sort key template"),
        ({"lsi1": (("{at}", "{name}"),)}, "expected one sort key template"),
    ],
)
def test_entity_placement_rejects_invalid_keys(keywords: dict[str, Any], expected: str) -> None:
    (message,) = messages(place(declared(**keywords)))
    assert expected in message


@pytest.mark.parametrize(
    ("keywords", "expected"),
    [
        (
            {"key": ("CUST#{idd}", "M")},
            'Order: key PK = "CUST#{idd}": {idd} in the template is not a field of the class',
        ),
        ({"gsi1": ("A", "{name}{status}")}, 'Order: gsi1 GSI1SK = "{name}{status}": {name} and {status} are in one'),
        ({"gsi1": ("{tags}",)}, 'Order: gsi1 GSI1PK = "{tags}": {tags}: list[str] is not supported in a key'),
        (
            {"key": native("idd")},
            "Order: key idd = \"native('idd')\": 'idd' is not a field. The fields are id, name, status",
        ),
        ({"key": native("tags")}, "list[str] cannot be a key attribute; use text, a number or bytes"),
        ({"key": native("at", "fortnights")}, "native('at')"),
        ({"key": native("count", "06d")}, "06d"),
    ],
)
def test_entity_placement_reports_an_invalid_key_position_with_its_attribute(
    keywords: dict[str, Any], expected: str
) -> None:
    (message,) = messages(place(declared(**keywords)))
    assert expected in message


def test_entity_placement_reports_all_problems_at_once() -> None:
    first = declared(key=("A#{x}", "B#{y}"), gsi1=("A", "B", "C"))
    second = declared("Invoice", key=("A#{id}", "B b"))
    assert len(messages(place(first, second))) == 4


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (
            {"key": "A#{id}"},
            {},
            "Order: key has 1 partition and 0 sort key attributes, but other entities have 1 and 1",
        ),
        ({"gsi1": ("A",)}, {"gsi1": ("A", "B")}, "Order: gsi1 has 1 partition and 0 sort key attributes"),
        (
            {"gsi1": (("A", "B"), "C")},
            {"gsi1": ("A", "B")},
            "Invoice: gsi1 has 1 partition and 1 sort key attributes, but other entities have 2 and 1",
        ),
    ],
)
def test_entity_placement_needs_the_same_number_of_key_attributes_in_all_entities(
    first: dict[str, Any], second: dict[str, Any], expected: str
) -> None:
    found = messages(place(declared(**first), declared("Invoice", **second)))
    assert len([message for message in found if expected in message]) == 1


def test_entity_placement_needs_a_sort_key_in_every_entity_if_the_table_has_one() -> None:
    (message,) = messages(place(declared(key="A#{id}"), keys=("PK", "SK")))
    assert "has 1 partition and 0 sort key attributes, but other entities have 1 and 1" in message


def test_entity_placement_accepts_a_multi_attribute_key_only_in_a_global_index() -> None:
    (message,) = messages(place(declared(key=(("A#{id}", "B#{name}"), "C"))))
    assert message == "Shop: only a global index supports multi-attribute keys"


def test_entity_placement_needs_one_type_of_a_key_attribute_in_all_entities() -> None:
    first = declared(gsi1=("A#{id}", native("count")))
    second = declared("Invoice", key=("INVOICE#{id}", "M"), gsi1=("A#{id}", "{name}"), attributes={"count": "total"})
    (message,) = messages(place(first, second))
    assert message.startswith("Shop: the key attribute count ")
    assert "N in Order" in message
    assert "S in Invoice" in message


def test_entity_placement_needs_one_type_of_a_key_attribute_in_all_indexes() -> None:
    # DynamoDB defines an attribute once for the table and all its indexes.
    first = declared(gsi1=("A#{id}", native("count")))
    second = declared("Invoice", key=("INVOICE#{id}", "M"), gsi2=("A#{id}", "{name}"), attributes={"count": "total"})
    found = messages(place(first, second, indexes=[GSI("gsi2", keys=("GSI2PK", "count"))]))
    assert len(found) == 1
    assert "count" in found[0]


def test_entity_placement_rejects_conflicting_native_keys() -> None:
    first, second = declared(gsi1=native("status")), declared("Invoice", gsi1=native("name"))
    assert any(
        "the field is stored as 'name', but the key attribute is 'status'; declare attributes={\"name\": \"status\"}"
        in message
        for message in messages(place(first, second))
    )


@pytest.mark.parametrize("keys", [("PK", "SK", "TK"), "pk"])
def test_entity_placement_accepts_one_or_two_attributes_in_keys(keys: Any) -> None:
    assert messages(place(declared(), keys=keys)) != []


def test_entity_placement_leaves_out_an_entity_without_a_table_key() -> None:
    _, entities, problems = place(declared(key="A#{x}"), declared("Invoice", key="B#{id}"))
    assert [one.label for one in entities] == ["Invoice"]
    assert len(problems) == 1


def test_entity_placement_makes_key_attributes_strings_by_default() -> None:
    indexes, _, _ = place(declared(gsi1=("A", native("count"))))
    assert indexes["gsi1"].partition == (KeyAttribute("GSI1PK", "S"),)
    assert indexes["gsi1"].sort == (KeyAttribute("count", "N"),)


def test_entity_placement_asks_what_a_single_template_of_an_index_means() -> None:
    _, _, problems = place(declared(gsi1="STATUS#{status}"))
    (problem,) = problems
    assert problem.message == (
        "Order: gsi1='STATUS#{status}' is one template, but an index usually has a partition and a sort key"
    )
    assert problem.remedy == (
        'Add a sort key: gsi1=("STATUS#{status}", "..."). For an index without a sort key: gsi1=("STATUS#{status}",).'
    )
