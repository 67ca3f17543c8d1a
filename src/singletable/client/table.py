"""Tables: a class whose keywords are the table's settings and whose methods are its access patterns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from singletable.client.pattern import Pattern
from singletable.errors import DesignError, Problem
from singletable.model import source
from singletable.model.codecs.text import ORDERED_DELIMITER
from singletable.model.entity import ACCEPT_REMEDY, Accepted, accept_problem
from singletable.model.index import GSI, LSI
from singletable.model.settings import TableSettings

if TYPE_CHECKING:
    from singletable.model.design import Design

RESERVED = frozenset(
    {
        "aio",
        "all",
        "batch",
        "close",
        "count",
        "create",
        "delete",
        "design",
        "get",
        "metrics",
        "move",
        "name",
        "open",
        "put",
        "query",
        "scan",
        "transaction",
        "update",
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

    class _Bodied:
        """What type checkers see: below a metaclass of one's own, neither compares a class's keywords with
        `__init_subclass__`, so that a missing `entities=` would go unnoticed."""

else:

    class _Bodied(metaclass=TableMeta):
        """A class whose body loses no pattern."""


class Table(_Bodied):
    """A table: entities, indexes and access patterns, compiled when the class is made.

    Class keywords: `entities` (the classes), `name` (the class's own by default), `keys` (the names of the key
    attributes, `PK` and `SK`), `indexes` (only what differs from the defaults: names, attributes, projections),
    `type_attribute`, `schema_version_attribute`, `ttl_attribute`, `delimiter`, and `accept` (findings accepted with
    a reason).
    """

    design: ClassVar[Design]

    def __init_subclass__(
        cls,
        *,
        entities: Sequence[type],
        name: str | None = None,
        keys: tuple[str] | tuple[str, str] | None = None,
        indexes: Sequence[GSI | LSI] = (),
        type_attribute: str | None = "entity_type",
        schema_version_attribute: str = "schema_v",
        ttl_attribute: str | None = None,
        delimiter: str = ORDERED_DELIMITER,
        accept: Accepted | None = None,
    ) -> None:
        from singletable.model.design import compile_design  # with all codecs: a program without a table needs none

        super().__init_subclass__()
        location = source.user_code()
        if problem := accept_problem(accept):
            raise DesignError(Problem(f"{cls.__name__}: {problem}", location, ACCEPT_REMEDY))
        if not isinstance(entities, list | tuple):
            shown = getattr(entities, "__name__", repr(entities))
            raise DesignError(Problem(f"{cls.__name__}: entities={shown} is no list of classes", location))
        settings = TableSettings(
            name or cls.__name__,
            location,
            keys,
            tuple(indexes),
            type_attribute,
            schema_version_attribute,
            ttl_attribute,
            delimiter,
            dict(accept or {}),
        )
        members = {name: member for base in reversed(cls.__mro__) for name, member in vars(base).items()}
        patterns = [member.named(name) for name, member in members.items() if isinstance(member, Pattern)]
        _refuse_reserved(patterns)
        cls.design = compile_design(settings, entities, [pattern.declaration for pattern in patterns])


def _refuse_reserved(patterns: Sequence[Pattern[..., Any]]) -> None:
    problems = [
        Problem(
            f"the pattern {pattern.declaration.name!r} takes a name that every table has",
            pattern.declaration.location,
            "Name it for what it answers, such as orders_of_customer.",
        )
        for pattern in patterns
        if pattern.declaration.name in RESERVED
    ]
    if problems:
        raise DesignError(problems)
