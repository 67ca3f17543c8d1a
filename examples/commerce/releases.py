"""Two releases of one table: the second splits the name into two fields, and the table has items of both versions."""

from datetime import datetime
from typing import Any

from pydantic import BaseModel

from singletable import Table, entity, field, get, pattern, update, upgrade


@entity(key=("USER#{id}", "PROFILE"), name="User", schema_version=1)
class FirstUser(BaseModel):
    """A user, in the first release."""

    id: str
    name: str
    email: str
    joined_at: datetime


class FirstRelease(Table, entities=[FirstUser], name="Users"):
    """The release in production."""

    @pattern(frequency="very high", budget_ms=10)
    def profile(self, id: str) -> FirstUser | None:
        """Get a user's profile."""
        return get(FirstUser)


@entity(key=("USER#{id}", "PROFILE"), name="User", schema_version=2)
class SecondUser(BaseModel):
    """A user with first and last name, in the second release."""

    id: str
    first_name: str
    last_name: str
    email: str
    joined_at: datetime


@upgrade(SecondUser, from_version=1)
def split_the_name(item: dict[str, Any]) -> dict[str, Any]:
    """Upgrade a stored item from version 1 to version 2."""
    item["first_name"], _, item["last_name"] = item.pop("name").partition(" ")
    return item


class SecondRelease(Table, entities=[SecondUser], name="Users"):
    """The next release, which runs at the same time during the deployment."""

    @pattern(frequency="very high", budget_ms=10)
    def profile(self, id: str) -> SecondUser | None:
        """Get a user's profile."""
        return get(SecondUser)

    @pattern(rate=1, fanout=2)  # two requests: reads an item of version 1, then writes it in version 2
    def set_email(self, id: str, email: str) -> SecondUser:
        """Change the email address of a user."""
        return update(SecondUser, field(SecondUser, lambda user: user.email).set(email))
