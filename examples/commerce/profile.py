"""Get a user's profile: one GetItem, since PROFILE is all there is to its sort key."""

from ..script import Script
from .model import Commerce, User
from .rows import ROWS


def ask(table: Commerce) -> User | None:
    return table.profile("42")


def tell(user: User | None) -> None:
    assert user is not None
    print(f"{user.name} <{user.email}>, here since {user.joined_at:%Y-%m-%d}")


SCRIPT = Script(Commerce, ROWS, ask, tell)

if __name__ == "__main__":
    SCRIPT.main()
