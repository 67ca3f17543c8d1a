"""Open question 1: can the overloaded GSI1 also list papers by author? Compare the cost with the partition limit."""

from dataclasses import dataclass

from ..measure import Cost, cost_of
from ..script import Script, fill
from .model import Papers
from .prices import NEW_TABLE_READ_UNITS, PARTITION_READ_UNITS
from .rows import ROWS, membership
from .volume import paper

AUTHOR, SERIES, PAPERS = "prolific", "Everything", 40


@dataclass
class Volume:
    """The measured and the estimated cost of a page of each list."""

    by_author: Cost
    in_series: Cost
    planned: list[str]
    proofs: list[str]


def execute(table: Papers) -> Volume:
    """Measure both lists at their largest size, in a separate table: one author has written a whole collection."""
    with Papers.open("memory:") as full:
        for number in range(PAPERS):
            written = paper(number, SERIES)
            fill(full, [written, membership(written, AUTHOR, "author")])
        by_author = cost_of(full, lambda: full.papers_by_author(AUTHOR))
        in_series = cost_of(full, lambda: full.papers_in_series(SERIES))
    plans = (Papers.papers_by_author.explain(AUTHOR), Papers.papers_in_series.explain(SERIES))
    proofs = [f"{plan.proof[0].partition(': ')[2]}: {plan.proof[1]}" for plan in plans]
    return Volume(by_author, in_series, [str(plan.estimate) for plan in plans], proofs)


def show(volume: Volume) -> None:
    author, series = volume.by_author.read_units, volume.in_series.read_units
    print("A page of 20, measured (and planned)")
    print(f"  A3, papers of an author          {author:g} read units ({volume.planned[0]})")
    print(f"  A2, papers in a collection       {series:g} read units ({volume.planned[1]})")
    print(f"One partition serves {PARTITION_READ_UNITS:,} read units a second, so up to")
    print(f"  {PARTITION_READ_UNITS / author:>6,.0f} pages a second of the hottest author")
    print(f"  {PARTITION_READ_UNITS / series:>6,.0f} pages a second of the hottest collection")
    print("The two never share a partition")
    for proof in volume.proofs:
        print(f"  {proof}")
    rate = NEW_TABLE_READ_UNITS / (author + series)
    print(f"They share the index's throughput: {NEW_TABLE_READ_UNITS:,} read units a second on a new table")
    print(f"  {rate:>6,.0f} pages a second of each, over many authors and collections, before it scales")
    print("Answer: yes. An author who is too hot for a partition of GSI1 is as hot in a separate index for A3;")
    print("move A3 to its own index when all authors together need most of the throughput of GSI1. Writes cost")
    print("the same: a membership has one index entry in both designs.")


SCRIPT = Script(Papers, ROWS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
