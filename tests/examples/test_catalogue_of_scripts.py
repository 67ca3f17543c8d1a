"""The catalogue of the examples' scripts, through real boto3 clients, names exactly the declared patterns.

The scripts call declared patterns on tables that are open with a boto3 client. The hook of the client, which knows
the pattern of each request by itself, says what the catalogue has to find.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from examples import SYSTEMS
from examples.script import fill
from singletable import Table
from singletable.catalogue import install
from singletable.catalogue.access_patterns import AccessPattern
from singletable.catalogue.recorded_catalogue import read_catalogue
from singletable.client.tracing import RequestEvent
from singletable.engine import Engine
from singletable.engine.boto3_clients import boto3_client
from singletable.planner.plan import Plan
from singletable.planner.planner import plan
from tests.examples.scripts import clock_of, script, tour

# Scripts that also read or write without a declared pattern, such as a transaction or a batch. The catalogue names
# these requests after the function that sends them.
OTHER_FUNCTIONS = {
    "commerce": {"execute"},
    "guide": {"execute", "transfer", "_edited.rebate"},
}


class Recorded:
    """The tables of a system, by class: the requests that the client reported, and the file of the recording."""

    def __init__(self, system: str, folder: Path) -> None:
        self.events: dict[type[Table], list[RequestEvent]] = {}
        self.files: dict[type[Table], Path] = {}
        with ExitStack() as stack:
            known: dict[object, Any] = {}
            for name in tour(system):
                chosen = script(system, name)
                model = chosen.model
                events = self.events.setdefault(model, [])
                file = self.files.setdefault(model, folder / f"{model.__name__}.jsonl")
                key = (id(model), id(chosen.rows), id(clock_of(chosen)))
                if key not in known:
                    client = boto3_client(stack.enter_context(Engine("memory:")))
                    table = model.open(client, create=True, now=clock_of(chosen), hook=events.append)
                    known[key] = stack.enter_context(table)
                    sent = len(events)
                    fill(known[key], chosen.rows)
                    del events[sent:]
                with install(file):
                    chosen.execute(known[key])


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Recorded]:
    found: dict[str, Recorded] = {}

    def of_system(system: str) -> Recorded:
        if system not in found:
            found[system] = Recorded(system, tmp_path_factory.mktemp(system))
        return found[system]

    return of_system


def declared_in(model: type[Table], patterns: tuple[AccessPattern, ...]) -> dict[str, AccessPattern]:
    """Return the patterns of a catalogue that are named after declared patterns of a table."""
    return {
        each.name: each
        for each in patterns
        if each.caller is not None and each.caller.function.startswith(f"{model.design.name}.")
    }


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_catalogue_names_exactly_the_declared_patterns(system: str, recorded: Callable[[str], Recorded]) -> None:
    run = recorded(system)
    for model, file in run.files.items():
        sent = Counter(event.pattern for event in run.events[model] if event.pattern is not None)
        catalogue = read_catalogue([file])
        found = declared_in(model, catalogue.patterns)
        assert found.keys() == sent.keys(), model
        assert sent.keys() <= {each.name for each in model.design.patterns}
        assert {name: each.requests for name, each in found.items()} == sent
        others = {each.caller.function for each in catalogue.patterns if each.caller and each.name not in found}
        assert others <= OTHER_FUNCTIONS.get(system, set()), model


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_requests_recorded_from_the_example_scripts_are_those_of_the_plans(
    system: str, recorded: Callable[[str], Recorded]
) -> None:
    run = recorded(system)
    compared = 0
    for model, file in run.files.items():
        declared = {each.name: each for each in model.design.patterns}
        for name, pattern in declared_in(model, read_catalogue([file]).patterns).items():
            planned = plan(model.design, declared[name])
            assert isinstance(planned, Plan)
            if planned.pattern.is_write:
                continue
            index = None if planned.index.is_table else planned.index.name
            assert index in {group.shape.index for group in pattern.groups}, name
            assert planned.operation in {group.shape.operation for group in pattern.groups}, name
            compared += 1
    assert compared >= 5


def test_the_scripts_of_the_shop_name_all_its_patterns(recorded: Callable[[str], Recorded]) -> None:
    shop = next(model for model in recorded("shop").files if model.__name__ == "Shop")
    catalogue = read_catalogue([recorded("shop").files[shop]])
    assert [each.name for each in catalogue.patterns] == [each.name for each in shop.design.patterns]
    assert not catalogue.findings
