"""Which codec a type and a spec make, and what is said when they make none."""

from __future__ import annotations

from datetime import date, datetime, time
from decimal import Decimal
from enum import Enum, IntEnum
from typing import Any, Literal, NewType
from uuid import UUID

import pytest

from singletable.model.codecs.boolean import BooleanCodec
from singletable.model.codecs.choose import choose_codec
from singletable.model.codecs.codec import Codec
from singletable.model.codecs.day import DayCodec
from singletable.model.codecs.descending import DescendingCodec
from singletable.model.codecs.enumeration import ChoiceCodec, EnumCodec
from singletable.model.codecs.fixed_point import FixedPointCodec
from singletable.model.codecs.identifier import UuidCodec
from singletable.model.codecs.integer import IntegerCodec
from singletable.model.codecs.moment import MomentCodec
from singletable.model.codecs.number import NumberCodec
from singletable.model.codecs.path import PathCodec
from singletable.model.codecs.raw import RawCodec
from singletable.model.codecs.text import TextCodec

CustomerId = NewType("CustomerId", str)
VipId = NewType("VipId", CustomerId)


class Status(Enum):
    OPEN = "open"


class Level(IntEnum):
    LOW = 1


SECONDS = "%Y-%m-%dT%H:%M:%SZ"


@pytest.mark.parametrize(
    ("python_type", "spec", "codec"),
    [
        (str, "", TextCodec("#")),
        (str, "raw", RawCodec("#")),
        (VipId, "", TextCodec("#")),
        (Literal["a", "b"], "", ChoiceCodec("#", ("a", "b"))),
        (int, "", IntegerCodec("#")),
        (int, "03d", IntegerCodec("#", 3)),
        (int, "012d", IntegerCodec("#", 12)),
        (int, "number", NumberCodec("#", int)),
        (int, "08.2f", FixedPointCodec("#", 8, 2, int)),
        (Decimal, "", NumberCodec("#", Decimal)),
        (Decimal, "number", NumberCodec("#", Decimal)),
        (Decimal, "08.2f", FixedPointCodec("#", 8, 2, Decimal)),
        (float, "", NumberCodec("#", float)),
        (float, "010.3f", FixedPointCodec("#", 10, 3, float)),
        (datetime, "", MomentCodec("#", "%Y-%m-%dT%H:%M:%S.%fZ")),
        (datetime, "seconds", MomentCodec("#", SECONDS)),
        (datetime, "%Y-%m-%dT%H:%M", MomentCodec("#", "%Y-%m-%dT%H:%M")),
        (date, "", DayCodec("#")),
        (date, "%Y-%m", DayCodec("#", "%Y-%m")),
        (Status, "", EnumCodec("#", Status)),
        (Level, "", EnumCodec("#", Level)),
        (Level, "02d", EnumCodec("#", Level, 2)),
        (UUID, "", UuidCodec("#")),
        (bool, "", BooleanCodec("#")),
        (tuple[str, ...], "", PathCodec("#")),
        (tuple[str, ...], "path", PathCodec("#")),
        (tuple[CustomerId, ...], "path", PathCodec("#")),
        (datetime, "desc", DescendingCodec("#", MomentCodec("#", "%Y-%m-%dT%H:%M:%S.%fZ"))),
        (datetime, "seconds:desc", DescendingCodec("#", MomentCodec("#", SECONDS))),
        (datetime, f"{SECONDS}:desc", DescendingCodec("#", MomentCodec("#", SECONDS))),
        (date, ":desc", DescendingCodec("#", DayCodec("#"))),
        (int, "03d:desc", DescendingCodec("#", IntegerCodec("#", 3))),
        (float, "desc", DescendingCodec("#", NumberCodec("#", float))),
    ],
)
def test_a_type_and_a_spec_make_a_codec(python_type: Any, spec: str, codec: Codec) -> None:
    assert choose_codec(python_type, spec, "#") == codec


def test_the_delimiter_reaches_every_codec() -> None:
    codec = choose_codec(int, "number:desc", "|")
    assert codec == DescendingCodec("|", NumberCodec("|", int))


@pytest.mark.parametrize(
    ("python_type", "spec", "listed"),
    [
        (str, "03d", "{field}, {field:raw}"),
        (CustomerId, "path", "it can be {field}, {field:raw}"),
        (int, "3d", "{field:06d}, {field:number}"),
        (int, "00d", "{field:06d}"),
        (int, "seconds", "{field:06d}"),
        (Decimal, "03d", "{field:number}, {field:08.2f}"),
        (datetime, "second", "{field:microseconds}, .*{field:days}, or a format"),
        (datetime, "seconds:desc:desc", "{field:seconds}"),
        (date, "days", "{field:%Y-%m-%d}"),
        (UUID, "raw", "it can be {field}"),
        (bool, "1", "it can be {field}"),
        (Literal["a"], "raw", "it can be {field}"),
        (Status, "raw", "{field:02d} when its values are whole numbers"),
        (tuple[str, ...], "raw", "{field:path}"),
    ],
)
def test_an_unknown_spec_lists_what_the_type_can_have(python_type: Any, spec: str, listed: str) -> None:
    with pytest.raises(ValueError, match=f"is unknown for .*{listed}"):
        choose_codec(python_type, spec, "#")


@pytest.mark.parametrize(
    "python_type",
    [
        bytes,
        list[str],
        tuple[str],
        tuple[str, int],
        tuple[int, ...],
        tuple,
        dict,
        time,
        object,
        None,
        Any,
        str | None,
        Literal["a", 1],
        Literal[1],
        NewType("Blob", bytes),
    ],
)
def test_an_unknown_type_lists_the_types_of_keys(python_type: Any) -> None:
    with pytest.raises(
        ValueError, match=r"has no place in a key; a field of a key is str, int, .*tuple\[str, \.\.\.\]"
    ):
        choose_codec(python_type, "", "#")


@pytest.mark.parametrize(
    ("python_type", "spec", "message"),
    [
        (str, "desc", "descending order needs"),
        (int, "desc", "descending order needs .*{field:06d:desc}"),
        (Status, "desc", "descending order needs"),
        (datetime, "%Y-%d", "%m is missing"),
        (Status, "02d", "Status.OPEN is 'open'"),
        (Decimal, "03.2f", "no digit before the point"),
        (int, "09999d", "digits wide"),
    ],
)
def test_a_spec_that_cannot_be_kept_says_why(python_type: Any, spec: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        choose_codec(python_type, spec, "#")
