"""P9: get an entire subtree: Engineering with all nodes below it, but not the Engineering Academy."""

from singletable import Page, Subtree

from ..script import Script
from .model import Guide, Node
from .rows import ROWS


def execute(guide: Guide) -> Page[Node]:
    return guide.subtree("root", Subtree(("root", "eng")))


def show(nodes: Page[Node]) -> None:
    for node in nodes:
        print("  " * (node.depth - 2) + node.name)


SCRIPT = Script(Guide, ROWS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
