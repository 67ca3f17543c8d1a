"""A design with every kind of tree that supports ancestors, to compare plans with brute force."""

from __future__ import annotations

from dataclasses import dataclass

from singletable import Children, Page, Subtree, Table, ancestors, depth, entity, parent, pattern, query, shard

Path = tuple[str, ...]


@entity(
    key=("ORG#{org}", "NODE#{path}"),
    derived={"level": depth("path"), "above": parent("path")},
    gsi1=("ORG#{org}#{level}", "NODE#{path}"),
    gsi2=("ORG#{org}#{above}", "NODE#{path}"),
    identity=("org", "path"),
)
@dataclass(frozen=True)
class Node:
    org: str
    path: Path
    name: str


@entity(
    key=("TREE#{org}#{kind}#{shard}", "LEAF#{level}#{path}"),
    derived={"shard": shard("path", of=3), "level": depth("path")},
    identity=("org", "kind", "path"),
)
@dataclass(frozen=True)
class Leaf:
    org: str
    kind: str
    path: Path


@entity(key=("PLACE#{path}", "PLACE"), identity=("path",))
@dataclass(frozen=True)
class Place:
    path: Path


class Forest(Table, entities=[Node, Leaf, Place]):
    """Ways down through one partition, through shards, and through a partition for each node."""

    @pattern(fanout=4)
    def nodes_above(self, org: str, path: Path) -> list[Node]:
        return ancestors(Node)

    @pattern(fanout=4)
    def leaves_above(self, org: str, kind: str, path: Path) -> list[Leaf]:
        return ancestors(Leaf)

    @pattern(fanout=4)
    def places_above(self, path: Path) -> list[Place]:
        return ancestors(Place, consistent=True)

    @pattern()
    def nodes_below(self, org: str, path: Subtree[Path]) -> Page[Node]:
        return query(Node)

    @pattern()
    def children(self, org: str, path: Children[Path]) -> Page[Node]:
        return query(Node)
