"""Three small tables: customers with orders, orders by status with products by category, and users in teams."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Literal

from singletable import Page, Table, collection, create, delete, entity, get, pattern, query


@entity(key=("CUSTOMER#{id}", "PROFILE"))
@dataclass
class Customer:
    """A customer profile."""

    id: str
    name: str
    email: str
    plan: str


@entity(key=("CUSTOMER#{customer_id}", "ORDER#{id}"), expected_per_partition=40)
@dataclass
class Order:
    """An order in its customer's partition; IDs such as 2026-001 increase over time."""

    customer_id: str
    id: str
    total: Decimal
    status: str


@dataclass
class CustomerWithOrders:
    """All items in a customer's partition, which one Query returns."""

    customer: Customer
    orders: list[Order]


class Customers(Table, entities=[Customer, Order]):
    """One partition per customer."""

    @pattern(frequency="very high", budget_ms=10)
    def customer(self, id: str) -> Customer | None:
        """Get a customer's profile."""
        return get(Customer)

    @pattern(frequency="high", budget_ms=20)
    def customer_with_orders(self, customer_id: str) -> CustomerWithOrders | None:
        """Get a customer's profile and every order."""
        return collection(CustomerWithOrders)

    @pattern(frequency="high", budget_ms=20)
    def orders_of_customer(self, customer_id: str, *, limit: int = 20, cursor: str | None = None) -> Page[Order]:
        """List a customer's orders, newest first."""
        return query(Order, order_by=lambda order: order.id, descending=True)


Status = Literal["OPEN", "PAID", "SHIPPED", "CLOSED"]


@entity(
    key=("ORDER#{id}", "METADATA"),
    gsi1=("STATUS#{status}", "{placed_on}"),
    name="Order",
    cardinality={"status": 4},
    expected_per_partition={"gsi1": 200},
)
@dataclass
class StatusOrder:
    """An order, indexed by its status."""

    id: str
    status: Status
    placed_on: date
    total: Decimal


@entity(
    key=("PRODUCT#{id}", "METADATA"),
    gsi1=("CATEGORY#{category}", "{title}"),
    cardinality={"category": 40},
    expected_per_partition={"gsi1": 50},
)
@dataclass
class Product:
    """A product, indexed by its category in the same index."""

    id: str
    category: str
    title: str


class Orders(Table, entities=[StatusOrder, Product]):
    """One index for two entities."""

    @pattern(frequency="medium", budget_ms=30)
    def open_orders(self) -> Page[StatusOrder]:
        """Find all open orders, by date."""
        return query(StatusOrder, where=lambda order: order.status == "OPEN")

    @pattern(frequency="low", budget_ms=30)
    def orders_by_status(self, status: Status, *, limit: int = 50, cursor: str | None = None) -> Page[StatusOrder]:
        """Find the orders in one status, newest first."""
        return query(StatusOrder, newest_first=True)

    @pattern(frequency="medium", budget_ms=30)
    def products_in_category(self, category: str) -> Page[Product]:
        """List the products of a category, by title."""
        return query(Product, order_by=lambda product: product.title)


Role = Literal["lead", "member"]


@entity(key=("USER#{user_id}", "TEAM#{team_id}"), expected_per_partition=5)
@dataclass
class TeamOfUser:
    """The membership in the partition of the user, which the application writes."""

    user_id: str
    team_id: str
    role: Role = "member"


@entity(key=("TEAM#{team_id}", "USER#{user_id}"), mirror_of=TeamOfUser, expected_per_partition=20)
@dataclass
class UserOfTeam:
    """The mirror of the membership, in the partition of the team; every write of the membership keeps it in sync."""

    team_id: str
    user_id: str
    role: Role = "member"


class Teams(Table, entities=[TeamOfUser, UserOfTeam]):
    """Users and teams, a many-to-many relationship, as an adjacency list."""

    @pattern(frequency="high", budget_ms=20)
    def teams_of_user(self, user_id: str) -> Page[TeamOfUser]:
        """List the teams of a user."""
        return query(TeamOfUser)

    @pattern(frequency="high", budget_ms=20)
    def users_of_team(self, team_id: str) -> Page[UserOfTeam]:
        """List the users of a team."""
        return query(UserOfTeam)

    @pattern(rate=1)
    def join(self, edge: TeamOfUser) -> TeamOfUser:
        """Let a user join a team."""
        return create(TeamOfUser)

    @pattern(rate=1, fanout=2)  # reads the membership first, because the same transaction deletes its mirror
    def leave(self, user_id: str, team_id: str) -> TeamOfUser | None:
        """Let a user leave a team."""
        return delete(TeamOfUser)
