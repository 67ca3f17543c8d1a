"""The columns of a SELECT: places inside of items, each under the last name of its path."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from singletable.expressions.evaluate import reached
from singletable.expressions.project import Projection
from singletable.expressions.tree import Path
from singletable.partiql.statements import column_name


class Columns(Projection):
    """What a SELECT leaves of an item; a column that the item lacks is left out."""

    def __init__(self, paths: Iterable[Path]) -> None:
        super().__init__(())
        self.paths = tuple(paths)
        self.attributes = frozenset(path.attribute for path in self.paths)
        self.nested_attributes = frozenset(path.attribute for path in self.paths if len(path.steps) > 1)
        self._columns = tuple((column_name(path), path.steps) for path in self.paths)

    def apply(self, item: Mapping[str, Any]) -> dict[str, Any]:
        """The columns that the item has, in the order of the statement."""
        found = ((name, reached(item, steps)) for name, steps in self._columns)
        return {name: value for name, value in found if value is not None}
