"""YAML is read back as what was written, by a reader that knows all of YAML."""

from __future__ import annotations

from typing import Any

import pytest
from cfnlint.decode import cfn_yaml  # type: ignore[import-untyped]
from hypothesis import given, settings
from hypothesis import strategies as st

from singletable.export.yaml import to_yaml

AWKWARD = st.sampled_from(
    ["yes", "No", "null", "~", "", " ", "1", "1e3", "0x1f", "2026-01-01", "a: b", "a #b", "- a", "a,b", "a, b", "[a]",
     "{a}", "!Ref a", "&a", "*a", "%a", "@a", "`a", "'a'", '"a"', "a\nb", "a ", "AWS::NoValue", "a::b", "é", "🐍"]
)  # fmt: skip
texts = AWKWARD | st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
values = st.recursive(
    texts | st.integers(0, 99) | st.booleans(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


@given(document=st.dictionaries(texts, values, min_size=1, max_size=3))
@settings(max_examples=200)
def test_what_is_written_is_read(document: dict[str, Any]) -> None:
    assert cfn_yaml.loads(to_yaml({"Top": document}))["Top"] == document


@pytest.mark.parametrize(
    "text", ["A sentence, with a comma (and more).", "AWS::DynamoDB::Table", "NEW_IMAGE", "AWS/DynamoDB"]
)
def test_what_needs_no_quotes_has_none(text: str) -> None:
    assert to_yaml({"Key": text}) == f"Key: {text}\n"


def test_functions_of_cloudformation_have_their_short_form() -> None:
    value = {"Fn::If": ["A", [{"Ref": "B"}], {"Ref": "AWS::NoValue"}]}
    assert to_yaml({"Actions": value}) == "Actions: !If [A, [!Ref B], !Ref AWS::NoValue]\n"
