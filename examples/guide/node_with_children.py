"""P8: get a node and its direct children: the subtree is read, and what lies deeper filtered out."""

from singletable import Page, Subtree

from ..script import Script
from .model import Guide, Node
from .rows import ROWS


def ask(guide: Guide) -> Page[Node]:
    return guide.node_with_children("root", Subtree(("root", "eng")), 3)


def tell(nodes: Page[Node]) -> None:
    node, *children = nodes
    print(f"{node.name}: {', '.join(child.name for child in children)}")


SCRIPT = Script(Guide, ROWS, ask, tell)

if __name__ == "__main__":
    SCRIPT.main()
