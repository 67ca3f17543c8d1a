"""Get a paper and everybody who had a part in it: one partition, one Query, and the topics left out of it."""

from ..script import Script
from .model import Papers, PaperWithAuthors
from .rows import ROWS


def ask(table: Papers) -> PaperWithAuthors | None:
    return table.paper_with_authors("wp-002")


def tell(whole: PaperWithAuthors | None) -> None:
    assert whole is not None
    print(f"{whole.paper.id}  {whole.paper.title}, version {whole.paper.version}, {whole.paper.status}")
    for each in whole.authors:
        print(f"        {each.handle}, {each.role}")


SCRIPT = Script(Papers, ROWS, ask, tell)

if __name__ == "__main__":
    SCRIPT.main()
