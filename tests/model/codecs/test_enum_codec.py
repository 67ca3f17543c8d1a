"""The codecs for enums and literals."""

from __future__ import annotations

from enum import Enum, Flag, IntEnum, StrEnum

import pytest

from singletable.errors import KeyRefused
from singletable.model.codecs.codec import SortOrder
from singletable.model.codecs.enum_codec import EnumCodec, LiteralCodec
from singletable.model.regular_language import any_of


class Status(Enum):
    PENDING = "pending"
    OPEN = "open #1"
    SHIPPED = "shipped"


class Plan(StrEnum):
    FREE = "free"
    PRO = "pro"


class Level(IntEnum):
    HIGH = 10
    LOW = 9


class Nothing(Enum):
    pass


class Rights(Flag):
    READ = 1
    WRITE = 2


class Sizes(Enum):
    SMALL = 1.5


class Twins(Enum):
    ONE = 1
    TEXT = "1"


class Mixed(Enum):
    ONE = 1
    TEXT = "a"


class Temperature(Enum):
    COLD = -1
    WARM = 2


def test_an_enum_codec_writes_a_member_as_its_value() -> None:
    assert EnumCodec("#", Plan).encode(Plan.PRO) == "pro"
    assert EnumCodec("#", Level).encode(Level.HIGH) == "10"
    assert EnumCodec("#", Status).encode(Status.OPEN) == "open%20%231"


@pytest.mark.parametrize("enum_type", [Status, Plan, Level, Mixed, Temperature])
@pytest.mark.parametrize("delimiter", ["#", "-", "e"])
def test_an_enum_codec_round_trips_every_member(enum_type: type[Enum], delimiter: str) -> None:
    codec = EnumCodec(delimiter, enum_type)
    assert [codec.decode(codec.encode(member)) for member in enum_type] == list(enum_type)
    assert set(codec.domain) == set(enum_type)
    assert codec.language == any_of(codec.encode(member) for member in codec.domain)


@pytest.mark.parametrize("value", ["pending", Plan.FREE, "PENDING", None, 1])
def test_an_enum_codec_rejects_a_value_that_is_not_a_member(value: object) -> None:
    with pytest.raises(KeyRefused, match=r"is not an enum member for {field}; pass a member, such as Status.PENDING"):
        EnumCodec("#", Status).encode(value)


@pytest.mark.parametrize("text", ["", "PENDING", "open #1", "lost"])
def test_an_enum_codec_rejects_a_text_that_is_not_a_member(text: str) -> None:
    expected = r"is not a member of Status for {field}; expected open%20%231, pending, shipped"
    with pytest.raises(KeyRefused, match=expected):
        EnumCodec("#", Status).decode(text)


def test_an_enum_codec_sorts_members_by_value_not_by_declaration() -> None:
    codec = EnumCodec("#", Status)
    assert codec.order is SortOrder.ASCENDING
    assert codec.unordered_reason == ""
    assert codec.domain == (Status.OPEN, Status.PENDING, Status.SHIPPED)
    assert codec.last_text == "shipped"


def test_an_enum_codec_sorts_numbers_only_if_their_texts_sort() -> None:
    assert EnumCodec("#", Level).order is SortOrder.NONE
    assert "(9, 10); use a fixed width, such as {field:02d}" in EnumCodec("#", Level).unordered_reason
    assert EnumCodec("#", Temperature).order is SortOrder.ASCENDING
    assert EnumCodec("#", Mixed).order is SortOrder.NONE


def test_an_enum_codec_with_a_width_sorts_numbers() -> None:
    codec = EnumCodec("#", Level, 2)
    assert codec.encode(Level.LOW) == "09"
    assert codec.decode("09") is Level.LOW
    assert codec.order is SortOrder.ASCENDING
    assert codec.width == 2


@pytest.mark.parametrize(
    ("enum_type", "digits", "message"),
    [
        (Nothing, None, "Nothing has no members"),
        (Rights, None, "Rights is a Flag"),
        (Sizes, None, "Sizes.SMALL is 1.5; in a key, the value of a member must be a str or an int"),
        (Twins, None, "two members of Twins have the same text"),
        (Plan, 2, "Plan.FREE is 'free', which does not fit {field:02d}"),
        (Level, 1, "Level.HIGH is 10, which does not fit {field:01d}"),
        (Temperature, 2, "Temperature.COLD is -1, which does not fit {field:02d}"),
    ],
)
def test_an_enum_codec_of_an_enum_that_cannot_be_in_a_key_is_a_value_error(
    enum_type: type[Enum], digits: int | None, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        EnumCodec("#", enum_type, digits)


def test_an_enum_codec_writes_a_literal_as_text() -> None:
    codec = LiteralCodec("#", ("b", "a b", "a"))
    assert codec.encode("a b") == "a%20b"
    assert [codec.decode(codec.encode(value)) for value in codec.values] == list(codec.values)
    assert codec.domain == ("a", "a b", "b")
    assert codec.last_text == "b"
    assert codec.width is None


@pytest.mark.parametrize("value", ["c", "", None, 1, ["a"]])
def test_an_enum_codec_rejects_a_value_outside_the_literal(value: object) -> None:
    with pytest.raises(KeyRefused, match=r"is not a value of {field}; pass 'a', 'b'"):
        LiteralCodec("#", ("a", "b")).encode(value)


@pytest.mark.parametrize("text", ["c", "", "A"])
def test_an_enum_codec_rejects_a_text_outside_the_literal(text: str) -> None:
    with pytest.raises(KeyRefused, match=r"is not a value of {field}; expected a, b"):
        LiteralCodec("#", ("a", "b")).decode(text)


def test_an_enum_codec_sorts_texts_with_a_common_prefix_only_with_the_hash_delimiter() -> None:
    assert LiteralCodec("#", ("a", "ab")).order is SortOrder.ASCENDING
    assert LiteralCodec("|", ("a", "ab")).order is SortOrder.NONE
    assert "do not sort correctly; use '#'" in LiteralCodec("|", ("a", "ab")).unordered_reason
    assert LiteralCodec("|", ("ax", "bx")).order is SortOrder.ASCENDING


def test_an_enum_codec_of_an_empty_literal_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="at least one"):
        LiteralCodec("#", ())
