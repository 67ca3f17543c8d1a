"""PynamoDB: a model with a TTL attribute, which enables time to live on its table."""

from __future__ import annotations

from datetime import timedelta

from pynamodb.attributes import TTLAttribute, UnicodeAttribute
from pynamodb.connection import TableConnection
from pynamodb.models import Model

from tests.clients.python.steps import run


class Session(Model):
    class Meta:
        table_name = "pynamodb-time-to-live"
        region = "us-east-1"
        billing_mode = "PAY_PER_REQUEST"

    token = UnicodeAttribute(hash_key=True)
    expires = TTLAttribute(default_for_new=lambda: timedelta(hours=1))


def a_table_is_created_with_a_time_to_live() -> None:
    Session.create_table(wait=True)
    described = TableConnection("pynamodb-time-to-live", region="us-east-1").connection.client.describe_time_to_live(
        TableName="pynamodb-time-to-live"
    )
    assert described["TimeToLiveDescription"]["AttributeName"] == "expires"


def an_item_has_one() -> None:
    Session("a").save()
    assert Session.get("a").expires is not None
    Session.delete_table()


if __name__ == "__main__":
    run(a_table_is_created_with_a_time_to_live, an_item_has_one)
