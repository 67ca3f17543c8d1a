"""The cost of a call, for declared patterns and for the writes of every entity."""

from __future__ import annotations

from dataclasses import dataclass

from singletable import Table, entity
from singletable.cost.call_costs import call_costs, write_costs
from singletable.planner.item_sizes import ItemSizes
from tests.client.social import Social
from tests.cost.desk import Help

CALLS = {call.name: call for call in call_costs(Help.design, ItemSizes(Help.design))}


def test_call_costs_include_every_pattern_in_order_of_declaration() -> None:
    assert list(CALLS) == [pattern.name for pattern in Help.design.patterns]


def test_call_costs_use_exact_rates_and_mark_frequency_words_as_guesses() -> None:
    assert (CALLS["desk"].calls_per_second, CALLS["desk"].rate_guess) == (10, None)
    assert CALLS["tickets_in"].calls_per_second == 1
    assert CALLS["tickets_in"].rate_guess == "the frequency low as 1 call per second"
    assert (CALLS["notes"].calls_per_second, CALLS["notes"].rate_guess) == (None, None)


def test_call_costs_per_second_are_calls_times_units() -> None:
    assert (CALLS["desk"].reads_per_second, CALLS["desk"].writes_per_second) == (5, 0)
    assert (CALLS["set_status"].reads_per_second, CALLS["set_status"].writes_per_second) == (0, 8 * 15)
    assert (CALLS["notes"].reads_per_second, CALLS["notes"].writes_per_second) == (0, 0)


def test_call_costs_of_updates_list_the_indexes_whose_entries_move() -> None:
    costs = {(each.entity.label, each.what): each.estimate for each in write_costs(Help.design, ItemSizes(Help.design))}
    assert [what for label, what in costs if label == "Ticket"] == [
        "create or put",
        "update in place",
        "update that moves its entry in GSI1",
        "update that moves its entry in GSI2",
        "update that moves its entry in GSI3",
        "update that moves its entry in LSI1",
        "delete",
    ]
    assert costs["Ticket", "create or put"].by_index == {"table": 5, "GSI1": 5, "GSI2": 1, "GSI3": 1, "LSI1": 1}
    assert costs["Ticket", "update in place"].by_index == {"table": 5, "GSI1": 5}
    assert costs["Ticket", "update that moves its entry in GSI1"].by_index == {"table": 5, "GSI1": 10}
    assert costs["Ticket", "update that moves its entry in GSI3"].by_index == {
        "table": 5,
        "GSI1": 5,
        "GSI2": 1,
        "GSI3": 2,
    }
    assert costs["Desk", "delete"].by_index == {"table": 1}


@entity(key=("TASK#{id}", "TASK"), gsi1=("STATE#{state}", "{due}#{id}"), gsi2=("DUE", "{due}#{id}"))
@dataclass
class Task:
    id: str
    state: str
    due: str


class Tasks(Table, entities=[Task]):
    """An entity whose indexes both move with `due`, and one also with `state`."""


def test_call_costs_list_updates_that_move_the_same_entries_once() -> None:
    told = [each.what for each in write_costs(Tasks.design, ItemSizes(Tasks.design))]
    assert told == ["create or put", "update that moves its entry in GSI1, GSI2", "delete"]


def test_call_costs_count_a_mirrored_edge_with_its_original() -> None:
    costs = write_costs(Social.design, ItemSizes(Social.design))
    assert "Follower" not in {each.entity.label for each in costs}
    follow = next(each.estimate for each in costs if each.entity.label == "Follow" and each.what == "create or put")
    assert (follow.items, follow.units) == (2, 4)
