"""What a batch leaves to be asked for again, by table, because it was throttled or did not fit into the answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from singletable.engine.traffic.throttled import Throttled


class LeftOver:
    """The parts of a batch that were not done, in the form in which they are sent again."""

    def __init__(self) -> None:
        self.by_table: dict[str, list[Any]] = {}
        self._throttled: list[Throttled] = []

    def add(self, table: str, part: Any, refusal: Throttled) -> None:
        """A part that was throttled."""
        self.by_table.setdefault(table, []).append(part)
        self._throttled.append(refusal)

    def add_all(self, table: str, parts: Sequence[Any]) -> None:
        """Parts for which there was no room."""
        self.by_table.setdefault(table, []).extend(parts)

    def refuse_if_all(self, count: int) -> None:
        """Refuses a batch of which every part was throttled, as the first of them was."""
        if self._throttled and len(self._throttled) == count:
            raise self._throttled[0]
