"""Rows and requests that are difficult to keep in sync: moved entities, empty sets, large batches, repeated tokens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from decimal import Decimal
from typing import Any

import msgspec
import pydantic
import pytest
from botocore.exceptions import ClientError  # type: ignore[import-untyped]

from singletable import ArgumentRefused, ItemRefused, Table, entity, field, get, key, pattern
from singletable.client.request_steps import Step, Steps, run, with_responses
from singletable.consolidation import Consolidation, DynamoDBSource, LeftOut, install
from singletable.consolidation.consolidation_run import ConsolidationRun, ConsolidationSettings
from singletable.consolidation.dual_table import opened_dual_table
from singletable.consolidation.dual_writer import transaction_of
from singletable.consolidation.sources import RowOf
from singletable.engine import Engine

ROWS = "old-products"


@entity(key=("PRODUCT#{sku}", "PRODUCT"))
@dataclass
class Product:
    sku: str
    name: str
    row: str
    tags: set[str] = dataclass_field(default_factory=set)
    rank: int = 0


class Catalog(Table, entities=[Product]):
    @pattern
    def product(self, sku: str) -> Product | None:
        return get(Product)


def product_of(row: Any) -> Product:
    return Product(row["sku"], row["name"].strip(), row["id"], row.get("tags", set()))


def row_of(product: Product) -> dict[str, Any]:
    return {"id": product.row, "sku": product.sku, "name": product.name, "tags": product.tags}


@dataclass
class _Sides:
    consolidation: Consolidation[Catalog]
    catalog: Catalog
    client: Any
    resource: Any

    @property
    def rows(self) -> Any:
        return self.resource.Table(ROWS)

    def failures(self) -> list[str]:
        steps = ConsolidationRun(self.consolidation, self.catalog).verify()
        return [each.reason for each in run(steps, self.catalog._opened().session).failures]


def _sides(row_of: RowOf | tuple[()] = row_of) -> _Sides:
    engine = Engine("memory:")
    client, resource = engine.boto3_client(), engine.boto3_resource()
    client.create_table(
        TableName=ROWS,
        KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )
    Catalog.open(engine, create=True).close()
    consolidation = Consolidation(Catalog, DynamoDBSource(ROWS, product_of, row_of))
    catalog = consolidation.open(engine)
    install(catalog, client)
    install(catalog, resource)
    steps = ConsolidationRun(consolidation, catalog, ConsolidationSettings(wait_seconds=0.0)).run()
    assert not run(steps, catalog._opened().session).failures
    consolidation.refresh(catalog)
    return _Sides(consolidation, catalog, client, resource)


def _row(id: str, sku: str, name: str = "n") -> dict[str, Any]:
    return {"id": {"S": id}, "sku": {"S": sku}, "name": {"S": name}}


def test_a_transaction_moves_an_entity_to_another_row() -> None:
    sides = _sides()
    sides.rows.put_item(Item={"id": "a", "sku": "E", "name": "one"})
    delete = {"Delete": {"TableName": ROWS, "Key": {"id": {"S": "a"}}}}
    sides.client.transact_write_items(
        TransactItems=[delete, {"Put": {"TableName": ROWS, "Item": _row("b", "E", "two")}}]
    )
    assert sides.catalog.product("E") == Product("E", "two", "b")
    with pytest.raises(ItemRefused, match="belongs to the row"):
        sides.rows.put_item(Item={"id": "c", "sku": "E", "name": "three"})
    assert not sides.failures()


def test_a_second_row_of_an_entity_is_rejected_without_row_of_too() -> None:
    sides = _sides(())
    sides.rows.put_item(Item={"id": "a", "sku": "E", "name": "one"})
    with pytest.raises(ItemRefused, match="may belong to another row of old-products"):
        sides.rows.put_item(Item={"id": "b", "sku": "E", "name": "two"})
    sides.rows.put_item(Item={"id": "a", "sku": "E", "name": "again"})
    assert sides.catalog.product("E") == Product("E", "again", "a")
    assert not sides.failures()


def test_an_update_without_expression_creates_the_row_or_changes_nothing() -> None:
    sides = _sides()
    sides.rows.put_item(Item={"id": "a", "sku": "E", "name": "one"})
    answer = sides.rows.update_item(Key={"id": "a"}, ReturnValues="ALL_NEW")
    assert answer["Attributes"] == {"id": "a", "sku": "E", "name": "one"}
    with pytest.raises(ClientError, match="ConditionalCheckFailedException"):
        sides.rows.update_item(Key={"id": "z"}, ConditionExpression="attribute_exists(id)")
    with pytest.raises(ItemRefused, match="raised KeyError: 'sku'"):
        sides.rows.update_item(Key={"id": "z"})
    assert not sides.failures()


def test_dual_writes_treat_an_empty_set_as_a_missing_attribute_of_the_row() -> None:
    sides = _sides()
    sides.catalog.create(Product("E", "n", "a", {"x"}))
    assert sides.rows.get_item(Key={"id": "a"})["Item"]["tags"] == {"x"}
    sides.catalog.update(key(Product, sku="E"), field(Product, lambda p: p.tags).set(set()))
    assert sides.rows.get_item(Key={"id": "a"})["Item"] == {"id": "a", "sku": "E", "name": "n"}
    assert not sides.failures()


def test_dual_writes_reject_a_value_that_the_row_mapping_does_not_restore() -> None:
    sides = _sides()
    sides.rows.put_item(Item={"id": "a", "sku": "E", "name": "n"})
    with pytest.raises(ItemRefused, match="does not map to the written Product with sku='E': name would change"):
        sides.catalog.update(key(Product, sku="E"), field(Product, lambda p: p.name).set(" n "))
    with pytest.raises(ItemRefused, match="name would change"):
        sides.catalog.create(Product("F", " n ", "f"))
    sides.catalog.update(key(Product, sku="E"), field(Product, lambda p: p.rank).set(0))
    assert not sides.failures()


def test_dual_writes_split_a_batch_with_more_bytes_than_a_transaction() -> None:
    sides = _sides()
    for letter in "xy":  # the second batch replaces the rows
        requests = [{"PutRequest": {"Item": _row(str(number), str(number), letter * 100_000)}} for number in range(25)]
        assert not sides.client.batch_write_item(RequestItems={ROWS: requests})["UnprocessedItems"]
    assert all(
        found is not None and found.name[0] == "y" for found in (sides.catalog.product(str(n)) for n in range(25))
    )
    assert not sides.failures()


def test_dual_writes_split_a_batch_whose_rows_become_too_many_entities_for_a_transaction() -> None:
    def products_of(row: Any) -> list[Product]:
        return [Product(f"{row['id']}-{number}", "n", row["id"]) for number in range(6)]

    engine = Engine("memory:")
    client = engine.boto3_client()
    client.create_table(
        TableName=ROWS,
        KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )
    Catalog.open(engine, create=True).close()
    with Consolidation(Catalog, DynamoDBSource(ROWS, products_of)).open(engine) as catalog:
        install(catalog, client)
        requests = [{"PutRequest": {"Item": {"id": {"S": str(number)}}}} for number in range(25)]
        assert not client.batch_write_item(RequestItems={ROWS: requests})["UnprocessedItems"]
        assert catalog.product("24-5") == Product("24-5", "n", "24")


def test_dual_writes_accept_a_repeated_token_although_its_own_write_fails_the_condition() -> None:
    sides = _sides()
    put = {"TableName": ROWS, "Item": _row("a", "E"), "ConditionExpression": "attribute_not_exists(id)"}
    for _ in range(2):
        sides.client.transact_write_items(TransactItems=[{"Put": put}], ClientRequestToken="one")
    with pytest.raises(ClientError, match="ConditionalCheckFailed"):
        sides.client.transact_write_items(TransactItems=[{"Put": put}], ClientRequestToken="two")
    sides.rows.delete_item(Key={"id": "a"})
    sides.client.transact_write_items(TransactItems=[{"Put": put}], ClientRequestToken="two")
    assert sides.catalog.product("E") is not None
    assert not sides.failures()


def test_a_dual_write_does_not_overwrite_a_field_that_another_client_has_changed_meanwhile() -> None:
    sides = _sides()
    sides.catalog.put(Product("E", "n", "E"))
    ranked: list[int] = []

    def change_before(step: Step) -> Steps[Any]:
        if transaction_of(step) is not None and not ranked:
            ranked.append(7)
            sides.catalog.update(key(Product, sku="E"), field(Product, lambda p: p.rank).set(7))
        return (yield step)

    _write(sides, _row("E", "E", "new"), change_before)
    assert ranked == [7]
    assert sides.catalog.product("E") == Product("E", "new", "E", rank=7)


def test_each_dual_write_without_a_conflict_sends_one_transaction() -> None:
    sides = _sides()
    sent: list[Step] = []

    def count_transactions(step: Step) -> Steps[Any]:
        sent.extend([step] if transaction_of(step) is not None else [])
        return (yield step)

    for number in range(1, 5):
        _write(sides, _row("E", "E", f"name {number}"), count_transactions)
        assert len(sent) == number
    assert sides.catalog.product("E") == Product("E", "name 4", "E")


def _write(sides: _Sides, row: dict[str, Any], send: Callable[[Step], Steps[Any]]) -> None:
    """Put a row, and send each step with a function."""
    opened = opened_dual_table(sides.catalog)
    steps = opened.writer_of_both.write("PutItem", {"TableName": ROWS, "Item": row})
    run(with_responses(steps, send), opened.session)


class _Struct(msgspec.Struct, rename={"name": "NAME"}):
    id: str
    name: str


class _Model(pydantic.BaseModel):
    id: str
    name: str = pydantic.Field(alias="NAME")


def _of_struct(row: _Struct) -> Product | LeftOut:
    return Product(row.id, row.name, row.id)


def _struct_of(product: Product) -> _Struct:
    return _Struct(product.sku, product.name)


def _of_model(row: _Model) -> Product | LeftOut:
    return Product(row.id, row.name, row.id)


def _model_of(product: Product) -> _Model:
    return _Model(id=product.sku, NAME=product.name)


@pytest.mark.parametrize(("entity_of", "row_of"), [(_of_struct, _struct_of), (_of_model, _model_of)])
def test_a_renamed_field_of_a_row_class_is_guarded_and_written_by_its_attribute(entity_of: Any, row_of: Any) -> None:
    mapping = Consolidation(Catalog, DynamoDBSource(ROWS, entity_of, row_of)).mappings[0]
    mapped = mapping.mapped({"id": "a", "NAME": "n", "rank": Decimal(1)})
    assert mapped.read is None or mapped.read == {"id", "NAME"}
    assert mapping.row_part(mapped.entities[0].value) == {"id": {"S": "a"}, "NAME": {"S": "n"}}


def test_refresh_of_a_consolidation_needs_a_table_that_it_has_opened() -> None:
    sides = _sides()
    with (
        Catalog.open(Engine("memory:"), create=True) as plain,
        pytest.raises(ArgumentRefused, match=r"open Catalog with Consolidation.open\(\)"),
    ):
        sides.consolidation.refresh(plain)
