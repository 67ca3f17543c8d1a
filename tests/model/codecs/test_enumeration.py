"""Enumerations and choices: few values, known texts, sorted by value."""

from __future__ import annotations

from enum import Enum, Flag, IntEnum, StrEnum

import pytest

from singletable.errors import KeyRefused
from singletable.model.codecs.codec import Order
from singletable.model.codecs.enumeration import ChoiceCodec, EnumCodec
from singletable.model.language import any_of


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


def test_a_member_is_written_as_its_value() -> None:
    assert EnumCodec("#", Plan).encode(Plan.PRO) == "pro"
    assert EnumCodec("#", Level).encode(Level.HIGH) == "10"
    assert EnumCodec("#", Status).encode(Status.OPEN) == "open%20%231"


@pytest.mark.parametrize("enum_type", [Status, Plan, Level, Mixed, Temperature])
@pytest.mark.parametrize("delimiter", ["#", "-", "e"])
def test_every_member_comes_back(enum_type: type[Enum], delimiter: str) -> None:
    codec = EnumCodec(delimiter, enum_type)
    assert [codec.decode(codec.encode(member)) for member in enum_type] == list(enum_type)
    assert set(codec.domain) == set(enum_type)
    assert codec.language == any_of(codec.encode(member) for member in codec.domain)


@pytest.mark.parametrize("value", ["pending", Plan.FREE, "PENDING", None, 1])
def test_what_is_no_member_is_refused(value: object) -> None:
    with pytest.raises(KeyRefused, match=r"is not a member for {field}; pass one, such as Status.PENDING"):
        EnumCodec("#", Status).encode(value)


@pytest.mark.parametrize("text", ["", "PENDING", "open #1", "lost"])
def test_a_text_of_no_member_is_refused(text: str) -> None:
    with pytest.raises(KeyRefused, match=r"is no member of Status, {field}; it has open%20%231, pending, shipped"):
        EnumCodec("#", Status).decode(text)


def test_texts_sort_by_value_and_not_by_declaration() -> None:
    codec = EnumCodec("#", Status)
    assert codec.order is Order.ASCENDING
    assert codec.unordered_reason == ""
    assert codec.domain == (Status.OPEN, Status.PENDING, Status.SHIPPED)
    assert codec.last_text == "shipped"


def test_numbers_sort_only_where_their_texts_do() -> None:
    assert EnumCodec("#", Level).order is Order.NONE
    assert "(9, 10); give them one width, such as {field:02d}" in EnumCodec("#", Level).unordered_reason
    assert EnumCodec("#", Temperature).order is Order.ASCENDING
    assert EnumCodec("#", Mixed).order is Order.NONE


def test_a_width_makes_numbers_sort() -> None:
    codec = EnumCodec("#", Level, 2)
    assert codec.encode(Level.LOW) == "09"
    assert codec.decode("09") is Level.LOW
    assert codec.order is Order.ASCENDING
    assert codec.width == 2


@pytest.mark.parametrize(
    ("enum_type", "digits", "message"),
    [
        (Nothing, None, "Nothing has no members"),
        (Rights, None, "Rights is a Flag"),
        (Sizes, None, "Sizes.SMALL is 1.5; in a key a member's value is a str or an int"),
        (Twins, None, "two members of Twins are written the same"),
        (Plan, 2, "Plan.FREE is 'free', which does not fit {field:02d}"),
        (Level, 1, "Level.HIGH is 10, which does not fit {field:01d}"),
        (Temperature, 2, "Temperature.COLD is -1, which does not fit {field:02d}"),
    ],
)
def test_an_enum_that_keys_cannot_hold_is_a_value_error(
    enum_type: type[Enum], digits: int | None, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        EnumCodec("#", enum_type, digits)


def test_a_choice_is_written_as_text() -> None:
    codec = ChoiceCodec("#", ("b", "a b", "a"))
    assert codec.encode("a b") == "a%20b"
    assert [codec.decode(codec.encode(value)) for value in codec.values] == list(codec.values)
    assert codec.domain == ("a", "a b", "b")
    assert codec.last_text == "b"
    assert codec.width is None


@pytest.mark.parametrize("value", ["c", "", None, 1, ["a"]])
def test_what_is_no_choice_is_refused(value: object) -> None:
    with pytest.raises(KeyRefused, match=r"is not one of the texts of {field}; pass 'a', 'b'"):
        ChoiceCodec("#", ("a", "b")).encode(value)


@pytest.mark.parametrize("text", ["c", "", "A"])
def test_a_text_of_no_choice_is_refused(text: str) -> None:
    with pytest.raises(KeyRefused, match=r"is none of the texts of {field}; it has a, b"):
        ChoiceCodec("#", ("a", "b")).decode(text)


def test_texts_that_begin_alike_do_not_sort_behind_every_delimiter() -> None:
    assert ChoiceCodec("#", ("a", "ab")).order is Order.ASCENDING
    assert ChoiceCodec("|", ("a", "ab")).order is Order.NONE
    assert "only '#' keeps their order" in ChoiceCodec("|", ("a", "ab")).unordered_reason
    assert ChoiceCodec("|", ("ax", "bx")).order is Order.ASCENDING


def test_a_choice_of_nothing_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="at least one"):
        ChoiceCodec("#", ())
