"""Rename a paper: the copies of its title in memberships and topics change in the same transaction."""

from dataclasses import dataclass

from ..script import Script
from .model import Papers
from .rows import MODEL, ROWS


@dataclass
class Titles:
    """What the listings call the paper."""

    when: str
    by_author: list[str]
    by_topic: list[str]


def ask(table: Papers) -> list[Titles]:
    def look(when: str) -> Titles:
        by_author = [each.title for each in table.papers_by_author("jon") if each.paper_id == MODEL.id]
        return Titles(when, by_author, [each.title for each in table.papers_with_topic("dynamodb")])

    seen = [look("before")]
    table.rename(MODEL.id, "One Table, Five Questions")
    seen.append(look("after"))
    table.rename(MODEL.id, MODEL.title)  # the next script finds the table as this one did
    return seen


def tell(seen: list[Titles]) -> None:
    for titles in seen:
        print(f"{titles.when + ':':<8} jon's papers have {', '.join(titles.by_author)!r}")
        print(f"{'':<8} the topic dynamodb has {', '.join(titles.by_topic)!r}")


SCRIPT = Script(Papers, ROWS, ask, tell)

if __name__ == "__main__":
    SCRIPT.main()
