"""A1, get a paper by ID: one GetItem; the sort key repeats the ID."""

from ..script import Script
from .model import Paper, Papers
from .rows import ROWS


def execute(table: Papers) -> Paper | None:
    return table.paper("wp-002")


def show(paper: Paper | None) -> None:
    assert paper is not None
    print(f"{paper.id}  {paper.title}, version {paper.version}, {paper.status}, in {paper.series}")
    print(f"        {paper.abstract}")


SCRIPT = Script(Papers, ROWS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
