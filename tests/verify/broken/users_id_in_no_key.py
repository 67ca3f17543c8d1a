"""The id of a user is in no key."""

from dataclasses import dataclass

from singletable import Page, Table, entity, pattern, query


@entity(key=("ACCOUNT#{account_id}", "USER#{email}"), identity=("account_id", "email"), expected_per_partition=50)
@dataclass
class User:
    account_id: str
    email: str
    user_id: str


class Users(Table, entities=[User]):
    @pattern()
    def users_of_account(self, account_id: str, *, limit: int = 20, cursor: str | None = None) -> Page[User]:
        """Users of an account."""
        return query(User)
