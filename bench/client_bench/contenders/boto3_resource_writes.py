"""Writes with the boto3 resource: dicts, built by hand from objects."""

from __future__ import annotations

from typing import Any

import boto3

from bench.client_bench.contenders import Writes
from bench.client_bench.orders import Order, order_from_dict
from bench.client_bench.write_items import WRITE_TABLE, plain_item, status_partition, table_key


def open_sync(url: str) -> Writes:
    """Use `Table.put_item`, `Table.update_item`, `Table.batch_writer` and the client of the resource."""
    table = boto3.resource("dynamodb", endpoint_url=url).Table(WRITE_TABLE)
    client = table.meta.client

    def put(order: Order) -> None:
        table.put_item(Item=plain_item(order))

    def create(order: Order) -> None:
        table.put_item(Item=plain_item(order), ConditionExpression="attribute_not_exists(PK)")

    def update(customer: str, order: str, **changes: Any) -> Order:
        answer = table.update_item(
            Key=table_key(customer, order),
            ConditionExpression="attribute_exists(PK)",
            ReturnValues="ALL_NEW",
            **changes,
        )
        return order_from_dict(answer["Attributes"])

    def set_note(customer: str, order: str, note: str) -> Order:
        values = {":note": note}
        return update(customer, order, UpdateExpression="SET note = :note", ExpressionAttributeValues=values)

    def set_status(customer: str, order: str, status: str) -> Order:
        return update(
            customer,
            order,
            UpdateExpression="SET #status = :status, GSI1PK = :partition",
            ExpressionAttributeNames={"#status": "status"},
            ExpressionAttributeValues={":status": status, ":partition": status_partition(status)},
        )

    def put_batch(orders: list[Order]) -> None:
        with table.batch_writer() as batch:
            for order in orders:
                batch.put_item(Item=plain_item(order))

    def transact(orders: list[Order]) -> None:
        puts = [{"Put": {"TableName": WRITE_TABLE, "Item": plain_item(order)}} for order in orders]
        client.transact_write_items(TransactItems=puts)

    return Writes(lambda order: order, put, create, set_note, set_status, put_batch, transact)
