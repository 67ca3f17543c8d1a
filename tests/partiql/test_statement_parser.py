"""Parsed statements, and the errors of invalid ones.

The messages are those of the service where they are known. The positions are ours, in the service's notation: line,
column, length.
"""

from __future__ import annotations

import pytest

from singletable.errors import RequestRefused
from singletable.expressions.tree import (
    And,
    Arithmetic,
    BetweenBounds,
    Change,
    Compare,
    Condition,
    Constant,
    Function,
    In,
    Not,
    Or,
    Parameter,
    Path,
)
from singletable.partiql.statement_lexer import NOT_WELL_FORMED, StatementRefused
from singletable.partiql.statement_parser import parse_statement
from singletable.partiql.statements import (
    DeleteStatement,
    ExistsStatement,
    InsertStatement,
    OrderBy,
    SelectStatement,
    StatementSource,
    UpdateStatement,
)

A, B = Path(("a",)), Path(("b",))
ONE, TWO = Constant({"N": "1"}), Constant({"N": "2"})
TRUE, FALSE = Constant({"BOOL": True}), Constant({"BOOL": False})


def where(text: str) -> Condition | None:
    statement = parse_statement(f"SELECT * FROM t WHERE {text}").statement
    assert isinstance(statement, SelectStatement)
    return statement.where


def error_of(text: str) -> RequestRefused:
    with pytest.raises(RequestRefused) as caught:
        parse_statement(text)
    return caught.value


def test_the_statement_parser_reads_columns_source_condition_and_order_of_a_select() -> None:
    text = """select a, "b c".d[0] from "my-table"."my-index" where a = 1 order by b desc, a"""
    assert parse_statement(text).statement == SelectStatement(
        StatementSource("my-table", "my-index"),
        (A, Path(("b c", "d", 0))),
        Compare("=", A, ONE),
        (OrderBy("b", descending=True), OrderBy("a")),
    )


def test_the_statement_parser_reads_the_item_of_an_insert() -> None:
    statement = parse_statement("INSERT INTO t VALUE {'a': 'it''s', 'b': ?, 'c': [1, {'d': <<1, 2>>}, null, true]}")
    nested = {"L": [{"N": "1"}, {"M": {"d": {"NS": ["1", "2"]}}}, {"NULL": True}, {"BOOL": True}]}
    item = (("a", Constant({"S": "it's"})), ("b", Parameter("?1")), ("c", Constant(nested)))
    assert statement.statement == InsertStatement(StatementSource("t"), item)


def test_the_statement_parser_reads_changes_of_every_kind_in_an_update() -> None:
    text = """UPDATE t SET a = 1, b = b - 2 SET l[0] = LIST_APPEND(l, [1]) SET s = set_add(s, <<'x'>>)
        REMOVE m.x SET r = Set_Delete(r, ?) WHERE a = 1 RETURNING MODIFIED NEW *"""
    statement = parse_statement(text).statement
    assert isinstance(statement, UpdateStatement)
    assert statement.changes == (
        Change("SET", A, ONE),
        Change("SET", B, Arithmetic("-", B, TWO)),
        Change("SET", Path(("l", 0)), Function("list_append", (Path(("l",)), Constant({"L": [{"N": "1"}]})))),
        Change("ADD", Path(("s",)), Constant({"SS": ["x"]})),
        Change("REMOVE", Path(("m", "x"))),
        Change("DELETE", Path(("r",)), Parameter("?1")),
    )
    assert (statement.where, statement.returning) == (Compare("=", A, ONE), "MODIFIED NEW")


def test_the_statement_parser_accepts_an_update_that_starts_with_from() -> None:
    assert (
        parse_statement("FROM t WHERE a = 1 SET b = 2").statement
        == parse_statement("UPDATE t SET b = 2 WHERE a = 1").statement
    )


def test_the_statement_parser_reads_a_delete_and_an_exists() -> None:
    assert parse_statement("DELETE FROM t WHERE a = 1 RETURNING ALL OLD *").statement == DeleteStatement(
        StatementSource("t"), Compare("=", A, ONE), "ALL OLD"
    )
    assert parse_statement("EXISTS(SELECT * FROM t)").statement == ExistsStatement(
        SelectStatement(StatementSource("t"))
    )


def test_the_statement_parser_numbers_parameters_in_the_order_of_the_text() -> None:
    read = parse_statement("UPDATE t SET a = ? WHERE b IN [?, 1, ?]")
    assert isinstance(read.statement, UpdateStatement)
    assert read.statement.changes[0].value == Parameter("?1")
    assert read.statement.where == In(B, (Parameter("?2"), ONE, Parameter("?3")))
    assert [str(position) for position in read.parameters] == ["1:18:1", "1:32:1", "1:38:1"]


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("a != 1", Compare("<>", A, ONE)),
        ("1 <= a", Compare("<=", ONE, A)),
        ("a = 1 OR a = 2 AND b = 1", Or((Compare("=", A, ONE), And((Compare("=", A, TWO), Compare("=", B, ONE)))))),
        ("(a = 1 OR a = 2) AND b = 1", And((Or((Compare("=", A, ONE), Compare("=", A, TWO))), Compare("=", B, ONE)))),
        ("NOT a = 1 AND b = 1", And((Not(Compare("=", A, ONE)), Compare("=", B, ONE)))),
        ("NOT NOT a = 1", Not(Not(Compare("=", A, ONE)))),
        ("a BETWEEN 1 AND 2 AND b = 1", And((BetweenBounds(A, ONE, TWO), Compare("=", B, ONE)))),
        ("a NOT BETWEEN 1 AND 2", Not(BetweenBounds(A, ONE, TWO))),
        ("a IN (1, b)", In(A, (ONE, B))),
        ("a NOT IN [1]", Not(In(A, (ONE,)))),
        ("a IS MISSING", Function("attribute_not_exists", (A,))),
        ("a IS NOT MISSING", Function("attribute_exists", (A,))),
        ("a IS NULL", Function("attribute_type", (A, Constant({"S": "NULL"})))),
        ("a IS NOT STRING", Not(Function("attribute_type", (A, Constant({"S": "S"}))))),
        ("a is struct", Function("attribute_type", (A, Constant({"S": "M"})))),
        ("CONTAINS (a, b)", Function("contains", (A, B))),
        ("size(a) > 1", Compare(">", Function("size", (A,)), ONE)),
        ("a = - - 1", Compare("=", A, ONE)),
        ("a = +.1e1", Compare("=", A, ONE)),
        ("a=-1", Compare("=", A, Constant({"N": "-1"}))),
        ("a = <<'x'>>", Compare("=", A, Constant({"SS": ["x"]}))),
    ],
)
def test_the_where_parser_returns_the_expression_tree_of_a_condition(text: str, condition: Condition) -> None:
    assert where(text) == condition


def test_the_where_parser_accepts_a_condition_compared_with_a_value() -> None:
    test = Function("attribute_exists", (A,))
    assert where("attribute_exists(a) = true") == test
    assert where("false = attribute_exists(a)") == Not(test)
    assert where("attribute_exists(a) <> false") == Not(Not(test))
    assert where("attribute_exists(a) = 1") == And((test, Not(test)))
    assert where("attribute_exists(a) = b") == Or(
        (And((test, Compare("=", B, TRUE))), And((Not(test), Compare("=", B, FALSE))))
    )
    assert where("attribute_exists(a) IN [true, false]") == Or((test, Not(test)))


LEFT_OVER = "Unexpected token after expression"
TERM = "Unexpected term"
NO_PATH = "Expected identifier for simple path"
NO_RIGHT = "Missing right-hand side expression of infix operator"


@pytest.mark.parametrize(
    ("text", "detail", "position"),
    [
        ("SLECT * FROM t", "Expected data manipulation", "1:1:5"),
        ("UPDATE my-table SET a = 1", "Expected data manipulation", "1:10:1"),
        ("UPDATE t WHERE a = 1", "Expected data manipulation", "1:10:5"),
        ("SELECT * FROM t WHERE a = 1 b", LEFT_OVER, "1:29:1"),
        ("SELECT * FROM t WHERE a = 1)", LEFT_OVER, "1:28:1"),
        ("SELECT * FROM t WHERE a = 1 e5", LEFT_OVER, "1:29:2"),
        ("SELECT * FROM t; SELECT * FROM t", LEFT_OVER, "1:18:6"),
        ("SELECT * FROM t ORDER BY a WHERE a = 1", LEFT_OVER, "1:28:5"),
        ("DELETE FROM t WHERE a = 1 ORDER BY a", LEFT_OVER, "1:27:5"),
        ("INSERT INTO t VALUE {'a': 1} x", LEFT_OVER, "1:30:1"),
        ("INSERT INTO t x VALUE {'a': 1}", LEFT_OVER, "1:15:1"),
        ("FROM t SET a = 1 WHERE b = 1", LEFT_OVER, "1:18:5"),
        ("SELECT * FROM t WHERE", TERM, "1:22:0"),
        ("SELECT * FROM t WHERE;", TERM, "1:22:1"),
        ("SELECT * FROM t WHERE NOT", TERM, "1:26:0"),
        ("SELECT * FROM t\n  WHERE (", TERM, "2:10:0"),
        ("SELECT * FROM", TERM, "1:14:0"),
        ("DELETE FROM t WHERE", TERM, "1:20:0"),
        ("SELECT * FROM t WHERE a = 1 AND", NO_RIGHT, "1:32:0"),
        ("SELECT * FROM t WHERE a = 1 OR", NO_RIGHT, "1:31:0"),
        ("SELECT * FROM t WHERE a =", NO_RIGHT, "1:26:0"),
        ("SELECT * FROM t WHERE ORDER BY a", "Unexpected keyword", "1:23:5"),
        ("SELECT * FROM t WHERE user = 'a'", "Unexpected keyword", "1:23:4"),
        ("SELECT * FROM t WHERE IS NULL", "Unexpected operator", "1:23:2"),
        ("SELECT * FROM t WHERE a = LIKE", "Unexpected operator", "1:27:4"),
        ("SELECT * FROM t WHERE a > -b", "Unexpected operator", "1:28:1"),
        ("SELECT * FROM t WHERE a IS FOO", "Expected type name", "1:28:3"),
        ("SELECT * FROM t WHERE (a = 1", "Expected RIGHT_PAREN", "1:29:0"),
        ("SELECT * FROM t WHERE a.inner = 1", "Invalid path dot component", "1:25:5"),
        ("DELETE FROM", NO_PATH, "1:12:0"),
        ("DELETE FROM WHERE a = 1", NO_PATH, "1:13:5"),
        ("SELECT * FROM t WHERE a = 1 # x", "", "1:29:1"),
        ("SELECT * FROM t WHERE a = 1 /* x", "", "1:29:1"),
        ("SELECT * FROM t WHERE a = 1e2147483648", "", "1:27:12"),
        ("SELECT * FROM t WHERE a = 1.5e-2147483647", "", "1:27:15"),
        ('SELECT * FROM "t', "", "1:15:1"),
        ("SELECT * FROM t WHERE a", "Expected a condition at 1:23:1", "1:23:1"),
        ("SELECT * FROM t WHERE contains(a = 1, b)", "Expected RIGHT_PAREN", "1:34:1"),
    ],
)
def test_the_statement_parser_reports_a_syntax_error_with_its_position(text: str, detail: str, position: str) -> None:
    refused = error_of(text)
    assert isinstance(refused, StatementRefused)
    assert (refused.message, str(refused.position)) == (f"{NOT_WELL_FORMED}{detail}", position)
    assert refused.code == "ValidationException"


OVERFLOW = "Number overflow. Attempting to store a number with magnitude larger than supported range"
DIGITS = "Attempting to store more than 38 significant digits in a Number"
FIRST = "must equal the assignment value"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SELECT * FROM t x WHERE a = 1", "Aliasing is not supported"),
        ("SELECT * FROM t AS x", "Aliasing is not supported"),
        ("SELECT a AS x FROM t", "Aliasing is not supported"),
        ("UPDATE t x SET a = 1", "Aliasing is not supported"),
        ("DELETE FROM t x", "Aliasing is not supported"),
        ("SELECT COUNT(*) FROM t", "Unexpected path component at 1:8:5"),
        ("SELECT a, size(b) FROM t", "Unexpected path component at 1:11:4"),
        *(
            (
                f"UPDATE t SET a = {value} WHERE b = 1",
                f"{NOT_WELL_FORMED}The function size has no place in an assignment",
            )
            for value in ("size(b)", "size(b) + 1", "1 - size(b)", "list_append(a, size(b))", "list_append(size(b), a)")
        ),
        ("SELECT a, m.a FROM t", "Duplicate identifiers in select clause: a"),
        ("SELECT *, a FROM t", "Other attributes should not be present in the projection when '*' is used."),
        ("SELECT a[-1] FROM t", "List index is not within the allowable range; index: [-1] at 1:11:1"),
        ("SELECT * FROM t LIMIT 5", "Unsupported clause: LIMIT at 1:23:1"),
        ('SELECT * FROM ""', "Path component cannot be an empty string"),
        ('SELECT * FROM t.""', "Path component cannot be an empty string"),
        ("SELECT * FROM a.b.c", "A path may contain at most 2 components in the FROM clause"),
        ("INSERT INTO t.i VALUE {'a': 1}", "FROM clause may only contain a single table name"),
        ("INSERT INTO t VALUE {'a': 1} RETURNING ALL OLD *", "RETURNING is not supported in INSERT"),
        ("INSERT INTO t VALUE {'a': 1e126}", f"{OVERFLOW} under root"),
        ("INSERT INTO t VALUE {'a': {'x': 1e126}}", f"{OVERFLOW} under root.x"),
        ("INSERT INTO t VALUE {'a': [1, 1e126]}", f"{OVERFLOW} under root[1]"),
        ("SELECT * FROM t WHERE a = 123456789012345678901234567890123456789", f"{DIGITS} under root"),
        ("INSERT INTO t VALUE {'a': <<>>}", "Empty bags are not supported"),
        (
            "INSERT INTO t VALUE {'a': <<1, 'a'>>}",
            "Unsupported data type in Bag. DynamoDB only supports either numbers or strings in bags",
        ),
        (
            "INSERT INTO t VALUE {'a': <<?>>}",
            "Unsupported data type in Bag. DynamoDB only supports either numbers or strings in bags",
        ),
        (
            "INSERT INTO t VALUE {'a': <<'a', 'a'>>}",
            "One or more parameter values were invalid: Input collection [a, a] contains duplicates.",
        ),
        (
            "INSERT INTO t VALUE {'a': <<2, 2.0>>}",
            "One or more parameter values were invalid: Input collection [2, 2.0] contains duplicates! under root",
        ),
        ("UPDATE t SET a = [?]", "Unsupported data type: Parameter under key root[0] at 1:19:1"),
        ("INSERT INTO t VALUE {'m': {'k': ?}}", "Unsupported data type: Parameter under key root.k at 1:33:1"),
        ("INSERT INTO t VALUE {'a': set_add(a, b)}", "Unsupported data type: set_add under key root at 1:27:7"),
        ("SELECT * FROM t WHERE EXISTS(a)", "Unrecognized function: exists at 1:23:6"),
        ("SELECT * FROM t WHERE SET_ADD(a, b) = 1", "Unrecognized function: set_add at 1:23:7"),
        ("UPDATE t SET a = if_not_exists(a, 1)", "Unrecognized function: if_not_exists at 1:18:13"),
        ("UPDATE t SET b = set_add(a, <<'x'>>)", f"The first argument to SET_ADD {FIRST} at 1:18:7"),
        ("UPDATE t SET a = set_delete(<<'x'>>, <<'x'>>)", f"The first argument to SET_DELETE {FIRST} at 1:18:10"),
        ("UPDATE t SET a = set_add(a)", "SET_ADD must have exactly two arguments at 1:18:7"),
        (
            "DELETE FROM t RETURNING MODIFIED OLD *",
            "Invalid returning clause: RETURNING MODIFIED OLD *. "
            "Only RETURNING ALL OLD * is allowed in DELETE statements.",
        ),
        (
            "SELECT * FROM t WHERE contains(a, 'b') > false",
            "Incorrect operand type for operator or function; operator or function: >, operand type: BOOL",
        ),
        (
            "SELECT * FROM t WHERE a IS INT4",
            "Unsupported data type for IS operator: INT4. "
            "Supported data types are [MISSING, NULL, BOOLEAN, BLOB, STRING, NUMERIC, STRUCT, TUPLE, LIST]",
        ),
    ],
)
def test_the_statement_parser_reports_other_errors_with_messages_of_their_own(text: str, message: str) -> None:
    assert error_of(text).message == message


def test_a_literal_of_the_statement_parser_nests_as_deep_as_an_item() -> None:
    too_deep = "Nesting Levels have exceeded supported limits under root"
    opened, closed = "{'a':" * 32, "}" * 32
    maps = f"UPDATE t SET d = {opened}1{closed}"
    assert error_of(maps).message == too_deep + ".a" * 32
    assert error_of(f"UPDATE t SET d = {'[' * 32}1{']' * 32}").message == too_deep + "[0]" * 32
    parse_statement(f"UPDATE t SET d = {'[' * 31}1{']' * 31}")
