"""The small cases that separate an exact search from a heuristic, each with its certificate as golden text."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from singletable.key_solver.entity_slots import TABLE_SLOT
from singletable.key_solver.key_search import Solution, solve
from singletable.key_solver.workload import Workload
from tests.key_solver.auction import BIDDING, BROWSING
from tests.key_solver.workloads import entity, lists, parent_with_lists, update

GOLDEN = Path(__file__).parent / "small_cases.txt"
CASES = [
    ("{a}, {b}, {a,b}, {a,c}", Workload((entity("E", "a", "b", "a,b", "a,c"),)), 1),
    (
        "{a}, {b}, {a,b}, {a,c}, get and update by id",
        Workload((entity("E", "a", "b", "a,b", "a,c", "id", writes=[update("z", "id")]),)),
        2,
    ),
    ("{a,b}, {b,c}, {a,c}", Workload((entity("E", "a,b", "b,c", "a,c"),)), 2),
    ("{a}, {a,b}, {a,b,c}, {a,b,c, range d}", Workload((entity("E", "a", "a,b", "a,b,c", "a,b,c>d"),)), 0),
    ("{a}, {a by d}, {a,b by d}", Workload((entity("E", "a", "a/d", "a,b/d"),)), 1),
    (
        "collections AB by p, BC by q, AC by r, updates by id",
        lists({"A,B": "p", "B,C": "q", "A,C": "r"}, updates=True),
        3,
    ),
    ("collections AB, BC, AC, all by p", lists({"A,B": "p", "B,C": "p", "A,C": "p"}, updates=False), 1),
    ("a parent with two newest-first lists", parent_with_lists({"Post": True, "Photo": True}), 1),
    ("a parent with a newest-first and an oldest-first list", parent_with_lists({"Post": True, "Photo": False}), 0),
    ("auction site, browsing", BROWSING, 2),
    ("auction site, bidding", BIDDING, 3),
]


def certificate(solution: Solution) -> Iterator[str]:
    """Yield the lines that prove the number of indexes, and the keys."""
    bound = solution.bound
    if bound is not None and bound.indexes == solution.indexes:
        own = ", one of them the table's" if bound.one_uses_table else ""
        yield f"  bound: {len(bound.reads)} keys for {bound.entity}{own}: {'; '.join(bound.reads)}"
        yield from (f"    {one} and {other}: {reason}" for one, other, reason in bound.reasons)
    elif solution.indexes:
        lower = 0 if bound is None else bound.indexes
        yield f"  bound: {lower}; all {solution.searched} assignments with {solution.indexes - 1} indexes were tried"
    for each in solution.entities:
        for number, key in each.keys.items():
            place = "table" if number == TABLE_SLOT else f"index {number}"
            reads = "; ".join(read.name for read in each.reads_in(number))
            yield f"  {each.entity} {place}: {', '.join(key.partition)} | {', '.join(key.sort)}  <- {reads}"


def test_the_key_search_gives_every_small_case_the_stated_number_of_indexes_and_its_certificate() -> None:
    lines = []
    for title, workload, indexes in CASES:
        solution = solve(workload)
        assert solution.indexes == indexes, title
        assert not solution.rejected, title
        lines += [f"{title}: {indexes}", *certificate(solution), ""]
    text = "\n".join(lines)
    if os.environ.get("REWRITE_GOLDEN"):
        GOLDEN.write_text(text, encoding="utf-8")
    assert text == GOLDEN.read_text(encoding="utf-8")
