"""A check for lists that are too long, which runs on large requests before they are decoded.

The decoder creates an object for each element of a list, and only then compares the length with the limit. For a body
of 16 MB with 200,000 actions, this takes seconds. This check counts the elements without decoding them.
"""

from __future__ import annotations

import typing
from functools import cache
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from singletable.wire.api_types import Shape, decoder_of

COUNTED_BYTES_MIN = 256 * 1024
"""The size from which requests are checked. A shorter request is decoded in milliseconds."""


def exceeds_list_limits(shape: type[Shape], body: bytes) -> bool:
    """Return whether a list in a request body has more elements than the shape allows.

    The decoder also finds such a list, so the check is useful only for bodies of at least COUNTED_BYTES_MIN.
    """
    decoder = _decoder(shape)
    if decoder is None:
        return False
    try:
        decoder.decode(body)
    except msgspec.ValidationError:
        return True
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return False  # the body is not JSON, which the decoder reports
    return False


@cache
def _decoder(shape: type[Shape]) -> msgspec.json.Decoder[Any] | None:
    """Return a decoder that counts the elements of the limited lists. Return None if the shape has no limited list."""
    hints = typing.get_type_hints(shape, include_extras=True)
    fields: list[tuple[str, Any, Any]] = []
    renamed: dict[str, str] = {}
    for info in msgspec.structs.fields(shape):
        counted = _counted(hints[info.name])
        if counted is not None:
            fields.append((info.name, counted | None, None))
            renamed[info.name] = info.encode_name
    return decoder_of(msgspec.defstruct(f"Counted{shape.__name__}", fields, rename=renamed)) if fields else None


def _counted(annotation: Any) -> Any:
    """Return the type that counts the elements of a limited list, or of the lists in a map.

    Return None for other types.
    """
    if typing.get_origin(annotation) is Annotated:
        inner, *metas = typing.get_args(annotation)
        limits = [each.max_length for each in metas if isinstance(each, Meta) and each.max_length is not None]
        if typing.get_origin(inner) is list and limits:
            return Annotated[list[msgspec.Raw], Meta(max_length=min(limits))]
        return _counted(inner)
    if typing.get_origin(annotation) is dict:
        counted = _counted(typing.get_args(annotation)[1])
        return None if counted is None else dict[str, counted | None]  # type: ignore[valid-type]  # computed
    alternatives = [each for each in typing.get_args(annotation) if each is not type(None)]
    is_optional = typing.get_origin(annotation) not in (list, None) and len(alternatives) == 1
    return _counted(alternatives[0]) if is_optional else None
