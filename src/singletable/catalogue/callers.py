"""Callers: the function of the application that sends a request, which gives an access pattern its name."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from types import FrameType

from singletable.lazy_dataclass import dataclass

LIBRARIES = frozenset(
    {
        *("aioboto3", "aiobotocore", "boto3", "botocore", "s3transfer", "singletable"),
        *("asyncio", "concurrent", "contextlib", "functools", "threading"),
        *("aws_xray_sdk", "ddtrace", "opentelemetry", "sentry_sdk", "tenacity", "wrapt"),
    }
)
"""The packages whose functions are not the caller: the libraries of AWS, and libraries that wrap or retry calls."""
_EXAMPLES = "singletable.examples."
_CLIENT = "singletable.client.connected_table"
"""The module of our client that runs declared patterns. Its functions have the plan of the pattern."""
_EVENT_LOOPS = frozenset({"asyncio.events", "asyncio.base_events", "asyncio.runners"})


@dataclass(frozen=True)
class Caller:
    """A function of the application, with the file and the line of its call."""

    file: str
    line: int
    function: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.function}"


def caller_of(frame: FrameType | None, ignored: Collection[str] = ()) -> Caller | None:
    """Return the first function outside the libraries. Return None if there is none.

    A private function (`_read`) is not the caller if another function of the same file calls it. `ignored` are more
    modules that are not the caller, such as the application's own wrapper of boto3. If our own client sends the
    request, the caller is the declared pattern.
    """
    while frame is not None and _is_skipped(module := frame.f_globals.get("__name__", ""), ignored):
        if module in _EVENT_LOOPS:
            return _of_context.get()  # the functions below started the event loop, not the request
        if module == _CLIENT and (declared := _declared_pattern(frame)) is not None:
            return declared
        frame = frame.f_back
    if frame is None:
        return _of_context.get()
    while (
        frame.f_back is not None
        and _is_private(frame.f_code.co_name)
        and frame.f_back.f_code.co_filename == frame.f_code.co_filename
        and frame.f_back.f_code.co_name != "<module>"
    ):
        frame = frame.f_back
    return _caller(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_qualname)


def _declared_pattern(frame: FrameType) -> Caller | None:
    """Return the pattern that a function of our client runs, at its declaration."""
    plan, client = frame.f_locals.get("plan"), frame.f_locals.get("self")
    if plan is None or client is None:
        return None
    place = plan.pattern.location
    return _caller(place.file, place.line, f"{client.reader.design.name}.{plan.pattern.name}")


def _is_skipped(module: str, ignored: Collection[str]) -> bool:
    if module.partition(".")[0] in LIBRARIES and not module.startswith(_EXAMPLES):
        return True
    return any(module == each or module.startswith(f"{each}.") for each in ignored)


def _is_private(name: str) -> bool:
    return name.startswith(("_", "<")) and name != "<module>" and not name.endswith("__")


@lru_cache(2048)
def _caller(file: str, line: int, qualified: str) -> Caller:
    return Caller(_shown_file(file), line, _shown_function(qualified))


def _shown_file(file: str) -> str:
    """Return a path relative to the working directory, or its last three parts."""
    try:
        shown = os.path.relpath(file)
    except ValueError:  # another drive of Windows
        shown = file
    parts = shown.replace(os.sep, "/").split("/")
    return "/".join(parts if parts[0] != ".." else file.replace(os.sep, "/").split("/")[-3:])


def _shown_function(qualified: str) -> str:
    """Return the name of a function without parts such as `<locals>`. A comprehension gets the name of its function."""
    parts = [part for part in qualified.split(".") if not part.startswith("<") or part == "<module>"]
    return ".".join(parts) or qualified


_of_context: ContextVar[Caller | None] = ContextVar("caller_of_context", default=None)


@contextmanager
def caller_in_context() -> Generator[None, None, None]:
    """Remember the caller for the tasks and threads that send its requests. They have a copy of this context."""
    token = _of_context.set(current_caller())
    try:
        yield
    finally:
        _of_context.reset(token)


def current_caller(ignored: Collection[str] = ()) -> Caller | None:
    """Return the caller of the running function."""
    return caller_of(sys._getframe(1), ignored)
