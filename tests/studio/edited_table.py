"""A model with every kind of field and derived data, for tests of the item editor."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal

from singletable import Table, count, entity, get, pattern

DIGITS = "12345678901234567890.123456789012345678"


class Tone(enum.Enum):
    LOUD = "loud"
    QUIET = "quiet"


@dataclass
class Address:
    street: str
    city: str | None = None
    next: Address | None = None


@entity(key=("ACCOUNT#{id}", "PROFILE"), unique=("email",), version="version")
@dataclass
class Account:
    id: str
    email: str
    posts: int = 0
    version: int = 0


@entity(
    key=("ACCOUNT#{account_id}", "POST#{id}"),
    expected_per_partition=20,
    counted=[count(Account, by={"id": "account_id"}, field="posts")],
)
@dataclass
class Post:
    account_id: str
    id: str
    title: str
    amount: Decimal
    tone: Tone
    address: Address
    at: datetime
    tags: set[str] = field(default_factory=set)
    scores: dict[str, int] = field(default_factory=dict)
    drafts: list[Address] = field(default_factory=list)


class Desk(Table, entities=[Account, Post]):
    @pattern()
    def account(self, id: str) -> Account | None:
        """Get an account."""
        return get(Account)


DESIGN_TABLE = Desk.design
ROWS: list[object] = [
    Account("a1", "ada@example.com"),
    Account("a2", "bob@example.com"),
    Post(
        "a1", "p1", "A title", Decimal(DIGITS), Tone.LOUD, Address("Main", "Graz"), datetime(2026, 5, 1, tzinfo=UTC),
        {"a", "b"}, {"first": 1}, [Address("Side")],
    ),
]  # fmt: skip
