"""A model inferred from random items loads, and its entities write the same keys as the items."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from singletable.cli.load_model import load_tables
from singletable.client.items.decoder import Decoder, decoded_class
from singletable.importers.draft import Draft, DraftIndex
from singletable.importers.live.entity_groups import entity_groups
from singletable.importers.live.inference import inferred_table
from singletable.importers.live.misspelt_keys import with_corrected_keys
from singletable.importers.live.sampled_table import SampledTable
from singletable.importers.python_source import python_source
from singletable.model.design import Design
from singletable.planner.stored_items import item_of, values_of

WORDS = st.sampled_from(["USER", "ORDER", "METADATA", "u", "profile", "U1", "GEO2", "a%23", "x%", "", "{id}", "ü", "="])
VALUES = st.one_of(
    st.sampled_from(["1", "42", "007", "ada", "2026-01-02", "2026-01-02T03:04:05Z", "A1", "a b", "''", '"', "\\"]),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=4),
)
KEY_TEXTS = st.lists(st.one_of(WORDS, VALUES), min_size=1, max_size=4).map("#".join).filter(bool)
NUMBERS = st.integers(-50, 50).map(lambda number: {"N": str(number)})
TEXTS = KEY_TEXTS.map(lambda text: {"S": text})
BYTES = st.sampled_from(["AA==", "AAE="]).map(lambda text: {"B": text})
ATTRIBUTES = st.sampled_from(
    ["id", "name", "type", "class", "createdAt", "a-b", "entity_type", "ttl", "Name", "1st", "key"]
)
CONTENTS = st.one_of(
    TEXTS,
    NUMBERS,
    VALUES.map(lambda text: {"S": text}),
    st.sampled_from(
        [
            {"NULL": True},
            {"BOOL": True},
            {"L": [{"S": "a"}, {"S": "b"}]},
            {"M": {"x": {"N": "1"}}},
            {"SS": ["a"]},
            {"B": "AA=="},
            {"N": "1.50"},
            {"S": "2026-01-02T03:04:05.000000Z"},
        ]
    ),
)


@st.composite
def tables(draw: st.DrawFn) -> SampledTable:
    """Draw a table with random items; each key attribute has one type, as in DynamoDB."""
    keys = draw(st.sampled_from([("PK", "SK"), ("PK",), ("id", "Status#Date"), ("CustomerID", "at")]))
    indexes = draw(
        st.sampled_from(
            [
                (),
                (DraftIndex("gsi1", "GSI1", "GSI", ("GSI1PK",), ("GSI1SK",)),),
                (
                    DraftIndex("gsi1", "GSI1", "GSI", ("GSI1PK",)),
                    DraftIndex("by_name", "by-name", "GSI", ("name",), (keys[0],)),
                ),
            ]
        )
    )
    key_names = {*keys, *(name for index in indexes for name in (*index.partition, *index.sort))}
    kinds = {name: draw(st.sampled_from([TEXTS, TEXTS, TEXTS, NUMBERS, BYTES])) for name in sorted(key_names)}
    items: dict[str, dict[str, Any]] = {}
    for _ in range(draw(st.integers(0, 6))):
        item = {name: draw(CONTENTS) for name in draw(st.sets(ATTRIBUTES, max_size=4)) if name not in key_names}
        item |= {name: draw(kinds[name]) for name in sorted(key_names) if name in keys or draw(st.booleans())}
        items[repr([item[name] for name in keys])] = item
    return SampledTable("Things", keys, indexes, tuple(items.values()))


def design_of(table: SampledTable) -> Design:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "inferred_model.py"
        file.write_text(python_source(Draft("Inferred", (inferred_table(table),))), encoding="utf-8")
        try:
            (found,) = load_tables(str(file))
        finally:
            sys.modules.pop("inferred_model", None)
            sys.path.remove(str(file.parent.resolve()))
        return found.design


@settings(max_examples=150, deadline=None)
@given(tables())
def test_the_inference_from_any_items_writes_the_same_keys(table: SampledTable) -> None:
    design = design_of(table)
    corrected, _ = with_corrected_keys(table.without_empty_keys())
    _, clusters = entity_groups(corrected)
    assert len(design.entities) == (len(clusters) or 1)  # a table without items has one entity with only the keys
    for entity, cluster in zip(design.entities, clusters, strict=bool(clusters)):
        for item in cluster.items:
            assert decoded_again(design, entity.label, dict(item)) == {
                name: item[name] for name in key_names(table) if name in item and is_placed(design, entity.label, name)
            }


def key_names(table: SampledTable) -> list[str]:
    return [*table.keys, *(name for index in table.indexes for name in (*index.partition, *index.sort))]


def is_placed(design: Design, label: str, name: str) -> bool:
    entity = next(each for each in design.entities if each.label == label)
    return any(part.attribute == name for placement in entity.placements.values() for part in placement.parts)


def decoded_again(design: Design, label: str, item: dict[str, Any]) -> dict[str, Any]:
    """Return the keys that the entity writes for the values that it reads from an item."""
    entity = next(each for each in design.entities if each.label == label)
    value = Decoder(decoded_class(entity)).read(item)
    written = item_of(design, entity, values_of(entity, value))
    return {name: each for name, each in written.items() if is_placed(design, label, name)}
