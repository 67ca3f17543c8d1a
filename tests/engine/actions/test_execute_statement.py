"""ExecuteStatement: SELECT, INSERT, UPDATE and DELETE in PartiQL."""

from __future__ import annotations

from typing import Any

import pytest

from singletable.engine.engine import Engine
from tests.engine.partiql.statement_requests import all_pages, execute, selected
from tests.engine.table_requests import Document, column, error_fields, get, item, put, refused, texts

KEY = texts(pk="a", sk="1")
ITEM: Document = {
    **KEY,
    "n": {"N": "5"},
    "words": {"S": "hello"},
    "m": {"M": {"x": {"S": "deep"}, "k": {"L": [{"N": "1"}, {"N": "2"}]}}},
    "tags": {"SS": ["a", "b"]},
    "list": {"L": [{"S": "a"}, {"S": "b"}, {"S": "c"}]},
    "none": {"NULL": True},
    "yes": {"BOOL": True},
}
BY_KEY = "WHERE pk = 'a' AND sk = '1'"


@pytest.fixture
def filled(engine: Engine) -> Engine:
    put(engine, ITEM)
    return engine


@pytest.fixture
def collection(engine: Engine) -> Engine:
    """Return an engine with two partitions of three items each."""
    for partition in ("o", "p"):
        for number in (1, 2, 3):
            put(engine, item(pk=partition, sk=str(number), n=number))
    return engine


def keys(items: list[Document]) -> list[str]:
    return [f"{each['pk']['S']}{each['sk']['S']}" for each in items]


def test_execute_statement_stores_the_item_of_an_insert(engine: Engine) -> None:
    answer = execute(
        engine, """INSERT INTO "table" VALUE {'pk': 'a', 'sk': ?, 'n': 1.50, 'm': {'l': [null]}}""", {"S": "1"}
    )
    assert answer == {"Items": []}
    assert get(engine, KEY) == {**KEY, "n": {"N": "1.5"}, "m": {"M": {"l": {"L": [{"NULL": True}]}}}}


def test_execute_statement_never_replaces_an_item_by_an_insert(filled: Engine) -> None:
    request = {"Statement": """INSERT INTO "table" VALUE {'pk': 'a', 'sk': '1'}"""}
    refusal = refused(filled, "ExecuteStatement", request)
    assert (refusal.code, refusal.message) == ("DuplicateItemException", "Duplicate primary key exists in table")
    assert get(filled, KEY) == ITEM


def test_execute_statement_selects_an_item_by_its_key(filled: Engine) -> None:
    assert selected(filled, f'SELECT * FROM "table" {BY_KEY}') == [ITEM]
    assert selected(filled, 'SELECT * FROM "table" WHERE pk = ? AND sk = ?', {"S": "a"}, {"S": "none"}) == []


def test_execute_statement_names_columns_by_their_last_path_element(filled: Engine) -> None:
    assert selected(filled, f'SELECT m.x, m.k[1], list[-0], absent, n FROM "table" {BY_KEY}') == [
        {"x": {"S": "deep"}, "k[1]": {"N": "2"}, "list[0]": {"S": "a"}, "n": {"N": "5"}}
    ]
    assert selected(filled, f'SELECT absent FROM "table" {BY_KEY}') == [{}]


@pytest.mark.parametrize(
    "condition",
    [
        "n > 4 AND n < 6 AND n <> 4 AND n != 6",
        "n BETWEEN 5 AND 5",
        "n IN [4, 5]",
        "n IN (?, 5)",
        "begins_with(words, 'he') AND contains(words, 'll') AND contains(tags, 'a')",
        "size(words) = 5 AND size(tags) < 3",
        "attribute_type(tags, 'SS')",
        "absent IS MISSING AND n IS NOT MISSING",
        "none IS NULL AND n IS NOT NULL AND absent IS NOT NULL",
        "words IS STRING AND m IS TUPLE AND list IS LIST AND n IS NUMERIC AND yes IS BOOLEAN",
        "m.k[0] = 1 AND list[2] = 'c'",
        "tags = <<'b', 'a'>> AND m = {'k': [1, 2], 'x': 'deep'}",
        "NOT n = 4 AND (n = 4 OR words = 'hello')",
        "NOT absent = 1",
        "attribute_exists(n) = true AND contains(absent, 'z') = false",
        "(n BETWEEN 0 AND 5) = yes AND attribute_exists(absent) IN [true, false]",
        "attribute_exists(n) <> 1",
    ],
)
def test_execute_statement_selects_an_item_if_a_further_condition_holds(filled: Engine, condition: str) -> None:
    parameters = [{"N": "4"}] if "?" in condition else []
    assert selected(filled, f'SELECT * FROM "table" {BY_KEY} AND {condition}', *parameters) == [ITEM]


@pytest.mark.parametrize(
    "condition", ["n = 4", "absent = 1", "absent IS NULL", "attribute_exists(n) = 1", "attribute_exists(n) = words"]
)
def test_execute_statement_does_not_select_an_item_if_a_further_condition_fails(filled: Engine, condition: str) -> None:
    assert selected(filled, f'SELECT * FROM "table" {BY_KEY} AND {condition}') == []


def test_execute_statement_selects_a_partition_in_order(collection: Engine) -> None:
    statement = "SELECT * FROM \"table\" WHERE pk = 'o'"
    assert keys(selected(collection, statement)) == ["o1", "o2", "o3"]
    assert keys(selected(collection, f"{statement} ORDER BY sk")) == ["o1", "o2", "o3"]
    assert keys(selected(collection, f"{statement} AND sk >= '2' ORDER BY sk DESC")) == ["o3", "o2"]


def test_execute_statement_sorts_descending_if_ordered_by_the_partition_key_only(collection: Engine) -> None:
    assert keys(selected(collection, "SELECT * FROM \"table\" WHERE pk = 'o' ORDER BY pk ASC")) == ["o3", "o2", "o1"]
    statement = "SELECT * FROM \"table\" WHERE pk IN ['o', 'p'] ORDER BY pk DESC"
    assert keys(selected(collection, statement)) == ["p3", "p2", "p1", "o3", "o2", "o1"]
    assert keys(selected(collection, f"{statement}, sk ASC")) == ["p1", "p2", "p3", "o1", "o2", "o3"]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("(sk = '1' OR sk = '2')", ["o1", "o2"]),
        ("sk IN ['3', '1']", ["o1", "o3"]),
        ("(sk < '1' OR sk > '1' OR sk = '1')", ["o1", "o2", "o3"]),
        ("attribute_exists(pk)", ["o1", "o2", "o3"]),
        ("NOT sk = '1'", ["o2", "o3"]),
        ("sk > '0' AND sk <> '1'", ["o2", "o3"]),
        ("sk = '1' AND sk > '0'", ["o1"]),
        ("sk > '1' AND sk < '3'", ["o2"]),
        ("begins_with(sk, '2')", ["o2"]),
        ("sk BETWEEN '2' AND '3' AND n > 2", ["o3"]),
        ("pk = 'p'", []),
    ],
)
def test_execute_statement_applies_conditions_on_the_sort_key(
    collection: Engine, condition: str, expected: list[str]
) -> None:
    assert keys(selected(collection, f"SELECT * FROM \"table\" WHERE pk = 'o' AND {condition}")) == expected


def test_execute_statement_reads_branches_with_a_negated_sort_key_at_once(collection: Engine) -> None:
    for left, expected in (
        ("NOT sk = '1'", ["o2", "o3"]),
        ("NOT sk IN ['1', '3']", ["o2"]),
        ("sk <> '1'", ["o2", "o3"]),
    ):
        statement = f"SELECT * FROM \"table\" WHERE pk = 'o' AND {left} OR pk = 'o' AND sk = '2'"
        assert keys(selected(collection, statement)) == expected
    statement = "SELECT * FROM \"table\" WHERE pk = 'o' OR pk = 'o' AND NOT sk = '1'"
    assert keys(selected(collection, statement)) == ["o1", "o2", "o3"]


def test_execute_statement_scans_for_a_select_without_partition_key(collection: Engine) -> None:
    assert sorted(keys(selected(collection, 'SELECT * FROM "table" WHERE n = 2'))) == ["o2", "p2"]
    assert sorted(keys(selected(collection, "SELECT * FROM \"table\" WHERE pk = 'o' OR sk = '1'"))) == [
        "o1",
        "o2",
        "o3",
        "p1",
    ]
    assert selected(collection, 'SELECT * FROM "table" WHERE pk > 1') == []


def test_execute_statement_counts_items_read_for_the_limit_and_continues_by_token(collection: Engine) -> None:
    pages = all_pages(collection, 'SELECT sk FROM "table" WHERE n = 2', Limit=4)
    assert [len(page["Items"]) for page in pages] == [1, 1]
    assert pages[0]["LastEvaluatedKey"].keys() == {"pk", "sk"}
    pages = all_pages(collection, "SELECT * FROM \"table\" WHERE pk = 'o' ORDER BY sk DESC", Limit=1)
    assert [keys(page["Items"]) for page in pages] == [["o3"], ["o2"], ["o1"], []]


def test_execute_statement_accepts_another_limit_for_every_page(collection: Engine) -> None:
    statement = "SELECT * FROM \"table\" WHERE pk = 'o'"
    first = execute(collection, statement, Limit=1)
    assert keys(selected(collection, statement, NextToken=first["NextToken"], Limit=5)) == ["o2", "o3"]


def test_execute_statement_returns_pages_of_ten_items_for_several_reads(engine: Engine) -> None:
    for number in range(12):
        put(engine, texts(pk=f"{number:02}", sk="1"))
    among = ", ".join(f"'{number:02}'" for number in range(12))
    pages = all_pages(engine, f'SELECT * FROM "table" WHERE pk IN [{among}]')
    assert [len(page["Items"]) for page in pages] == [10, 2]
    pages = all_pages(engine, f"SELECT * FROM \"table\" WHERE pk IN [{among}] AND sk = '1'", Limit=5)
    assert [len(page["Items"]) for page in pages] == [5, 5, 2]


def test_execute_statement_ends_a_page_at_a_megabyte(engine: Engine) -> None:
    for number in range(5):
        put(engine, item(pk="large", sk=str(number), body="x" * 300_000))
    pages = all_pages(engine, "SELECT sk FROM \"table\" WHERE pk = 'large'")
    assert [column(page["Items"]) for page in pages] == [["0", "1", "2", "3"], ["4"]]


@pytest.mark.parametrize(
    ("statement", "native"),
    [
        (f'SELECT * FROM "table" {BY_KEY}', ("GetItem", {"Key": KEY})),
        (
            "SELECT * FROM \"table\" WHERE pk = 'a' AND n > 7",
            ("Query", {"KeyConditionExpression": "pk = :a", "ExpressionAttributeValues": {":a": {"S": "a"}}}),
        ),
        ('SELECT words FROM "table" WHERE n = 77', ("Scan", {})),
        (f'UPDATE "table" SET n = 6 {BY_KEY}', ("UpdateItem", {"Key": KEY, "UpdateExpression": "SET n = n"})),
        (f'DELETE FROM "table" {BY_KEY}', ("DeleteItem", {"Key": KEY})),
    ],
)
@pytest.mark.parametrize("consistent", [True, False])
def test_execute_statement_consumes_the_units_of_the_native_action(
    filled: Engine, statement: str, native: tuple[str, Document], consistent: bool
) -> None:
    put(filled, {**ITEM, "body": {"S": "x" * 9_000}})
    action, request = native
    options: dict[str, Any] = {"ReturnConsumedCapacity": "INDEXES"}
    if consistent and action in ("GetItem", "Query", "Scan"):
        options["ConsistentRead"] = True
    expected = execute(filled, statement, **options)["ConsumedCapacity"]
    put(filled, {**ITEM, "body": {"S": "x" * 9_000}})
    assert expected == filled.call(action, {"TableName": "table", **request, **options})["ConsumedCapacity"]


def test_execute_statement_rounds_the_units_of_several_reads_separately(collection: Engine) -> None:
    statement = "SELECT * FROM \"table\" WHERE pk IN ['o', 'p', 'q'] AND sk = '1'"
    answer = execute(collection, statement, ReturnConsumedCapacity="TOTAL")
    assert answer["ConsumedCapacity"] == {"TableName": "table", "CapacityUnits": 1.5}


def test_execute_statement_changes_the_attributes_that_an_update_names(filled: Engine) -> None:
    execute(
        filled,
        f"""UPDATE "table" SET n = n + 2, m.y = words SET list = list_append(list, ['d'])
        SET tags = set_add(tags, <<'c'>>) REMOVE none {BY_KEY}""",
    )
    execute(filled, f"UPDATE \"table\" SET list[0] = 'z' SET tags = set_delete(tags, ?) {BY_KEY}", {"SS": ["a"]})
    changed = get(filled, KEY)
    assert changed is not None
    assert (changed["n"], changed["m"]["M"]["y"]) == ({"N": "7"}, {"S": "hello"})
    assert changed["list"] == {"L": [{"S": "z"}, {"S": "b"}, {"S": "c"}, {"S": "d"}]}
    assert sorted(changed["tags"]["SS"]) == ["b", "c"]
    assert "none" not in changed


def test_execute_statement_never_creates_an_item_by_an_update(engine: Engine) -> None:
    request = {"Statement": f'UPDATE "table" SET n = 1 {BY_KEY}'}
    refusal = refused(engine, "ExecuteStatement", request)
    assert (refusal.code, refusal.message) == ("ConditionalCheckFailedException", "The conditional request failed")
    assert get(engine, KEY) is None


@pytest.mark.parametrize("write", ['UPDATE "table" SET n = 1', 'DELETE FROM "table"'])
def test_execute_statement_changes_nothing_and_may_return_the_item_if_a_condition_fails(
    filled: Engine, write: str
) -> None:
    request = {"Statement": f"{write} {BY_KEY} AND words = 'other'"}
    refusal = refused(filled, "ExecuteStatement", request)
    assert refusal.code == "ConditionalCheckFailedException"
    assert error_fields(refusal) == {}
    refusal = refused(filled, "ExecuteStatement", {**request, "ReturnValuesOnConditionCheckFailure": "ALL_OLD"})
    assert error_fields(refusal) == {"Item": ITEM}
    assert get(filled, KEY) == ITEM


def test_execute_statement_deletes_an_item_and_accepts_a_missing_one(filled: Engine) -> None:
    statement = f"DELETE FROM \"table\" {BY_KEY} AND words = 'hello' RETURNING ALL OLD *"
    assert execute(filled, statement) == {"Items": [ITEM]}
    assert execute(filled, statement) == {"Items": []}


@pytest.mark.parametrize(
    ("change", "returning", "expected"),
    [
        ("SET n = 6", "MODIFIED OLD", [{"n": {"N": "5"}}]),
        ("SET n = 6", "MODIFIED NEW", [{"n": {"N": "6"}}]),
        ("SET m.x = 'new'", "MODIFIED NEW", [{"m": {"M": {"x": {"S": "new"}}}}]),
        ("REMOVE n", "MODIFIED NEW", []),
        ("SET fresh = 1", "MODIFIED OLD", []),
        ("SET list[2] = 'z' SET list[0] = 'y'", "MODIFIED NEW", [{"list": {"L": [{"S": "y"}, {"S": "z"}]}}]),
        ("SET list[9] = 'z'", "MODIFIED NEW", []),
        ("REMOVE list[1]", "MODIFIED NEW", [{"list": {"L": [{"S": "c"}]}}]),
        ("SET n = 6", "ALL OLD", [ITEM]),
        ("SET n = 6", "ALL NEW", [{**ITEM, "n": {"N": "6"}}]),
    ],
)
def test_execute_statement_returns_the_requested_values_of_an_update(
    filled: Engine, change: str, returning: str, expected: list[Document]
) -> None:
    assert selected(filled, f'UPDATE "table" {change} {BY_KEY} RETURNING {returning} *') == expected


def test_execute_statement_finds_the_key_anywhere_in_a_condition(filled: Engine) -> None:
    execute(filled, "UPDATE \"table\" SET n = 7 WHERE ('1' = sk AND (pk = 'a')) AND words = 'hello' AND pk = 'a'")
    changed = get(filled, KEY)
    assert changed is not None
    assert changed["n"] == {"N": "7"}


def test_execute_statement_ignores_surplus_parameters(filled: Engine) -> None:
    assert selected(filled, f'SELECT n FROM "table" {BY_KEY}', {"S": "x"}) == [{"n": {"N": "5"}}]


def test_execute_statement_returns_a_simulated_conflict(filled: Engine) -> None:
    filled.faults.conflicts_next = 1
    refusal = refused(filled, "ExecuteStatement", {"Statement": f'UPDATE "table" SET n = 1 {BY_KEY}'})
    assert refusal.code == "TransactionConflictException"
