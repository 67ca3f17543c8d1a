"""Read past empty pages: if a filter discards every item of a page, the client reads the next page."""

from singletable import Subtree
from singletable.testing import measure

from ..script import Script
from .model import Guide, Node

# A Query page ends after 1 MB. The deeper nodes between the first and the last of these need more than two pages.
_NAMES = [f"a{number}" for number in range(7)]
LARGE = [
    Node(org="large", path=("top",), depth=1, name="top"),
    *(Node(org="large", path=("top", "a", name), depth=3, name=name * 190_000) for name in _NAMES),
    Node(org="large", path=("top", "z"), depth=2, name="z"),
]


def execute(guide: Guide) -> list[tuple[list[str], int]]:
    """Return the nodes of each page, and the number of Queries that found them."""
    answers: list[tuple[list[str], int]] = []
    cursor = None
    while not answers or cursor is not None:
        with measure(guide) as used:
            page = guide.node_with_children.using(cursor=cursor)("large", Subtree(("top",)), 2)
        answers.append((["/".join(node.path) for node in page], used.requests))
        cursor = page.cursor
    return answers


def show(answers: list[tuple[list[str], int]]) -> None:
    for number, (nodes, requests) in enumerate(answers, start=1):
        print(f"page {number}: {', '.join(nodes)} ({requests} {'Query' if requests == 1 else 'Queries'})")


SCRIPT = Script(Guide, LARGE, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
