"""The codec for UUIDs."""

from __future__ import annotations

from uuid import UUID

import pytest

from singletable.errors import KeyRefused
from singletable.model.codecs.codec import SortOrder
from singletable.model.codecs.uuid_codec import UuidCodec

TEXT = "6fa459ea-ee8a-3ca4-894e-db77e160355e"
CODEC = UuidCodec("#")


def test_a_uuid_codec_writes_36_lower_case_characters() -> None:
    assert CODEC.encode(UUID(TEXT.upper())) == TEXT
    assert CODEC.decode(TEXT) == UUID(TEXT)
    assert CODEC.width == len(TEXT)


@pytest.mark.parametrize("value", [TEXT, None, 1])
def test_a_uuid_codec_rejects_a_value_that_is_not_a_uuid(value: object) -> None:
    with pytest.raises(KeyRefused, match=r"is not a UUID for {field}; pass UUID"):
        CODEC.encode(value)


@pytest.mark.parametrize(
    "text", ["", TEXT.upper(), TEXT.replace("-", ""), f"{{{TEXT}}}", f"urn:uuid:{TEXT}", TEXT[:-1]]
)
def test_a_uuid_codec_rejects_other_spellings(text: str) -> None:
    with pytest.raises(KeyRefused, match="is not a UUID"):
        CODEC.decode(text)


def test_a_uuid_codec_sorts_values_and_has_a_last_text() -> None:
    assert CODEC.order is SortOrder.ASCENDING
    assert CODEC.last_text == str(UUID(int=2**128 - 1))


def test_a_uuid_codec_with_a_dash_as_delimiter_spans_segments() -> None:
    assert UuidCodec("-").spans_segments
    assert not CODEC.spans_segments
