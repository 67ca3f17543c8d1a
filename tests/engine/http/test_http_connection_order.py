"""Pipelined requests on several HTTP connections: each client gets its own responses, in the order of its requests.

Each test id contains its seed. `make soak` runs more seeds.
"""

from __future__ import annotations

import asyncio
import random
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack

import pytest

from tests.engine.http.server_under_test import SECONDS_MAX, Peer, post, serving
from tests.engine.soak import longer

LOOPS: list[Callable[[], asyncio.AbstractEventLoop]] = [asyncio.new_event_loop]
try:
    import uvloop

    LOOPS.append(uvloop.new_event_loop)
except ModuleNotFoundError:
    pass

# The loops read at most 256 KB at a time, so the longer bodies arrive in several reads.
BODY_BYTES = (10, 10, 1_000, 300_000, 700_000)
TURNS = 3


class SendingThread(threading.Thread):
    """Sends the requests of one client, cut into pieces at random places."""

    def __init__(self, peer: Peer, requests: list[tuple[str, bytes]], chance: random.Random) -> None:
        super().__init__()
        self.peer = peer
        data = b"".join(post(action, body) for action, body in requests)
        cuts = sorted(chance.randrange(len(data)) for _ in range(chance.randrange(4)))
        self.pieces = [data[start:end] for start, end in zip([0, *cuts], [*cuts, len(data)], strict=True)]

    def run(self) -> None:
        for piece in self.pieces:
            self.peer.send(piece)


def requests_of(client: int, chance: random.Random) -> list[tuple[str, bytes]]:
    return [
        (chance.choice(("Write", "Echo")), b"%d.%d." % (client, number) + bytes(chance.choice(BODY_BYTES)))
        for number in range(chance.randrange(1, 5))
    ]


@pytest.mark.parametrize("loop_factory", LOOPS, ids=lambda factory: factory.__module__.partition(".")[0])
@pytest.mark.parametrize("seed", [f"seed-{number}" for number in range(longer(6))])
def test_an_http_connection_keeps_the_order_of_responses_among_flushes_and_large_bodies(
    seed: str, loop_factory: Callable[[], asyncio.AbstractEventLoop]
) -> None:
    chance = random.Random(seed)

    def flush() -> None:
        time.sleep(chance.choice((0.0, 0.001, 0.004)))

    with serving(flush=flush, loop_factory=loop_factory) as served, ExitStack() as stack:
        peers = [stack.enter_context(served.peer()) for _ in range(chance.randrange(2, 5))]
        for _ in range(TURNS):
            sent = [requests_of(client, chance) for client in range(len(peers))]
            release = served.hold()
            threads = [SendingThread(peer, requests, chance) for peer, requests in zip(peers, sent, strict=True)]
            for thread in threads:
                thread.start()
            time.sleep(chance.choice((0.0, 0.005, 0.02)))
            release()
            answered = [[peer.read().body[:10] for _ in requests] for peer, requests in zip(peers, sent, strict=True)]
            assert answered == [[body[:10] for _, body in requests] for requests in sent], seed
            for thread in threads:
                thread.join(SECONDS_MAX)
