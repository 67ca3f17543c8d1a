"""Parts of a draft that cannot be loaded become notes; unserved patterns from the source file stay in the draft."""

from __future__ import annotations

from dataclasses import replace

import pytest

from singletable.cli.import_text import find_objections
from singletable.errors import ImportRefused
from singletable.importers.draft import (
    Draft,
    DraftEntity,
    DraftField,
    DraftIndex,
    DraftKeys,
    DraftParameter,
    DraftPattern,
    DraftTable,
)
from singletable.importers.validation import validated

FIELDS = (DraftField("id", "str"), DraftField("name", "str"))
USER = DraftEntity("User", FIELDS, {"key": DraftKeys(("USER#{id}",), ("PROFILE",))})
BY_ID = DraftPattern("by_id", "By id", "get", ("User",), (DraftParameter("id", "str"),))
BY_NAME = DraftPattern("by_name", "By name", "query", ("User",), (DraftParameter("name", "str"),))
TABLE = DraftTable("Shop", "Shop", (USER,), patterns=(BY_ID,))
GSI1 = DraftIndex("gsi1", "GSI1", "GSI", ("GSI1PK",), ("GSI1SK",))


def _validated(table: DraftTable) -> DraftTable:
    (made,) = validated(Draft("A shop", (table,)), find_objections).tables
    return made


def test_a_valid_draft_is_unchanged() -> None:
    assert _validated(TABLE) == TABLE


def test_validation_removes_an_unserved_pattern_only_if_it_was_proposed() -> None:
    table = replace(TABLE, patterns=(BY_ID, BY_NAME))
    assert _validated(table) == table
    assert _validated(replace(TABLE, patterns=(BY_ID, replace(BY_NAME, is_proposed=True)))) == TABLE


def test_the_validation_of_a_draft_turns_a_pattern_that_cannot_be_loaded_into_a_note() -> None:
    unknown = replace(BY_NAME, parameters=(DraftParameter("nobody", "str"),))
    made = _validated(replace(TABLE, patterns=(BY_ID, unknown)))
    assert made.patterns == (BY_ID,)
    assert made.notes[0].startswith("The pattern by_name (By name) was left out: ")


def test_the_validation_of_a_draft_turns_a_table_without_entities_into_a_note() -> None:
    broken = DraftEntity("Broken", FIELDS, {"key": DraftKeys(("B#{missing}",), ("X",))})
    lost = replace(BY_ID, name="lost", entities=("Broken",))
    other = DraftTable("Other", "Other", (broken,), patterns=(lost,))
    draft = validated(Draft("A shop", (TABLE, other)), find_objections)
    assert draft.tables == (TABLE,)
    assert draft.notes[0] == "The table Other was left out, because none of its entities can be imported."
    assert draft.notes[2] == "The pattern lost (By id) was left out: the entity Broken was left out."
    assert draft.notes[1].startswith("The entity Broken (PK, SK, id, name) was left out: ")


def test_validation_removes_invalid_index_keys_from_an_entity() -> None:
    user = replace(USER, keys={**USER.keys, "gsi1": DraftKeys(("NAME#{name}{id}",), ("USER",))})
    made = _validated(replace(TABLE, entities=(user,), indexes=(GSI1,)))
    assert (made.entities, made.indexes) == ((USER,), ())
    assert made.notes[0].startswith("User is not in the index GSI1 (GSI1PK, GSI1SK): ")
    assert made.notes[1] == "The index GSI1 (GSI1PK, GSI1SK) was left out, because no entity has its keys."


def test_validation_removes_an_invalid_entity_and_its_patterns() -> None:
    broken = DraftEntity("Broken", FIELDS, {"key": DraftKeys(("B#{missing}",), ("X",))})
    lost = replace(BY_ID, name="lost", entities=("Broken",))
    made = _validated(replace(TABLE, entities=(USER, broken), patterns=(BY_ID, lost)))
    assert (made.entities, made.patterns) == ((USER,), (BY_ID,))
    assert len(made.notes) == 2
    with pytest.raises(
        ImportRefused, match=r"no entity can be imported\n  The entity Broken \(PK, SK, id, name\) was left out"
    ):
        validated(Draft("A shop", (replace(TABLE, entities=(broken,), patterns=()),)), find_objections)


def test_validation_removes_a_ttl_field_of_the_wrong_type() -> None:
    made = _validated(replace(TABLE, entities=(replace(USER, ttl="name"),)))
    assert made.entities == (USER,)
    assert "ttl=name was left out" in made.notes[0]
