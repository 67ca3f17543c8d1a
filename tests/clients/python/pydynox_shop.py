"""pydynox: models with a discriminator and key templates, a collection, and atomic updates, sync and async."""

from __future__ import annotations

import asyncio
import os
import sys
from decimal import Decimal

from pydynox import (
    BatchWriter,
    Collection,
    DynamoDBClient,
    Model,
    ModelConfig,
    SyncBatchWriter,
    SyncTransaction,
    Transaction,
    set_default_client,
)
from pydynox.attributes import (
    DecimalAttribute,
    ListAttribute,
    MapAttribute,
    NumberAttribute,
    StringAttribute,
    StringSetAttribute,
    VersionAttribute,
)
from pydynox.exceptions import (
    ConditionalCheckFailedException,
    ResourceInUseException,
    ResourceNotFoundException,
    TransactionCanceledException,
)
from pydynox.indexes import GlobalSecondaryIndex

from tests.clients.python.steps import raises, run

TABLE = "pydynox"
client = DynamoDBClient()
set_default_client(client)


class Customer(Model):
    model_config = ModelConfig(table=TABLE)

    pk = StringAttribute(partition_key=True, template="CUST#{id}")
    sk = StringAttribute(sort_key=True, template="PROFILE")
    kind = StringAttribute(discriminator=True)
    id = StringAttribute()
    name = StringAttribute()
    address = MapAttribute()
    interests = StringSetAttribute()


class Order(Model):
    model_config = ModelConfig(table=TABLE)

    pk = StringAttribute(partition_key=True, template="CUST#{customer}")
    sk = StringAttribute(sort_key=True, template="ORDER#{id}")
    kind = StringAttribute(discriminator=True)
    customer = StringAttribute()
    id = StringAttribute()
    status = StringAttribute()
    number = NumberAttribute()
    total = DecimalAttribute()
    tags = ListAttribute()
    version = VersionAttribute()

    by_status = GlobalSecondaryIndex(index_name="GSI1", partition_key="status", sort_key="id")


def order(number: int) -> Order:
    status = "OPEN" if number % 2 else "PAID"
    return Order(customer="1", id=f"{number:03d}", status=status, number=number, total=Decimal(f"{number}.25"))


def a_table_is_created() -> None:
    Order.sync_create_table(wait=True)
    assert Order.sync_table_exists()
    with raises(ResourceInUseException):
        Order.sync_create_table()
    with raises(ResourceNotFoundException):
        client.sync_get_item("no-such-table", {"pk": "a"})


async def a_model_is_saved_and_got() -> None:
    await Customer(id="1", name="Ada", address={"town": "Ulm", "lines": [1, "b"]}, interests={"maps", "tea"}).save()
    found = await Customer.get(pk="CUST#1", sk="PROFILE", consistent_read=True)
    assert (found.name, found.address, found.interests) == ("Ada", {"town": "Ulm", "lines": [1, "b"]}, {"maps", "tea"})
    assert await Customer.get(pk="CUST#9", sk="PROFILE") is None


async def a_failed_condition_raises_the_exception_of_the_client() -> None:
    with raises(ConditionalCheckFailedException):
        await Customer(id="1", name="Eve").save(condition=Customer.pk.not_exists())


async def models_are_saved_concurrently_and_in_batches() -> None:
    await asyncio.gather(*(order(number).save() for number in range(30)))
    keys = [{"pk": "CUST#1", "sk": f"ORDER#{number:03d}"} for number in range(30)]
    assert sorted(found.number for found in await Order.batch_get(keys)) == list(range(30))
    async with BatchWriter(client, TABLE) as batch:
        for number in range(40):
            batch.put({"pk": "LOG", "sk": f"{number:03d}"})
    with SyncBatchWriter(client, TABLE) as batch:
        for number in range(40):
            batch.delete({"pk": "LOG", "sk": f"{number:03d}"})
    assert list(client.sync_query(TABLE, "pk = :log", expression_attribute_values={":log": "LOG"})) == []


async def a_query_is_paged_in_both_directions() -> None:
    within = Order.sk.between("ORDER#005", "ORDER#019")
    for forward in (True, False):
        pages = Order.query(partition_key="CUST#1", sort_key_condition=within, page_size=4, scan_index_forward=forward)
        found = [each.number async for each in pages]
        assert found == (list(range(5, 20)) if forward else list(range(19, 4, -1)))
    first = Order.sync_query(partition_key="CUST#1", sort_key_condition=within, page_size=4, limit=4)
    assert [each.number for each in first] == [5, 6, 7, 8]
    rest = Order.sync_query(
        partition_key="CUST#1", sort_key_condition=within, last_evaluated_key=first.last_evaluated_key
    )
    assert [each.number for each in rest] == list(range(9, 20))


async def an_index_is_queried_with_a_filter() -> None:
    found = Order.by_status.query(partition_key="OPEN", filter_condition=Order.number > 20)
    assert [each.number async for each in found] == [21, 23, 25, 27, 29]


async def one_query_returns_both_models() -> None:
    everything = await Collection([Customer, Order]).query(pk="CUST#1")
    assert [each.name for each in everything.get(Customer)] == ["Ada"]
    assert [each.number for each in everything.get(Order)] == list(range(30))


async def an_update_is_atomic_and_has_a_version() -> None:
    found = await Order.get(pk="CUST#1", sk="ORDER#003")
    stale = await Order.get(pk="CUST#1", sk="ORDER#003")
    assert (found.total, found.version) == (Decimal("3.25"), 1)
    await found.update(atomic=[Order.number.add(10), Order.tags.set(["gift"])], condition=Order.status == "OPEN")
    assert (await Order.get(pk="CUST#1", sk="ORDER#003")).number == 13
    found = await Order.get(pk="CUST#1", sk="ORDER#003")
    found.status = "PAID"
    await found.save()
    stale.status = "LOST"
    with raises(ConditionalCheckFailedException):
        await stale.save()


async def a_transaction_succeeds_or_is_cancelled() -> None:
    async with Transaction(client) as transaction:
        transaction.put(TABLE, {"pk": "CUST#2", "sk": "PROFILE", "name": "Grace"})
        transaction.update(
            TABLE,
            {"pk": "CUST#1", "sk": "PROFILE"},
            update_expression="SET #name = :name",
            expression_attribute_names={"#name": "name"},
            expression_attribute_values={":name": "Ada L."},
        )
    gets = [{"table": TABLE, "key": {"pk": f"CUST#{number}", "sk": "PROFILE"}} for number in (1, 2, 3)]
    assert [found and found["name"] for found in await client.transact_get(gets)] == ["Ada L.", "Grace", None]
    with raises(TransactionCanceledException) as cancelled, SyncTransaction(client) as transaction:
        transaction.delete(TABLE, {"pk": "CUST#2", "sk": "PROFILE"})
        transaction.condition_check(TABLE, {"pk": "CUST#1", "sk": "PROFILE"}, "attribute_not_exists(pk)")
    assert "ConditionalCheckFailed" in str(cancelled[0])
    assert client.sync_get_item(TABLE, {"pk": "CUST#2", "sk": "PROFILE"}) is not None


async def a_scan_finds_everything() -> None:
    assert len([item async for item in Order.scan(page_size=7, as_dict=True)]) == 32
    found = Order.sync_scan(filter_condition=Order.number.between(10, 12))
    assert sorted(each.number for each in found) == [10, 11, 12]
    every, _ = await Order.parallel_scan(total_segments=3, as_dict=True)
    assert len(every) == 32


async def items_and_the_table_are_deleted() -> None:
    await (await Customer.get(pk="CUST#1", sk="PROFILE")).delete()
    assert Customer.sync_get(pk="CUST#1", sk="PROFILE") is None
    await client.delete_table(TABLE, wait=True)
    assert not await Order.table_exists()


if __name__ == "__main__":
    run(
        a_table_is_created,
        a_model_is_saved_and_got,
        a_failed_condition_raises_the_exception_of_the_client,
        models_are_saved_concurrently_and_in_batches,
        a_query_is_paged_in_both_directions,
        an_index_is_queried_with_a_filter,
        one_query_returns_both_models,
        an_update_is_atomic_and_has_a_version,
        a_transaction_succeeds_or_is_cancelled,
        a_scan_finds_everything,
        items_and_the_table_are_deleted,
    )
    # Its threads sometimes panic while Python shuts down, after all steps.
    sys.stdout.flush()
    os._exit(0)
