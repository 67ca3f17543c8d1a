"""Consolidation: the declaration of a new table and of the sources whose rows it takes over."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Generic, TypeVar, Unpack

from singletable.client.table import Table
from singletable.consolidation.row_mapping import RowMapping
from singletable.consolidation.sources import DynamoDBSource, Source
from singletable.errors import ArgumentRefused

if TYPE_CHECKING:
    from singletable.client.boto3_transport import Boto3Client
    from singletable.client.open_table import OpenOptions
    from singletable.engine.engine import RequestMethods

T = TypeVar("T", bound=Table)


@dataclass(frozen=True)
class CleanPeriod:
    """How long, and for how many calls, each pattern must be without differences before the old tables are retired."""

    time: timedelta = timedelta(days=7)
    calls: int = 1000


class Consolidation(Generic[T]):
    """A new table, and the sources whose rows become its items.

    The runner copies the sources in the given order. If rows refer to rows of another source, pass that source first.
    """

    def __init__(
        self,
        table: type[T],
        *sources: Source,
        clean_time: timedelta = CleanPeriod.time,
        clean_calls: int = CleanPeriod.calls,
        new_patterns: Collection[str] = (),
    ) -> None:
        """Check the mapping functions. Raise ArgumentRefused if a source does not fit the table.

        `new_patterns` names the patterns without an old implementation, which the retirement does not compare.
        """
        if not sources:
            raise ArgumentRefused("Consolidation: pass at least one source, such as DynamoDBSource(...)")
        self.table = table
        self.clean = CleanPeriod(clean_time, clean_calls)
        self.new_patterns = frozenset((new_patterns,) if isinstance(new_patterns, str) else new_patterns)
        known = [each.name for each in table.design.patterns]
        if unknown := sorted(self.new_patterns - {*known}):
            raise ArgumentRefused(
                f"Consolidation: new_patterns names {', '.join(unknown)}, but {table.design.name} has the patterns "
                f"{', '.join(known)}"
            )
        self.mappings = tuple(RowMapping(each, table.design) for each in sources)
        restored = [cls for each in self.mappings for cls in each.restored]
        if several := sorted({cls.__name__ for cls in restored if restored.count(cls) > 1}):
            raise ArgumentRefused(f"Consolidation: two sources have a row_of function for {', '.join(several)}")
        names = [each.name for each in sources]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ArgumentRefused(f"Consolidation: two sources have the name {', '.join(twice)}")
        if table.design.name in names:
            raise ArgumentRefused(f"Consolidation: {table.design.name} is both the new table and a source")

    @property
    def shared(self) -> frozenset[type]:
        """The classes to which the rows of several sources map."""
        classes = [cls for each in self.mappings for cls in each.classes]
        return frozenset(cls for cls in classes if classes.count(cls) > 1)

    @property
    def dynamodb_mappings(self) -> Iterator[RowMapping]:
        """The mappings of the sources that are DynamoDB tables."""
        return (each for each in self.mappings if isinstance(each.source, DynamoDBSource))

    def open(self, url: str | RequestMethods | Boto3Client, **options: Unpack[OpenOptions]) -> T:
        """Open the new table. Each write of its items also writes their rows in the old tables, in one transaction.

        The options are those of `Table.open`. Reads are those of the new table.
        """
        from singletable.consolidation.dual_table import open_dual_table

        return open_dual_table(self, url, options)

    def refresh(self, table: T) -> None:
        """Make a table that `open` has returned read the stage again before its next write.

        Otherwise it reads the stage every 30 seconds.
        """
        from singletable.consolidation.dual_table import opened_dual_table

        opened_dual_table(table).writer_of_both.lease.forget()
