"""The way from the root down to a node: every key on it is known, so one BatchGetItem reads them all."""

from ..script import Script
from .model import Guide, Node
from .rows import ROWS


def ask(guide: Guide) -> list[Node]:
    return guide.breadcrumbs("root", ("root", "eng", "cloud", "aws"))


def tell(nodes: list[Node]) -> None:
    print(" > ".join(node.name for node in nodes))


SCRIPT = Script(Guide, ROWS, ask, tell)

if __name__ == "__main__":
    SCRIPT.main()
