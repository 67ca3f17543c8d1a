"""The cost of a call: of declared patterns, and of the plain writes of every entity."""

from __future__ import annotations

from dataclasses import dataclass

from singletable import Table, entity
from singletable.cost.calls import call_costs, write_costs
from singletable.planner.item_sizes import Sizes
from tests.client.social import Social
from tests.cost.desk import Help

CALLS = {call.name: call for call in call_costs(Help.design, Sizes(Help.design))}


def test_every_pattern_has_a_cost_in_order_of_declaration() -> None:
    assert list(CALLS) == [pattern.name for pattern in Help.design.patterns]


def test_a_rate_is_taken_as_given_and_a_word_as_a_number_that_is_marked() -> None:
    assert (CALLS["desk"].calls_per_second, CALLS["desk"].rate_guess) == (10, None)
    assert CALLS["tickets_in"].calls_per_second == 1
    assert CALLS["tickets_in"].rate_guess == "the frequency low as 1 call a second"
    assert (CALLS["notes"].calls_per_second, CALLS["notes"].rate_guess) == (None, None)


def test_units_a_second_are_calls_times_units() -> None:
    assert (CALLS["desk"].reads_per_second, CALLS["desk"].writes_per_second) == (5, 0)
    assert (CALLS["set_status"].reads_per_second, CALLS["set_status"].writes_per_second) == (0, 8 * 15)
    assert (CALLS["notes"].reads_per_second, CALLS["notes"].writes_per_second) == (0, 0)


def test_plain_writes_name_the_indexes_that_they_move_an_item_in() -> None:
    costs = {(each.entity.label, each.what): each.estimate for each in write_costs(Help.design, Sizes(Help.design))}
    assert [what for label, what in costs if label == "Ticket"] == [
        "create or put",
        "update in place",
        "update that moves it in GSI1",
        "update that moves it in GSI2",
        "update that moves it in GSI3",
        "update that moves it in LSI1",
        "delete",
    ]
    assert costs["Ticket", "create or put"].by_index == {"table": 5, "GSI1": 5, "GSI2": 1, "GSI3": 1, "LSI1": 1}
    assert costs["Ticket", "update in place"].by_index == {"table": 5, "GSI1": 5}
    assert costs["Ticket", "update that moves it in GSI1"].by_index == {"table": 5, "GSI1": 10}
    assert costs["Ticket", "update that moves it in GSI3"].by_index == {"table": 5, "GSI1": 5, "GSI2": 1, "GSI3": 2}
    assert costs["Desk", "delete"].by_index == {"table": 1}


@entity(key=("TASK#{id}", "TASK"), gsi1=("STATE#{state}", "{due}#{id}"), gsi2=("DUE", "{due}#{id}"))
@dataclass
class Task:
    id: str
    state: str
    due: str


class Tasks(Table, entities=[Task]):
    """Both indexes move with `due`, and with `due` and `state`."""


def test_updates_that_move_the_same_entries_are_told_once() -> None:
    told = [each.what for each in write_costs(Tasks.design, Sizes(Tasks.design))]
    assert told == ["create or put", "update that moves it in GSI1, GSI2", "delete"]


def test_a_mirror_is_counted_with_what_it_mirrors() -> None:
    costs = write_costs(Social.design, Sizes(Social.design))
    assert "Follower" not in {each.entity.label for each in costs}
    follow = next(each.estimate for each in costs if each.entity.label == "Follow" and each.what == "create or put")
    assert (follow.items, follow.units) == (2, 4)
