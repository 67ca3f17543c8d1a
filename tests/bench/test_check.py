"""The benchmark of `check`: generated models pass, and the planner's work grows linearly with their size."""

from __future__ import annotations

from bench.check import load_table, model_text
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


def test_generated_models_can_have_unsupported_patterns() -> None:
    report = check(load_table(model_text(8, 0.5)).design)
    assert sum(isinstance(outcome, UnsupportedPattern) for outcome in report.outcomes) == 4
