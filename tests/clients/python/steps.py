"""Steps and expected exceptions for the scripts of this folder, which run without pytest."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Generator
from contextlib import contextmanager
from typing import Any


@contextmanager
def raises(kind: type[Exception]) -> Generator[list[Any], None, None]:
    """Expect an exception of this class. After the block, the list contains it."""
    caught: list[Any] = []
    try:
        yield caught
    except kind as error:
        caught.append(error)
    else:
        raise AssertionError(f"{kind.__name__} was not raised")


def run(*steps: Callable[[], Coroutine[Any, Any, None] | None]) -> None:
    """Run the steps in order. Print the name of each step first, so that the last printed step is the failed one."""
    for step in steps:
        print(step.__name__.replace("_", " "), flush=True)
        if (awaited := step()) is not None:
            asyncio.run(awaited)
