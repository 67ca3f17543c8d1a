"""Query: the errors of invalid requests, and the first one if a request has two errors."""

from __future__ import annotations

import pytest

from singletable.engine.engine import Engine
from tests.engine.table_requests import (
    INVALID,
    NOT_FOUND,
    Document,
    Refused,
    assert_refused,
    create,
    definitions,
    index,
    projection,
    put,
    refusals,
    texts,
    values,
)

START = "The provided starting key is invalid"
SCALARS = "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: "
NOT_VALID = "One or more parameter values are not valid. "
EMPTY = f"{NOT_VALID}The AttributeValue for a key attribute cannot contain an empty string value."
EMPTY_IN_INDEX = (
    f"{NOT_VALID}A value specified for a secondary index key is not supported. The AttributeValue for a key attribute "
    "cannot contain an empty string value."
)
MISMATCH = "The provided key element does not match the schema"


@pytest.fixture
def engine(empty_engine: Engine) -> Engine:
    create(
        empty_engine,
        AttributeDefinitions=definitions(pk="S", sk="S", g="S", h="S", l="S"),
        GlobalSecondaryIndexes=[index("gsi", "g", "h", holds=projection("e")), index("whole", "g")],
        LocalSecondaryIndexes=[
            index("lsi", "pk", "l"),
            index("keys", "pk", "l", holds=projection(kind="KEYS_ONLY")),
        ],
    )
    put(empty_engine, texts(pk="p", sk="1", g="g", h="h", l="l"))
    return empty_engine


def requested(condition: str, **given: str | int) -> Document:
    return {"KeyConditionExpression": condition, "ExpressionAttributeValues": values(**given)}


def filtered(condition: str, **given: str | int) -> Document:
    return {"FilterExpression": condition, "ExpressionAttributeValues": values(p="p", **given)}


@refusals(
    Refused("a missing table", {"TableName": "missing"}, NOT_FOUND, "ResourceNotFoundException"),
    Refused(
        "no key condition",
        {"KeyConditionExpression": None, "ExpressionAttributeValues": None},
        "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.",
    ),
    Refused(
        "an empty key condition",
        {"KeyConditionExpression": ""},
        "Invalid KeyConditionExpression: The expression can not be empty;",
    ),
    Refused("no partition key", requested("sk = :v", v="v"), "Query condition missed key schema element: pk"),
    Refused("another attribute", requested("other1 = :v", v="v"), "Query condition missed key schema element: pk"),
    Refused(
        "another attribute with the partition key",
        requested("pk = :v AND other1 = :v", v="v"),
        "Query condition missed key schema element: sk",
    ),
    Refused(
        "three attributes",
        requested("pk = :v AND sk = :v AND other1 = :v", v="v"),
        "Conditions can be of length 1 or 2 only",
    ),
    Refused("a range of the partition key", requested("pk > :v", v="v"), "Query key condition not supported"),
    Refused(
        "one attribute twice",
        requested("pk = :v AND sk > :v AND sk < :v", v="v"),
        "KeyConditionExpressions must only contain one condition per key",
    ),
    Refused("two ways", requested("pk = :v OR pk = :v", v="v"), "Invalid operator used in KeyConditionExpression: OR"),
    Refused("the opposite", requested("NOT pk = :v", v="v"), "Invalid operator used in KeyConditionExpression: NOT"),
    Refused(
        "a function of filters",
        requested("pk = :v AND contains(sk, :v)", v="v"),
        "Invalid operator used in KeyConditionExpression: contains",
    ),
    Refused(
        "a path into a key",
        requested("pk = :v AND sk.x = :v", v="v"),
        "KeyConditionExpressions cannot have conditions on nested attributes",
    ),
    Refused(
        "a size",
        requested("pk = :v AND size(sk) = :v", v="v"),
        "KeyConditionExpressions cannot contain nested operations",
    ),
    Refused(
        "another type",
        requested("pk = :v", v=1),
        f"{INVALID}Condition parameter type does not match schema type",
    ),
    Refused(
        "an empty key",
        requested("pk = :v", v=""),
        "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty "
        "string value. Key: pk",
    ),
    Refused(
        "a long key",
        requested("pk = :v", v="x" * 2049),
        f"{INVALID}Size of hashkey has exceeded the maximum size limit of2048 bytes",
    ),
    Refused(
        "bounds in the wrong order",
        requested("pk = :a AND sk BETWEEN :b AND :a", a="a", b="b"),
        "Invalid KeyConditionExpression: The BETWEEN operator requires upper bound to be greater than or equal to "
        "lower bound; lower bound operand: AttributeValue: {S:b}, upper bound operand: AttributeValue: {S:a}",
    ),
    Refused(
        "an undefined value",
        {"KeyConditionExpression": "pk = :q"},
        "Invalid KeyConditionExpression: An expression attribute value used in expression is not defined; attribute "
        "value: :q",
    ),
    Refused(
        "an unused name",
        {"ExpressionAttributeNames": {"#unused": "some"}},
        "Value provided in ExpressionAttributeNames unused in expressions: keys: {#unused}",
    ),
    Refused(
        "an undefined name in the filter",
        filtered("#missing = :f", f="f"),
        "Invalid FilterExpression: An expression attribute name used in the document path is not defined; attribute "
        "name: #missing",
    ),
    Refused(
        "a limit of zero",
        {"Limit": 0},
        "1 validation error detected: Value at 'Limit' failed to satisfy constraint: Member must have value greater "
        "than or equal to 1",
    ),
    Refused(
        "another kind of selection",
        {"Select": "SOME"},
        "1 validation error detected: Value 'SOME' at 'select' failed to satisfy constraint: Member must satisfy enum "
        "value set: [SPECIFIC_ATTRIBUTES, COUNT, ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES]",
    ),
    Refused(
        "several wrong parameters are reported together",
        {"Select": "SOME", "ReturnConsumedCapacity": "X", "TableName": "abc!"},
        "3 validation errors detected: Value 'SOME' at 'select' failed to satisfy constraint: Member must satisfy enum "
        "value set: [SPECIFIC_ATTRIBUTES, COUNT, ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES]; Value 'X' at "
        "'returnConsumedCapacity' failed to satisfy constraint: Member must satisfy enum value set: [INDEXES, TOTAL, "
        "NONE]; Value 'abc!' at 'tableName' failed to satisfy constraint: Member must satisfy regular expression "
        "pattern: [a-zA-Z0-9_.-]+",
    ),
    Refused(
        "specific attributes without any",
        {"Select": "SPECIFIC_ATTRIBUTES"},
        "1 validation error detected: Must specify the AttributesToGet or ProjectionExpression when choosing to get "
        "SPECIFIC_ATTRIBUTES",
    ),
    Refused(
        "a projection with a count",
        {"Select": "COUNT", "ProjectionExpression": "sk"},
        "Cannot specify the ProjectionExpression when choosing to get only the Count",
    ),
    Refused(
        "a projection with all attributes",
        {"Select": "ALL_ATTRIBUTES", "ProjectionExpression": "sk"},
        "Cannot specify the ProjectionExpression when choosing to get ALL_ATTRIBUTES",
    ),
    Refused(
        "projected attributes of a table",
        {"Select": "ALL_PROJECTED_ATTRIBUTES"},
        "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName",
    ),
    Refused(
        "a missing index",
        {"IndexName": "missing"},
        "The table does not have the specified index: missing",
    ),
    Refused(
        "a consistent read of a global index",
        {"IndexName": "gsi", "ConsistentRead": True},
        "Consistent reads are not supported on global secondary indexes",
    ),
)
def test_an_invalid_query_is_rejected(engine: Engine, row: Refused) -> None:
    assert_refused(engine, "Query", row, TableName="table", **requested("pk = :p", p="p"))


@pytest.mark.parametrize(
    "condition",
    [
        *("sk = :long", "sk < :long", "sk <= :long", "sk > :long", "sk >= :long"),
        *("begins_with(sk, :long)", "sk BETWEEN :p AND :long", "sk BETWEEN :long AND :long"),
    ],
)
def test_query_accepts_sort_key_values_of_at_most_1024_bytes(engine: Engine, condition: str) -> None:
    text = f"pk = :p AND {condition}"
    assert "Items" in engine.call("Query", {"TableName": "table", **requested(text, p="p", long="q" * 1024)})
    words = f"{INVALID}Aggregated size of all range keys has exceeded the size limit of 1024 bytes"
    assert_refused(
        engine, "Query", Refused("", {"TableName": "table", **requested(text, p="p", long="q" * 1025)}, words)
    )


@pytest.mark.parametrize(
    "condition", ["{} = :empty", "{} >= :empty", "{} BETWEEN :empty AND :p", "begins_with({}, :empty)"]
)
def test_query_rejects_an_empty_sort_key_value(engine: Engine, condition: str) -> None:
    text = requested(f"pk = :p AND {condition}".format("sk"), p="p", empty="")
    assert_refused(engine, "Query", Refused("", {"TableName": "table", **text}, f"{EMPTY} Key: sk"))
    text = requested(f"pk = :p AND {condition}".format("l"), p="p", empty="")
    words = f"{EMPTY_IN_INDEX} IndexName: lsi, IndexKey: l"
    assert_refused(engine, "Query", Refused("", {"TableName": "table", "IndexName": "lsi", **text}, words))


def test_query_rejects_an_empty_partition_key_of_an_index(engine: Engine) -> None:
    words = f"{EMPTY_IN_INDEX} IndexName: whole, IndexKey: g"
    request = {"TableName": "table", "IndexName": "whole", **requested("g = :g", g="")}
    assert_refused(engine, "Query", Refused("", request, words))


@refusals(
    Refused(
        "the partition key in a filter",
        filtered("pk = :p"),
        "Filter Expression can only contain non-primary key attributes: Primary key attribute: pk",
    ),
    Refused(
        "the sort key in a filter",
        filtered("v = :p OR attribute_exists(sk)"),
        "Filter Expression can only contain non-primary key attributes: Primary key attribute: sk",
    ),
    Refused(
        "a path into a key in a filter, which is a key first",
        filtered("sk.x = :p"),
        "Filter Expression can only contain non-primary key attributes: Primary key attribute: sk",
    ),
    Refused("a place in an index's key in a filter", filtered("h[1] = :p"), f"{SCALARS}IndexKey: h"),
    Refused("a path into a key in a projection", {"ProjectionExpression": "v, sk.x"}, f"{SCALARS}Key: sk"),
    Refused("a place in an index's key in a projection", {"ProjectionExpression": "l[0]"}, f"{SCALARS}IndexKey: l"),
)
def test_query_rejects_filters_on_keys_and_paths_into_keys(engine: Engine, row: Refused) -> None:
    assert_refused(engine, "Query", row, TableName="table", **requested("pk = :p", p="p"))


@pytest.mark.parametrize("name", ["g", "h"])
def test_query_rejects_a_filter_on_a_key_of_its_index(engine: Engine, name: str) -> None:
    words = f"Filter Expression can only contain non-primary key attributes: Primary key attribute: {name}"
    request = {
        "TableName": "table",
        "IndexName": "gsi",
        **requested("g = :g", g="g"),
        "FilterExpression": f"{name} = :g",
    }
    assert_refused(engine, "Query", Refused("", request, words))


@pytest.mark.parametrize(("name", "key"), [("gsi", "g"), ("keys", "pk")])
@pytest.mark.parametrize("more", [{}, {"Select": "COUNT"}], ids=str)
def test_a_query_may_filter_only_on_projected_attributes(engine: Engine, name: str, key: str, more: Document) -> None:
    request = {"TableName": "table", "IndexName": name, **requested(f"{key} = :p", p="p"), "FilterExpression": "v = :p"}
    words = f"{INVALID}Secondary index {name} does not project one or more filter attributes: [v]"
    assert_refused(engine, "Query", Refused("", {**request, **more}, words))
    assert_refused(engine, "Query", Refused("", {**request, "FilterExpression": "v.x = :p"}, words))


def test_a_query_may_filter_on_included_attributes(engine: Engine) -> None:
    request = {**requested("g = :g", g="g"), "FilterExpression": "attribute_not_exists(e)"}
    assert engine.call("Query", {"TableName": "table", "IndexName": "gsi", **request})["Count"] == 1


def test_query_names_all_unprojected_filter_attributes_in_the_error(engine: Engine) -> None:
    request = {
        **requested("pk = :p", p="p"),
        "FilterExpression": "w = :p OR v = :p OR sk = :p",
        "Select": "ALL_ATTRIBUTES",
    }
    words = f"{INVALID}Secondary index keys does not project one or more filter attributes: [v, w]"
    assert_refused(engine, "Query", Refused("", {"TableName": "table", "IndexName": "keys", **request}, words))


def test_a_scan_may_filter_on_unprojected_attributes(engine: Engine) -> None:
    put(engine, texts(pk="p", sk="2", g="g", h="h", v="there"))
    request = {"TableName": "table", "IndexName": "gsi", "FilterExpression": "attribute_exists(v)"}
    assert engine.call("Scan", request)["Count"] == 0


def test_query_may_filter_an_index_on_a_table_key(engine: Engine) -> None:
    request = {
        "TableName": "table",
        "IndexName": "gsi",
        "KeyConditionExpression": "g = :g",
        "FilterExpression": "pk = :p AND sk = :one",
        "ExpressionAttributeValues": values(g="g", p="p", one="1"),
    }
    assert engine.call("Query", request)["Count"] == 1


@refusals(
    Refused("no attributes", {"ExclusiveStartKey": {}}, START),
    Refused("a part of the key", {"ExclusiveStartKey": texts(pk="p")}, START),
    Refused("too many attributes", {"ExclusiveStartKey": texts(pk="p", sk="1", v="v")}, START),
    Refused("another attribute", {"ExclusiveStartKey": texts(pk="p", v="v")}, START),
    Refused("another type", {"ExclusiveStartKey": {"pk": {"S": "p"}, "sk": {"N": "1"}}}, MISMATCH),
    Refused("an empty sort key", {"ExclusiveStartKey": texts(pk="p", sk="")}, f"{START}: {EMPTY} Key: sk"),
    Refused(
        "an empty key of an index",
        {"IndexName": "lsi", "ExclusiveStartKey": texts(pk="p", sk="1", l="")},
        f"{START}: {EMPTY_IN_INDEX} IndexName: lsi, IndexKey: l",
    ),
    Refused(
        "another partition",
        {"ExclusiveStartKey": texts(pk="q", sk="1")},
        "The provided starting key is outside query boundaries based on provided conditions",
    ),
    Refused(
        "an invalid value",
        {"ExclusiveStartKey": {"pk": {"SS": []}}},
        f"{START}: {INVALID}An string set  may not be empty",
    ),
    Refused(
        "outside of the range",
        {**requested("pk = :p AND sk > :p", p="p"), "ExclusiveStartKey": texts(pk="p", sk="a")},
        "The provided starting key does not match the range key predicate",
    ),
    Refused(
        "another partition, inside of the range",
        {**requested("pk = :p AND sk < :p", p="p"), "ExclusiveStartKey": texts(pk="q", sk="a")},
        "The query can return at most one row and cannot be restarted",
    ),
    Refused(
        "a part of an index's key",
        {"IndexName": "lsi", "ExclusiveStartKey": texts(pk="p", sk="1")},
        START,
    ),
    Refused(
        "another type in an index's key",
        {"IndexName": "lsi", "ExclusiveStartKey": {**texts(pk="p", sk="1"), "l": {"N": "1"}}},
        MISMATCH,
    ),
    Refused(
        "another type in the table's key with an index's",
        {"IndexName": "lsi", "ExclusiveStartKey": {**texts(pk="p", l="l"), "sk": {"N": "1"}}},
        f"{START}: {MISMATCH}",
    ),
)
def test_query_rejects_an_invalid_start_key(engine: Engine, row: Refused) -> None:
    assert_refused(engine, "Query", row, TableName="table", **requested("pk = :p", p="p"))


SYNTAX = 'Syntax error; token: "<EOF>", near: "="'
ALL_ATTRIBUTES = (
    f"{INVALID}Select type ALL_ATTRIBUTES is not supported for global secondary index gsi because its projection type "
    "is not ALL"
)
GSI: Document = {"IndexName": "gsi", "KeyConditionExpression": "g = :p"}


@refusals(
    Refused(
        "the key condition before the filter",
        {"KeyConditionExpression": "pk =", "FilterExpression": "v ="},
        f"Invalid KeyConditionExpression: {SYNTAX}",
    ),
    Refused(
        "the filter before the projection",
        {"FilterExpression": "v =", "ProjectionExpression": ""},
        f"Invalid FilterExpression: {SYNTAX}",
    ),
    Refused(
        "expressions before what is selected",
        {"ProjectionExpression": "", "Select": "COUNT"},
        "Invalid ProjectionExpression: The expression can not be empty;",
    ),
    Refused(
        "what is selected before a missing table",
        {"TableName": "missing", "Select": "ALL_PROJECTED_ATTRIBUTES"},
        "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName",
    ),
    Refused(
        "the form of a key condition before a missing table",
        {"TableName": "missing", "KeyConditionExpression": "NOT pk = :p"},
        "Invalid operator used in KeyConditionExpression: NOT",
    ),
    Refused(
        "a missing index before the key condition",
        {"IndexName": "missing", "KeyConditionExpression": "v = :p"},
        "The table does not have the specified index: missing",
    ),
    Refused(
        "the starting key before the key condition",
        {"KeyConditionExpression": "v = :p", "ExclusiveStartKey": texts(pk="p")},
        START,
    ),
    Refused(
        "the key condition before a filter on keys",
        {"KeyConditionExpression": "v = :p", "FilterExpression": "pk = :p"},
        "Query condition missed key schema element: pk",
    ),
    Refused(
        "a projection into a key before a filter on keys",
        {"FilterExpression": "pk = :p", "ProjectionExpression": "sk.x"},
        f"{SCALARS}Key: sk",
    ),
    Refused(
        "a filter on keys before all attributes of a global index",
        {**GSI, "Select": "ALL_ATTRIBUTES", "FilterExpression": "h = :p"},
        "Filter Expression can only contain non-primary key attributes: Primary key attribute: h",
    ),
    Refused(
        "all attributes of a global index before a filter into a key",
        {**GSI, "Select": "ALL_ATTRIBUTES", "FilterExpression": "pk = :p AND pk.x = :p"},
        ALL_ATTRIBUTES,
    ),
    Refused(
        "a filter into a key of the table",
        {**GSI, "FilterExpression": "pk.x = :p"},
        f"{SCALARS}Key: pk",
    ),
)
def test_query_reports_the_first_of_two_errors(engine: Engine, row: Refused) -> None:
    assert_refused(engine, "Query", row, TableName="table", **requested("pk = :p", p="p"))
