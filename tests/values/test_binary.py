"""Base64 as DynamoDB takes it."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.values.binary import binary_bytes, binary_size


@given(st.binary(max_size=40))
def test_every_byte_string_has_one_text_and_its_size(content: bytes) -> None:
    text = base64.b64encode(content).decode()
    assert binary_bytes(text) == content
    assert binary_size(text) == len(content)


@given(st.text("AQgw+/=x", max_size=9) | st.text(max_size=8))
def test_only_a_text_that_encoding_gives_back_is_base64(text: str) -> None:
    try:
        content = binary_bytes(text)
    except ValueError:
        return
    assert base64.b64encode(content).decode() == text


@pytest.mark.parametrize(
    "text",
    ["A", "AA", "AAA", "AAA=A", "AAAA=", "AAAA====", "====", "A===", "YR==", "YWF=", "YQ==YQ==", "YQ==\n", "é", "__--"],
)
def test_what_is_not_base64_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        binary_bytes(text)
