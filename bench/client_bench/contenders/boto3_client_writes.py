"""Writes with the boto3 client and the TypeSerializer of boto3: dicts, built by hand from objects."""

from __future__ import annotations

from typing import Any

import boto3
from boto3.dynamodb.types import TypeDeserializer, TypeSerializer

from bench.client_bench.contenders import Writes
from bench.client_bench.orders import Order, order_from_dict
from bench.client_bench.write_items import WRITE_TABLE, plain_item, status_partition, table_key

BATCH_MAX = 25


def open_sync(url: str) -> Writes:
    """Use `put_item`, `update_item`, `batch_write_item` and `transact_write_items` of the client."""
    client = boto3.client("dynamodb", endpoint_url=url)
    serialize, deserialize = TypeSerializer().serialize, TypeDeserializer().deserialize

    def attributes(values: dict[str, Any]) -> dict[str, Any]:
        return {name: serialize(value) for name, value in values.items()}

    def put(order: Order) -> None:
        client.put_item(TableName=WRITE_TABLE, Item=attributes(plain_item(order)))

    def create(order: Order) -> None:
        item = attributes(plain_item(order))
        client.put_item(TableName=WRITE_TABLE, Item=item, ConditionExpression="attribute_not_exists(PK)")

    def update(customer: str, order: str, **changes: Any) -> Order:
        answer = client.update_item(
            TableName=WRITE_TABLE,
            Key=attributes(table_key(customer, order)),
            ConditionExpression="attribute_exists(PK)",
            ReturnValues="ALL_NEW",
            **changes,
        )
        return order_from_dict({name: deserialize(value) for name, value in answer["Attributes"].items()})

    def set_note(customer: str, order: str, note: str) -> Order:
        values = attributes({":note": note})
        return update(customer, order, UpdateExpression="SET note = :note", ExpressionAttributeValues=values)

    def set_status(customer: str, order: str, status: str) -> Order:
        return update(
            customer,
            order,
            UpdateExpression="SET #status = :status, GSI1PK = :partition",
            ExpressionAttributeNames={"#status": "status"},
            ExpressionAttributeValues=attributes({":status": status, ":partition": status_partition(status)}),
        )

    def put_batch(orders: list[Order]) -> None:
        waiting = [{"PutRequest": {"Item": attributes(plain_item(order))}} for order in orders]
        while waiting:
            request, waiting = waiting[:BATCH_MAX], waiting[BATCH_MAX:]
            answer = client.batch_write_item(RequestItems={WRITE_TABLE: request})
            waiting += answer["UnprocessedItems"].get(WRITE_TABLE, [])

    def transact(orders: list[Order]) -> None:
        puts = [{"Put": {"TableName": WRITE_TABLE, "Item": attributes(plain_item(order))}} for order in orders]
        client.transact_write_items(TransactItems=puts)

    return Writes(lambda order: order, put, create, set_note, set_status, put_batch, transact)
