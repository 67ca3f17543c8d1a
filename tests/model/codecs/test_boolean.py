"""Truth values: two texts and no others."""

from __future__ import annotations

import pytest

from singletable.errors import KeyRefused
from singletable.model.codecs.boolean import BooleanCodec
from singletable.model.codecs.codec import Order

CODEC = BooleanCodec("#")


@pytest.mark.parametrize(("value", "text"), [(False, "false"), (True, "true")])
def test_a_truth_value_is_a_word(value: bool, text: str) -> None:
    assert CODEC.encode(value) == text
    assert CODEC.decode(text) is value


@pytest.mark.parametrize("value", [0, 1, "true", None])
def test_what_is_no_truth_value_is_refused(value: object) -> None:
    with pytest.raises(KeyRefused, match="pass True or False"):
        CODEC.encode(value)


@pytest.mark.parametrize("text", ["", "True", "1", "false "])
def test_another_word_is_refused(text: str) -> None:
    with pytest.raises(KeyRefused, match="it is 'false' or 'true'"):
        CODEC.decode(text)


def test_false_sorts_before_true() -> None:
    assert CODEC.order is Order.ASCENDING
    assert CODEC.domain == (False, True)
    assert CODEC.last_text == "true"
