"""Projection expressions: parsing, the check for overlapping paths, and the projection of an item."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Any

from singletable.expressions.expression_reader import ExpressionReader
from singletable.expressions.operand_checks import Check, FailedCheck, shown_path
from singletable.expressions.tree import Path
from singletable.lazy_dataclass import dataclass

# The selected parts of a map (by name) or of a list (by position). None selects the whole value.
Places = dict[str | int, "Places | None"]


class PathProjection:
    """The paths that a projection selects; `attributes` are the top-level attributes of these paths."""

    def __init__(self, paths: Iterable[Path]) -> None:
        self.paths = tuple(paths)
        self.attributes = frozenset(path.attribute for path in self.paths)
        self.nested_attributes = frozenset(path.attribute for path in self.paths if len(path.steps) > 1)
        self._whole = tuple(path.attribute for path in self.paths if len(path.steps) == 1)
        self._places = _places(path for path in self.paths if len(path.steps) > 1)

    def apply(self, item: Mapping[str, Any]) -> dict[str, Any]:
        """Return the selected parts of an item; return an empty dict if the item has none of them."""
        selected = {name: item[name] for name in self._whole if name in item}
        return selected | _members(self._places, item) if self._places else selected


def _places(paths: Iterable[Path]) -> Places:
    places: Places = {}
    for path in paths:
        inner: Any = places  # never None, because an earlier check rejects overlapping paths
        for step in path.steps[:-1]:
            inner = inner.setdefault(step, {})
        inner[path.steps[-1]] = None
    return places


def _members(places: Places, members: Mapping[str, Any]) -> dict[str, Any]:
    found = ((step, _part(inner, members.get(str(step)))) for step, inner in places.items())
    return {str(step): part for step, part in found if part is not None}


def _part(places: Places | None, value: Any) -> Any:
    """Return the selected parts of one value, or None."""
    if places is None or value is None:
        return value
    if isinstance(next(iter(places)), str):
        selected = _members(places, value["M"]) if "M" in value else {}
        return {"M": selected} if selected else None
    elements = value.get("L", ())
    # The result has the elements in list order, without gaps (captured from AWS).
    positions = sorted(step for step in places if isinstance(step, int) and step < len(elements))
    parts = [part for at in positions if (part := _part(places[at], elements[at])) is not None]
    return {"L": parts} if parts else None


@dataclass
class _PathNode:
    """A node of the tree of paths: the path that ends here, and the next steps."""

    path: Path | None = None
    steps: dict[str | int, _PathNode] = field(default_factory=dict)

    def last_path(self) -> Path:
        """Return a path that ends at this node or below it."""
        node = self
        while node.path is None:
            node = next(reversed(node.steps.values()))
        return node.path


class DistinctPaths:
    """The paths of one expression. No two of them may overlap or conflict."""

    def __init__(self) -> None:
        self._root = _PathNode()

    def add(self, path: Path) -> str | None:
        """Add a path. Return an error message if it overlaps or conflicts with an earlier path."""
        node = self._root
        for step in path.steps:
            if node.path is not None:
                return _overlap_message("overlap", path, node.path)
            other_step = next(iter(node.steps), step)
            if isinstance(other_step, int) != isinstance(step, int):
                return _overlap_message("conflict", path, node.last_path())
            node = node.steps.setdefault(step, _PathNode())
        if node.path is not None or node.steps:
            return _overlap_message("overlap", path, node.last_path())
        node.path = path
        return None


def _overlap_message(verb: str, one: Path, other: Path) -> str:
    # For three or more paths, DynamoDB's message may differ, because it often shows an unrelated path.
    both = f"path one: {shown_path(one.steps)}, path two: {shown_path(other.steps)}"
    return f"Two document paths {verb} with each other; must remove or rewrite one of these paths; {both}"


@dataclass(frozen=True)
class ParsedProjection:
    """A parsed projection: its paths, their checks, and the name placeholders."""

    paths: tuple[Path, ...]
    checks: tuple[Check, ...]
    used_names: frozenset[str]
    nested_attributes: frozenset[str]


def parse_projection(parameter: str, text: str, names: Mapping[str, str]) -> ParsedProjection:
    """Parse a projection; `parameter` is its name in the request."""
    reader = ExpressionReader(parameter, text, names)
    read: list[tuple[Path, list[Check]]] = []
    while True:
        first = reader.at
        path = reader.path()
        read.append((path, reader.path_checks(path, first)))
        if reader.take(",", "end").kind == "end":
            break
    reader.checks += target_checks(read)
    reader.finish()
    return ParsedProjection(
        tuple(path for path, _ in read),
        tuple(reader.checks),
        frozenset(reader.used_names),
        frozenset(reader.nested_attributes),
    )


def target_checks(read: list[tuple[Path, list[Check]]]) -> list[Check]:
    """Return the checks of paths that must not overlap; like DynamoDB, start with the last path."""
    paths, checks = DistinctPaths(), list[Check]()
    for path, path_checks in reversed(read):
        checks += path_checks
        if not path_checks and (message := paths.add(path)):
            checks.append(FailedCheck(message))
    return checks
