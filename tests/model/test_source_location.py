"""Source locations of calls, functions and user code."""

from __future__ import annotations

import functools
import warnings
from typing import Any

import pydantic
import pytest

from singletable.errors import DesignError, Location
from singletable.model.condition_recorder import record_path
from singletable.model.entity import entity
from singletable.model.source_location import caller, of_function, user_code, user_stacklevel
from tests.model.marked_lines import marked


def asks() -> Location:
    return caller()


def asks_further_out() -> Location:
    return caller(2)


def between() -> Location:
    return asks_further_out()


def test_the_source_location_of_a_caller_is_the_line_of_the_call() -> None:
    assert asks() == marked(__file__, "call")  # call
    found = between()  # call-further-out
    assert found == marked(__file__, "call-further-out")


def test_the_source_location_of_user_code_is_the_innermost_line_outside_the_package() -> None:
    assert user_code() == marked(__file__, "own-line")  # own-line


@entity(key="A#{id}")
class Order(pydantic.BaseModel):
    id: str


def test_the_source_location_of_a_lambda_called_by_the_package_is_in_user_code() -> None:
    with pytest.raises(DesignError) as caught:
        record_path(
            Order,
            lambda o: o.nope,  # lambda-line
        )
    assert caught.value.problems[0].location == marked(__file__, "lambda-line")


def kept(function: Any) -> Any:
    return function


def wrapped(function: Any) -> Any:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return wrapper


def bare(self: object) -> None:  # bare
    return None


@kept
@kept
def decorated(self: object) -> None:  # decorated
    return None


@functools.partial(
    lambda function, note: function,
    note="def in a text",
)
def decorated_at_length(  # decorated-at-length
    self: object,
) -> None:
    return None


@wrapped
def wrapped_once(self: object) -> None:  # wrapped
    return None


@kept
async def awaited(self: object) -> None:  # awaited
    return None


@pytest.mark.parametrize(
    ("function", "mark"),
    [
        (bare, "bare"),
        (decorated, "decorated"),
        (decorated_at_length, "decorated-at-length"),
        (wrapped_once, "wrapped"),
        (awaited, "awaited"),
    ],
)
def test_the_source_location_of_a_function_is_its_def(function: Any, mark: str) -> None:
    assert of_function(function) == marked(__file__, mark)


def test_the_source_location_of_a_function_without_a_file_is_its_first_line() -> None:
    namespace: dict[str, Any] = {}
    exec(compile("\n\ndef made(self):\n    return 1\n", "<made>", "exec"), namespace)
    assert of_function(namespace["made"]) == Location("<made>", 3)


def test_the_source_location_of_a_warning_is_the_users_code() -> None:
    library: dict[str, Any] = {
        "__name__": "singletable.made_up",
        "user_stacklevel": user_stacklevel,
        "warn": warnings.warn,
    }
    source = "def inner(): warn('careful', stacklevel=user_stacklevel())\ndef outer(): inner()"
    exec(source, library)  # a module of the package that warns two calls below the user's line
    with pytest.warns(UserWarning, match="careful") as caught:
        library["outer"]()
    assert caught[0].filename == __file__
