"""The table of docs/guides/clients.md, also used by the tests of boto3."""

from __future__ import annotations

from tests.clients.local_server import LocalServer


def create_shop(served: LocalServer, name: str = "shop") -> None:
    """Create the table, as the section on the AWS CLI does."""
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
