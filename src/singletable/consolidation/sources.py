"""Sources of a consolidation: DynamoDB tables, files and SQL queries, each with the functions that map its rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

EntityOf = Callable[[Any], object]
"""A function that returns the entity of a row, several entities, or LeftOut."""
RowOf = Callable[[Any], object]
"""A function that returns the row of an entity, or the part of the row that the entity contains."""


@dataclass(frozen=True)
class LeftOut:
    """The result of a mapping for a row that the new table does not contain, with the reason."""

    reason: str


@dataclass(frozen=True)
class DynamoDBSource:
    """A DynamoDB table of the same account and region as the new table.

    `entity_of` maps a row to an entity, a list of entities, or LeftOut. `row_of` maps an entity back to its row, or is
    a sequence of such functions, one for each class that `entity_of` returns. A class without such a function cannot
    be written through the new table until the old tables are retired.
    """

    name: str
    entity_of: EntityOf
    row_of: RowOf | Sequence[RowOf] = ()


@dataclass(frozen=True)
class CsvSource:
    """A CSV file whose first line has the names of the columns.

    `key` names the columns that identify a row. `watermark` is a column that grows with each change of a row: a later
    run reads only rows from the highest value on.
    """

    path: str | Path
    entity_of: EntityOf
    key: tuple[str, ...]
    watermark: str | None = None
    delimiter: str = ","

    @property
    def name(self) -> str:
        """The name of the file."""
        return Path(self.path).name


@dataclass(frozen=True)
class JsonLinesSource:
    """A file with one JSON object per line. `key` and `watermark` are names of members, as in `CsvSource`."""

    path: str | Path
    entity_of: EntityOf
    key: tuple[str, ...]
    watermark: str | None = None

    @property
    def name(self) -> str:
        """The name of the file."""
        return Path(self.path).name


@dataclass(frozen=True)
class SqlSource:
    """The rows of a table or of a query in a SQL database, read through SQLAlchemy.

    `url` is a database URL of SQLAlchemy. `query` is a SELECT without ORDER BY; by default, it selects all columns of
    the table `name`. `key` and `watermark` are names of columns, as in `CsvSource`.
    """

    name: str
    url: str
    entity_of: EntityOf
    key: tuple[str, ...]
    watermark: str | None = None
    query: str | None = None


Source = DynamoDBSource | CsvSource | JsonLinesSource | SqlSource
