"""P8: get a node and its direct children: read the subtree, and filter out deeper nodes."""

from singletable import Page, Subtree

from ..script import Script
from .model import Guide, Node
from .rows import ROWS


def execute(guide: Guide) -> Page[Node]:
    return guide.node_with_children("root", Subtree(("root", "eng")), 3)


def show(nodes: Page[Node]) -> None:
    node, *children = nodes
    print(f"{node.name}: {', '.join(child.name for child in children)}")


SCRIPT = Script(Guide, ROWS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
