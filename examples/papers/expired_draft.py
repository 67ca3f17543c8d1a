"""Let a superseded draft expire: reads hide it at once, although DynamoDB returns the item until its deletion."""

import time
from dataclasses import dataclass

from singletable.engine import Engine

from ..script import Script, fill
from .model import Papers
from .rows import MODEL, ROWS

HOUR = 3600


@dataclass
class Seen:
    """The reads of the draft after it has expired."""

    status: str | None
    in_series: list[str]
    by_author: list[str]
    still_stored: bool


def execute(table: Papers) -> list[Seen]:
    """Use a separate table with a manual clock: the draft expires in one hour, and two hours pass."""
    passed = 0

    def now() -> float:
        return time.time() + passed

    # The engine deletes expired items only on request, so it still returns the draft, as DynamoDB can.
    with Engine("memory:", now=now, sweep_seconds=None) as engine, Papers.open(engine, create=True) as papers:
        fill(papers, ROWS)
        papers.supersede(MODEL.id, int(time.time()) + HOUR)
        before = _look(papers)
        passed = 2 * HOUR
        return [before, _look(papers)]


def _look(papers: Papers) -> Seen:
    paper = papers.paper(MODEL.id)
    return Seen(
        status=None if paper is None else paper.status,
        in_series=[paper.id for paper in papers.papers_in_series(MODEL.series)],
        by_author=[each.paper_id for each in papers.papers_by_author("jon")],
        still_stored=papers.paper.using(expired=True)(MODEL.id) is not None,
    )


def show(seen: list[Seen]) -> None:
    for when, each in zip(("superseded", "an hour too late"), seen, strict=True):
        print(when)
        print(f"  the draft itself    {each.status or 'none'}")
        print(f"  in its collection   {', '.join(each.in_series)}")
        print(f"  by its author       {', '.join(each.by_author)}")
        print(f"  in DynamoDB         {'still there' if each.still_stored else 'gone'}")


SCRIPT = Script(Papers, ROWS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
