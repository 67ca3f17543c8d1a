"""Raw text: as it is, and marked as such."""

from __future__ import annotations

from enum import Enum

import pytest

from singletable.errors import KeyRefused
from singletable.model.codecs.codec import Order
from singletable.model.codecs.raw import RawCodec
from singletable.model.language import ANYTHING

CODEC = RawCodec("#")


class Plan(str, Enum):  # noqa: UP042  the old way to make a text enumeration, which users still have
    PRO = "pro"


@pytest.mark.parametrize("text", ["", "c1", "a#b c%", "\x00", "\U0010ffff"])
def test_text_stays_as_it_is(text: str) -> None:
    assert CODEC.encode(text) == text
    assert CODEC.decode(text) == text


def test_a_member_of_a_text_enumeration_is_its_text() -> None:
    assert type(CODEC.encode(Plan.PRO)) is str
    assert CODEC.encode(Plan.PRO) == "pro"


@pytest.mark.parametrize("value", [1, None, b"c1", ("c1",)])
def test_what_is_no_text_is_refused(value: object) -> None:
    with pytest.raises(KeyRefused, match=r"is not text .* for {field:raw}; pass a str"):
        CODEC.encode(value)


def test_half_of_a_surrogate_pair_is_refused() -> None:
    with pytest.raises(KeyRefused, match="half of a surrogate pair"):
        CODEC.encode("a\ud800")
    with pytest.raises(KeyRefused, match="half of a surrogate pair"):
        CODEC.decode("\udfff")


def test_what_ends_ranges_behind_other_delimiters_is_refused() -> None:
    with pytest.raises(KeyRefused, match="which ends ranges"):
        RawCodec("|").encode("\U0010ffff")


def test_it_says_what_it_is() -> None:
    assert CODEC.raw
    assert CODEC.spans_segments
    assert CODEC.language == ANYTHING
    assert CODEC.order is Order.ASCENDING
