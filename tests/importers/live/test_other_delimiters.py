"""Keys with two characters as a delimiter: their templates keep the delimiter, and the items can be read."""

from __future__ import annotations

import pytest

from singletable.importers.draft import DraftIndex
from singletable.importers.live.inference import inferred_table
from singletable.importers.live.other_delimiters import other_delimiter
from singletable.importers.live.sampled_table import SampledTable
from tests.importers.imported import loaded_design

GSI = DraftIndex("gsi1", "GSI1", "GSI", ("GSI1PK",), ("GSI1SK",))


def sampled(*rows: dict[str, str]) -> SampledTable:
    items = tuple({name: {"S": text} for name, text in row.items()} for row in rows)
    return SampledTable("Parks", ("PK", "SK"), (GSI,), items)


def rows(pair: str) -> list[dict[str, str]]:
    return [
        {"PK": f"park{pair}p{each}", "SK": "park", "GSI1PK": f"area{pair}a{each}", "GSI1SK": f"park{pair}p{each}"}
        for each in (17, 28)
    ]


@pytest.mark.parametrize("pair", ["::", "||"])
def test_a_pair_of_characters_in_most_keys_is_the_delimiter(pair: str) -> None:
    draft = inferred_table(sampled(*rows(pair), {"PK": "x", "SK": "y"}))
    assert draft.entities[0].keys["key"].partition == (f"park{pair}{{park_id}}",)
    assert draft.entities[0].keys["gsi1"].sort == (f"park{pair}{{park_id}}",)
    assert draft.delimiter == pair[0]


def test_a_model_with_another_delimiter_encodes_the_keys_of_the_items() -> None:
    with loaded_design(inferred_table(sampled(*rows("::")))) as design:
        (entity,) = design.entities
        values = {"park_id": "p17", "area_id": "a17"}
        assert [part.encode(values) for part in entity.base.parts] == ["park::p17", "park"]


@pytest.mark.parametrize(
    "table", [sampled({"PK": "a#1", "SK": "b::c"}), sampled({"PK": "User:1", "SK": "x"}), sampled()]
)
def test_keys_with_the_usual_delimiter_have_no_other_one(table: SampledTable) -> None:
    assert other_delimiter(table) is None
