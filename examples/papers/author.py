"""A5, get an author's profile: the key of a paper's kind, with another prefix."""

from ..script import Script
from .model import Author, Papers
from .rows import ROWS


def ask(table: Papers) -> Author | None:
    return table.author("jon")


def tell(author: Author | None) -> None:
    assert author is not None
    print(f"{author.handle}: {author.name}")


SCRIPT = Script(Papers, ROWS, ask, tell)

if __name__ == "__main__":
    SCRIPT.main()
