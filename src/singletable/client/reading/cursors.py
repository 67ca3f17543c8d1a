"""Cursors: signed or encrypted positions of a read, valid for one pattern, its arguments and one table."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import msgspec

from singletable.errors import ArgumentRefused, CursorRefused
from singletable.model.entity import Entity
from singletable.model.key_template import FieldSlot, LiteralText
from singletable.model.keys import KeyPart, Placement, TemplatePart
from singletable.model.table_schema import Index
from singletable.planner.plan import Plan
from singletable.wire.api_types import decoder_of

CursorProtection = Literal["signed", "encrypted"]
CursorSecret = bytes | str | Sequence[bytes | str]
"""A secret, or a list of secrets: the first one protects new cursors, and cursors of the others stay valid."""

VERSION = 1
_SECRET_BYTES_MIN = 16
_SIGNATURE_BYTES = 16
_NONCE_BYTES = 12
_encode = msgspec.json.Encoder(order="deterministic", enc_hook=repr).encode


class CursorPosition(msgspec.Struct, frozen=True, array_like=True):
    """The content of a cursor: the direction, and the position of each Query."""

    version: int
    issued_at: int
    backwards: bool
    positions: list[dict[str, Any] | bool | None]
    key_form: str
    """The fingerprint of the templates that made the keys of the positions."""


_decode = decoder_of(CursorPosition).decode
_FORM_CHARACTERS = 8
_OTHER_RELEASE = "the cursor was issued by another release of singletable; request the first page again"


def key_form(plan: Plan, table: Index) -> str:
    """Return the fingerprint of the templates that make the keys of a plan's items.

    It contains no field names, so a renamed field leaves the cursors valid.
    """
    forms = sorted(
        [_part_form(part) for placement in _placements(plan, entity) for part in placement.parts]
        for entity in (*plan.entities, *plan.other_entities)
    )
    names = [*plan.index.key_attributes, *table.key_attributes]
    return hashlib.sha256(_encode([names, forms])).hexdigest()[:_FORM_CHARACTERS]


def _placements(plan: Plan, entity: Entity) -> list[Placement]:
    found = entity.placements.get(plan.index.alias)
    return [entity.base] if found is None or plan.index.is_table else [found, entity.base]


def _part_form(part: KeyPart) -> list[str]:
    if not isinstance(part, TemplatePart):
        return [part.type]
    return [
        each.text if isinstance(each, LiteralText) else each.spec if isinstance(each, FieldSlot) else each.derived.label
        for each in part.template.parts
    ]


class CursorSignature:
    """Signs positions. The holder of a cursor can read the keys in it, but cannot change them."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def protect(self, call: bytes, position: bytes) -> bytes:
        """Return the signature, followed by the position."""
        return self._signature(call, position) + position

    def open(self, call: bytes, content: bytes) -> bytes | None:
        """Return the position, or None if the signature does not match."""
        signature, position = content[:_SIGNATURE_BYTES], content[_SIGNATURE_BYTES:]
        return position if hmac.compare_digest(signature, self._signature(call, position)) else None

    def _signature(self, call: bytes, position: bytes) -> bytes:
        return hmac.digest(self._secret, call + position, hashlib.sha256)[:_SIGNATURE_BYTES]


class CursorEncryption:
    """Encrypts positions with AES-256-GCM. The holder of a cursor cannot read the keys in it."""

    def __init__(self, secret: bytes) -> None:
        try:
            from cryptography.hazmat.primitives.ciphers.aead import AESGCM
        except ImportError as problem:
            raise ArgumentRefused(
                'cursors="encrypted" needs the package cryptography; install it with pip install "singletable[cursors]"'
            ) from problem
        # Encryption derives its own key, so the same secret can be used for signing and for encryption.
        self._cipher = AESGCM(hmac.digest(secret, b"singletable cursor encryption", hashlib.sha256))

    def protect(self, call: bytes, position: bytes) -> bytes:
        """Return a random nonce, followed by the encrypted position."""
        nonce = secrets.token_bytes(_NONCE_BYTES)
        return nonce + self._cipher.encrypt(nonce, position, call)

    def open(self, call: bytes, content: bytes) -> bytes | None:
        """Return the position, or None if it was not encrypted with this secret for this call."""
        from cryptography.exceptions import InvalidTag

        try:
            return self._cipher.decrypt(content[:_NONCE_BYTES], content[_NONCE_BYTES:], call)
        except (InvalidTag, ValueError):  # ValueError means that the nonce is too short
            return None


_PROTECTIONS: Mapping[str, Callable[[bytes], CursorSignature | CursorEncryption]] = {
    "signed": CursorSignature,
    "encrypted": CursorEncryption,
}


class Cursors:
    """Creates and reads the cursors of one table, with the user's secrets or a random secret of this process."""

    def __init__(
        self,
        secret: CursorSecret | None,
        *,
        seconds: float | None,
        now: Callable[[], float],
        table: str = "",
        protection: CursorProtection = "signed",
    ) -> None:
        if protection not in _PROTECTIONS:
            raise ArgumentRefused(f'cursors must be "signed" or "encrypted", got {protection!r}')
        self._protections = [_PROTECTIONS[protection](each) for each in _secrets(secret)]
        self._table = table
        self._seconds = seconds
        self._now = now

    def encode(
        self,
        pattern: str,
        arguments: Mapping[str, Any],
        positions: list[dict[str, Any] | bool | None],
        *,
        key_form: str,
        backwards: bool = False,
    ) -> str:
        """Return the cursor of a position. `key_form` is the fingerprint of the templates of its keys."""
        position = msgspec.json.encode(CursorPosition(VERSION, int(self._now()), backwards, positions, key_form))
        return _as_text(self._protections[0].protect(self._call(pattern, arguments), position))

    def decode(self, pattern: str, arguments: Mapping[str, Any], text: str) -> CursorPosition:
        """Return the position of a cursor.

        Raise CursorRefused unless it was issued for this pattern and these arguments.
        """
        try:
            content = base64.urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))
        # AttributeError means that the cursor is not a string
        except (binascii.Error, UnicodeEncodeError, ValueError, AttributeError):
            raise CursorRefused(f"{pattern}: malformed cursor") from None
        if _as_text(content) != text:  # the base64 decoder ignores unknown characters
            raise CursorRefused(f"{pattern}: the cursor was modified")
        call = self._call(pattern, arguments)
        opened = (protection.open(call, content) for protection in self._protections)
        body = next((each for each in opened if each is not None), None)
        if body is None:
            raise CursorRefused(
                f"{pattern}: the cursor was modified, or issued for another pattern, other arguments, another table "
                "or another secret"
            )
        try:
            position = _decode(body)
        except msgspec.MsgspecError:
            raise CursorRefused(f"{pattern}: {_OTHER_RELEASE}") from None
        if position.version != VERSION:
            raise CursorRefused(f"{pattern}: {_OTHER_RELEASE}")
        if self._seconds is not None and self._now() - position.issued_at > self._seconds:
            raise CursorRefused(f"{pattern}: the cursor has expired; request the first page again")
        return position

    def _call(self, pattern: str, arguments: Mapping[str, Any]) -> bytes:
        """Return the hash to which a cursor is bound: of the table, the pattern and the arguments."""
        values = {name: _stable(value) for name, value in arguments.items()}
        return hashlib.sha256(_encode([self._table, pattern, values])).digest()


def _secrets(given: CursorSecret | None) -> list[bytes]:
    """Return the secrets as bytes, or one random secret if the user passes none."""
    if given is None:
        return [secrets.token_bytes(32)]
    several = [given] if isinstance(given, bytes | str) else list(given)
    found = [each.encode() if isinstance(each, str) else each for each in several]
    if not found:
        raise ArgumentRefused("secret is an empty list; pass at least one secret, the newest first")
    if any(len(each) < _SECRET_BYTES_MIN for each in found):
        raise ArgumentRefused(
            f"a cursor secret must have at least {_SECRET_BYTES_MIN} bytes; secrets.token_bytes(32) creates one"
        )
    return found


def _as_text(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def _stable(value: Any) -> Any:
    """Return a text for an argument. The text is the same in every process, and different for each value."""
    return value if isinstance(value, str | int | bool) else [type(value).__name__, repr(value)]
