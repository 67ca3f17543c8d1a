"""Printed expressions: DynamoDB would parse them to the tree that was printed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.expressions.printer import Placeholders, Printer
from singletable.expressions.tree import (
    And,
    Change,
    Compare,
    Condition,
    Constant,
    Function,
    In,
    Not,
    Or,
    Parameter,
    Path,
)

ARGUMENTS = {"given": "an argument"}
STATUS, TOTAL, NOTE = Path(("status",)), Path(("total",)), Path(("note",))
A, B, C = (Compare("=", Path((name,)), Constant(name)) for name in "abc")


def printed(condition: Condition, placeholders: Placeholders | None = None) -> str:
    return printer(placeholders or Placeholders()).condition(condition)


def printer(placeholders: Placeholders) -> Printer:
    def resolve(source: Constant | Parameter) -> Any:
        return source.value if isinstance(source, Constant) else ARGUMENTS[source.name]

    return Printer(placeholders, lambda name: f"{name}_", resolve)


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        (A, "#n0 = :v0"),
        (Compare("<>", STATUS, Parameter("given")), "#n0 <> :v0"),
        (Compare("<", STATUS, TOTAL), "#n0 < #n1"),
        (Compare("<=", STATUS, STATUS), "#n0 <= #n0"),
        (In(STATUS, (Constant(1), TOTAL, Constant(2))), "#n0 IN (:v0, #n1, :v1)"),
        (Function("attribute_exists", (STATUS,)), "attribute_exists(#n0)"),
        (Function("begins_with", (STATUS, Constant("x"))), "begins_with(#n0, :v0)"),
        (And((A, B, C)), "#n0 = :v0 AND #n1 = :v1 AND #n2 = :v2"),
        (Or((A, B, C)), "#n0 = :v0 OR #n1 = :v1 OR #n2 = :v2"),
        (And((A, Or((B, C)))), "#n0 = :v0 AND (#n1 = :v1 OR #n2 = :v2)"),
        (Or((A, And((B, C)))), "#n0 = :v0 OR #n1 = :v1 AND #n2 = :v2"),
        (Not(A), "NOT #n0 = :v0"),
        (Not(And((A, B))), "NOT (#n0 = :v0 AND #n1 = :v1)"),
        (Not(Or((A, B))), "NOT (#n0 = :v0 OR #n1 = :v1)"),
        (And((Not(A), B)), "NOT #n0 = :v0 AND #n1 = :v1"),
        (Not(In(STATUS, (Constant(1),))), "NOT #n0 IN (:v0)"),
    ],
)
def test_the_expression_printer_writes_a_condition_in_dynamodbs_notation(condition: Condition, text: str) -> None:
    assert printed(condition) == text


@pytest.mark.parametrize(
    ("path", "text", "names"),
    [
        (Path(("a",)), "#n0", ["a_"]),
        (Path(("a", "b")), "#n0.#n1", ["a_", "b"]),
        (Path(("a", 0)), "#n0[0]", ["a_"]),
        (Path(("a", 0, "b", 12)), "#n0[0].#n1[12]", ["a_", "b"]),
        (Path(("a", "b.c")), "#n0.#n1", ["a_", "b.c"]),
        (Path(("a", "a")), "#n0.#n1", ["a_", "a"]),
    ],
)
def test_the_expression_printer_takes_only_the_first_name_of_a_path_as_an_attribute(
    path: Path, text: str, names: list[str]
) -> None:
    placeholders = Placeholders()
    assert printed(Function("attribute_exists", (path,)), placeholders) == f"attribute_exists({text})"
    assert list(placeholders.names.values()) == names


def test_the_expression_printer_uses_one_placeholder_per_name_and_one_per_use_of_a_value() -> None:
    placeholders = Placeholders()
    assert printed(And((A, Not(A))), placeholders) == "#n0 = :v0 AND NOT #n0 = :v1"
    assert placeholders.names == {"#n0": "a_"}
    assert placeholders.values == {":v0": "a", ":v1": "a"}


def test_the_expression_printer_continues_the_placeholders_of_another_expression() -> None:
    placeholders = Placeholders()
    printed(A, placeholders)
    assert printed(And((B, A)), placeholders) == "#n1 = :v1 AND #n0 = :v2"


def test_the_expression_printer_replaces_parameters_and_constants_by_their_values() -> None:
    placeholders = Placeholders()
    printed(In(STATUS, (Parameter("given"), Constant(None))), placeholders)
    assert placeholders.values == {":v0": "an argument", ":v1": None}


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ([Change("SET", STATUS, Constant("x"))], "SET #n0 = :v0"),
        ([Change("SET", STATUS, TOTAL)], "SET #n0 = #n1"),
        ([Change("ADD", TOTAL, Constant(1))], "ADD #n0 :v0"),
        ([Change("REMOVE", NOTE)], "REMOVE #n0"),
        ([Change("APPEND", NOTE, Constant(["x"]))], "SET #n0 = list_append(#n0, :v0)"),
        ([Change("SET", Path(("a", 0, "b")), Constant(1))], "SET #n0[0].#n1 = :v0"),
        (
            [
                Change("REMOVE", NOTE),
                Change("ADD", TOTAL, Constant(1)),
                Change("SET", STATUS, Constant("x")),
                Change("APPEND", Path(("tags",)), Constant([])),
            ],
            "SET #n2 = :v1, #n3 = list_append(#n3, :v2) ADD #n1 :v0 REMOVE #n0",
        ),
        ([], ""),
    ],
)
def test_the_expression_printer_writes_one_clause_for_each_action_of_an_update(
    changes: list[Change], text: str
) -> None:
    assert printer(Placeholders()).update(changes) == text


def test_the_expression_printer_puts_clauses_that_are_printed_already_first() -> None:
    given = {"REMOVE": ["#k"], "SET": ["#j = :j"]}
    text = printer(Placeholders()).update([Change("SET", STATUS, Constant("x")), Change("REMOVE", NOTE)], given)
    assert text == "SET #j = :j, #n0 = :v0 REMOVE #k, #n1"
    assert given == {"REMOVE": ["#k"], "SET": ["#j = :j"]}


# The oracle: a small evaluator of printed expressions with DynamoDB's precedence (comparisons, NOT, AND, OR).

CONDITIONS: st.SearchStrategy[Condition] = st.recursive(
    st.sampled_from([A, B, C, In(Path(("a",)), (Constant("a"), Constant("b")))]),
    lambda inner: (
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: And(tuple(parts)))
        | st.lists(inner, min_size=2, max_size=3).map(lambda parts: Or(tuple(parts)))
        | inner.map(Not)
    ),
    max_leaves=6,
)


def holds(condition: Condition, item: dict[str, Any]) -> bool:
    match condition:
        case And(parts):
            return all(holds(part, item) for part in parts)
        case Or(parts):
            return any(holds(part, item) for part in parts)
        case Not(part):
            return not holds(part, item)
        case In(Path((name,)), options):
            return item[str(name)] in [option.value for option in options if isinstance(option, Constant)]
        case Compare("=", Path((name,)), Constant(value)):
            return bool(item[str(name)] == value)
    raise AssertionError(condition)


class Reader:
    """Evaluates a condition expression for an item, with DynamoDB's precedence."""

    def __init__(self, text: str, placeholders: Placeholders, item: dict[str, Any]) -> None:
        self.tokens: Iterator[str] = iter([*re.findall(r"[#:]?\w+|[=(),]", text), "end"])
        self.token = next(self.tokens)
        self.placeholders, self.item = placeholders, item

    def take(self) -> str:
        taken, self.token = self.token, next(self.tokens, "")
        return taken

    def disjunction(self) -> bool:
        answer = self.conjunction()
        while self.token == "OR":
            self.take()
            answer = self.conjunction() or answer
        return answer

    def conjunction(self) -> bool:
        answer = self.negation()
        while self.token == "AND":
            self.take()
            answer = self.negation() and answer
        return answer

    def negation(self) -> bool:
        if self.token == "NOT":
            self.take()
            return not self.negation()
        if self.token == "(":
            self.take()
            answer = self.disjunction()
            assert self.take() == ")"
            return answer
        value = self.item[self.placeholders.names[self.take()].removesuffix("_")]
        if self.take() == "=":
            return bool(value == self.placeholders.values[self.take()])
        options = []
        while self.token != ")":
            self.take()
            options.append(self.placeholders.values[self.take()])
        self.take()
        return value in options


@given(CONDITIONS, st.fixed_dictionaries({name: st.sampled_from("abc") for name in "abc"}))
def test_the_expression_printer_writes_a_condition_with_the_meaning_of_its_tree(
    condition: Condition, item: dict[str, Any]
) -> None:
    placeholders = Placeholders()
    text = printed(condition, placeholders)
    reader = Reader(text, placeholders, item)
    assert reader.disjunction() == holds(condition, item), text
    assert reader.token == "end"
