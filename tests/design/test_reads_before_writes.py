"""Updates that do not know all fields of an index key: rejected reads, and declared reads before the update."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from singletable import (
    Page,
    Radius,
    Table,
    entity,
    field,
    geohash,
    get,
    pattern,
    put,
    query,
    update,
    within,
)
from singletable.design.assumptions import deciding_assumptions
from singletable.design.design_report import certificate_lines, proof_of
from singletable.design.designed_table import design_table
from singletable.design.model_workload import DesignOptions
from singletable.design.write_requirements import write_requirements
from singletable.verify.design_check import check
from tests.cli.program import singletable

MODEL = '''
from dataclasses import dataclass
from datetime import datetime

from singletable import Page, Table, entity, field, get, pattern, query, update


@entity(identity=("id",))  # the tasks of everybody
@dataclass
class Task:
    id: str
    due: datetime
    assignee: str | None = None


class Tasks(Table, entities=[Task]):
    @pattern()
    def task(self, id: str) -> Task | None:
        """A task."""
        return get(Task)

    @pattern()
    def tasks_of(self, assignee: str, *, limit: int = 20, cursor: str | None = None) -> Page[Task]:
        """The tasks of an assignee, in order of time."""
        return query(Task, order_by=lambda task: task.due)

    @pattern()  # the caller knows no due date
    def assign(self, id: str, assignee: str) -> Task:
        """Give a task to an assignee."""
        return update(Task, field(Task, lambda task: task.assignee).set(assignee))
'''


@entity(identity=("id",))
@dataclass
class Task:
    id: str
    due: datetime
    assignee: str | None = None


class Tasks(Table, entities=[Task]):
    @pattern()
    def task(self, id: str) -> Task | None:
        return get(Task)

    @pattern()
    def tasks_of(self, assignee: str, *, limit: int = 20, cursor: str | None = None) -> Page[Task]:
        return query(Task, order_by=lambda task: task.due)

    @pattern()
    def assign(self, id: str, assignee: str) -> Task:
        return update(Task, field(Task, lambda task: task.assignee).set(assignee))


class Unassigned(Tasks, entities=[Task]):
    @pattern()
    def unassign(self, id: str) -> Task:
        return update(Task, field(Task, lambda task: task.assignee).remove())


def test_an_update_that_adds_an_item_to_an_index_must_know_all_fields_of_the_key() -> None:
    table = design_table(Tasks.design)
    (missing,) = table.not_served
    assert missing.pattern == "tasks_of"
    assert missing.reason == "assign changes a key attribute but does not know due"
    assert missing.remedy == (
        "Add the parameter due to assign, with where=lambda item: item.due == due, "
        "or let it read the item first with --allow-fan-out."
    )
    assert proof_of(table) == "no key serves tasks_of"


def test_with_fan_out_the_update_reads_the_item_first_and_declares_it() -> None:
    table = design_table(Tasks.design, DesignOptions(fan_out=True))
    assert not table.not_served
    assert table.fanouts == {"assign": 2}
    assert [str(each) for each in check(table.after).findings if each.fails] == []
    (write,) = write_requirements(table)
    assert str(write) == "assign: give id and assignee; reads the item first; moves the entry in gsi1"


def test_an_update_that_removes_the_item_from_the_index_needs_only_the_table_key() -> None:
    table = design_table(Unassigned.design, DesignOptions(fan_out=True))
    assert table.fanouts == {"assign": 2}
    found = {each.pattern: str(each) for each in write_requirements(table)}
    assert found["unassign"] == "unassign: give id; removes the entry from gsi1"


@entity(identity=("id",))
@dataclass
class Trip:
    id: str
    city: str
    status: Literal["REQUESTED", "DONE"]
    at: datetime


class Trips(Table, entities=[Trip]):
    @pattern()
    def trip(self, id: str) -> Trip | None:
        return get(Trip)

    @pattern()
    def requested(self, city: str, *, limit: int = 20, cursor: str | None = None) -> Page[Trip]:
        return query(Trip, where=lambda trip: trip.status == "REQUESTED", order_by=lambda trip: trip.at)

    @pattern()
    def finish(self, id: str) -> Trip:
        return update(Trip, field(Trip, lambda trip: trip.status).set("DONE"))


def test_if_an_update_by_id_leaves_only_a_partition_with_few_values_the_report_offers_a_parameter() -> None:
    table = design_table(Trips.design)
    assert table.keys["Trip"]["gsi1"] == ("STATUS#{status}", "TRIP#{city}#{at}#{id}")
    (found,) = deciding_assumptions(table)
    assert str(found) == (
        "finish does not know city, so a partition contains all items with the same status. "
        "With the parameter city: Trip then has the index key city, status / at, id. "
        "Add the parameter city to finish, with where=lambda item: item.city == city."
    )


@entity(identity=("driver",), derived={"cell": geohash("latitude", "longitude", precision=6)})
@dataclass
class Position:
    driver: str
    latitude: float
    longitude: float


class Drivers(Table, entities=[Position]):
    @pattern(fanout=12)
    def near(self, area: Radius) -> list[Position]:
        return within(Position)

    @pattern()
    def report(self, position: Position) -> Position:
        return put(Position)


def test_the_table_key_contains_no_place_that_a_put_of_the_same_item_changes() -> None:
    table = design_table(Drivers.design)
    assert table.keys["Position"] == {
        "key": ("POSITION#{driver}", "POSITION"),
        "gsi1": ("CELL#{cell}", "POSITION#{driver}"),
    }
    assert list(certificate_lines(table)) == [
        "  near cannot use the table: cell changes, and a table key cannot change."
    ]


def test_write_declares_the_fan_out_keeps_the_comments_and_check_is_green(tmp_path: Path) -> None:
    model = tmp_path / "tasks.py"
    model.write_text(MODEL, encoding="utf-8")
    assert singletable("design", model, "--write", "--allow-fan-out").returncode == 0
    text = model.read_text(encoding="utf-8")
    assert "@pattern(fanout=2)  # the caller knows no due date" in text
    assert "  # the tasks of everybody" in text
    assert singletable("check", model).returncode == 0
