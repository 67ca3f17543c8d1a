"""A refusal's body has what the SDKs look for: the type with its namespace, the message, and what else it carries."""

from __future__ import annotations

import json

import pytest
from msgspec import Raw

from singletable.errors import RequestRefused, invalid
from singletable.wire.refusal import refusal_body, refusal_status


@pytest.mark.parametrize(
    ("code", "full"),
    [
        ("ValidationException", "com.amazon.coral.validate#ValidationException"),
        ("SerializationException", "com.amazon.coral.service#SerializationException"),
        ("UnknownOperationException", "com.amazon.coral.service#UnknownOperationException"),
        ("ResourceNotFoundException", "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException"),
        ("TransactionCanceledException", "com.amazonaws.dynamodb.v20120810#TransactionCanceledException"),
    ],
)
def test_a_type_has_the_namespace_of_the_service(code: str, full: str) -> None:
    assert json.loads(refusal_body(RequestRefused(code, "why")))["__type"] == full


def test_the_message_is_told() -> None:
    assert json.loads(refusal_body(invalid("no")))["message"] == "no"


def test_no_message_is_no_member() -> None:
    assert refusal_body(RequestRefused("UnknownOperationException", "")) == (
        b'{"__type":"com.amazon.coral.service#UnknownOperationException"}'
    )


def test_fields_stand_beside_the_message_and_stored_items_are_copied() -> None:
    refusal = RequestRefused("ConditionalCheckFailedException", "no", Item=Raw(b'{"pk":{"S":"a"}}'))
    assert json.loads(refusal_body(refusal))["Item"] == {"pk": {"S": "a"}}


@pytest.mark.parametrize(
    ("code", "status"), [("ValidationException", 400), ("InternalServerError", 500), ("RequestEntityTooLarge", 413)]
)
def test_the_status_says_whose_fault_it_is(code: str, status: int) -> None:
    assert refusal_status(RequestRefused(code, "")) == status
