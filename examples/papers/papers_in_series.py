"""A2, list the papers in a collection, newest first: GSI1 has one partition per collection."""

from singletable import Page

from ..script import Script
from .model import Paper, Papers
from .rows import ROWS


def execute(table: Papers) -> Page[Paper]:
    return table.papers_in_series("Data & Storage")


def show(papers: Page[Paper]) -> None:
    for paper in papers:
        print(f"{paper.published}  {paper.id}  {paper.title} ({paper.status})")


SCRIPT = Script(Papers, ROWS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
