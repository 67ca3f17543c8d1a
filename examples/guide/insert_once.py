"""Insert an item once: `create` never overwrites, so a second attempt changes nothing."""

from singletable import AlreadyExists

from ..script import Script
from .model import Guide, User
from .rows import ROWS, moment

CAROL = User(id="u_009", name="Carol", email="carol@example.com", created_at=moment("2026-04-26T09:00:00"))


def execute(guide: Guide) -> list[str]:
    attempts = [_insert(guide, CAROL), _insert(guide, CAROL.model_copy(update={"name": "Mallory"}))]
    stored = guide.profile.using(consistent=True)("u_009")
    guide.delete(CAROL)
    return [*attempts, f"stored: {stored.name if stored else 'nobody'}"]


def _insert(guide: Guide, user: User) -> str:
    try:
        guide.create(user)
    except AlreadyExists:
        return f"{user.name} as {user.id}: somebody is there already"
    return f"{user.name} as {user.id}: inserted"


def show(lines: list[str]) -> None:
    print("\n".join(lines))


SCRIPT = Script(Guide, ROWS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
