"""Item sizes in bytes, and capacity units."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from hypothesis import given

from singletable.values.item_size import (
    CONSISTENT,
    EVENTUAL,
    TRANSACTIONAL,
    entry_write_units,
    item_size,
    read_units,
    texts_size,
    value_size,
    write_units,
)
from singletable.values.scalars import number_size
from singletable.values.value_checks import check_item
from tests.values.generated import ITEMS


@pytest.mark.parametrize(
    ("value", "size"),
    [
        ({"S": ""}, 0),
        ({"S": "héllo"}, 6),
        ({"S": "😀"}, 4),
        ({"N": "0"}, 1),
        ({"N": "-12.5"}, 4),
        ({"B": ""}, 0),
        ({"B": "YQ=="}, 1),
        ({"B": "YWE="}, 2),
        ({"B": "YWFh"}, 3),
        ({"BOOL": True}, 1),
        ({"BOOL": False}, 1),
        ({"NULL": True}, 1),
        ({"SS": ["a", "é"]}, 3),
        ({"NS": ["1", "-42"]}, 5),
        ({"BS": ["YQ==", "YWFh"]}, 4),
        ({"L": []}, 3),
        ({"M": {}}, 3),
        ({"L": [{"S": "ab"}, {"BOOL": True}]}, 3 + 2 + 2 + 1),
        ({"M": {"né": {"S": "ab"}}}, 3 + 1 + 3 + 2),
        ({"M": {"a": {"L": [{"NULL": True}]}}}, 3 + 1 + 1 + 3 + 1 + 1),
    ],
)
def test_item_size_counts_the_bytes_of_a_value_by_its_type(value: dict[str, Any], size: int) -> None:
    assert value_size(value) == size
    assert item_size({"name": value}) == 4 + size


def test_the_item_size_of_an_empty_item_is_zero() -> None:
    assert item_size({}) == texts_size([]) == 0


def plain_size(value: Any) -> int:
    """The rules one by one, slow and simple: everything is encoded before it is measured."""
    ((kind, content),) = value.items()
    match kind:
        case "S":
            return len(content.encode())
        case "N":
            return number_size(content)
        case "B":
            return len(base64.b64decode(content))
        case "BOOL" | "NULL":
            return 1
        case "SS" | "NS" | "BS":
            return sum(plain_size({kind[0]: member}) for member in content)
        case "L":
            return 3 + sum(1 + plain_size(element) for element in content)
        case _:
            return 3 + sum(1 + len(name.encode()) + plain_size(member) for name, member in content.items())


@given(ITEMS)
def test_the_item_size_is_the_size_of_all_names_and_values(item: dict[str, Any]) -> None:
    check_item(item)
    assert item_size(item) == sum(len(name.encode()) + plain_size(value) for name, value in item.items())


@pytest.mark.parametrize(("size", "units"), [(0, 1), (1, 1), (4096, 1), (4097, 2), (409_600, 100)])
def test_item_size_rounds_read_units_up_to_4_kb_and_an_empty_read_costs_a_unit(size: int, units: int) -> None:
    assert read_units(size, CONSISTENT) == units
    assert read_units(size, EVENTUAL) == units / 2
    assert read_units(size, TRANSACTIONAL) == units * 2


@pytest.mark.parametrize(("size", "units"), [(0, 1), (1024, 1), (1025, 2), (409_600, 400)])
def test_item_size_rounds_write_units_up_to_1_kb(size: int, units: int) -> None:
    assert write_units(size) == units


@pytest.mark.parametrize(
    ("old", "new", "is_moved", "is_changed", "units"),
    [
        (None, None, False, True, 0),
        (None, 3000, False, True, 3),
        (3000, None, False, True, 3),
        (3000, 3000, False, False, 0),
        (3000, 100, False, True, 3),
        (100, 3000, False, True, 3),
        (3000, 100, True, True, 4),
        (1500, 1500, True, True, 4),
    ],
)
def test_item_size_gives_index_write_units_by_how_the_entry_changes(
    old: int | None, new: int | None, is_moved: bool, is_changed: bool, units: int
) -> None:
    assert entry_write_units(old, new, is_moved=is_moved, is_changed=is_changed) == units
