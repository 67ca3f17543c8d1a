"""Codec for `bool`: `false` and `true`."""

from __future__ import annotations

from typing import Any

from singletable.errors import KeyRefused
from singletable.lazy_dataclass import dataclass
from singletable.model.codecs.codec import Codec
from singletable.model.regular_language import Language, any_of

_TEXTS = {False: "false", True: "true"}


@dataclass(frozen=True)
class BooleanCodec(Codec):
    """Encodes a `bool`."""

    @property
    def language(self) -> Language:
        return any_of(_TEXTS.values())

    @property
    def last_text(self) -> str:
        return _TEXTS[True]

    @property
    def domain(self) -> tuple[bool, bool]:
        return (False, True)

    def encode(self, value: Any) -> str:
        if not isinstance(value, bool):
            raise KeyRefused(f"{value!r} is not a bool for {{field}}; pass True or False")
        return _TEXTS[value]

    def decode(self, text: str) -> bool:
        if text not in _TEXTS.values():
            raise KeyRefused(f"{text!r} is not the text of a bool for {{field}}; expected 'false' or 'true'")
        return text == _TEXTS[True]
