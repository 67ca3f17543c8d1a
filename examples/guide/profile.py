"""P1: get a user profile by ID with one GetItem, without the rest of the collection."""

from ..script import Script
from .model import Guide, User
from .rows import ROWS


def execute(guide: Guide) -> User | None:
    return guide.profile("u_001")


def show(user: User | None) -> None:
    assert user is not None
    print(f"{user.id} {user.name} <{user.email}>, here since {user.created_at:%Y-%m-%d}")


SCRIPT = Script(Guide, ROWS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
