"""Projection expressions as the paths they name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from singletable.expressions.checks import Check, Refusal
from singletable.expressions.path_overlaps import Paths
from singletable.expressions.reader import Reader
from singletable.expressions.tree import Path


@dataclass(frozen=True)
class ReadProjection:
    """A projection as it was read: its paths, what is wrong with them, and the placeholders it uses."""

    paths: tuple[Path, ...]
    checks: tuple[Check, ...]
    used_names: frozenset[str]
    nested_attributes: frozenset[str]


def parse_projection(parameter: str, text: str, names: Mapping[str, str]) -> ReadProjection:
    """Read a projection; `parameter` is what the request calls it."""
    reader = Reader(parameter, text, names)
    read: list[tuple[Path, list[Check]]] = []
    while True:
        first = reader.at
        path = reader.path()
        read.append((path, reader.path_checks(path, first)))
        if reader.take(",", "end").kind == "end":
            break
    reader.checks += target_checks(read)
    reader.finish()
    return ReadProjection(
        tuple(path for path, _ in read),
        tuple(reader.checks),
        frozenset(reader.used_names),
        frozenset(reader.nested_attributes),
    )


def target_checks(read: list[tuple[Path, list[Check]]]) -> list[Check]:
    """The checks of paths that may not overlap; as the service does it, from the last one to the first."""
    paths, checks = Paths(), list[Check]()
    for path, own in reversed(read):
        checks += own
        if not own and (message := paths.add(path)):
            checks.append(Refusal(message))
    return checks
