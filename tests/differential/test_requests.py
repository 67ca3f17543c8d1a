"""A seed reproduces the same requests for every action. About a third of them are invalid."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.differential.actions import ACTIONS, GROUPS, of_groups, served
from tests.differential.request_mutations import MUTATIONS, Mutation, mutate
from tests.differential.sides import Request, Response
from tests.differential.world import World, permanent_tables
from tests.engine.oracle.seeded_choices import SeededChoices


def a_world() -> World:
    return World({given.table.name: given for given in permanent_tables(SeededChoices(1))})


def requests_of(seed: int, count: int = 5) -> list[Any]:
    chance, world = SeededChoices(seed), a_world()
    made = []
    for generated in ACTIONS:
        for _ in range(count):
            request = generated.make(chance, world)
            made += [request, mutate(chance, generated.action, request)]
    return made


def test_a_seed_reproduces_the_same_requests() -> None:
    assert requests_of(3) == requests_of(3)
    assert requests_of(3) != requests_of(4)


def test_every_request_can_be_sent() -> None:
    json.dumps(requests_of(5))


def test_breaking_a_request_does_not_change_the_valid_one() -> None:
    chance, world = SeededChoices(2), a_world()
    for generated in ACTIONS:
        request = generated.make(chance, world)
        before = json.dumps(request)
        changed = [mutate(chance, generated.action, request) for _ in range(30)]
        assert json.dumps(request) == before
        assert any(each != request for each in changed), generated.action


@pytest.mark.parametrize("mutation", dict.fromkeys(MUTATIONS))
def test_every_mutation_of_a_differential_request_changes_something(mutation: Mutation) -> None:
    chance, world = SeededChoices(7), a_world()
    changed = 0
    for _ in range(20):
        for generated in ACTIONS:
            request = json.loads(json.dumps(generated.make(chance, world)))
            before = json.dumps(request)
            changed += mutation(chance, generated.action, request) and json.dumps(request) != before
    assert changed > 20


def test_every_action_has_a_group_of_differential_requests() -> None:
    assert {generated.group for generated in ACTIONS} == set(GROUPS)
    assert {each.group for each in of_groups(["core"])} == {"core"}


class CoreOnly:
    """A side that supports only the core."""

    def send(self, action: str, request: Request) -> Response:
        code = "UnknownOperationException" if action not in ("Scan", "UpdateTable") else "ValidationException"
        return Response(400, {"__type": code, "message": "X is not supported by this engine"})

    def settle(self, table: str) -> None:
        raise NotImplementedError


def test_an_unsupported_group_of_differential_requests_is_skipped() -> None:
    assert served(CoreOnly()) == ["core"]
