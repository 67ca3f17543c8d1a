"""CreateTable: the description of a new table, and invalid tables."""

from __future__ import annotations

from typing import Any

import pytest

from singletable.engine.engine import Engine
from tests.engine.table_requests import (
    INVALID,
    Document,
    Refused,
    assert_refused,
    create,
    definitions,
    index,
    key_schema,
    multi_key_schema,
    projection,
    put,
    refusals,
    refused,
    texts,
)

UNITS = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}
HASH: Document = {"KeySchema": key_schema("pk"), "AttributeDefinitions": definitions(pk="S")}
ON_DEMAND_WARM = {"ReadUnitsPerSecond": 12_000, "WriteUnitsPerSecond": 4_000, "Status": "ACTIVE"}
CONSTRAINT = "failed to satisfy constraint: Member must"


def described(engine: Engine, name: str = "table") -> Document:
    table: Document = engine.call("DescribeTable", {"TableName": name})["Table"]
    return table


def test_create_table_responds_with_creating_and_the_table_is_active(empty_engine: Engine) -> None:
    answer = create(empty_engine, GlobalSecondaryIndexes=[index("gsi", "sk")])
    description = answer["TableDescription"]
    assert description["TableStatus"] == "CREATING"
    assert description["GlobalSecondaryIndexes"][0]["IndexStatus"] == "CREATING"
    assert "Backfilling" not in description["GlobalSecondaryIndexes"][0]
    assert described(empty_engine)["TableStatus"] == "ACTIVE"
    put(empty_engine, texts(pk="a", sk="1"))


def test_create_table_describes_every_parameter() -> None:
    with Engine(now=lambda: 1700000000.5, region="eu-west-2", account="123456789012") as engine:
        create(engine)
        table = described(engine)
    identifier = table.pop("TableId")
    assert len(identifier) == 36
    assert table == {
        "TableName": "table",
        "TableArn": "arn:aws:dynamodb:eu-west-2:123456789012:table/table",
        "TableStatus": "ACTIVE",
        "KeySchema": key_schema("pk", "sk"),
        "AttributeDefinitions": definitions(pk="S", sk="S"),
        "CreationDateTime": 1700000000.5,
        "ItemCount": 0,
        "TableSizeBytes": 0,
        "DeletionProtectionEnabled": False,
        "ProvisionedThroughput": {"NumberOfDecreasesToday": 0, "ReadCapacityUnits": 0, "WriteCapacityUnits": 0},
        "BillingModeSummary": {
            "BillingMode": "PAY_PER_REQUEST",
            "LastUpdateToPayPerRequestDateTime": 1700000000.5,
        },
        "WarmThroughput": ON_DEMAND_WARM,
    }


@pytest.mark.parametrize("mode", [None, "PROVISIONED"])
def test_create_table_describes_a_provisioned_table_with_units_and_no_billing_summary(
    empty_engine: Engine, mode: str | None
) -> None:
    create(empty_engine, BillingMode=mode, ProvisionedThroughput=UNITS)
    table = described(empty_engine)
    assert table["ProvisionedThroughput"] == {"NumberOfDecreasesToday": 0, **UNITS}
    assert "BillingModeSummary" not in table


@pytest.mark.parametrize(("partition", "sort"), [("S", "N"), ("N", "B"), ("B", "S")])
def test_create_table_accepts_strings_numbers_and_binaries_as_keys(
    empty_engine: Engine, partition: str, sort: str
) -> None:
    create(empty_engine, AttributeDefinitions=definitions(pk=partition, sk=sort))
    assert described(empty_engine)["AttributeDefinitions"] == definitions(pk=partition, sk=sort)


def test_create_table_accepts_a_table_with_only_a_partition_key(empty_engine: Engine) -> None:
    create(empty_engine, **HASH)
    assert described(empty_engine)["KeySchema"] == key_schema("pk")


@pytest.mark.parametrize(
    "holds", [projection(kind="ALL"), projection(kind="KEYS_ONLY"), projection("one", "two")], ids=str
)
def test_create_table_describes_global_indexes_as_created(empty_engine: Engine, holds: Document) -> None:
    create(
        empty_engine,
        AttributeDefinitions=definitions(pk="S", sk="S", g1="S", g2="N"),
        GlobalSecondaryIndexes=[index("first", "g1", "g2", holds=holds), index("second", "g2")],
    )
    first, second = described(empty_engine)["GlobalSecondaryIndexes"]
    assert first == {
        "IndexName": "first",
        "IndexArn": "arn:aws:dynamodb:us-east-1:000000000000:table/table/index/first",
        "IndexStatus": "ACTIVE",
        "KeySchema": key_schema("g1", "g2"),
        "Projection": holds,
        "ItemCount": 0,
        "IndexSizeBytes": 0,
        "ProvisionedThroughput": {"NumberOfDecreasesToday": 0, "ReadCapacityUnits": 0, "WriteCapacityUnits": 0},
        "WarmThroughput": ON_DEMAND_WARM,
    }
    assert second["KeySchema"] == key_schema("g2")


def test_create_table_describes_local_indexes_without_status_and_units(empty_engine: Engine) -> None:
    create(
        empty_engine,
        AttributeDefinitions=definitions(pk="S", sk="S", l1="N"),
        LocalSecondaryIndexes=[index("local", "pk", "l1")],
    )
    (local,) = described(empty_engine)["LocalSecondaryIndexes"]
    assert local == {
        "IndexName": "local",
        "IndexArn": "arn:aws:dynamodb:us-east-1:000000000000:table/table/index/local",
        "KeySchema": key_schema("pk", "l1"),
        "Projection": {"ProjectionType": "ALL"},
        "ItemCount": 0,
        "IndexSizeBytes": 0,
    }


def test_create_table_accepts_a_global_index_of_four_partition_and_four_sort_attributes(empty_engine: Engine) -> None:
    schema = multi_key_schema("abcd", "efgh")
    gsi = {**index("gsi", "a"), "KeySchema": schema}
    kinds = dict.fromkeys("abcdefgh", "S") | {"d": "N", "h": "B"}
    create(empty_engine, AttributeDefinitions=definitions(pk="S", sk="S", **kinds), GlobalSecondaryIndexes=[gsi])
    assert described(empty_engine)["GlobalSecondaryIndexes"][0]["KeySchema"] == schema


def test_create_table_describes_the_options_of_a_table(empty_engine: Engine) -> None:
    create(
        empty_engine,
        TableClass="STANDARD_INFREQUENT_ACCESS",
        DeletionProtectionEnabled=True,
        OnDemandThroughput={"MaxReadRequestUnits": 20},
        SSESpecification={"Enabled": True},
        Tags=[{"Key": "team", "Value": "orders"}],
    )
    table = described(empty_engine)
    assert table["TableClassSummary"] == {"TableClass": "STANDARD_INFREQUENT_ACCESS"}
    assert table["DeletionProtectionEnabled"] is True
    assert table["OnDemandThroughput"] == {"MaxReadRequestUnits": 20}
    assert table["SSEDescription"]["SSEType"] == "KMS"


def test_create_table_ignores_an_empty_on_demand_maximum(empty_engine: Engine) -> None:
    create(empty_engine, OnDemandThroughput={})
    assert "OnDemandThroughput" not in described(empty_engine)


def test_create_table_rejects_an_existing_name(engine: Engine) -> None:
    refusal = refused(engine, "CreateTable", {"TableName": "table", "BillingMode": "PAY_PER_REQUEST", **HASH})
    assert (refusal.code, refusal.message) == ("ResourceInUseException", "Table already exists: table")


def test_create_table_does_not_create_a_rejected_table(empty_engine: Engine) -> None:
    refused(empty_engine, "CreateTable", {"TableName": "table", "BillingMode": "PAY_PER_REQUEST", "KeySchema": []})
    assert empty_engine.call("ListTables", {})["TableNames"] == []


@refusals(
    Refused(
        "a name is required",
        {"TableName": None},
        "The parameter 'TableName' is required but was not present in the request",
    ),
    Refused(
        "a short name",
        {"TableName": "ab"},
        f"1 validation error detected: Value 'ab' at 'tableName' {CONSTRAINT} have length greater than or equal to 3",
    ),
    Refused(
        "a long name",
        {"TableName": "a" * 256},
        f"1 validation error detected: Value '{'a' * 256}' at 'tableName' {CONSTRAINT} have length less than or equal "
        "to 255",
    ),
    Refused(
        "a name with other characters",
        {"TableName": "in;valid"},
        f"1 validation error detected: Value 'in;valid' at 'tableName' {CONSTRAINT} satisfy regular expression "
        "pattern: [a-zA-Z0-9_.-]+",
    ),
    Refused(
        "no key",
        {"KeySchema": []},
        f"1 validation error detected: Value '[]' at 'keySchema' {CONSTRAINT} have length greater than or equal to 1",
    ),
    Refused(
        "another kind of key",
        {"KeySchema": [{"AttributeName": "pk", "KeyType": "SORT"}]},
        f"1 validation error detected: Value 'SORT' at 'keySchema.1.member.keyType' {CONSTRAINT} satisfy enum value "
        "set: [HASH, RANGE]",
    ),
    Refused(
        "another type of key",
        {"AttributeDefinitions": definitions(pk="SS")},
        f"1 validation error detected: Value 'SS' at 'attributeDefinitions.1.member.attributeType' {CONSTRAINT} "
        "satisfy enum value set: [B, N, S]",
    ),
    Refused(
        "several wrong members are reported together",
        {"BillingMode": "FREE", "KeySchema": [{"AttributeName": "pk", "KeyType": "SORT"}]},
        f"2 validation errors detected: Value 'FREE' at 'billingMode' {CONSTRAINT} satisfy enum value set: "
        f"[PROVISIONED, PAY_PER_REQUEST]; Value 'SORT' at 'keySchema.1.member.keyType' {CONSTRAINT} satisfy enum "
        "value set: [HASH, RANGE]",
    ),
    Refused(
        "units without being provisioned",
        {"ProvisionedThroughput": UNITS},
        f"{INVALID}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is "
        "PAY_PER_REQUEST",
    ),
    Refused(
        "being provisioned without units",
        {"BillingMode": None},
        f"{INVALID}ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED",
    ),
    Refused(
        "units before keys",
        {"BillingMode": None, "KeySchema": key_schema("pk", "pk")},
        f"{INVALID}ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED",
    ),
    Refused(
        "too many units",
        {"BillingMode": None, "ProvisionedThroughput": {**UNITS, "ReadCapacityUnits": 10**12 + 1}},
        "Given value 1000000000001 for ReadCapacityUnits is out of bounds",
    ),
    Refused(
        "more keys than definitions",
        {"KeySchema": key_schema("pk", "pk")},
        "Invalid KeySchema: Some index key attribute have no definition",
    ),
    Refused(
        "a key that is not defined",
        {"KeySchema": key_schema("other")},
        f"{INVALID}Some index key attributes are not defined in AttributeDefinitions. Keys: [other], "
        "AttributeDefinitions: [pk]",
    ),
    Refused(
        "one attribute as both keys",
        {"KeySchema": key_schema("pk", "pk"), "AttributeDefinitions": definitions(pk="S", sk="S")},
        "Both the Hash Key and the Range Key element in the KeySchema have the same name",
    ),
    Refused(
        "no partition key first",
        {"KeySchema": [{"AttributeName": "pk", "KeyType": "RANGE"}]},
        "Invalid KeySchema: The first KeySchemaElement is not a HASH key type",
    ),
    Refused(
        "a definition that no key uses",
        {"AttributeDefinitions": definitions(pk="S", extra="N")},
        f"{INVALID}Number of attributes in KeySchema does not exactly match number of attributes defined in "
        "AttributeDefinitions",
    ),
    Refused(
        "an attribute of two types",
        {"AttributeDefinitions": [*definitions(pk="S"), *definitions(pk="N")]},
        "Attribute Name is duplicated: pk",
    ),
    Refused(
        "an attribute defined twice",
        {"AttributeDefinitions": [*definitions(pk="S"), *definitions(pk="S")]},
        "Attribute Name is duplicated: pk",
    ),
    Refused(
        "an on-demand maximum for a provisioned table",
        {
            "BillingMode": None,
            "ProvisionedThroughput": UNITS,
            "OnDemandThroughput": {"MaxReadRequestUnits": 0, "MaxWriteRequestUnits": 0},
        },
        f"{INVALID}MaxReadRequestUnits for OnDemandThroughput cannot be specified when table BillingMode is "
        "PROVISIONED.",
    ),
    Refused(
        "an on-demand maximum that removes nothing",
        {"OnDemandThroughput": {"MaxWriteRequestUnits": -1}},
        f"{INVALID}Requested MaxWriteRequestUnits for OnDemandThroughput for table is outside of valid range",
    ),
)
def test_create_table_rejects_an_invalid_table(empty_engine: Engine, row: Refused) -> None:
    assert_refused(empty_engine, "CreateTable", row, TableName="table", BillingMode="PAY_PER_REQUEST", **HASH)


def indexed(kind: str, *indexes: Document, **kinds: str) -> Document:
    return {
        "KeySchema": key_schema("pk", "sk"),
        "AttributeDefinitions": definitions(pk="S", sk="S", **kinds),
        f"{kind}SecondaryIndexes": list(indexes),
    }


def numbered(count: int, *keys: str) -> list[Document]:
    return [index(f"index{number}", *keys) for number in range(count)]


def multi(partition: str, sort: str = "") -> Document:
    schema = multi_key_schema(partition, sort)
    return indexed("Global", {**index("gsi", "a"), "KeySchema": schema}, **dict.fromkeys(partition + sort, "S"))


@refusals(
    Refused("no local index", indexed("Local"), f"{INVALID}List of LocalSecondaryIndexes is empty"),
    Refused("no global index", indexed("Global"), f"{INVALID}List of GlobalSecondaryIndexes is empty"),
    Refused(
        "an empty list before unused definitions",
        indexed("Local", extra="S"),
        f"{INVALID}List of LocalSecondaryIndexes is empty",
    ),
    Refused(
        "a local index without a sort key in the table",
        {**indexed("Local", index("lsi", "pk", "sk")), "KeySchema": key_schema("pk")},
        f"{INVALID}Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex",
    ),
    Refused(
        "a local index without a sort key of its own",
        indexed("Local", index("lsi", "pk")),
        f"{INVALID}Index KeySchema does not have a range key for index: lsi",
    ),
    Refused(
        "a local index with another partition key",
        indexed("Local", index("lsi", "other", "sk"), other="S"),
        f"{INVALID}Index KeySchema does not have the same leading hash key as table KeySchema for index: lsi. "
        "index hash key: other, table hash key: pk",
    ),
    Refused(
        "a sixth local index",
        indexed("Local", *numbered(6, "pk", "l"), l="S"),
        f"{INVALID}Number of LocalSecondaryIndexes exceeds per-table limit of 5",
    ),
    Refused(
        "a twenty-first global index",
        indexed("Global", *numbered(21, "g"), g="S"),
        f"{INVALID}GlobalSecondaryIndex count exceeds the per-table limit of 20",
    ),
    Refused(
        "one name twice",
        indexed("Global", index("same", "g"), index("same", "sk"), g="S"),
        f"{INVALID}Duplicate index name: same",
    ),
    Refused(
        "one name in both kinds",
        {
            **indexed("Global", index("same", "g"), g="S"),
            "LocalSecondaryIndexes": [index("same", "pk", "g")],
        },
        f"{INVALID}Duplicate index name: same",
    ),
    Refused(
        "an index key that is not defined",
        indexed("Global", index("gsi", "g", "h"), g="S"),
        f"{INVALID}Some index key attributes are not defined in AttributeDefinitions. Keys: [g, h], "
        "AttributeDefinitions: [pk, sk, g]",
    ),
    Refused(
        "an unknown projection",
        indexed("Global", index("gsi", "sk", holds={"NonKeyAttributes": ["a"]})),
        f"{INVALID}Unknown ProjectionType: null",
    ),
    Refused(
        "attributes with a projection of everything",
        indexed("Global", index("gsi", "sk", holds=projection("a", kind="ALL"))),
        f"{INVALID}ProjectionType is ALL, but NonKeyAttributes is specified",
    ),
    Refused(
        "a projection of some without any",
        indexed("Global", index("gsi", "sk", holds={"ProjectionType": "INCLUDE"})),
        f"{INVALID}ProjectionType is INCLUDE, but NonKeyAttributes is not specified",
    ),
    Refused(
        "an attribute projected twice",
        indexed("Global", index("gsi", "sk", holds=projection("a", "b", "a"))),
        f"{INVALID}Duplicate element in NonKeyAttributes: a",
    ),
    Refused(
        "units for an index that is paid per request",
        indexed("Global", {**index("gsi", "sk"), "ProvisionedThroughput": UNITS}),
        f"{INVALID}ProvisionedThroughput should not be specified for index: gsi when BillingMode is PAY_PER_REQUEST",
    ),
    Refused(
        "an index without units where the table has them",
        {**indexed("Global", index("gsi", "sk")), "BillingMode": "PROVISIONED", "ProvisionedThroughput": UNITS},
        f"{INVALID}ProvisionedThroughput is not specified for index: gsi",
    ),
    Refused(
        "a definition that no index uses",
        indexed("Global", index("gsi", "sk"), extra="S"),
        f"{INVALID}Some AttributeDefinitions are not used. AttributeDefinitions: [pk, sk, extra], keys used: [pk, sk]",
    ),
    Refused(
        "a fifth partition attribute",
        multi("abcde"),
        f"{INVALID}The KeySchema exceeds the maximum allowed number of HASH key attributes",
    ),
    Refused(
        "a third attribute that is the first again",
        multi("aba"),
        "The KeySchema contains multiple key attributes with the same name",
    ),
    Refused(
        "a sort attribute before a partition attribute",
        indexed(
            "Global",
            {**index("gsi", "g"), "KeySchema": [*multi_key_schema("a", "b"), *multi_key_schema("c")]},
            **dict.fromkeys("abc", "S"),
        ),
        f"{INVALID}All HASH key attributes must precede RANGE key attributes in the KeySchema",
    ),
)
def test_create_table_rejects_an_invalid_index(empty_engine: Engine, row: Refused) -> None:
    assert_refused(empty_engine, "CreateTable", row, TableName="table", BillingMode="PAY_PER_REQUEST")


def test_create_table_rejects_too_many_included_attributes(empty_engine: Engine) -> None:
    def included(count: int) -> dict[str, Any]:
        halves = [index(name, "sk", holds=projection(*(f"{name}{n}" for n in range(count)))) for name in ("abc", "xyz")]
        return {"TableName": "table", "BillingMode": "PAY_PER_REQUEST", **indexed("Global", *halves)}

    refusal = refused(empty_engine, "CreateTable", included(51))
    assert refusal.message == f"{INVALID}NonKeyAttributes count exceeds the per-table limit of 100: 102"
    empty_engine.call("CreateTable", included(50))
