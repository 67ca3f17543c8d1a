"""Get a paper and all its authors: one Query reads a range of one partition, without the topics."""

from ..script import Script
from .model import Papers, PaperWithAuthors
from .rows import ROWS


def execute(table: Papers) -> PaperWithAuthors | None:
    return table.paper_with_authors("wp-002")


def show(whole: PaperWithAuthors | None) -> None:
    assert whole is not None
    print(f"{whole.paper.id}  {whole.paper.title}, version {whole.paper.version}, {whole.paper.status}")
    for each in whole.authors:
        print(f"        {each.handle}, {each.role}")


SCRIPT = Script(Papers, ROWS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
