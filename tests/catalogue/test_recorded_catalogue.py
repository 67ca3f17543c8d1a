"""A catalogue groups recorded requests by access pattern, counts calls, and finds Scans, N+1 sequences and filters."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from examples.shop_tables.recording import record
from examples.shop_tables.traffic import SHARES
from singletable.catalogue.access_patterns import AccessPattern, short_names
from singletable.catalogue.pattern_steps import pattern_steps
from singletable.catalogue.recorded_catalogue import RecordedCatalogue, read_catalogue
from singletable.errors import ArgumentRefused
from tests.catalogue.recorded import RecordedClients, recorded


@pytest.fixture(scope="module")
def shop_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("shop") / "catalogue.jsonl"
    record(path)
    return path


@pytest.fixture(scope="module")
def shop(shop_file: Path) -> RecordedCatalogue:
    return read_catalogue([shop_file])


def pattern(catalogue: RecordedCatalogue, name: str) -> AccessPattern:
    return next(each for each in catalogue.patterns if each.name == name)


def catalogue_of(path: Path, send: Callable[[RecordedClients], object]) -> RecordedCatalogue:
    with recorded(path / "catalogue.jsonl") as clients:
        send(clients)
    return read_catalogue([path / "catalogue.jsonl"])


def write_lines(path: Path, *requests: dict[str, Any], shapes: Sequence[dict[str, Any]], source: str = "boto3") -> Path:
    """Write a catalogue by hand, whose times do not depend on the machine."""
    lines: list[dict[str, Any]] = [{"catalogue": 1, "run": "r", "source": source, "time": 0.0}]
    lines += [{"run": "r", "shape": number, **shape} for number, shape in enumerate(shapes)]
    lines += [{"run": "r", "s": 0, "n": number, "ms": 1.0, "i": 1, "u": 0.5, **r} for number, r in enumerate(requests)]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return path


def test_the_catalogue_of_a_boto3_application_names_exactly_its_methods(shop: RecordedCatalogue) -> None:
    assert {each.name for each in shop.patterns} == set(SHARES)
    assert [each.name for each in shop.patterns] == list(SHARES)


def test_the_recorded_catalogue_counts_calls_of_several_requests_once(shop: RecordedCatalogue) -> None:
    for name in ("whole_order", "order_summary", "cancel", "customer", "customers_by_signup"):
        found = pattern(shop, name)
        assert found.calls == found.groups[0].requests, name
    assert pattern(shop, "order_summary").requests > 2 * pattern(shop, "order_summary").calls


def test_the_recorded_catalogue_reports_exactly_the_planted_problems_of_the_shop(shop: RecordedCatalogue) -> None:
    assert [(each.pattern, each.kind) for each in shop.findings] == [
        ("order_summary", "n+1"),
        ("pending_orders_of_customer", "filter"),
        ("customers_by_signup", "scan"),
    ]
    sequence, discarded, scan = map(str, shop.findings)
    assert "GetItem requests to shop-products on average, one for each item" in sequence
    assert "the filter status = ? discards" in discarded
    assert scan == "customers_by_signup: a Scan reads every item of shop-customers."


def test_request_findings_are_the_same_without_callers(shop_file: Path, tmp_path: Path) -> None:
    lines = [json.loads(line) for line in shop_file.read_text(encoding="utf-8").splitlines()]
    for line in lines:
        line.pop("caller", None)
    path = tmp_path / "server.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    catalogue = read_catalogue([path])
    assert [each.kind for each in catalogue.findings] == ["n+1", "filter", "scan"]
    assert str(catalogue.findings[0]).startswith(
        "get_products_by_sku: N+1 requests: after a Query of shop-order-items (query_order_items_by_order_id), "
    )
    assert {"put_order_items_and_orders", "delete_order_items_and_orders", "put_products"} <= {
        each.name for each in catalogue.patterns
    }


def test_the_catalogue_contains_no_values(shop_file: Path, shop: RecordedCatalogue) -> None:
    text = shop_file.read_text(encoding="utf-8")
    for value in ("Customer ", "SKU-", "o00000", "PENDING", "example.com", "Frame", "2026-01"):
        assert value not in text
    assert {table.short_name for table in shop.tables.values()} == {"customers", "orders", "order_items", "products"}


def test_pattern_steps_have_names_of_their_own(shop: RecordedCatalogue) -> None:
    names = [step.name for step in pattern_steps(shop)]
    assert len(set(names)) == len(names)
    assert set(SHARES) <= set(names)
    assert set(names) - set(SHARES) == {
        "order_summary_get_products",
        "place_order_put_order_items",
        "cancel_query_order_items",
        "cancel_delete_order_items",
    }
    (whole,) = (step for step in pattern_steps(shop) if step.name == "whole_order")
    assert (whole.entity, whole.members) == ("orders", ("order_items",))


def test_pattern_steps_count_the_pages_of_one_read_as_one_call(tmp_path: Path) -> None:
    def send(clients: RecordedClients) -> None:
        table = clients.create_table("tbl", "pk", "sk")
        for number in range(5):
            table.put_item(Item={"pk": "a", "sk": str(number), "text": "x" * 350_000})
        pages = clients.client.get_paginator("query").paginate(
            TableName="tbl", KeyConditionExpression="pk = :a", ExpressionAttributeValues={":a": {"S": "a"}}
        )
        assert sum(page["Count"] for page in pages) == 5

    catalogue = catalogue_of(tmp_path, send)
    query = next(g for each in catalogue.patterns for g in each.groups if g.shape.operation == "Query")
    assert (query.requests, query.reads, query.items.maximum) == (2, 1, 5)
    assert query.pages.percentile(50) == 2


def test_pattern_steps_count_each_page_of_a_limited_query_as_a_call(tmp_path: Path) -> None:
    def send(clients: RecordedClients) -> None:
        table = clients.create_table("tbl", "pk", "sk")
        for number in range(4):
            table.put_item(Item={"pk": "a", "sk": str(number)})
        start: dict[str, Any] = {}
        for _ in range(2):
            page = table.query(
                KeyConditionExpression="pk = :a", ExpressionAttributeValues={":a": "a"}, Limit=2, **start
            )
            start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}

    catalogue = catalogue_of(tmp_path, send)
    query = next(g for each in catalogue.patterns for g in each.groups if g.shape.operation == "Query")
    assert (query.reads, query.items.maximum, query.limits) == (2, 2, {2})


def test_request_groups_ignore_the_limit_of_a_request(tmp_path: Path) -> None:
    def by_status(table: Any, status: str, limit: int) -> None:
        table.query(
            IndexName="by-status",
            KeyConditionExpression="#s = :s",
            ExpressionAttributeNames={"#s": "status"},
            ExpressionAttributeValues={":s": status},
            Limit=limit,
        )

    def send(clients: RecordedClients) -> None:
        table = clients.create_table("tbl", "pk", index=("status", "pk"))
        by_status(table, "PENDING", 5)
        by_status(table, "SHIPPED", 10)
        by_status(table, "open", 10)

    catalogue = catalogue_of(tmp_path, send)
    (group,) = pattern(catalogue, "by_status").groups
    assert (group.requests, group.limits) == (3, {5, 10})
    assert str(group.shape.key[0]) == "status = ?"


def test_request_groups_are_separate_for_keys_with_different_labels(tmp_path: Path) -> None:
    def get(table: Any, key: str) -> None:
        table.get_item(Key={"pk": key})

    def send(clients: RecordedClients) -> None:
        table = clients.create_table("tbl", "pk")
        for key in ("USER#1", "ORDER#1", "USER#2"):
            get(table, key)

    (found,) = catalogue_of(tmp_path, send).patterns
    assert [(str(g.shape.key[0]), g.requests) for g in found.groups] == [("pk = USER#?", 2), ("pk = ORDER#?", 1)]
    assert {step.entity for step in pattern_steps(catalogue_of(tmp_path / "..", send))} == {"user", "order"}


@pytest.mark.parametrize(
    ("numbers", "findings"),
    [
        ((2, 4, 7), ["n+1"]),
        ((2, 99, 4, 99, 7), ["n+1"]),  # with one other request in the loop
        ((7, 2, 5), []),  # a loop has the order of the items
        ((99, 98, 1, 2), []),  # a loop follows its result
        ((3,), []),
    ],
)
def test_request_findings_recognise_reads_in_the_order_of_a_result_as_a_sequence(
    tmp_path: Path, numbers: tuple[int, ...], findings: list[str]
) -> None:
    def send(clients: RecordedClients) -> None:
        lists, items = clients.create_table("lists", "pk", "sk"), clients.create_table("items", "pk")
        for number in range(9):
            lists.put_item(Item={"pk": "a", "sk": f"k{number}"})
        lists.query(KeyConditionExpression="pk = :a", ExpressionAttributeValues={":a": "a"})
        for number in numbers:
            items.get_item(Key={"pk": f"k{number}"})

    assert [each.kind for each in catalogue_of(tmp_path, send).findings] == findings


def test_access_patterns_of_functions_with_the_same_name_are_named_after_their_classes(tmp_path: Path) -> None:
    class Orders:
        def find(self, clients: RecordedClients) -> None:
            clients.client.get_item(TableName="orders", Key={"pk": {"S": "a"}})

    class Products:
        def find(self, clients: RecordedClients) -> None:
            clients.client.get_item(TableName="products", Key={"pk": {"S": "a"}})

    def send(clients: RecordedClients) -> None:
        clients.create_table("orders", "pk")
        clients.create_table("products", "pk")
        Orders().find(clients)
        Products().find(clients)

    names = [each.name for each in catalogue_of(tmp_path, send).patterns]
    assert names == ["orders_find", "products_find"]


def test_access_patterns_without_a_caller_are_named_after_the_request_shape(tmp_path: Path) -> None:
    shapes: list[dict[str, Any]] = [
        {"operation": "GetItem", "table": "shop-customers", "key": [["id", "=", "?"]]},
        {"operation": "Query", "table": "shop-orders", "index": "i", "key": [["customerId", "=", "?"]]},
        {"operation": "Scan", "table": "shop-orders"},
        {"operation": "ExecuteStatement", "statement": 'SELECT * FROM "t" WHERE a = ?'},
    ]
    path = write_lines(tmp_path / "c.jsonl", *({"s": n, "t": 9.0} for n in range(4)), shapes=shapes, source="serve")
    catalogue = read_catalogue([path])
    assert [each.name for each in catalogue.patterns] == [
        *("get_customers_by_id", "query_orders_by_customer_id", "scan_orders"),
        "select_from_t_where_a",
    ]
    assert [each.kind for each in catalogue.findings] == ["scan", "statement"]


def test_rates_in_the_recorded_catalogue_are_calls_per_second_of_the_recorded_time(tmp_path: Path) -> None:
    shapes = [{"operation": "GetItem", "table": "t", "key": [["id", "=", "?"]], "caller": ["a.py", 1, "get"]}]
    one = write_lines(tmp_path / "one.jsonl", {"t": 1.0}, {"t": 4.0}, shapes=shapes)
    assert read_catalogue([one]).rate(2) == pytest.approx(0.5)
    assert read_catalogue([one, one]).requests == 2
    assert read_catalogue([one], calls_per_second=100).rate(1) == pytest.approx(50)
    short = write_lines(tmp_path / "short.jsonl", {"t": 0.2}, shapes=shapes)
    assert read_catalogue([short]).rate(1) is None
    tests = write_lines(tmp_path / "tests.jsonl", {"t": 9.0}, shapes=shapes, source="pytest")
    assert read_catalogue([tests]).rate(1) is None
    other = tmp_path / "other.jsonl"
    other.write_text(one.read_text().replace('"r"', '"q"'))  # another process at the same time
    both = read_catalogue([one, other])
    assert (both.seconds, both.requests, len(both.patterns)) == (4.0, 4, 1)


def test_the_recorded_catalogue_counts_failed_conditions_and_their_units(tmp_path: Path) -> None:
    def send(clients: RecordedClients) -> None:
        table = clients.create_table("tbl", "pk")
        table.put_item(Item={"pk": "a"})
        for _ in range(2):
            with pytest.raises(Exception, match="ConditionalCheckFailed"):
                table.put_item(Item={"pk": "a"}, ConditionExpression="attribute_not_exists(pk)")

    found = [group for each in catalogue_of(tmp_path, send).patterns for group in each.groups]
    failed = next(group for group in found if group.shape.condition)
    assert (dict(failed.errors), failed.units, failed.failed_share) == ({"ConditionalCheckFailedException": 2}, 2.0, 1)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"run":"r","s":7,"n":0,"t":1}', r"c\.jsonl:4: damaged line"),
        ('{"run":"r","s":0,"n":"x","t":1}', r"c\.jsonl:4: damaged line"),
        ('{"run":"r","s":0,"n":9,"t":1,"k":5}', r"c\.jsonl:4: damaged line"),
        ('{"run":"r","shape":1}', "damaged line of a request shape"),
        ('{"catalogue":99,"run":"q","time":1}', "has format 99"),
    ],
)
def test_the_recorded_catalogue_reports_the_line_of_a_damaged_record(tmp_path: Path, line: str, message: str) -> None:
    shapes = [{"operation": "GetItem", "table": "t", "key": [["id", "=", "?"]]}]
    path = write_lines(tmp_path / "c.jsonl", {"t": 1.0}, shapes=shapes)
    path.write_text(f"{path.read_text()}{line}\n")
    with pytest.raises(ArgumentRefused, match=message):
        read_catalogue([path])


def test_the_recorded_catalogue_ignores_a_line_that_a_killed_process_did_not_finish(
    shop_file: Path, tmp_path: Path
) -> None:
    cut = tmp_path / "cut.jsonl"
    cut.write_bytes(shop_file.read_bytes()[:-20])
    assert {each.name for each in read_catalogue([cut]).patterns} == set(SHARES)


def test_a_catalogue_without_requests_is_rejected(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "c.jsonl", shapes=[])
    with pytest.raises(ArgumentRefused, match="no request was recorded"):
        read_catalogue([path])
    path.write_text("# Not a catalogue\n")
    with pytest.raises(ArgumentRefused, match=r"c\.jsonl is not a catalogue"):
        read_catalogue([path])


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        (["shop-orders", "shop-order-items"], ["orders", "order_items"]),
        (["prodUsers-v2", "prodOrders-v2"], ["users", "orders"]),
        (["orders"], ["orders"]),
        (["shop", "shop-orders"], ["shop", "orders"]),
        (["a", "b"], ["a", "b"]),
    ],
)
def test_table_names_in_the_recorded_catalogue_omit_the_words_that_all_tables_share(
    names: list[str], shown: list[str]
) -> None:
    assert list(short_names(names).values()) == shown


SECRET = "AKIA-SECRET-7"


def test_the_recorded_catalogue_contains_no_value_of_any_request(tmp_path: Path) -> None:
    def send(clients: RecordedClients) -> None:
        table = clients.create_table("tbl", "pk", "sk")
        item = {"pk": f"USER#{SECRET}", "sk": SECRET, "s": SECRET, "l": [SECRET], "m": {"a": {SECRET}}}
        table.put_item(Item=item)
        values = {":k": f"USER#{SECRET}", ":v": SECRET}
        table.query(
            KeyConditionExpression="pk = :k AND begins_with(sk, :v)",
            FilterExpression="contains(s, :v) OR l[0] = :v",
            ExpressionAttributeValues=values,
        )
        table.scan(ScanFilter={"s": {"AttributeValueList": [SECRET], "ComparisonOperator": "EQ"}})
        key = {"pk": f"USER#{SECRET}", "sk": SECRET}
        table.update_item(Key=key, UpdateExpression="SET s = :v", ExpressionAttributeValues={":v": SECRET})
        table.update_item(Key=key, AttributeUpdates={"t": {"Value": SECRET, "Action": "PUT"}})
        for statement in (
            f"SELECT * FROM tbl WHERE pk = '{SECRET}'",
            f"SELECT * FROM tbl WHERE s IN ['{SECRET}', 'b']",
        ):
            clients.client.execute_statement(Statement=statement)
        clients.client.execute_statement(Statement="SELECT * FROM tbl WHERE pk = ?", Parameters=[{"S": SECRET}])
        with pytest.raises(Exception, match="ValidationException"):
            clients.client.execute_statement(Statement=f"SELECT '{SECRET}")
        with pytest.raises(Exception, match="ConditionalCheckFailed"):
            table.delete_item(
                Key=key,
                ConditionExpression="s <> :v",
                ExpressionAttributeValues={":v": SECRET},
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
            )
        clients.client.transact_write_items(
            TransactItems=[{"Delete": {"TableName": "tbl", "Key": {name: {"S": text} for name, text in key.items()}}}],
            ClientRequestToken=SECRET,
        )

    catalogue = catalogue_of(tmp_path, send)
    assert catalogue.requests >= 10
    text = (tmp_path / "catalogue.jsonl").read_text(encoding="utf-8")
    for part in ("AKIA", "SECRET", SECRET.lower()):
        assert part not in text, part
