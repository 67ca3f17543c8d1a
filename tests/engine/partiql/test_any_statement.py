"""Any statement is answered or rejected. A rejected statement changes nothing."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.engine.engine import Engine
from singletable.errors import RequestRefused
from tests.engine.partiql.statement_requests import batch, execute, transaction
from tests.engine.table_requests import Document, create, put, scan, texts

CLAUSES = [
    "SELECT * FROM tbl WHERE ",
    "SELECT pk, m.x FROM tbl WHERE ",
    "UPDATE tbl SET n = 1 WHERE ",
    "UPDATE tbl SET m.x = ? REMOVE l[0] WHERE ",
    "DELETE FROM tbl WHERE ",
    "INSERT INTO tbl VALUE {'pk': 'a', 'sk': ?} ",
]
PIECES = ["pk", "sk", "n", "m.x", "l[0]", " = ", " < ", " IN [", " IN (", ", ", "]", ")", "(", " AND ", " OR ", " NOT "]
PIECES += [
    "'a'",
    "'1'",
    "1",
    "?",
    "true",
    "<<'a'>>",
    "[1]",
    " IS MISSING",
    " IS NULL",
    " BETWEEN ",
    "size(",
    "contains(",
]
PIECES += [
    "size(",
    "contains(",
    "pk = 'a'",
    "sk = '1'",
    "sk > ?",
    "begins_with(sk, ",
    " ORDER BY sk DESC",
    " RETURNING ALL OLD *",
]
STATEMENTS = st.builds(
    lambda clause, pieces: clause + "".join(pieces),
    st.sampled_from(CLAUSES),
    st.lists(st.sampled_from(PIECES), max_size=9),
)
PARAMETERS = [{"S": "a"}, {"N": "1"}, {"SS": ["a"]}, {"M": {}}]


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine() as made:
        create(made, "tbl")
        yield made


@given(STATEMENTS, st.lists(st.sampled_from(PARAMETERS), min_size=1, max_size=3))
def test_execute_statement_answers_or_rejects_any_partiql_statement(
    engine: Engine, statement: str, parameters: list[Document]
) -> None:
    put(engine, {**texts(pk="a", sk="1"), "m": {"M": {}}, "l": {"L": [{"N": "1"}]}}, "tbl")
    member = {"Statement": statement, "Parameters": parameters}
    before = scan(engine, "tbl")["Items"]
    try:
        execute(engine, statement, *parameters)
    except RequestRefused:
        assert scan(engine, "tbl")["Items"] == before
    with contextlib.suppress(RequestRefused):
        batch(engine, member)
    with contextlib.suppress(RequestRefused):
        transaction(engine, member)


@pytest.mark.parametrize(
    "condition",
    [
        "(pk = 'a' AND " * 64 + "sk = '1'" + ")" * 64,
        "(pk = 'a' OR " * 64 + "sk = '1'" + ")" * 64,
        "pk = 'a' AND (sk = '1' OR (n = 1 AND " * 32 + "sk = '2'" + "))" * 32,
        "pk = 'a' AND " + "NOT " * 298 + "sk = '1'",
        "pk = 'a' AND " + " AND ".join(f"(sk = '{number}' OR sk = 'x')" for number in range(60)),
        "pk = 'a' AND " + " AND ".join(["sk IN ['1', '2', '3', '4', '5']"] * 140),
        "pk = 'a' AND (sk = '1') = m.x AND (n = 1) = l[0]",
    ],
)
@pytest.mark.parametrize(
    "clause", ["SELECT * FROM tbl WHERE ", "UPDATE tbl SET n = 1 WHERE ", "DELETE FROM tbl WHERE "]
)
def test_a_deeply_nested_partiql_where_clause_is_answered_or_rejected(
    engine: Engine, clause: str, condition: str
) -> None:
    with contextlib.suppress(RequestRefused):
        execute(engine, clause + condition)
