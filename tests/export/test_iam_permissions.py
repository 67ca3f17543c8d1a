"""The policies of a model allow every request that the data layer sends."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from singletable import KeyRefused, NotUnique, Table, entity, field, key
from singletable.client.tracing import RequestEvent
from singletable.export.exported_table import exported_table
from singletable.export.iam_permissions import escape_literal, leading_keys
from singletable.export.iam_policies import Policy, policies_of
from tests import generate
from tests.export.models import Account, Blog, Note, Notes, Post, Writer
from tests.export.test_iam_policies import HERE, allowed
from tests.planner.test_random_designs import Case, cases

# IAM has no action for a transaction: each part needs its own permission.
TRANSACTION = {"Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem", "ConditionCheck": "ConditionCheckItem"}


def asked_of_iam(request: RequestEvent, partition: str) -> Iterator[tuple[str, str | None, list[str]]]:
    """The actions of a request, each with its index and its partition keys."""
    parameters = request.parameters
    if request.operation == "TransactWriteItems":
        for entry in parameters["TransactItems"]:
            ((kind, part),) = entry.items()
            yield TRANSACTION[kind], None, [part.get("Key", part.get("Item"))[partition]["S"]]
    elif request.operation == "BatchGetItem":
        (keys,) = (each["Keys"] for each in parameters["RequestItems"].values())
        yield "BatchGetItem", None, [key[partition]["S"] for key in keys]
    elif request.operation == "Query":
        yield (
            "Query",
            parameters.get("IndexName"),
            [parameters["ExpressionAttributeValues"][_first_value(parameters)]["S"]],
        )
    else:
        item = parameters["Key"] if "Key" in parameters else parameters["Item"]
        yield request.operation, None, [item[partition]["S"]]


def _first_value(parameters: dict[str, Any]) -> str:
    """The placeholder that the partition key is compared with, which stands first."""
    condition: str = parameters["KeyConditionExpression"]
    return ":" + condition.partition(":")[2].split()[0].rstrip(")")


def refusals(requests: list[RequestEvent], policy: Policy, table: type[Table]) -> list[str]:
    partition, name = table.design.table.partition[0].name, table.design.name
    return [
        f"{action} on {index or name} for {keys}"
        for request in requests
        if request.operation not in ("CreateTable", "DescribeTable")
        for action, index, keys in asked_of_iam(request, partition)
        if not allowed(policy, action, f"{name}/index/{index}" if index else name, *keys)
    ]


def policy_of(table: type[Table], scope: Any, name: str) -> Policy:
    return next(each for each in policies_of(exported_table(table.design), scope, HERE) if each.name == name)


@pytest.fixture
def writers() -> Iterator[tuple[Blog, list[RequestEvent]]]:
    requests: list[RequestEvent] = []
    with Blog.open("memory:", create=True, hook=requests.append) as blog:
        yield blog, requests


def test_iam_permissions_of_a_write_allow_the_requests_for_its_derived_data(
    writers: tuple[Blog, list[RequestEvent]],
) -> None:
    blog, requests = writers
    blog.put(Writer("w1", "a@example.org", "Ada"))
    blog.put(Post("p1", "w1", "Ada"))
    blog.update(key(Writer, id="w1"), field(Writer, lambda writer: writer.name).set("Eve"))
    with suppress(NotUnique):
        blog.put(Writer("w2", "a@example.org", "Bob"))
    asked = {request.operation for request in requests}
    assert {"TransactWriteItems", "Query", "GetItem"} <= asked, "no derived data was written"
    assert refusals(requests, policy_of(Blog, "application", "BlogReadWrite"), Blog) == []
    assert refusals(requests, policy_of(Blog, "entity", "BlogPostReadWrite"), Blog) != []


def test_iam_permissions_of_one_entity_allow_its_own_requests(writers: tuple[Blog, list[RequestEvent]]) -> None:
    blog, requests = writers
    blog.put(Writer("w1", "a@example.org", "Ada"))
    requests.clear()
    blog.put(Post("p1", "w1", "Ada"))
    blog.delete(Post("p1", "w1", "Ada"))
    assert refusals(requests, policy_of(Blog, "entity", "BlogPostReadWrite"), Blog) == []
    blog.put(Post("p2", "w1", "Ada"))
    requests.clear()
    blog.update(key(Writer, id="w1"), field(Writer, lambda writer: writer.name).set("Eve"))
    assert any("POST#p2" in str(request.parameters) for request in requests), "the copy was not changed"
    assert refusals(requests, policy_of(Blog, "entity", "BlogWriterReadWrite"), Blog) == []


def test_iam_permissions_of_each_pattern_allow_its_own_requests() -> None:
    requests: list[RequestEvent] = []
    with Notes.open("memory:", create=True, hook=requests.append) as notes:
        notes.put(Account("t", "Tenant"))
        notes.put(Note("t", "n1", "OPEN", "text"))
        for name, call in (
            ("NotesAccount", lambda: notes.account("t")),
            ("NotesNote", lambda: notes.note("t", "n1")),
            ("NotesNotesInState", lambda: notes.notes_in_state("t", "OPEN")),
            ("NotesSettle", lambda: notes.settle("t", "n1")),
        ):
            requests.clear()
            call()
            assert requests, name
            assert refusals(requests, policy_of(Notes, "pattern", name), Notes) == []
            assert refusals(requests, policy_of(Notes, "application", "NotesReadWrite"), Notes) == []


def plain_pattern(pattern: str) -> str:
    """The pattern as fnmatch reads it."""
    for variable, character in (("${*}", "[*]"), ("${?}", "[?]"), ("${$}", "$")):
        pattern = pattern.replace(variable, character)
    return pattern


@given(case=cases(), data=st.data())
@settings(max_examples=60)
def test_iam_permissions_have_leading_keys_that_match_every_partition_of_the_entity(
    case: Case, data: st.DataObject
) -> None:
    for each in case.design.entities:
        value = data.draw(generate.items(each))
        for placement in each.placements.values():
            pattern = leading_keys(placement).pattern
            assert pattern is not None
            try:
                keys = placement.encode({name: getattr(value, name) for name in each.fields})
            except KeyRefused:
                continue
            if keys is not None:
                assert fnmatch.fnmatchcase(str(keys[placement.index.partition[0].name]), plain_pattern(pattern))


@pytest.mark.parametrize(
    ("text", "written"), [("A#", "A#"), ("*", "${*}"), ("a?b", "a${?}b"), ("$", "${$}"), ("é", "é"), ("☃#", "?#")]
)
def test_iam_permissions_escape_literal_text_in_leading_keys(text: str, written: str) -> None:
    assert escape_literal(text) == written


def test_iam_permissions_write_adjacent_fields_of_leading_keys_as_one_star() -> None:
    @entity(key=("A#{a:02d}{b:02d}#C", "X"), identity=())
    @dataclass
    class Thing:
        a: int
        b: int

    class Things(Table, entities=[Thing]):
        """One entity."""

    assert leading_keys(Things.design.entities[0].base).pattern == "A#*#C"
