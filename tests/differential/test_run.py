"""A run finds no difference between equal sides. Other differences are found, counted and minimised."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from itertools import count
from pathlib import Path

import pytest

from tests.differential.report import format_report
from tests.differential.run import Run, RunResult
from tests.differential.sides import InProcess, Request, Response, Side

STEPS = 250


class Altered:
    """The engine, with some of its responses changed."""

    def __init__(self, engine: Side, alter: Callable[[str, Request, Response], Response]) -> None:
        self._engine = engine
        self._alter = alter

    def send(self, action: str, request: Request) -> Response:
        return self._alter(action, request, self._engine.send(action, request))

    def settle(self, table: str) -> None:
        self._engine.settle(table)


def run(alter: Callable[[str, Request, Response], Response], seed: int = 11) -> RunResult:
    with closing(InProcess()) as ours, closing(InProcess()) as theirs:
        return Run(ours, Altered(theirs, alter), seed, lambda text: None).steps(STEPS)


def test_the_differential_run_finds_no_difference_of_the_engine_from_itself(tmp_path: Path) -> None:
    outcome = run(lambda action, request, response: response)
    assert outcome.found == {}
    assert not outcome.intended
    assert len(outcome.actions) > 10
    assert STEPS / 8 < outcome.rejected < STEPS * 3 / 4
    assert "0 kinds of unexplained differences" in format_report(outcome, tmp_path)


def test_the_differential_run_reports_a_differing_result_once_and_minimised(tmp_path: Path) -> None:
    def one_more(action: str, request: Request, response: Response) -> Response:
        if action == "GetItem" and "ProjectionExpression" in request and not response.is_error:
            return Response(response.status, {**response.document, "More": 1})
        return response

    outcome = run(one_more)
    (found,) = outcome.found.values()
    assert found.actions == {"GetItem": found.count}
    assert found.example["path"] == "More"
    assert set(found.example["request"]) == {"TableName", "Key", "ProjectionExpression"} | (
        {"ExpressionAttributeNames"} & set(found.example["request"])
    )
    assert found.example["items"] == {}
    report = format_report(outcome, tmp_path)
    assert "GetItem" in report
    assert str(tmp_path / "001.json") in report
    assert (tmp_path / "001.json").exists()


class Forgetful(Altered):
    """The engine, ignoring deletes without a condition."""

    def send(self, action: str, request: Request) -> Response:
        is_plain = (
            action == "DeleteItem" and "ReturnConsumedCapacity" in request and "ConditionExpression" not in request
        )
        return Response(200, {}) if is_plain else super().send(action, request)


def test_the_differential_run_finds_a_missing_write_in_the_stored_items() -> None:
    with closing(InProcess()) as ours, closing(InProcess()) as theirs:
        forgetful = Forgetful(theirs, lambda action, request, response: response)
        outcome = Run(ours, forgetful, 11, lambda text: None).steps(2 * STEPS)
    stored = [found for found in outcome.found.values() if found.example["path"].startswith("stored")]
    assert stored
    assert all(found.actions == {"DeleteItem": found.count} for found in stored)


# Time to live


def run_of_time_to_live(alter: Callable[[str, Request, Response], Response]) -> RunResult:
    """Return the result for two engines on which an hour passes with each request, so that they accept every change."""
    hours = count()
    with closing(InProcess()) as ours, closing(InProcess(lambda: 3_600.0 * next(hours))) as theirs:
        made = Run(ours, Altered(theirs, alter), 11, lambda text: None)
        made.use(["ttl"])
        return made.steps(STEPS)


def test_the_differential_run_ignores_a_change_that_one_side_accepted_in_later_reports() -> None:
    outcome = run_of_time_to_live(lambda action, request, response: response)
    assert outcome.found == {}
    (difference,) = outcome.intended
    assert difference.name == "time to live"
    assert outcome.actions["DescribeTimeToLive"] > STEPS / 4


@pytest.mark.parametrize("action", ["DescribeTimeToLive", "UpdateTimeToLive"])
def test_the_differential_run_reports_any_other_difference_about_time_to_live(action: str) -> None:
    def with_more(sent_action: str, request: Request, response: Response) -> Response:
        if sent_action != action or response.is_error:
            return response
        return Response(response.status, {name: {**inner, "More": 1} for name, inner in response.document.items()})

    outcome = run_of_time_to_live(with_more)
    (found,) = outcome.found.values()
    assert found.example["path"].endswith(".More")
    assert set(found.actions) == {action}
