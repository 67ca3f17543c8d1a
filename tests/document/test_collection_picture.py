"""Pictures of item collections: layout, colours, brackets and valid SVG."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from singletable.document.collection_picture import draw_collections
from singletable.document.item_collections import CollectionRow, ItemCollection

SVG = "{http://www.w3.org/2000/svg}"

rows = st.builds(
    CollectionRow,
    sort_key=st.none() | st.text(),
    entity=st.text(min_size=1, max_size=40),
    attributes=st.lists(st.tuples(st.text(max_size=40), st.text()), max_size=8).map(tuple),
    is_read=st.booleans(),
)
partitions = st.lists(
    st.builds(ItemCollection, st.text(), st.lists(rows, min_size=1, max_size=4).map(tuple)), max_size=3
)

DRAWER = ItemCollection(
    "CUST#c1",
    (
        CollectionRow("ORDER#1", "Order", (("total", "12"),), is_read=True),
        CollectionRow("ORDER#2", "Order", (("total", "7"),), is_read=True),
        CollectionRow("PROFILE", "Customer", (("name", "Ada"),)),
    ),
)


def drawn(*partitions: ItemCollection, **options: object) -> ET.Element:
    return ET.fromstring(draw_collections("Orders", "the table", partitions, **options))  # type: ignore[arg-type]


def texts(picture: ET.Element) -> list[str]:
    return [element.text or "" for element in picture.iter(f"{SVG}text")]


def of_class(picture: ET.Element, name: str) -> list[ET.Element]:
    return [element for element in picture.iter() if element.get("class") == name]


def test_a_collection_picture_shows_title_keys_and_every_row() -> None:
    said = texts(drawn(DRAWER))
    wanted = ["Orders", "the table · PK, SK", "PK", "CUST#c1", "ORDER#1", "Order", "total", "12", "PROFILE", "Ada"]
    assert [text for text in wanted if text not in said] == []


def test_a_collection_picture_gives_every_entity_its_own_colour() -> None:
    picture = drawn(DRAWER, entities=["Customer", "Order"])
    assert len(of_class(picture, "pill0")) == 1
    assert len(of_class(picture, "pill1")) == 2


def test_a_collection_picture_marks_each_run_of_rows_that_are_read_with_a_bracket() -> None:
    first, second, third = DRAWER.rows
    gap = ItemCollection("CUST#c1", (first, third, second))
    assert len(of_class(drawn(DRAWER, read_by="orders()"), "bracket")) == 1
    assert len(of_class(drawn(gap, read_by="orders()"), "bracket")) == 2
    assert of_class(drawn(ItemCollection("CUST#c1", (third,))), "bracket") == []


def test_a_collection_picture_wraps_or_truncates_long_keys() -> None:
    long = ItemCollection(
        "UNIQUE#User#email#" + "x" * 300, (CollectionRow("S" * 300, "Order", (("note", "n" * 300),)),)
    )
    assert max(len(text) for text in texts(drawn(long))) <= 46


@given(partitions)
def test_a_collection_picture_of_any_text_is_valid_and_deterministic_svg(
    partitions: list[ItemCollection],
) -> None:
    once = draw_collections("T", "I", partitions)
    ET.fromstring(once)
    assert draw_collections("T", "I", partitions) == once


@given(partitions)
def test_a_collection_picture_contains_every_shape_inside_its_bounds(partitions: list[ItemCollection]) -> None:
    picture = ET.fromstring(draw_collections("T", "I", partitions))
    width, height = float(picture.get("width", 0)), float(picture.get("height", 0))
    for element in picture.iter(f"{SVG}rect"):
        assert float(element.get("x", 0)) + float(element.get("width", 0)) <= width + 0.2
        assert float(element.get("y", 0)) + float(element.get("height", 0)) <= height + 0.2
    for element in picture.iter(f"{SVG}text"):
        assert 0 < float(element.get("y", 0)) < height


def test_a_collection_picture_shows_markup_in_values_as_text() -> None:
    hostile = ItemCollection("<script>", (CollectionRow("\"&'", "</svg>", (("a", "]]>"),)),))
    assert {"<script>", "\"&'", "</svg>", "]]>"} <= set(texts(drawn(hostile)))


def test_a_collection_picture_has_two_themes_and_no_external_resources() -> None:
    picture = draw_collections("Orders", "the table", [DRAWER])
    assert "@media (prefers-color-scheme: dark)" in picture
    assert not re.search(r"url\(|@import|<script|<image|href=", picture)


def test_a_collection_picture_can_be_embedded_in_a_page() -> None:
    style = drawn(DRAWER).findtext(f"{SVG}style") or ""
    rules = [line.strip() for line in style.splitlines() if "{" in line and not line.startswith("@")]
    assert rules
    assert [rule for rule in rules if not rule.startswith(".singletable-collections ")] == []
