"""What a projection leaves of an item: the places its paths name, inside of the structure that they are in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from singletable.expressions.tree import Path

# The places of one value: None is for all of it.
Places = dict[str | int, "Places | None"]


class Projection:
    """The paths that are asked for; `attributes` are the attributes they are in."""

    def __init__(self, paths: Iterable[Path]) -> None:
        self.paths = tuple(paths)
        self.attributes = frozenset(path.attribute for path in self.paths)
        self.nested_attributes = frozenset(path.attribute for path in self.paths if len(path.steps) > 1)
        self._whole = tuple(path.attribute for path in self.paths if len(path.steps) == 1)
        self._places = _places(path for path in self.paths if len(path.steps) > 1)

    def apply(self, item: Mapping[str, Any]) -> dict[str, Any]:
        """What is left of an item; empty where it has nothing of what is asked for."""
        left = {name: item[name] for name in self._whole if name in item}
        return left | _members(self._places, item) if self._places else left


def _places(paths: Iterable[Path]) -> Places:
    places: Places = {}
    for path in paths:
        inner: Any = places  # never None: no path goes on where another one ends, such projections are refused
        for step in path.steps[:-1]:
            inner = inner.setdefault(step, {})
        inner[path.steps[-1]] = None
    return places


def _members(places: Places, members: Mapping[str, Any]) -> dict[str, Any]:
    found = ((step, _part(inner, members.get(str(step)))) for step, inner in places.items())
    return {str(step): part for step, part in found if part is not None}


def _part(places: Places | None, value: Any) -> Any:
    """What is left of one value; None where nothing is."""
    if places is None or value is None:
        return value
    if isinstance(next(iter(places)), str):
        left = _members(places, value["M"]) if "M" in value else {}
        return {"M": left} if left else None
    elements = value.get("L", ())
    # Captured against the service: elements come in the order of the list, however they are asked for, without gaps.
    positions = sorted(step for step in places if isinstance(step, int) and step < len(elements))
    parts = [part for at in positions if (part := _part(places[at], elements[at])) is not None]
    return {"L": parts} if parts else None
