"""A4, list the papers carrying a topic: only topics are in GSI2, which is sparse."""

from singletable import Page

from ..script import Script
from .model import Papers, Topic
from .rows import ROWS


def ask(table: Papers) -> Page[Topic]:
    return table.papers_with_topic("cost")


def tell(topics: Page[Topic]) -> None:
    for each in topics:
        print(f"{each.published}  {each.paper_id}  {each.title}")


SCRIPT = Script(Papers, ROWS, ask, tell)

if __name__ == "__main__":
    SCRIPT.main()
