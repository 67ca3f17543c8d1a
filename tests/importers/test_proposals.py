"""A pattern proposed for an index reads that index; a note gives the reason if no pattern is proposed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path as FilePath

import pytest

from singletable.cli.import_text import import_draft
from singletable.expressions.tree import Path
from singletable.importers.draft import Draft, DraftEntity, DraftField, DraftIndex, DraftKeys, DraftTable, NativeKey
from singletable.importers.proposals import with_proposed_patterns
from singletable.planner.plan import Plan
from singletable.planner.planner import plan_all
from tests.importers.imported import loaded_design, reports

TICKET = DraftEntity(
    "Ticket",
    (
        DraftField("desk", "str"),
        DraftField("id", "str"),
        DraftField("opened", "datetime"),
        DraftField("title", "str", attribute="Title"),
    ),
    {"key": DraftKeys(("DESK#{desk}",), ("TICKET#{id}",))},
)
HELD = ("opened", "Title")


@dataclass(frozen=True)
class Case:
    """An index, the keys of the entity in it, and part of the expected note, or "" if a pattern reads the index."""

    index: DraftIndex
    keys: DraftKeys
    note: str = ""


LSI = DraftIndex("lsi1", "LSI1", "LSI", ("PK",), ("LSI1SK",))
GSI = DraftIndex("gsi1", "GSI1", "GSI", ("GSI1PK",), ("GSI1SK",))
BY_TIME = DraftKeys(("{opened}#{id}",))
BY_TITLE = DraftKeys(("TITLE#{title}",), ("{id}",))
CASES = {
    "a local index with everything": Case(LSI, BY_TIME),
    "a local index by an attribute": Case(replace(LSI, sort=("Title",)), DraftKeys((NativeKey("title"),))),
    "a local index with what is included": Case(replace(LSI, projection="INCLUDE", included=HELD), BY_TIME),
    "a local index with keys only": Case(replace(LSI, projection="KEYS_ONLY"), BY_TIME),
    "a local index that sorts as the table": Case(
        LSI, DraftKeys(("{id}",)), "the table returns items in the same order"
    ),
    "a global index with everything": Case(GSI, BY_TITLE),
    "a global index with what is included": Case(replace(GSI, projection="INCLUDE", included=HELD), BY_TITLE),
    "a global index that sorts the items of a table partition": Case(GSI, DraftKeys(("D#{desk}",), ("{opened}#{id}",))),
    "a global index that sorts as the table": Case(
        GSI, DraftKeys(("D#{desk}",), ("T#{id}",)), "the table returns items in the same order"
    ),
    "a global index with keys only": Case(replace(GSI, projection="KEYS_ONLY"), BY_TITLE),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_a_proposed_pattern_reads_the_index_that_it_is_proposed_for(case: Case) -> None:
    entity = replace(TICKET, keys={**TICKET.keys, case.index.alias: case.keys})
    made = with_proposed_patterns(DraftTable("Desk", "Desk", (entity,), indexes=(case.index,)))
    with loaded_design(made) as design:
        outcomes = plan_all(design)
    assert all(isinstance(outcome, Plan) for outcome in outcomes)
    read = [outcome.index.name for outcome in outcomes if isinstance(outcome, Plan) and not outcome.index.is_table]
    assert read == ([] if case.note else [case.index.name])
    hydrated = [each for each in made.patterns if each.hydrate]
    assert len(hydrated) == (1 if case.index.projection == "KEYS_ONLY" else 0), (
        "the attributes that the index lacks are fetched"
    )
    expected = "hydrate=True was added" if hydrated else case.note
    assert [expected in note for note in made.notes] == ([True] if expected else [])


def test_the_proposed_pattern_for_a_local_index_is_named_after_its_order() -> None:
    entity = replace(TICKET, keys={**TICKET.keys, "lsi1": BY_TIME})
    made = with_proposed_patterns(DraftTable("Desk", "Desk", (entity,), indexes=(LSI,)))
    assert {each.name: each.order_by for each in made.patterns} == {
        "get_ticket": None,
        "ticket_by_desk": None,
        "ticket_by_desk_in_order_of_opened": Path(("opened",)),
    }


def _named(name: str, sort: str) -> DraftEntity:
    fields = (DraftField("owner", "str"), DraftField("at", "str"))
    return DraftEntity(name, fields, {"key": DraftKeys(("{owner}",), (sort,))}, accept={"ST101": "as imported"})


def test_entities_that_sort_keys_do_not_separate_are_proposed_as_one_collection() -> None:
    mixed = with_proposed_patterns(DraftTable("Bank", "Bank", (_named("Call", "{at}"), _named("Bill", "{at}"))))
    kept = import_draft(Draft("Bank", (mixed,))).tables[0].patterns
    assert [each.name for each in kept] == ["get_call", "get_bill", "everything_by_owner"]
    separate = with_proposed_patterns(DraftTable("Bank", "Bank", (_named("Call", "C#{at}"), _named("Bill", "B#{at}"))))
    kept = import_draft(Draft("Bank", (separate,))).tables[0].patterns
    assert [each.name for each in kept] == ["get_call", "call_by_owner", "get_bill", "bill_by_owner"]


def test_proposed_collections_of_two_tables_in_one_file_have_their_own_classes(tmp_path: FilePath) -> None:
    tables = [
        with_proposed_patterns(DraftTable(name, name, (_named(f"{name}Call", "{at}"), _named(f"{name}Bill", "{at}"))))
        for name in ("First", "Second")
    ]
    first, second = reports(Draft("Two", tuple(tables)), tmp_path)
    assert {len(first.design.patterns), len(second.design.patterns)} == {3}
