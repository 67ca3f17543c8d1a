"""Scan: all items of a table or index, in pages and segments, filtered, projected or counted."""

from __future__ import annotations

from typing import Any

import pytest

from singletable.engine.engine import Engine
from tests.engine.table_requests import (
    INVALID,
    NOT_FOUND,
    Document,
    Refused,
    assert_refused,
    column,
    create,
    create_hash,
    create_indexed,
    definitions,
    index,
    item,
    pages,
    projection,
    put,
    refusals,
    scan,
    texts,
    values,
)


def everything(engine: Engine, **request: Any) -> list[Document]:
    """Return the items of all pages."""
    answers = pages(engine, "Scan", {"TableName": "table", **request})
    return [each for answer in answers for each in answer["Items"]]


def keys(items: list[Document]) -> list[tuple[str, str]]:
    return [(each["pk"]["S"], each["sk"]["S"]) for each in items]


@pytest.fixture
def filled(engine: Engine) -> Engine:
    """Return an engine with 30 items in ten partitions."""
    for number in range(30):
        put(engine, item(pk=f"p{number % 10}", sk=f"{number:02}", n=number, v="v"))
    return engine


WHOLE = sorted((f"p{number % 10}", f"{number:02}") for number in range(30))


def test_a_scan_reads_everything_once(filled: Engine) -> None:
    answer = scan(filled, ConsistentRead=True)
    assert sorted(keys(answer["Items"])) == WHOLE
    assert (answer["Count"], answer["ScannedCount"]) == (30, 30)
    assert "LastEvaluatedKey" not in answer


def test_a_scan_of_an_empty_table_is_empty(engine: Engine) -> None:
    assert scan(engine) == {"Items": [], "Count": 0, "ScannedCount": 0}


def test_scan_returns_the_items_of_one_partition_contiguous_and_sorted(filled: Engine) -> None:
    found = keys(everything(filled))
    partitions = list(dict.fromkeys(partition for partition, _ in found))
    assert found == sorted(found, key=lambda each: (partitions.index(each[0]), each[1]))


@pytest.mark.parametrize("limit", [1, 2, 7, 10, 29, 30, 31])
def test_scan_returns_the_whole_table_in_pages_of_any_length(filled: Engine, limit: int) -> None:
    answers = pages(filled, "Scan", {"TableName": "table", "Limit": limit})
    assert sorted(keys([each for answer in answers for each in answer["Items"]])) == WHOLE
    assert all(answer["ScannedCount"] == limit for answer in answers[:-1])


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        ("S", [str(number) for number in range(20)]),
        ("N", [number - 5 for number in range(20)]),
        ("B", [bytes([number]) for number in range(20)]),
    ],
)
def test_scan_reads_a_table_with_only_a_partition_key_in_pages(
    engine: Engine, kind: str, given: list[str | int | bytes]
) -> None:
    create_hash(engine, "keys", kind)
    for key in given:
        put(engine, item(pk=key), "keys")
    answers = pages(engine, "Scan", {"TableName": "keys", "Limit": 3})
    found = [str(each["pk"]) for answer in answers for each in answer["Items"]]
    assert sorted(found) == sorted(str(item(pk=key)["pk"]) for key in given)


def test_scan_ends_a_page_with_the_item_that_crosses_a_megabyte(engine: Engine) -> None:
    for number in range(20):
        put(engine, texts(pk=f"{number:02}", v="x" * 60_000), "hash")
    answers = pages(engine, "Scan", {"TableName": "hash", "ProjectionExpression": "pk"})
    assert [answer["Count"] for answer in answers] == [18, 2]


def test_scan_counts_items_for_the_limit_before_filtering(filled: Engine) -> None:
    request = {
        "TableName": "table",
        "FilterExpression": "n = :n",
        "ExpressionAttributeValues": values(n=17),
        "Limit": 4,
    }
    answers = pages(filled, "Scan", request)
    assert sum(answer["Count"] for answer in answers) == 1
    assert [answer["ScannedCount"] for answer in answers] == [4] * 7 + [2]
    assert any(answer["Items"] == [] and "LastEvaluatedKey" in answer for answer in answers)


def test_scan_filters_may_name_keys_and_may_match_nothing(filled: Engine) -> None:
    given = values(p="p3")
    kept = scan(filled, FilterExpression="pk = :p", ExpressionAttributeValues=given)
    assert (kept["Count"], kept["ScannedCount"]) == (3, 30)
    nothing = scan(filled, FilterExpression="v = :p", ExpressionAttributeValues=given)
    assert nothing == {"Items": [], "Count": 0, "ScannedCount": 30}


VALUES: Document = {
    "s": {"S": "banana"},
    "n": {"N": "20"},
    "b": {"B": "AgM="},
    "ss": {"SS": ["x", "y", "z"]},
    "ns": {"NS": ["1", "2"]},
    "m": {"M": {"a": {"N": "1"}, "b": {"S": "x"}}},
    "l": {"L": [{"N": "1"}, {"N": "2"}]},
    "t": {"BOOL": True},
    "z": {"NULL": True},
}


@pytest.mark.parametrize(
    ("condition", "given", "keeps"),
    [
        ("s = :v", {"S": "banana"}, True),
        ("s <= :v", {"S": "banana"}, True),
        ("s < :v", {"S": "b"}, False),
        ("contains(s, :v)", {"S": "nan"}, True),
        ("n <> :v", {"N": "10"}, True),
        ("n > :v", {"N": "9"}, True),
        ("n = :v", {"N": "2E1"}, True),
        ("n = :v", {"S": "20"}, False),
        ("n <> :v", {"S": "20"}, True),
        ("n < :v", {"S": "3"}, False),
        ("b > :v", {"B": "Af8="}, True),
        ("begins_with(b, :v)", {"B": "Ag=="}, True),
        ("b BETWEEN :v AND :v", {"B": "AgM="}, True),
        ("ss = :v", {"SS": ["z", "x", "y"]}, True),
        ("ss <> :v", {"SS": ["x", "y"]}, True),
        ("ns = :v", {"NS": ["2.0", "1"]}, True),
        ("m = :v", {"M": {"b": {"S": "x"}, "a": {"N": "1.0"}}}, True),
        ("l = :v", {"L": [{"N": "2"}, {"N": "1"}]}, False),
        ("t = :v", {"BOOL": True}, True),
        ("z = :v", {"NULL": True}, True),
        ("absent = :v", {"NULL": True}, False),
        ("s IN (:v)", {"S": "banana"}, True),
        ("contains(l, :v)", {"N": "2"}, True),
    ],
)
def test_scan_filters_compare_values_of_one_type(engine: Engine, condition: str, given: Document, keeps: bool) -> None:
    put(engine, {**texts(pk="a", sk="1"), **VALUES})
    answer = scan(engine, FilterExpression=condition, ExpressionAttributeValues={":v": given})
    assert answer["Count"] == int(keeps)


def test_scan_returns_the_paths_of_a_projection(filled: Engine) -> None:
    found = everything(filled, ProjectionExpression="sk, n")
    assert sorted(column(found)) == sorted(sort for _, sort in WHOLE)
    assert all(set(each) == {"sk", "n"} for each in found)


def test_scan_returns_no_items_for_a_count(filled: Engine) -> None:
    assert scan(filled, Select="COUNT") == {"Count": 30, "ScannedCount": 30}
    answer = scan(filled, Select="COUNT", FilterExpression="n < :n", ExpressionAttributeValues=values(n=5))
    assert answer == {"Count": 5, "ScannedCount": 30}


@pytest.mark.parametrize("total", [1, 2, 3, 4, 16, 1000])
def test_scan_segments_contain_every_item_once(filled: Engine, total: int) -> None:
    segments = [everything(filled, Segment=segment, TotalSegments=total, Limit=4) for segment in range(total)]
    found = [keys(items) for items in segments]
    assert sorted(key for of_segment in found for key in of_segment) == WHOLE
    partitions = [{partition for partition, _ in of_segment} for of_segment in found]
    assert sum(map(len, partitions)) == 10


def test_scan_can_read_the_last_of_a_million_segments(filled: Engine) -> None:
    assert scan(filled, Segment=999_999, TotalSegments=1_000_000)["ScannedCount"] <= 30


@pytest.fixture
def indexed(empty_engine: Engine) -> Engine:
    """Return an engine with 50 items in one partition of each index, with five sort keys, and one item in no index."""
    create(
        empty_engine,
        AttributeDefinitions=definitions(pk="S", sk="S", g="S", r="S"),
        GlobalSecondaryIndexes=[index("gsi", "g", "r", holds=projection("n")), index("all", "g")],
        LocalSecondaryIndexes=[index("lsi", "pk", "r", holds=projection("n"))],
    )
    for number in range(50):
        put(empty_engine, item(pk="p", sk=f"{number:02}", g="g", r=f"r{number % 5}", n=number, rest="x"))
    put(empty_engine, texts(pk="p", sk="none"))
    return empty_engine


@pytest.mark.parametrize("name", ["gsi", "lsi", "all"])
@pytest.mark.parametrize("limit", [None, 10, 7, 1])
def test_scan_reads_every_item_of_an_index_with_equal_keys_once(indexed: Engine, name: str, limit: int | None) -> None:
    found = everything(indexed, IndexName=name, Limit=limit)
    assert sorted(column(found)) == [f"{number:02}" for number in range(50)]
    kept = everything(
        indexed,
        IndexName=name,
        Limit=limit,
        FilterExpression="n IN (:a, :b, :c)",
        ExpressionAttributeValues=values(a=0, b=25, c=49),
    )
    assert sorted(column(kept)) == ["00", "25", "49"]


@pytest.mark.parametrize(
    ("name", "held"),
    [
        ("gsi", {"pk", "sk", "g", "r", "n"}),
        ("lsi", {"pk", "sk", "r", "n"}),
        ("all", {"pk", "sk", "g", "r", "n", "rest"}),
    ],
)
def test_scan_returns_the_projected_attributes_of_an_index(indexed: Engine, name: str, held: set[str]) -> None:
    assert all(set(each) == held for each in everything(indexed, IndexName=name))


def test_scan_of_a_local_index_fetches_unprojected_attributes(indexed: Engine) -> None:
    found = everything(indexed, IndexName="lsi", Select="ALL_ATTRIBUTES", ConsistentRead=True)
    assert all(each["rest"] == {"S": "x"} for each in found)
    found = everything(indexed, IndexName="lsi", ProjectionExpression="rest", Limit=7)
    assert found == [texts(rest="x")] * 50


@pytest.mark.parametrize("name", ["gsi", "lsi"])
def test_scan_reads_an_index_in_segments(indexed: Engine, name: str) -> None:
    found = [
        sort
        for segment in range(3)
        for sort in column(everything(indexed, IndexName=name, Segment=segment, TotalSegments=3, Limit=9))
    ]
    assert sorted(found) == [f"{number:02}" for number in range(50)]


@pytest.mark.parametrize(
    ("requested", "expected"),
    [
        ("TOTAL", {"TableName": "table", "CapacityUnits": 0.5}),
        ("INDEXES", {"TableName": "table", "CapacityUnits": 0.5, "Table": {"CapacityUnits": 0.5}}),
        ("NONE", None),
        (None, None),
    ],
)
def test_scan_returns_consumed_capacity_on_request(
    filled: Engine, requested: str | None, expected: Document | None
) -> None:
    assert scan(filled, ReturnConsumedCapacity=requested).get("ConsumedCapacity") == expected


START = "The provided starting key is invalid"
MISMATCH = "The provided key element does not match the schema"
SCALARS = "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: "


@refusals(
    Refused("a missing table", {"TableName": "missing"}, NOT_FOUND, "ResourceNotFoundException"),
    Refused(
        "a limit of zero",
        {"Limit": 0},
        "1 validation error detected: Value '0' at 'limit' failed to satisfy constraint: Member must have value "
        "greater than or equal to 1",
    ),
    Refused(
        "a segment without a total",
        {"Segment": 0},
        "The TotalSegments parameter is required but was not present in the request when Segment parameter is present",
    ),
    Refused(
        "segments without one",
        {"TotalSegments": 4},
        "The Segment parameter is required but was not present in the request when parameter TotalSegments is present",
    ),
    Refused(
        "a segment after the last",
        {"Segment": 5, "TotalSegments": 5},
        "The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: 5 is not less "
        "than TotalSegments: 5",
    ),
    Refused(
        "more than a million segments",
        {"Segment": 0, "TotalSegments": 1_000_001},
        "1 validation error detected: Value '1000001' at 'totalSegments' failed to satisfy constraint: Member must "
        "have value less than or equal to 1000000",
    ),
    Refused(
        "segments before expressions",
        {"TotalSegments": 4, "FilterExpression": ""},
        "The Segment parameter is required but was not present in the request when parameter TotalSegments is present",
    ),
    Refused(
        "a reserved word",
        {"FilterExpression": "status = :v", "ExpressionAttributeValues": values(v="v")},
        "Invalid FilterExpression: Attribute name is a reserved keyword; reserved keyword: status",
    ),
    Refused(
        "values without a filter",
        {"ExpressionAttributeValues": values(v="v")},
        "ExpressionAttributeValues can only be specified when using expressions: FilterExpression is null",
    ),
    Refused(
        "specific attributes without any",
        {"Select": "SPECIFIC_ATTRIBUTES"},
        "Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES",
    ),
    Refused(
        "a filter before a missing table",
        {"TableName": "missing", "FilterExpression": ""},
        "Invalid FilterExpression: The expression can not be empty;",
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
    Refused(
        "all attributes of a global index, before where it starts",
        {
            "IndexName": "gsi",
            "Select": "ALL_ATTRIBUTES",
            "FilterExpression": "attribute_exists(pk.x)",
            "ExclusiveStartKey": texts(x="x", y="y", gsiPk="g"),
        },
        f"{INVALID}Select type ALL_ATTRIBUTES is not supported for global secondary index gsi because its projection "
        "type is not ALL",
    ),
    Refused("a path into a key", {"FilterExpression": "attribute_exists(pk.x)"}, f"{SCALARS}Key: pk"),
    Refused("a place in an index's key", {"ProjectionExpression": "gsiPk[0]"}, f"{SCALARS}IndexKey: gsiPk"),
    Refused("a part of a starting key", {"ExclusiveStartKey": texts(pk="a")}, f"{START}: {MISMATCH}"),
    Refused("a starting key of another type", {"ExclusiveStartKey": item(pk="a", sk=1)}, f"{START}: {MISMATCH}"),
    Refused("a part of an index's key", {"IndexName": "gsi", "ExclusiveStartKey": texts(gsiPk="g")}, START),
    Refused(
        "an index's key of another type",
        {"IndexName": "gsi", "ExclusiveStartKey": item(pk="a", sk="1", gsiPk=1)},
        MISMATCH,
    ),
)
def test_an_invalid_scan_is_rejected(empty_engine: Engine, row: Refused) -> None:
    create_indexed(empty_engine, gsi=projection(kind="KEYS_ONLY"))
    assert_refused(empty_engine, "Scan", row, TableName="table")


def test_scan_rejects_a_start_key_of_another_segment(filled: Engine) -> None:
    first = next(segment for segment in range(4) if scan(filled, Segment=segment, TotalSegments=4, Limit=1)["Items"])
    last = scan(filled, Segment=first, TotalSegments=4, Limit=1)["LastEvaluatedKey"]
    other = (first + 1) % 4
    row = Refused(
        "",
        {"ExclusiveStartKey": last, "Segment": other, "TotalSegments": 4},
        f"{START}: Invalid ExclusiveStartKey. Please use ExclusiveStartKey with correct Segment. TotalSegments: 4 "
        f"Segment: {other}",
    )
    assert_refused(filled, "Scan", row, TableName="table")
