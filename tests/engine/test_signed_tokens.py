"""NextToken: it continues where the page stopped, and invalid tokens are rejected."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.engine.engine import Engine
from singletable.errors import RequestRefused
from tests.engine.partiql.statement_requests import error_message, execute, selected
from tests.engine.table_requests import create, put, texts

STATEMENT = 'SELECT * FROM "table" WHERE pk = ?'
P = {"S": "p"}
MISMATCH = "NextToken does not match request"
INVALID_TOKEN = "Invalid NextToken"


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine() as made:
        for table in ("table", "other"):
            create(made, table)
            for sort in ("1", "2", "3"):
                put(made, texts(pk="p", sk=sort), table)
        yield made


@pytest.fixture(scope="module")
def token(engine: Engine) -> str:
    return str(execute(engine, STATEMENT, P, Limit=1)["NextToken"])


def test_a_partiql_next_token_continues_after_the_last_item(engine: Engine, token: str) -> None:
    assert selected(engine, STATEMENT, P, NextToken=token) == [texts(pk="p", sk="2"), texts(pk="p", sk="3")]
    assert len(selected(engine, STATEMENT, P, NextToken=token, Limit=1, ConsistentRead=True)) == 1


def test_a_partiql_next_token_continues_after_its_item_was_deleted(engine: Engine) -> None:
    put(engine, texts(pk="p", sk="0"))
    token = execute(engine, STATEMENT, P, Limit=1)["NextToken"]
    engine.call("DeleteItem", {"TableName": "table", "Key": texts(pk="p", sk="0")})
    assert len(selected(engine, STATEMENT, P, NextToken=token)) == 3


def test_a_partiql_next_token_is_bound_to_its_statement_and_parameters(engine: Engine, token: str) -> None:
    assert error_message(engine, STATEMENT, {"S": "q"}, NextToken=token) == MISMATCH
    assert error_message(engine, f"{STATEMENT} ", P, NextToken=token) == MISMATCH
    assert error_message(engine, 'SELECT * FROM "other" WHERE pk = ?', P, NextToken=token) == MISMATCH
    insert = """INSERT INTO "table" VALUE {'pk': 'new', 'sk': '1'}"""
    assert error_message(engine, insert, NextToken=token) == MISMATCH


def test_a_partiql_next_token_is_bound_to_its_store() -> None:
    """A table of the same name in another store is a different table, so tokens of the first are not valid there."""
    with Engine() as one, Engine() as other:
        for each in (one, other):
            create(each)
            put(each, texts(pk="p", sk="1"))
        token = execute(one, STATEMENT, P, Limit=1)["NextToken"]
        assert error_message(other, STATEMENT, P, NextToken=token) == INVALID_TOKEN


@given(st.text(min_size=1, max_size=200))
def test_random_text_is_not_a_valid_partiql_next_token(engine: Engine, text: str) -> None:
    assert error_message(engine, STATEMENT, P, NextToken=text) == INVALID_TOKEN


@given(st.data())
def test_a_changed_partiql_next_token_is_rejected(engine: Engine, token: str, data: st.DataObject) -> None:
    content = bytearray(urlsafe_b64decode(token))
    at = data.draw(st.integers(0, len(content) - 1))
    content[at] ^= data.draw(st.integers(1, 255))
    words = error_message(engine, STATEMENT, P, NextToken=urlsafe_b64encode(content).decode())
    assert words in (INVALID_TOKEN, MISMATCH)


@given(st.data())
def test_a_truncated_or_padded_partiql_next_token_is_rejected(engine: Engine, token: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(token) - 1))
    changed = data.draw(st.sampled_from([token[:at], token[:at] + "!" + token[at:], token + "=", token[1:]]))
    if changed:
        with pytest.raises(RequestRefused):
            execute(engine, STATEMENT, P, NextToken=changed)
