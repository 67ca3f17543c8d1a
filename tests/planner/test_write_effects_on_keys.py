"""Which key attributes an update writes, and what it must know for them."""

from __future__ import annotations

from dataclasses import dataclass

from singletable import Table, entity, sparse
from singletable.planner.write_effects import key_rewrites


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


def test_write_effects_rewrite_only_keys_with_a_changed_field_in_a_complete_index() -> None:
    assert told({"list"}) == {"gsi1": (["GSI1PK"], {"list"})}


def test_write_effects_rewrite_all_keys_of_a_sparse_index_and_need_all_fields() -> None:
    assert told({"due"})["gsi2"] == (["GSI2PK", "GSI2SK"], {"who", "due"})
    assert told({"due"})["gsi1"] == (["GSI1SK"], {"due", "id"})


def test_write_effects_remove_an_item_that_loses_a_key_field_from_the_index_without_a_read() -> None:
    assert told({"who"}, {"who"}) == {"gsi2": (["GSI2PK", "GSI2SK"], set())}


def test_write_effects_of_a_field_in_no_index_change_no_key() -> None:
    assert told({"title"}) == {}
