"""The rows of the three tables: a customer with orders, orders and products, and users in teams."""

from datetime import date
from decimal import Decimal

from .model import Customer, Order, Product, StatusOrder, TeamOfUser

CUSTOMERS: list[Customer | Order] = [
    Customer("42", name="Ada Lovelace", email="ada@example.com", plan="pro"),
    Order("42", "2026-001", total=Decimal("64.50"), status="SHIPPED"),
    Order("42", "2026-002", total=Decimal("19.90"), status="OPEN"),
    Customer("43", name="Charles Babbage", email="charles@example.com", plan="free"),
    Order("43", "2026-003", total=Decimal("7.25"), status="OPEN"),
]

ORDERS: list[StatusOrder | Product] = [
    StatusOrder("001", "OPEN", date(2026, 1, 4), Decimal("64.50")),
    StatusOrder("002", "OPEN", date(2026, 1, 5), Decimal("19.90")),
    StatusOrder("003", "SHIPPED", date(2026, 1, 2), Decimal("7.25")),
    StatusOrder("004", "SHIPPED", date(2026, 1, 3), Decimal("120.00")),
    Product("p1", "books", "The DynamoDB Book"),
    Product("p2", "books", "A Pattern Language"),
    Product("p3", "games", "Go"),
]

TEAMS: list[TeamOfUser] = [
    TeamOfUser("1", "9", "lead"),
    TeamOfUser("1", "4"),
    TeamOfUser("2", "9"),
]
