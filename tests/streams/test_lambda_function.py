"""The Lambda function reads the events that AWS documents, and answers with partial batch responses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from singletable import StreamRefused, Table, entity, native, on
from singletable.engine import Engine
from singletable.streams import lambda_handler
from singletable.streams.lambda_function import lambda_event

# "Using AWS Lambda with Amazon DynamoDB", example of an event, with both images.
# https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html
AWS_EVENT: dict[str, Any] = {
    "Records": [
        {
            "eventID": "1",
            "eventVersion": "1.0",
            "dynamodb": {
                "Keys": {"Id": {"N": "101"}},
                "NewImage": {"Message": {"S": "New item!"}, "Id": {"N": "101"}},
                "StreamViewType": "NEW_AND_OLD_IMAGES",
                "SequenceNumber": "111",
                "SizeBytes": 26,
            },
            "awsRegion": "us-west-2",
            "eventName": "INSERT",
            "eventSourceARN": "arn:aws:dynamodb:us-west-2:111122223333:table/T/stream/2015-06-27T00:48:05.899",
            "eventSource": "aws:dynamodb",
        },
        {
            "eventID": "2",
            "eventVersion": "1.0",
            "dynamodb": {
                "OldImage": {"Message": {"S": "New item!"}, "Id": {"N": "101"}},
                "SequenceNumber": "222",
                "Keys": {"Id": {"N": "101"}},
                "SizeBytes": 59,
                "NewImage": {"Message": {"S": "This item has changed"}, "Id": {"N": "101"}},
                "StreamViewType": "NEW_AND_OLD_IMAGES",
            },
            "awsRegion": "us-west-2",
            "eventName": "MODIFY",
            "eventSourceARN": "arn:aws:dynamodb:us-west-2:111122223333:table/T/stream/2015-06-27T00:48:05.899",
            "eventSource": "aws:dynamodb",
        },
    ]
}
# The identity of a deletion by time to live: "DynamoDB Streams and Time to Live".
TTL_IDENTITY = {"type": "Service", "principalId": "dynamodb.amazonaws.com"}
SEEN: list[str] = []
FAILS: set[str] = set()


@entity(key=(native("id"),), attributes={"id": "Id", "message": "Message"}, name="Message")
@dataclass
class Message:
    id: int
    message: str


@on(Message, "insert", "modify", "remove", "expire")
def seen(old: Message | None, new: Message | None, event: Any) -> None:
    known = new or old
    assert known is not None
    if known.message in FAILS:
        raise ValueError(known.message)
    SEEN.append(f"{event.kind} {known.message}")


class Messages(Table, entities=[Message], handlers=[seen], keys=("Id",), type_attribute=None):
    """A table with a number as its key, which cannot contain reserved items."""


@pytest.fixture(autouse=True)
def _empty() -> None:
    SEEN.clear()
    FAILS.clear()


@pytest.fixture
def messages() -> Iterator[Messages]:
    with Messages.open("memory:") as opened:
        yield opened


def shape(value: Any) -> Any:
    """Return the names and types of a document."""
    if isinstance(value, dict):
        return {name: shape(each) for name, each in value.items()}
    return type(value).__name__


def test_the_lambda_function_delivers_the_event_of_the_documentation(messages: Messages) -> None:
    assert lambda_handler(messages)(AWS_EVENT, None) == {"batchItemFailures": []}
    assert SEEN == ["insert New item!", "modify This item has changed"]


def test_lambda_function_events_of_the_engine_have_the_shape_of_the_documentation(messages: Messages) -> None:
    messages.put(Message(101, "New item!"))
    messages.put(Message(101, "This item has changed"))
    engine: Engine = messages._opened().session.transport.engine  # type: ignore[attr-defined]  # of memory:
    arn = engine.call("DescribeTable", {"TableName": "Messages"})["Table"]["LatestStreamArn"]
    shard = engine.call("DescribeStream", {"StreamArn": arn})["StreamDescription"]["Shards"][0]["ShardId"]
    request = {"StreamArn": arn, "ShardId": shard, "ShardIteratorType": "TRIM_HORIZON"}
    iterator = engine.call("GetShardIterator", request)["ShardIterator"]
    event = lambda_event(engine.call("GetRecords", {"ShardIterator": iterator})["Records"], arn)
    for ours, theirs in zip(event["Records"], AWS_EVENT["Records"], strict=True):
        details = dict(ours["dynamodb"])
        # Other pages of AWS show this member; the page with this example omits it.
        assert isinstance(details.pop("ApproximateCreationDateTime"), int)
        assert shape(ours | {"dynamodb": details}) == shape(theirs)
        assert details["SizeBytes"] == theirs["dynamodb"]["SizeBytes"]
    assert lambda_handler(messages)(event) == {"batchItemFailures": []}


def test_the_lambda_function_treats_a_deletion_by_time_to_live_as_an_expiry(messages: Messages) -> None:
    record = AWS_EVENT["Records"][1]
    details = {name: value for name, value in record["dynamodb"].items() if name != "NewImage"}
    for identity in (TTL_IDENTITY, {"Type": "Service", "PrincipalId": "dynamodb.amazonaws.com"}):
        lambda_handler(messages)({"Records": [record | {"dynamodb": details, "userIdentity": identity}]})
    assert SEEN == ["expire New item!"] * 2


def test_the_lambda_function_reports_a_failed_record_and_later_ones_wait(messages: Messages) -> None:
    FAILS.add("New item!")
    with pytest.warns(RuntimeWarning, match="record 111 failed"):
        answer = lambda_handler(messages)(AWS_EVENT)
    assert answer == {"batchItemFailures": [{"itemIdentifier": "111"}]}
    assert SEEN == []


@pytest.mark.parametrize("view", ["KEYS_ONLY", "NEW_IMAGE"])
def test_the_lambda_function_rejects_a_stream_without_both_images(view: str, messages: Messages) -> None:
    record = AWS_EVENT["Records"][0]
    event = {"Records": [record | {"dynamodb": record["dynamodb"] | {"StreamViewType": view}}]}
    with pytest.raises(StreamRefused, match=f"view type {view}, but stream handlers need NEW_AND_OLD_IMAGES"):
        lambda_handler(messages)(event)


@pytest.mark.parametrize("record", [{}, {"dynamodb": {}}, {"dynamodb": 7}, {"body": "{}", "eventSource": "aws:sqs"}])
def test_the_lambda_function_rejects_an_event_of_another_service(record: dict[str, Any], messages: Messages) -> None:
    with pytest.raises(StreamRefused, match="not a record of a DynamoDB stream"):
        lambda_handler(messages)({"Records": [record]})


def test_the_function_opens_its_table_at_the_first_event() -> None:
    function = lambda_handler(Messages, url="memory:")
    assert function(AWS_EVENT) == {"batchItemFailures": []}
    assert function(AWS_EVENT) == {"batchItemFailures": []}
    function.close()
    assert len(SEEN) == 4


def test_the_lambda_function_rejects_a_table_without_handlers() -> None:
    class Silent(Table, entities=[Message], keys=("Id",), type_attribute=None): ...

    with pytest.raises(StreamRefused, match=r"Silent has no stream handlers\.\n  Decorate functions with @on"):
        lambda_handler(Silent, url="memory:")({"Records": []})
