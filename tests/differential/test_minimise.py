"""A request is minimised while it still shows the difference."""

from __future__ import annotations

from tests.differential.minimise import minimise_document, minimise_list


def test_the_minimiser_of_a_differing_request_removes_unnecessary_members() -> None:
    request = {"TableName": "t", "Key": {"pk": {"S": "a"}, "sk": {"S": "b"}}, "ReturnValues": "NONE", "List": [1, 2, 3]}
    small = minimise_document(request, lambda each: "sk" in each.get("Key", {}) and 2 in each.get("List", ()))
    assert small == {"Key": {"sk": {}}, "List": [2]}


def test_the_minimiser_of_a_differing_request_does_not_change_a_minimal_request() -> None:
    request = {"a": [1], "b": {"c": 2}}
    assert minimise_document(request, lambda each: each == {"a": [1], "b": {"c": 2}}) == request


def test_the_minimiser_of_a_differing_request_limits_its_attempts() -> None:
    tries = 0

    def never(each: object) -> bool:
        nonlocal tries
        tries += 1
        return False

    minimise_document({str(number): number for number in range(100)}, never, tries=7)
    assert tries == 7


def test_the_minimiser_of_a_differing_request_keeps_only_the_necessary_elements() -> None:
    assert minimise_list(range(40), lambda some: {3, 29} <= set(some)) == [3, 29]
    assert minimise_list(range(40), lambda some: True) == []
    assert minimise_list([1, 2], lambda some: False) == [1, 2]
