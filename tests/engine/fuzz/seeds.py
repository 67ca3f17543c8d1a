"""Seed requests by action: valid requests written by hand, and requests generated from the action's shape."""

from __future__ import annotations

from singletable.engine.streams.stream_reading import ShardIterator, encode_iterator, sequence_text
from singletable.wire.api_types import Shape
from tests.engine.fuzz.filled_store import KEY, NOW, PLACES, SHARD, STREAM_ARN
from tests.engine.fuzz.shape_requests import request_of
from tests.engine.table_requests import Document, definitions, index, item, texts, values
from tests.engine.test_engine import VALID


def by(operator: str, *given: Document) -> Document:
    return {"ComparisonOperator": operator, "AttributeValueList": list(given)}


# In addition to the requests of every action in VALID.
MORE: dict[str, list[Document]] = {
    "ExecuteStatement": [
        {
            "Statement": """SELECT pk, m.x[0] FROM "table"."gsi" WHERE gsiPk = 'g' AND begins_with(pk, 'a')""",
            "Limit": 1,
        },
        {"Statement": """UPDATE "table" SET n = 5 REMOVE m.x WHERE pk = 'a' AND sk = '1' RETURNING ALL NEW *"""},
        {"Statement": """DELETE FROM "hash" WHERE pk = 'a' RETURNING ALL OLD *"""},
        {
            "Statement": """INSERT INTO "hash" VALUE {'pk': 'new', 's': <<1, 2>>, 'l': [true, {'a': 1}], 'b': ?}""",
            "Parameters": [{"B": "AA=="}],
        },
    ],
    "ListStreams": [{}, {"TableName": "hash", "Limit": 1}],
    "DescribeStream": [{"StreamArn": STREAM_ARN}],
    "GetShardIterator": [
        {"StreamArn": STREAM_ARN, "ShardId": SHARD, "ShardIteratorType": "TRIM_HORIZON"},
        {
            "StreamArn": STREAM_ARN,
            "ShardId": SHARD,
            "ShardIteratorType": "AT_SEQUENCE_NUMBER",
            "SequenceNumber": sequence_text(1),
        },
    ],
    "GetRecords": [{"ShardIterator": encode_iterator(PLACES, ShardIterator(STREAM_ARN, 0, NOW, 0)), "Limit": 10}],
    "CreateTable": [
        {
            "TableName": "bought",
            "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
            "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "B"}],
            "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1},
            "DeletionProtectionEnabled": False,
            "TableClass": "STANDARD",
        }
    ],
    "UpdateTable": [
        {"TableName": "many", "ProvisionedThroughput": {"ReadCapacityUnits": 7, "WriteCapacityUnits": 7}},
        {"TableName": "table", "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "gsi"}}]},
        {
            "TableName": "hash",
            "AttributeDefinitions": definitions(pk="S", n="N"),
            "GlobalSecondaryIndexUpdates": [{"Create": index("other", "n", "pk")}],
        },
    ],
    "GetItem": [
        {"TableName": "table", "Key": KEY, "AttributesToGet": ["n", "m"], "ReturnConsumedCapacity": "TOTAL"},
        {
            "TableName": "many",
            "Key": item(pk=b"p", sk=0),
            "ProjectionExpression": "#x, y",
            "ExpressionAttributeNames": {"#x": "x"},
        },
    ],
    "PutItem": [
        {
            "TableName": "table",
            "Item": {**KEY, "m": {"M": {"a": {"L": [{"NS": ["1", "2.5"]}, {"BS": ["AA==", "AQ=="]}]}}}},
            "Expected": {"n": {"Value": {"N": "1"}}, "x": {"Exists": False}, "b": by("NULL")},
            "ConditionalOperator": "OR",
            "ReturnValues": "ALL_OLD",
        },
        {"TableName": "hash", "Item": {**texts(pk="p", t="x"), "n": {"N": "1.50"}}},
        {"TableName": "many", "Item": item(pk=b"q", sk=1, x="x", y=2, z=b"", w="w") | {"z": {"B": "eg=="}}},
    ],
    "DeleteItem": [
        {"TableName": "hash", "Key": texts(pk="a")},
        {"TableName": "many", "Key": item(pk=b"p", sk=25), "ReturnValues": "ALL_OLD"},
        {
            "TableName": "table",
            "Key": KEY,
            "Expected": {"n": by("BETWEEN", {"N": "0"}, {"N": "2"}), "gsiPk": by("BEGINS_WITH", {"S": "g"})},
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        },
    ],
    "UpdateItem": [
        {
            "TableName": "table",
            "Key": KEY,
            "AttributeUpdates": {
                "n": {"Action": "ADD", "Value": {"N": "1"}},
                "s": {"Action": "DELETE", "Value": {"SS": ["a"]}},
                "l": {"Action": "ADD", "Value": {"L": [{"S": "x"}]}},
                "lsiSk": {"Action": "DELETE"},
                "gsiPk": {"Value": {"S": "h"}},
            },
            "Expected": {"n": by("IN", {"N": "1"}, {"N": "2"}), "m": by("NOT_NULL")},
            "ConditionalOperator": "AND",
            "ReturnValues": "UPDATED_OLD",
        },
        {
            "TableName": "table",
            "Key": texts(pk="a", sk="2"),
            "UpdateExpression": "SET #l = list_append(if_not_exists(#l, :e), :l), n = :n DELETE s :s",
            "ConditionExpression": "attribute_type(s, :t) OR NOT (b <> :t AND size(s) >= :n)",
            "ExpressionAttributeNames": {"#l": "l"},
            "ExpressionAttributeValues": {
                ":e": {"L": []},
                ":l": {"L": [{"S": "y"}]},
                ":s": {"SS": ["a"]},
                **values(t="SS", n=1),
            },
        },
    ],
    "Query": [
        {
            "TableName": "table",
            "KeyConditions": {"pk": by("EQ", {"S": "a"}), "sk": by("BETWEEN", {"S": "0"}, {"S": "9"})},
            "QueryFilter": {"n": by("GE", {"N": "1"}), "m": by("CONTAINS", {"S": "x"})},
            "ConditionalOperator": "OR",
            "AttributesToGet": ["sk", "n"],
            "ExclusiveStartKey": KEY,
        },
        {
            "TableName": "many",
            "IndexName": "wide",
            "KeyConditionExpression": "x = :x AND y = :y AND z = :z AND w BETWEEN :x AND :w",
            "ExpressionAttributeValues": values(x="x", y=0, z=b"z", w="y"),
            "Select": "COUNT",
        },
        {
            "TableName": "table",
            "IndexName": "lsi",
            "KeyConditions": {"pk": by("EQ", {"S": "a"})},
            "FilterExpression": "n = :n",
            "ExpressionAttributeValues": values(n=1),
            "Select": "ALL_ATTRIBUTES",
        },
    ],
    "Scan": [
        {
            "TableName": "table",
            "ScanFilter": {"n": by("NE", {"N": "3"}), "s": by("NOT_CONTAINS", {"S": "z"})},
            "ConditionalOperator": "AND",
            "AttributesToGet": ["sk"],
            "Limit": 2,
        },
        {"TableName": "many", "TotalSegments": 4, "Segment": 2, "ConsistentRead": True},
    ],
    "TransactWriteItems": [
        {
            "TransactItems": [
                {"Put": {"TableName": "many", "Item": item(pk=b"t", sk=1, w="w")}},
                {
                    "Update": {
                        "TableName": "table",
                        "Key": KEY,
                        "UpdateExpression": "ADD n :n REMOVE m.x[0]",
                        "ConditionExpression": "n > :z",
                        "ExpressionAttributeValues": values(n=1, z=0),
                        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
                    }
                },
                {"Delete": {"TableName": "hash", "Key": texts(pk="t")}},
            ],
            "ReturnConsumedCapacity": "INDEXES",
            "ReturnItemCollectionMetrics": "SIZE",
        }
    ],
    "BatchGetItem": [
        {"RequestItems": {"table": {"Keys": [KEY], "AttributesToGet": ["n"]}, "hash": {"Keys": [texts(pk="a")]}}}
    ],
}


def seeds(action: str, shape: type[Shape]) -> tuple[list[Document], list[Document]]:
    """Return the requests written here. For a new action, return requests that follow from its shape."""
    written = [VALID[action]] if action in VALID else []
    of_shape = [request_of(shape, is_full=is_full) for is_full in (False, True)]
    return [*written, *MORE.get(action, ())], of_shape
