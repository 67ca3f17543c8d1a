"""Random transactions over sources and their copies keep copies, mirrors and unique values in sync."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from singletable import SingletableError, key
from singletable.client.retries import Retries
from singletable.client.transaction import Transaction
from tests.client.places import call
from tests.client.test_combined_writes import KIND, NAME, Follow, Follower, Network, User

# Few ids, so that most transactions have conflicts.
IDS, NAMES, KINDS = ("u1", "u2"), ("Ada", "Bob", "Cy"), ("plain", "close")

_ids, _names, _kinds = st.sampled_from(IDS), st.sampled_from(NAMES), st.sampled_from(KINDS)
_writes = st.one_of(
    st.tuples(st.just("rename"), _ids, _names),
    st.tuples(st.just("put user"), _ids, _names),
    st.tuples(st.just("change"), st.just("u1"), _ids, _kinds),
    st.tuples(st.sampled_from(["create", "put", "upsert"]), st.just("u1"), _ids, _kinds),
    st.tuples(st.just("delete"), st.just("u1"), _ids),
)


def _add(tx: Transaction, write: tuple[Any, ...]) -> None:
    match write:
        case "rename", id, name:
            tx.update(key(User, id=id), NAME.set(name))
        case "put user", id, name:
            tx.put(User(id, name))
        case "change", a, b, kind:
            tx.update(key(Follow, a=a, b=b), KIND.set(kind))
        case "delete", a, b:
            tx.delete(key(Follow, a=a, b=b))
        case verb, a, b, kind:
            getattr(tx, verb)(Follow(a, b, kind))


def _check(network: Network) -> None:
    items = call(network, "Scan", ConsistentRead=True)["Items"]
    markers = {(item["PK"]["S"], item["owner"]["M"]["SK"]["S"]) for item in items if item["SK"]["S"] == "UNIQUE"}
    found = list(network.scan(reason="test"))
    names = {each.id: each.name for each in found if isinstance(each, User)}
    edges = [each for each in found if isinstance(each, Follow)]
    assert all(edge.b_name == names[edge.b] for edge in edges)
    mirrors = [each for each in found if isinstance(each, Follower)]
    expected = [Follower(edge.a, edge.b, edge.kind, edge.b_name) for edge in edges]
    assert sorted(mirrors, key=attrgetter("a", "b")) == sorted(expected, key=attrgetter("a", "b"))
    assert markers == {(f"UNIQUE#Follow#a+b_name#{edge.a}#{edge.b_name}", f"FOLLOWS#{edge.b}") for edge in edges}


@given(st.lists(st.lists(_writes, min_size=1, max_size=4), max_size=8))
def test_random_transactions_keep_copies_mirrors_and_unique_values_in_sync(
    transactions: list[list[tuple[Any, ...]]],
) -> None:
    with Network.open("memory:", create=True, retries=Retries(attempts=2, first_seconds=0.0)) as network:
        for id in IDS:
            network.put(User(id, f"user-{id}"))
            network.put(Follow("u1", id))
        for writes in transactions:
            try:
                with network.transaction() as tx:
                    for write in writes:
                        _add(tx, write)
            except SingletableError:
                pass  # rejected, and nothing was written
            _check(network)
