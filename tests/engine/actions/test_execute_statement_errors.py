"""ExecuteStatement raises DynamoDB's errors in the same order: parameters, statement, table, key."""

from __future__ import annotations

import pytest

from singletable.engine.engine import Engine
from tests.engine.partiql.statement_requests import error_message, execute
from tests.engine.table_requests import INVALID, NOT_FOUND, put, refused, scan, texts

BY_KEY = "WHERE pk = 'a' AND sk = '1'"
NO_KEY = "Where clause does not contain a mandatory equality on all key attributes"
OVERLAP = "Overlapping conditions with range keys are not supported in where clause"
OPERAND = "Incorrect operand type for operator or function; operator or function"
OPERANDS = "Incorrect number of operands for operator or function; operator or function"
SCHEMA = "Key attribute's data type should match its data type in table's schema"


def values(count: int) -> str:
    return ", ".join(f"'v{number}'" for number in range(count))


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ("val < ?", f"{OPERAND}: <, operand type: BOOL"),
        ("val BETWEEN ? AND 1", f"{OPERAND}: BETWEEN, operand type: BOOL"),
        ("attribute_type(val, ?)", f"{OPERAND}: attribute_type, operand type: BOOL"),
        ("attribute_type(val, 1)", f"{OPERAND}: attribute_type, operand type: N"),
        (
            "attribute_type(val, 'X')",
            "Invalid attribute type name found; type: X, valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}",
        ),
        ("begins_with(val, 1)", f"{OPERAND}: begins_with, operand type: N"),
        ("attribute_exists()", f"{OPERANDS}: attribute_exists, number of operands: 0"),
        ("attribute_exists(a, b)", f"{OPERANDS}: attribute_exists, number of operands: 2"),
        (
            "attribute_exists('a')",
            "Operator or function requires a document path; operator or function: attribute_exists",
        ),
        (
            "val BETWEEN 2 AND 1",
            "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; "
            "lower bound operand: AttributeValue: {N:2}, upper bound operand: AttributeValue: {N:1}",
        ),
        (
            f"val IN [{values(101)}]",
            "The IN operator is provided with too many operands; number of operands: 101",
        ),
        ("val = 1 + 2", "Unsupported operator in Condition Expression. Operator: +"),
    ],
)
def test_execute_statement_checks_operands_before_it_looks_up_the_table(
    engine: Engine, condition: str, words: str
) -> None:
    assert error_message(engine, f"SELECT * FROM absent WHERE pk = 'a' AND {condition}", {"BOOL": True}) == words


def test_execute_statement_checks_parameters_before_it_parses_the_statement(engine: Engine) -> None:
    duplicates = f"{INVALID}Input collection [a, a] contains duplicates."
    assert error_message(engine, "UPDATE SET WHERE", {"SS": ["a", "a"]}) == duplicates
    null = f"{INVALID}Null attribute value types must have the value of true"
    assert error_message(engine, "SELECT * FROM absent WHERE a = ?", {"NULL": False}) == null


def test_execute_statement_needs_a_parameter_for_every_question_mark(engine: Engine) -> None:
    words = "Number of parameters in request and statement don't match."
    assert error_message(engine, 'SELECT * FROM "table" WHERE pk = ?') == words
    assert error_message(engine, 'SELECT * FROM "table" WHERE pk = ? AND sk = ?', {"S": "a"}) == words


@pytest.mark.parametrize("statement", ["SELECT * FROM absent", "DELETE FROM absent WHERE pk = 'a'"])
def test_execute_statement_rejects_a_missing_table(engine: Engine, statement: str) -> None:
    refusal = refused(engine, "ExecuteStatement", {"Statement": statement})
    assert (refusal.code, refusal.message) == ("ResourceNotFoundException", NOT_FOUND)


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ("pk IN ['a', 'a']", OVERLAP),
        ("pk = 'a' OR pk = 'a'", OVERLAP),
        ("pk = 'a' AND (sk > '0' OR sk < '5')", OVERLAP),
        ("pk = 'a' AND (sk = '1' OR flag = 'two')", OVERLAP),
        ("pk = 'a' AND x = '1' OR pk = 'a' AND sk = '2'", OVERLAP),
        ("pk = 1 OR pk = 'a'", f"{SCHEMA}: Key pk"),
        ("pk = 'a' AND sk IN ['1', 2]", f"{SCHEMA}: Key sk"),
        ("pk = 'a' AND sk > 1", f"{SCHEMA}: Key sk"),
        (f"pk IN [{values(51)}]", "Too many decomposed read operations for a given query."),
        (f"pk = 'a' AND sk IN [{values(51)}]", "Too many decomposed read operations for a given query."),
        (f"pk IN [{values(26)}] AND sk IN ['1', '2']", "Too many decomposed read operations for a given query."),
        ("pk = 'a' ORDER BY total", "Attribute total in ORDER BY clause must be part of the primary key"),
        (
            "pk > 'a' ORDER BY sk",
            "Must have at least one non-optional hash key condition in WHERE clause when using ORDER BY clause.",
        ),
        (
            "pk IN ['a', 'b'] ORDER BY sk",
            "Must have hash key in ORDER BY clause when more than one hash key condition specified in WHERE clause.",
        ),
        (
            "pk.x = 'a'",
            "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: Key: pk",
        ),
        (
            "pk = ''",
            "One or more parameter values are not valid. "
            "The AttributeValue for a key attribute cannot contain an empty string value. Key: pk",
        ),
    ],
)
def test_execute_statement_rejects_an_unsupported_select(engine: Engine, where: str, words: str) -> None:
    assert error_message(engine, f'SELECT * FROM "table" WHERE {where}') == words


def test_execute_statement_rejects_an_order_without_a_condition(engine: Engine) -> None:
    words = "Must have WHERE clause in the statement when using ORDER BY clause."
    assert error_message(engine, 'SELECT * FROM "table" ORDER BY sk') == words


def test_execute_statement_counts_in_values_only_where_they_are_reads(engine: Engine) -> None:
    execute(engine, f'SELECT * FROM "table" WHERE pk IN [{values(50)}] AND x IN [{values(100)}]')
    execute(engine, f"SELECT * FROM \"table\" WHERE pk IN [{values(51)}] OR x = 'one'")


MULTIPLE = "Multiple conditions on same key pk. Only single item Update/Insert/Delete are supported"
MISMATCH = "The provided key element does not match the schema"


@pytest.mark.parametrize("write", ['UPDATE "table" SET n = 1', 'DELETE FROM "table"'])
@pytest.mark.parametrize(
    ("where", "words"),
    [
        ("", NO_KEY),
        ("WHERE n = 1", NO_KEY),
        ("WHERE pk = 'a'", NO_KEY),
        ("WHERE pk = 'a' OR sk = '1'", NO_KEY),
        ("WHERE pk IN ['a'] AND sk = '1'", NO_KEY),
        ("WHERE pk = 'a' AND sk > '1'", NO_KEY),
        (f"{BY_KEY} AND pk = 'b'", MULTIPLE),
        ("WHERE pk = 'a' AND sk = 1", MISMATCH),
    ],
)
def test_execute_statement_rejects_a_write_that_does_not_name_one_item(
    engine: Engine, write: str, where: str, words: str
) -> None:
    put(engine, texts(pk="a", sk="1"))
    assert error_message(engine, f"{write} {where}") == words
    assert scan(engine)["Items"] == [texts(pk="a", sk="1")]


OVERLAPPING = "Two document paths overlap with each other; must remove or rewrite one of these paths"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ("SET n = 'a' + 1", f"{OPERAND}: +, operand type: S"),
        ("SET n = n - null", f"{OPERAND}: -, operand type: NULL"),
        ("SET n = list_append(n, 1)", f"{OPERAND}: list_append, operand type: N"),
        ("SET n = list_append(n)", f"{OPERANDS}: list_append, number of operands: 1"),
        ("SET n = set_add(n, 'x')", "The second argument to SET_ADD must be a value with type SET at 1:32:1"),
        ("SET n = set_delete(n, m)", "The second argument to SET_DELETE must be a value with type SET at 1:35:1"),
        ("SET n = 1 REMOVE n", f"{OVERLAPPING}; path one: [n], path two: [n]"),
        ("SET n = 1 + 2 + 3", "Unsupported operator in Update Expression. Operator: +"),
        ("SET absent[0] = 1", "The document path provided in the update expression is invalid for update"),
        ("SET n = absent", "The provided expression refers to an attribute that does not exist in the item"),
        ("SET words = set_add(words, <<'x'>>)", "An operand in the update expression has an incorrect data type"),
        ("SET tags = set_add(tags, <<1>>)", "An operand in the update expression has an incorrect data type"),
        ("SET sk = '2'", f"{INVALID}Cannot update attribute sk. This attribute is part of the key"),
    ],
)
def test_execute_statement_changes_nothing_if_an_update_fails(engine: Engine, changes: str, words: str) -> None:
    before = {**texts(pk="a", sk="1", words="x"), "tags": {"SS": ["a"]}}
    put(engine, before)
    assert error_message(engine, f'UPDATE "table" {changes} {BY_KEY}') == words
    assert scan(engine)["Items"] == [before]


@pytest.mark.parametrize(
    ("item", "words"),
    [
        ("{'pk': 'a'}", f"{INVALID}Missing the key sk in the item"),
        ("{'pk': 1, 'sk': '1'}", f"{INVALID}Type mismatch for key pk expected: S actual: N"),
        ("{'pk': 'a', 'sk': '1', '': 1}", "Empty attribute name"),
    ],
)
def test_execute_statement_rejects_an_invalid_insert(engine: Engine, item: str, words: str) -> None:
    assert error_message(engine, f'INSERT INTO "table" VALUE {item}') == words
    assert scan(engine)["Count"] == 0


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (
            {"Limit": 0},
            "Value '0' at 'limit' failed to satisfy constraint: Member must have value greater than or equal to 1",
        ),
        (
            {"Statement": ""},
            "Value '' at 'statement' failed to satisfy constraint: Member must have length greater than or equal to 1",
        ),
        (
            {"Parameters": []},
            "Value '[]' at 'parameters' failed to satisfy constraint: "
            "Member must have length greater than or equal to 1",
        ),
    ],
)
def test_execute_statement_checks_the_shape_of_the_request_first(
    engine: Engine, request_: dict[str, object], words: str
) -> None:
    refusal = refused(engine, "ExecuteStatement", {"Statement": "SELECT", **request_})
    assert refusal.message == f"1 validation error detected: {words}"


def test_execute_statement_rejects_exists_outside_of_transactions(engine: Engine) -> None:
    words = "EXISTS can only be used in ExecuteTransaction write requests."
    assert error_message(engine, f'EXISTS(SELECT * FROM "table" {BY_KEY} AND n = 1)') == words
