"""The text of the key is the name of the entity."""

from dataclasses import dataclass

from singletable import Page, Table, entity, pattern, query


@entity(key=("POST#{post_id}", "COMMENT#{comment_id}"), identity=("post_id", "comment_id"), expected_per_partition=500)
@dataclass
class Comment:
    post_id: str
    comment_id: str


class Posts(Table, entities=[Comment]):
    @pattern()
    def comments_of_post(self, post_id: str, *, limit: int = 20, cursor: str | None = None) -> Page[Comment]:
        """Comments on a post."""
        return query(Comment)
