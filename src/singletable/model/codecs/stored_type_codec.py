"""Codec for types with a type codec: encodes the stored value of each value with the codec of the stored type."""

from __future__ import annotations

from typing import Any

from singletable.errors import KeyRefused
from singletable.lazy_dataclass import dataclass
from singletable.model.codecs.codec import Codec, SortOrder
from singletable.model.fields import name_of
from singletable.model.regular_language import Language
from singletable.model.type_codecs import NotReadBack, TypeCodec


@dataclass(frozen=True)
class StoredTypeCodec(Codec):
    """Encodes values of a type as the values that its type codec stores; they sort like the stored values."""

    of_type: TypeCodec[Any, Any]
    inner: Codec

    @property
    def language(self) -> Language:
        return self.inner.language

    @property
    def width(self) -> int | None:
        return self.inner.width

    @property
    def order(self) -> SortOrder:
        return self.inner.order

    @property
    def unordered_reason(self) -> str:
        return self.inner.unordered_reason

    @property
    def last_text(self) -> str | None:
        return self.inner.last_text

    @property
    def raw(self) -> bool:
        return self.inner.raw

    @property
    def spans_segments(self) -> bool:
        return self.inner.spans_segments

    def encode(self, value: Any) -> str:
        if not isinstance(value, self.of_type.type):
            raise KeyRefused(f"{value!r} is not a {name_of(self.of_type.type)} for {{field}}")
        try:
            return self.inner.encode(self.of_type.stored_form(value))
        except NotReadBack as problem:
            raise KeyRefused(str(problem)) from problem

    def decode(self, text: str) -> Any:
        stored = self.inner.decode(text)
        try:
            return self.of_type.of(stored)
        except Exception as problem:  # a codec is code of the user
            label = name_of(self.of_type.type)
            raise KeyRefused(f"the codec of {label} cannot read {stored!r}: {problem}") from problem
