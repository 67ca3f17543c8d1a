"""Import a text file as a draft model, and check every part of it with the planner."""

from __future__ import annotations

import argparse
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from singletable.cli.import_output import read_source, write_import
from singletable.client.pattern import pattern
from singletable.client.table import Table
from singletable.drafts.conditions import refuse_unsaid
from singletable.drafts.declared import table_keywords
from singletable.drafts.declared_patterns import pattern_options
from singletable.drafts.docstrings import said_of
from singletable.drafts.draft import Draft, DraftTable
from singletable.drafts.drafted_classes import checked_name, drafted_classes, keywords_of, pattern_function
from singletable.drafts.json_text import NoText, text_of
from singletable.drafts.proved import Objection, proved
from singletable.errors import DesignError, ImportRefused
from singletable.model.design import Design
from singletable.planner.plan import UnsupportedPattern, Verdict
from singletable.planner.planner import plan_all


def find_objections(table: DraftTable) -> Sequence[Objection]:
    """Return why the model of a table is invalid, or which patterns are not one request."""
    try:
        outcomes = plan_all(drafted_design(table))
    except DesignError as problem:
        return [Objection(each.message) for each in problem.problems]
    except Exception as problem:  # an invalid draft must not show a traceback
        return [Objection(f"{type(problem).__name__}: {problem}")]
    objections = [
        Objection(outcome.reason, outcome.pattern.name)
        for outcome in outcomes
        if isinstance(outcome, UnsupportedPattern)
    ]
    objections += [
        Objection("it needs more than one request", outcome.pattern.name)
        for outcome in outcomes
        if outcome.verdict is Verdict.UNDECLARED_FANOUT
    ]
    return objections


def drafted_design(table: DraftTable, functions: Mapping[str, Any] | None = None) -> Design:
    """Return the design of a drafted table, built from its values without executing generated code."""
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


def import_text(
    options: argparse.Namespace, read: Callable[[str, str], Draft], *, are_patterns_proposed: bool = False
) -> int:
    """Read the file, drop parts that are not one request with a note, and write the model."""
    content = read_source(options.file)
    name = "standard input" if options.file == "-" else options.file
    try:
        text = text_of(content)
    except NoText as problem:
        raise ImportRefused(f"{name}: {problem}") from None
    draft = proved(read(text, name), find_objections, are_proposed=are_patterns_proposed)
    return write_import(draft, options)
