"""The rows of the catalogue: three papers in two collections, their authors and their topics."""

from datetime import date

from .model import Author, Membership, Paper, Role, Topic

Row = Paper | Author | Membership | Topic


def membership(paper: Paper, handle: str, role: Role) -> Membership:
    """Return a membership; every write keeps its copies of the paper's fields in sync."""
    return Membership(paper.id, handle, role, paper.title, paper.status, paper.published, paper.expires_at)


def topic(paper: Paper, name: str) -> Topic:
    """Return a topic of a paper."""
    return Topic(paper.id, name, paper.title, paper.published, paper.expires_at)


IDLE = Paper(
    id="wp-001",
    series="Data & Storage",
    title="Stacks That Cost Nothing When Idle",
    abstract="What a service costs that nobody uses, part by part.",
    version="1.0",
    status="final",
    published=date(2026, 1, 12),
)
MODEL = Paper(
    id="wp-002",
    series="Data & Storage",
    title="A Single-Table DynamoDB Model",
    abstract="From five questions to the keys of one table, and to what they cost.",
    version="0.3",
    status="draft",
    published=date(2026, 2, 9),
)
EDGE = Paper(
    id="wp-003",
    series="Networks",
    title="Caching at the Edge",
    abstract="Which answers may be old, and how old.",
    version="1.1",
    status="final",
    published=date(2026, 3, 2),
)

ROWS: list[Row] = [
    Author("jon", "Jon"),
    Author("guest", "A Guest"),
    IDLE,
    membership(IDLE, "jon", "author"),
    topic(IDLE, "cost"),
    MODEL,
    membership(MODEL, "jon", "author"),
    membership(MODEL, "guest", "contributor"),
    topic(MODEL, "cost"),
    topic(MODEL, "dynamodb"),
    EDGE,
    membership(EDGE, "guest", "author"),
    topic(EDGE, "caching"),
]
