"""The described key of a table, and rejected encryption settings."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from singletable.engine.engine import Engine
from tests.engine.table_requests import INVALID, Document, create, refused

KEY = "arn:aws:kms:us-east-1:000000000000:key/0a1b"


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine() as made:
        create(made)
        yield made


def encrypt(engine: Engine, **specification: object) -> Document | None:
    engine.call("UpdateTable", {"TableName": "table", "SSESpecification": specification})
    found: Document | None = engine.call("DescribeTable", {"TableName": "table"})["Table"].get("SSEDescription")
    return found


def test_an_encryption_key_can_be_given_by_arn_id_or_alias(engine: Engine) -> None:
    expected = {"Status": "ENABLED", "SSEType": "KMS", "KMSMasterKeyArn": KEY}
    assert encrypt(engine, Enabled=True, SSEType="KMS", KMSMasterKeyId="0a1b") == expected
    assert encrypt(engine, SSEType="KMS", KMSMasterKeyId="alias/other") != expected
    assert encrypt(engine, SSEType="KMS", KMSMasterKeyId=KEY) == expected


def test_a_table_can_return_to_the_default_encryption_key(engine: Engine) -> None:
    assert encrypt(engine, Enabled=True) is not None
    assert encrypt(engine, Enabled=False) is None


@pytest.mark.parametrize(
    ("specification", "words"),
    [
        ({"Enabled": False}, "Table is already encrypted by default"),
        ({}, "Table is already encrypted by default"),
        ({"Enabled": False, "SSEType": "KMS"}, "SSEType can not be specified if Enabled is false"),
        ({"Enabled": False, "KMSMasterKeyId": KEY}, "KMSMasterKeyId can not be specified if Enabled is false"),
        ({"Enabled": True, "SSEType": "AES256"}, "SSEType AES256 is not supported"),
        ({"Enabled": True, "KMSMasterKeyId": KEY}, "SSEType KMS is required if KMSMasterKeyId is specified"),
    ],
)
def test_invalid_encryption_settings_are_rejected(engine: Engine, specification: Document, words: str) -> None:
    request = {"TableName": "table", "SSESpecification": specification}
    assert refused(engine, "UpdateTable", request).message == f"{INVALID}{words}"


def test_the_current_encryption_key_is_rejected(engine: Engine) -> None:
    specification = {"SSEType": "KMS", "KMSMasterKeyId": KEY}
    encrypt(engine, **specification)
    request = {"TableName": "table", "SSESpecification": specification}
    assert refused(engine, "UpdateTable", request).message.startswith(f"{INVALID}Table is already encrypted with given")
