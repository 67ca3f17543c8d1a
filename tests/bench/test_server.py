"""Requests to a benchmarked server that verifies signatures."""

from __future__ import annotations

import time

import pytest

from bench.engine_bench.load_generator import prepare, unsigned
from bench.engine_bench.peers import EXAMPLE_CREDENTIAL, Credential
from bench.engine_bench.server import Server
from bench.engine_bench.workload import exchange
from singletable.engine.http.access_keys import AccessKeys
from singletable.engine.http.http_messages import HttpRequest
from singletable.engine.http.request_parser import RequestParser
from singletable.engine.http.signature import SignatureCheck
from singletable.errors import RequestRefused

LIST_TABLES = exchange("ListTables", {}, lambda response: True)


def parsed(payload: bytes) -> HttpRequest:
    parser = RequestParser()
    parser.feed(payload)
    (request,) = parser.requests
    assert isinstance(request, HttpRequest)
    return request


def test_requests_to_a_server_with_a_credential_have_a_valid_signature() -> None:
    server = Server("any", "1", 8000, 0, 0.0, EXAMPLE_CREDENTIAL)
    (prepared,) = prepare([LIST_TABLES], server.sign)
    request = parsed(prepared.payload)
    assert (request.body, request.headers[b"x-amz-target"]) == (b"{}", b"DynamoDB_20120810.ListTables")
    SignatureCheck(AccessKeys({EXAMPLE_CREDENTIAL.key_id: EXAMPLE_CREDENTIAL.secret}), time.time)(request)
    other = Server("any", "1", 8000, 0, 0.0, Credential(EXAMPLE_CREDENTIAL.key_id, "another secret"))
    with pytest.raises(RequestRefused):
        SignatureCheck(AccessKeys({EXAMPLE_CREDENTIAL.key_id: "secret"}), time.time)(parsed(other.sign(LIST_TABLES)))


def test_requests_to_other_servers_are_the_same_for_every_server() -> None:
    assert Server("any", "1", 8000, 0, 0.0).sign is unsigned
    assert unsigned(LIST_TABLES) == LIST_TABLES.payload
