from __future__ import annotations

from examples.commerce.model import Commerce
from singletable.studio.key_pieces import KeyPiece, key_texts, place_texts

ORDER = {"PK": {"S": "USER#a%23b"}, "SK": {"S": "ORDER#2026-05-03T20:05:30Z#B7"}}


def test_a_stored_key_is_split_into_literals_and_field_values() -> None:
    order, table = Commerce.design.entities[1], Commerce.design.table
    assert key_texts(ORDER, table.partition, order, table) == (KeyPiece("USER#"), KeyPiece("a%23b", "user_id", "a#b"))
    assert key_texts(ORDER, table.sort, order, table) == (
        KeyPiece("ORDER#"),
        KeyPiece("2026-05-03T20:05:30Z", "placed_at", "2026-05-03 20:05:30"),
        KeyPiece("#"),
        KeyPiece("B7", "id"),
    )


def test_the_pieces_of_a_key_are_its_text() -> None:
    order, table = Commerce.design.entities[1], Commerce.design.table
    for attribute in (*table.partition, *table.sort):
        pieces = key_texts(ORDER, (attribute,), order, table)
        assert "".join(piece.text for piece in pieces) == ORDER[attribute.name]["S"]


def test_a_key_that_matches_no_template_is_split_at_its_first_delimiter() -> None:
    order, table = Commerce.design.entities[1], Commerce.design.table
    item = {"PK": {"S": "GHOST#1#2"}, "SK": {"S": "lower#1"}}
    assert key_texts(item, table.partition, order, table) == (KeyPiece("GHOST#"), KeyPiece("1#2", "value"))
    assert key_texts(item, table.sort, None, table) == (KeyPiece("lower#1", "value"),)


def test_key_pieces_make_control_characters_visible() -> None:
    table = Commerce.design.table
    item = {"PK": {"S": "a\x00b\n"}, "SK": {"S": "x"}}
    assert key_texts(item, table.partition, None, table) == (KeyPiece("a␀b␊", "value"),)


def test_key_pieces_of_a_template_show_its_fields_in_braces() -> None:
    order = Commerce.design.entities[1]
    assert [piece.text for piece in place_texts(order.base.sort)] == ["ORDER#", "{placed_at:seconds}", "#", "{id}"]
