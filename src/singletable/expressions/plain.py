"""The expression tree in plain words, for worksheets and messages: names as they are, parameters in braces."""

from __future__ import annotations

import enum
from datetime import date
from decimal import Decimal
from uuid import UUID

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
        return f"{{{source.name}}}" if isinstance(source, Parameter) else _shown(source.value)

    return Printer(_AsTheyAre(), lambda name: name, shown).condition(condition)


def _shown(value: object) -> str:
    """A value as it is stored, near enough: a member of an enumeration by its value, a number by its digits."""
    if isinstance(value, enum.Enum):
        return _shown(value.value)
    if isinstance(value, Decimal):
        return str(value)
    return repr(value.isoformat() if isinstance(value, date) else str(value) if isinstance(value, UUID) else value)
