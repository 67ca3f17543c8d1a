"""Every access pattern of every example is asked by a script, in one request or in the fan-out that it declares."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from types import SimpleNamespace
from typing import Any, cast

import pytest

from examples import SYSTEMS
from singletable import Table
from singletable.client.open_table import OpenTable
from singletable.client.steps import Steps
from singletable.model.declaration import PatternDeclaration
from singletable.planner.plan import Outcome, Plan
from singletable.testing import measured
from tests.examples.scripts import every_script, script, tables


@cache
def calls(system: str) -> dict[int, list[int]]:
    """How many requests each call took, by the identity of its pattern; every script of the system is run.

    With a filter, what one call reads on until it has found something are pages of one request, and count as one.
    """
    noted: dict[int, list[int]] = defaultdict(list)
    plain, awaited = OpenTable._asked, OpenTable._asked_async

    def asked(self: OpenTable, plan: Plan, steps: Steps[Any]) -> Any:
        with measured(cast(Table, SimpleNamespace(_opened=lambda: self))) as used:
            answer = plain(self, plan, steps)
        noted[id(plan.pattern)].append(1 if plan.filter is not None else used.requests)
        return answer

    async def asked_async(self: OpenTable, plan: Plan, steps: Steps[Any]) -> Any:
        with measured(cast(Table, SimpleNamespace(_opened=lambda: self))) as used:
            answer = await awaited(self, plan, steps)
        noted[id(plan.pattern)].append(1 if plan.filter is not None else used.requests)
        return answer

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(OpenTable, "_asked", asked)
        patch.setattr(OpenTable, "_asked_async", asked_async)
        for name in every_script(system):
            script(system, name).run()
    return dict(noted)


def declared(system: str) -> dict[str, PatternDeclaration]:
    """Every pattern of the system's tables, by table and name."""
    found = {f"{table.__name__}.{each.name}": each for table in tables(system) for each in table.design.patterns}
    assert found
    return found


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_pattern_is_asked_by_a_script(system: str) -> None:
    """Variants of a table repeat its patterns; one of them is enough, and what is refused cannot be asked."""
    asked = calls(system)
    served = {name: each for name, each in declared(system).items() if isinstance(outcome_of(system, name), Plan)}
    names = {each.name for each in served.values() if id(each) in asked}
    assert [name for name, each in served.items() if each.name not in names] == []


def outcome_of(system: str, name: str) -> Outcome:
    """The plan of a pattern, or its refusal."""
    table, _, pattern = name.partition(".")
    (found,) = [each for each in tables(system) if each.__name__ == table]
    outcome: Outcome = getattr(found, pattern).plan
    return outcome


@pytest.mark.parametrize("system", SYSTEMS)
def test_no_call_takes_more_requests_than_its_pattern_declares(system: str) -> None:
    asked = calls(system)
    most = {name: (max(asked.get(id(each), [0])), each.options.fanout or 1) for name, each in declared(system).items()}
    assert {name: taken for name, (taken, allowed) in most.items() if taken > allowed} == {}
