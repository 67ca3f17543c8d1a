"""Item sizes to the byte."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from hypothesis import given

from singletable.values.checks import check_item
from singletable.values.item_size import item_size, texts_size, value_size
from singletable.values.number import number_size
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
def test_a_value_has_its_size(value: dict[str, Any], size: int) -> None:
    assert value_size(value) == size
    assert item_size({"name": value}) == 4 + size


def test_no_attributes_have_no_size() -> None:
    assert item_size({}) == texts_size([]) == 0


def plain_size(value: Any) -> int:
    """The rules one by one, with everything encoded to be measured."""
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
def test_an_item_has_the_size_of_its_names_and_values(item: dict[str, Any]) -> None:
    check_item(item)
    assert item_size(item) == sum(len(name.encode()) + plain_size(value) for name, value in item.items())
