"""UpdateTable: changed units and billing modes, and indexes created and deleted while the table is in use."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from singletable.engine.engine import Engine
from singletable.engine.integrity_check import check_store
from tests.engine.table_requests import (
    INVALID,
    Document,
    Refused,
    assert_refused,
    column,
    create,
    create_hash,
    create_indexed,
    definitions,
    delete,
    index,
    item,
    key_schema,
    multi_key_schema,
    pages,
    projection,
    put,
    query,
    refusals,
    refused,
    scan,
    texts,
    update,
    values,
)

NOTHING = (
    "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates, "
    "SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, ReplicaTransitRoleArn, MultiRegionConsistency, "
    "DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput or TableClass is required"
)
ONLINE = "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table"


def units(read: int, write: int) -> Document:
    return {"ReadCapacityUnits": read, "WriteCapacityUnits": write}


class Clock:
    """A clock that the test sets."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def engine(clock: Clock) -> Iterator[Engine]:
    """Return an engine with an on-demand table and a provisioned table."""
    with Engine(now=clock) as made:
        create(made)
        create(
            made,
            "bought",
            BillingMode=None,
            ProvisionedThroughput=units(5, 5),
            GlobalSecondaryIndexes=[{**index("gsi", "sk"), "ProvisionedThroughput": units(5, 5)}],
        )
        yield made


def changed(engine: Engine, table: str = "table", **parameters: Any) -> Document:
    answer = engine.call("UpdateTable", {"TableName": table, **parameters})
    description: Document = answer["TableDescription"]
    return description


def described(engine: Engine, table: str = "table") -> Document:
    description: Document = engine.call("DescribeTable", {"TableName": table})["Table"]
    return description


def add(engine: Engine, made: Document, **kinds: str) -> Document:
    """Create an index with key attributes of these types, and wait for its backfill."""
    answer = changed(engine, AttributeDefinitions=definitions(**kinds), GlobalSecondaryIndexUpdates=[{"Create": made}])
    engine.backfill.wait()
    return answer


def remove(engine: Engine, name: str) -> Document:
    return changed(engine, GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": name}}])


def test_update_table_responds_with_the_old_units_and_a_description_has_the_new_ones(
    engine: Engine, clock: Clock
) -> None:
    clock.now += 60
    answer = changed(engine, "bought", ProvisionedThroughput=units(20, 15))
    assert answer["TableStatus"] == "UPDATING"
    dates = {"NumberOfDecreasesToday": 0, "LastIncreaseDateTime": clock.now}
    assert answer["ProvisionedThroughput"] == {**units(5, 5), **dates}
    assert described(engine, "bought")["TableStatus"] == "ACTIVE"
    assert described(engine, "bought")["ProvisionedThroughput"] == {**units(20, 15), **dates}


def test_update_table_dates_and_counts_a_throughput_decrease(engine: Engine, clock: Clock) -> None:
    raised_at = clock.now = 2_000_000.0
    changed(engine, "bought", ProvisionedThroughput=units(20, 20))
    clock.now += 60
    changed(engine, "bought", ProvisionedThroughput=units(10, 20))
    assert described(engine, "bought")["ProvisionedThroughput"] == {
        **units(10, 20),
        "NumberOfDecreasesToday": 1,
        "LastIncreaseDateTime": raised_at,
        "LastDecreaseDateTime": clock.now,
    }


def test_update_table_can_make_a_provisioned_table_on_demand(engine: Engine, clock: Clock) -> None:
    clock.now += 60
    changed(engine, "bought", BillingMode="PAY_PER_REQUEST")
    table = described(engine, "bought")
    assert table["BillingModeSummary"] == {
        "BillingMode": "PAY_PER_REQUEST",
        "LastUpdateToPayPerRequestDateTime": clock.now,
    }
    fell = {"NumberOfDecreasesToday": 1, "LastDecreaseDateTime": clock.now}
    assert table["ProvisionedThroughput"] == {**fell, **units(0, 0)}


def test_update_table_can_make_an_on_demand_table_provisioned(engine: Engine) -> None:
    changed(engine, OnDemandThroughput={"MaxReadRequestUnits": 20})
    changed(engine, BillingMode="PROVISIONED", ProvisionedThroughput=units(5, 5))
    table = described(engine)
    assert table["BillingModeSummary"]["BillingMode"] == "PROVISIONED"
    assert {name: table["ProvisionedThroughput"][name] for name in units(5, 5)} == units(5, 5)
    assert "OnDemandThroughput" not in table


def test_update_table_accepts_an_unchanged_on_demand_mode(engine: Engine) -> None:
    changed(engine, BillingMode="PAY_PER_REQUEST")
    assert described(engine)["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"


def test_update_table_sets_and_removes_on_demand_maximums_separately(engine: Engine) -> None:
    changed(engine, OnDemandThroughput={"MaxReadRequestUnits": 20})
    changed(engine, OnDemandThroughput={"MaxWriteRequestUnits": 15})
    both = {"MaxReadRequestUnits": 20, "MaxWriteRequestUnits": 15}
    assert described(engine)["OnDemandThroughput"] == both
    answer = changed(engine, OnDemandThroughput={"MaxReadRequestUnits": -1})
    assert answer["OnDemandThroughput"] == {**both, "MaxReadRequestUnits": -1}
    assert described(engine)["OnDemandThroughput"] == {"MaxWriteRequestUnits": 15}
    changed(engine, OnDemandThroughput={"MaxWriteRequestUnits": -1})
    assert "OnDemandThroughput" not in described(engine)


def test_update_table_changes_table_class_and_deletion_protection(engine: Engine, clock: Clock) -> None:
    changed(engine, TableClass="STANDARD_INFREQUENT_ACCESS")
    changed(engine, DeletionProtectionEnabled=True)
    table = described(engine)
    summary = {"TableClass": "STANDARD_INFREQUENT_ACCESS", "LastUpdateDateTime": clock.now}
    assert table["TableClassSummary"] == summary
    assert table["DeletionProtectionEnabled"] is True


@pytest.mark.parametrize("holds", [projection(kind="ALL"), projection(kind="KEYS_ONLY"), projection("kept")], ids=str)
def test_update_table_backfills_a_new_index_with_existing_items(engine: Engine, holds: Document) -> None:
    for number in range(1200):  # more than one backfill step
        put(engine, item(pk=f"p{number % 7}", sk=f"{number:04}", g=f"g{number % 3}", kept="k", other="o"))
    put(engine, texts(pk="without", sk="1"))
    answer = add(engine, index("gsi", "g", "sk", holds=holds), g="S", sk="S")
    assert answer["TableStatus"] == "UPDATING"
    (creating,) = answer["GlobalSecondaryIndexes"]
    assert (creating["IndexStatus"], creating["Backfilling"]) == ("CREATING", True)
    (active,) = described(engine)["GlobalSecondaryIndexes"]
    assert (active["IndexStatus"], active["ItemCount"]) == ("ACTIVE", 1200)
    assert "Backfilling" not in active
    request = {
        "TableName": "table",
        "IndexName": "gsi",
        "KeyConditionExpression": "g = :g",
        "ExpressionAttributeValues": values(g="g1"),
    }
    found = [each for page in pages(engine, "Query", request) for each in page["Items"]]
    assert column(found) == [f"{number:04}" for number in range(1200) if number % 3 == 1]
    held = {"ALL": {"kept", "other"}, "KEYS_ONLY": set[str](), "INCLUDE": {"kept"}}[holds["ProjectionType"]]
    assert set(found[0]) == {"pk", "sk", "g"} | held


def test_update_table_creates_an_index_that_contains_later_writes(engine: Engine) -> None:
    add(engine, index("gsi", "g"), g="S")
    key = texts(pk="a", sk="1")
    put(engine, {**key, **texts(g="one")})
    assert column(scan(engine, IndexName="gsi")["Items"], "g") == ["one"]
    update(engine, key, "SET g = :g", ExpressionAttributeValues=values(g="two"))
    assert column(scan(engine, IndexName="gsi")["Items"], "g") == ["two"]
    delete(engine, key)
    assert scan(engine, IndexName="gsi")["Items"] == []


def test_backfill_leaves_out_an_item_with_invalid_key_values(engine: Engine) -> None:
    for number, attributes in enumerate((item(g=1), item(g=""), item(g="fits"), {"g": {"L": []}})):
        put(engine, {**texts(pk="a", sk=str(number)), **attributes})
    add(engine, index("gsi", "g"), g="S")
    assert column(scan(engine, IndexName="gsi")["Items"]) == ["2"]
    assert len(scan(engine)["Items"]) == 4


def test_update_table_may_create_an_index_with_several_key_attributes(engine: Engine) -> None:
    put(engine, item(pk="a", sk="1", x="x", y=1, z="z"))
    add(engine, {**index("gsi", "x"), "KeySchema": multi_key_schema("xy", "z")}, x="S", y="N", z="S")
    found = query(engine, "x = :x AND y = :y AND z = :z", values(x="x", y=1, z="z"), IndexName="gsi")
    assert column(found["Items"]) == ["1"]


def test_update_table_does_not_change_the_type_of_an_existing_key_attribute(engine: Engine) -> None:
    add(engine, index("gsi", "sk", "pk"), sk="N", pk="S")
    assert described(engine)["AttributeDefinitions"] == definitions(pk="S", sk="S")


def test_update_table_deletes_an_index(empty_engine: Engine) -> None:
    create_indexed(empty_engine)
    put(empty_engine, texts(pk="a", sk="1", gsiPk="g"))
    (expected,) = remove(empty_engine, "gsi")["GlobalSecondaryIndexes"]
    assert (expected["IndexName"], expected["IndexStatus"]) == ("gsi", "DELETING")
    table = described(empty_engine)
    assert "GlobalSecondaryIndexes" not in table
    assert [each["AttributeName"] for each in table["AttributeDefinitions"]] == ["lsiSk", "pk", "sk"]
    refusal = refused(empty_engine, "Scan", {"TableName": "table", "IndexName": "gsi"})
    assert refusal.message == "The table does not have the specified index: gsi"
    # The key of the deleted index is now an ordinary attribute.
    put(empty_engine, item(pk="a", sk="2", gsiPk=5))
    assert len(scan(empty_engine)["Items"]) == 2


def test_update_table_creates_a_deleted_index_again_with_another_key(empty_engine: Engine) -> None:
    create_indexed(empty_engine)
    put(empty_engine, texts(pk="a", sk="1", gsiPk="g", other="o"))
    remove(empty_engine, "gsi")
    add(empty_engine, index("gsi", "other", holds=projection(kind="KEYS_ONLY")), other="S")
    assert scan(empty_engine, IndexName="gsi")["Items"] == [texts(pk="a", sk="1", other="o")]


def test_backfill_continues_when_the_store_is_opened_again(tmp_path: Path) -> None:
    url = f"file:{tmp_path / 'store'}"
    with Engine(url) as engine:
        create(engine)
        for number in range(50):
            put(engine, texts(pk="a", sk=f"{number:02}", g="g"))
        engine.backfill.stop()  # as if the process ended before the backfill started
        made = {"Create": index("gsi", "g")}
        changed(engine, AttributeDefinitions=definitions(g="S"), GlobalSecondaryIndexUpdates=[made])
        refusal = refused(engine, "Scan", {"TableName": "table", "IndexName": "gsi"})
        assert refusal.message == "Cannot read from backfilling global secondary index: gsi"
    with Engine(url) as engine:
        engine.backfill.wait()
        assert len(scan(engine, IndexName="gsi")["Items"]) == 50


def test_update_table_changes_the_units_of_an_index(engine: Engine) -> None:
    gsi = {**index("gsi", "sk"), "ProvisionedThroughput": units(1, 1)}
    create(
        engine,
        "both",
        BillingMode=None,
        ProvisionedThroughput=units(1, 1),
        GlobalSecondaryIndexes=[gsi],
    )
    change = {"Update": {"IndexName": "gsi", "ProvisionedThroughput": units(3, 4)}}
    changed(engine, "both", GlobalSecondaryIndexUpdates=[change])
    throughput = described(engine, "both")["GlobalSecondaryIndexes"][0]["ProvisionedThroughput"]
    assert {name: throughput[name] for name in units(3, 4)} == units(3, 4)


def creation(made: Document, **kinds: str) -> Document:
    return {"AttributeDefinitions": definitions(**kinds), "GlobalSecondaryIndexUpdates": [{"Create": made}]}


@refusals(
    Refused(
        "nothing to change",
        {},
        NOTHING,
    ),
    Refused(
        "a missing table",
        {"TableName": "missing", "BillingMode": "PAY_PER_REQUEST"},
        "Requested resource not found: Table: missing not found",
        "ResourceNotFoundException",
    ),
    Refused(
        "nothing to change before a missing table",
        {"TableName": "missing", "GlobalSecondaryIndexUpdates": []},
        NOTHING,
    ),
    Refused(
        "no units",
        {"TableName": "bought", "ProvisionedThroughput": units(0, 5)},
        "1 validation error detected: Value '0' at 'provisionedThroughput.readCapacityUnits' failed to satisfy "
        "constraint: Member must have value greater than or equal to 1",
    ),
    Refused(
        "too many units",
        {"TableName": "bought", "ProvisionedThroughput": units(1, 10**12 + 1)},
        "Given value 1000000000001 for WriteCapacityUnits is out of bounds",
    ),
    Refused(
        "the same units",
        {"TableName": "bought", "BillingMode": "PROVISIONED", "ProvisionedThroughput": units(5, 5)},
        "The provisioned throughput for the table will not change. The requested value equals the current value. "
        "Current ReadCapacityUnits provisioned for the table: 5. Requested ReadCapacityUnits: 5. Current "
        "WriteCapacityUnits provisioned for the table: 5. Requested WriteCapacityUnits: 5. Refer to the Amazon "
        "DynamoDB Developer Guide for current limits and how to request higher limits.",
    ),
    Refused(
        "the same units for an index",
        {
            "TableName": "bought",
            "GlobalSecondaryIndexUpdates": [{"Update": {"IndexName": "gsi", "ProvisionedThroughput": units(5, 5)}}],
        },
        "The provisioned throughput for the index gsi will not change. The requested value equals the current value. "
        "Current ReadCapacityUnits provisioned for index gsi: 5. Requested ReadCapacityUnits: 5. Current "
        "WriteCapacityUnits provisioned for index gsi: 5. Requested WriteCapacityUnits: 5. Refer to the Amazon "
        "DynamoDB Developer Guide for current limits and how to request higher limits.",
    ),
    Refused(
        "units for a table that pays per request",
        {"ProvisionedThroughput": units(5, 5)},
        f"{INVALID}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is "
        "PAY_PER_REQUEST",
    ),
    Refused(
        "units and paying per request",
        {"TableName": "bought", "BillingMode": "PAY_PER_REQUEST", "ProvisionedThroughput": units(6, 6)},
        f"{INVALID}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is "
        "PAY_PER_REQUEST",
    ),
    Refused(
        "being provisioned without units",
        {"BillingMode": "PROVISIONED"},
        f"{INVALID}ProvisionedThroughput must be specified when BillingMode is PROVISIONED",
    ),
    Refused(
        "an on-demand maximum for provisioned units, before its range",
        {"TableName": "bought", "OnDemandThroughput": {"MaxReadRequestUnits": 0}},
        f"{INVALID}MaxReadRequestUnits for OnDemandThroughput cannot be specified when the table BillingMode is "
        "PROVISIONED",
    ),
    Refused(
        "an on-demand maximum out of range",
        {"OnDemandThroughput": {"MaxReadRequestUnits": 0}},
        f"{INVALID}Requested MaxReadRequestUnits for OnDemandThroughput for table is outside of valid range",
    ),
    Refused(
        "an update of an index that is empty",
        {"GlobalSecondaryIndexUpdates": [{}]},
        f"{INVALID}One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, "
        "GlobalSecondaryIndexUpdate.Delete must not be null",
    ),
    Refused(
        "two updates of one index",
        {"GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "gsi"}}, {"Create": index("gsi", "sk")}]},
        f"{INVALID}Only one global secondary index update per index is allowed simultaneously. Index: gsi",
    ),
    Refused(
        "two indexes at a time",
        {"GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "one"}}, {"Delete": {"IndexName": "two"}}]},
        ONLINE,
        "LimitExceededException",
    ),
    Refused(
        "a deletion of a missing index",
        {"GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "missing"}}]},
        "Requested resource not found: Index missing for table table",
        "ResourceNotFoundException",
    ),
    Refused(
        "units for a missing index",
        {"GlobalSecondaryIndexUpdates": [{"Update": {"IndexName": "abc", "ProvisionedThroughput": units(1, 1)}}]},
        "Requested resource not found: Index abc for table table",
        "ResourceNotFoundException",
    ),
    Refused(
        "units for a new index of a table that pays per request",
        creation({**index("new", "sk"), "ProvisionedThroughput": units(1, 1)}, sk="S"),
        f"{INVALID}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified for index: new when BillingMode "
        "is PAY_PER_REQUEST",
    ),
    Refused(
        "a new index without units for a table that has them",
        {"TableName": "bought", **creation(index("new", "sk"), sk="S")},
        f"{INVALID}Both ReadCapacityUnits and WriteCapacityUnits must be specified for index: new",
    ),
    Refused(
        "an index key without a definition",
        creation(index("gsi", "unknown"), sk="S"),
        f"{INVALID}Some index key attributes are not defined in AttributeDefinitions. Keys: [unknown], "
        "AttributeDefinitions: [sk]",
    ),
    Refused(
        "an index key that only the table defines",
        creation(index("gsi", "pk", "g"), g="S"),
        f"{INVALID}Some index key attributes are not defined in AttributeDefinitions. Keys: [pk, g], "
        "AttributeDefinitions: [g]",
    ),
)
def test_update_table_rejects_an_invalid_request(engine: Engine, row: Refused) -> None:
    before = described(engine), described(engine, "bought")
    assert_refused(engine, "UpdateTable", row, TableName="table")
    assert (described(engine), described(engine, "bought")) == before


def test_update_table_rejects_an_existing_index(empty_engine: Engine) -> None:
    create_indexed(empty_engine)
    for name in ("gsi", "lsi"):
        request = {"TableName": "table", **creation(index(name, "gsiPk"), gsiPk="S")}
        refusal = refused(empty_engine, "UpdateTable", request)
        assert refusal.message == "Attempting to create an index which already exists"


def test_update_table_rejects_a_21st_index(engine: Engine) -> None:
    gsis = [index(f"index{number}", "sk") for number in range(20)]
    create(engine, "full", KeySchema=key_schema("pk", "sk"), GlobalSecondaryIndexes=gsis)
    refusal = refused(engine, "UpdateTable", {"TableName": "full", **creation(index("more", "sk"), sk="S")})
    assert refusal.code == "LimitExceededException"


def test_backfill_leaves_out_an_item_that_does_not_fit_the_new_index(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with Engine(f"file:{path}") as engine:
        create_hash(engine)
        put(engine, texts(pk="long", g="x" * 2049), "hash")
        put(engine, texts(pk="fits", g="x" * 2048), "hash")
        change = {"Create": index("gsi", "g")}
        request = {"AttributeDefinitions": definitions(pk="S", g="S"), "GlobalSecondaryIndexUpdates": [change]}
        engine.call("UpdateTable", {"TableName": "hash", **request})
        engine.backfill.wait()
        assert [each["pk"]["S"] for each in scan(engine, "hash", IndexName="gsi")["Items"]] == ["fits"]
    assert check_store(path).problems == []


def test_update_table_rejects_a_second_index_until_the_first_is_active(engine: Engine) -> None:
    engine.backfill.stop()
    changed(engine, **creation(index("one", "sk"), sk="S"))
    refusal = refused(engine, "UpdateTable", {"TableName": "table", **creation(index("two", "sk"), sk="S")})
    assert (refusal.code, refusal.message) == ("LimitExceededException", ONLINE)


def test_update_table_rejects_an_index_key_that_has_another_type_in_an_index(engine: Engine) -> None:
    create(
        engine,
        "typed",
        AttributeDefinitions=definitions(pk="S", sk="S", xyz="S"),
        GlobalSecondaryIndexes=[index("first", "xyz")],
    )
    refusal = refused(engine, "UpdateTable", {"TableName": "typed", **creation(index("second", "xyz"), xyz="N")})
    assert refusal.message == (
        "One or more parameter values were invalid: Attributes cannot be redefined. Please check that your attribute "
        "has the same type as previously defined. Existing schema: Schema:[SchemaElement: key{xyz:S:HASH}] "
        "New schema: Schema:[SchemaElement: key{xyz:N:HASH}]"
    )


@pytest.mark.parametrize("length", [0, 256])
def test_update_table_rejects_a_projected_attribute_name_of_invalid_length(engine: Engine, length: int) -> None:
    new = {**index("gsi3", "sk"), "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["x" * length]}}
    refusal = refused(engine, "UpdateTable", {"TableName": "table", **creation(new, sk="S")})
    assert refusal.code == "ValidationException"
    assert "nonKeyAttributes" in refusal.message
