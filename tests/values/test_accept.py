"""The quick pass over items, against the careful checks that it stands in for."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.errors import RequestRefused
from singletable.values import accept
from singletable.values.accept import accept_item, accept_value
from singletable.values.checks import check_item, check_value
from singletable.values.item_size import item_size, value_size
from singletable.values.limits import ATTRIBUTE_NAME_BYTES_MAX, NESTING_LEVELS_MAX, NUMBER_DIGITS_MAX
from tests.values.generated import ANY_ITEMS, ANY_JSON, ITEMS, VALUES, nested


@pytest.fixture(autouse=True, scope="module", params=["compiled", "in Python"])
def way(request: pytest.FixtureRequest) -> Iterator[None]:
    """Both forms of the quick pass, where there are both."""
    if request.param == "compiled" and accept._quick_sizes is None:
        pytest.skip("the compiled part was not built: there is no C compiler here")
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "in Python":
            patch.setattr(accept, "_quick_sizes", None)
        yield


def test_the_compiled_pass_knows_the_same_limits() -> None:
    if accept._quick_sizes is not None:
        known = (accept._quick_sizes.NAME_BYTES_MAX, accept._quick_sizes.LEVELS_MAX)
        assert known == (ATTRIBUTE_NAME_BYTES_MAX, NESTING_LEVELS_MAX)
        assert accept._quick_sizes.NUMBER_DIGITS_MAX == NUMBER_DIGITS_MAX


def carefully_accept_item(item: Any) -> int:
    check_item(item)
    return item_size(item)


def carefully_accept_value(value: Any) -> int:
    check_value(value)
    return value_size(value)


def outcome(function: Callable[[Any], int], argument: Any) -> Any:
    """What a function answers or refuses, and what it has made of its argument."""
    argument = copy.deepcopy(argument)
    try:
        return function(argument), argument
    except RequestRefused as refused:
        return refused.code, refused.message


@given(ITEMS)
def test_the_quick_pass_takes_a_right_item_as_the_careful_checks_do(item: dict[str, Any]) -> None:
    assert outcome(accept_item, item) == outcome(carefully_accept_item, item)


@given(ANY_ITEMS)
def test_the_quick_pass_takes_and_refuses_any_json_as_the_careful_checks_do(item: Any) -> None:
    assert outcome(accept_item, item) == outcome(carefully_accept_item, item)


@given(VALUES | ANY_JSON)
def test_one_value_is_taken_and_refused_as_the_careful_checks_do(value: Any) -> None:
    assert outcome(accept_value, value) == outcome(carefully_accept_value, value)


@given(ITEMS, ANY_JSON, st.data())
def test_one_wrong_value_anywhere_in_an_item_is_found(item: dict[str, Any], wrong: Any, data: st.DataObject) -> None:
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
    assert outcome(accept_item, item) == outcome(carefully_accept_item, item)


@given(ITEMS)
def test_an_accepted_item_stays_as_it_is(item: dict[str, Any]) -> None:
    size = accept_item(item)
    assert outcome(accept_item, item) == (size, item)


@given(ITEMS)
def test_a_right_item_never_needs_the_careful_checks(item: dict[str, Any]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(accept, "check_item", lambda _: pytest.fail("the quick pass stopped"))
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
def test_at_the_edges_the_quick_pass_agrees_with_the_careful_checks(item: Any) -> None:
    assert outcome(accept_item, item) == outcome(carefully_accept_item, item)


def test_the_size_counts_names_and_values() -> None:
    item = {"pk": {"S": "é"}, "n": {"N": "00042"}, "m": {"M": {"a": {"L": [{"BOOL": False}]}}}}
    assert accept_item(item) == (2 + 2) + (1 + 2) + (1 + 3 + 1 + 1 + 3 + 1 + 1)
    assert item["n"] == {"N": "42"}


def test_numbers_too_long_to_be_sent_twice_are_not_remembered() -> None:
    before = accept._remembered_number.cache_info().currsize
    accept_value({"N": "0" * 65 + "1"})
    assert accept._remembered_number.cache_info().currsize == before


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
def test_a_list_or_a_map_holds_no_more_than_an_item_can(held: Callable[[str], Any], fits: int) -> None:
    value = held("x" * fits)
    assert accept_value(value) == value_size(value)
    with pytest.raises(RequestRefused, match="Item size has exceeded the maximum allowed size"):
        accept_value(held("x" * (fits + 1)))


def test_a_text_or_a_set_may_be_larger() -> None:
    for value in ({"S": "x" * 500_000}, {"SS": ["x" * 500_000]}, {"SS": ["M", "L" * 500_000]}):
        assert accept_value(value) >= 500_000
