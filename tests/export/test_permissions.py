"""Every request that the data layer sends is allowed by the policies of the model that sent it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from singletable import NotUnique, Table, field, key
from singletable.client.watched import Watched
from singletable.export.iam import Policy, policies_of
from singletable.export.table import exported_table
from tests.export.models import Account, Blog, Note, Notes, Post, Writer
from tests.export.test_iam import HERE, allowed

# There is no action for a transaction: each of its parts is asked for by itself.
TRANSACTION = {"Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem", "ConditionCheck": "ConditionCheckItem"}


def asked_of_iam(request: Watched, partition: str) -> Iterator[tuple[str, str | None, list[str]]]:
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


def refusals(requests: list[Watched], policy: Policy, table: type[Table]) -> list[str]:
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
def writers() -> Iterator[tuple[Blog, list[Watched]]]:
    requests: list[Watched] = []
    with Blog.open("memory:", create=True, hook=requests.append) as blog:
        yield blog, requests


def test_what_is_kept_right_beside_a_write_is_allowed_with_it(writers: tuple[Blog, list[Watched]]) -> None:
    blog, requests = writers
    blog.put(Writer("w1", "a@example.org", "Ada"))
    blog.put(Post("p1", "w1", "Ada"))
    blog.update(key(Writer, id="w1"), field(Writer, lambda writer: writer.name).set("Eve"))
    with suppress(NotUnique):
        blog.put(Writer("w2", "a@example.org", "Bob"))
    asked = {request.operation for request in requests}
    assert {"TransactWriteItems", "Query", "GetItem"} <= asked, "nothing was kept right"
    assert refusals(requests, policy_of(Blog, "application", "BlogReadWrite"), Blog) == []
    assert refusals(requests, policy_of(Blog, "entity", "BlogPostReadWrite"), Blog) != []


def test_one_entity_needs_its_own_policy_alone(writers: tuple[Blog, list[Watched]]) -> None:
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


def test_each_pattern_runs_with_its_own_policy() -> None:
    requests: list[Watched] = []
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
