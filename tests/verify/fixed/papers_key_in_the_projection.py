"""The projection lists only attributes that are not keys."""

from dataclasses import dataclass

from singletable import GSI, Page, Table, entity, include, native, pattern, query


@entity(key=(native("paper_id"),), gsi1=(native("author"), native("title")))
@dataclass
class Paper:
    paper_id: str
    author: str
    title: str
    pages: int


class Papers(
    Table,
    entities=[Paper],
    keys=("paper_id",),
    indexes=[GSI("gsi1", keys=("author", "title"), projection=include("pages"))],
):
    @pattern()
    def papers_of(self, author: str, *, limit: int = 20, cursor: str | None = None) -> Page[Paper]:
        """List the papers of an author."""
        return query(Paper)
