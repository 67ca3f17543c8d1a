"""The syntax tree of PartiQL statements, and the columns of a SELECT."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from singletable.expressions.evaluate import value_at
from singletable.expressions.operand_checks import Check
from singletable.expressions.projection import PathProjection
from singletable.expressions.tree import Change, Condition, Constant, Parameter, Path
from singletable.partiql.statement_lexer import TokenPosition

Returning = Literal["ALL OLD", "MODIFIED OLD", "ALL NEW", "MODIFIED NEW"]


@dataclass(frozen=True)
class StatementSource:
    """The table of a statement, or one of its indexes."""

    table: str
    index: str | None = None


@dataclass(frozen=True)
class OrderBy:
    """An attribute by which the result is sorted, and the direction."""

    attribute: str
    descending: bool = False


@dataclass(frozen=True)
class SelectStatement:
    """SELECT. If it has no columns (None), it returns whole items."""

    source: StatementSource
    columns: tuple[Path, ...] | None = None
    where: Condition | None = None
    order: tuple[OrderBy, ...] = ()


@dataclass(frozen=True)
class InsertStatement:
    """INSERT: the attributes of a new item."""

    source: StatementSource
    item: tuple[tuple[str, Constant | Parameter], ...]


@dataclass(frozen=True)
class UpdateStatement:
    """UPDATE: changes to one item."""

    source: StatementSource
    changes: tuple[Change, ...]
    where: Condition | None = None
    returning: Returning | None = None


@dataclass(frozen=True)
class DeleteStatement:
    """DELETE of one item."""

    source: StatementSource
    where: Condition | None = None
    returning: Returning | None = None


@dataclass(frozen=True)
class ExistsStatement:
    """EXISTS, only in a transaction. It requires that the selected item exists and matches the WHERE clause."""

    select: SelectStatement


Statement = SelectStatement | InsertStatement | UpdateStatement | DeleteStatement | ExistsStatement


@dataclass(frozen=True, eq=False)
class ParsedStatement:
    """A statement, the checks that need the values of its parameters, and the positions of its parameters.

    Parsed statements are cached. `cache` contains values computed from the statement, such as its split condition.
    """

    statement: Statement
    checks: tuple[Check, ...]
    parameters: tuple[TokenPosition, ...]
    cache: dict[Hashable, Any] = field(default_factory=dict)


def parameter_name(number: int) -> str:
    """Return the parameter name of a `?`; the first `?` of a statement has the number 1."""
    return f"?{number}"


def column_name(path: Path) -> str:
    """Return the name of a result column: the last name in its path and the list positions after it.

    For example, the column of `a.b[0]` has the name `b[0]`.
    """
    last_name = max(position for position, step in enumerate(path.steps) if isinstance(step, str))
    return str(Path(path.steps[last_name:]))


class Columns(PathProjection):
    """The columns of a SELECT. The name of a column is the last name of its path. The result omits missing columns."""

    def __init__(self, paths: Iterable[Path]) -> None:
        super().__init__(())
        self.paths = tuple(paths)
        self.attributes = frozenset(path.attribute for path in self.paths)
        self.nested_attributes = frozenset(path.attribute for path in self.paths if len(path.steps) > 1)
        self._columns = tuple((column_name(path), path.steps) for path in self.paths)

    def apply(self, item: Mapping[str, Any]) -> dict[str, Any]:
        """Return the columns that the item has, in the order of the statement."""
        found = ((name, value_at(item, steps)) for name, steps in self._columns)
        return {name: value for name, value in found if value is not None}
