"""Paths that an expression may not have together: one inside the other, or a value as a list and as a map."""

from __future__ import annotations

from dataclasses import dataclass, field

from singletable.expressions.checks import shown_path
from singletable.expressions.tree import Path


@dataclass
class _Place:
    """A place that paths lead through: the paths that end here or behind it, and the steps that lead on."""

    path: Path | None = None
    steps: dict[str | int, _Place] = field(default_factory=dict)

    def any_path(self) -> Path:
        place = self
        while place.path is None:
            place = next(reversed(place.steps.values()))
        return place.path


class Paths:
    """The paths of one expression so far."""

    def __init__(self) -> None:
        self._root = _Place()

    def add(self, path: Path) -> str | None:
        """Add a path that stands before all of these in the text; the words of the refusal if it may not be there."""
        place = self._root
        for step in path.steps:
            if place.path is not None:
                return _refusal("overlap", path, place.path)
            known = next(iter(place.steps), step)
            if isinstance(known, int) != isinstance(step, int):
                return _refusal("conflict", path, place.any_path())
            place = place.steps.setdefault(step, _Place())
        if place.path is not None or place.steps:
            return _refusal("overlap", path, place.any_path())
        place.path = path
        return None


def _refusal(how: str, one: Path, other: Path) -> str:
    # Where three paths or more are concerned, the service often shows one for the other that has no part in it.
    both = f"path one: {shown_path(one.steps)}, path two: {shown_path(other.steps)}"
    return f"Two document paths {how} with each other; must remove or rewrite one of these paths; {both}"
