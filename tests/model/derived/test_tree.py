"""Places in a tree: parents and depths of paths, and the children that share them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.errors import KeyRefused
from singletable.model.codecs.text import escape
from singletable.model.derived.derived import Derived, Reach
from singletable.model.derived.tree import depth, parent
from singletable.model.language import literal, overlap
from singletable.model.ranges import Children, Equal, Subtree, holds

PARENT, DEPTH = parent("path"), depth("path")
NAMES = st.lists(st.sampled_from(["a", "b", "/", "~", "0", "1", "#", " ", "é"]), min_size=1, max_size=3).map("".join)
PATHS = st.lists(NAMES, min_size=1, max_size=4).map(tuple)


@pytest.mark.parametrize(
    ("path", "above", "levels"),
    [
        (("root",), "", "1"),
        (("root", "eng"), "root", "2"),
        (("root", "eng", "db"), "root/eng", "3"),
        (("a/b", "c"), "a~1b", "2"),
        (("a", "b", "c"), "a/b", "3"),
        (("~1", "c"), "~01", "2"),
    ],
)
def test_a_path_has_a_parent_and_a_depth(path: tuple[str, ...], above: str, levels: str) -> None:
    assert PARENT.compute(path) == above
    assert DEPTH.compute(path) == levels


@given(PATHS, PATHS)
def test_two_paths_share_a_parent_exactly_when_their_beginnings_are_the_same(
    first: tuple[str, ...], second: tuple[str, ...]
) -> None:
    assert (PARENT.compute(first) == PARENT.compute(second)) == (first[:-1] == second[:-1])


@pytest.mark.parametrize("derived", [PARENT, DEPTH])
@pytest.mark.parametrize("delimiter", ["#", "/", "~", "|"])
@given(path=PATHS)
def test_what_is_written_belongs_to_its_language(derived: Derived, delimiter: str, path: tuple[str, ...]) -> None:
    written = escape(derived.compute(path), delimiter)
    assert overlap(derived.language(delimiter), literal(written))
    assert delimiter not in written


@pytest.mark.parametrize("derived", [PARENT, DEPTH])
@given(above=st.lists(NAMES, max_size=3).map(tuple), path=PATHS)
def test_children_have_the_parent_and_depth_that_they_are_looked_for_under(
    derived: Derived, above: tuple[str, ...], path: tuple[str, ...]
) -> None:
    children = Children(above)
    (expected,) = derived.expand({"path": children})
    assert derived.compute((*above, "x")) == expected
    if holds(children, path):
        assert derived.compute(path) == expected


@given(st.lists(NAMES, max_size=3).map(tuple), PATHS)
def test_having_the_parent_is_the_same_as_being_a_child(above: tuple[str, ...], path: tuple[str, ...]) -> None:
    assert (PARENT.expand({"path": Children(above)}) == (PARENT.compute(path),)) == holds(Children(above), path)


def test_a_parent_says_all_that_children_ask_and_a_depth_does_not() -> None:
    assert PARENT.enforces(Children)
    assert not PARENT.enforces(Equal)
    assert not DEPTH.enforces(Children)


@pytest.mark.parametrize("derived", [PARENT, DEPTH])
def test_one_value_follows_from_a_path_or_from_its_parent(derived: Derived) -> None:
    assert derived.reach({"path": Equal}) == derived.reach({"path": Children}) == Reach(1, derived.label)
    assert derived.reach({"path": Subtree}) is None
    assert derived.reach({}) is None
    assert derived.expand({"path": Equal(("a", "b"))}) == (derived.compute(("a", "b")),)


@pytest.mark.parametrize("derived", [PARENT, DEPTH])
@pytest.mark.parametrize(
    ("python_type", "fits"), [(tuple[str, ...], True), (str, False), (list[str], False), (tuple[str], False)]
)
def test_only_a_path_has_a_place_in_a_tree(derived: Derived, python_type: Any, fits: bool) -> None:
    assert derived.problem_with({"path": python_type}) == (None if fits else "a path is a tuple[str, ...]")


@pytest.mark.parametrize("derived", [PARENT, DEPTH])
@pytest.mark.parametrize("path", ["root", ("a", 1), ("a", ""), 5])
def test_what_is_no_path_is_refused_and_not_taken_letter_by_letter(derived: Derived, path: Any) -> None:
    with pytest.raises(KeyRefused):
        derived.expand({"path": Children(path)})
    with pytest.raises(KeyRefused):
        derived.compute(path)


def test_labels_read_as_they_were_declared() -> None:
    assert (PARENT.label, DEPTH.label) == ("parent(path)", "depth(path)")
