"""Which key attributes an update writes, and what it must know for them."""

from __future__ import annotations

from dataclasses import dataclass

from singletable import Table, entity, sparse
from singletable.planner.key_rewrites import key_rewrites


@entity(key=("T#{id}", "T"), gsi1=("LIST#{list}", "{due}#{id}"), gsi2=sparse("WHO#{who}", "{due}"))
@dataclass
class Task:
    id: str
    list: str
    due: str
    who: str | None = None


class Tasks(Table, entities=[Task]):
    pass


def told(changed: set[str], lost: set[str] | frozenset[str] = frozenset()) -> dict[str, tuple[list[str], set[str]]]:
    (task,) = Tasks.design.entities
    return {
        rewrite.placement.index.alias: ([part.attribute for part in rewrite.parts], set(rewrite.needed))
        for rewrite in key_rewrites(task, changed, lost)
    }


def test_of_an_index_that_has_every_item_only_the_attributes_with_a_changed_field_are_written() -> None:
    assert told({"list"}) == {"gsi1": (["GSI1PK"], {"list"})}


def test_of_a_sparse_index_all_attributes_are_written_and_all_fields_must_be_known() -> None:
    assert told({"due"})["gsi2"] == (["GSI2PK", "GSI2SK"], {"who", "due"})
    assert told({"due"})["gsi1"] == (["GSI1SK"], {"due", "id"})


def test_an_item_that_loses_a_field_leaves_the_index_and_nothing_must_be_known() -> None:
    assert told({"who"}, {"who"}) == {"gsi2": (["GSI2PK", "GSI2SK"], set())}


def test_what_no_index_has_changes_no_key() -> None:
    assert told({"title"}) == {}
