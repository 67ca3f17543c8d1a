"""Errors: what was wrong, where it is, and what to do about it."""

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


def test_a_location_reads_as_file_and_line() -> None:
    assert str(HERE) == "model.py:31"
    assert HERE.full == "/shop/model.py:31"


def test_a_location_below_the_current_folder_is_shown_from_there(
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
def test_a_problem_says_where_what_and_the_way_out(problem: Problem, text: str) -> None:
    assert str(problem) == text


def test_a_design_error_carries_every_problem() -> None:
    first, second = Problem("one", HERE), Problem("two")
    error = DesignError([first, second])
    assert error.problems == (first, second)
    assert str(error) == "/shop/model.py:31: one\ntwo"
    assert DesignError(first).problems == (first,)
    assert DesignError(problem for problem in [first]).problems == (first,)


@pytest.mark.parametrize("error", [DesignError, KeyRefused, ArgumentRefused, ModelNotLoaded, NotConnected])
def test_all_errors_are_one_tree_that_its_docstring_draws(error: type[Exception]) -> None:
    assert issubclass(error, SingletableError)
    assert error.__name__ in (errors.__doc__ or "")


def test_a_wrong_value_is_a_value_error_too() -> None:
    assert issubclass(KeyRefused, ValueError)
    assert issubclass(ArgumentRefused, ValueError)
    assert not issubclass(DesignError, ValueError)


def test_every_error_of_the_module_is_drawn_in_its_docstring() -> None:
    defined = [each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, Exception)]
    assert [each.__name__ for each in defined if each.__name__ not in (errors.__doc__ or "")] == []
