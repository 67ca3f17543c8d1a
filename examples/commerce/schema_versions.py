"""Migrate gradually: the new release reads items of both versions, and every write upgrades the item that it writes."""

from pathlib import Path
from tempfile import TemporaryDirectory

from singletable import ItemRefused

from ..script import Script, fill
from .model import User
from .releases import FirstRelease, FirstUser, SecondRelease
from .rows import ROWS

USERS = [FirstUser(**row.model_dump()) for row in ROWS if isinstance(row, User)]


def execute(table: FirstRelease) -> list[str]:
    """Run the two releases one after the other on one table, in a temporary file."""
    said = [f"first release   reads   {user.id:<2}  {_name(table, user.id)}" for user in USERS]
    with TemporaryDirectory() as folder:
        url = f"file:{Path(folder, 'users.db')}"
        with FirstRelease.open(url, create=True) as first:
            fill(first, USERS)
        with SecondRelease.open(url) as second:
            for id in ("42", "7"):
                user = second.profile(id)
                assert user is not None
                said.append(f"second release  reads   {id:<2}  {user.last_name}, {user.first_name}")
            user = second.set_email("42", "countess@example.com")
            said.append(f"second release  writes  {user.id:<2}  {user.email}")
        with FirstRelease.open(url) as first:
            said.extend(f"first release   reads   {user.id:<2}  {_name(first, user.id)}" for user in USERS)
    return said


def _name(release: FirstRelease, id: str) -> str:
    try:
        user = release.profile(id)
    except ItemRefused:
        return "rejected: newer version than this release supports"
    assert user is not None
    return user.name


def show(said: list[str]) -> None:
    print("\n".join(said))


SCRIPT = Script(FirstRelease, USERS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
