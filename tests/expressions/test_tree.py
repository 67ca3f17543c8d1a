"""The expression tree: its leaves, and paths as text."""

from __future__ import annotations

import pytest

from singletable.expressions.tree import (
    And,
    Change,
    Compare,
    Condition,
    Constant,
    Function,
    In,
    Not,
    Operand,
    Or,
    Parameter,
    Path,
    leaves,
    parameters,
    paths,
    with_leaves,
)

STATUS, TOTAL, CITY = Path(("status",)), Path(("total",)), Path(("address", "city"))
GIVEN, LEAST = Parameter("given"), Parameter("least")
CONDITION = And(
    (
        Compare("=", STATUS, GIVEN),
        Or((Compare(">", TOTAL, LEAST), Not(In(CITY, (Constant("Rome"), GIVEN))))),
        Function("attribute_exists", (STATUS,)),
    )
)


@pytest.mark.parametrize(
    ("steps", "text"),
    [
        (("status",), "status"),
        (("address", "city"), "address.city"),
        (("items", 0), "items[0]"),
        (("items", 3, "tags", 0), "items[3].tags[0]"),
    ],
)
def test_a_path_of_an_expression_tree_reads_as_dynamodb_writes_it(steps: tuple[str | int, ...], text: str) -> None:
    assert str(Path(steps)) == text


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        (STATUS, [STATUS]),
        (Constant(("not", "a", "leaf")), [Constant(("not", "a", "leaf"))]),
        (Change("SET", STATUS, GIVEN), [STATUS, GIVEN]),
        (Change("REMOVE", STATUS), [STATUS]),
        ((Change("ADD", TOTAL, LEAST), None), [TOTAL, LEAST]),
        (CONDITION, [STATUS, GIVEN, TOTAL, LEAST, CITY, Constant("Rome"), GIVEN, STATUS]),
        (None, []),
        ((), []),
        ("a text", []),
    ],
)
def test_the_leaves_of_an_expression_tree_come_in_reading_order(node: object, expected: list[Operand]) -> None:
    assert list(leaves(node)) == expected


def test_the_parameters_of_an_expression_tree_are_those_below_a_node() -> None:
    assert parameters(CONDITION) == {"given", "least"}
    assert parameters(Compare("=", STATUS, Constant(1))) == frozenset()


def test_the_paths_of_an_expression_tree_are_those_below_a_node() -> None:
    assert paths(CONDITION) == {STATUS, TOTAL, CITY}
    assert paths(None) == frozenset()


def test_expression_trees_are_values() -> None:
    condition: Condition = Not(Compare("=", STATUS, GIVEN))
    assert condition == Not(Compare("=", STATUS, GIVEN)) != Not(Compare("<>", STATUS, GIVEN))
    assert len({condition, Not(Compare("=", STATUS, GIVEN))}) == 1


@pytest.mark.parametrize("node", [CONDITION, Change("REMOVE", STATUS), (Change("ADD", TOTAL, LEAST), None), None])
def test_with_leaves_changes_only_the_leaves_of_an_expression_tree(node: object) -> None:
    assert with_leaves(node, lambda leaf: leaf) == node
    changed = with_leaves(node, lambda leaf: Constant(1) if leaf == LEAST else leaf)
    assert list(leaves(changed)) == [Constant(1) if leaf == LEAST else leaf for leaf in leaves(node)]
