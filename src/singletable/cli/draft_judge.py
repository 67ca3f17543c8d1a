"""Judges a drafted table by making its model and planning every pattern, as `check` does."""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from typing import Any

from singletable.client.pattern import pattern
from singletable.client.table import Table
from singletable.drafts.conditions import refuse_unsaid
from singletable.drafts.declared import table_keywords
from singletable.drafts.declared_patterns import pattern_options
from singletable.drafts.docstrings import said_of
from singletable.drafts.draft import DraftTable
from singletable.drafts.drafted_classes import checked_name, drafted_classes, keywords_of, pattern_function
from singletable.drafts.proved import Objection
from singletable.errors import DesignError
from singletable.model.design import Design
from singletable.planner.plan import Refusal, Verdict
from singletable.planner.planner import plan_all


def judge(table: DraftTable) -> Sequence[Objection]:
    """What does not hold in the table: why its model cannot be made, or its patterns that are not one request."""
    try:
        outcomes = plan_all(drafted_design(table))
    except DesignError as problem:
        return [Objection(each.message) for each in problem.problems]
    except Exception as problem:  # a draft that is no model, whatever is wrong with it, is not the user's traceback
        return [Objection(f"{type(problem).__name__}: {problem}")]
    objections = [
        Objection(outcome.reason, outcome.pattern.name) for outcome in outcomes if isinstance(outcome, Refusal)
    ]
    objections += [
        Objection("it would be more than one request", outcome.pattern.name)
        for outcome in outcomes
        if outcome.verdict is Verdict.UNDECLARED_FANOUT
    ]
    return objections


def drafted_design(table: DraftTable, functions: Mapping[str, Any] | None = None) -> Design:
    """The design that the drafted table's file would have, made of its values; nothing of it is read as Python."""
    refuse_unsaid(table)
    classes = drafted_classes(table, functions or {})
    keywords = keywords_of(table_keywords(table), classes)

    def fill(body: dict[str, Any]) -> None:
        body["__doc__"] = said_of(table.doc, table.class_name) or None
        for each in table.patterns:
            declare = pattern(**keywords_of(pattern_options(each), classes))
            body[each.name] = declare(pattern_function(each, table, classes))

    made: Any = types.new_class(checked_name(table.class_name), (Table,), keywords, fill)
    design: Design = made.design
    return design
