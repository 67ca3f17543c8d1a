"""Exact reading: a text is read only when writing the value it gives makes the very same text again."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from singletable.errors import KeyRefused
from singletable.model.codecs.codec import Codec

Value = TypeVar("Value")


def read_exactly(codec: Codec, text: str, parse: Callable[[str], Value], described: str) -> Value:
    """The value that `parse` finds in the text, once `codec` has written it back the same."""
    try:
        value = parse(text)
        if codec.encode(value) == text:
            return value
    except (ValueError, ArithmeticError):  # KeyRefused is a ValueError: a value the codec would not write either
        pass
    raise KeyRefused(f"{text!r} is not the text of {described}; this key was written by another template")
