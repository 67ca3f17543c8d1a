"""Binary values: base64 text in DynamoDB's JSON, bytes in keys and sizes."""

from __future__ import annotations

from binascii import a2b_base64

BASE64_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

# The last character before the padding says less than six bits; DynamoDB refuses it when the rest is not zero. So every
# byte string has one text, and binaries are equal when their texts are.
LAST_BEFORE_PADDING = {"=": frozenset(BASE64_ALPHABET[::4]), "==": frozenset(BASE64_ALPHABET[::16])}


def binary_bytes(text: str) -> bytes:
    """What base64 text stands for; ValueError for any text that DynamoDB does not take as base64."""
    if len(text) % 4:
        raise ValueError("base64 comes in fours")
    content = a2b_base64(text.encode("ascii"), strict_mode=True)
    if text.endswith("="):
        body = text.rstrip("=")
        if body[-1:] not in LAST_BEFORE_PADDING.get(text[len(body) :], ()):
            raise ValueError("bits are set that belong to no byte")
    return content


def binary_size(accepted: str) -> int:
    """How many bytes an accepted text stands for, told from its length."""
    return len(accepted) // 4 * 3 - accepted.count("=", -2)
