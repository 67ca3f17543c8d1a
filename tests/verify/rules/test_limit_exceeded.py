"""DynamoDB's limits: what is exactly at a limit fits, and one more does not."""

import dataclasses
from collections.abc import Sequence
from typing import Any

import pytest

from singletable import GSI, LSI, entity, include, native
from singletable.errors import Location
from singletable.model.design import Design, compile_design
from singletable.model.table_schema import TableSettings
from singletable.verify.design_check import check

FIELDS = [(name, str) for name in ("id", "a", "b", "c", "d", "e")]


def limits_exceeded(design: Design) -> list[str]:
    return [finding.message for finding in check(design).findings if finding.code == "ST111"]


def design_of(
    name: str = "Things",
    keys: tuple[str, str] | None = None,
    indexes: Sequence[GSI | LSI] = (),
    **declared: Any,
) -> Design:
    thing = entity(**{"key": ("THING#{id}", "META"), **declared})(dataclasses.make_dataclass("Thing", FIELDS))
    return compile_design(TableSettings(name, Location(__file__, 1), keys, indexes), [thing], [])


@pytest.mark.parametrize(("count", "messages"), [(20, []), (21, ["the table has 21 GSIs, but DynamoDB allows 20"])])
def test_limit_exceeded_is_found_for_more_than_twenty_global_indexes(count: int, messages: list[str]) -> None:
    placed: dict[str, Any] = {f"gsi{number}": (f"{number}#{{a}}", "{id}") for number in range(count)}
    assert limits_exceeded(design_of(**placed)) == messages


@pytest.mark.parametrize(("count", "messages"), [(5, []), (6, ["the table has 6 LSIs, but DynamoDB allows 5"])])
def test_limit_exceeded_is_found_for_more_than_five_local_indexes(count: int, messages: list[str]) -> None:
    placed: dict[str, Any] = {f"lsi{number}": "{a}" for number in range(count)}
    assert limits_exceeded(design_of(**placed)) == messages


def test_limit_exceeded_counts_local_and_global_indexes_separately() -> None:
    placed: dict[str, Any] = {f"gsi{number}": (f"{number}#{{a}}", "{id}") for number in range(20)}
    placed |= {f"lsi{number}": "{a}" for number in range(5)}
    assert limits_exceeded(design_of(**placed)) == []


@pytest.mark.parametrize("fields", ["a b c d", "a b c d e"])
@pytest.mark.parametrize("side", ["partition", "sort"])
def test_limit_exceeded_is_found_for_a_key_with_more_than_four_attributes(fields: str, side: str) -> None:
    many = tuple(native(name) for name in fields.split())
    gsi1 = (many, native("id")) if side == "partition" else (native("id"), many)
    exceeded = limits_exceeded(design_of(gsi1=gsi1))
    assert exceeded == ([] if len(many) == 4 else ["the partition key or sort key of GSI1 has more than 4 attributes"])


@pytest.mark.parametrize(("size", "fits"), [(409_600, True), (409_601, False)])
def test_limit_exceeded_is_found_for_an_item_of_more_than_400_kilobytes(size: int, fits: bool) -> None:
    assert (limits_exceeded(design_of(expected_bytes=size)) == []) is fits


@pytest.mark.parametrize(("count", "fits"), [(10 * 1024**2, True), (10 * 1024**2 + 1, False)])
def test_limit_exceeded_is_found_for_a_partition_of_more_than_ten_gigabytes_with_a_local_index(
    count: int, fits: bool
) -> None:
    declared: dict[str, Any] = {"expected_bytes": 1024, "expected_per_partition": count}
    assert (limits_exceeded(design_of(lsi1="{a}", **declared)) == []) is fits
    assert limits_exceeded(design_of(gsi1=("{a}", "{b}"), **declared)) == []


@pytest.mark.parametrize(
    ("literal", "fits"), [("X" * 1024, True), ("X" * 1025, False), ("é" * 512, True), ("é" * 513, False)]
)
def test_limit_exceeded_is_found_for_a_sort_key_of_more_than_1024_bytes(literal: str, fits: bool) -> None:
    assert (limits_exceeded(design_of(gsi1=("{a}", literal))) == []) is fits


@pytest.mark.parametrize(("characters", "fits"), [(2048, True), (2049, False)])
def test_limit_exceeded_is_found_for_a_partition_key_of_more_than_2048_bytes(characters: int, fits: bool) -> None:
    assert (limits_exceeded(design_of(gsi1=("X" * characters, "{id}"))) == []) is fits


@pytest.mark.parametrize(
    ("name", "fits"),
    [
        ("abc", True),
        ("ab", False),
        ("a" * 255, True),
        ("a" * 256, False),
        ("a.b-c_D9", True),
        ("a b c", False),
        ("größe", False),
        ("abc\n", False),
    ],
)
def test_limit_exceeded_is_found_for_an_index_name_without_3_to_255_valid_characters(name: str, fits: bool) -> None:
    exceeded = limits_exceeded(design_of(name=name))
    assert exceeded == ([] if fits else [f"{name!r} is not a valid table or index name"])
    index = GSI("gsi1", name=name, keys=("GSI1PK", "GSI1SK"))
    assert (limits_exceeded(design_of(indexes=[index], gsi1=("{a}", "{b}"))) == []) is fits


@pytest.mark.parametrize(("name", "fits"), [("a" * 255, True), ("a" * 256, False), ("é" * 128, False)])
def test_limit_exceeded_is_found_for_a_key_attribute_name_of_more_than_255_bytes(name: str, fits: bool) -> None:
    exceeded = limits_exceeded(design_of(keys=(name, "SK")))
    assert exceeded == ([] if fits else [f"{name!r} is not a valid key attribute name"])


@pytest.mark.parametrize(("count", "fits"), [(50, True), (51, False)])
def test_limit_exceeded_is_found_when_indexes_include_more_than_a_hundred_attributes_together(
    count: int, fits: bool
) -> None:
    projection = include(*(f"note{number}" for number in range(count)))
    indexes = [GSI("gsi1", projection=projection), GSI("gsi2", projection=projection)]
    assert (limits_exceeded(design_of(indexes=indexes, gsi1=("{a}", "{b}"), gsi2=("{c}", "{d}"))) == []) is fits


def test_limit_exceeded_reports_all_limits_at_once() -> None:
    exceeded = limits_exceeded(design_of(name="T", keys=("P" * 256, "SK"), expected_bytes=500_000))
    assert [message.partition(" ")[0] for message in exceeded] == ["'T'", f"'{'P' * 256}'", "Thing:"]
