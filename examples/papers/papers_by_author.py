"""A3, list the papers of an author: GSI1 also contains the memberships, with copies of the paper's fields."""

from singletable import Page

from ..script import Script
from .model import Membership, Papers
from .rows import ROWS


def execute(table: Papers) -> Page[Membership]:
    return table.papers_by_author("guest")


def show(memberships: Page[Membership]) -> None:
    for each in memberships:
        print(f"{each.published}  {each.paper_id}  {each.title} ({each.status}), as {each.role}")


SCRIPT = Script(Papers, ROWS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
