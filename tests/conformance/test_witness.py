"""The witness check finds plans whose results differ from a filter over all items, and passes for every example."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from datetime import datetime

import pytest

from examples.commerce.model import Commerce
from examples.customers.model import Customers, Teams
from examples.guide.model import Guide
from examples.papers.model import Papers
from examples.shop.model import Shop
from examples.shop.sharded import ShopByHash
from singletable import Page, Table, derive, entity, pattern, put, query
from singletable.testing import witness


@pytest.mark.parametrize("table", [Shop, Papers, Commerce, Customers, Teams, Guide, ShopByHash])
def test_the_witness_of_every_example_reads_what_a_filter_selects(table: type[Table]) -> None:
    report = witness(table.design)
    assert report.passes, "\n".join(map(str, report.differences))
    assert report.items
    assert sum(report.calls.values()) > 10


_unstable = itertools.count()


def _wrong_letter(name: str) -> str:
    """Return another letter at each call, so that a read looks into another partition than the write."""
    return "ab"[next(_unstable) % 2]


@entity(
    key=("PERSON#{id}", "PERSON"),
    gsi1=("LETTER#{letter}", "{name}#{id}"),
    derived={"letter": derive(_wrong_letter, "name", values=("a", "b"))},
)
@dataclass
class Person:
    id: str
    name: str
    seen_at: datetime


class People(Table, entities=[Person]):
    @pattern()
    def named(self, name: str) -> Page[Person]:
        return query(Person)

    @pattern()
    def save(self, person: Person) -> Person:
        return put(Person)


def test_the_witness_reports_an_index_that_loses_items_with_its_seed_and_the_missing_item() -> None:
    report = witness(People.design, seed=3)
    assert not report.passes
    text = str(report.differences[0])
    assert text.startswith("named(name=")
    assert "seed 3: missing Person(" in text
    assert report.not_compared == {"save": "it is a write"}


def test_the_witness_generates_the_same_items_and_calls_for_the_same_seed() -> None:
    first, second = (witness(Commerce.design, seed=7) for _ in range(2))
    assert (first.items, first.calls) == (second.items, second.calls)
