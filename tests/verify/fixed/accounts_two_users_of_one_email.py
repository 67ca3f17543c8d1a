"""A marker keeps the email of a user unique."""

from dataclasses import dataclass

from singletable import Table, entity, get, pattern


@entity(key=("USER#{id}", "PROFILE"), gsi1=("EMAIL#{email}", "PROFILE"), unique=["email"])
@dataclass
class User:
    id: str
    email: str


class Accounts(Table, entities=[User]):
    @pattern()
    def user_by_email(self, email: str) -> User | None:
        """Get a user by email."""
        return get(User)
