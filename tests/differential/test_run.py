"""A run finds nothing where nothing differs; what differs is found, counted and made small."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from itertools import count
from pathlib import Path

import pytest

from tests.differential.report import shown
from tests.differential.run import Outcome, Run
from tests.differential.sides import InProcess, Request, Side, Told

STEPS = 250


class Altered:
    """The engine, with some of its answers changed."""

    def __init__(self, engine: Side, alter: Callable[[str, Request, Told], Told]) -> None:
        self._engine = engine
        self._alter = alter

    def ask(self, action: str, request: Request) -> Told:
        return self._alter(action, request, self._engine.ask(action, request))

    def settle(self, table: str) -> None:
        self._engine.settle(table)


def run(alter: Callable[[str, Request, Told], Told], seed: int = 11) -> Outcome:
    with closing(InProcess()) as ours, closing(InProcess()) as theirs:
        return Run(ours, Altered(theirs, alter), seed, lambda text: None).steps(STEPS)


def test_the_engine_does_not_differ_from_itself(tmp_path: Path) -> None:
    outcome = run(lambda action, request, told: told)
    assert outcome.found == {}
    assert not outcome.justified
    assert len(outcome.actions) > 10
    assert STEPS / 8 < outcome.refused < STEPS * 3 / 4
    assert "0 kinds of unexplained differences" in shown(outcome, tmp_path)


def test_an_answer_that_differs_is_found_once_and_made_small(tmp_path: Path) -> None:
    def one_more(action: str, request: Request, told: Told) -> Told:
        if action == "GetItem" and "ProjectionExpression" in request and not told.is_refused:
            return Told(told.status, {**told.document, "More": 1})
        return told

    outcome = run(one_more)
    (found,) = outcome.found.values()
    assert found.actions == {"GetItem": found.count}
    assert found.example["path"] == "More"
    assert set(found.example["request"]) == {"TableName", "Key", "ProjectionExpression"} | (
        {"ExpressionAttributeNames"} & set(found.example["request"])
    )
    assert found.example["items"] == {}
    report = shown(outcome, tmp_path)
    assert "GetItem" in report
    assert str(tmp_path / "001.json") in report
    assert (tmp_path / "001.json").exists()


class Forgetful(Altered):
    """The engine, without deleting what it was asked to delete without a condition."""

    def ask(self, action: str, request: Request) -> Told:
        is_plain = (
            action == "DeleteItem" and "ReturnConsumedCapacity" in request and "ConditionExpression" not in request
        )
        return Told(200, {}) if is_plain else super().ask(action, request)


def test_a_write_that_is_not_done_is_found_by_what_is_stored() -> None:
    with closing(InProcess()) as ours, closing(InProcess()) as theirs:
        forgetful = Forgetful(theirs, lambda action, request, told: told)
        outcome = Run(ours, forgetful, 11, lambda text: None).steps(2 * STEPS)
    stored = [found for found in outcome.found.values() if found.example["path"].startswith("stored")]
    assert stored
    assert all(found.actions == {"DeleteItem": found.count} for found in stored)


# Time to live


def run_of_time_to_live(alter: Callable[[str, Request, Told], Told]) -> Outcome:
    """The engine beside itself where hours pass with each request, so that it takes every change."""
    hours = count()
    with closing(InProcess()) as ours, closing(InProcess(lambda: 3_600.0 * next(hours))) as theirs:
        made = Run(ours, Altered(theirs, alter), 11, lambda text: None)
        made.use(["ttl"])
        return made.steps(STEPS)


def test_a_change_that_one_side_takes_does_not_change_what_is_told_later() -> None:
    outcome = run_of_time_to_live(lambda action, request, told: told)
    assert outcome.found == {}
    (meant,) = outcome.justified
    assert meant.name == "time to live"
    assert outcome.actions["DescribeTimeToLive"] > STEPS / 4


@pytest.mark.parametrize("action", ["DescribeTimeToLive", "UpdateTimeToLive"])
def test_nothing_else_that_is_told_of_time_to_live_may_differ(action: str) -> None:
    def with_more(asked: str, request: Request, told: Told) -> Told:
        if asked != action or told.is_refused:
            return told
        return Told(told.status, {name: {**inner, "More": 1} for name, inner in told.document.items()})

    outcome = run_of_time_to_live(with_more)
    (found,) = outcome.found.values()
    assert found.example["path"].endswith(".More")
    assert set(found.actions) == {action}
