"""Notes on reads that no key serves, and on items and entities that an index does not contain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from singletable.importers.draft import DraftIndex, DraftKeys, DraftTable
from singletable.importers.live.inference import inferred_entities
from singletable.importers.live.sampled_table import SampledTable

GSI = DraftIndex("gsi1", "GSI1", "GSI", ("GSI1PK",), ("GSI1SK",))
Row = Mapping[str, str]


def stock(*in_index: bool, statuses: tuple[str, ...] = ()) -> DraftTable:
    """Return the draft of stock items, some of which have the keys of the index."""
    rows = []
    for number, is_in in enumerate(in_index):
        row = {"PK": f"p#{number}9", "SK": f"w#{number}5"}
        row |= {"GSI1PK": f"w#{number}5", "GSI1SK": f"p#{number}9"} if is_in else {}
        rows.append(row | ({"status": statuses[number]} if statuses else {}))
    return draft_of(*rows)


def draft_of(*rows: Row, indexes: tuple[DraftIndex, ...] = (GSI,)) -> DraftTable:
    items = tuple({name: {"S": text} for name, text in row.items()} for row in rows)
    return inferred_entities(SampledTable("Stock", ("PK", "SK"), indexes, items))


def test_an_index_gap_of_one_item_by_mistake_keeps_the_templates_and_adds_a_note() -> None:
    draft = stock(True, True, False)
    (entity,) = draft.entities
    assert entity.keys["gsi1"] == DraftKeys(("w#{w_id}",), ("p#{p_id}",))
    assert any("1 of 3 items are missing from the index GSI1" in note and "PK=p#29" in note for note in draft.notes)


@pytest.mark.parametrize(
    "draft",
    [
        stock(True, False, False),  # the majority is not in the index
        stock(True, False),
        stock(True, True, True, False, statuses=("open", "open", "open", "sold")),  # the status explains it
    ],
)
def test_an_index_gap_with_a_reason_stays_as_it_is(draft: DraftTable) -> None:
    assert not any("are missing from the index" in note for note in draft.notes)
    assert all("gsi1" not in entity.keys or entity.keys["gsi1"].sparse for entity in draft.entities)


def test_a_rare_item_without_a_field_of_a_sparse_index_is_named() -> None:
    index = replace(GSI, partition=("agent",), sort=("written",))
    rows = [{"PK": "c#1", "SK": f"n#{number}", "written": f"d{number}", "agent": f"A{number}"} for number in (1, 2)]
    draft = draft_of(*rows, {"PK": "c#1", "SK": "n#3", "written": "d3"}, indexes=(index,))
    assert any("because they have no agent: PK=c#1, SK=n#3" in note for note in draft.notes)


ORDER = {"PK": "o#17", "SK": "c#12", "Date": "2024-01-01T10:00:00"}
INVOICES = tuple(
    {
        "PK": f"o#1{number}",
        "SK": f"inv#3{number}",
        "customer_id": f"c{number}",
        "GSI1PK": f"c{number}",
        "GSI1SK": f"inv#3{number}",
    }
    for number in (1, 2, 3)
)


def test_an_entity_that_is_not_in_the_index_of_its_siblings_adds_a_note() -> None:
    receipt = {"PK": "o#14", "SK": "rec#9", "customer_id": "c4"}
    notes = draft_of(*INVOICES, receipt).notes
    assert any("is not in the index GSI1, although it has customer_id" in note for note in notes)
    assert not any("although it has" in note for note in draft_of(*INVOICES).notes)


def test_an_index_gap_note_names_an_entity_that_only_its_whole_key_reads() -> None:
    room, message = {"PK": "ROOM#r1", "SK": "META"}, {"PK": "USER#u1", "SK": "MSG#2024-01-01T10:00:00"}
    notes = draft_of(room, message, indexes=()).notes
    assert [note for note in notes if note.startswith("No key lists the items of Room")]
    assert not [note for note in draft_of(message, indexes=()).notes if note.startswith("No key lists")]


@pytest.mark.parametrize(
    ("sort", "is_noted"), [("POST#7", True), ("POST#2024-01-01T10:00:00", False)], ids=["by id", "by time"]
)
def test_an_index_gap_note_names_a_list_that_is_not_in_the_order_of_time(sort: str, is_noted: bool) -> None:
    draft = draft_of({"PK": "USER#u1", "SK": sort, "created_at": "2024-01-01T10:00:00"}, indexes=())
    assert any("No key sorts these items by a time" in note for note in draft.notes) is is_noted


def test_an_index_gap_note_names_a_status_before_the_time_in_a_sort_key() -> None:
    rows = [
        {"PK": "unit-17", "SK": f"{state}#{time}", "state": state, "logged_at": time}
        for state, time in (("OK", "2024-01-01"), ("BAD", "2024-01-02"), ("OK", "2024-01-03"))
    ]
    notes = draft_of(*rows, indexes=()).notes
    assert any("state is before logged_at in the sort key" in note for note in notes)


def test_an_index_gap_note_names_an_id_that_lists_the_children_without_the_parent() -> None:
    parents = [{"PK": f"{number}7", "SK": "TALK", "id": f"{number}7"} for number in range(3)]
    children = [
        {"PK": f"{number}7", "SK": f"TALK#COMMENT#2024-01-0{day}T10:00:00Z", "id": f"{number}7"}
        for number in range(3)
        for day in (1, 2)
    ]
    (note,) = (note for note in draft_of(*parents, *children).notes if note.startswith("No key lists"))
    assert note.startswith("No key lists the items of Talk:")


def test_a_part_of_an_index_key_adds_a_note() -> None:
    rows = [{"PK": f"p#{number}9", "SK": f"w#{number}5", "GSI1PK": "stock"} for number in range(2)]
    (note,) = (note for note in draft_of(*rows).notes if note.startswith("StockItem"))
    assert note.startswith("StockItem: GSI1PK was left out. The index GSI1 does not contain the items")
    assert "they have no GSI1SK" in note


def test_two_indexes_by_fields_of_one_meaning_need_two_reads() -> None:
    second = replace(GSI, alias="gsi2", name="GSI2", partition=("GSI2PK",), sort=("GSI2SK",))
    rows = [
        {"PK": f"GAME#{game}", "SK": f"GAME#{game}", "home_team": home, "away_team": away, "GSI1PK": f"TEAM#{home}"}
        | {"GSI1SK": f"GAME#{game}", "GSI2PK": f"TEAM#{away}", "GSI2SK": f"GAME#{game}"}
        for game, home, away in (("g17", "t11", "t22"), ("g28", "t33", "t44"))
    ]
    notes = draft_of(*rows, indexes=(GSI, second)).notes
    assert any(
        "Game: the indexes have the partition TEAM#... for home_team and for away_team" in note for note in notes
    )
