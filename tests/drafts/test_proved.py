"""What does not hold in a draft is left out with its reason, and everything else stays."""

from __future__ import annotations

from dataclasses import replace

import pytest

from singletable.cli.import_text import find_objections
from singletable.drafts.draft import (
    Draft,
    DraftEntity,
    DraftField,
    DraftIndex,
    DraftKeys,
    DraftParameter,
    DraftPattern,
    DraftTable,
)
from singletable.drafts.proved import proved
from singletable.errors import ImportRefused

FIELDS = (DraftField("id", "str"), DraftField("name", "str"))
USER = DraftEntity("User", FIELDS, {"key": DraftKeys(("USER#{id}",), ("PROFILE",))})
BY_ID = DraftPattern("by_id", "By id", "get", ("User",), (DraftParameter("id", "str"),))
BY_NAME = DraftPattern("by_name", "By name", "query", ("User",), (DraftParameter("name", "str"),))
TABLE = DraftTable("Shop", "Shop", (USER,), patterns=(BY_ID,))
GSI1 = DraftIndex("gsi1", "GSI1", "GSI", ("GSI1PK",), ("GSI1SK",))


def _proved(table: DraftTable, *, are_proposed: bool = False) -> DraftTable:
    (made,) = proved(Draft("A shop", (table,)), find_objections, are_proposed=are_proposed).tables
    return made


def test_a_draft_that_holds_is_not_changed() -> None:
    assert _proved(TABLE) == TABLE


def test_a_pattern_that_is_no_request_becomes_a_note_unless_it_was_only_proposed() -> None:
    table = replace(TABLE, patterns=(BY_ID, BY_NAME))
    made = _proved(table)
    assert made.patterns == (BY_ID,)
    assert made.notes[0].startswith("by_name (By name) was left out: ")
    assert _proved(table, are_proposed=True) == TABLE


def test_an_entity_loses_an_index_that_it_cannot_be_in() -> None:
    user = replace(USER, keys={**USER.keys, "gsi1": DraftKeys(("NAME#{name}{id}",), ("USER",))})
    made = _proved(replace(TABLE, entities=(user,), indexes=(GSI1,)))
    assert (made.entities, made.indexes) == ((USER,), ())
    assert made.notes[0].startswith("User is not in gsi1: ")


def test_an_entity_that_is_no_model_is_left_out_with_its_patterns() -> None:
    broken = DraftEntity("Broken", FIELDS, {"key": DraftKeys(("B#{missing}",), ("X",))})
    lost = replace(BY_ID, name="lost", entities=("Broken",))
    made = _proved(replace(TABLE, entities=(USER, broken), patterns=(BY_ID, lost)))
    assert (made.entities, made.patterns) == ((USER,), (BY_ID,))
    assert len(made.notes) == 2
    with pytest.raises(ImportRefused, match=r"none of its entities can be a model\n  Broken was left out"):
        proved(Draft("A shop", (replace(TABLE, entities=(broken,), patterns=()),)), find_objections)


def test_a_field_that_cannot_expire_items_is_no_ttl() -> None:
    made = _proved(replace(TABLE, entities=(replace(USER, ttl="name"),)))
    assert made.entities == (USER,)
    assert "do not expire by name" in made.notes[0]
