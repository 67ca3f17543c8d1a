"""`singletable explain`: the proof of a pattern, and the exact requests for arguments from a shell."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.program import ROOT, refused, singletable

BROKEN = ROOT / "tests" / "verify" / "broken"
COMMERCE, GUIDE, SHOP = (f"examples/{name}/model.py" for name in ("commerce", "guide", "shop"))
FIELDS = {"table", "pattern", "title", "location", "verdict", "passed_over"}


def documents(*arguments: str | Path) -> list[dict[str, Any]]:
    finished = singletable("explain", "--json", *arguments)
    assert finished.stderr == ""
    found: dict[str, list[dict[str, Any]]] = json.loads(finished.stdout)
    assert set(found) == {"patterns"}
    return found["patterns"]


def requests(*arguments: str) -> list[tuple[str, dict[str, Any]]]:
    (document,) = documents(*arguments)
    return [(request["operation"], request["parameters"]) for request in document["requests"]]


def test_without_a_pattern_all_are_explained() -> None:
    finished = singletable("explain", SHOP)
    assert finished.returncode == 0
    for name in ("customer", "orders_of_customer", "whole_order", "product", "orders_with_sku", "customers_by_signup"):
        assert f"Shop.{name}: " in finished.stdout
    assert len(documents(SHOP)) == 6


def test_a_proof_ends_with_its_verdict_and_its_cost() -> None:
    printed = singletable("explain", COMMERCE, "user_with_recent_orders").stdout
    assert printed.splitlines()[0] == "Commerce.user_with_recent_orders: Get a user and the last five orders"
    assert '  Query on the table: PK = "USER#{user_id}"\n' in printed
    assert "  limit: 6\n" in printed
    assert "  verdict: one request\n" in printed
    assert "  reads 6 items, " in printed


def test_every_index_that_was_passed_over_says_why() -> None:
    (document,) = documents(COMMERCE, "recent_orders")
    assert set(document["passed_over"]) == {"GSI1", "GSI2"}
    assert "  not GSI2: GSI2 is partitioned by" in singletable("explain", COMMERCE, "recent_orders").stdout


def test_json_has_every_field() -> None:
    for document in documents(GUIDE):
        assert set(document) >= FIELDS | {"proof"}
        assert Path(document["location"].rpartition(":")[0]).name == "model.py"
        assert int(document["location"].rpartition(":")[2]) > 1
    (refusal,) = documents(BROKEN / "commerce_orders_by_status_without_gsi2.py")
    assert set(refusal) >= FIELDS | {"reason", "remedy"}


def test_an_exact_request_for_arguments() -> None:
    assert requests(SHOP, "customer", "c1") == [
        ("GetItem", {"TableName": "Shop", "Key": {"PK": {"S": "CUST#c1"}, "SK": {"S": "METADATA"}}})
    ]


def test_arguments_by_name_and_by_place_are_the_same() -> None:
    by_place = requests(SHOP, "orders_of_customer", "c1", "5")
    assert by_place == requests(SHOP, "orders_of_customer", "customer_id=c1", "limit=5")
    assert by_place == requests(SHOP, "orders_of_customer", "limit=5", "customer_id=c1")
    ((operation, parameters),) = by_place
    assert operation == "Query"
    assert parameters["IndexName"] == "GSI1"
    assert parameters["Limit"] == 5
    assert parameters["ScanIndexForward"] is False


def test_a_fanout_is_one_request_for_each_value() -> None:
    found = requests("examples/shop/sharded.py:ShopByHash", "customers")
    assert len(found) == 8
    partitions = [parameters["ExpressionAttributeValues"][":v0"] for _, parameters in found]
    assert partitions == [{"S": f"CUSTOMER#{number}"} for number in range(8)]


def test_a_pattern_without_parameters_shows_its_request() -> None:
    assert [operation for operation, _ in requests(SHOP, "customers_by_signup")] == ["Query"]


def test_a_pattern_with_parameters_and_no_arguments_shows_its_proof_alone() -> None:
    (document,) = documents(SHOP, "customer")
    assert "requests" not in document


def test_one_name_in_two_tables_is_explained_for_both() -> None:
    assert [document["table"] for document in documents(GUIDE, "latest_events")] == ["AppTable", "Telemetry"]
    assert [document["table"] for document in documents(f"{GUIDE}:Telemetry", "latest_events", "d1")] == ["Telemetry"]


def test_a_pipe_gets_plain_text() -> None:
    assert "\x1b" not in singletable("explain", GUIDE).stdout


def test_a_refused_pattern_gives_its_reason_and_remedy_and_fails() -> None:
    finished = singletable("explain", BROKEN / "commerce_orders_by_status_without_gsi2.py", "orders_in_status")
    assert finished.returncode == 1
    assert finished.stderr == ""
    assert "  refused: needs equality on status, which no index has\n" in finished.stdout
    assert 'Give Order gsi1=("USER#{user_id}#{status}"' in finished.stdout


def test_an_unknown_pattern_is_refused_with_the_known_ones() -> None:
    said = refused(singletable("explain", SHOP, "orders"))
    assert "there is no pattern 'orders'" in said
    assert "orders_of_customer" in said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("c1", "5", "cursor", "more"), "takes 3 arguments: customer_id=str limit=int cursor=str"),
        (("limit=5",), "also needs customer_id: customer_id=str limit=int cursor=str"),
        (("c1", "customer_id=c2"), "customer_id is given twice"),
        (("c1", "limit=many"), "limit='many' is no int"),
        (("c1", "limit=0"), "limit is 0; it counts items and is at least 1"),
        (("c1", "limit=-3"), "limit is -3; it counts items and is at least 1"),
    ],
)
def test_wrong_arguments_are_refused_with_the_right_ones(arguments: tuple[str, ...], said: str) -> None:
    assert said in refused(singletable("explain", SHOP, "orders_of_customer", *arguments))


def test_more_requests_than_declared_are_refused() -> None:
    arguments = ("examples/shop/sharded.py:ShopByMonth", "customers_since", "2020-01-01..2026-01-01")
    said = refused(singletable("explain", *arguments))
    assert "would take 73 Queries for these arguments and declares at most 13" in said


def test_a_value_that_holds_an_equals_sign_is_a_value() -> None:
    ((_, parameters),) = requests(SHOP, "customer", "a=b")
    assert parameters["Key"]["PK"] == {"S": "CUST#a=b"}
