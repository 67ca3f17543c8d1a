"""Trees for the tests of the data layer: children by level and by parent, and unrelated items."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from singletable import Children, Page, Subtree, Table, ancestors, depth, entity, get, parent, pattern, query

Path = tuple[str, ...]
DEPTH_MAX = 9
"""The maximum depth of a path in an ancestors pattern."""


@entity(
    key=("ORG#{org}", "NODE#{path}"),
    derived={"level": depth("path")},
    gsi1=("ORG#{org}#LEVEL#{level}", "NODE#{path}"),
    identity=("org", "path"),
)
@dataclass(frozen=True)
class Node:
    org: str
    path: Path
    name: str = ""
    levels: int = 0


@entity(
    key=("ORG#{org}", "BRANCH#{path}"),
    derived={"above": parent("path")},
    gsi1=("ORG#{org}#BELOW#{above}", "BRANCH#{path}"),
    identity=("org", "path"),
)
@dataclass(frozen=True)
class Branch:
    org: str
    path: Path
    name: str = ""


@entity(key=("ORG#{org}", "ORG"))
@dataclass(frozen=True)
class Org:
    org: str


class Orgs(Table, entities=[Node, Branch, Org]):
    """A tree by level, the same tree by parent, and an item that sorts before them in their partition."""

    @pattern()
    def node(self, org: str, path: Path) -> Node | None:
        return get(Node)

    @pattern()
    def subtree(self, org: str, path: Subtree[Path]) -> Page[Node]:
        return query(Node)

    @pattern()
    def children(self, org: str, path: Children[Path]) -> Page[Node]:
        return query(Node)

    @pattern(fanout=DEPTH_MAX)
    def breadcrumbs(self, org: str, path: Path) -> list[Node]:
        return ancestors(Node)

    @pattern()
    def branches(self, org: str, path: Subtree[Path]) -> Page[Branch]:
        return query(Branch)

    @pattern()
    def twigs(self, org: str, path: Children[Path]) -> Page[Branch]:
        return query(Branch)

    @pattern(fanout=DEPTH_MAX)
    def way_to(self, org: str, path: Path) -> list[Branch]:
        return ancestors(Branch, consistent=True)


# Names that are prefixes of each other, with every special character of keys, parents and escapes.
NAMES = (
    *("a", "ab", "a#", "a#b", "#", "##", "%", "%23", "a%", "/", "a/b", "~", "~1", "~0", "$", "a$", " ", "a b", "!"),
    *("eng", "engineering", "🙂", "🙂🙂", "é", "NODE", "\x00", "\U0010ffff"),
)


def random_paths(chance: Random, count: int, *, names: tuple[str, ...] = NAMES) -> set[Path]:
    """Return the paths of a tree. Some of them have no parent in it."""
    found: list[Path] = [(chance.choice(names),)]
    while len(found) < count:
        above = chance.choice(found)
        added = (chance.choice(names),) if len(above) < 6 else ()
        beyond = (chance.choice(names),) if chance.random() < 0.1 else ()
        found.append(above + added + beyond if added else (chance.choice(names),))
    return set(found)
