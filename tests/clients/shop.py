"""The table that the sections of docs/clients.md share."""

from __future__ import annotations

from tests.clients.serving import Served


def create_shop(served: Served) -> None:
    """Make it as the section of the AWS CLI does."""
    client = served.client()
    client.create_table(
        TableName="shop",
        BillingMode="PAY_PER_REQUEST",
        KeySchema=_key("PK", "SK"),
        AttributeDefinitions=[
            {"AttributeName": name, "AttributeType": "S"} for name in ("PK", "SK", "GSI1PK", "GSI1SK")
        ],
        GlobalSecondaryIndexes=[
            {"IndexName": "GSI1", "KeySchema": _key("GSI1PK", "GSI1SK"), "Projection": {"ProjectionType": "ALL"}}
        ],
    )
    client.get_waiter("table_exists").wait(TableName="shop")


def _key(partition: str, sort: str) -> list[dict[str, str]]:
    return [{"AttributeName": partition, "KeyType": "HASH"}, {"AttributeName": sort, "KeyType": "RANGE"}]
