"""ExecuteStatement: items are selected, inserted, updated and deleted in PartiQL."""

from __future__ import annotations

from typing import Any

import pytest

from singletable.engine.engine import Engine
from tests.engine.partiql.statements import all_pages, execute, selected
from tests.engine.tables import Document, column, get, item, put, refused, texts, told_fields

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
    """Two partitions of three items each."""
    for partition in ("o", "p"):
        for number in (1, 2, 3):
            put(engine, item(pk=partition, sk=str(number), n=number))
    return engine


def keys(items: list[Document]) -> list[str]:
    return [f"{each['pk']['S']}{each['sk']['S']}" for each in items]


def test_an_inserted_item_is_there(engine: Engine) -> None:
    answer = execute(
        engine, """INSERT INTO "table" VALUE {'pk': 'a', 'sk': ?, 'n': 1.50, 'm': {'l': [null]}}""", {"S": "1"}
    )
    assert answer == {"Items": []}
    assert get(engine, KEY) == {**KEY, "n": {"N": "1.5"}, "m": {"M": {"l": {"L": [{"NULL": True}]}}}}


def test_an_insert_replaces_nothing(filled: Engine) -> None:
    request = {"Statement": """INSERT INTO "table" VALUE {'pk': 'a', 'sk': '1'}"""}
    refusal = refused(filled, "ExecuteStatement", request)
    assert (refusal.code, refusal.message) == ("DuplicateItemException", "Duplicate primary key exists in table")
    assert get(filled, KEY) == ITEM


def test_an_item_is_selected_by_its_key(filled: Engine) -> None:
    assert selected(filled, f'SELECT * FROM "table" {BY_KEY}') == [ITEM]
    assert selected(filled, 'SELECT * FROM "table" WHERE pk = ? AND sk = ?', {"S": "a"}, {"S": "none"}) == []


def test_columns_come_under_their_last_names(filled: Engine) -> None:
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
def test_a_condition_beside_the_key_keeps_the_item(filled: Engine, condition: str) -> None:
    parameters = [{"N": "4"}] if "?" in condition else []
    assert selected(filled, f'SELECT * FROM "table" {BY_KEY} AND {condition}', *parameters) == [ITEM]


@pytest.mark.parametrize(
    "condition", ["n = 4", "absent = 1", "absent IS NULL", "attribute_exists(n) = 1", "attribute_exists(n) = words"]
)
def test_a_condition_beside_the_key_drops_the_item(filled: Engine, condition: str) -> None:
    assert selected(filled, f'SELECT * FROM "table" {BY_KEY} AND {condition}') == []


def test_a_partition_is_selected_in_order(collection: Engine) -> None:
    statement = "SELECT * FROM \"table\" WHERE pk = 'o'"
    assert keys(selected(collection, statement)) == ["o1", "o2", "o3"]
    assert keys(selected(collection, f"{statement} ORDER BY sk")) == ["o1", "o2", "o3"]
    assert keys(selected(collection, f"{statement} AND sk >= '2' ORDER BY sk DESC")) == ["o3", "o2"]


def test_ordered_by_the_partition_key_alone_a_partition_comes_from_its_end(collection: Engine) -> None:
    assert keys(selected(collection, "SELECT * FROM \"table\" WHERE pk = 'o' ORDER BY pk ASC")) == ["o3", "o2", "o1"]
    statement = "SELECT * FROM \"table\" WHERE pk IN ['o', 'p'] ORDER BY pk DESC"
    assert keys(selected(collection, statement)) == ["p3", "p2", "p1", "o3", "o2", "o1"]
    assert keys(selected(collection, f"{statement}, sk ASC")) == ["p1", "p2", "p3", "o1", "o2", "o3"]


@pytest.mark.parametrize(
    ("condition", "wanted"),
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
def test_whatever_is_said_of_the_sort_key_holds(collection: Engine, condition: str, wanted: list[str]) -> None:
    assert keys(selected(collection, f"SELECT * FROM \"table\" WHERE pk = 'o' AND {condition}")) == wanted


def test_alternatives_with_a_negated_sort_key_are_answered_together(collection: Engine) -> None:
    for left, wanted in (("NOT sk = '1'", ["o2", "o3"]), ("NOT sk IN ['1', '3']", ["o2"]), ("sk <> '1'", ["o2", "o3"])):
        statement = f"SELECT * FROM \"table\" WHERE pk = 'o' AND {left} OR pk = 'o' AND sk = '2'"
        assert keys(selected(collection, statement)) == wanted
    statement = "SELECT * FROM \"table\" WHERE pk = 'o' OR pk = 'o' AND NOT sk = '1'"
    assert keys(selected(collection, statement)) == ["o1", "o2", "o3"]


def test_without_a_partition_everything_is_looked_at(collection: Engine) -> None:
    assert sorted(keys(selected(collection, 'SELECT * FROM "table" WHERE n = 2'))) == ["o2", "p2"]
    assert sorted(keys(selected(collection, "SELECT * FROM \"table\" WHERE pk = 'o' OR sk = '1'"))) == [
        "o1",
        "o2",
        "o3",
        "p1",
    ]
    assert selected(collection, 'SELECT * FROM "table" WHERE pk > 1') == []


def test_the_limit_counts_what_is_read_and_the_token_goes_on(collection: Engine) -> None:
    pages = all_pages(collection, 'SELECT sk FROM "table" WHERE n = 2', Limit=4)
    assert [len(page["Items"]) for page in pages] == [1, 1]
    assert pages[0]["LastEvaluatedKey"].keys() == {"pk", "sk"}
    pages = all_pages(collection, "SELECT * FROM \"table\" WHERE pk = 'o' ORDER BY sk DESC", Limit=1)
    assert [keys(page["Items"]) for page in pages] == [["o3"], ["o2"], ["o1"], []]


def test_a_limit_may_change_from_page_to_page(collection: Engine) -> None:
    statement = "SELECT * FROM \"table\" WHERE pk = 'o'"
    first = execute(collection, statement, Limit=1)
    assert keys(selected(collection, statement, NextToken=first["NextToken"], Limit=5)) == ["o2", "o3"]


def test_several_reads_come_in_pages_of_ten(engine: Engine) -> None:
    for number in range(12):
        put(engine, texts(pk=f"{number:02}", sk="1"))
    among = ", ".join(f"'{number:02}'" for number in range(12))
    pages = all_pages(engine, f'SELECT * FROM "table" WHERE pk IN [{among}]')
    assert [len(page["Items"]) for page in pages] == [10, 2]
    pages = all_pages(engine, f"SELECT * FROM \"table\" WHERE pk IN [{among}] AND sk = '1'", Limit=5)
    assert [len(page["Items"]) for page in pages] == [5, 5, 2]


def test_a_page_ends_at_a_megabyte(engine: Engine) -> None:
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
def test_a_statement_consumes_what_its_native_action_does(
    filled: Engine, statement: str, native: tuple[str, Document], consistent: bool
) -> None:
    put(filled, {**ITEM, "body": {"S": "x" * 9_000}})
    action, request = native
    options: dict[str, Any] = {"ReturnConsumedCapacity": "INDEXES"}
    if consistent and action in ("GetItem", "Query", "Scan"):
        options["ConsistentRead"] = True
    told = execute(filled, statement, **options)["ConsumedCapacity"]
    put(filled, {**ITEM, "body": {"S": "x" * 9_000}})
    assert told == filled.call(action, {"TableName": "table", **request, **options})["ConsumedCapacity"]


def test_several_reads_are_rounded_each_by_itself(collection: Engine) -> None:
    statement = "SELECT * FROM \"table\" WHERE pk IN ['o', 'p', 'q'] AND sk = '1'"
    answer = execute(collection, statement, ReturnConsumedCapacity="TOTAL")
    assert answer["ConsumedCapacity"] == {"TableName": "table", "CapacityUnits": 1.5}


def test_an_update_changes_what_it_names(filled: Engine) -> None:
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


def test_an_update_makes_no_new_item(engine: Engine) -> None:
    request = {"Statement": f'UPDATE "table" SET n = 1 {BY_KEY}'}
    refusal = refused(engine, "ExecuteStatement", request)
    assert (refusal.code, refusal.message) == ("ConditionalCheckFailedException", "The conditional request failed")
    assert get(engine, KEY) is None


@pytest.mark.parametrize("write", ['UPDATE "table" SET n = 1', 'DELETE FROM "table"'])
def test_a_write_whose_condition_fails_changes_nothing_and_may_tell_the_item(filled: Engine, write: str) -> None:
    request = {"Statement": f"{write} {BY_KEY} AND words = 'other'"}
    refusal = refused(filled, "ExecuteStatement", request)
    assert refusal.code == "ConditionalCheckFailedException"
    assert told_fields(refusal) == {}
    refusal = refused(filled, "ExecuteStatement", {**request, "ReturnValuesOnConditionCheckFailure": "ALL_OLD"})
    assert told_fields(refusal) == {"Item": ITEM}
    assert get(filled, KEY) == ITEM


def test_a_delete_ends_an_item_and_has_nothing_against_none(filled: Engine) -> None:
    statement = f"DELETE FROM \"table\" {BY_KEY} AND words = 'hello' RETURNING ALL OLD *"
    assert execute(filled, statement) == {"Items": [ITEM]}
    assert execute(filled, statement) == {"Items": []}


@pytest.mark.parametrize(
    ("change", "returning", "wanted"),
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
def test_an_update_returns_what_it_is_asked_for(
    filled: Engine, change: str, returning: str, wanted: list[Document]
) -> None:
    assert selected(filled, f'UPDATE "table" {change} {BY_KEY} RETURNING {returning} *') == wanted


def test_the_key_may_stand_anywhere_in_a_condition(filled: Engine) -> None:
    execute(filled, "UPDATE \"table\" SET n = 7 WHERE ('1' = sk AND (pk = 'a')) AND words = 'hello' AND pk = 'a'")
    changed = get(filled, KEY)
    assert changed is not None
    assert changed["n"] == {"N": "7"}


def test_more_parameters_than_the_statement_has_do_no_harm(filled: Engine) -> None:
    assert selected(filled, f'SELECT n FROM "table" {BY_KEY}', {"S": "x"}) == [{"n": {"N": "5"}}]


def test_a_conflict_is_told(filled: Engine) -> None:
    filled.faults.conflicts_next = 1
    refusal = refused(filled, "ExecuteStatement", {"Statement": f'UPDATE "table" SET n = 1 {BY_KEY}'})
    assert refusal.code == "TransactionConflictException"
