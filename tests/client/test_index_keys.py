"""Index keys after updates equal those of a new put, with no more requests than the plan has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from singletable import Page, Table, entity, field, key, pattern, query, sparse, update
from singletable.model.update_changes import FieldChange
from singletable.planner.plan import Plan
from singletable.testing import uses
from tests.client.places import Place, call


@entity(
    key=("TASK#{id}", "TASK"),
    gsi1=sparse("WHO#{assignee}", "{due}#{id}"),
    gsi2=("LIST#{list}", "{rank}#{due}#{id}"),
    gsi3=("STATE#{state}", "{id}"),
)
@dataclass
class Task:
    id: str
    list: str = "inbox"
    rank: str = "b"
    due: str = "monday"
    state: str = "OPEN"
    assignee: str | None = None


class Tasks(Table, entities=[Task]):
    @pattern()
    def tasks_of(self, assignee: str) -> Page[Task]:
        return query(Task)

    @pattern()
    def tasks_in(self, list: str) -> Page[Task]:
        return query(Task)

    @pattern()
    def tasks_that_are(self, state: str) -> Page[Task]:
        return query(Task)

    @pattern(rate=1)
    def release(self, id: str) -> Task:
        return update(Task, field(Task, lambda t: t.assignee).remove())

    @pattern(rate=1)
    def leave_to_nobody(self, id: str) -> Task:
        return update(Task, field(Task, lambda t: t.assignee).set(None))

    @pattern(rate=1)
    def file_under(self, id: str, list: str) -> Task:
        return update(Task, field(Task, lambda t: t.list).set(list))

    @pattern(rate=1, fanout=2)
    def lift(self, id: str, rank: str) -> Task:
        return update(Task, field(Task, lambda t: t.rank).set(rank))

    @pattern(rate=1, fanout=2)
    def assign(self, id: str, assignee: str) -> Task:
        return update(Task, field(Task, lambda t: t.assignee).set(assignee))

    @pattern(rate=1, fanout=2)
    def reset(self, id: str) -> Task:
        return update(Task, field(Task, lambda t: t.state).remove())


CALLS: list[tuple[str, tuple[str, ...], int]] = [
    ("release", (), 1),
    ("leave_to_nobody", (), 1),
    ("file_under", ("work",), 1),
    ("lift", ("a",), 2),
    ("assign", ("grace",), 2),
    ("reset", (), 2),
]


@pytest.mark.parametrize(("name", "arguments", "requests"), CALLS)
def test_index_key_changes_of_an_update_send_the_requests_of_its_plan(
    place: Place, name: str, arguments: tuple[str, ...], requests: int
) -> None:
    planned = getattr(Tasks, name).plan
    assert isinstance(planned, Plan)
    assert planned.requests == requests
    with place.open(Tasks) as tasks:
        tasks.put(Task("t", state="DONE", assignee="ada"))
        with uses(tasks, requests=requests):
            changed = getattr(tasks, name)("t", *arguments)
        assert tasks.get(key(Task, id="t")) == changed


def test_index_key_changes_remove_an_item_that_loses_its_field_only_from_the_sparse_index(place: Place) -> None:
    with place.open(Tasks) as tasks:
        tasks.put(Task("t", assignee="ada"))
        with uses(tasks, requests=1):
            tasks.update(key(Task, id="t"), field(Task, lambda t: t.assignee).remove())
        assert list(tasks.tasks_of("ada")) == []
        assert [each.id for each in tasks.tasks_in("inbox")] == ["t"]


def test_index_key_changes_use_the_default_of_a_removed_field(place: Place) -> None:
    with place.open(Tasks) as tasks:
        tasks.put(Task("t", state="DONE"))
        assert tasks.reset("t").state == "OPEN"
        assert [each.id for each in tasks.tasks_that_are("OPEN")] == ["t"]


def test_an_explanation_shows_which_index_key_changes_remove_keys_and_which_read_first() -> None:
    proof = Tasks.release.explain("t").proof
    assert "GSI1PK is removed: the item leaves GSI1" in proof
    assert "verdict: one request" in proof
    proof = Tasks.lift.explain("t", "a").proof
    assert 'GSI2SK = "{rank}#{due}#{id}" also needs due: the item is read before the write' in proof
    assert "verdict: declared fan-out of 2" in proof


CHANGES: st.SearchStrategy[FieldChange[Task]] = st.sampled_from(
    [
        field(Task, lambda t: t.assignee).set("ada"),
        field(Task, lambda t: t.assignee).remove(),
        field(Task, lambda t: t.due).set("friday"),
        field(Task, lambda t: t.due).set("#"),
        field(Task, lambda t: t.list).set("work"),
        field(Task, lambda t: t.list).remove(),
        field(Task, lambda t: t.rank).set("a"),
        field(Task, lambda t: t.state).set("DONE"),
        field(Task, lambda t: t.state).remove(),
    ]
)


def test_index_key_changes_after_updates_equal_the_keys_of_a_fresh_put(place: Place) -> None:
    with place.fresh(Tasks) as tasks, place.fresh(Tasks) as fresh:

        @settings(max_examples=place.examples(settings().max_examples))
        @given(st.sampled_from([None, "grace"]), st.lists(st.lists(CHANGES, min_size=1, max_size=3), max_size=6))
        def holds(assignee: str | None, steps: list[list[FieldChange[Task]]]) -> None:
            tasks.put(Task("t", assignee=assignee))
            for changes in steps:
                named = {str(each.change.path): each for each in changes}  # one per field
                fresh.put(tasks.update(key(Task, id="t"), *named.values()))
                assert keys_in(tasks) == keys_in(fresh)

        holds()


def keys_in(table: Tasks) -> dict[str, Any]:
    """Return the stored key attributes of the only item."""
    item = call(table, "GetItem", Key={"PK": {"S": "TASK#t"}, "SK": {"S": "TASK"}})["Item"]
    return {name: value for name, value in item.items() if name.endswith(("PK", "SK"))}
