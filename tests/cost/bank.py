"""A model in which one frequency is a word, all other numbers are declared, and some lists have no declared length."""

from __future__ import annotations

from dataclasses import dataclass

from singletable import Page, Table, entity, get, pattern, put, query, shard


@entity(key=("A#{id}", "META"), expected_bytes=300, expected_items=10_000_000)
@dataclass
class Account:
    id: str


class Bank(Table, entities=[Account]):
    @pattern(frequency="high")
    def account(self, id: str) -> Account | None:
        return get(Account)

    @pattern(rate=5)
    def add(self, account: Account) -> Account:
        return put(Account)


@entity(key=("LOG#{day}#{part}", "{id}"), derived={"part": shard("id", of=8)}, expected_bytes=3000)
@dataclass
class Line:
    day: str
    id: str


@entity(key=("WIDE#{day}#{part}", "{id}"), derived={"part": shard("id", of=100)}, expected_bytes=3000)
@dataclass
class WideLine:
    day: str
    id: str


class Logs(Table, entities=[Line, WideLine]):
    @pattern(fanout=8, rate=1)
    def lines(self, day: str) -> Page[Line]:
        return query(Line)

    @pattern(fanout=100, rate=1)
    def wide_lines(self, day: str) -> Page[WideLine]:
        return query(WideLine)
