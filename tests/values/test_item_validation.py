"""Validation of items: the fast path gives the same result as the slow path, compiled and in Python."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.errors import RequestRefused
from singletable.values import item_validation
from singletable.values.item_size import item_size, value_size
from singletable.values.item_validation import accept_item, accept_value
from singletable.values.limits import ATTRIBUTE_NAME_BYTES_MAX, NESTING_LEVELS_MAX, NUMBER_DIGITS_MAX
from singletable.values.value_checks import check_item, check_value
from tests.values.generated import ANY_ITEMS, ANY_JSON, ITEMS, VALUES, nested


@pytest.fixture(autouse=True, scope="module", params=["compiled", "in Python"])
def way(request: pytest.FixtureRequest) -> Iterator[None]:
    """Run every test with the compiled fast path and with the one in Python."""
    if request.param == "compiled" and item_validation._fast_sizes is None:
        pytest.skip("the compiled module is not built: there is no C compiler here")
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "in Python":
            patch.setattr(item_validation, "_fast_sizes", None)
        yield


def test_compiled_item_validation_has_the_same_limits() -> None:
    if item_validation._fast_sizes is not None:
        known = (item_validation._fast_sizes.NAME_BYTES_MAX, item_validation._fast_sizes.LEVELS_MAX)
        assert known == (ATTRIBUTE_NAME_BYTES_MAX, NESTING_LEVELS_MAX)
        assert item_validation._fast_sizes.NUMBER_DIGITS_MAX == NUMBER_DIGITS_MAX


def slow_accept_item(item: Any) -> int:
    check_item(item)
    return item_size(item)


def slow_accept_value(value: Any) -> int:
    check_value(value)
    return value_size(value)


def outcome(function: Callable[[Any], int], argument: Any) -> Any:
    """Return the result or the error of a function, and the argument after the call."""
    argument = copy.deepcopy(argument)
    try:
        return function(argument), argument
    except RequestRefused as error:
        return error.code, error.message


@given(ITEMS)
def test_fast_item_validation_accepts_a_valid_item_as_the_slow_path_does(item: dict[str, Any]) -> None:
    assert outcome(accept_item, item) == outcome(slow_accept_item, item)


@given(ANY_ITEMS)
def test_item_validation_of_any_json_has_the_same_result_as_on_the_slow_path(item: Any) -> None:
    assert outcome(accept_item, item) == outcome(slow_accept_item, item)


@given(VALUES | ANY_JSON)
def test_item_validation_of_one_value_has_the_same_result_as_on_the_slow_path(value: Any) -> None:
    assert outcome(accept_value, value) == outcome(slow_accept_value, value)


@given(ITEMS, ANY_JSON, st.data())
def test_item_validation_finds_one_invalid_value_anywhere_in_an_item(
    item: dict[str, Any], wrong: Any, data: st.DataObject
) -> None:
    def places(values: Any) -> list[tuple[Any, Any]]:
        found = [(values, place) for place in (values if isinstance(values, dict) else range(len(values)))]
        for value in list(values.values() if isinstance(values, dict) else values):
            for kind in ("L", "M", "SS", "NS", "BS"):
                if kind in value:
                    found += places(value[kind]) if kind in ("L", "M") else [(value[kind], 0)]
        return found

    if found := places(item):
        container, place = data.draw(st.sampled_from(found))
        container[place] = wrong
    assert outcome(accept_item, item) == outcome(slow_accept_item, item)


@given(ITEMS)
def test_item_validation_of_the_same_item_twice_changes_nothing(item: dict[str, Any]) -> None:
    size = accept_item(item)
    assert outcome(accept_item, item) == (size, item)


@given(ITEMS)
def test_item_validation_of_a_valid_item_never_needs_the_slow_path(item: dict[str, Any]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(item_validation, "check_item", lambda _: pytest.fail("the item is not on the fast path"))
        accept_item(item)


EDGES: list[Any] = [
    {},
    {"": {"S": "a"}},
    {"a" * 65_535: {"S": "a"}},
    {"a" * 65_536: {"S": "a"}},
    {"a": {"M": {"é" * 32_767: {"S": "a"}, "b" * 65_535: {"S": "a"}}}},
    {"a": {"M": {"é" * 32_768: {"S": "a"}}}},
    {"a": {"S": "é" * 400_000}},
    {"a": {"S": b"bytes"}, "b": {"N": b"5"}},
    {"a": {"N": b"5"}},
    {"a": {"NS": [b"5"]}},
    {"a": {"B": b"YQ=="}},
    {"a": {"N": "1" + "0" * 37}, "b": {"N": "1" + "0" * 38}, "c": {"N": "0" * 100_000}},
    {"a": {"N": "1" * 39}},
    {"a": {"N": "1" + "0" * 126}},
    {"a": {"N": "²"}},
    {"a": {"S": "\ud83d"}, "b": {"S": "\ude00"}},
    {b"a": {"S": "a"}},
    {"a": "S"},
    {"a": ["S"]},
    {"a": {"S"}},
    {"a": nested(31)},
    {"a": nested(31, leaf={"M": {}})},
    {"a": nested(32)},
    {"a": nested(31, kind="L")},
    {"a": nested(31, leaf={"L": []}, kind="L")},
    {"a": nested(32, kind="L")},
    {"a": nested(100)},
]


@pytest.mark.parametrize("item", EDGES)
def test_item_validation_of_edge_cases_has_the_same_result_as_on_the_slow_path(item: Any) -> None:
    assert outcome(accept_item, item) == outcome(slow_accept_item, item)


def test_item_validation_returns_the_size_of_names_and_values() -> None:
    item = {"pk": {"S": "é"}, "n": {"N": "00042"}, "m": {"M": {"a": {"L": [{"BOOL": False}]}}}}
    assert accept_item(item) == (2 + 2) + (1 + 2) + (1 + 3 + 1 + 1 + 3 + 1 + 1)
    assert item["n"] == {"N": "42"}


def test_item_validation_does_not_cache_long_numbers() -> None:
    before = item_validation._cached_number.cache_info().currsize
    accept_value({"N": "0" * 65 + "1"})
    assert item_validation._cached_number.cache_info().currsize == before


@pytest.mark.parametrize(
    ("held", "fits"),
    [
        (lambda text: {"M": {"a": {"S": text}}}, 409_599),
        (lambda text: {"M": {"a": {"S": text}, "b": {"BOOL": True}}}, 409_597),
        (lambda text: {"M": {"a": {"M": {"b": {"S": text}}}}}, 409_594),
        (lambda text: {"L": [{"S": text}]}, 409_600),
        (lambda text: {"L": [{"L": [{"S": text}]}, {"N": "5"}]}, 409_594),
    ],
)
def test_item_validation_accepts_no_list_or_map_larger_than_an_item(held: Callable[[str], Any], fits: int) -> None:
    value = held("x" * fits)
    assert accept_value(value) == value_size(value)
    with pytest.raises(RequestRefused, match="Item size has exceeded the maximum allowed size"):
        accept_value(held("x" * (fits + 1)))


def test_item_validation_accepts_a_string_or_a_set_larger_than_an_item() -> None:
    for value in ({"S": "x" * 500_000}, {"SS": ["x" * 500_000]}, {"SS": ["M", "L" * 500_000]}):
        assert accept_value(value) >= 500_000
