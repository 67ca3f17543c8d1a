"""A4, list the papers with a topic: GSI2 is sparse and contains only topics."""

from singletable import Page

from ..script import Script
from .model import Papers, Topic
from .rows import ROWS


def execute(table: Papers) -> Page[Topic]:
    return table.papers_with_topic("cost")


def show(topics: Page[Topic]) -> None:
    for each in topics:
        print(f"{each.published}  {each.paper_id}  {each.title}")


SCRIPT = Script(Papers, ROWS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
