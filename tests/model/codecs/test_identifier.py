"""UUIDs: one way to write each."""

from __future__ import annotations

from uuid import UUID

import pytest

from singletable.errors import KeyRefused
from singletable.model.codecs.codec import Order
from singletable.model.codecs.identifier import UuidCodec

TEXT = "6fa459ea-ee8a-3ca4-894e-db77e160355e"
CODEC = UuidCodec("#")


def test_a_uuid_is_36_lower_case_characters() -> None:
    assert CODEC.encode(UUID(TEXT.upper())) == TEXT
    assert CODEC.decode(TEXT) == UUID(TEXT)
    assert CODEC.width == len(TEXT)


@pytest.mark.parametrize("value", [TEXT, None, 1])
def test_what_is_no_uuid_is_refused(value: object) -> None:
    with pytest.raises(KeyRefused, match=r"is not a UUID for {field}; pass UUID"):
        CODEC.encode(value)


@pytest.mark.parametrize(
    "text", ["", TEXT.upper(), TEXT.replace("-", ""), f"{{{TEXT}}}", f"urn:uuid:{TEXT}", TEXT[:-1]]
)
def test_another_way_to_write_it_is_refused(text: str) -> None:
    with pytest.raises(KeyRefused, match="is not the text of a UUID"):
        CODEC.decode(text)


def test_it_sorts_and_ends() -> None:
    assert CODEC.order is Order.ASCENDING
    assert CODEC.last_text == str(UUID(int=2**128 - 1))


def test_a_dash_that_is_the_delimiter_spans_segments() -> None:
    assert UuidCodec("-").spans_segments
    assert not CODEC.spans_segments
