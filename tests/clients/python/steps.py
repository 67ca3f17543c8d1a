"""What the scripts of this folder share: they run where only their client is installed, and so without pytest."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Generator
from contextlib import contextmanager
from typing import Any


@contextmanager
def refused(kind: type[Exception]) -> Generator[list[Any], None, None]:
    """Expect this very exception of a client's; it is in the list afterwards."""
    caught: list[Any] = []
    try:
        yield caught
    except kind as refusal:
        caught.append(refusal)
    else:
        raise AssertionError(f"nothing was refused: {kind.__name__} was expected")


def run(*steps: Callable[[], Coroutine[Any, Any, None] | None]) -> None:
    """Do one step after the other, and say which, so that the last one named is the one that failed."""
    for step in steps:
        print(step.__name__.replace("_", " "), flush=True)
        if (awaited := step()) is not None:
            asyncio.run(awaited)
