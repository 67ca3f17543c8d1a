"""A script uses every access pattern of every example, with one request or its declared fan-out."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from types import SimpleNamespace
from typing import Any, cast

import pytest

from examples import SYSTEMS
from singletable import Table
from singletable.client.connected_table import ConnectedTable
from singletable.client.request_steps import Steps
from singletable.model.pattern_declaration import PatternDeclaration
from singletable.planner.plan import Outcome, Plan
from singletable.testing import measure
from tests.examples.scripts import every_script, script, tables


@cache
def calls(system: str) -> dict[int, list[int]]:
    """Run every script of the system and return the requests of each call, by the identity of its pattern.

    With a filter, a call can read several pages until it finds items; these count as one request.
    """
    noted: dict[int, list[int]] = defaultdict(list)
    plain, awaited = ConnectedTable._run_observed, ConnectedTable._run_observed_async

    def run(self: ConnectedTable, plan: Plan, steps: Steps[Any]) -> Any:
        with measure(cast(Table, SimpleNamespace(_opened=lambda: self))) as used:
            answer = plain(self, plan, steps)
        noted[id(plan.pattern)].append(1 if plan.filter is not None else used.requests)
        return answer

    async def run_async(self: ConnectedTable, plan: Plan, steps: Steps[Any]) -> Any:
        with measure(cast(Table, SimpleNamespace(_opened=lambda: self))) as used:
            answer = await awaited(self, plan, steps)
        noted[id(plan.pattern)].append(1 if plan.filter is not None else used.requests)
        return answer

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ConnectedTable, "_run_observed", run)
        patch.setattr(ConnectedTable, "_run_observed_async", run_async)
        for name in every_script(system):
            script(system, name).run()
    return dict(noted)


def declared(system: str) -> dict[str, PatternDeclaration]:
    """Return every pattern of the system's tables, by table and name."""
    found = {f"{table.__name__}.{each.name}": each for table in tables(system) for each in table.design.patterns}
    assert found
    return found


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_pattern_is_used_by_a_script(system: str) -> None:
    """Variants of a table repeat its patterns, so one of them is enough; unsupported patterns cannot run."""
    asked = calls(system)
    served = {name: each for name, each in declared(system).items() if isinstance(outcome_of(system, name), Plan)}
    names = {each.name for each in served.values() if id(each) in asked}
    assert [name for name, each in served.items() if each.name not in names] == []


def outcome_of(system: str, name: str) -> Outcome:
    """Return the plan of a pattern, or why it is not supported."""
    table, _, pattern = name.partition(".")
    (found,) = [each for each in tables(system) if each.__name__ == table]
    outcome: Outcome = getattr(found, pattern).plan
    return outcome


@pytest.mark.parametrize("system", SYSTEMS)
def test_no_call_takes_more_requests_than_its_pattern_declares(system: str) -> None:
    asked = calls(system)
    most = {name: (max(asked.get(id(each), [0])), each.options.fanout or 1) for name, each in declared(system).items()}
    assert {name: taken for name, (taken, allowed) in most.items() if taken > allowed} == {}
