"""The memory of large request bodies: a limit for all connections. It is released when a client disconnects."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.engine.http.body_budget import BodyBudget
from singletable.engine.http.http_messages import HttpRequest
from singletable.errors import RequestRefused
from tests.engine.http.server_under_test import SECONDS_MAX, Peer, post, serving

MB = 1 << 20


class Holder:
    def __init__(self) -> None:
        self.drops = 0

    def drop_body(self) -> None:
        self.drops += 1


@given(st.lists(st.tuples(st.integers(0, 5), st.sampled_from([0, 1, 30, 60, 100])), max_size=40))
def test_the_body_budget_is_never_exceeded_and_drops_the_oldest_body(changes: list[tuple[int, int]]) -> None:
    budget, holders, held = BodyBudget(100), [Holder() for _ in range(6)], dict[int, int]()
    for number, held_bytes in changes:
        if held_bytes:
            held[number] = held_bytes
        else:
            held.pop(number, None)
        expected = [holder.drops for holder in holders]
        while sum(held.values()) > 100:
            oldest = next(iter(held))
            del held[oldest]
            expected[oldest] += 1
        budget.set_held(holders[number], held_bytes)
        assert (budget.total_bytes, [holder.drops for holder in holders]) == (sum(held.values()), expected)


def test_the_body_budget_returns_memory_to_the_system_after_many_large_bodies() -> None:
    returned = list[int]()
    budget, holders = BodyBudget(256 * MB, lambda: returned.append(budget.total_bytes)), [Holder() for _ in range(8)]
    for holder in holders:
        budget.set_held(holder, 16 * MB)
    for holder in holders:
        budget.set_held(holder, 0)
    assert returned == [64 * MB, 0]
    for _ in range(100):
        budget.set_held(holders[0], 16 * MB)
        budget.set_held(holders[0], 0)
    assert returned == [64 * MB, 0]


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS_MAX
    while not condition():
        assert time.monotonic() < deadline, "timed out"
        time.sleep(0.005)


def half(peer: Peer, length: int = MB) -> None:
    """Send a request without its last byte."""
    peer.send(post("Echo", bytes(length))[:-1])


def test_the_server_keeps_to_its_body_budget_and_rejects_the_longest_incomplete_request() -> None:
    budget = BodyBudget(4 * MB)
    with serving(bodies=budget) as served, ExitStack() as stack:
        peers = [stack.enter_context(served.peer()) for _ in range(6)]
        for peer, count in zip(peers, (1, 2, 3, 4, 4, 4), strict=True):
            half(peer)
            wait_until(lambda count=count: budget.total_bytes == count * (MB - 1))  # type: ignore[misc]
        for rejected in peers[:2]:
            answer = rejected.read()
            assert (answer.status, answer.headers["connection"]) == (503, "close")
        for peer in peers[2:]:
            peer.send(b"\0")
            assert peer.read().body == bytes(MB)
        assert budget.total_bytes == 0


def test_the_body_budget_is_free_again_as_soon_as_the_clients_leave() -> None:
    budget = BodyBudget(8 * MB)
    with serving(bodies=budget) as served:
        for _ in range(3):
            with ExitStack() as stack:
                for _ in range(4):
                    half(stack.enter_context(served.peer()))
                wait_until(lambda: budget.total_bytes == 4 * (MB - 1))
            wait_until(lambda: budget.total_bytes == 0)


def test_the_body_budget_counts_a_request_that_waits_for_a_client_that_does_not_read() -> None:
    budget = BodyBudget(2 * MB)
    with serving(bodies=budget) as served, ExitStack() as stack:
        first, second = (stack.enter_context(served.peer(receive_bytes=1 << 16)) for _ in range(2))
        first.send(post("Large") * 40 + post("Echo", bytes(MB)))
        wait_until(lambda: bool(served.engine.requests))
        half(second, 2 * MB - 100)
        wait_until(lambda: budget.total_bytes > MB)
        assert budget.total_bytes <= 2 * MB


@pytest.mark.parametrize("length", [MB, 100])
def test_the_body_budget_keeps_no_body_of_a_request_whose_head_is_rejected(length: int) -> None:
    def check(request: HttpRequest) -> None:
        if b"authorization" not in request.headers:
            raise RequestRefused("MissingAuthenticationTokenException", "no token")

    budget = BodyBudget(8 * MB)
    with serving(check=check, head_check=check, bodies=budget) as served, served.peer() as peer:
        half(peer, length)
        time.sleep(0.05)
        assert budget.total_bytes == 0
        peer.send(b"\0")
        answer = peer.read()
        assert (answer.status, answer.headers["connection"]) == (400, "keep-alive")
        assert b"MissingAuthenticationTokenException" in answer.body
        assert peer.request("Echo", b"[1]", authorization="AWS4-").body == b"[1]"


def test_the_body_budget_keeps_no_body_of_a_web_page() -> None:
    budget = BodyBudget(8 * MB)
    with serving(bodies=budget) as served, served.peer() as peer:
        peer.send(post("Echo", bytes(MB), origin="https://pages.example")[:-1])
        time.sleep(0.05)
        assert budget.total_bytes == 0
        peer.send(b"\0")
        assert peer.read().status == 403
