"""Judges a drafted table by making its model and planning every pattern, as `check` does."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import ModuleType

from singletable.client.table import Table
from singletable.drafts.draft import Draft, DraftTable
from singletable.drafts.proved import Objection
from singletable.drafts.python_source import python_source
from singletable.errors import DesignError
from singletable.model.design import Design
from singletable.planner.plan import Refusal, Verdict
from singletable.planner.planner import plan_all

_MODULE = "singletable_drafted_model"


def judge(table: DraftTable) -> Sequence[Objection]:
    """What does not hold in the table: why its model cannot be made, or its patterns that are not one request."""
    module = ModuleType(_MODULE)
    sys.modules[_MODULE] = module  # annotations are looked up in the module that a class says it is of
    try:
        outcomes = plan_all(_design(python_source(Draft(table.class_name, (table,))), module))
    except DesignError as problem:
        return [Objection(each.message) for each in problem.problems]
    except Exception as problem:  # a draft that is no model, whatever is wrong with it, is not the user's traceback
        return [Objection(f"{type(problem).__name__}: {problem}")]
    finally:
        del sys.modules[_MODULE]
    objections = [
        Objection(outcome.reason, outcome.pattern.name) for outcome in outcomes if isinstance(outcome, Refusal)
    ]
    objections += [
        Objection("it would be more than one request", outcome.pattern.name)
        for outcome in outcomes
        if outcome.verdict is Verdict.UNDECLARED_FANOUT
    ]
    return objections


def _design(source: str, module: ModuleType) -> Design:
    """The design of the one table of a Python file that was written here, out of names and quoted text alone."""
    exec(compile(source, f"{_MODULE}.py", "exec"), module.__dict__)  # noqa: S102
    tables = [
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Table) and value is not Table
    ]
    return tables[0].design
