"""Get the path from the root to a node: the path contains the keys of all its nodes, so one BatchGetItem reads them."""

from ..script import Script
from .model import Guide, Node
from .rows import ROWS


def execute(guide: Guide) -> list[Node]:
    return guide.breadcrumbs("root", ("root", "eng", "cloud", "aws"))


def show(nodes: list[Node]) -> None:
    print(" > ".join(node.name for node in nodes))


SCRIPT = Script(Guide, ROWS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
