"""Expired items that DynamoDB has not deleted yet do not block new ones."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

import pytest

from singletable import AlreadyExists, NotUnique, Table, TransactionCancelled, create, entity, get, key, pattern
from tests.client.places import Place, call
from tests.client.shop import IN_TWO_HOURS, Session, Shop

NOW = IN_TWO_HOURS
PASSED, LATER = NOW - timedelta(hours=1), NOW + timedelta(hours=1)


def test_write_conditions_let_a_new_item_replace_an_expired_one(place: Place) -> None:
    with place.clocked(Shop, NOW.timestamp) as shop:
        shop.put(Session("s", PASSED))
        assert shop.session("s") is None
        shop.create(Session("s", LATER))
        assert shop.session("s") == Session("s", LATER)
        with pytest.raises(AlreadyExists) as refused:
            shop.create(Session("s", LATER + timedelta(hours=1)))
        assert refused.value.item == Session("s", LATER)


def test_write_conditions_ignore_an_item_that_expires_this_second(place: Place) -> None:
    with place.clocked(Shop, NOW.timestamp) as shop:
        shop.put(Session("s", NOW))
        assert shop.session("s") is None
        shop.create(Session("s", LATER))
        assert shop.session("s") == Session("s", LATER)


def test_write_conditions_of_a_transaction_treat_expired_items_as_absent(place: Place) -> None:
    place.needs("transactions")
    with place.clocked(Shop, NOW.timestamp) as shop:
        shop.put(Session("passed", PASSED))
        shop.put(Session("there", LATER))
        with shop.transaction() as tx:
            tx.check(key(Session, id="passed"), absent=True)
            tx.create(Session("new", LATER))
        assert shop.session("new") == Session("new", LATER)
        with pytest.raises(TransactionCancelled), shop.transaction() as tx:  # noqa: PT012  # it fails at its end
            tx.check(key(Session, id="there"), absent=True)
            tx.create(Session("newer", LATER))
        assert shop.session("newer") is None


@entity(key=("LEASE#{id}", "LEASE"), ttl="until", unique=("machine",), version="revision")
@dataclass
class Lease:
    id: str
    machine: str
    until: int
    revision: int = 0


class Leases(Table, entities=[Lease]):
    """Leases of machines. A machine belongs to one lease at a time, until the lease ends."""

    @pattern()
    def lease(self, id: str) -> Lease | None:
        """Return a lease by its id."""
        return get(Lease)

    @pattern()
    def take(self, lease: Lease) -> Lease:
        """A new lease."""
        return create(Lease)


def test_derived_actions_free_a_unique_value_when_the_item_that_had_it_has_expired(place: Place) -> None:
    place.needs("transactions")
    passed, later = int(PASSED.timestamp()), int(LATER.timestamp())
    with place.clocked(Leases, NOW.timestamp) as leases:
        leases.put(Lease("a", "m1", passed))
        leases.create(Lease("b", "m1", later))
        with pytest.raises(NotUnique):
            leases.create(Lease("c", "m1", later))
        assert leases.lease("b") == Lease("b", "m1", later, 1)


def test_write_conditions_let_an_item_be_put_again_after_it_expired(place: Place) -> None:
    place.needs("transactions")
    passed, later = int(PASSED.timestamp()), int(LATER.timestamp())
    with place.clocked(Leases, NOW.timestamp) as leases:
        leases.put(Lease("a", "m1", passed))
        assert leases.lease("a") is None
        leases.put(Lease("a", "m2", later))
        assert leases.lease("a") == Lease("a", "m2", later, 1)


def test_a_dry_run_of_a_create_pattern_allows_an_expired_item(place: Place) -> None:
    place.needs("transactions")
    lease = Lease("a", "m1", int(LATER.timestamp()))
    (request,) = Leases.take.explain(lease).requests
    put = request.parameters["TransactItems"][0]["Put"]  # with the marker of its unique value
    assert put["ConditionExpression"] == "attribute_not_exists(#n0) OR #n1 <= :v0"
    assert put["ExpressionAttributeNames"] == {"#n0": "PK", "#n1": "until"}
    assert put["ExpressionAttributeValues"] == {":v0": {"N": "<now>"}}
    with place.clocked(Leases, NOW.timestamp) as leases:
        leases.put(Lease("a", "m0", int(PASSED.timestamp())))
        assert leases.take(lease).until == lease.until
        assert "Item" in call(leases, "GetItem", Key={"PK": {"S": "LEASE#a"}, "SK": {"S": "LEASE"}})
