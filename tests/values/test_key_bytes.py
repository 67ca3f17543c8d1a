"""Keys as bytes, and the order they have as values."""

from __future__ import annotations

import base64
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from singletable.values.key_bytes import key_bytes
from singletable.values.number import canonical_number
from tests.values.generated import numbers


def test_a_key_is_written_by_its_type() -> None:
    assert key_bytes("S", "é") == b"\xc3\xa9"
    assert key_bytes("N", "1.5") == b"\x03\x82\x15"
    assert key_bytes("B", "AP8=") == b"\x00\xff"


@given(st.text(), st.text())
def test_texts_sort_by_their_utf8(one: str, other: str) -> None:
    assert (key_bytes("S", one) < key_bytes("S", other)) == (one.encode() < other.encode())
    assert (key_bytes("S", one) == key_bytes("S", other)) == (one == other)


@given(st.binary(max_size=6), st.binary(max_size=6))
def test_binaries_sort_by_their_unsigned_bytes(one: bytes, other: bytes) -> None:
    texts = [base64.b64encode(content).decode() for content in (one, other)]
    assert (key_bytes("B", texts[0]) < key_bytes("B", texts[1])) == (one < other)
    assert (key_bytes("B", texts[0]) == key_bytes("B", texts[1])) == (one == other)


@given(st.lists(numbers(), max_size=20))
def test_numbers_sort_by_their_value(drawn: list[Decimal]) -> None:
    texts = [canonical_number(str(number)) for number in sorted(set(drawn))]
    assert texts == sorted(texts, key=lambda text: key_bytes("N", text))
