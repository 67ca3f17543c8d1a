"""A small table, without third-party libraries, for tests that count imported modules."""

from __future__ import annotations

from dataclasses import dataclass

from singletable import Table, entity, get, pattern


@entity(key=("NOTE#{id}", "NOTE"))
@dataclass
class Note:
    id: str


class Notes(Table, entities=[Note]):
    @pattern()
    def note(self, id: str) -> Note | None:
        """Get a note by ID."""
        return get(Note)
