"""Text between double quotes, as YAML, Python and (with its own rule for templates) Terraform read it."""

from __future__ import annotations

_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def quoted(text: str) -> str:
    """The text as a literal that all three read the same way; what does not print is written by its number."""
    return f'"{"".join(_written(character) for character in text)}"'


def _written(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
