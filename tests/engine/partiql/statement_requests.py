"""Helpers to run statements and get their results or errors."""

from __future__ import annotations

from typing import Any

from singletable.engine.engine import Engine
from tests.engine.table_requests import Document, refused


def execute(engine: Engine, statement: str, *parameters: Document, **options: Any) -> Document:
    return engine.call("ExecuteStatement", _request(statement, parameters, options))


def selected(engine: Engine, statement: str, *parameters: Document, **options: Any) -> list[Document]:
    """Return the items of one page."""
    items: list[Document] = execute(engine, statement, *parameters, **options)["Items"]
    return items


def error_message(engine: Engine, statement: str, *parameters: Document, **options: Any) -> str:
    """Return the message of the ValidationException that a statement raises."""
    refusal = refused(engine, "ExecuteStatement", _request(statement, parameters, options))
    assert refusal.code == "ValidationException", refusal
    return refusal.message


def all_pages(engine: Engine, statement: str, *parameters: Document, **options: Any) -> list[Document]:
    """Return all pages of a statement."""
    pages = [execute(engine, statement, *parameters, **options)]
    while "NextToken" in pages[-1]:
        pages.append(execute(engine, statement, *parameters, **options, NextToken=pages[-1]["NextToken"]))
        assert len(pages) < 1000, "the pages never end"
    return pages


def all_items(engine: Engine, statement: str, *parameters: Document, **options: Any) -> list[Document]:
    return [item for page in all_pages(engine, statement, *parameters, **options) for item in page["Items"]]


def batch(engine: Engine, *statements: str | Document, **options: Any) -> Document:
    return engine.call("BatchExecuteStatement", {"Statements": members(*statements), **options})


def transaction(engine: Engine, *statements: str | Document, **options: Any) -> Document:
    return engine.call("ExecuteTransaction", {"TransactStatements": members(*statements), **options})


def members(*statements: str | Document) -> list[Document]:
    return [{"Statement": each} if isinstance(each, str) else each for each in statements]


def member(statement: str, *parameters: Document, **options: Any) -> Document:
    return _request(statement, parameters, options)


def _request(statement: str, parameters: tuple[Document, ...], options: dict[str, Any]) -> Document:
    return {"Statement": statement, **({"Parameters": list(parameters)} if parameters else {}), **options}
