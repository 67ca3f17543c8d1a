"""A seed makes the same requests again, for every action; about a third of them are wrong."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.differential.actions import ACTIONS, GROUPS, of_groups, served
from tests.differential.sides import Request, Told
from tests.differential.world import World, standing
from tests.differential.wrong import WAYS, Wrong, made_wrong
from tests.engine.chance import Chance


def a_world() -> World:
    return World({given.table.name: given for given in standing(Chance(1))})


def requests_of(seed: int, count: int = 5) -> list[Any]:
    chance, world = Chance(seed), a_world()
    made = []
    for generated in ACTIONS:
        for _ in range(count):
            request = generated.make(chance, world)
            made += [request, made_wrong(chance, generated.action, request)]
    return made


def test_a_seed_makes_the_same_requests_again() -> None:
    assert requests_of(3) == requests_of(3)
    assert requests_of(3) != requests_of(4)


def test_every_request_can_be_sent() -> None:
    json.dumps(requests_of(5))


def test_making_a_request_wrong_leaves_the_right_one_as_it_was() -> None:
    chance, world = Chance(2), a_world()
    for generated in ACTIONS:
        request = generated.make(chance, world)
        before = json.dumps(request)
        changed = [made_wrong(chance, generated.action, request) for _ in range(30)]
        assert json.dumps(request) == before
        assert any(each != request for each in changed), generated.action


@pytest.mark.parametrize("way", dict.fromkeys(WAYS))
def test_every_way_to_be_wrong_finds_something_to_change(way: Wrong) -> None:
    chance, world = Chance(7), a_world()
    changed = 0
    for _ in range(20):
        for generated in ACTIONS:
            request = json.loads(json.dumps(generated.make(chance, world)))
            before = json.dumps(request)
            changed += way(chance, generated.action, request) and json.dumps(request) != before
    assert changed > 20


def test_groups_are_those_of_the_actions() -> None:
    assert {generated.group for generated in ACTIONS} == set(GROUPS)
    assert {each.group for each in of_groups(["core"])} == {"core"}


class Refusing:
    """A side that knows only the core."""

    def ask(self, action: str, request: Request) -> Told:
        code = "UnknownOperationException" if action not in ("Scan", "UpdateTable") else "ValidationException"
        return Told(400, {"__type": code, "message": "X is not served by this engine"})

    def settle(self, table: str) -> None:
        raise NotImplementedError


def test_a_group_that_is_not_served_is_left_out() -> None:
    assert served(Refusing()) == ["core"]
