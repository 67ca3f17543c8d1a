"""The history of a console: the statements that were run, the newest first, with their cost."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from singletable.studio.page_templates import render
from singletable.studio.workspace import TableView, Workspace

STATEMENTS_MAX = 50


@dataclass(frozen=True)
class PastStatement:
    """A statement that was run."""

    statement: str
    parameters: str
    summary: str
    """The result and its cost, such as `Query · 3 items · 0.5 RRU`."""


def history_of(workspace: Workspace, view: TableView, screen: str) -> deque[PastStatement]:
    """Return the statements of a table that one screen has run."""
    return workspace.statements.setdefault((view.design.name, screen), deque(maxlen=STATEMENTS_MAX))


def history_with(workspace: Workspace, view: TableView, screen: str, newest: PastStatement) -> str:
    """Put a statement first in a history, in place of its earlier run, and return the list as HTML."""
    history = history_of(workspace, view, screen)
    text = newest.statement, newest.parameters
    for each in [each for each in history if (each.statement, each.parameters) == text]:
        history.remove(each)
    history.appendleft(newest)
    return render("statement_history.html", history=tuple(history), table=view.design.name, screen=screen)
