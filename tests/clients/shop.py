"""The table of docs/clients.md, which its sections share and the tests of boto3 use too."""

from __future__ import annotations

from tests.clients.serving import Served


def create_shop(served: Served, name: str = "shop") -> None:
    """Make it as the section of the AWS CLI does."""
    client = served.client()
    client.create_table(
        TableName=name,
        BillingMode="PAY_PER_REQUEST",
        KeySchema=_key("PK", "SK"),
        AttributeDefinitions=[
            {"AttributeName": name, "AttributeType": "S"} for name in ("PK", "SK", "GSI1PK", "GSI1SK")
        ],
        GlobalSecondaryIndexes=[
            {"IndexName": "GSI1", "KeySchema": _key("GSI1PK", "GSI1SK"), "Projection": {"ProjectionType": "ALL"}}
        ],
    )
    client.get_waiter("table_exists").wait(TableName=name)


def _key(partition: str, sort: str) -> list[dict[str, str]]:
    return [{"AttributeName": partition, "KeyType": "HASH"}, {"AttributeName": sort, "KeyType": "RANGE"}]
