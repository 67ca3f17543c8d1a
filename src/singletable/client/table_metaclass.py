"""Table metaclass, which rejects two patterns with the same name, and the names that a pattern must not have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from singletable.client.pattern import Pattern
from singletable.errors import DesignError, Problem
from singletable.model import source_location

RESERVED = frozenset(
    {
        "aio",
        "all",
        "arrow",
        "batch",
        "close",
        "count",
        "create",
        "create_many",
        "delete",
        "delete_collection",
        "delete_many",
        "design",
        "edit",
        "get",
        "get_many",
        "metrics",
        "move",
        "move_subtree",
        "name",
        "open",
        "open_async",
        "put",
        "put_many",
        "query",
        "scan",
        "sql",
        "transaction",
        "update",
        "update_many",
        "upsert",
        "using",
    }
)
"""The reserved names, which a pattern must not have."""


class _Namespace(dict[str, Any]):
    """The namespace of a class body. It records a problem if a later definition overwrites a pattern."""

    def __init__(self) -> None:
        super().__init__()
        self.problems: list[Problem] = []

    def __setitem__(self, name: str, value: Any) -> None:
        known = self.get(name)
        if isinstance(known, Pattern):
            where = value.declaration.location if isinstance(value, Pattern) else source_location.caller()
            other = known.declaration.location
            message = f"the name {name!r} is defined twice: the pattern at {other} has the same name"
            self.problems.append(Problem(message, where, "Rename one of the two definitions."))
        super().__setitem__(name, value.named(name) if isinstance(value, Pattern) else value)


class TableMeta(type):
    """Metaclass of tables, which rejects a class body with two patterns of the same name."""

    @classmethod
    def __prepare__(cls, name: str, bases: tuple[type, ...], /, **keywords: Any) -> _Namespace:
        return _Namespace()

    def __new__(cls, name: str, bases: tuple[type, ...], namespace: Mapping[str, Any], /, **keywords: Any) -> TableMeta:
        """Raise DesignError for a class body with two patterns of the same name."""
        if isinstance(namespace, _Namespace) and namespace.problems:
            raise DesignError(namespace.problems)
        return super().__new__(cls, name, bases, dict(namespace), **keywords)

    def __init__(cls, name: str, bases: tuple[type, ...], namespace: Mapping[str, Any], /, **keywords: Any) -> None:
        super().__init__(name, bases, dict(namespace))


if TYPE_CHECKING:

    class TableBody:
        """Base class as type checkers see it, without the metaclass.

        With a custom metaclass, type checkers do not check class keywords such as `entities=` against
        `__init_subclass__`.
        """

else:

    class TableBody(metaclass=TableMeta):
        """Base class of tables with the metaclass."""


def reject_reserved(patterns: Sequence[Pattern[..., Any]]) -> None:
    """Raise DesignError if a pattern has a reserved name."""
    problems = [
        Problem(
            f"{pattern.declaration.name!r} is a reserved name and cannot be the name of a pattern",
            pattern.declaration.location,
            "Name it after its result, such as orders_of_customer.",
        )
        for pattern in patterns
        if pattern.declaration.name in RESERVED
    ]
    if problems:
        raise DesignError(problems)
