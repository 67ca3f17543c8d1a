"""Writes of boto3 clients and resources on old tables: their interface, and the new table that follows them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pytest
from boto3.dynamodb.conditions import Attr  # type: ignore[import-untyped]
from botocore.exceptions import ClientError  # type: ignore[import-untyped]

from examples.shop.model import Order, OrderItem, Product, Shop
from examples.shop_tables import tables
from examples.shop_tables.consolidation import CONSOLIDATION, product_of, row_of_product
from examples.shop_tables.shop_application import OrderNotPending, ShopApplication
from examples.shop_tables.tables import ORDERS, PRODUCTS
from examples.shop_tables.traffic import ShopTraffic
from singletable import ArgumentRefused, ItemRefused, key
from singletable.client.request_steps import run
from singletable.consolidation import Consolidation, DynamoDBSource, install
from singletable.consolidation.consolidation_run import ConsolidationRun, ConsolidationSettings
from singletable.engine import Engine

ROWS = 100


@dataclass
class Sides:
    """The old tables and the new table, in sync."""

    engine: Engine
    shop: Shop
    client: Any
    resource: Any

    @property
    def application(self) -> ShopApplication:
        return ShopApplication(self.client, self.resource)

    @property
    def run(self) -> ConsolidationRun:
        return ConsolidationRun(CONSOLIDATION, self.shop, ConsolidationSettings(wait_seconds=0.0))

    def assert_in_sync(self) -> None:
        result = run(self.run.verify(), self.shop._opened().session)
        assert not result.failures

    def table(self, name: str) -> Any:
        return self.resource.Table(name)


@pytest.fixture
def sides() -> Iterator[Sides]:
    engine = Engine("memory:")
    client, resource = engine.boto3_client(), engine.boto3_resource()
    tables.create_tables(client)
    tables.fill(client, ROWS)
    Shop.open(engine, create=True).close()
    with CONSOLIDATION.open(engine) as shop:
        install(shop, client)
        install(shop, resource)
        made = Sides(engine, shop, client, resource)
        result = run(made.run.run(), shop._opened().session)
        assert not result.failures
        yield made


def test_old_clients_keep_both_sides_in_sync(sides: Sides) -> None:
    traffic = ShopTraffic(sides.application, tables.rows(ROWS), seed=3)
    called = {traffic.step() for _ in range(250)}
    assert {"place_order", "ship", "register", "change_price", "add_products"} <= called
    sides.assert_in_sync()


def test_old_clients_write_all_rows_and_items_of_a_transaction_or_none(sides: Sides) -> None:
    order = {
        "id": "o1",
        "customer_id": "c000001",
        "status": "PENDING",
        "total": Decimal(3),
        "created_at": "2026-05-01T00:00:00Z",
    }
    items = [{"order_id": "o1", "sku": f"S{number}", "quantity": 1, "price": Decimal(1)} for number in range(3)]
    sides.application.place_order(order, items)
    found = sides.shop.whole_order("o1")
    assert found is not None
    assert (found.order.status, [each.sku for each in found.items]) == ("PENDING", ["S0", "S1", "S2"])
    with pytest.raises(
        ClientError, match=r"TransactionCanceledException.*\[ConditionalCheckFailed, None, None, None\]"
    ):
        sides.application.place_order(order, [{**each, "quantity": 9} for each in items])
    assert sides.shop.get(key(OrderItem, order_id="o1", sku="S0")).quantity == 1  # type: ignore[union-attr]  # it exists
    sides.application.cancel("o1")
    assert sides.shop.whole_order("o1") is None
    sides.assert_in_sync()


def test_old_clients_receive_what_dynamodb_returns_for_an_update(sides: Sides) -> None:
    table = sides.table(PRODUCTS)
    table.put_item(Item={"sku": "X", "name": "Frame", "price": Decimal(5), "tags": {"a"}})
    update = {
        "Key": {"sku": "X"},
        "UpdateExpression": "SET price = price + :one ADD tags :more",
        "ExpressionAttributeValues": {":one": Decimal(1), ":more": {"b"}},
    }
    old = {"price": Decimal(5), "tags": {"a"}}
    assert table.update_item(**update, ReturnValues="UPDATED_OLD")["Attributes"] == old
    new = {"price": Decimal(7), "tags": {"a", "b"}}
    answer = table.update_item(**update, ReturnValues="UPDATED_NEW", ReturnConsumedCapacity="TOTAL")
    assert answer["Attributes"] == new
    assert answer["ConsumedCapacity"]["TableName"] == PRODUCTS
    assert answer["ConsumedCapacity"]["CapacityUnits"] > 0
    assert sides.shop.product("X") == Product(sku="X", name="Frame", price=Decimal(7))
    gone = table.delete_item(Key={"sku": "X"}, ReturnValues="ALL_OLD")["Attributes"]
    assert gone == {"sku": "X", "name": "Frame", **new}
    assert sides.shop.product("X") is None
    assert "Attributes" not in table.delete_item(Key={"sku": "X"}, ReturnValues="ALL_OLD")


def test_old_clients_receive_the_error_of_dynamodb_for_a_failed_condition(sides: Sides) -> None:
    order = next(row for name, row in tables.rows(ROWS) if name == ORDERS and row["status"] == "DELIVERED")
    with pytest.raises(OrderNotPending):
        sides.application.ship(order["id"])
    with pytest.raises(ClientError) as caught:
        sides.table(ORDERS).put_item(
            Item={**order, "status": "LOST"},
            ConditionExpression=Attr("id").not_exists(),
            ReturnValuesOnConditionCheckFailure="ALL_OLD",
        )
    assert caught.value.response["Error"]["Code"] == "ConditionalCheckFailedException"
    assert caught.value.response["Item"]["status"] == {"S": "DELIVERED"}
    assert not sides.application.register({"id": "c000001", "name": "n", "email": "e", "created_at": "x"})
    assert sides.shop.get(key(Order, id=order["id"])).status == "DELIVERED"  # type: ignore[union-attr]  # it exists
    sides.assert_in_sync()


def test_old_clients_split_a_batch_larger_than_a_transaction(sides: Sides) -> None:
    with sides.table(PRODUCTS).batch_writer() as batch:
        for number in range(60):
            batch.put_item(Item={"sku": f"B{number}", "name": "Frame", "price": Decimal(number)})
        batch.delete_item(Key={"sku": "SKU-00001"})
    assert sides.shop.product("B59") is not None
    assert sides.shop.product("SKU-00001") is None
    sides.assert_in_sync()


def test_old_clients_cannot_write_a_row_without_an_entity(sides: Sides) -> None:
    before = sides.client.scan(TableName=PRODUCTS)["Count"]
    with pytest.raises(ItemRefused, match=r'shop-products .*"X".*the row is not a ProductRow: .*`price`'):
        sides.table(PRODUCTS).put_item(Item={"sku": "X", "name": "Frame"})
    with pytest.raises(ClientError, match="Missing the key sku"):
        sides.client.put_item(TableName=PRODUCTS, Item={"name": {"S": "Frame"}})
    assert sides.client.scan(TableName=PRODUCTS)["Count"] == before
    sides.assert_in_sync()


def test_old_clients_cannot_send_requests_that_dual_writes_do_not_support(sides: Sides) -> None:
    with pytest.raises(ArgumentRefused, match="writes table 'shop-products' with PartiQL"):
        sides.client.execute_statement(Statement=f"DELETE FROM \"{PRODUCTS}\" WHERE sku = 'SKU-00001'")
    assert sides.client.execute_statement(Statement=f"SELECT * FROM \"{PRODUCTS}\" WHERE sku = 'SKU-00001'")["Items"]
    with pytest.raises(ArgumentRefused, match="writes table 'Shop' with boto3, so the old tables would not follow"):
        sides.client.delete_item(TableName="Shop", Key={"PK": {"S": "PRODUCT#1"}, "SK": {"S": "METADATA"}})
    with pytest.raises(ClientError, match="dual writes do not support Expected"):
        sides.client.delete_item(TableName=PRODUCTS, Key={"sku": {"S": "1"}}, Expected={"name": {"Exists": False}})


def test_old_clients_use_other_tables_as_before(sides: Sides) -> None:
    sides.client.create_table(
        TableName="other",
        KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )
    other, row = {"id": {"S": "1"}}, {"sku": {"S": "X"}, "name": {"S": "n"}, "price": {"N": "1"}}
    sides.client.put_item(TableName="other", Item=other)
    check = {"TableName": "other", "Key": other, "ConditionExpression": "attribute_not_exists(id)"}
    put = {"Put": {"TableName": PRODUCTS, "Item": row}}
    with pytest.raises(ClientError, match=r"\[ConditionalCheckFailed, None\]"):
        sides.client.transact_write_items(TransactItems=[{"ConditionCheck": check}, put])
    assert sides.shop.product("X") is None
    check["ConditionExpression"] = "attribute_exists(id)"
    sides.client.transact_write_items(TransactItems=[{"ConditionCheck": check}, put])
    assert sides.shop.product("X") is not None


def test_old_clients_write_a_repeated_transaction_with_a_token_once(sides: Sides) -> None:
    update = {
        "TableName": PRODUCTS,
        "Key": {"sku": {"S": "SKU-00001"}},
        "UpdateExpression": "SET price = price + :one",
        "ExpressionAttributeValues": {":one": {"N": "1"}},
    }
    before = sides.shop.product("SKU-00001")
    for _ in range(2):
        sides.client.transact_write_items(TransactItems=[{"Update": update}], ClientRequestToken="t1")
    after = sides.shop.product("SKU-00001")
    assert before is not None
    assert after is not None
    assert after.price == before.price + 1
    sides.assert_in_sync()


def test_old_clients_cannot_write_two_rows_with_one_item() -> None:
    """Two old tables hold the same kind of row, and both have a row with the same ID."""
    engine = Engine("memory:")
    client = engine.boto3_client()
    for name in ("shop-a", "shop-b"):
        client.create_table(**{**tables.definition(PRODUCTS), "TableName": name})
    both = Consolidation(
        Shop, DynamoDBSource("shop-a", product_of, row_of_product), DynamoDBSource("shop-b", product_of)
    )
    Shop.open(engine, create=True).close()
    row, other = ({"sku": {"S": "X"}, "name": {"S": "n"}, "price": {"N": price}} for price in "12")
    with both.open(engine) as shop:
        install(shop, client)
        client.put_item(TableName="shop-a", Item=row)
        with pytest.raises(ItemRefused, match="may belong to a row of another source"):
            client.put_item(TableName="shop-b", Item=other)
        assert client.scan(TableName="shop-b")["Count"] == 0


def test_old_clients_cannot_be_installed_with_invalid_arguments(sides: Sides) -> None:
    with pytest.raises(ArgumentRefused, match="pass a DynamoDB client or resource of boto3, got str"):
        install(sides.shop, "client")
    with (
        Shop.open(sides.engine) as plain,
        pytest.raises(ArgumentRefused, match=r"open Shop with Consolidation.open\(\)"),
    ):
        install(plain, sides.client)
