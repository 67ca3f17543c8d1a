"""Move a subtree with every node below it, in resumable steps, and move it back."""

from singletable import Page, Subtree, key

from ..script import Script
from .model import Guide, Node
from .rows import ROWS

OLD, NEW = ("root", "eng", "cloud"), ("root", "sales", "cloud")


def execute(guide: Guide) -> tuple[int, Page[Node], int]:
    moved = _move(guide, OLD, NEW)
    sales = guide.subtree("root", Subtree(("root", "sales")))
    return moved, sales, _move(guide, NEW, OLD)


def _move(guide: Guide, old: tuple[str, ...], new: tuple[str, ...]) -> int:
    """Recompute the depth of a node from its path."""
    start = key(Node, org="root", path=old)
    return guide.move_subtree(start, to=new, change=lambda node: node.model_copy(update={"depth": len(node.path)}))


def show(answer: tuple[int, Page[Node], int]) -> None:
    moved, sales, back = answer
    print(f"{moved} nodes moved:")
    for node in sales:
        print("  " * (node.depth - 1) + node.name)
    print(f"{back} nodes moved back")


SCRIPT = Script(Guide, ROWS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
