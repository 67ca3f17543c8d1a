"""Open question 2: should the paper contain its topics, without GSI2? Compare reads, writes and renames."""

from dataclasses import dataclass

from ..measure import Cost, cost_of
from ..script import Script, fill
from .model import Papers
from .prices import PRICES, READ_UNIT, WRITE_UNIT
from .rows import topic
from .topics_on_paper import PapersWithTopics, PaperWithTopics
from .volume import paper

SERIES = ("Data & Storage", "Networks", "Languages")
PAGE = 20
TOPICS = ("cost", "caching", "dynamodb", "queues", "types", "compilers", "tcp", "tls", "paging", "search")


def _carried(number: int) -> frozenset[str]:
    """Return three of ten topics, so that each topic is on three of ten papers."""
    return frozenset(TOPICS[(number + step) % len(TOPICS)] for step in (0, 3, 5))


def _with_topics(number: int) -> PaperWithTopics:
    made = paper(number, SERIES[number % len(SERIES)])
    return PaperWithTopics(made.id, made.series, made.title, made.abstract, made.published, _carried(number))


ROWS = [_with_topics(number) for number in range(60)]


@dataclass
class Way:
    """The costs of one design: one A4 page, the topics of a new paper, and a new title."""

    listing: Cost
    found: int
    topics: Cost
    rename: Cost


def execute(table: PapersWithTopics) -> tuple[Way, Way]:
    found: list[PaperWithTopics] = []
    listing = cost_of(table, lambda: found.extend(_everywhere(table, "cost")))
    rename = cost_of(table, lambda: table.rename(ROWS[0].id, ROWS[0].title))
    return _by_index(), Way(listing, len(found), Cost(0, 0, 0), rename)


def _everywhere(table: PapersWithTopics, name: str) -> list[PaperWithTopics]:
    return [each for series in SERIES for each in table.papers_in_series_with_topic.all(series, name)]


def _by_index() -> Way:
    """Return the costs of the current design, in a table with only the papers that have the topic."""
    with Papers.open("memory:") as papers:
        written = [_put(papers, number) for number, row in enumerate(ROWS) if "cost" in row.topics]
        found = len(papers.papers_with_topic("cost"))
        listing = cost_of(papers, lambda: papers.papers_with_topic("cost"))
        rename = cost_of(papers, lambda: papers.rename(ROWS[0].id, "Another Title"))
        return Way(listing, found, written[-1], rename)


def _put(papers: Papers, number: int) -> Cost:
    """Return the cost of the topics of a paper, without the paper itself."""
    row = ROWS[number]
    written = papers.put(paper(number, row.series))
    return cost_of(papers, lambda: fill(papers, [topic(written, name) for name in sorted(row.topics)]))


def show(ways: tuple[Way, Way]) -> None:
    index, paper = ways
    print(f"{len(ROWS)} papers of 1.2 KB in {len(SERIES)} collections, three topics each       GSI2   on the paper")
    for title, name, unit in (
        (f"A4, the {index.found} papers with one topic", "listing", "read"),
        ("the three topics of a new paper", "topics", "write"),
        ("another title for a paper", "rename", "write"),
    ):
        first, second = (getattr(getattr(way, name), f"{unit}_units") for way in (index, paper))
        print(f"  {title + f', {unit} units':<58} {first:>5g}   {second:>12g}")
    assert index.found == paper.found
    dearer = index.topics.write_units * WRITE_UNIT
    print("To fill a page of 20, a filter reads until it has found 20 papers; GSI2 reads the page only:")
    for share in (0.3, 0.01):
        units = PAGE / share * paper.listing.read_units / len(ROWS)
        saved = (units - index.listing.read_units) * READ_UNIT
        said = f"a topic on {share:.0%} of the papers: {units:g} read units"
        print(f"  {said:<48} GSI2 pays from {dearer / saved:.1f} listings for each new paper")
    print(PRICES)
    print("Answer: no. Papers are written once and listed often. A set of topics cannot be an index key, so topics on")
    print("the paper can only be filtered; copy them there to show them, and keep GSI2 to find them.")


SCRIPT = Script(PapersWithTopics, ROWS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
