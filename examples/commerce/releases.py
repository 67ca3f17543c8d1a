"""Two releases of one table: the second has a name in two fields, and items of both versions lie side by side."""

from datetime import datetime
from typing import Any

from pydantic import BaseModel

from singletable import Table, entity, field, get, pattern, update, upgrade


@entity(key=("USER#{id}", "PROFILE"), name="User", schema_version=1)
class FirstUser(BaseModel):
    """Who somebody is, as the first release has it."""

    id: str
    name: str
    email: str
    joined_at: datetime


class FirstRelease(Table, entities=[FirstUser], name="Users"):
    """What runs today."""

    @pattern(frequency="very high", budget_ms=10)
    def profile(self, id: str) -> FirstUser | None:
        """Get a user's profile."""
        return get(FirstUser)


@entity(key=("USER#{id}", "PROFILE"), name="User", schema_version=2)
class SecondUser(BaseModel):
    """Who somebody is, by first and last name."""

    id: str
    first_name: str
    last_name: str
    email: str
    joined_at: datetime


@upgrade(SecondUser, from_version=1)
def split_the_name(item: dict[str, Any]) -> dict[str, Any]:
    """What is stored as version 1, as version 2 has it."""
    item["first_name"], _, item["last_name"] = item.pop("name").partition(" ")
    return item


class SecondRelease(Table, entities=[SecondUser], name="Users"):
    """What is being rolled out."""

    @pattern(frequency="very high", budget_ms=10)
    def profile(self, id: str) -> SecondUser | None:
        """Get a user's profile."""
        return get(SecondUser)

    @pattern(rate=1, fanout=2)  # an item of the first version is read, upgraded and written back whole
    def set_email(self, id: str, email: str) -> SecondUser:
        """Change a user's address."""
        return update(SecondUser, field(SecondUser, lambda user: user.email).set(email))
