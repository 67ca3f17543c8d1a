"""Requests for streams go to AWS's host of DynamoDB Streams; other servers serve both at one address."""

from __future__ import annotations

import pytest

from singletable.client.http.address import Address
from singletable.client.http.credentials import Credentials, FixedCredentials
from singletable.client.http.http_transport import HttpTransport, streams_host
from singletable.client.http.signer import Signer
from singletable.client.retries import Timeouts


@pytest.mark.parametrize(
    ("host", "streams"),
    [
        ("dynamodb.eu-west-1.amazonaws.com", "streams.dynamodb.eu-west-1.amazonaws.com"),
        ("dynamodb.cn-north-1.amazonaws.com.cn", "streams.dynamodb.cn-north-1.amazonaws.com.cn"),
        ("dynamodb-fips.us-gov-west-1.amazonaws.com", "streams.dynamodb-fips.us-gov-west-1.amazonaws.com"),
        ("127.0.0.1", "127.0.0.1"),
        ("dynamodb.example.org", "dynamodb.example.org"),
        ("vpce-1.dynamodb.eu-west-1.vpce.amazonaws.com", "vpce-1.dynamodb.eu-west-1.vpce.amazonaws.com"),
    ],
)
def test_the_host_of_streams(host: str, streams: str) -> None:
    assert streams_host(host) == streams


def test_a_stream_request_is_signed_for_its_host_and_service() -> None:
    source = FixedCredentials(Credentials("ID", "SECRET"))
    address = Address("dynamodb.eu-west-1.amazonaws.com", 443, is_encrypted=True)
    transport = HttpTransport(address, Signer(address.authority, "eu-west-1", source), Timeouts())
    other = transport.for_streams()
    try:
        sent = other._signer.request("GetRecords", b"{}")
        assert b"host: streams.dynamodb.eu-west-1.amazonaws.com\r\n" in sent
        assert b"x-amz-target: DynamoDBStreams_20120810.GetRecords\r\n" in sent
        assert b"/eu-west-1/dynamodb/aws4_request" in sent
        assert b"x-amz-target: DynamoDB_20120810.GetItem\r\n" in transport._signer.request("GetItem", b"{}")
    finally:
        transport.close()
        other.close()


def test_the_streams_host_of_a_local_server_needs_no_second_transport() -> None:
    source = FixedCredentials(Credentials("ID", "SECRET"))
    address = Address("127.0.0.1", 8000, is_encrypted=False)
    transport = HttpTransport(address, Signer(address.authority, "eu-west-1", source), Timeouts())
    assert transport.for_streams() is transport
    transport.close()
