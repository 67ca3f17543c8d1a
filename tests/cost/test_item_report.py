"""One item, weighed."""

from __future__ import annotations

from pathlib import Path

import pytest

from singletable.cost.item_report import item_report
from singletable.values.scalars import canonical_number

CAPTURED = Path(__file__).parents[1] / "values" / "number_sizes.txt"
NUMBERS = [line.split() for line in CAPTURED.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]


def test_the_item_report_is_compared_with_34_captured_numbers() -> None:
    assert len(NUMBERS) == 34


@pytest.mark.parametrize(("number", "size"), NUMBERS)
def test_the_item_size_of_a_number_equals_the_captured_size(number: str, size: str) -> None:
    (attribute,) = item_report({"n": {"N": canonical_number(number)}}).attributes
    assert (attribute.type, attribute.name_bytes, attribute.value_bytes) == ("N", 1, int(size))


def test_the_item_report_adds_up_attribute_sizes() -> None:
    report = item_report({"é": {"S": "ü"}, "m": {"M": {"k": {"L": [{"BOOL": True}]}}}, "s": {"NS": ["1", "-2"]}})
    assert [each.total_bytes for each in report.attributes] == [4, 1 + 3 + 1 + 1 + 3 + 1 + 1, 1 + 2 + 3]
    assert report.total_bytes == sum(each.total_bytes for each in report.attributes)


def test_the_item_report_derives_values_from_the_size() -> None:
    report = item_report({"x": {"S": "x" * 4999}})
    assert report.total_bytes == 5000
    assert [each.units for each in report.operations] == [1, 2, 4, 5, 5, 5, 10, 5, 10]
    assert (report.items_per_page, report.items_per_read_unit) == (210, 0)
    assert (report.bytes_to_next_write_unit, report.stored_bytes) == (120, 5100)
    assert item_report({"x": {"S": "x" * 99}}).items_per_read_unit == 40


def test_the_item_report_accepts_an_item_of_400_kb() -> None:
    assert item_report({"x": {"S": "x" * 409_599}}).fits
    assert not item_report({"x": {"S": "x" * 409_600}}).fits
