"""The class body of a table: names that patterns may not take, and a metaclass that loses no pattern."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from singletable.client.pattern import Pattern
from singletable.errors import DesignError, Problem
from singletable.model import source

RESERVED = frozenset(
    {
        "aio",
        "all",
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
        "put",
        "put_many",
        "query",
        "scan",
        "transaction",
        "update",
        "update_many",
        "upsert",
        "using",
    }
)
"""Names that a table keeps for itself, so that no pattern can hide one."""


class _Namespace(dict[str, Any]):
    """A class body that notices when a second pattern takes the name of a first."""

    def __init__(self) -> None:
        super().__init__()
        self.problems: list[Problem] = []

    def __setitem__(self, name: str, value: Any) -> None:
        known = self.get(name)
        if isinstance(known, Pattern):
            where = value.declaration.location if isinstance(value, Pattern) else source.caller()
            message = f"two patterns are called {name!r}; the other is at {known.declaration.location}"
            self.problems.append(Problem(message, where, "Give one of them another name."))
        super().__setitem__(name, value.named(name) if isinstance(value, Pattern) else value)


class TableMeta(type):
    """Makes the class body of a table one that loses no pattern."""

    @classmethod
    def __prepare__(cls, name: str, bases: tuple[type, ...], /, **keywords: Any) -> _Namespace:
        return _Namespace()

    def __new__(cls, name: str, bases: tuple[type, ...], namespace: Mapping[str, Any], /, **keywords: Any) -> TableMeta:
        """Refuse a class body that named two patterns alike."""
        if isinstance(namespace, _Namespace) and namespace.problems:
            raise DesignError(namespace.problems)
        return super().__new__(cls, name, bases, dict(namespace), **keywords)

    def __init__(cls, name: str, bases: tuple[type, ...], namespace: Mapping[str, Any], /, **keywords: Any) -> None:
        super().__init__(name, bases, dict(namespace))


if TYPE_CHECKING:

    class TableBody:
        """What type checkers see: below a metaclass of one's own, neither compares a class's keywords with
        `__init_subclass__`, so that a missing `entities=` would go unnoticed."""

else:

    class TableBody(metaclass=TableMeta):
        """A class whose body loses no pattern."""
