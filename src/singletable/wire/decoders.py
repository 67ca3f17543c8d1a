"""Decoders of JSON, made one at a time.

msgspec learns what a type holds when the first decoder of it is made, and keeps that with the type before it is
complete. A second thread that makes a decoder of the same type meanwhile reads through a null pointer, and the process
is gone. So every decoder is made here, under one lock; using them needs none.
"""

from __future__ import annotations

import threading
from typing import TypeVar

import msgspec

T = TypeVar("T")

_making = threading.RLock()


def decoder_of(kind: type[T]) -> msgspec.json.Decoder[T]:
    """A decoder of a type; after this `msgspec.convert` to it is safe, too."""
    with _making:
        return msgspec.json.Decoder(kind)
