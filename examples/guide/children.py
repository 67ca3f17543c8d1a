"""P8: get the direct children of a node from an index by level, without reading grandchildren."""

from singletable import Children, Page

from ..script import Script
from .model import Guide, Node
from .rows import ROWS


def execute(guide: Guide) -> Page[Node]:
    return guide.children("root", Children(("root", "eng")))


def show(nodes: Page[Node]) -> None:
    print("Children of Engineering:", ", ".join(node.name for node in nodes))


SCRIPT = Script(Guide, ROWS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
