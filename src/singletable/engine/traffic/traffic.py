"""The traffic of all tables of an engine: which of them are watched, and what is remembered of each."""

from __future__ import annotations

import threading
from collections.abc import Callable

from singletable.engine.definition import TableDefinition
from singletable.engine.traffic.table_traffic import TableTraffic, counted_places


class Traffic:
    """Finds the traffic of a table, by the identifier that it keeps for life."""

    def __init__(
        self,
        now: Callable[[], float],
        arn: Callable[[str], str],
        *,
        enforces_capacity: bool = False,
        enforces_partitions: bool = False,
    ) -> None:
        self._now = now
        self._arn = arn
        self._enforces_capacity = enforces_capacity
        self._enforces_partitions = enforces_partitions
        self._tables: dict[str, TableTraffic] = {}
        self._lock = threading.Lock()

    def of(self, definition: TableDefinition) -> TableTraffic | None:
        """The traffic of a table that was opened or has changed; None when nobody wants to know."""
        is_watched = self._enforces_capacity or self._enforces_partitions or any(counted_places(definition))
        with self._lock:
            if not is_watched:
                self._tables.pop(definition.identifier, None)
                return None
            traffic = self._tables.get(definition.identifier)
            if traffic is None:
                traffic = self._tables[definition.identifier] = self._made(definition)
            else:
                traffic.follow(definition)
            return traffic

    def _made(self, definition: TableDefinition) -> TableTraffic:
        return TableTraffic(
            definition,
            self._now,
            self._arn,
            enforces_capacity=self._enforces_capacity,
            enforces_partitions=self._enforces_partitions,
        )

    def keep_only(self, identifiers: set[str]) -> None:
        """Forgets the tables that are gone."""
        with self._lock:
            for identifier in self._tables.keys() - identifiers:
                del self._tables[identifier]
