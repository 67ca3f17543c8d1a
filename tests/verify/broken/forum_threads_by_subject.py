"""A thread overwrites another thread with the same subject."""

from dataclasses import dataclass

from singletable import Table, entity, get, pattern


@entity(key=("FORUM#{forum}", "THREAD#{subject}"))
@dataclass
class Thread:
    forum: str
    subject: str
    opened_by: str


class Forum(Table, entities=[Thread]):
    @pattern()
    def thread(self, forum: str, subject: str) -> Thread | None:
        """Get a thread."""
        return get(Thread)
