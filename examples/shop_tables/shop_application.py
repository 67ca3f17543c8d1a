"""The application: one method per access pattern, half of them with a boto3 client and half with boto3's resources."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from boto3.dynamodb.conditions import Attr, Key  # type: ignore[import-untyped]
from boto3.dynamodb.types import TypeDeserializer, TypeSerializer  # type: ignore[import-untyped]
from botocore.exceptions import ClientError  # type: ignore[import-untyped]

from .tables import BY_CUSTOMER, BY_SKU, CUSTOMERS, ORDER_ITEMS, ORDERS, PRODUCTS, Item


class OrderNotPending(Exception):
    """An order cannot be shipped or cancelled, because it is not pending any more or does not exist."""


class ShopApplication:
    """The access patterns of the shop on its four tables."""

    def __init__(self, client: Any, resource: Any) -> None:
        self._client = client
        self._orders = resource.Table(ORDERS)
        self._order_items = resource.Table(ORDER_ITEMS)
        self._products = resource.Table(PRODUCTS)

    # Reads with the client, whose items are DynamoDB JSON.

    def customer(self, id: str) -> Item | None:
        """Get customer by ID."""
        found = self._client.get_item(TableName=CUSTOMERS, Key={"id": {"S": id}})
        return _decoded(found["Item"]) if "Item" in found else None

    def customer_email(self, id: str) -> str | None:
        """Get the address for a newsletter: reads the whole customer for one attribute."""
        found = self._client.get_item(TableName=CUSTOMERS, Key={"id": {"S": id}})
        return str(found["Item"]["email"]["S"]) if "Item" in found else None

    def customers_by_signup(self) -> list[Item]:
        """List all customers chronologically: a Scan, sorted in memory."""
        pages = self._client.get_paginator("scan").paginate(TableName=CUSTOMERS)
        found = [_decoded(item) for page in pages for item in page["Items"]]
        return sorted(found, key=lambda customer: (customer["created_at"], customer["id"]))

    def orders_with_sku(self, sku: str) -> list[Item]:
        """Get every order item that contains a SKU."""
        pages = self._client.get_paginator("query").paginate(
            TableName=ORDER_ITEMS,
            IndexName=BY_SKU,
            KeyConditionExpression="sku = :sku",
            ExpressionAttributeValues={":sku": {"S": sku}},
        )
        return [_decoded(item) for page in pages for item in page["Items"]]

    # Reads with the resources, whose items are Python values and whose conditions are objects.

    def product(self, sku: str) -> Item | None:
        """Get product by SKU."""
        found: Item | None = self._products.get_item(Key={"sku": sku}).get("Item")
        return found

    def orders_of_customer(self, customer_id: str, limit: int = 20, start: Item | None = None) -> list[Item]:
        """Get the orders of a customer, newest first. `start` is the last order of the page before."""
        options: dict[str, Any] = {}
        if start is not None:
            options["ExclusiveStartKey"] = {name: start[name] for name in ("id", "customer_id", "created_at")}
        answer = self._orders.query(
            IndexName=BY_CUSTOMER,
            KeyConditionExpression=Key("customer_id").eq(customer_id),
            ScanIndexForward=False,
            Limit=limit,
            **options,
        )
        found: list[Item] = answer["Items"]
        return found

    def pending_orders_of_customer(self, customer_id: str) -> list[Item]:
        """Get the pending orders of a customer: reads all of them, and a filter discards most."""
        answer = self._orders.query(
            IndexName=BY_CUSTOMER,
            KeyConditionExpression=Key("customer_id").eq(customer_id),
            FilterExpression=Attr("status").eq("PENDING"),
        )
        found: list[Item] = answer["Items"]
        return found

    def whole_order(self, order_id: str) -> tuple[Item, list[Item]] | None:
        """Get an order with all line items: two requests, because they are in two tables."""
        order = self._orders.get_item(Key={"id": order_id}, ConsistentRead=True).get("Item")
        if order is None:
            return None
        return order, self._items_of(order_id)

    def order_summary(self, order_id: str) -> list[str]:
        """Get the names of the products of an order: one request for the items, and one for each product."""
        return [self._products.get_item(Key={"sku": item["sku"]})["Item"]["name"] for item in self._items_of(order_id)]

    def _items_of(self, order_id: str) -> list[Item]:
        answer = self._order_items.query(KeyConditionExpression=Key("order_id").eq(order_id), ConsistentRead=True)
        found: list[Item] = answer["Items"]
        return found

    # Writes.

    def register(self, customer: Item) -> bool:
        """Store a new customer. Return False if the ID is taken."""
        try:
            self._client.put_item(
                TableName=CUSTOMERS, Item=_encoded(customer), ConditionExpression="attribute_not_exists(id)"
            )
        except self._client.exceptions.ConditionalCheckFailedException:
            return False
        return True

    def place_order(self, order: Item, items: list[Item]) -> None:
        """Store an order with its line items, in one transaction."""
        puts: list[dict[str, Any]] = [
            {"Put": {"TableName": ORDERS, "Item": _encoded(order), "ConditionExpression": "attribute_not_exists(id)"}}
        ]
        puts += [{"Put": {"TableName": ORDER_ITEMS, "Item": _encoded(item)}} for item in items]
        self._client.transact_write_items(TransactItems=puts)

    def ship(self, order_id: str) -> Item:
        """Mark a pending order as shipped, and return it."""
        try:
            answer = self._orders.update_item(
                Key={"id": order_id},
                UpdateExpression="SET #status = :shipped",
                ConditionExpression=Attr("status").eq("PENDING"),
                ExpressionAttributeNames={"#status": "status"},
                ExpressionAttributeValues={":shipped": "SHIPPED"},
                ReturnValues="ALL_NEW",
            )
        except ClientError as problem:
            raise _not_pending(problem, order_id) from problem
        found: Item = answer["Attributes"]
        return found

    def cancel(self, order_id: str) -> None:
        """Delete a pending order and its line items, in one transaction."""
        keys = [{"order_id": item["order_id"], "sku": item["sku"]} for item in self._items_of(order_id)]
        order = {
            "TableName": ORDERS,
            "Key": _encoded({"id": order_id}),
            "ConditionExpression": "#status = :pending",
            "ExpressionAttributeNames": {"#status": "status"},
            "ExpressionAttributeValues": {":pending": {"S": "PENDING"}},
        }
        deletes: list[dict[str, Any]] = [{"Delete": order}]
        deletes += [{"Delete": {"TableName": ORDER_ITEMS, "Key": _encoded(key)}} for key in keys]
        try:
            self._client.transact_write_items(TransactItems=deletes)
        except ClientError as problem:
            raise _not_pending(problem, order_id) from problem

    def change_price(self, sku: str, price: Decimal) -> None:
        """Change the price of a product."""
        self._products.update_item(
            Key={"sku": sku}, UpdateExpression="SET price = :price", ExpressionAttributeValues={":price": price}
        )

    def add_products(self, products: list[Item]) -> None:
        """Store products, in batches."""
        with self._products.batch_writer() as batch:
            for product in products:
                batch.put_item(Item=product)


def _not_pending(problem: Exception, order_id: str) -> Exception:
    """Return the error of the application for a failed condition, and any other error as it is."""
    code = getattr(problem, "response", {}).get("Error", {}).get("Code")
    if code in ("ConditionalCheckFailedException", "TransactionCanceledException"):
        return OrderNotPending(f"order {order_id} is not pending")
    return problem


def _encoded(item: Mapping[str, Any]) -> Item:
    """Return an item as DynamoDB JSON."""
    serialize = TypeSerializer().serialize
    return {name: serialize(value) for name, value in item.items()}


def _decoded(item: Mapping[str, Any]) -> Item:
    """Return an item of the client as Python values."""
    deserialize = TypeDeserializer().deserialize
    return {name: deserialize(value) for name, value in item.items()}
