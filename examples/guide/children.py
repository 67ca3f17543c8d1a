"""P8: get the direct children of a node, by the index of levels: no grandchild is read."""

from singletable import Children, Page

from ..script import Script
from .model import Guide, Node
from .rows import ROWS


def ask(guide: Guide) -> Page[Node]:
    return guide.children("root", Children(("root", "eng")))


def tell(nodes: Page[Node]) -> None:
    print("Children of Engineering:", ", ".join(node.name for node in nodes))


SCRIPT = Script(Guide, ROWS, ask, tell)

if __name__ == "__main__":
    SCRIPT.main()
