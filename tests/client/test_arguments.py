"""Arguments by name: what `inspect` makes of a call, or the same refusal, sooner."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.client.arguments import binder


def plain(self: Any, id: str) -> None: ...
def none(self: Any) -> None: ...
def keyword_only(self: Any, a: int, *, limit: int = 20, cursor: str | None = None) -> None: ...
def positional_only(self: Any, a: int, b: int = 2, /, c: int = 3, *, d: int) -> None: ...
def all_positional_only(self: Any, a: int, b: list[int] = [1], /) -> None: ...  # noqa: B006  # it is not changed


FUNCTIONS = [plain, none, keyword_only, positional_only, all_positional_only]


@given(
    st.sampled_from(FUNCTIONS),
    st.lists(st.integers(), max_size=4),
    st.dictionaries(st.sampled_from(["id", "a", "b", "c", "d", "limit", "cursor", "other"]), st.integers(), max_size=3),
)
def test_a_call_is_bound_as_python_binds_it(
    function: Callable[..., None], args: list[int], kwargs: dict[str, int]
) -> None:
    signature = inspect.signature(function)
    bind = binder("pattern_name", signature)
    try:
        expected = signature.bind(None, *args, **kwargs)
    except TypeError:
        with pytest.raises(TypeError, match=r"pattern_name\(\)"):
            bind(*args, **kwargs)
        return
    expected.apply_defaults()
    arguments = dict(expected.arguments)
    del arguments["self"]
    assert bind(*args, **kwargs) == arguments
