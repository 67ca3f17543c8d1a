"""ST117 speaks where declared copies and their source are more than a transaction holds, and nowhere else."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from singletable import Table, copy, entity
from singletable.verify.design_check import check


@entity(key=("USER#{id}", "USER"))
@dataclass
class User:
    id: str
    name: str
    city: str


def _codes(expected: int | None, of_names: bool = False, of_cities: bool = False) -> list[str]:
    """What is found of posts that repeat names and notes that repeat cities, each in parts or not."""
    name = copy(User, by={"id": "author"}, fields=["name"], in_parts=of_names)
    city = copy(User, by={"id": "author"}, fields=["city"], in_parts=of_cities)

    @entity(key=("USER#{author}", "POST#{id}"), copies=[name], expected_per_partition=expected)
    @dataclass
    class Post:
        author: str
        id: str
        name: str

    @entity(key=("USER#{author}", "NOTE#{id}"), copies=[city], expected_per_partition=50)
    @dataclass
    class Note:
        author: str
        id: str
        city: str

    class Blog(Table, entities=[User, Post, Note]):
        pass

    return [f.code for f in check(Blog.design).findings if f.code == "ST117"]


@pytest.mark.parametrize(("expected", "codes"), [(99, []), (100, ["ST117"]), (None, [])])
def test_copies_beyond_transaction_starts_after_a_source_and_99_copies(expected: int | None, codes: list[str]) -> None:
    assert _codes(expected) == codes, "posts and notes copy different fields, and guesses are not reported"


def test_copies_beyond_transaction_is_avoided_only_if_all_copies_are_updated_in_parts() -> None:
    assert _codes(900, of_names=True, of_cities=True) == []
    assert _codes(900, of_names=True) == ["ST117"]


@entity(
    key=("MAIL#{id}", "MAIL"),
    gsi1=("FROM#{sender}", "{id}"),
    gsi2=("TO#{receiver}", "{id}"),
    copies=[
        copy(User, by={"id": "sender"}, fields={"name": "sender_name"}),
        copy(User, by={"id": "receiver"}, fields={"name": "receiver_name"}),
    ],
    expected_per_partition={"gsi1": 50, "gsi2": 50},
)
@dataclass
class Mail:
    id: str
    sender: str
    receiver: str
    sender_name: str
    receiver_name: str


class Mails(Table, entities=[User, Mail]):
    """Mails repeat a name twice, found by two indexes."""


def test_copies_beyond_transaction_counts_a_field_twice_that_one_entity_copies_twice() -> None:
    (found,) = [each for each in check(Mails.design).findings if each.code == "ST117"]
    assert found.message.startswith("User: 100 Mail items are expected to copy name from one User")
