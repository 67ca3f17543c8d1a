"""Cursors: each position has exactly one text, and different arguments have different cursors."""

from __future__ import annotations

import base64
import sys
from typing import Any

import msgspec
import pytest

from singletable import ArgumentRefused, CursorRefused
from singletable.client.reading.cursors import CursorProtection, Cursors

CURSORS = Cursors("s" * 32, seconds=None, now=lambda: 0.0)
CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


@pytest.mark.parametrize("sort", ["a", "ab", "abc"])
def test_pagination_has_exactly_one_cursor_for_a_position(sort: str) -> None:
    text = CURSORS.encode("orders", {}, [{"SK": {"S": sort}}], key_form="form")
    assert CURSORS.decode("orders", {}, text).positions == [{"SK": {"S": sort}}]
    others = [text[:-1] + each for each in CHARACTERS if each != text[-1]]
    for changed in (*others, text + "\n", text + "=", text[:7] + "!!!!" + text[7:], text + "\n\n\n\n", f" {text}"):
        with pytest.raises(CursorRefused):
            CURSORS.decode("orders", {}, changed)


def test_pagination_cursors_distinguish_none_from_its_repr() -> None:
    text = CURSORS.encode("orders", {"status": None}, [True], key_form="form")
    assert CURSORS.decode("orders", {"status": None}, text).positions == [True]
    for other in ("NoneType None", "None", ""):
        with pytest.raises(CursorRefused):
            CURSORS.decode("orders", {"status": other}, text)


@pytest.mark.parametrize("position", [[1, 0, False, [None]], [2, 0, False, [None], "form"]], ids=["form", "version"])
def test_pagination_rejects_a_cursor_of_another_release(position: list[object]) -> None:
    body = CURSORS._protections[0].protect(CURSORS._call("orders", {}), msgspec.json.encode(position))
    text = base64.urlsafe_b64encode(body).rstrip(b"=").decode()
    with pytest.raises(CursorRefused, match="issued by another release of singletable"):
        CURSORS.decode("orders", {}, text)


OLD, NEW = "o" * 32, b"n" * 32
POSITION: list[dict[str, Any] | bool | None] = [{"PK": {"S": "CUST#ada@example.com"}}]
both = pytest.mark.parametrize("protection", ["signed", "encrypted"])


def cursors(secret: Any, protection: CursorProtection, table: str = "shop") -> Cursors:
    return Cursors(secret, seconds=None, now=lambda: 0.0, table=table, protection=protection)


@both
def test_cursors_of_an_old_secret_stay_valid_until_it_is_removed(protection: CursorProtection) -> None:
    issued = cursors(OLD, protection).encode("orders", {"id": 1}, POSITION, key_form="form")
    rotated = cursors([NEW, OLD], protection)
    assert rotated.decode("orders", {"id": 1}, issued).positions == POSITION
    newer = rotated.encode("orders", {"id": 1}, POSITION, key_form="form")
    assert cursors(NEW, protection).decode("orders", {"id": 1}, newer).positions == POSITION
    for secret, text in ((NEW, issued), (OLD, newer)):
        with pytest.raises(CursorRefused, match="another secret"):
            cursors(secret, protection).decode("orders", {"id": 1}, text)


@both
def test_cursors_are_bound_to_the_pattern_the_arguments_and_the_table(protection: CursorProtection) -> None:
    text = cursors(OLD, protection).encode("orders", {"id": 1}, POSITION, key_form="form")
    for table, pattern, identity in (("shop", "orders", 2), ("shop", "items", 1), ("staging", "orders", 1)):
        with pytest.raises(CursorRefused, match="another pattern, other arguments, another table"):
            cursors(OLD, protection, table).decode(pattern, {"id": identity}, text)


@both
def test_cursors_with_a_changed_byte_are_rejected(protection: CursorProtection) -> None:
    text = cursors(OLD, protection).encode("orders", {}, POSITION, key_form="form")
    content = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    for place in range(len(content)):
        changed = content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]
        with pytest.raises(CursorRefused):
            cursors(OLD, protection).decode("orders", {}, base64.urlsafe_b64encode(changed).rstrip(b"=").decode())
    for short in ("", "AAAA", text[:20]):
        with pytest.raises(CursorRefused):
            cursors(OLD, protection).decode("orders", {}, short)


def test_encrypted_cursors_hide_the_keys_and_never_repeat() -> None:
    encrypted = cursors(OLD, "encrypted")
    first, second = (encrypted.encode("orders", {}, POSITION, key_form="form") for _ in range(2))
    assert first != second
    assert b"ada@example" not in base64.urlsafe_b64decode(first + "=" * (-len(first) % 4))
    signed = cursors(OLD, "signed").encode("orders", {}, POSITION, key_form="form")
    assert b"ada@example" in base64.urlsafe_b64decode(signed + "=" * (-len(signed) % 4))
    with pytest.raises(CursorRefused):
        encrypted.decode("orders", {}, signed)
    with pytest.raises(CursorRefused):
        cursors(OLD, "signed").decode("orders", {}, first)


def test_cursors_reject_short_secrets_and_unknown_protections() -> None:
    with pytest.raises(ArgumentRefused, match="at least 16 bytes"):
        cursors([OLD, "short"], "signed")
    with pytest.raises(ArgumentRefused, match="at least one secret"):
        cursors([], "signed")
    with pytest.raises(ArgumentRefused, match='must be "signed" or "encrypted"'):
        cursors(OLD, "secret")  # type: ignore[arg-type]  # the mistake


def test_encrypted_cursors_name_the_missing_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.ciphers.aead", None)
    with pytest.raises(ArgumentRefused, match=r"pip install \"singletable\[cursors\]\""):
        cursors(OLD, "encrypted")
