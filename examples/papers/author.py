"""A5, get an author's profile: the keys have the same form as the keys of a paper, with another prefix."""

from ..script import Script
from .model import Author, Papers
from .rows import ROWS


def execute(table: Papers) -> Author | None:
    return table.author("jon")


def show(author: Author | None) -> None:
    assert author is not None
    print(f"{author.handle}: {author.name}")


SCRIPT = Script(Papers, ROWS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
