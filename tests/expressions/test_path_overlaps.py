"""Paths that may not stand together in one expression."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from singletable.expressions.path_overlaps import Paths
from singletable.expressions.tree import Path
from tests.expressions.trees import paths


def kinds_of_trouble(one: Path, other: Path) -> str | None:
    for mine, others in zip(one.steps, other.steps, strict=False):
        if isinstance(mine, int) != isinstance(others, int):
            return "conflict"
        if mine != others:
            return None
    return "overlap"


@given(st.lists(paths(["a", "b"]), max_size=6))
def test_a_path_is_added_unless_it_is_in_another_or_takes_it_for_something_else(written: list[Path]) -> None:
    added, so_far = Paths(), list[Path]()
    for path in written:
        troubles = {kinds_of_trouble(path, other) for other in so_far} - {None}
        words = added.add(path)
        assert (words is None) == (not troubles)
        if words is None:
            so_far.append(path)
        else:
            assert any(f" {trouble} with each other" in words for trouble in troubles)


@given(paths(["a", "b"]), paths(["a", "b"]), st.lists(paths(["c", "d"]), max_size=3))
def test_both_paths_of_the_trouble_are_shown(one: Path, other: Path, others: list[Path]) -> None:
    if kinds_of_trouble(one, other) is None:
        return
    added = Paths()
    for path in [*others, other]:
        added.add(path)
    words = added.add(one) or ""
    shown = [[f"[{step}]" if isinstance(step, int) else str(step) for step in path.steps] for path in (one, other)]
    assert words.endswith(f"path one: [{', '.join(shown[0])}], path two: [{', '.join(shown[1])}]")
