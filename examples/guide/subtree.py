"""P9: get an entire subtree: Engineering with all below it, and not the Engineering Academy."""

from singletable import Page, Subtree

from ..script import Script
from .model import Guide, Node
from .rows import ROWS


def ask(guide: Guide) -> Page[Node]:
    return guide.subtree("root", Subtree(("root", "eng")))


def tell(nodes: Page[Node]) -> None:
    for node in nodes:
        print("  " * (node.depth - 2) + node.name)


SCRIPT = Script(Guide, ROWS, ask, tell)

if __name__ == "__main__":
    SCRIPT.main()
