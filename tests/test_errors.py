"""The error tree, problems and locations."""

from __future__ import annotations

from pathlib import Path

import pytest

from singletable import errors
from singletable.errors import (
    ArgumentRefused,
    DesignError,
    KeyRefused,
    Location,
    ModelNotLoaded,
    NotConnected,
    Problem,
    SingletableError,
)

HERE = Location("/shop/model.py", 31)


def test_errors_print_a_location_as_file_and_line() -> None:
    assert str(HERE) == "model.py:31"
    assert HERE.full == "/shop/model.py:31"


def test_errors_print_a_location_relative_to_the_current_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert Location(str(tmp_path / "shop" / "model.py"), 3).full == str(Path("shop/model.py:3"))
    assert Location("model.py", 3).full == "model.py:3"


@pytest.mark.parametrize(
    ("problem", "text"),
    [
        (Problem("it is wrong"), "it is wrong"),
        (Problem("it is wrong", HERE), "/shop/model.py:31: it is wrong"),
        (Problem("it is wrong", HERE, "Mend it."), "/shop/model.py:31: it is wrong\n  Mend it."),
        (Problem("it is wrong", None, "Mend it."), "it is wrong\n  Mend it."),
    ],
)
def test_errors_print_a_problem_with_location_message_and_remedy(problem: Problem, text: str) -> None:
    assert str(problem) == text


def test_the_errors_module_has_a_design_error_that_lists_every_problem() -> None:
    first, second = Problem("one", HERE), Problem("two")
    error = DesignError([first, second])
    assert error.problems == (first, second)
    assert str(error) == "/shop/model.py:31: one\ntwo"
    assert DesignError(first).problems == (first,)
    assert DesignError(problem for problem in [first]).problems == (first,)


@pytest.mark.parametrize("error", [DesignError, KeyRefused, ArgumentRefused, ModelNotLoaded, NotConnected])
def test_all_errors_are_in_one_tree(error: type[Exception]) -> None:
    assert issubclass(error, SingletableError)
    assert error.__name__ in (errors.__doc__ or "")


def test_errors_for_invalid_values_are_value_errors() -> None:
    assert issubclass(KeyRefused, ValueError)
    assert issubclass(ArgumentRefused, ValueError)
    assert not issubclass(DesignError, ValueError)


def test_the_docstring_of_the_errors_module_shows_every_error() -> None:
    defined = [each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, Exception)]
    assert [each.__name__ for each in defined if each.__name__ not in (errors.__doc__ or "")] == []
