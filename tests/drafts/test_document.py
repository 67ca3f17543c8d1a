"""A document is read once, and everything that is wrong in it is told by its path."""

from __future__ import annotations

import pytest

from singletable.drafts.document import Problems, meant, parsed, shown
from singletable.errors import ImportRefused


def test_what_is_no_json_is_refused_at_its_line_and_column() -> None:
    with pytest.raises(ImportRefused, match=r"model\.json:2:8: this JSON cannot be read: "):
        parsed('{\n  "a": ?}', "model.json")


def test_a_byte_order_mark_is_passed_over() -> None:
    assert parsed('\ufeff{"a": 1}', "model.json") == {"a": 1}


def test_problems_are_raised_together_and_none_are_not_raised() -> None:
    problems = Problems("model.json", "model")
    problems.refuse()
    assert problems.mapping([], "a") == {}
    assert problems.rows({}, "b") == []
    assert problems.text({"c": " "}, "c", "x") is None
    problems.word({"d": "Quary"}, "d", "x", ("Query", "Scan"))
    with pytest.raises(ImportRefused, match=r"model\.json is no model that can be read: 4 problems") as refused:
        problems.refuse()
    assert "x.d: \"Quary\" is unknown (is 'Query' meant?); it is Query or Scan" in str(refused.value)


def test_long_values_are_shown_short() -> None:
    assert shown("x" * 500).endswith("...")
    assert meant("zzz", ["Query"]) == ""
