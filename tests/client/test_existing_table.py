"""A table of another program: native keys, other names and existing items."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import msgspec
import pytest

from singletable import (
    GSI,
    Between,
    Page,
    Table,
    TableDiffers,
    entity,
    field,
    get,
    key,
    native,
    pattern,
    query,
)
from singletable.client.open_table import transport_for
from tests.client.places import Place


@entity(
    key=(native("device"), native("at")),
    by_site=(native("site"), native("at")),
    attributes={"device": "deviceId", "at": "ts", "site": "siteName", "celsius": "tempC"},
)
@dataclass
class Reading:
    device: str
    at: int
    site: str
    celsius: Decimal
    note: str | None = None


class Telemetry(
    Table,
    entities=[Reading],
    name="legacy-telemetry",
    keys=("deviceId", "ts"),
    indexes=[GSI("by_site", name="site-index", keys=("siteName", "ts"))],
    type_attribute=None,
):
    @pattern()
    def reading(self, device: str, at: int) -> Reading | None:
        return get(Reading)

    @pattern()
    def readings(self, device: str, at: Between[int]) -> Page[Reading]:
        return query(Reading)

    @pattern()
    def at_site(self, site: str) -> Page[Reading]:
        return query(Reading)


SCHEMA = {
    "TableName": "legacy-telemetry",
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [
        {"AttributeName": "deviceId", "AttributeType": "S"},
        {"AttributeName": "ts", "AttributeType": "N"},
        {"AttributeName": "siteName", "AttributeType": "S"},
    ],
    "KeySchema": [{"AttributeName": "deviceId", "KeyType": "HASH"}, {"AttributeName": "ts", "KeyType": "RANGE"}],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": "site-index",
            "KeySchema": [
                {"AttributeName": "siteName", "KeyType": "HASH"},
                {"AttributeName": "ts", "KeyType": "RANGE"},
            ],
            "Projection": {"ProjectionType": "ALL"},
        }
    ],
}
KEY = {"deviceId": {"S": "d#1"}, "ts": {"N": "7"}}
ITEM = {**KEY, "siteName": {"S": "roof"}, "tempC": {"N": "21.5"}, "unknown": {"S": "x"}}


@pytest.fixture
def somebody(place: Place) -> Iterator[Any]:
    """Create the table with plain DynamoDB requests, and yield the function that sends them."""
    if place.kind == "memory":
        pytest.skip("memory: is a store of one's own, in which nobody was before")
    transport = transport_for(place.url)

    def ask(operation: str, **parameters: Any) -> Any:
        return msgspec.json.decode(transport.send(operation, msgspec.json.encode(parameters)))

    ask("CreateTable", **SCHEMA)
    while ask("DescribeTable", TableName="legacy-telemetry")["Table"]["TableStatus"] != "ACTIVE":
        pass
    ask("PutItem", TableName="legacy-telemetry", Item=ITEM)
    yield ask
    transport.close()


def test_open_table_accepts_an_existing_table_of_another_program(place: Place, somebody: Any) -> None:
    with Telemetry.open(place.url) as telemetry:
        assert telemetry.reading("d#1", 7) == Reading("d#1", 7, "roof", Decimal("21.5"))
        for at in (-3, 10, 9):
            telemetry.create(Reading("d#1", at, "roof", Decimal(at)))
        assert [each.at for each in telemetry.readings("d#1", Between(-3, 9))] == [-3, 7, 9]
        assert [each.at for each in telemetry.at_site("roof")] == [-3, 7, 9, 10]
        telemetry.update(key(Reading, device="d#1", at=7), field(Reading, lambda r: r.site).set("cellar"))
        assert [each.at for each in telemetry.at_site("cellar")] == [7]
        telemetry.upsert(Reading("d#1", 7, "attic", Decimal(1), "warm"))
    found = somebody("GetItem", TableName="legacy-telemetry", Key=KEY)["Item"]
    assert found == {**ITEM, "siteName": {"S": "attic"}, "tempC": {"N": "1"}, "note": {"S": "warm"}}


def test_open_table_reports_differences_of_an_existing_table_from_the_model(place: Place, somebody: Any) -> None:
    class Other(
        Table,
        entities=[Reading],
        name="legacy-telemetry",
        keys=("deviceId", "ts"),
        indexes=[GSI("by_site", name="siteIndex", keys=("siteName", "ts"))],
        type_attribute=None,
    ):
        pass

    with pytest.raises(TableDiffers, match="siteIndex"):
        Other.open(place.url)
