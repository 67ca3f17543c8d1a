"""The direct children of a node are read, but no index groups one level of the tree."""

from pydantic import BaseModel

from singletable import Children, Page, Table, entity, pattern, query


@entity(key=("ORG#{org}", "PATH#{path}"))
class Node(BaseModel):
    org: str
    path: tuple[str, ...]


class Guide(Table, entities=[Node]):
    @pattern(expected_items=10)
    def children(self, org: str, path: Children[tuple[str, ...]]) -> Page[Node]:
        """P8: get the direct children of a node."""
        return query(Node)
