"""The filter discards four fifths of the subtree after DynamoDB has read and billed it."""

from pydantic import BaseModel

from singletable import Page, Subtree, Table, entity, pattern, query


@entity(key=("ORG#{org}", "PATH#{path}"))
class Node(BaseModel):
    org: str
    path: tuple[str, ...]
    depth: int


class Guide(Table, entities=[Node]):
    @pattern(expected_items=12, expected_examined=60)
    def node_with_children(self, org: str, path: Subtree[tuple[str, ...]], deepest: int) -> Page[Node]:
        """P8: get a node and its direct children, by reading the subtree."""
        return query(Node, filter=lambda node: node.depth <= deepest)
