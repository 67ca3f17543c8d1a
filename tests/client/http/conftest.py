"""The two ways to send requests: on the caller's thread, or on an event loop."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.client.http.scripted import OnLoop, Sends, on_thread


@pytest.fixture(params=["thread", "loop"])
def send(request: pytest.FixtureRequest) -> Iterator[Sends]:
    if request.param == "thread":
        yield on_thread
        return
    on_loop = OnLoop()
    yield on_loop
    on_loop.runner.close()
