"""Key overlap: the example that a finding shows is a key of both entities, and no two items meet without a finding."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from datetime import date
from typing import Any, Literal

from hypothesis import event, given
from hypothesis import strategies as st

from singletable import KeyRefused, entity
from singletable.errors import Location
from singletable.model.design import Design, compile_design
from singletable.model.keys import KeyValue, Placement
from singletable.model.table_schema import TableSettings
from singletable.verify.design_check import check
from singletable.verify.findings import Finding

FIELDS: dict[str, Any] = {"a": str, "b": str, "n": int, "d": date, "k": Literal["x", "xy"]}
# Texts that look like the templates' own literals and formats are those that could be taken for them.
TEXTS = st.sampled_from(["", "A", "B", "x", "xy", "1", "-1", "001", "2026-01-01", "A#B", "A%", "é"]) | st.text(
    max_size=3
)
VALUES = st.fixed_dictionaries(
    {
        "a": TEXTS,
        "b": TEXTS,
        "n": st.sampled_from([0, 1, 10, 999]),
        "d": st.sampled_from([date(2026, 1, 1), date(1, 1, 1)]),
        "k": st.sampled_from(["x", "xy"]),
    }
)
SEGMENTS = [
    "A",
    "B",
    "x",
    "001",
    "2026-01-01",
    "{a}",
    "{b}",
    "{n}",
    "{n:03d}",
    "{d}",
    "{k}",
    "A{n:03d}",
    "x{a}",
    "{k}B",
]
# Segments that can be the same text, in whatever way the two entities spell them.
ALIKE = [
    *((segment, segment) for segment in SEGMENTS),
    ("A", "{a}"),
    ("001", "{n:03d}"),
    ("001", "{b}"),
    ("2026-01-01", "{d}"),
    ("{n}", "{a}"),
    ("{n}", "{n:03d}"),
    ("{d}", "{b}"),
    ("{k}", "x"),
    ("{k}", "x{a}"),
    ("{k}B", "{a}"),
    ("{k}B", "x{a}"),
    ("A{n:03d}", "{b}"),
]
Pairs = list[tuple[str, str]]
MEETING: st.SearchStrategy[Pairs] = st.lists(
    st.sampled_from([*ALIKE, *((second, first) for first, second in ALIKE)]), min_size=1, max_size=3
)
MIXED: st.SearchStrategy[Pairs] = st.lists(
    st.sampled_from([(first, second) for first in SEGMENTS for second in SEGMENTS]) | st.sampled_from(ALIKE),
    min_size=1,
    max_size=3,
)
SHOWN = re.compile(r'First and Second can both have PK "(?P<PK>.*)", SK "(?P<SK>.*)"', re.DOTALL)


def design_of(partition: Pairs, sort: Pairs) -> Design:
    """Two entities whose keys are made of the first and of the second segments of the pairs."""
    keys = [tuple("#".join(pair[side] for pair in pairs) for pairs in (partition, sort)) for side in (0, 1)]
    classes = [
        entity(key=key, identity=())(dataclasses.make_dataclass(name, list(FIELDS.items())))
        for name, key in zip(("First", "Second"), keys, strict=True)
    ]
    return compile_design(TableSettings("Pairs", Location(__file__, 1)), classes, [])


def overlap_of(design: Design) -> Finding | None:
    found = [finding for finding in check(design).findings if finding.code == "ST101"]
    assert len(found) <= 1
    return found[0] if found else None


def is_key_of(placement: Placement, key: Mapping[str, KeyValue]) -> bool:
    try:
        return placement.encode(placement.decode(key)) == key
    except KeyRefused:
        return False


@given(MEETING, MEETING)
def test_key_overlap_is_found_with_an_example_key_of_both_templates(partition: Pairs, sort: Pairs) -> None:
    design = design_of(partition, sort)
    finding = overlap_of(design)
    assert finding is not None
    shown = SHOWN.fullmatch(finding.message)
    event("an example" if shown else "no example")
    for each in design.entities if shown else ():
        assert shown is not None
        assert is_key_of(each.base, shown.groupdict()), (finding.message, each.label)


@given(MIXED, MIXED, VALUES)
def test_key_overlap_is_found_for_any_two_items_with_the_same_key(
    partition: Pairs, sort: Pairs, values: dict[str, Any]
) -> None:
    design = design_of(partition, sort)
    first, second = design.entities
    try:
        key = first.base.encode(values)
    except KeyRefused:  # an empty text alone makes an empty key
        return
    assert key is not None
    meets = is_key_of(second.base, key)
    event("meets" if meets else "does not meet")
    assert overlap_of(design) is not None or not meets, key


def test_key_overlap_is_found_for_raw_text_that_can_be_every_key() -> None:
    finding = overlap_of(design_of([("A", "A")], [("{n:03d}#{d}", "{a:raw}")]))
    assert finding is not None
    assert finding.message == 'First and Second can both have PK "A", SK "111#1111-11-11"'


def test_key_overlap_is_prevented_by_escaping_a_delimiter_in_a_field() -> None:
    assert overlap_of(design_of([("A", "A")], [("{a}", "{a}#{b}")])) is None


def test_key_overlap_shows_no_example_that_a_field_in_both_key_attributes_rules_out() -> None:
    finding = overlap_of(design_of([("A", "A"), ("{a}", "{n:03d}")], [("B", "B"), ("{a}", "{d}")]))
    assert finding is not None
    assert finding.message == "First and Second have overlapping key templates"


def test_key_overlap_of_three_entities_with_one_template_is_three_findings() -> None:
    classes = [
        entity(key=("A#{a}", "{b}"), identity=())(dataclasses.make_dataclass(name, list(FIELDS.items())))
        for name in ("First", "Second", "Third")
    ]
    design = compile_design(TableSettings("Triple", Location(__file__, 1)), classes, [])
    assert [finding.code for finding in check(design).findings] == ["ST101"] * 3
