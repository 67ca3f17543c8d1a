"""`boto3_everywhere` redirects every DynamoDB client of the process to the engine, but only inside its block."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import boto3  # type: ignore[import-untyped]
import pytest
from botocore.config import Config  # type: ignore[import-untyped]
from botocore.exceptions import EndpointConnectionError, NoCredentialsError, NoRegionError  # type: ignore[import-untyped]
from botocore.httpsession import URLLib3Session  # type: ignore[import-untyped]
from botocore.session import Session  # type: ignore[import-untyped]
from botocore.signers import RequestSigner  # type: ignore[import-untyped]

from singletable.engine.boto3_clients import boto3_client, boto3_everywhere
from tests.engine.recording_engine import RecordingEngine

pytestmark = pytest.mark.usefixtures("connected_to", "nothing_is_configured")

KEYS = {"aws_access_key_id": "a", "aws_secret_access_key": "b"}
ONCE = Config(retries={"total_max_attempts": 1})


def engine(name: str = "a") -> RecordingEngine:
    return RecordingEngine({"ListTables": {"TableNames": [name]}})


def client(service: str = "dynamodb", **options: Any) -> Any:
    """Return a client with its own endpoint, so that requests that leave the process are detected."""
    return boto3.session.Session().client(service, config=ONCE, endpoint_url="http://127.0.0.1:9", **options)


def leaves(call: Callable[[], Any]) -> bool:
    """Return whether a request would have left the process."""
    with pytest.raises(EndpointConnectionError):
        call()
    return True


def patched() -> tuple[object, ...]:
    return (URLLib3Session.send, RequestSigner.sign, Session.create_client)


def test_boto3_everywhere_redirects_clients_created_before_and_inside_the_block() -> None:
    before = client(region_name="eu-west-1", **KEYS)
    with boto3_everywhere(engine()):
        inside = client(region_name="eu-west-1", **KEYS)
        assert before.list_tables()["TableNames"] == ["a"]
        assert inside.list_tables()["TableNames"] == ["a"]
    assert leaves(before.list_tables)
    assert leaves(inside.list_tables)


def test_boto3_everywhere_needs_no_region_and_no_credentials(connected_to: list[object]) -> None:
    before = client(region_name="eu-west-1")
    connected_to.clear()
    with boto3_everywhere(engine()):
        assert before.list_tables()["TableNames"] == ["a"]
        assert client().list_tables()["TableNames"] == ["a"]
        assert boto3.resource("dynamodb").meta.client.meta.region_name == "us-east-1"
    assert connected_to == [], "credentials were looked for in the network"
    with pytest.raises(NoCredentialsError):
        before.list_tables()
    with pytest.raises(NoRegionError):
        client()


def test_boto3_everywhere_preserves_explicit_options(monkeypatch: pytest.MonkeyPatch) -> None:
    with boto3_everywhere(engine()):
        assert client(region_name="eu-west-1").meta.region_name == "eu-west-1"
        assert boto3.client("dynamodb", config=Config(region_name="eu-west-2")).meta.region_name == "eu-west-2"
        monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-3")
        session = boto3.session.Session(**KEYS)
        made = session.client("dynamodb")
        assert made.meta.region_name == "eu-west-3"
        assert made._request_signer._credentials.access_key == "a"
        assert client(aws_access_key_id="c", aws_secret_access_key="d")._request_signer._credentials.access_key == "c"


def test_boto3_everywhere_does_not_redirect_other_services() -> None:
    with boto3_everywhere(engine()):
        assert leaves(client("s3", region_name="eu-west-1", **KEYS).list_buckets)
        assert leaves(client("kinesis", region_name="eu-west-1", **KEYS).list_streams)
        with pytest.raises(NoRegionError):
            client("kinesis")
        with pytest.raises(NoCredentialsError):
            client("sqs", region_name="eu-west-1").list_queues()


def test_boto3_everywhere_redirects_dynamodb_streams_clients_too() -> None:
    streams = RecordingEngine({"ListStreams": {"Streams": []}})
    with boto3_everywhere(streams):
        assert client("dynamodbstreams").list_streams()["Streams"] == []
    assert streams.requests[0][0] == "DynamoDBStreams_20120810.ListStreams"


def test_the_innermost_block_of_boto3_everywhere_wins() -> None:
    made = client(region_name="eu-west-1", **KEYS)
    outer, inner = engine("outer"), engine("inner")
    with boto3_everywhere(outer):
        with boto3_everywhere(inner), boto3_everywhere(inner):
            assert made.list_tables()["TableNames"] == ["inner"]
        assert made.list_tables()["TableNames"] == ["outer"]
    assert leaves(made.list_tables)


def test_blocks_of_boto3_everywhere_can_end_in_any_order() -> None:
    made = client(region_name="eu-west-1", **KEYS)
    first, second = boto3_everywhere(engine("first")), boto3_everywhere(engine("second"))
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert made.list_tables()["TableNames"] == ["second"]
    second.__exit__(None, None, None)
    assert leaves(made.list_tables)


def test_boto3_everywhere_does_not_redirect_a_client_of_another_engine() -> None:
    bound = boto3_client(engine("its own"))
    with boto3_everywhere(engine("everywhere")):
        assert bound.list_tables()["TableNames"] == ["its own"]


def test_boto3_everywhere_restores_botocore_even_after_an_exception() -> None:
    before = patched()
    block = boto3_everywhere(engine())
    block.__enter__()
    assert all(now is not then for now, then in zip(patched(), before, strict=True))
    assert not block.__exit__(ZeroDivisionError, ZeroDivisionError(), None), "the exception is not ours to take"
    assert patched() == before


def test_boto3_everywhere_preserves_a_later_patch_of_another_library(monkeypatch: pytest.MonkeyPatch) -> None:
    made = client(region_name="eu-west-1", **KEYS)
    block = boto3_everywhere(engine())
    block.__enter__()
    ours = URLLib3Session.send
    seen: list[str] = []

    def theirs(session: Any, request: Any) -> Any:
        seen.append(request.url)
        return ours(session, request)

    monkeypatch.setattr(URLLib3Session, "send", theirs)
    block.__exit__(None, None, None)
    assert URLLib3Session.send is theirs
    assert leaves(made.list_tables)
    assert seen
    monkeypatch.undo()
    URLLib3Session.send = ours.__wrapped__


def test_a_presigned_url_is_still_signed_inside_boto3_everywhere() -> None:
    made = client(region_name="eu-west-1", **KEYS)
    with boto3_everywhere(engine()):
        assert "X-Amz-Signature=" in made.generate_presigned_url("list_tables")


def test_boto3_everywhere_works_as_a_decorator() -> None:
    @boto3_everywhere(engine())
    def names() -> Any:
        return client().list_tables()["TableNames"]

    assert names() == ["a"]
    assert names() == ["a"]


def test_boto3_everywhere_redirects_all_threads_while_others_enter_and_leave_blocks() -> None:
    made = client(region_name="eu-west-1", **KEYS)
    held = engine("held")

    def visit(number: int) -> bool:
        with boto3_everywhere(engine("passing")):
            return made.list_tables()["TableNames"] in (["held"], ["passing"])

    before = patched()
    with boto3_everywhere(held), ThreadPoolExecutor(8) as threads:
        assert all(threads.map(visit, range(200)))
        assert made.list_tables()["TableNames"] == ["held"]
    assert patched() == before
