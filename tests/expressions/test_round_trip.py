"""Parser and printer are inverse: a printed tree parses to the same tree."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from singletable.expressions.condition_parser import parse_condition
from singletable.expressions.printer import Placeholders, Printer
from singletable.expressions.projection import parse_projection
from singletable.expressions.tree import Change, Condition, Constant, Parameter, Path
from singletable.expressions.update_expression import parse_update
from tests.expressions.trees import LEAVES, NAMES, changes, conditions, paths

PATHS = paths(NAMES)


class Named(Placeholders):
    """Prints values by their names in the tree."""

    def value(self, value: Any) -> str:
        return str(value)


def printer(placeholders: Placeholders) -> Printer:
    def resolve(source: Constant | Parameter) -> Any:
        assert isinstance(source, Parameter)
        return source.name

    return Printer(placeholders, lambda name: name, resolve)


@given(conditions(LEAVES, PATHS))
def test_the_expression_printer_writes_a_condition_that_parses_to_the_same_tree(condition: Condition) -> None:
    placeholders = Named()
    text = printer(placeholders).condition(condition)
    assert parse_condition("ConditionExpression", text, placeholders.names).tree == condition, text


@given(changes(LEAVES, PATHS).filter(bool))
def test_the_expression_printer_writes_an_update_that_parses_to_the_same_changes(written: list[Change]) -> None:
    placeholders = Named()
    text = printer(placeholders).update(written)
    assert list(parse_update("UpdateExpression", text, placeholders.names).changes) == written, text


@given(st.lists(PATHS, min_size=1, max_size=4))
def test_the_expression_printer_writes_a_projection_that_parses_to_the_same_paths(written: list[Path]) -> None:
    placeholders = Named()
    text = printer(placeholders).projection(written)
    assert list(parse_projection("ProjectionExpression", text, placeholders.names).paths) == written, text


@given(conditions(LEAVES, PATHS))
def test_the_expression_printer_writes_the_same_text_for_a_parsed_condition(condition: Condition) -> None:
    placeholders = Named()
    text = printer(placeholders).condition(condition)
    read = parse_condition("ConditionExpression", text, placeholders.names)
    assert printer(placeholders).condition(read.tree) == text
    assert read.used_names == set(placeholders.names)
