"""A1, get a paper by id: one GetItem, and the item's sort key is its own id again."""

from ..script import Script
from .model import Paper, Papers
from .rows import ROWS


def ask(table: Papers) -> Paper | None:
    return table.paper("wp-002")


def tell(paper: Paper | None) -> None:
    assert paper is not None
    print(f"{paper.id}  {paper.title}, version {paper.version}, {paper.status}, in {paper.series}")
    print(f"        {paper.abstract}")


SCRIPT = Script(Papers, ROWS, ask, tell)

if __name__ == "__main__":
    SCRIPT.main()
