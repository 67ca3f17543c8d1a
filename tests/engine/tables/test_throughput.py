"""Throughput changes: limits per day, changes of the billing mode, and warm throughput."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from singletable.engine.engine import Engine
from tests.engine.table_requests import INVALID, Document, create, definitions, index, refused

HOUR = 3_600
# 2026-10-09 00:21:34 UTC, a Friday.
START = 1_791_505_294.0
STREAM = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
NEW_INDEX = {**index("more", "sk"), "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}}


class Clock:
    """A clock that the test advances."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> float:
        return self.now


def units(read: int, write: int) -> Document:
    return {"ReadCapacityUnits": read, "WriteCapacityUnits": write}


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def engine(clock: Clock) -> Iterator[Engine]:
    with Engine(now=clock) as made:
        create(
            made,
            BillingMode=None,
            ProvisionedThroughput=units(10, 10),
            AttributeDefinitions=definitions(pk="S", sk="S", g="S"),
            GlobalSecondaryIndexes=[{**index("gsi", "g"), "ProvisionedThroughput": units(5, 5)}],
        )
        yield made


def change(engine: Engine, **parameters: Any) -> Document:
    description: Document = engine.call("UpdateTable", {"TableName": "table", **parameters})["TableDescription"]
    return description


def buy(engine: Engine, read: int) -> None:
    change(engine, ProvisionedThroughput=units(read, 10))


def buy_for_index(engine: Engine, read: int, write: int) -> None:
    update = {"Update": {"IndexName": "gsi", "ProvisionedThroughput": units(read, write)}}
    change(engine, GlobalSecondaryIndexUpdates=[update])


def described(engine: Engine) -> Document:
    table: Document = engine.call("DescribeTable", {"TableName": "table"})["Table"]
    return table


def of_index(engine: Engine) -> Document:
    found: Document = described(engine)["GlobalSecondaryIndexes"][0]
    return found


def decreases(engine: Engine) -> int:
    count: int = described(engine)["ProvisionedThroughput"]["NumberOfDecreasesToday"]
    return count


def test_provisioned_throughput_can_decrease_four_times_a_day_and_then_once_an_hour(
    engine: Engine, clock: Clock
) -> None:
    for read in (9, 8, 7, 6):
        buy(engine, read)
    request = {"TableName": "table", "ProvisionedThroughput": units(5, 10)}
    error = refused(engine, "UpdateTable", request)
    assert (error.code, error.message) == (
        "LimitExceededException",
        "Subscriber limit exceeded: Provisioned throughput decreases are limited within a given UTC day. After the "
        "first 4 decreases, each subsequent decrease in the same UTC day can be performed at most once every 3600 "
        "seconds. Number of decreases today: 4. Last decrease at Friday, October 9, 2026 at 12:21:34 AM Coordinated "
        "Universal Time. Next decrease can be made at Friday, October 9, 2026 at 1:21:34 AM Coordinated Universal Time",
    )
    assert decreases(engine) == 4
    clock.now += HOUR - 1
    assert refused(engine, "UpdateTable", request).code == "LimitExceededException"
    clock.now += 1
    buy(engine, 5)
    assert decreases(engine) == 5
    clock.now += 1
    request = {"TableName": "table", "ProvisionedThroughput": units(4, 10)}
    assert refused(engine, "UpdateTable", request).code == "LimitExceededException"


def test_the_number_of_provisioned_throughput_decreases_resets_at_midnight(engine: Engine, clock: Clock) -> None:
    clock.now = START // 86_400 * 86_400 + 86_400 - 60
    for read in (9, 8, 7, 6):
        buy(engine, read)
    fell_at = clock.now
    request = {"TableName": "table", "ProvisionedThroughput": units(5, 10)}
    assert refused(engine, "UpdateTable", request).message.endswith(
        "October 10, 2026 at 12:00:00 AM Coordinated Universal Time"
    )
    clock.now += 60
    assert decreases(engine) == 0
    assert described(engine)["ProvisionedThroughput"]["LastDecreaseDateTime"] == fell_at
    buy(engine, 5)
    assert decreases(engine) == 1


def test_provisioned_throughput_increases_are_unlimited_and_an_index_has_its_own_count(engine: Engine) -> None:
    for read in (9, 8, 7, 6):
        buy(engine, read)
    for read in (7, 20, 300):
        buy(engine, read)
    buy_for_index(engine, 4, 5)
    assert of_index(engine)["ProvisionedThroughput"]["NumberOfDecreasesToday"] == 1


def test_unchanged_provisioned_throughput_of_an_index_is_rejected(engine: Engine) -> None:
    update = {"Update": {"IndexName": "gsi", "ProvisionedThroughput": units(5, 5)}}
    error = refused(engine, "UpdateTable", {"TableName": "table", "GlobalSecondaryIndexUpdates": [update]})
    assert error.message.startswith(
        "The provisioned throughput for the index gsi will not change. The requested value equals the current value. "
        "Current ReadCapacityUnits provisioned for index gsi: 5. Requested ReadCapacityUnits: 5."
    )


def test_a_switch_to_on_demand_removes_the_provisioned_throughput_of_indexes_too(engine: Engine, clock: Clock) -> None:
    clock.now += HOUR
    change(engine, BillingMode="PAY_PER_REQUEST")
    fell = {"NumberOfDecreasesToday": 1, "LastDecreaseDateTime": clock.now}
    assert described(engine)["ProvisionedThroughput"] == {**units(0, 0), **fell}
    assert of_index(engine)["ProvisionedThroughput"] == {**units(0, 0), **fell}


def test_a_switch_to_provisioned_throughput_needs_units_for_every_index(engine: Engine, clock: Clock) -> None:
    change(engine, BillingMode="PAY_PER_REQUEST")
    paying_since = clock.now
    clock.now += HOUR
    table = {"TableName": "table", "BillingMode": "PROVISIONED", "ProvisionedThroughput": units(1, 1)}
    words = f"{INVALID}ProvisionedThroughput must be specified for index: gsi"
    assert refused(engine, "UpdateTable", table).message == words
    update = {"Update": {"IndexName": "gsi", "ProvisionedThroughput": units(2, 2)}}
    engine.call("UpdateTable", {**table, "GlobalSecondaryIndexUpdates": [update]})
    after = described(engine)
    assert after["BillingModeSummary"] == {
        "BillingMode": "PROVISIONED",
        "LastUpdateToPayPerRequestDateTime": paying_since,
    }
    assert after["ProvisionedThroughput"]["ReadCapacityUnits"] == 1
    assert of_index(engine)["ProvisionedThroughput"]["ReadCapacityUnits"] == 2


def test_a_switch_to_provisioned_throughput_removes_on_demand_maximums(engine: Engine) -> None:
    change(engine, BillingMode="PAY_PER_REQUEST", OnDemandThroughput={"MaxReadRequestUnits": 50})
    update = {"Update": {"IndexName": "gsi", "OnDemandThroughput": {"MaxWriteRequestUnits": 60}}}
    change(engine, GlobalSecondaryIndexUpdates=[update])
    assert described(engine)["OnDemandThroughput"] == {"MaxReadRequestUnits": 50}
    assert of_index(engine)["OnDemandThroughput"] == {"MaxWriteRequestUnits": 60}
    update = {"Update": {"IndexName": "gsi", "ProvisionedThroughput": units(2, 2)}}
    change(
        engine,
        BillingMode="PROVISIONED",
        ProvisionedThroughput=units(1, 1),
        GlobalSecondaryIndexUpdates=[update],
    )
    assert "OnDemandThroughput" not in described(engine)
    assert "OnDemandThroughput" not in of_index(engine)


@pytest.mark.parametrize("parameters", [{"ProvisionedThroughput": units(1, 1)}, {}])
def test_an_index_of_an_on_demand_table_has_no_provisioned_throughput(engine: Engine, parameters: Document) -> None:
    change(engine, BillingMode="PAY_PER_REQUEST")
    update = {"Update": {"IndexName": "gsi", **parameters}}
    error = refused(engine, "UpdateTable", {"TableName": "table", "GlobalSecondaryIndexUpdates": [update]})
    assert error.message == (
        f"{INVALID}The only Updates for index: gsi when TableThroughputMode is PAY_PER_REQUEST can be to "
        "OnDemandThroughput, WarmThroughput"
    )


def warm(description: Document) -> tuple[int, int]:
    units = description["WarmThroughput"]
    return units["ReadUnitsPerSecond"], units["WriteUnitsPerSecond"]


def test_warm_throughput_never_decreases(engine: Engine) -> None:
    assert (warm(described(engine)), warm(of_index(engine))) == ((10, 10), (5, 5))
    buy(engine, 30)
    buy(engine, 20)
    assert warm(described(engine)) == (30, 10)
    change(engine, BillingMode="PAY_PER_REQUEST")
    assert (warm(described(engine)), warm(of_index(engine))) == ((12_000, 4_000), (12_000, 4_000))
    change(engine, WarmThroughput={"WriteUnitsPerSecond": 5_000})
    assert warm(described(engine)) == (12_000, 5_000)
    update = {"Update": {"IndexName": "gsi", "ProvisionedThroughput": units(2, 2)}}
    change(
        engine,
        BillingMode="PROVISIONED",
        ProvisionedThroughput=units(1, 1),
        GlobalSecondaryIndexUpdates=[update],
    )
    assert (warm(described(engine)), warm(of_index(engine))) == ((12_000, 5_000), (12_000, 4_000))


def test_a_decrease_of_warm_throughput_is_rejected(engine: Engine) -> None:
    request: Document = {"TableName": "table", "WarmThroughput": {"ReadUnitsPerSecond": 9}}
    assert refused(engine, "UpdateTable", request).message == (
        f"{INVALID}Requested ReadUnitsPerSecond for WarmThroughput for table is lower than current WarmThroughput, "
        "decreasing WarmThroughput is not supported"
    )
    update = {"Update": {"IndexName": "gsi", "WarmThroughput": {"WriteUnitsPerSecond": 4}}}
    request = {"TableName": "table", "GlobalSecondaryIndexUpdates": [update]}
    assert "for WarmThroughput for index gsi is lower than current" in refused(engine, "UpdateTable", request).message
    update = {"Update": {"IndexName": "gsi", "WarmThroughput": {"WriteUnitsPerSecond": 40}}}
    change(engine, GlobalSecondaryIndexUpdates=[update])
    assert warm(of_index(engine)) == (5, 40)


@pytest.mark.parametrize(
    ("more", "than"),
    [
        ({"BillingMode": "PAY_PER_REQUEST"}, "initial throughput for OnDemand"),
        ({"ProvisionedThroughput": units(20, 20)}, "ReadCapacityUnits of ProvisionedThroughput"),
    ],
)
def test_a_new_table_has_at_least_the_warm_throughput_of_its_mode(engine: Engine, more: Document, than: str) -> None:
    keys = {"KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "AttributeDefinitions": definitions(pk="S")}
    request = {"TableName": "new", **keys, **more, "WarmThroughput": {"ReadUnitsPerSecond": 19}}
    words = f"{INVALID}Requested ReadUnitsPerSecond for WarmThroughput for table is lower than {than}"
    assert refused(engine, "CreateTable", request).message == words
    request["WarmThroughput"] = {"ReadUnitsPerSecond": 20_000}
    answer = engine.call("CreateTable", request)["TableDescription"]
    assert warm(answer)[0] == 20_000


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (
            {"SSESpecification": {"Enabled": True}, "TableClass": "STANDARD"},
            "Server-Side Encryption modification must be the only operation in the request",
        ),
        (
            {"TableClass": "STANDARD", "DeletionProtectionEnabled": True},
            "TableClass modification must be the only operation in the request",
        ),
        (
            {"DeletionProtectionEnabled": True, "WarmThroughput": {"ReadUnitsPerSecond": 20}},
            "DeletionProtection modification must be the only operation in the request",
        ),
        (
            {"WarmThroughput": {"ReadUnitsPerSecond": 20}, "ProvisionedThroughput": units(1, 1)},
            "WarmThroughput must be the only operation in the request",
        ),
        (
            {"OnDemandThroughput": {"MaxReadRequestUnits": 5}, "ProvisionedThroughput": units(1, 1)},
            "OnDemandThroughput can only be combined with BillingMode in an UpdateTable request",
        ),
        (
            {
                "ProvisionedThroughput": units(1, 1),
                "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "gsi"}}],
            },
            "You cannot create or delete index while updating table IOPS",
        ),
        (
            {"StreamSpecification": STREAM, "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "gsi"}}]},
            "You cannot create or delete index while changing stream status",
        ),
        (
            {"StreamSpecification": STREAM, "ProvisionedThroughput": units(1, 1)},
            "You cannot modify stream status while updating table IOPS",
        ),
        (
            {"StreamSpecification": STREAM, "BillingMode": "PROVISIONED"},
            "You cannot modify stream status while updating table IOPS",
        ),
        (
            {"WarmThroughput": {"ReadUnitsPerSecond": 20}, "GlobalSecondaryIndexUpdates": [{"Create": NEW_INDEX}]},
            "Create global secondary index cannot be specified when updating WarmThroughput",
        ),
    ],
)
def test_update_table_accepts_some_settings_only_alone(engine: Engine, request_: Document, words: str) -> None:
    before = described(engine)
    assert refused(engine, "UpdateTable", {"TableName": "table", **request_}).message == f"{INVALID}{words}"
    assert described(engine) == before


def test_update_table_can_enable_a_stream_with_a_billing_change(engine: Engine) -> None:
    change(engine, BillingMode="PAY_PER_REQUEST", StreamSpecification=STREAM)
    table = described(engine)
    assert table["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    assert table["StreamSpecification"] == STREAM


def test_update_table_ignores_an_empty_throughput_structure(engine: Engine) -> None:
    empty: list[Document] = [{"WarmThroughput": {}}, {"OnDemandThroughput": {}}]
    for nothing in empty:
        error = refused(engine, "UpdateTable", {"TableName": "table", **nothing})
        assert error.message.startswith("At least one of ProvisionedThroughput")
        change(engine, DeletionProtectionEnabled=False, **nothing)


def test_update_table_rejects_an_unknown_table_class(engine: Engine) -> None:
    words = (
        "Invalid table-class parameter provided. Please try again with a valid table-class value: [STANDARD, "
        "STANDARD_INFREQUENT_ACCESS]."
    )
    assert refused(engine, "UpdateTable", {"TableName": "table", "TableClass": "GLACIER"}).message == words


def test_update_table_changes_nothing_for_the_default_table_class(engine: Engine) -> None:
    change(engine, TableClass="STANDARD")
    assert "TableClassSummary" not in described(engine)
