"""Source locations: the file and line of a declaration in the user's code."""

from __future__ import annotations

import inspect
import linecache
import sys
from collections.abc import Callable
from typing import Any

from singletable.errors import Location


def caller(depth: int = 1) -> Location:
    """Return the line that called the current function. A larger `depth` selects a caller further up the stack."""
    frame = sys._getframe(depth + 1)
    return Location(frame.f_code.co_filename, frame.f_lineno)


def user_code() -> Location:
    """Return the line of the user's code that called singletable: the innermost frame outside this package."""
    frame = sys._getframe(1)
    while frame.f_back is not None and str(frame.f_globals.get("__name__", "")).split(".")[0] == "singletable":
        frame = frame.f_back
    return Location(frame.f_code.co_filename, frame.f_lineno)


def user_stacklevel() -> int:
    """Return the `stacklevel` with which a warning of the current function points to the user's code."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and str(frame.f_globals.get("__name__", "")).split(".")[0] == "singletable":
        level, frame = level + 1, frame.f_back
    return level


def of_function(function: Callable[..., Any]) -> Location:
    """Return the location of the `def` of a function, below its decorators."""
    code = inspect.unwrap(function).__code__
    first = code.co_firstlineno
    # co_firstlineno is the line of the first decorator, so the `def` is between that line and the body.
    body = [line for *_, line in code.co_lines() if line is not None and line > first]
    definition = _definition_line(function, first, min(body, default=first))
    return Location(code.co_filename, definition)


def _definition_line(function: Callable[..., Any], first: int, body: int) -> int:
    for line in range(first, body + 1):
        text = linecache.getline(function.__code__.co_filename, line).lstrip()
        if text.startswith(("def ", "async def ")):
            return line
    return first
