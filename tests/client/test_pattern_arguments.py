"""Arguments are bound as `inspect` binds them, with the same errors."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

import pytest

from singletable import NotConnected
from singletable.client.pattern import binder
from tests.client.shop import Shop


def plain(self: Any, a: str, b: int = 2) -> None: ...
def mixed(self: Any, a: str, /, b: int, *, c: int = 3, d: str) -> None: ...
def placed(self: Any, a: str, b: list[int] = [], /) -> None: ...  # noqa: B006  # the very object is given
def nothing(self: Any) -> None: ...


@pytest.mark.parametrize("function", [plain, mixed, placed, nothing])
@pytest.mark.parametrize(
    ("args", "kwargs"),
    [
        ((), {}),
        (("x",), {}),
        (("x", 1), {}),
        (("x", 1), {"d": "y"}),
        (("x",), {"b": 5, "d": "y", "c": 6}),
        ((), {"a": "x"}),
        (("x",), {"a": "y"}),
        (("x", 1, 2), {}),
        (("x",), {"z": 1}),
    ],
)
def test_a_pattern_binds_arguments_as_inspect_binds_them(
    function: Callable[..., None], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    try:
        bound = signature(function).bind(None, *args, **kwargs)
    except TypeError:
        with pytest.raises(TypeError):
            binder(signature(function))(*args, **kwargs)
        return
    bound.apply_defaults()
    arguments = dict(bound.arguments)
    del arguments["self"]
    assert binder(signature(function))(*args, **kwargs) == arguments


def test_a_wrong_call_of_a_pattern_raises_the_error_of_inspect(shop: Shop) -> None:
    with pytest.raises(TypeError, match=r"^Shop\.customer: missing a required argument: 'id'$"):
        shop.customer()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"^Shop\.customer: got an unexpected keyword argument 'name'$"):
        shop.customer("c1", name="x")  # type: ignore[call-arg]


def test_a_pattern_of_an_open_table_is_created_once_and_closed_with_it() -> None:
    with Shop.open("memory:") as first, Shop.open("memory:") as second:
        assert first.customer is first.customer
        assert first.customer is not second.customer
        customer = first.customer
    with pytest.raises(NotConnected):
        customer("c1")
