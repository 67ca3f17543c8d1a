"""Names and docstrings that promise the latest, the top or all items."""

from dataclasses import dataclass
from datetime import datetime

from singletable import Page, Since, Table, collection, entity, exists, pattern, query, sparse
from singletable.verify.design_check import check


@entity(
    key=("C#{customer_id}", "O#{placed_at}#{id}"),
    gsi1=("G#{customer_id}", "{placed_at:seconds:desc}#{id}"),
    gsi2=("R#{game}", "{rank:06d}#{id}"),
    gsi3=("T#{game}", "{total:number}#{id}"),
    gsi4=("V#{customer_id}", "LATEST#{rank:06d}"),
    gsi5=("I#{game}#{customer_id}", "{id}"),
)
@dataclass
class Order:
    customer_id: str
    id: str
    placed_at: datetime
    game: str
    rank: int
    total: int


@dataclass
class Orders:
    orders: list[Order]


@entity(key=("ORG#{org}", "INVITE#{id}"), gsi1=("ORG#{org}#{status}", "{id}"), gsi2=sparse("A#{org}", "{accepted}"))
@dataclass
class Invite:
    org: str
    id: str
    status: str
    accepted: datetime | None = None


class Invites(Table, entities=[Invite]):
    @pattern()
    def pending_invites(self, org: str) -> Page[Invite]:
        """List invites."""
        return query(Invite)

    @pattern()
    def pending_of(self, org: str) -> Page[Invite]:
        """List pending invites by a condition."""
        return query(Invite, where=lambda invite: invite.status == "PENDING")

    @pattern()
    def active_in(self, org: str, status: str) -> Page[Invite]:
        """List active invites by a parameter."""
        return query(Invite)

    @pattern()
    def approved_invites(self, org: str) -> Page[Invite]:
        """List approved invites, which alone are in the sparse index."""
        return query(Invite, where=lambda invite: exists(invite.accepted))


class Broken(Table, entities=[Order]):
    @pattern()
    def latest_orders(self, customer_id: str) -> Page[Order]:
        """List orders."""
        return query(Order, order_by=lambda item: item.placed_at)

    @pattern()
    def orders_of(self, customer_id: str) -> Page[Order]:
        """List the orders of a customer, newest first."""
        return query(Order, order_by=lambda item: item.placed_at)

    @pattern()
    def last_order(self, customer_id: str) -> Page[Order]:
        """Get an order."""
        return query(Order, order_by=lambda item: item.placed_at, limit=1)

    @pattern()
    def first_order(self, customer_id: str) -> Page[Order]:
        """Get an order."""
        return query(Order, newest_first=True, limit=1)

    @pattern()
    def highest_totals(self, game: str) -> Page[Order]:
        """List orders."""
        return query(Order, order_by=lambda item: item.total)

    @pattern()
    def lowest_totals(self, game: str) -> Page[Order]:
        """List orders."""
        return query(Order, order_by=lambda item: item.total, descending=True)

    @pattern()
    def top_ranks(self, game: str) -> Page[Order]:
        """List orders."""
        return query(Order, order_by=lambda item: item.rank, descending=True)

    @pattern()
    def newest_of_game(self, game: str, customer_id: str) -> Page[Order]:
        """List orders."""
        return query(Order, order_by=lambda item: item.id)

    @pattern()
    def every_order(self, customer_id: str) -> Orders | None:
        """List orders."""
        return collection(Orders, limit=5)


class Right(Table, entities=[Order]):
    @pattern()
    def latest_orders(self, customer_id: str) -> Page[Order]:
        """List the latest orders of a customer."""
        return query(Order, newest_first=True)

    @pattern()
    def latest_since(self, customer_id: str, placed_at: Since[datetime]) -> Page[Order]:
        """List the latest orders of a customer: the caller says since when."""
        return query(Order, order_by=lambda item: item.placed_at)

    @pattern()
    def latest_marker(self, customer_id: str, rank: int) -> Page[Order]:
        """Get the copy of the latest order, which has its own key."""
        return query(Order)

    @pattern()
    def first_order(self, customer_id: str) -> Page[Order]:
        """Get the first order of a customer."""
        return query(Order, order_by=lambda item: item.placed_at, limit=1)

    @pattern()
    def top_ranks(self, game: str) -> Page[Order]:
        """List the top ranks."""
        return query(Order, order_by=lambda item: item.rank)

    @pattern()
    def top_totals(self, game: str) -> Page[Order]:
        """List the top totals."""
        return query(Order, order_by=lambda item: item.total, descending=True)

    @pattern()
    def newest_ids(self, game: str, customer_id: str) -> Page[Order]:
        """List the newest orders: their ids sort by time."""
        return query(Order, order_by=lambda item: item.id, descending=True)

    @pattern()
    def all_orders(self, customer_id: str, *, limit: int = 20, cursor: str | None = None) -> Page[Order]:
        """List all orders of a customer."""
        return query(Order)

    @pattern()
    def ten_of_all_orders(self, customer_id: str) -> Page[Order]:
        """Get ten of all orders."""
        return query(Order, limit=10)

    @pattern()
    def last_week(self, customer_id: str) -> Page[Order]:
        """List the orders of the last week."""
        return query(Order)


def found(table: type[Table]) -> list[tuple[str, str]]:
    findings = [finding for finding in check(table.design).findings if finding.code == "ST120"]
    return [(finding.subject, finding.message.partition(", but ")[2]) for finding in findings]


def test_the_promised_result_rule_reports_an_order_or_limit_that_breaks_the_promise() -> None:
    assert found(Broken) == [
        ("latest_orders", "the read returns oldest first"),
        ("orders_of", "the read returns oldest first"),
        ("last_order", "the read returns oldest first"),
        ("first_order", "the read returns newest first"),
        ("highest_totals", "the read returns the lowest value first"),
        ("lowest_totals", "the read returns the highest value first"),
        ("top_ranks", "the read returns the highest value first"),
        ("newest_of_game", "GSI5 sorts by id"),
        ("every_order", "returns at most 5 items"),
    ]


def test_the_promised_result_rule_reports_a_state_that_the_read_does_not_depend_on() -> None:
    assert found(Invites) == [("pending_invites", "returns items with every status")]


def test_the_promised_result_rule_accepts_an_order_or_limit_that_keeps_the_promise() -> None:
    assert found(Right) == []
