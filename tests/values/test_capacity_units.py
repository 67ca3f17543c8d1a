"""Units by DynamoDB's rules, for bytes that are read, written and indexed."""

from __future__ import annotations

import pytest

from singletable.values.capacity_units import (
    CONSISTENT,
    EVENTUAL,
    TRANSACTIONAL,
    entry_write_units,
    read_units,
    write_units,
)


@pytest.mark.parametrize(("size", "units"), [(0, 1), (1, 1), (4096, 1), (4097, 2), (409_600, 100)])
def test_reads_are_rounded_up_to_4_kb_and_nothing_costs_a_unit(size: int, units: int) -> None:
    assert read_units(size, CONSISTENT) == units
    assert read_units(size, EVENTUAL) == units / 2
    assert read_units(size, TRANSACTIONAL) == units * 2


@pytest.mark.parametrize(("size", "units"), [(0, 1), (1024, 1), (1025, 2), (409_600, 400)])
def test_writes_are_rounded_up_to_1_kb(size: int, units: int) -> None:
    assert write_units(size) == units


@pytest.mark.parametrize(
    ("old", "new", "is_moved", "is_changed", "units"),
    [
        (None, None, False, True, 0),
        (None, 3000, False, True, 3),
        (3000, None, False, True, 3),
        (3000, 3000, False, False, 0),
        (3000, 100, False, True, 3),
        (100, 3000, False, True, 3),
        (3000, 100, True, True, 4),
        (1500, 1500, True, True, 4),
    ],
)
def test_an_index_pays_for_what_becomes_of_its_entry(
    old: int | None, new: int | None, is_moved: bool, is_changed: bool, units: int
) -> None:
    assert entry_write_units(old, new, is_moved=is_moved, is_changed=is_changed) == units
