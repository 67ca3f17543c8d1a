"""Several requests at the same time on one thread. Each has its own connection and result."""

from __future__ import annotations

import os
import time
from contextlib import closing
from typing import Any

import pytest

from singletable import RequestRefused, Unreachable
from singletable.client.http.sync_connection import SyncConnection
from tests.client.http.scripted import CLOSE, OK, RESET, Action, refused, response, scripted

BODY = b'{"ok":true}'
LATE: list[Action] = [0.3, OK]
SILENT: list[Action] = [2.0, OK]
EIGHT = [("PutItem", b'{"n":%d}' % number) for number in range(8)]


def test_sync_connections_send_all_requests_before_they_read_a_response() -> None:
    with scripted(*[LATE] * 8) as server, closing(server.transport()) as transport:
        start = time.monotonic()
        assert transport.send_each(EIGHT) == [BODY] * 8
        assert time.monotonic() - start < 8 * 0.3 / 2
        assert server.connections == 8
        assert transport.send_each(EIGHT) == [BODY] * 8
        assert server.connections == 8


def test_sync_connections_return_each_response_for_its_request() -> None:
    with scripted() as server, closing(server.transport()) as transport:
        transport.send_each(EIGHT)
        sent = [request.rpartition(b"\r\n\r\n")[2] for request in server.requests]
        assert sorted(sent) == [body for _, body in EIGHT]
        server.script.extend([[response(200, body)] for body in sent])
        outcomes = transport.send_each(EIGHT)
        assert sorted(map(bytes, outcomes)) == sorted(sent)  # type: ignore[arg-type]  # all of them are bodies


@pytest.mark.parametrize("ending", [CLOSE, RESET])
def test_sync_connections_return_other_responses_after_a_lost_one(ending: str) -> None:
    with scripted([ending], [OK], [refused("ThrottlingException", "slower")]) as server:
        with closing(server.transport()) as transport:
            outcomes = transport.send_each(EIGHT[:3])
        kinds = sorted(type(each).__name__ for each in outcomes)
        assert kinds == ["Throttled", "Unreachable", "bytes"]
        (lost,) = [each for each in outcomes if isinstance(each, Unreachable)]
        assert lost.sent


def test_sync_connections_replace_connections_that_the_server_closed() -> None:
    with scripted() as server, closing(server.transport()) as transport:
        transport.send_each(EIGHT)
        server.script.extend([[OK, CLOSE]] * 8)
        transport.send_each(EIGHT)
        time.sleep(0.4)  # longer than the time for which an idle connection is used without a check
        assert transport.send_each(EIGHT) == [BODY] * 8
        assert server.connections == 16


def test_sync_connections_time_out_once_for_all_requests() -> None:
    with scripted(*[SILENT] * 8) as server, closing(server.transport(read=0.3)) as transport:
        start = time.monotonic()
        outcomes = transport.send_each(EIGHT)
        assert time.monotonic() - start < 3 * 0.3
        assert all(isinstance(each, Unreachable) for each in outcomes)


def test_sync_connections_are_not_reused_with_an_unread_response(monkeypatch: pytest.MonkeyPatch) -> None:
    answer, calls = SyncConnection.response, []

    def interrupted(connection: SyncConnection) -> Any:
        calls.append(connection)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return answer(connection)

    with scripted() as server, closing(server.transport()) as transport:
        monkeypatch.setattr(SyncConnection, "response", interrupted)
        with pytest.raises(KeyboardInterrupt):
            transport.send_each(EIGHT)
        assert len(transport._pool._idle) == 2  # the connections whose responses were read
        while len(server.requests) < 8:
            time.sleep(0.01)
        server.script.extend([[response(200, b'{"second":true}')]] * 8)
        assert transport.send_each(EIGHT) == [b'{"second":true}'] * 8


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks on this system")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_sync_connections_are_new_in_a_forked_child() -> None:
    with scripted() as server, closing(server.transport()) as transport:
        transport.send_each(EIGHT)
        child = os.fork()
        if child == 0:
            try:
                os._exit(0 if transport.send_each(EIGHT) == [BODY] * 8 else 1)
            finally:
                os._exit(2)
        assert os.waitpid(child, 0)[1] == 0
        assert transport.send_each(EIGHT) == [BODY] * 8


def test_sync_connections_return_an_error_that_is_not_from_dynamodb() -> None:
    with scripted([response(503, b"<html>")], [OK]) as server, closing(server.transport()) as transport:
        outcomes = transport.send_each(EIGHT[:2])
        assert {type(each) for each in outcomes} <= {Unreachable, RequestRefused, bytes}
        assert BODY in outcomes
