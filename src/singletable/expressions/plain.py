"""The expression tree in plain words, for worksheets and messages: names as they are, parameters in braces."""

from __future__ import annotations

from singletable.expressions.printer import Placeholders, Printer
from singletable.expressions.tree import Condition, Constant, Parameter


class _AsTheyAre(Placeholders):
    """Writes names and values where a request would have placeholders."""

    def name(self, attribute: str) -> str:
        return attribute

    def value(self, value: object) -> str:
        return str(value)


def plain(condition: Condition) -> str:
    """A condition as a person would write it."""

    def shown(source: Constant | Parameter) -> str:
        return f"{{{source.name}}}" if isinstance(source, Parameter) else repr(source.value)

    return Printer(_AsTheyAre(), lambda name: name, shown).condition(condition)
