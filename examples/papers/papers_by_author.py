"""A3, list the papers of an author: memberships lie in GSI1 too, and show what they repeat of each paper."""

from singletable import Page

from ..script import Script
from .model import Membership, Papers
from .rows import ROWS


def ask(table: Papers) -> Page[Membership]:
    return table.papers_by_author("guest")


def tell(memberships: Page[Membership]) -> None:
    for each in memberships:
        print(f"{each.published}  {each.paper_id}  {each.title} ({each.status}), as {each.role}")


SCRIPT = Script(Papers, ROWS, ask, tell)

if __name__ == "__main__":
    SCRIPT.main()
