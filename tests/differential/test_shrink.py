"""A request is made as small as it can be while it shows the same."""

from __future__ import annotations

from tests.differential.shrink import fewer, shrunk


def test_everything_that_is_not_needed_is_left_out() -> None:
    request = {"TableName": "t", "Key": {"pk": {"S": "a"}, "sk": {"S": "b"}}, "ReturnValues": "NONE", "List": [1, 2, 3]}
    small = shrunk(request, lambda each: "sk" in each.get("Key", {}) and 2 in each.get("List", ()))
    assert small == {"Key": {"sk": {}}, "List": [2]}


def test_what_shows_nothing_smaller_stays_as_it_is() -> None:
    request = {"a": [1], "b": {"c": 2}}
    assert shrunk(request, lambda each: each == {"a": [1], "b": {"c": 2}}) == request


def test_tries_end() -> None:
    tries = 0

    def never(each: object) -> bool:
        nonlocal tries
        tries += 1
        return False

    shrunk({str(number): number for number in range(100)}, never, tries=7)
    assert tries == 7


def test_as_few_elements_as_are_needed_are_kept() -> None:
    assert fewer(range(40), lambda some: {3, 29} <= set(some)) == [3, 29]
    assert fewer(range(40), lambda some: True) == []
    assert fewer([1, 2], lambda some: False) == [1, 2]
