"""A subtree is read from a table whose delimiter sorts after letters, so it is not one range."""

from pydantic import BaseModel

from singletable import Page, Subtree, Table, entity, pattern, query


@entity(key=("ORG|{org}", "PATH|{path}"))
class Node(BaseModel):
    org: str
    path: tuple[str, ...]


class Guide(Table, entities=[Node], delimiter="|"):
    @pattern(frequency="low", expected_items=100)
    def subtree(self, org: str, path: Subtree[tuple[str, ...]]) -> Page[Node]:
        """P9: get an entire subtree."""
        return query(Node)
