"""The codec for raw text."""

from __future__ import annotations

from enum import Enum

import pytest

from singletable.errors import KeyRefused
from singletable.model.codecs.codec import SortOrder
from singletable.model.codecs.raw_codec import RawCodec
from singletable.model.regular_language import ANYTHING

CODEC = RawCodec("#")


class Plan(str, Enum):  # noqa: UP042  the old way to make a text enumeration, which users still have
    PRO = "pro"


@pytest.mark.parametrize("text", ["", "c1", "a#b c%", "\x00", "\U0010ffff"])
def test_a_raw_codec_does_not_change_text(text: str) -> None:
    assert CODEC.encode(text) == text
    assert CODEC.decode(text) == text


def test_a_raw_codec_writes_a_str_enum_member_as_its_value() -> None:
    assert type(CODEC.encode(Plan.PRO)) is str
    assert CODEC.encode(Plan.PRO) == "pro"


@pytest.mark.parametrize("value", [1, None, b"c1", ("c1",)])
def test_a_raw_codec_rejects_a_value_that_is_not_text(value: object) -> None:
    with pytest.raises(KeyRefused, match=r"is not a str for {field:raw}"):
        CODEC.encode(value)


def test_a_raw_codec_rejects_a_lone_surrogate() -> None:
    with pytest.raises(KeyRefused, match="lone surrogate"):
        CODEC.encode("a\ud800")
    with pytest.raises(KeyRefused, match="lone surrogate"):
        CODEC.decode("\udfff")


def test_a_raw_codec_rejects_the_range_end_character_with_other_delimiters() -> None:
    with pytest.raises(KeyRefused, match="reserved for ranges"):
        RawCodec("|").encode("\U0010ffff")


def test_a_raw_codec_marks_its_text_as_raw() -> None:
    assert CODEC.raw
    assert CODEC.spans_segments
    assert CODEC.language == ANYTHING
    assert CODEC.order is SortOrder.ASCENDING
