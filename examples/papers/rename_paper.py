"""Rename a paper: one transaction also changes the copies of its title in memberships and topics."""

from dataclasses import dataclass

from ..script import Script
from .model import Papers
from .rows import MODEL, ROWS


@dataclass
class Titles:
    """The titles of the paper in the lists."""

    when: str
    by_author: list[str]
    by_topic: list[str]


def execute(table: Papers) -> list[Titles]:
    def look(when: str) -> Titles:
        by_author = [each.title for each in table.papers_by_author("jon") if each.paper_id == MODEL.id]
        return Titles(when, by_author, [each.title for each in table.papers_with_topic("dynamodb")])

    seen = [look("before")]
    table.rename(MODEL.id, "One Table, Five Questions")
    seen.append(look("after"))
    table.rename(MODEL.id, MODEL.title)  # leave the table unchanged for the next script
    return seen


def show(seen: list[Titles]) -> None:
    for titles in seen:
        print(f"{titles.when + ':':<8} jon's papers have {', '.join(titles.by_author)!r}")
        print(f"{'':<8} the topic dynamodb has {', '.join(titles.by_topic)!r}")


SCRIPT = Script(Papers, ROWS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
