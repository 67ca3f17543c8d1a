"""Random trees with hostile names: subtrees, children, ancestors and moves equal those of a model with tuples."""

from __future__ import annotations

from collections.abc import Generator
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from singletable import ArgumentRefused, Children, Subtree, key
from singletable.client import move_subtree
from tests.client.places import Place
from tests.client.tree import DEPTH_MAX, NAMES, Branch, Node, Org, Orgs, Path, random_paths


def is_below(path: Path, root: Path) -> bool:
    """Return whether a path is equal to another or below it."""
    return path[: len(root)] == root


def encoded(path: Path) -> tuple[bytes, ...]:
    """Return the sort key of a path: the UTF-8 bytes of its elements."""
    return tuple(name.encode() for name in path)


def filled(orgs: Orgs, paths: set[Path]) -> None:
    """Return two trees with the same paths, and unrelated items."""
    orgs.put(Org("o"))
    orgs.put(Org("o2"))
    assert orgs.put_many([Node("o", path, "/".join(path)) for path in paths]).failed == ()
    assert orgs.put_many([Branch("o", path) for path in paths]).failed == ()
    assert orgs.put_many([Node("o2", path) for path in paths]).failed == ()


def names_of(place: Place) -> tuple[str, ...]:
    """Return the names that the server finds by prefix: all names, or those without U+10FFFF."""
    return NAMES if place.has("begins_with for U+10FFFF") else tuple(each for each in NAMES if "\U0010ffff" not in each)


def check_reads(orgs: Orgs, paths: set[Path], asked: list[Path]) -> None:
    """Compare every read of both trees with a search through all paths."""
    for path in asked:
        below = sorted((each for each in paths if is_below(each, path)), key=encoded)
        children = sorted((each for each in paths if each[:-1] == path), key=encoded)
        above = [path[:length] for length in range(1, len(path) + 1) if path[:length] in paths]
        assert [node.path for node in orgs.subtree.all("o", Subtree(path))] == below
        assert [node.path for node in orgs.branches.all("o", Subtree(path))] == below
        assert [node.path for node in orgs.children.all("o", Children(path))] == children
        assert [node.path for node in orgs.twigs.all("o", Children(path))] == children
        assert [node.path for node in orgs.breadcrumbs("o", path)] == above
        assert [node.path for node in orgs.way_to("o", path)] == above


def moved(paths: set[Path], old: Path, new: Path) -> set[Path]:
    """Return the tree after a move."""
    return {new + path[len(old) :] if is_below(path, old) else path for path in paths}


def check_tree(place: Place, seed: int) -> None:
    """Check the reads of one random tree."""
    chance = Random(seed)
    names = names_of(place)
    paths = random_paths(chance, 40, names=names)
    with place.fresh(Orgs) as orgs:
        filled(orgs, paths)
        asked = chance.sample(sorted(paths), 12)
        asked += [(*path[:-1], chance.choice(names)) for path in asked[:6]]  # many of these paths do not exist
        check_reads(orgs, paths, asked)
        tops = {node.path for node in orgs.children.all("o", Children(()))}
        assert tops == {path for path in paths if len(path) == 1}


def check_moves(place: Place, seed: int) -> None:
    """Make several moves within one random tree, and compare each with the model."""
    chance = Random(seed)
    paths = random_paths(chance, 30, names=NAMES[:12])
    with place.fresh(Orgs) as orgs:
        filled(orgs, paths)
        others = {node for node in orgs.scan(Node, reason="other nodes") if node.org == "o2"}
        for _ in range(6):
            old = chance.choice(sorted(paths))
            new = (*chance.choice([(), *sorted(paths)])[:3], chance.choice(names_of(place)))
            going = {path for path in paths if is_below(path, old)}
            if is_below(new, old) or is_below(old, new):
                with pytest.raises(ArgumentRefused):
                    orgs.move_subtree(key(Node, org="o", path=old), to=new)
            elif not moved(going, old, new) & paths and all(len(path) <= DEPTH_MAX for path in moved(going, old, new)):
                assert orgs.move_subtree(key(Node, org="o", path=old), to=new) == len(going)
                assert orgs.move_subtree(key(Branch, org="o", path=old), to=new) == len(going)
                paths = moved(paths, old, new)
            check_reads(orgs, paths, [old, new, *chance.sample(sorted(paths), 3)])
        after = list(orgs.scan(Node, reason="other nodes"))
        assert {node for node in after if node.org == "o2"} == others
        assert sorted(node.path for node in after if node.org == "o") == sorted(paths)


def test_pattern_reads_of_a_tree_path_equal_brute_force(place: Place) -> None:
    @settings(max_examples=place.examples(40))
    @given(st.integers(0, 2**32))
    def equal(seed: int) -> None:
        check_tree(place, seed)

    equal()


def test_move_subtree_of_random_trees_equals_brute_force(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.needs("transactional reads")
    # with this limit, a move needs several transactions
    monkeypatch.setattr(move_subtree, "TRANSACTION_ACTIONS_MAX", 8)

    @settings(max_examples=place.examples(40))
    @given(st.integers(0, 2**32))
    def equal(seed: int) -> None:
        check_moves(place, seed)

    equal()


def test_the_random_test_of_move_subtree_detects_a_planted_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing_left(moving: Any) -> Generator[Any, Any, list[Any]]:
        yield from ()
        return []

    monkeypatch.setattr(move_subtree._SubtreeMove, "nodes", nothing_left)
    with pytest.raises(AssertionError):
        check_moves(Place("memory", "memory:"), 3)
