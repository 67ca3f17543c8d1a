"""The codec for bool."""

from __future__ import annotations

import pytest

from singletable.errors import KeyRefused
from singletable.model.codecs.boolean_codec import BooleanCodec
from singletable.model.codecs.codec import SortOrder

CODEC = BooleanCodec("#")


@pytest.mark.parametrize(("value", "text"), [(False, "false"), (True, "true")])
def test_a_boolean_codec_writes_true_or_false(value: bool, text: str) -> None:
    assert CODEC.encode(value) == text
    assert CODEC.decode(text) is value


@pytest.mark.parametrize("value", [0, 1, "true", None])
def test_a_boolean_codec_rejects_a_value_that_is_not_a_bool(value: object) -> None:
    with pytest.raises(KeyRefused, match="pass True or False"):
        CODEC.encode(value)


@pytest.mark.parametrize("text", ["", "True", "1", "false "])
def test_a_boolean_codec_rejects_other_texts(text: str) -> None:
    with pytest.raises(KeyRefused, match="expected 'false' or 'true'"):
        CODEC.decode(text)


def test_a_boolean_codec_sorts_false_before_true() -> None:
    assert CODEC.order is SortOrder.ASCENDING
    assert CODEC.domain == (False, True)
    assert CODEC.last_text == "true"
