"""Get a user's profile: one GetItem, because the sort key is the constant PROFILE."""

from ..script import Script
from .model import Commerce, User
from .rows import ROWS


def execute(table: Commerce) -> User | None:
    return table.profile("42")


def show(user: User | None) -> None:
    assert user is not None
    print(f"{user.name} <{user.email}>, here since {user.joined_at:%Y-%m-%d}")


SCRIPT = Script(Commerce, ROWS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
