"""Memberships with an inverse index, which swaps the keys of the table, so items need no additional attributes."""

from datetime import date

from pydantic import BaseModel

from singletable import Page, Table, entity, inverse, pattern, query


@entity(
    key=("USER#{user_id}", "GROUP#{group_id}"),
    identity=("user_id", "group_id"),
    name="MEMBERSHIP",
    expected_per_partition={"key": 5, "gsi1": 40},
)
class Edge(BaseModel):
    """The membership of a user in a group."""

    user_id: str
    group_id: str
    joined_on: date


class Groups(Table, entities=[Edge], type_attribute="Type", indexes=[inverse("gsi1")]):
    """Access patterns P4 and P5, with one item per membership and no additional key attributes."""

    @pattern(frequency="medium", budget_ms=30)
    def groups_of_user(self, user_id: str) -> Page[Edge]:
        """P4: list all groups a user belongs to."""
        return query(Edge)

    @pattern(frequency="medium", budget_ms=30)
    def users_in_group(self, group_id: str) -> Page[Edge]:
        """P5: list all users in a group."""
        return query(Edge)
