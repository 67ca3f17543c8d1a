"""Two users can have the same email, by which an index finds one user."""

from dataclasses import dataclass

from singletable import Table, entity, get, pattern


@entity(key=("USER#{id}", "PROFILE"), gsi1=("EMAIL#{email}", "PROFILE"))
@dataclass
class User:
    id: str
    email: str


class Accounts(Table, entities=[User]):
    @pattern()
    def user_by_email(self, email: str) -> User | None:
        """Get a user by email."""
        return get(User)
