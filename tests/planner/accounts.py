"""A model with collections of several lists, of which the patterns say how many items there are in all."""

from __future__ import annotations

from dataclasses import dataclass

from singletable import Table, collection, entity, pattern


@entity(key=("USER#{id}", "A_PROFILE"), expected_bytes=200)
@dataclass
class User:
    id: str


@entity(key=("USER#{user}", "ORDER#{id}"), expected_bytes=200, expected_per_partition=300)
@dataclass
class Order:
    user: str
    id: str


@entity(key=("USER#{user}", "PAID#{id}"), expected_bytes=200, expected_per_partition=100)
@dataclass
class Payment:
    user: str
    id: str


@entity(key=("USER#{user}", "SEEN#{id}"), expected_bytes=200)
@dataclass
class Visit:
    user: str
    id: str


@dataclass
class Account:
    user: User
    orders: list[Order]
    payments: list[Payment]


@dataclass
class Visited:
    user: User
    orders: list[Order]
    payments: list[Payment]
    visits: list[Visit]


class Accounts(Table, entities=[User, Order, Payment, Visit]):
    @pattern(rate=1, expected_items=21)
    def account(self, user: str) -> Account | None:
        return collection(Account)

    @pattern(rate=1, expected_items=21)
    def visited(self, user: str) -> Visited | None:
        return collection(Visited)

    @pattern(rate=1, expected_items=0)
    def nearly_empty(self, user: str) -> Account | None:
        return collection(Account)
