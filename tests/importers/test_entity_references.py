"""Notes on references that no partition key contains."""

from __future__ import annotations

from singletable.importers.draft import Draft, DraftEntity, DraftField, DraftKeys, DraftTable
from singletable.importers.entity_references import with_reference_notes


def draft_entity(name: str, partition: str, *fields: str) -> DraftEntity:
    declared = tuple(DraftField(each, "str") for each in fields)
    return DraftEntity(name, declared, {"key": DraftKeys((partition,), ("X",))})


def notes_of(*entities: DraftEntity) -> list[str]:
    tables = tuple(DraftTable(f"{each.class_name}Table", each.class_name, (each,)) for each in entities)
    return [note for table in with_reference_notes(Draft("A shop", tables)).tables for note in table.notes]


def test_a_reference_to_an_entity_of_another_table_that_no_key_contains_adds_a_note() -> None:
    driver = draft_entity("Driver", "DRIVER#{id}", "id")
    customer = draft_entity("CustomerProfile", "CUSTOMER#{id}", "id")
    delivery = draft_entity("Delivery", "DELIVERY#{id}", "id", "driver_id", "customer_id", "batch_id", "delivery_id")
    (note,) = notes_of(driver, customer, delivery)
    assert "Delivery.driver_id, Delivery.customer_id." in note


def test_a_reference_in_a_partition_key_adds_no_note() -> None:
    driver = draft_entity("Driver", "DRIVER#{id}", "id")
    assert notes_of(driver, draft_entity("Delivery", "DRIVER#{driver_id}", "id", "driver_id")) == []


def test_a_field_that_repeats_another_entity_adds_a_note() -> None:
    warehouse = draft_entity("WarehouseProfile", "{warehouse_id}", "warehouse_id", "name")
    user = draft_entity("User", "{user_id}", "user_id", "username", "name")
    shipment = draft_entity("Shipment", "{id}", "id", "warehouse_id", "warehouse_name", "name")
    comment = draft_entity("Comment", "{user_id}#{id}", "id", "user_id", "username")
    notes = [note for note in notes_of(warehouse, user, shipment, comment) if "repeat a field" in note]
    assert ["Shipment.warehouse_name (WarehouseProfile)" in notes[0], "Comment.username (User)" in notes[1]] == [
        True
    ] * 2
    assert len(notes) == 2


def test_a_class_name_without_letters_of_the_alphabet_has_no_references() -> None:
    assert (
        notes_of(draft_entity("ग्राहक", "X#{id}", "id", "user_name"), draft_entity("Item", "Y#{id}", "id", "name")) == []
    )


def test_a_role_without_an_id_in_its_name_is_a_reference() -> None:
    order = draft_entity("Order", "ORDER#{id}", "id", "customer", "total")
    (note,) = notes_of(order)
    assert "Order.customer." in note
    assert notes_of(draft_entity("Order", "CUSTOMER#{customer}", "id", "customer")) == []


def test_a_reference_can_name_the_last_word_of_an_entity() -> None:
    session = draft_entity("PhoneSession", "SESSION#{id}", "id")
    (note,) = notes_of(session, draft_entity("Voucher", "VOUCHER#{id}", "id", "session_id"))
    assert "Voucher.session_id." in note


def test_a_role_or_an_actor_in_a_field_name_is_a_reference_without_its_entity() -> None:
    task = draft_entity("Task", "TASK#{id}", "id", "owner_id", "assigned_to_id", "created_by", "current_driver_id")
    (note,) = notes_of(task, draft_entity("Driver", "DRIVER#{id}", "id"))
    assert "Task.owner_id, Task.assigned_to_id, Task.created_by, Task.current_driver_id." in note


def test_a_reference_behind_a_constant_partition_adds_no_note() -> None:
    keys = {"key": DraftKeys(("PRODUCT",), ("CATEGORY#{category_id}",))}
    fields = tuple(DraftField(each, "str") for each in ("id", "category_id"))
    product = DraftEntity("Product", fields, keys)
    assert notes_of(product, draft_entity("Category", "CATEGORY#{id}", "id")) == []
