"""The filter discards an unknown share of the items that were read and billed."""

from pydantic import BaseModel

from singletable import Page, Subtree, Table, entity, pattern, query


@entity(key=("ORG#{org}", "PATH#{path}"), expected_per_partition=200)
class Node(BaseModel):
    org: str
    path: tuple[str, ...]
    depth: int


class Guide(Table, entities=[Node]):
    @pattern()
    def node_with_children(self, org: str, path: Subtree[tuple[str, ...]], deepest: int) -> Page[Node]:
        """P8: get a node and its direct children, by reading the subtree."""
        return query(Node, filter=lambda node: node.depth <= deepest)
