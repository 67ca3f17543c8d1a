"""Query: the sorted items of one partition in pages, filtered, projected or counted."""

from __future__ import annotations

from typing import Any

import pytest

from singletable.engine.engine import Engine
from singletable.errors import RequestRefused
from tests.engine.table_requests import (
    Document,
    column,
    create,
    definitions,
    item,
    pages,
    put,
    query,
    texts,
    values,
)

SORTS = ["a", "a#1", "a#10", "a#2", "b", "b#1", "ä"]


def filled(engine: Engine, sorts: list[str] = SORTS, **attributes: Any) -> None:
    """Put these sort keys into one partition, and items into neighbouring partitions."""
    for sort in reversed(sorts):
        put(engine, {**texts(pk="p", sk=sort), **attributes})
    for partition in ("o", "p#", "q"):
        put(engine, texts(pk=partition, sk="a"))


def sorts_of(engine: Engine, condition: str, given: Document, **parameters: Any) -> list[Any]:
    return column(query(engine, condition, given, **parameters)["Items"])


def test_query_returns_items_ordered_by_sort_key(engine: Engine) -> None:
    filled(engine)
    assert sorts_of(engine, "pk = :p", values(p="p")) == SORTS
    assert sorts_of(engine, "pk = :p", values(p="p"), ScanIndexForward=True) == SORTS
    assert sorts_of(engine, "pk = :p", values(p="p"), ScanIndexForward=False) == SORTS[::-1]


def test_query_returns_nothing_for_a_missing_partition(engine: Engine) -> None:
    assert query(engine, "pk = :p", values(p="p")) == {"Items": [], "Count": 0, "ScannedCount": 0}


CONDITIONS = [
    ("sk = :a", ["a"]),
    ("sk < :b", ["a", "a#1", "a#10", "a#2"]),
    ("sk <= :b", ["a", "a#1", "a#10", "a#2", "b"]),
    ("sk > :b", ["b#1", "ä"]),
    ("sk >= :b", ["b", "b#1", "ä"]),
    (":b <= sk", ["b", "b#1", "ä"]),
    ("sk BETWEEN :a AND :b", ["a", "a#1", "a#10", "a#2", "b"]),
    ("begins_with(sk, :a)", ["a", "a#1", "a#10", "a#2"]),
    ("begins_with(sk, :b)", ["b", "b#1"]),
]


@pytest.mark.parametrize(("condition", "expected"), CONDITIONS)
@pytest.mark.parametrize("form", ["pk = :p AND {}", "{} AND pk = :p", "(pk = :p) AND ({})", "(pk = :p AND ({}))"])
def test_query_selects_a_range_by_a_condition_on_the_sort_key(
    engine: Engine, condition: str, expected: list[str], form: str
) -> None:
    filled(engine)
    used = {name: value for name, value in values(a="a", b="b").items() if name in condition}
    given = {**values(p="p"), **used}
    assert sorts_of(engine, form.format(condition), given) == expected
    assert sorts_of(engine, form.format(condition), given, ScanIndexForward=False) == expected[::-1]


NUMBERS = ["-1E100", "-10", "-9", "-0.5", "-1E-100", "0", "1E-100", "0.5", "1", "2", "5", "10", "11", "1E100"]


def test_query_sorts_numbers_by_value(engine: Engine) -> None:
    create(engine, "numbers", AttributeDefinitions=definitions(pk="S", sk="N"))
    for number in sorted(NUMBERS):
        put(engine, {"pk": {"S": "p"}, "sk": {"N": number}}, "numbers")
    found = sorts_of(engine, "pk = :p", values(p="p"), table="numbers")
    assert list(map(float, found)) == list(map(float, NUMBERS))
    for condition, expected in (
        ("sk > :five", ["10", "11", "1E100"]),
        ("sk >= :minus", NUMBERS[NUMBERS.index("-9") :]),
        ("sk BETWEEN :minus AND :five", NUMBERS[NUMBERS.index("-9") : NUMBERS.index("5") + 1]),
    ):
        given = {name: value for name, value in values(five=5, minus=-9).items() if name in condition}
        found = sorts_of(engine, f"pk = :p AND {condition}", {**values(p="p"), **given}, table="numbers")
        assert list(map(float, found)) == list(map(float, expected))


BINARIES = ["AA==", "AAA=", "AQ==", "fw==", "gA==", "gAE=", "/w=="]  # 00, 0000, 01, 7f, 80, 8001, ff


def test_query_sorts_binaries_by_unsigned_bytes(engine: Engine) -> None:
    create(engine, "binaries", AttributeDefinitions=definitions(pk="S", sk="B"))
    for binary in sorted(BINARIES):
        put(engine, {"pk": {"S": "p"}, "sk": {"B": binary}}, "binaries")
    assert sorts_of(engine, "pk = :p", values(p="p"), table="binaries") == BINARIES
    assert sorts_of(engine, "pk = :p AND sk > :b", values(p="p", b=b"\x7f"), table="binaries") == BINARIES[4:]
    found = sorts_of(engine, "pk = :p AND begins_with(sk, :b)", values(p="p", b=b"\x80"), table="binaries")
    assert found == ["gA==", "gAE="]


def test_query_returns_one_item_in_a_partition_of_a_table_without_a_sort_key(engine: Engine) -> None:
    put(engine, texts(pk="a", v="v"), "hash")
    assert query(engine, "pk = :p", values(p="a"), "hash")["Items"] == [texts(pk="a", v="v")]
    assert query(engine, "pk = :p", values(p="b"), "hash")["Items"] == []


@pytest.mark.parametrize("forward", [True, False])
@pytest.mark.parametrize("limit", range(1, 9))
def test_query_returns_the_whole_partition_in_pages_of_any_length(engine: Engine, limit: int, forward: bool) -> None:
    filled(engine)
    request = {
        "TableName": "table",
        "KeyConditionExpression": "pk = :p",
        "ExpressionAttributeValues": values(p="p"),
        "Limit": limit,
        "ScanIndexForward": forward,
    }
    answers = pages(engine, "Query", request)
    assert [sort for answer in answers for sort in column(answer["Items"])] == (SORTS if forward else SORTS[::-1])
    assert all(answer["Count"] == answer["ScannedCount"] == limit for answer in answers[:-1])
    for answer in answers[:-1]:
        assert answer["LastEvaluatedKey"] == texts(pk="p", sk=column(answer["Items"])[-1])


def test_query_returns_a_last_evaluated_key_if_the_limit_is_met_exactly(engine: Engine) -> None:
    filled(engine)
    answer = query(engine, "pk = :p", values(p="p"), Limit=len(SORTS))
    assert answer["LastEvaluatedKey"] == texts(pk="p", sk=SORTS[-1])
    after = query(engine, "pk = :p", values(p="p"), ExclusiveStartKey=answer["LastEvaluatedKey"])
    assert after == {"Items": [], "Count": 0, "ScannedCount": 0}
    assert "LastEvaluatedKey" not in query(engine, "pk = :p", values(p="p"), Limit=len(SORTS) + 1)


def test_query_may_start_a_page_after_a_deleted_item(engine: Engine) -> None:
    filled(engine)
    start = texts(pk="p", sk="a#1zzz")
    assert sorts_of(engine, "pk = :p", values(p="p"), ExclusiveStartKey=start) == ["a#2", "b", "b#1", "ä"]
    back = sorts_of(engine, "pk = :p", values(p="p"), ExclusiveStartKey=start, ScanIndexForward=False)
    assert back == ["a#10", "a#1", "a"]


def test_query_ends_a_page_with_the_item_that_crosses_a_megabyte(engine: Engine) -> None:
    size = 65_536
    for number in range(20):
        head = texts(pk="p", sk=f"{number:02}")
        put(engine, {**head, "v": {"S": "x" * (size - 8)}})  # pk and its value, sk and its value, and v have 8 bytes
    first, second = pages(
        engine,
        "Query",
        {
            "TableName": "table",
            "KeyConditionExpression": "pk = :p",
            "ExpressionAttributeValues": values(p="p"),
            "ProjectionExpression": "sk",
        },
    )
    assert (first["Count"], second["Count"]) == (16, 4)
    assert first["LastEvaluatedKey"] == texts(pk="p", sk="15")
    assert query(engine, "pk = :p", values(p="p"), Limit=5)["Count"] == 5


def test_query_counts_items_for_the_limit_before_filtering(engine: Engine) -> None:
    for number in range(10):
        put(engine, item(pk="p", sk=f"{number}", n=number))
    request = {
        "TableName": "table",
        "KeyConditionExpression": "pk = :p",
        "FilterExpression": "n >= :n",
        "ExpressionAttributeValues": values(p="p", n=7),
        "Limit": 3,
    }
    answers = pages(engine, "Query", request)
    assert [(answer["Count"], answer["ScannedCount"]) for answer in answers] == [(0, 3), (0, 3), (2, 3), (1, 1)]
    assert answers[0]["Items"] == []
    assert answers[0]["LastEvaluatedKey"] == texts(pk="p", sk="2")


FILTERED: Document = {
    **texts(pk="p", sk="1", words="hello world", name="Ada"),
    **item(n=5, b=b"\x01\x02"),
    "m": {"M": {"deep": {"S": "x"}}},
    "l": {"L": [{"N": "1"}, {"N": "2"}]},
    "ss": {"SS": ["a", "b", "c"]},
}
FILTERS = [
    ("size(words) > :n", True),
    ("contains(words, :hello)", True),
    ("contains(ss, :a)", True),
    ("contains(ss, :hello)", False),
    ("NOT contains(words, :a)", True),
    ("attribute_type(l, :list)", True),
    ("begins_with(words, :hello)", True),
    ("n IN (:n, :zero)", True),
    ("n BETWEEN :zero AND :n", True),
    ("m.deep = :x", True),
    ("l[0] = :zero", False),
    ("l[1] > :zero", True),
    ("size(l) < :n AND size(ss) < :n AND size(m) > :zero AND size(b) < :n", True),
    ("n = :zero OR words = :hello", False),
    ("(n = :zero) OR (begins_with(words, :hello))", True),
    ("(n = :n OR n = :zero)", True),
    ("#name = :hello", False),
    ("attribute_exists(absent)", False),
    ("absent <> :a", True),
]


@pytest.mark.parametrize(("condition", "keeps"), FILTERS)
def test_query_returns_the_items_that_match_a_filter(engine: Engine, condition: str, keeps: bool) -> None:
    put(engine, FILTERED)
    given = values(n=5, zero=0, hello="hello", a="a", x="x", list="L")
    words = condition.replace("(", " ").replace(")", " ").replace(",", " ").split()
    answer = query(
        engine,
        "pk = :p",
        {**values(p="p"), **{name: value for name, value in given.items() if name in words}},
        FilterExpression=condition,
        ExpressionAttributeNames={"#name": "name"} if "#name" in words else None,
    )
    assert answer == {"Items": [FILTERED] if keeps else [], "Count": int(keeps), "ScannedCount": 1}


@pytest.mark.parametrize(
    ("projection", "expected"),
    [
        ("sk, n", item(sk="1", n=5)),
        ("m.deep, l[1]", {"m": {"M": {"deep": {"S": "x"}}}, "l": {"L": [{"N": "2"}]}}),
        ("absent", {}),
    ],
)
@pytest.mark.parametrize("select", [None, "SPECIFIC_ATTRIBUTES"])
def test_query_returns_the_paths_of_a_projection(
    engine: Engine, projection: str, expected: Document, select: str | None
) -> None:
    put(engine, FILTERED)
    answer = query(engine, "pk = :p", values(p="p"), ProjectionExpression=projection, Select=select)
    assert answer["Items"] == [expected]


def test_query_filters_on_attributes_that_are_not_in_the_projection(engine: Engine) -> None:
    put(engine, FILTERED)
    answer = query(engine, "pk = :p", values(p="p", n=5), FilterExpression="n = :n", ProjectionExpression="sk")
    assert answer["Items"] == [texts(sk="1")]


def test_query_returns_all_attributes_of_a_table_by_default(engine: Engine) -> None:
    put(engine, FILTERED)
    assert query(engine, "pk = :p", values(p="p"), Select="ALL_ATTRIBUTES")["Items"] == [FILTERED]


def test_query_returns_no_items_for_a_count(engine: Engine) -> None:
    filled(engine)
    answer = query(engine, "pk = :p", values(p="p"), Select="COUNT")
    assert answer == {"Count": len(SORTS), "ScannedCount": len(SORTS)}
    answer = query(engine, "pk = :p", values(p="p", v="v"), Select="COUNT", FilterExpression="v = :v", Limit=2)
    assert answer == {"Count": 0, "ScannedCount": 2, "LastEvaluatedKey": texts(pk="p", sk="a#1")}


@pytest.mark.parametrize(
    ("requested", "expected"),
    [
        ("TOTAL", {"TableName": "table", "CapacityUnits": 0.5}),
        ("INDEXES", {"TableName": "table", "CapacityUnits": 0.5, "Table": {"CapacityUnits": 0.5}}),
        ("NONE", None),
        (None, None),
    ],
)
def test_query_returns_consumed_capacity_on_request(
    engine: Engine, requested: str | None, expected: Document | None
) -> None:
    filled(engine)
    answer = query(engine, "pk = :p", values(p="p"), ReturnConsumedCapacity=requested)
    assert answer.get("ConsumedCapacity") == expected


def test_a_query_of_a_table_without_a_sort_key_has_no_second_page(engine: Engine) -> None:
    put(engine, texts(pk="p", v="1"), "hash")
    answer = query(engine, "pk = :p", values(p="p"), "hash", Limit=1)
    assert (answer["Items"], "LastEvaluatedKey" in answer) == ([texts(pk="p", v="1")], False)
    with pytest.raises(RequestRefused) as refused:
        query(engine, "pk = :p", values(p="p"), "hash", ExclusiveStartKey=texts(pk="p"))
    assert refused.value.message == (
        "The provided exclusive start key is invalid: ExclusiveStartKey: {pk=AttributeValue: {S:p}}"
    )
    with pytest.raises(RequestRefused, match="outside query boundaries"):
        query(engine, "pk = :p", values(p="p"), "hash", ExclusiveStartKey=texts(pk="q"))
