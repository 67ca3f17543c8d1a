"""Concurrent and combined writes: changes after a read, and copies and unique values in one transaction."""

# ruff: noqa: PT012  # a transaction is a block, and fails at its end
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import time

import pytest

from singletable import (
    ArgumentRefused,
    ConditionFailed,
    NotFound,
    NotUnique,
    Page,
    Table,
    TransactionCancelled,
    copy,
    count,
    entity,
    field,
    key,
    pattern,
    query,
    upgrade,
)
from singletable.client.transaction import Transaction
from tests.client.between import Document, between
from tests.client.places import Place, call


@entity(key=("OWNER#{id}", "OWNER"))
@dataclass
class Owner:
    id: str
    papers: int = 0


@entity(
    key=("PAPER#{id}", "PAPER"),
    gsi1=("OWNER#{owner}", "{status}#{id}"),
    unique=("slug",),
    counted=[count(Owner, by={"id": "owner"}, field="papers")],
)
@dataclass
class Paper:
    id: str
    owner: str
    slug: str
    status: str = "new"


@entity(key=("NOTE#{id}", "NOTE"), gsi1=("NOTES#{owner}", "{status}#{day}#{id}"))
@dataclass
class Note:
    id: str
    owner: str
    day: str
    status: str = "new"


class Desk(Table, entities=[Owner, Paper, Note]):
    """Papers that have an owner, and notes on which nothing depends."""

    @pattern()
    def papers_of(self, owner: str) -> Page[Paper]:
        """The papers of an owner, by status."""
        return query(Paper)

    @pattern()
    def notes_of(self, owner: str) -> Page[Note]:
        """The notes of an owner, by status."""
        return query(Note)


def _once(desk: Desk, written: Paper | Note) -> Callable[[str, Document], None]:
    """Create an item immediately after a read did not find it."""
    pending = [written]

    def comes(operation: str, _: Document) -> None:
        if operation == "GetItem" and pending:
            desk.create(pending.pop())

    return comes


def test_write_execution_loses_no_change_between_read_and_write(place: Place) -> None:
    place.needs("transactions")
    with place.open(Desk) as desk:
        desk.create(Owner("a"))
        desk.create(Owner("b"))
        between(desk, answer=_once(desk, Paper("p", "a", "first")))
        owner, slug = field(Paper, lambda p: p.owner), field(Paper, lambda p: p.slug)
        changed = desk.update(key(Paper, id="p"), owner.set("b"), slug.set("second"))
        assert changed == Paper("p", "b", "second")
        assert list(desk.papers_of("b")) == [changed]
        assert not list(desk.papers_of("a"))
        assert (desk.get(key(Owner, id="a")), desk.get(key(Owner, id="b"))) == (Owner("a", 0), Owner("b", 1))
        with pytest.raises(NotUnique):
            desk.create(Paper("q", "b", "second"))
        desk.create(Paper("q", "b", "first"))


def test_index_key_changes_include_changes_between_read_and_write(place: Place) -> None:
    with place.open(Desk) as desk:
        between(desk, answer=_once(desk, Note("n", "a", "monday")))
        changed = desk.update(key(Note, id="n"), field(Note, lambda n: n.status).set("read"))
        assert changed == Note("n", "a", "monday", "read")
        assert call(desk, "GetItem", Key=_key("NOTE#n", "NOTE"))["Item"]["GSI1SK"] == {"S": "read#monday#n"}
        with pytest.raises(NotFound):
            desk.update(key(Note, id="other"), field(Note, lambda n: n.status).set("read"))


def _key(partition: str, sort: str) -> Document:
    return {"PK": {"S": partition}, "SK": {"S": sort}}


@entity(key=("USER#{id}", "PROFILE"))
@dataclass
class User:
    id: str
    name: str


@entity(
    key=("USER#{a}", "FOLLOWS#{b}"),
    gsi1=("FOLLOWED#{b}", "{a}"),
    copies=[copy(User, by={"id": "b"}, fields={"name": "b_name"})],
    unique=(("a", "b_name"),),
)
@dataclass
class Follow:
    a: str
    b: str
    kind: str = "plain"
    b_name: str = ""


@entity(key=("USER#{b}", "BY#{kind}#{a}"), mirror_of=Follow)
@dataclass
class Follower:
    a: str
    b: str
    kind: str
    b_name: str


@entity(
    key=("NOTICE#{id}", "NOTICE"),
    gsi1=("ABOUT#{a}#{b}", "{id}"),
    copies=[copy(Follow, by={"a": "a", "b": "b"}, fields={"b_name": "about"})],
)
@dataclass
class Notice:
    id: str
    a: str
    b: str
    about: str = ""
    text: str = ""


class Network(Table, entities=[User, Follow, Follower, Notice], accept={"ST101": "names of tests"}):
    """Mirrored edges with a copied name, and notices that copy fields of the edges."""

    @pattern()
    def followers(self, b: str) -> Page[Follower]:
        """Who follows somebody."""
        return query(Follower)


NAME, KIND = field(User, lambda u: u.name), field(Follow, lambda f: f.kind)
EDGE, BOB = key(Follow, a="u1", b="u2"), key(User, id="u2")


def _delete(tx: Transaction) -> None:
    tx.delete(EDGE)


def _update(tx: Transaction) -> None:
    tx.update(EDGE, KIND.set("close"))


def _put(tx: Transaction) -> None:
    tx.put(Follow("u1", "u2", "close"))


def _upsert(tx: Transaction) -> None:
    tx.upsert(Follow("u1", "u2", "close"))


@pytest.mark.parametrize("write", [_delete, _update, _put, _upsert])
@pytest.mark.parametrize("edge_first", [True, False])
def test_update_copies_writes_a_source_and_its_copies_in_one_transaction(
    place: Place, write: Callable[[Transaction], None], edge_first: bool
) -> None:
    place.needs("transactions")
    with place.open(Network) as network:
        network.put(User("u1", "Ada"))
        network.put(User("u2", "Bob"))
        network.create(Follow("u1", "u2"))
        with network.transaction() as tx:
            if edge_first:
                write(tx)
            tx.update(BOB, NAME.set("Robert"))
            if not edge_first:
                write(tx)
        left = [] if write is _delete else [Follower("u1", "u2", "close", "Robert")]
        assert network.get(EDGE) == (None if write is _delete else Follow("u1", "u2", "close", "Robert"))
        assert list(network.followers("u2")) == left
        network.put(User("u3", "Robert"))
        if left:
            with pytest.raises(NotUnique):
                network.create(Follow("u1", "u3"))
        else:
            network.create(Follow("u1", "u3"))
        network.put(User("u4", "Bob"))
        network.create(Follow("u1", "u4"))  # the name is no longer used


def test_update_copies_rejects_copies_of_copies_in_a_transaction_with_their_first_source(place: Place) -> None:
    place.needs("transactions")
    with place.open(Network) as network:
        network.put(User("u1", "Ada"))
        network.put(User("u2", "Bob"))
        network.create(Follow("u1", "u2"))
        notice = network.create(Notice("n", "u1", "u2"))
        assert notice.about == "Bob"
        text = field(Notice, lambda n: n.text)
        with pytest.raises(ArgumentRefused, match="use two transactions"), network.transaction() as tx:
            tx.update(key(Notice, id="n"), text.set("read"))
            tx.update(BOB, NAME.set("Robert"))
        with pytest.raises(ArgumentRefused, match="use two transactions"), network.transaction() as tx:
            tx.create(Notice("m", "u1", "u2"))
            tx.update(BOB, NAME.set("Robert"))
        assert network.get(key(Notice, id="n")) == notice
        assert network.get(key(Notice, id="m")) is None
        with network.transaction() as tx:
            tx.delete(key(Notice, id="n"))
            tx.update(BOB, NAME.set("Robert"))
        assert network.get(key(Notice, id="n")) is None
        assert list(network.followers("u2")) == [Follower("u1", "u2", "plain", "Robert")]


@entity(key=("PASS#{id}", "PASS"), ttl="until", unique=("code",))
@dataclass
class Pass:
    id: str
    code: str
    until: int | None = None


class Gate(Table, entities=[Pass]):
    """Passes that expire, each with a unique code."""


def _two_of_one_code(gate: Gate) -> None:
    """Return an expired pass, and a later pass with the same code."""
    gate.create(Pass("old", "c", int(time()) - 60))
    gate.create(Pass("new", "c"))


def test_derived_actions_free_a_unique_value_that_two_writes_release(place: Place) -> None:
    place.needs("transactions")
    with place.open(Gate) as gate:
        _two_of_one_code(gate)
        with gate.transaction() as tx:
            tx.delete(key(Pass, id="old"))
            tx.delete(key(Pass, id="new"))
        assert gate.create(Pass("next", "c")) == Pass("next", "c")


def test_derived_actions_do_not_transfer_a_unique_value_of_a_third_item(place: Place) -> None:
    place.needs("transactions")
    with place.open(Gate) as gate:
        _two_of_one_code(gate)
        with pytest.raises(TransactionCancelled) as refused, gate.transaction() as tx:
            tx.delete(key(Pass, id="old"))
            tx.create(Pass("next", "c"))
        nothing, taken = refused.value.reasons
        assert nothing.error is None
        assert isinstance(taken.error, NotUnique)
        with gate.transaction() as tx:
            tx.delete(key(Pass, id="new"))
            tx.create(Pass("next", "c"))
        assert gate.get(key(Pass, id="next")) == Pass("next", "c")


@entity(key=("OWNER#{id}", "OWNER"), schema_version=2)
@dataclass
class Holder:
    id: str
    docs: int = 0


@upgrade(Holder, from_version=1)
def nothing_changed(item: dict[str, object]) -> dict[str, object]:
    return item


@entity(key=("DOC#{id}", "DOC"), counted=[count(Holder, by={"id": "owner"}, field="docs")])
@dataclass
class Doc:
    id: str
    owner: str


class Archive(Table, entities=[Holder, Doc]):
    """An archive whose owners have an older version and count their items."""


def test_derived_actions_reject_the_deletion_of_an_older_owner_that_counts_something(place: Place) -> None:
    place.needs("transactions")
    with place.open(Archive) as archive:
        for name, docs in (("empty", "0"), ("full", "1")):
            item = {**_key(f"OWNER#{name}", "OWNER"), "entity_type": {"S": "Holder"}, "id": {"S": name}}
            call(archive, "PutItem", Item={**item, "docs": {"N": docs}})
        archive.delete(key(Holder, id="empty"))
        assert archive.get(key(Holder, id="empty")) is None
        with pytest.raises(ConditionFailed, match="has docs = 1: it still counts other items"):
            archive.delete(key(Holder, id="full"))
        assert archive.get(key(Holder, id="full")) == Holder("full", 1)


def test_derived_actions_read_unset_copies_of_an_object_from_the_source_item(place: Place) -> None:
    place.needs("transactions")
    with place.open(Network) as network:
        network.put(User("u1", "Ada"))
        network.put(User("u2", "Bob"))
        stands = between(network)
        assert network.create(Follow("u1", "u2")).b_name == "Bob"
        assert stands.operations == ["GetItem", "Query", "TransactWriteItems"]  # the Query finds the copies
        stands.operations.clear()
        network.create(Follow("u2", "u1", b_name="Ada"))  # the object contains the value itself
        assert stands.operations == ["Query", "TransactWriteItems"]
        stands.operations.clear()
        with network.transaction() as tx:
            tx.create(User("u3", "Eve"))
            tx.create(Follow("u3", "u3"))
        assert stands.operations[-1] == "TransactWriteItems"
        assert stands.operations.count("TransactWriteItems") == 1
        assert network.get(key(Follow, a="u3", b="u3")) == Follow("u3", "u3", b_name="Eve")
        with pytest.raises(NotFound, match="User with id='u9'"):
            network.create(Follow("u1", "u9"))
