"""JSON decoders, created under one lock.

msgspec analyses a type when it creates the first decoder for it, and stores the result in the type before the analysis
is complete. If a second thread creates a decoder for the same type at that time, msgspec dereferences a null pointer
and the process crashes. So this module creates every decoder under a lock; using a decoder needs no lock.
"""

from __future__ import annotations

import threading
from typing import TypeVar

import msgspec

T = TypeVar("T")

_lock = threading.RLock()


def decoder_of(kind: type[T]) -> msgspec.json.Decoder[T]:
    """Return a decoder for a type; after this call, `msgspec.convert` to the type is thread-safe too."""
    with _lock:
        return msgspec.json.Decoder(kind)
