"""Selection of codecs by type and format, and the errors for unsupported ones."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from enum import Enum, IntEnum
from typing import Any, Literal, NewType
from uuid import UUID

import pytest

from singletable.model.codecs.boolean_codec import BooleanCodec
from singletable.model.codecs.choose_codec import choose_codec
from singletable.model.codecs.codec import Codec
from singletable.model.codecs.date_codec import DateCodec
from singletable.model.codecs.datetime_codec import DatetimeCodec
from singletable.model.codecs.descending_codec import DescendingCodec
from singletable.model.codecs.enum_codec import EnumCodec, LiteralCodec
from singletable.model.codecs.fixed_point_codec import FixedPointCodec
from singletable.model.codecs.integer_codec import IntegerCodec
from singletable.model.codecs.number_codec import NumberCodec
from singletable.model.codecs.path_codec import PathCodec
from singletable.model.codecs.raw_codec import RawCodec
from singletable.model.codecs.text_codec import TextCodec
from singletable.model.codecs.uuid_codec import UuidCodec

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
        (Literal["a", "b"], "", LiteralCodec("#", ("a", "b"))),
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
        (datetime, "", DatetimeCodec("#", "%Y-%m-%dT%H:%M:%S.%fZ")),
        (datetime, "seconds", DatetimeCodec("#", SECONDS)),
        (datetime, "%Y-%m-%dT%H:%M", DatetimeCodec("#", "%Y-%m-%dT%H:%M")),
        (date, "", DateCodec("#")),
        (date, "%Y-%m", DateCodec("#", "%Y-%m")),
        (Status, "", EnumCodec("#", Status)),
        (Level, "", EnumCodec("#", Level)),
        (Level, "02d", EnumCodec("#", Level, 2)),
        (UUID, "", UuidCodec("#")),
        (bool, "", BooleanCodec("#")),
        (tuple[str, ...], "", PathCodec("#")),
        (tuple[str, ...], "path", PathCodec("#")),
        (tuple[CustomerId, ...], "path", PathCodec("#")),
        (datetime, "desc", DescendingCodec("#", DatetimeCodec("#", "%Y-%m-%dT%H:%M:%S.%fZ"))),
        (datetime, "seconds:desc", DescendingCodec("#", DatetimeCodec("#", SECONDS))),
        (datetime, f"{SECONDS}:desc", DescendingCodec("#", DatetimeCodec("#", SECONDS))),
        (date, ":desc", DescendingCodec("#", DateCodec("#"))),
        (int, "03d:desc", DescendingCodec("#", IntegerCodec("#", 3))),
        (float, "desc", DescendingCodec("#", NumberCodec("#", float))),
    ],
)
def test_choose_codec_selects_a_codec_by_type_and_format(python_type: Any, spec: str, codec: Codec) -> None:
    assert choose_codec(python_type, spec, "#") == codec


def test_choose_codec_passes_the_delimiter_to_every_codec() -> None:
    codec = choose_codec(int, "number:desc", "|")
    assert codec == DescendingCodec("|", NumberCodec("|", int))


@pytest.mark.parametrize(
    ("python_type", "spec", "listed"),
    [
        (str, "03d", "{field}, {field:raw}"),
        (CustomerId, "path", "use {field}, {field:raw}"),
        (int, "3d", "{field:06d}, {field:number}"),
        (int, "00d", "{field:06d}"),
        (int, "seconds", "{field:06d}"),
        (Decimal, "03d", "{field:number}, {field:08.2f}"),
        (datetime, "second", "{field:microseconds}, .*{field:days}, or a format"),
        (datetime, "seconds:desc:desc", "{field:seconds}"),
        (date, "days", "{field:%Y-%m-%d}"),
        (UUID, "raw", "use {field}"),
        (bool, "1", "use {field}"),
        (Literal["a"], "raw", "use {field}"),
        (Status, "raw", "{field:02d} if its values are ints"),
        (tuple[str, ...], "raw", "{field:path}"),
    ],
)
def test_choose_codec_lists_the_valid_formats_for_an_unknown_format(python_type: Any, spec: str, listed: str) -> None:
    with pytest.raises(ValueError, match=f"is not supported for .*{listed}"):
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
        complex,
        object,
        None,
        Any,
        str | None,
        Literal["a", 1],
        Literal[1],
        NewType("Blob", bytes),
    ],
)
def test_choose_codec_lists_the_valid_types_for_an_unknown_type(python_type: Any) -> None:
    with pytest.raises(
        ValueError, match=r"is not supported in a key; supported types are str, int, .*tuple\[str, \.\.\.\]"
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
        (int, "09999d", "the width must be between"),
    ],
)
def test_choose_codec_explains_why_a_format_is_impossible(python_type: Any, spec: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        choose_codec(python_type, spec, "#")
