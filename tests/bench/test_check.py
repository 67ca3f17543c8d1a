"""The benchmark of `check`: generated models pass, and the planner's work grows linearly with their size."""

from __future__ import annotations

from typing import Any

import pytest

from bench.check import load_table, model_text
from singletable.model import entity_placement
from singletable.model.regular_language import intersections
from singletable.planner.plan import UnsupportedPattern
from singletable.verify.design_check import CheckReport, check


def measured(entities: int) -> tuple[CheckReport, int]:
    design = load_table(model_text(entities)).design
    before = intersections()
    return check(design), intersections() - before


def test_the_work_of_check_is_proportional_to_the_size_of_a_model() -> None:
    small, few = measured(20)
    large, many = measured(80)
    assert (len(small.outcomes), len(large.outcomes)) == (60, 240)
    assert small.passes
    assert large.passes
    assert many <= 5 * few


def compiled_entities(entities: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """Return how many entities `check` compiles to prove its remedies."""
    design, compiled, place = load_table(model_text(entities)).design, 0, entity_placement.place_entities

    def counting(settings: Any, declarations: Any) -> Any:
        nonlocal compiled
        compiled += len(declarations)
        return place(settings, declarations)

    for module in ("design", "changed_keys"):
        monkeypatch.setattr(f"singletable.model.{module}.place_entities", counting)
    check(design)
    monkeypatch.undo()
    return compiled


def test_check_of_twice_the_entities_compiles_twice_the_entities_for_remedies(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    few, many = compiled_entities(40, monkeypatch), compiled_entities(80, monkeypatch)
    assert 40 < few < many < 2.5 * few


def test_models_that_the_check_benchmark_generates_can_have_unsupported_patterns() -> None:
    report = check(load_table(model_text(8, 0.5)).design)
    assert sum(isinstance(outcome, UnsupportedPattern) for outcome in report.outcomes) == 4
