"""Declared names take precedence over coincidences, and a choice between equal fields adds a note."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from singletable.importers.draft import DraftIndex, DraftKeys, DraftTable
from singletable.importers.live.inference import inferred_entities
from singletable.importers.live.sampled_table import SampledTable


def items(*rows: dict[str, str]) -> tuple[dict[str, Any], ...]:
    return tuple({name: {"S": text} for name, text in row.items()} for row in rows)


ORDERS = items(
    {"PK": "ORDER#1", "SK": "ORDER", "id": "1", "copy_of_id": "1", "type": "book"},
    {"PK": "ORDER#2", "SK": "ORDER", "id": "2", "copy_of_id": "2", "type": "toy"},
)


def test_a_key_segment_equal_to_two_fields_adds_a_note_that_names_both() -> None:
    draft = inferred_entities(SampledTable("Shop", ("PK", "SK"), (), ORDERS))
    (entity,) = draft.entities
    assert entity.keys["key"].partition == ("ORDER#{id}",)
    assert "Order: PK: {id} could also be copy_of_id: id and copy_of_id are equal in all items." in draft.notes


def test_a_field_named_after_the_key_literal_is_preferred_without_a_note() -> None:
    rows = items(*({"PK": f"ORDER#{n}", "SK": "ORDER", "number": n, "orderId": n} for n in ("1", "2")))
    draft = inferred_entities(SampledTable("Shop", ("PK", "SK"), (), rows))
    assert draft.entities[0].keys["key"].partition == ("ORDER#{order_id}",)
    assert not any("could also be" in note for note in draft.notes)


def test_a_template_that_one_row_contradicts_is_not_inferred() -> None:
    rows = (*ORDERS, *items({"PK": "ORDER#3", "SK": "ORDER", "id": "4", "copy_of_id": "5", "type": "toy"}))
    draft = inferred_entities(SampledTable("Shop", ("PK", "SK"), (), rows))
    assert draft.entities[0].keys["key"].partition == ("ORDER#{order_id}",)


def test_declared_kinds_in_key_templates_take_precedence_over_an_attribute_named_type() -> None:
    table = SampledTable("Shop", ("PK", "SK"), (), ORDERS, kinds=("Purchase", "Purchase"))
    draft = inferred_entities(table)
    assert draft.type_attribute is None
    assert [each.class_name for each in draft.entities] == ["Purchase"]
    assert "type" in {each.name for each in draft.entities[0].fields}


def test_a_declared_alias_names_the_field_in_a_key_template() -> None:
    rows = items({"PK": "a1", "SK": "ORDER"}, {"PK": "b2", "SK": "ORDER"})
    aliases = {"Purchase": {"PK": "purchaseNumber"}}
    draft = inferred_entities(SampledTable("Shop", ("PK", "SK"), (), rows, kinds=("Purchase",) * 2, aliases=aliases))
    assert draft.entities[0].keys["key"].partition == ("{purchase_number}",)


def test_a_declared_key_template_that_the_rows_contradict_adds_a_note() -> None:
    templates = {"Purchase": {"PK": "ORDER#${id}", "SK": "LINE#${id}"}}
    table = SampledTable("Shop", ("PK", "SK"), (), ORDERS, kinds=("Purchase",) * 2, templates=templates)
    draft = inferred_entities(table)
    assert draft.entities[0].keys["key"].partition == ("ORDER#{id}",)
    (note,) = (each for each in draft.notes if "declared template" in each)
    assert "LINE#${id} of SK" in note


def test_a_type_attribute_in_a_template_becomes_a_literal() -> None:
    rows = items(*({"PK": f"{n}", "SK": f"sale#{n}", "_type": "sale", "no": n} for n in ("1", "2")))
    table = SampledTable(
        "Shop", ("PK", "SK"), (), rows, templates={"sale": {"SK": "${_type}#${no}"}}, kinds=("sale",) * 2
    )
    assert inferred_entities(table).entities[0].keys["key"].sort == ("sale#{no}",)


def test_a_prefix_before_a_colon_is_a_literal_of_the_key_template_and_separates_entities() -> None:
    rows = items(
        *({"PK": f"User:{name}", "SK": f"d{name}", "text": "Hi"} for name in ("u1", "u2")),
        *({"PK": f"Room:{name}", "SK": "meta", "owner": name} for name in ("r1", "r2")),
    )
    user, room = inferred_entities(SampledTable("Chat", ("PK", "SK"), (), rows)).entities
    assert (user.class_name, user.keys["key"].partition) == ("User", ("User:{user_id}",))
    assert (room.class_name, room.keys["key"].partition) == ("Room", ("Room:{owner}",))


def test_a_web_address_and_a_title_with_a_colon_have_no_prefix_in_key_templates() -> None:
    rows = items({"PK": "https://a", "SK": "Alien: Covenant"}, {"PK": "ftp://b", "SK": "Dune: Part Two"})
    (entity,) = inferred_entities(SampledTable("Pages", ("PK", "SK"), (), rows)).entities
    assert entity.keys["key"].partition[0] in ("{part}", "{part:raw}")


def test_equal_ids_after_different_literals_are_two_fields_of_the_key_template_unless_items_agree() -> None:
    """In samples, the order 12345 often belongs to the customer 12345."""
    rows = [{"PK": f"o#{n}", "SK": f"p#{n}{n}", "GSI1PK": f"c#{n}", "GSI1SK": f"p#{n}{n}"} for n in ("17", "23", "42")]
    index = DraftIndex("gsi1", "GSI1", "GSI", ("GSI1PK",), ("GSI1SK",))
    few = inferred_entities(SampledTable("Shop", ("PK", "SK"), (index,), items(*rows[:2])))
    assert few.entities[0].keys["gsi1"] == DraftKeys(("c#{c_id}",), ("p#{p_id}",))
    assert any("GSI1PK: {c_id} could also be o_id" in note for note in few.notes)
    several = inferred_entities(SampledTable("Shop", ("PK", "SK"), (index,), items(*rows)))
    assert several.entities[0].keys["gsi1"] == DraftKeys(("c#{o_id}",), ("p#{p_id}",))


def test_a_key_template_turns_a_constant_after_the_name_of_its_field_into_the_field() -> None:
    """Every sampled order is pending, so STATUS#PENDING would put all orders into one partition."""
    index = DraftIndex("gsi1", "GSI1", "GSI", ("GSI1PK",), ("GSI1SK",))
    rows = [
        {"PK": f"ORDER#{n}", "SK": "ORDER", "GSI1PK": "ORDER#STATUS#PENDING", "GSI1SK": n, "status": "PENDING"}
        for n in ("1", "2")
    ]
    (entity,) = inferred_entities(SampledTable("Shop", ("PK", "SK"), (index,), items(*rows))).entities
    assert entity.keys["gsi1"].partition == ("ORDER#STATUS#{status}",)


def test_a_key_template_names_a_partition_that_identifies_an_item_after_the_entity() -> None:
    rows = items({"PK": "C1", "SK": "A", "type": "customer"}, {"PK": "C2", "SK": "A", "type": "customer"})
    (entity,) = inferred_entities(SampledTable("Bank", ("PK", "SK"), (), rows, kinds=("customer",) * 2)).entities
    assert (entity.keys["key"], entity.identity) == (DraftKeys(("{customer_id}",), ("A",)), None)


def test_a_named_part_of_a_key_that_differs_from_its_field_adds_a_note() -> None:
    rows = items(
        {"ID": "1", "Status#Date": "OPEN#d1", "Status": "PAID"}, {"ID": "2", "Status#Date": "A#d2", "Status": "A"}
    )
    draft = inferred_entities(SampledTable("Carts", ("ID", "Status#Date"), (), rows))
    assert draft.entities[0].keys["key"].sort == ("{status_2}#{date}",)
    (note,) = (each for each in draft.notes if "differs" in each)
    assert "Status in Status#Date differs from status in 1 of 2 items" in note


def messages(*created: str, keys: Sequence[str] = ("1", "2", "3", "4"), name: str = "created_at") -> DraftTable:
    rows = [
        {"PK": "User:a", "SK": f"2024-01-0{key}T10:00:00.001Z", name: f"2024-01-0{time}T10:00:00.001Z"}
        for key, time in zip(keys, created, strict=True)
    ]
    return inferred_entities(SampledTable("Chat", ("PK", "SK"), (), items(*rows)))


def test_a_field_that_most_keys_contain_is_in_the_template_and_a_note_names_the_others() -> None:
    draft = messages("1", "2", "3", "9")
    assert draft.entities[0].keys["key"].sort == ("{created_at}",)
    assert any("in 3 of 4 items" in note and "SK=2024-01-04T10:00:00.001Z" in note for note in draft.notes)


@pytest.mark.parametrize(
    ("created", "keys", "name"),
    [
        (("1", "2", "8", "9"), ("1", "2", "3", "4"), "created_at"),  # half of the items prove nothing
        (("1", "1", "1", "9"), ("1", "1", "1", "4"), "created_at"),  # one value can be equal by chance
        (("1", "2", "3", "9"), ("1", "2", "3", "4"), "updated_at"),  # it equals the key until the first change
    ],
)
def test_a_field_that_is_not_clearly_in_the_key_is_not_in_the_template(
    created: tuple[str, ...], keys: tuple[str, ...], name: str
) -> None:
    draft = messages(*created, keys=keys, name=name)
    assert draft.entities[0].keys["key"].sort == ("{timestamp}",)


def test_a_partition_of_one_character_is_a_literal_of_the_key_template() -> None:
    index = DraftIndex("gsi1", "GSI1", "GSI", ("GSI1PK",), ("GSI1SK",))
    rows = items(*({"PK": f"CALL#{n}", "SK": "CALL", "GSI1PK": "0", "GSI1SK": f"t{n}"} for n in ("1", "2")))
    (entity,) = inferred_entities(SampledTable("Calls", ("PK", "SK"), (index,), rows)).entities
    assert entity.keys["gsi1"].partition == ("0",)


def test_a_key_template_keeps_a_separator_that_is_missing_after_a_number() -> None:
    rows = items(*({"PK": f"P#{n}", "SK": f"C#{n}P#{n}", "categoryId": n, "productId": n} for n in ("1", "2", "13")))
    draft = inferred_entities(SampledTable("Shop", ("PK", "SK"), (), rows))
    assert draft.entities[0].keys["key"].sort == ("C#{category_id}P#{product_id}",)


def test_a_key_template_whose_alias_has_another_literal_than_the_rows_adds_a_note() -> None:
    rows = items({"PK": "p1", "SK": "#METADATA#p1"}, {"PK": "p2", "SK": "#METADATA#p2"})
    aliases = {"Player": {"SK": "#METEDATA#playerId"}}
    draft = inferred_entities(SampledTable("Game", ("PK", "SK"), (), rows, kinds=("Player",) * 2, aliases=aliases))
    assert any(
        "the document declares SK as #METEDATA#playerId, but the items contain #METADATA#" in note
        for note in draft.notes
    )


def test_a_key_template_does_not_make_items_in_the_partition_of_a_user_users() -> None:
    rows = items(*({"PK": f"User:{user}", "SK": f"2024-01-0{day}T10:00:00Z"} for user in "ab" for day in (1, 2)))
    draft = inferred_entities(SampledTable("Chat", ("PK", "SK"), (), rows))
    assert [each.class_name for each in draft.entities] == ["UserItem"]
    alone = inferred_entities(SampledTable("Chat", ("PK", "SK"), (), (rows[0], rows[2])))
    assert [each.class_name for each in alone.entities] == ["User"]


CUSTOMERS = items(
    {"PK": "CUS#1", "SK": "CUS#1", "name": "Ada"},
    {"PK": "CUS#2", "SK": "CUS#2", "name": "Bob"},
    {"PK": "CUST#3", "SK": "CUS#3", "name": "Eve"},
)


def test_a_misspelt_literal_in_a_key_template_adds_a_note_and_no_entity() -> None:
    draft = inferred_entities(SampledTable("Shop", ("PK", "SK"), (), CUSTOMERS))
    assert [each.keys["key"].partition for each in draft.entities] == [("CUS#{cus_id}",)]
    assert any("PK is probably misspelt in some items: 'CUST#3', probably 'CUS#3'" in note for note in draft.notes)


def test_a_similar_literal_of_items_with_other_attributes_is_a_key_template_of_another_entity() -> None:
    rows = (*CUSTOMERS[:2], *items({"PK": "CUST#3", "SK": "CUST#3", "street": "Main", "city": "Ulm", "floor": "2"}))
    draft = inferred_entities(SampledTable("Shop", ("PK", "SK"), (), rows))
    assert len(draft.entities) == 2
    assert not any("misspelt" in note for note in draft.notes)


def test_spaces_around_a_key_add_a_note() -> None:
    rows = (*CUSTOMERS[:2], *items({"PK": " CUS#3", "SK": "CUS#3", "name": "Eve"}))
    draft = inferred_entities(SampledTable("Shop", ("PK", "SK"), (), rows))
    assert len(draft.entities) == 1
    assert any("' CUS#3', probably 'CUS#3'" in note for note in draft.notes)


def test_an_empty_index_key_adds_a_note_and_is_no_field() -> None:
    index = DraftIndex("gsi1", "GSI1", "GSI", ("GSI1PK",), ("GSI1SK",), "ALL", ())
    rows = items(
        {"PK": "A#1", "SK": "A", "GSI1PK": "", "GSI1SK": ""}, {"PK": "A#2", "SK": "A", "GSI1PK": "", "GSI1SK": ""}
    )
    draft = inferred_entities(SampledTable("Shop", ("PK", "SK"), (index,), rows))
    assert [field.name for field in draft.entities[0].fields] == ["a_id"]
    assert any("GSI1PK (2 items), GSI1SK (2 items)" in note for note in draft.notes)


def test_a_key_template_with_a_copied_attribute_of_the_parent_adds_a_note() -> None:
    rows = items(
        {"PK": "ORDER#7", "SK": "ORDER", "customer": "CUS#1", "name": "Ada"},
        {"PK": "ORDER#8", "SK": "ORDER", "customer": "CUS#2", "name": "Bob"},
    )
    draft = inferred_entities(SampledTable("Shop", ("PK", "SK"), (), (*CUSTOMERS[:2], *rows)))
    (note,) = (each for each in draft.notes if "copies in sync" in each)
    assert note.startswith("ORDER.name repeats CUS.name")


def test_an_index_by_an_attribute_that_equals_the_table_key_adds_a_note() -> None:
    index = DraftIndex("by_session", "by-session", "GSI", ("sessionId",), (), "ALL", ())
    rows = items({"id": "1", "sk": "S", "sessionId": "1"}, {"id": "2", "sk": "S", "sessionId": "2"})
    draft = inferred_entities(SampledTable("Talks", ("id", "sk"), (index,), rows))
    assert any("The index by-session is probably redundant: sessionId equals id" in note for note in draft.notes)
    other = items({"id": "1", "sk": "S", "sessionId": "2"}, {"id": "2", "sk": "S", "sessionId": "2"})
    draft = inferred_entities(SampledTable("Talks", ("id", "sk"), (index,), other))
    assert not any("redundant" in note for note in draft.notes)


def test_an_upper_case_code_in_a_key_template_is_a_value_if_other_items_have_other_values() -> None:
    rows = items(
        {"PK": "CUSTOMER#XYQ", "SK": "CUSTOMER#XYQ"},
        {"PK": "CUSTOMER#VLD", "SK": "CUSTOMER#VLD"},
        {"PK": "CUSTOMER#XYQ", "SK": "QUESTION#1"},
        {"PK": "CUSTOMER#XYQ", "SK": "QUESTION#2"},
    )
    draft = inferred_entities(SampledTable("Shop", ("PK", "SK"), (), rows))
    assert [each.keys["key"].partition for each in draft.entities] == [("CUSTOMER#{customer_id}",)] * 2


def test_the_misspelt_name_of_an_entity_in_a_key_template_adds_a_note_and_no_entity() -> None:
    rows = items(
        *({"PK": f"ORDER#{n}", "SK": f"PROD#{n}", "Type": kind} for n, kind in (("1", "ITEM"), ("2", "ITEMS")))
    )
    draft = inferred_entities(SampledTable("Shop", ("PK", "SK"), (), rows))
    assert (draft.type_attribute, len(draft.entities)) == ("Type", 1)
    assert any("Type is probably misspelt in some items: 'ITEMS', probably 'ITEM'" in note for note in draft.notes)


def test_a_value_after_a_literal_is_a_value_in_other_key_templates_too() -> None:
    """Each name stands alone in a sort key, but `USER#ada` and `USER#bob` show that it is the id of a user."""
    rows = [{"PK": f"USER#{name}", "SK": "META"} for name in ("ada", "bob")]
    rows += [{"PK": f"m{name}1#ATTENDEES", "SK": name, "seat": "1"} for name in ("ada", "bob")]
    draft = inferred_entities(SampledTable("Meetings", ("PK", "SK"), (), items(*rows)))
    assert [str(each.keys["key"]) for each in draft.entities] == [
        str(DraftKeys(("USER#{user_id}",), ("META",))),
        str(DraftKeys(("{part}#ATTENDEES",), ("{user_id}",))),
    ]


def test_a_value_in_a_key_template_is_named_after_its_map_member_or_its_form() -> None:
    rows: list[dict[str, dict[str, Any]]] = [
        {
            "PK": {"S": f"USER#{number}"},
            "SK": {"S": f"USER#name{number}"},
            "GSI1PK": {"S": f"USER#u{number}@example.com"},
            "GSI1SK": {"S": "USER#n"},
            "data": {"M": {"userId": {"S": str(number)}, "login": {"S": f"name{number}"}}},
        }
        for number in (11, 12)
    ]
    index = DraftIndex("gsi1", "GSI1", "GSI", ("GSI1PK",), ("GSI1SK",))
    (entity,) = inferred_entities(SampledTable("Users", ("PK", "SK"), (index,), tuple(rows))).entities
    assert entity.keys["key"] == DraftKeys(("USER#{user_id}",), ("USER#{login}",))
    assert entity.keys["gsi1"] == DraftKeys(("USER#{email}",), ("USER#{user_letter}",))
