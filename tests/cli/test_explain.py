"""`singletable explain`: the proof of a pattern, and its exact requests for given arguments."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.program import ROOT, refused, singletable

BROKEN = ROOT / "tests" / "verify" / "broken"
COMMERCE, GUIDE, SHOP = (f"examples/{name}/model.py" for name in ("commerce", "guide", "shop"))
FIELDS = {"table", "pattern", "title", "location", "verdict", "other_indexes"}


def documents(*arguments: str | Path) -> list[dict[str, Any]]:
    finished = singletable("explain", "--json", *arguments)
    assert finished.stderr == ""
    found: dict[str, list[dict[str, Any]]] = json.loads(finished.stdout)
    assert set(found) == {"patterns"}
    return found["patterns"]


def requests(*arguments: str) -> list[tuple[str, dict[str, Any]]]:
    (document,) = documents(*arguments)
    return [(request["operation"], request["parameters"]) for request in document["requests"]]


def test_the_explain_command_without_a_pattern_explains_all_patterns() -> None:
    finished = singletable("explain", SHOP)
    assert finished.returncode == 0
    for name in ("customer", "orders_of_customer", "whole_order", "product", "orders_with_sku", "customers_by_signup"):
        assert f"Shop.{name}: " in finished.stdout
    assert len(documents(SHOP)) == 6


def test_the_explain_command_ends_a_proof_with_the_verdict_and_the_cost() -> None:
    printed = singletable("explain", COMMERCE, "user_with_recent_orders").stdout
    assert printed.splitlines()[0] == "Commerce.user_with_recent_orders: Get a user and the last five orders"
    assert '  Query on the table: PK = "USER#{user_id}"\n' in printed
    assert "  limit: 6\n" in printed
    assert "  verdict: one request\n" in printed
    assert "  reads 6 items, " in printed


def test_the_explain_command_gives_a_reason_for_every_rejected_index() -> None:
    (document,) = documents(COMMERCE, "recent_orders")
    assert set(document["other_indexes"]) == {"GSI1", "GSI2"}
    assert "  not GSI2: the partition key of GSI2 is" in singletable("explain", COMMERCE, "recent_orders").stdout


def test_the_explain_command_json_has_every_field() -> None:
    for document in documents(GUIDE):
        assert set(document) >= FIELDS | {"proof"}
        assert Path(document["location"].rpartition(":")[0]).name == "model.py"
        assert int(document["location"].rpartition(":")[2]) > 1
    (refusal,) = documents(BROKEN / "commerce_orders_by_status_without_gsi2.py")
    assert set(refusal) >= FIELDS | {"reason", "remedy"}


def test_the_explain_command_shows_the_exact_request_for_arguments() -> None:
    assert requests(SHOP, "customer", "c1") == [
        ("GetItem", {"TableName": "Shop", "Key": {"PK": {"S": "CUST#c1"}, "SK": {"S": "METADATA"}}})
    ]


def test_the_explain_command_accepts_named_and_positional_arguments() -> None:
    by_place = requests(SHOP, "orders_of_customer", "c1", "5")
    assert by_place == requests(SHOP, "orders_of_customer", "customer_id=c1", "limit=5")
    assert by_place == requests(SHOP, "orders_of_customer", "limit=5", "customer_id=c1")
    ((operation, parameters),) = by_place
    assert operation == "Query"
    assert parameters["IndexName"] == "GSI1"
    assert parameters["Limit"] == 5
    assert parameters["ScanIndexForward"] is False


def test_the_explain_command_shows_one_request_per_value_of_a_fanout() -> None:
    found = requests("examples/shop/sharded.py:ShopByHash", "customers")
    assert len(found) == 8
    partitions = [parameters["ExpressionAttributeValues"][":v0"] for _, parameters in found]
    assert partitions == [{"S": f"CUSTOMER#{number}"} for number in range(8)]


def test_the_explain_command_shows_the_request_of_a_pattern_without_parameters() -> None:
    assert [operation for operation, _ in requests(SHOP, "customers_by_signup")] == ["Query"]


def test_the_explain_command_without_arguments_shows_only_the_proof() -> None:
    (document,) = documents(SHOP, "customer")
    assert "requests" not in document


def test_the_explain_command_explains_a_pattern_name_in_two_tables_for_both() -> None:
    assert [document["table"] for document in documents(GUIDE, "latest_events")] == ["AppTable", "Telemetry"]
    assert [document["table"] for document in documents(f"{GUIDE}:Telemetry", "latest_events", "d1")] == ["Telemetry"]


def test_the_explain_command_prints_plain_text_to_a_pipe() -> None:
    assert "\x1b" not in singletable("explain", GUIDE).stdout


def test_the_explain_command_fails_an_unsupported_pattern_with_reason_and_remedy() -> None:
    finished = singletable("explain", BROKEN / "commerce_orders_by_status_without_gsi2.py", "orders_in_status")
    assert finished.returncode == 1
    assert finished.stderr == ""
    assert "  not supported: needs equality on status, which no index key supports\n" in finished.stdout
    assert 'Set gsi1=("USER#{user_id}#{status}"' in finished.stdout


def test_the_explain_command_rejects_an_unknown_pattern_and_lists_the_known_ones() -> None:
    said = refused(singletable("explain", SHOP, "orders"))
    assert "there is no pattern 'orders'" in said
    assert "orders_of_customer" in said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("c1", "5", "cursor", "more"), "takes 3 arguments: customer_id=str limit=int cursor=str"),
        (("limit=5",), "missing customer_id; arguments: customer_id=str limit=int cursor=str"),
        (("c1", "customer_id=c2"), "customer_id is passed twice"),
        (("c1", "limit=many"), "limit='many' is not a valid int"),
        (("c1", "limit=0"), "limit must be an int of at least 1, got 0"),
        (("c1", "limit=-3"), "limit must be an int of at least 1, got -3"),
    ],
)
def test_the_explain_command_rejects_wrong_arguments_and_lists_the_expected_ones(
    arguments: tuple[str, ...], said: str
) -> None:
    assert said in refused(singletable("explain", SHOP, "orders_of_customer", *arguments))


def test_the_explain_command_rejects_arguments_that_need_more_requests_than_declared() -> None:
    arguments = ("examples/shop/sharded.py:ShopByMonth", "customers_since", "2020-01-01..2026-01-01")
    said = refused(singletable("explain", *arguments))
    assert "these arguments need 73 Queries, but the pattern declares fanout=13" in said


def test_the_explain_command_accepts_a_value_with_an_equals_sign() -> None:
    ((_, parameters),) = requests(SHOP, "customer", "a=b")
    assert parameters["Key"]["PK"] == {"S": "CUST#a=b"}
