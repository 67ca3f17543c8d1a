"""Parents and depths of tree paths."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.errors import KeyRefused
from singletable.model.codecs.text_codec import escape
from singletable.model.derived.derived_value import DerivedValue, Reach
from singletable.model.derived.tree_path import depth, parent
from singletable.model.parameter_types import Children, Equal, Subtree, holds
from singletable.model.regular_language import literal, overlap

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
def test_a_tree_path_has_a_parent_and_a_depth(path: tuple[str, ...], above: str, levels: str) -> None:
    assert PARENT.compute(path) == above
    assert DEPTH.compute(path) == levels


@given(PATHS, PATHS)
def test_tree_paths_share_a_parent_when_their_prefixes_are_equal(
    first: tuple[str, ...], second: tuple[str, ...]
) -> None:
    assert (PARENT.compute(first) == PARENT.compute(second)) == (first[:-1] == second[:-1])


@pytest.mark.parametrize("derived", [PARENT, DEPTH])
@pytest.mark.parametrize("delimiter", ["#", "/", "~", "|"])
@given(path=PATHS)
def test_tree_path_values_are_in_the_language(derived: DerivedValue, delimiter: str, path: tuple[str, ...]) -> None:
    written = escape(derived.compute(path), delimiter)
    assert overlap(derived.language(delimiter), literal(written))
    assert delimiter not in written


@pytest.mark.parametrize("derived", [PARENT, DEPTH])
@given(above=st.lists(NAMES, max_size=3).map(tuple), path=PATHS)
def test_tree_path_children_are_found_by_parent_and_depth(
    derived: DerivedValue, above: tuple[str, ...], path: tuple[str, ...]
) -> None:
    children = Children(above)
    (expected,) = derived.expand({"path": children})
    assert derived.compute((*above, "x")) == expected
    if holds(children, path):
        assert derived.compute(path) == expected


@given(st.lists(NAMES, max_size=3).map(tuple), PATHS)
def test_a_tree_path_is_a_child_exactly_when_it_has_the_parent(above: tuple[str, ...], path: tuple[str, ...]) -> None:
    assert (PARENT.expand({"path": Children(above)}) == (PARENT.compute(path),)) == holds(Children(above), path)


def test_a_tree_path_parent_enforces_children_and_a_depth_does_not() -> None:
    assert PARENT.enforces(Children)
    assert not PARENT.enforces(Equal)
    assert not DEPTH.enforces(Children)


@pytest.mark.parametrize("derived", [PARENT, DEPTH])
def test_a_tree_path_or_its_parent_gives_one_value(derived: DerivedValue) -> None:
    assert derived.reach({"path": Equal}) == derived.reach({"path": Children}) == Reach(1, derived.label)
    assert derived.reach({"path": Subtree}) is None
    assert derived.reach({}) is None
    assert derived.expand({"path": Equal(("a", "b"))}) == (derived.compute(("a", "b")),)


@pytest.mark.parametrize("derived", [PARENT, DEPTH])
@pytest.mark.parametrize(
    ("python_type", "fits"), [(tuple[str, ...], True), (str, False), (list[str], False), (tuple[str], False)]
)
def test_only_a_tree_path_field_has_a_parent_and_a_depth(derived: DerivedValue, python_type: Any, fits: bool) -> None:
    assert derived.problem_with({"path": python_type}) == (
        None if fits else "the field must be a path (tuple[str, ...])"
    )


@pytest.mark.parametrize("derived", [PARENT, DEPTH])
@pytest.mark.parametrize("path", ["root", ("a", 1), ("a", ""), 5])
def test_a_tree_path_rejects_a_string(derived: DerivedValue, path: Any) -> None:
    with pytest.raises(KeyRefused):
        derived.expand({"path": Children(path)})
    with pytest.raises(KeyRefused):
        derived.compute(path)


def test_tree_path_labels_show_the_declaration() -> None:
    assert (PARENT.label, DEPTH.label) == ("parent(path)", "depth(path)")
