"""PynamoDB: two models in one table with a discriminator, an index, iterators, batches and transactions."""

from __future__ import annotations

from datetime import UTC, datetime

from pynamodb.attributes import (
    DiscriminatorAttribute,
    ListAttribute,
    MapAttribute,
    NumberAttribute,
    UnicodeAttribute,
    UnicodeSetAttribute,
    UTCDateTimeAttribute,
    VersionAttribute,
)
from pynamodb.connection import Connection
from pynamodb.exceptions import DoesNotExist, PutError, TransactWriteError, UpdateError
from pynamodb.indexes import AllProjection, GlobalSecondaryIndex
from pynamodb.models import Model
from pynamodb.transactions import TransactGet, TransactWrite

from tests.clients.python.steps import raises, run

REGION = "us-east-1"


class ByTag(GlobalSecondaryIndex):
    class Meta:
        index_name = "GSI1"
        projection = AllProjection()

    tag = UnicodeAttribute(hash_key=True, attr_name="GSI1PK")
    rank = UnicodeAttribute(range_key=True, attr_name="GSI1SK")


class Stored(Model):
    class Meta:
        table_name = "pynamodb"
        region = REGION
        billing_mode = "PAY_PER_REQUEST"

    pk = UnicodeAttribute(hash_key=True, attr_name="PK")
    sk = UnicodeAttribute(range_key=True, attr_name="SK")
    kind = DiscriminatorAttribute()
    tag = UnicodeAttribute(null=True, attr_name="GSI1PK")
    rank = UnicodeAttribute(null=True, attr_name="GSI1SK")
    by_tag = ByTag()


class Address(MapAttribute):
    street = UnicodeAttribute()
    town = UnicodeAttribute()


class Customer(Stored, discriminator="Customer"):
    name = UnicodeAttribute()
    address = Address(null=True)
    interests = UnicodeSetAttribute(null=True)
    joined = UTCDateTimeAttribute(null=True)


class Order(Stored, discriminator="Order"):
    total = NumberAttribute(default=0)
    lines = ListAttribute(default=list)
    version = VersionAttribute()


def order(number: int) -> Order:
    return Order("CUST#1", f"ORDER#{number:03d}", total=number, tag=f"STATUS#{number % 2}", rank=f"{number:03d}")


def a_table_is_created() -> None:
    Stored.create_table(wait=True)
    assert Stored.exists()
    assert Stored.describe_table()["GlobalSecondaryIndexes"][0]["IndexName"] == "GSI1"


def an_item_is_read_as_its_model() -> None:
    joined = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)
    home = Address(street="Lane 1", town="Ulm")
    Customer("CUST#1", "PROFILE", name="Ada", address=home, interests={"maps", "tea"}, joined=joined).save()
    found = Stored.get("CUST#1", "PROFILE", consistent_read=True)
    assert isinstance(found, Customer)
    assert (found.name, found.address.town, found.interests, found.joined) == ("Ada", "Ulm", {"maps", "tea"}, joined)
    with raises(DoesNotExist):
        Stored.get("CUST#1", "NOBODY")


def a_failed_condition_is_an_error_with_its_cause() -> None:
    again = Customer("CUST#1", "PROFILE", name="Eve")
    with raises(PutError) as errors:
        again.save(Customer.pk.does_not_exist())
    assert errors[0].cause_response_code == "ConditionalCheckFailedException"
    assert errors[0].cause_response_message == "The conditional request failed"


def a_batch_is_written_and_read() -> None:
    with Order.batch_write() as batch:
        for number in range(30):
            batch.save(order(number))
    keys = [("CUST#1", f"ORDER#{number:03d}") for number in range(30)]
    assert sorted(found.total for found in Order.batch_get(keys)) == list(range(30))


def a_query_is_paged_in_both_directions() -> None:
    condition = Order.sk.between("ORDER#005", "ORDER#019")
    for forward in (True, False):
        found: list[int] = []
        last = None
        while True:
            page = Order.query("CUST#1", condition, scan_index_forward=forward, limit=4, last_evaluated_key=last)
            found += [each.total for each in page]
            last = page.last_evaluated_key
            if last is None:
                break
        assert found == (list(range(5, 20)) if forward else list(range(19, 4, -1)))
    every = [each.total for each in Order.query("CUST#1", Order.sk.startswith("ORDER#"), page_size=7)]
    assert every == list(range(30))


def a_partition_holds_both_models() -> None:
    kinds = [type(found).__name__ for found in Stored.query("CUST#1")]
    assert kinds == ["Order"] * 30 + ["Customer"]
    assert Stored.count("CUST#1") == 31
    assert [found.name for found in Customer.query("CUST#1", Stored.sk == "PROFILE")] == ["Ada"]


def an_index_is_queried_with_a_filter() -> None:
    found = Stored.by_tag.query("STATUS#1", filter_condition=Order.total > 20)
    assert [each.total for each in found] == [21, 23, 25, 27, 29]


def an_update_has_actions_and_a_version() -> None:
    order(3).save()
    found = Order.get("CUST#1", "ORDER#003")
    stale = Order.get("CUST#1", "ORDER#003")
    found.update(actions=[Order.total.add(10), Order.lines.set([{"sku": "a", "count": 2}])])
    assert (found.total, found.version) == (13, 2)
    with raises(UpdateError) as errors:
        stale.update(actions=[Order.total.set(0)])
    assert errors[0].cause_response_code == "ConditionalCheckFailedException"
    customer = Customer.get("CUST#1", "PROFILE")
    customer.update(actions=[Customer.address.town.set("Bonn"), Customer.interests.delete({"tea"})])
    assert (customer.address.town, customer.interests) == ("Bonn", {"maps"})


def a_transaction_succeeds_or_returns_the_reasons() -> None:
    connection = Connection(region=REGION)
    with TransactWrite(connection=connection) as transaction:
        transaction.save(Customer("CUST#2", "PROFILE", name="Grace"))
        transaction.update(Customer("CUST#1", "PROFILE"), actions=[Customer.name.set("Ada L.")])
    with TransactGet(connection=connection) as transaction:
        first = transaction.get(Customer, "CUST#1", "PROFILE")
        second = transaction.get(Customer, "CUST#2", "PROFILE")
    assert (first.get().name, second.get().name) == ("Ada L.", "Grace")
    with raises(TransactWriteError) as errors, TransactWrite(connection=connection) as transaction:
        transaction.delete(Customer("CUST#2", "PROFILE"))
        transaction.condition_check(Customer, "CUST#1", "PROFILE", condition=Customer.name == "Eve")
    codes = [reason and reason.code for reason in errors[0].cancellation_reasons]
    # PynamoDB sends the condition checks first, for any order of the calls.
    assert codes == ["ConditionalCheckFailed", None]


def a_scan_finds_everything() -> None:
    assert sum(1 for _ in Stored.scan(page_size=10)) == 32
    assert [found.name for found in Customer.scan(Customer.name.startswith("Gr"))] == ["Grace"]
    assert sum(1 for segment in range(2) for _ in Stored.scan(segment=segment, total_segments=2)) == 32


def items_and_the_table_are_deleted() -> None:
    Customer("CUST#2", "PROFILE").delete()
    with Stored.batch_write() as batch:
        for found in list(Stored.scan()):
            batch.delete(found)
    assert list(Stored.scan()) == []
    Stored.delete_table()
    assert not Stored.exists()


if __name__ == "__main__":
    run(
        a_table_is_created,
        an_item_is_read_as_its_model,
        a_failed_condition_is_an_error_with_its_cause,
        a_batch_is_written_and_read,
        a_query_is_paged_in_both_directions,
        a_partition_holds_both_models,
        an_index_is_queried_with_a_filter,
        an_update_has_actions_and_a_version,
        a_transaction_succeeds_or_returns_the_reasons,
        a_scan_finds_everything,
        items_and_the_table_are_deleted,
    )
