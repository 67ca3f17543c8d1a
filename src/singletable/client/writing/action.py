"""Actions: single writes and checks of items, as they stand alone in a request or together in a transaction."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from singletable.client.answers import Item
from singletable.client.writing.stored_tree import all_of, printed
from singletable.expressions.evaluate import compiled
from singletable.expressions.tree import Change, Condition

Kind = Literal["Put", "Update", "Delete", "ConditionCheck"]
Failed = Callable[["Item | None"], Exception]

_TELL_OLD = {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
_ANSWERED = {"Put": {}, "Update": {"ReturnValues": "ALL_NEW"}, "Delete": {"ReturnValues": "ALL_OLD"}}


class Requirement(NamedTuple):
    """A condition that the caller, or what writes mean, depends on, and what to say when it does not hold."""

    condition: Condition
    failed: Failed
    asked: int
    """The number of the write that requires it."""


class Contradiction(Exception):
    """A requirement that is known not to hold, because of another write or of the item as it was read."""

    def __init__(self, requirement: Requirement, item: Item | None = None) -> None:
        self.requirement = requirement
        self.item = item
        super().__init__()


@dataclass(frozen=True)
class Action:
    """One item written, taken away or looked at, if everything it depends on holds."""

    kind: Kind
    key: Item
    asked: int
    """The number of the write that it belongs to."""
    item: Item | None = None
    changes: tuple[Change, ...] = ()
    requirements: tuple[Requirement, ...] = ()
    guards: tuple[Condition, ...] = ()
    """What was read or supposed when the action was made; when it is not so any more, it is made anew."""
    said: str = ""
    """The item in the words of its entity, of an action that was asked for."""
    is_main: bool = False
    """Whether it is the write that was asked for, and not one that follows from it."""
    counted: Mapping[str, int] | None = None
    """Of a delete: the counters of the item, each with the number of what goes together with it."""
    is_dispensable: bool = False
    """Whether the others may happen without it, when its item is not there."""

    @property
    def condition(self) -> Condition | None:
        """Everything that must hold."""
        return all_of(*(requirement.condition for requirement in self.requirements), *self.guards)

    @property
    def operation(self) -> str:
        """The action alone, by DynamoDB's name."""
        return f"{self.kind}Item"

    def parameters(self) -> dict[str, Any]:
        """The action as a request of its own, without the table's name."""
        return {**self._said(), **_ANSWERED[self.kind]}

    def entry(self, table: str) -> dict[str, Any]:
        """The action as part of a transaction."""
        return {self.kind: {"TableName": table, **self._said()}}

    def _said(self) -> dict[str, Any]:
        subject = {"Item": self.item} if self.kind == "Put" else {"Key": self.key}
        condition = self.condition
        return {**subject, **printed(condition, self.changes), **(_TELL_OLD if condition is not None else {})}

    def failures(self, item: Item | None) -> list[Requirement]:
        """The requirements that do not hold for an item as it is."""
        return [each for each in self.requirements if not holds(each.condition, item)]


def holds(condition: Condition, item: Item | None) -> bool:
    """Whether a condition holds for an item, which may not be there."""
    return compiled(condition)(item or {}, {})


def key_id(key: Item) -> tuple[tuple[str, str, str], ...]:
    """A key as something that can be looked up."""
    return tuple(sorted((name, kind, str(value)) for name, typed in key.items() for kind, value in typed.items()))
