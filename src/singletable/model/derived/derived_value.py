"""The base class of derived values: how to compute a value, and which values are possible for given predicates."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from singletable.errors import KeyRefused
from singletable.lazy_dataclass import dataclass
from singletable.model.parameter_types import Equal, Predicate
from singletable.model.regular_language import Language


@dataclass(frozen=True)
class Reach:
    """The number of possible values, and their description for messages.

    `count` is None if the number depends on the arguments.
    """

    count: int | None
    what: str


@dataclass(frozen=True)
class DerivedValue(ABC):
    """A value computed from fields. It is written into keys but never decoded, and does not make a key unique."""

    fields: tuple[str, ...]

    @property
    @abstractmethod
    def label(self) -> str:
        """The declaration as text, for key tables and messages."""

    @abstractmethod
    def language(self, delimiter: str) -> Language:
        """Return the language of all texts of this value in a key with this delimiter."""

    @abstractmethod
    def compute(self, *values: Any) -> str:
        """Return the unescaped text for these field values."""

    @property
    def width(self) -> int | None:
        """The number of characters, if it is fixed."""
        return None

    @property
    def last_text(self) -> str | None:
        """The text that sorts last, where a range without an upper bound ends. None if there is no such text."""
        return None

    def reach(self, known: Mapping[str, type]) -> Reach | None:
        """Return how many values are possible if predicates of these types apply to the fields; None if unbounded."""
        if all(known.get(name) is Equal for name in self.fields):
            return Reach(1, self.label)
        return None

    def expand(self, known: Mapping[str, Predicate]) -> tuple[str, ...]:
        """Return the possible texts for these predicates, in order.

        Call this method only if `reach` does not return None.
        """
        values = [predicate.value for name in self.fields if isinstance(predicate := known.get(name), Equal)]
        if len(values) < len(self.fields):
            raise KeyRefused(f"{self.label} needs a value for {', '.join(self.fields)}")
        return (self.compute(*values),)

    def enforces(self, test: type) -> bool:
        """Return whether a Query for one derived value returns exactly the matches of a predicate of this type."""
        return False

    def covers(self, test: type) -> bool:
        """Return whether Queries for the possible values return all matches of a predicate of this type.

        These Queries can also return other items, which the client removes.
        """
        return False

    def problem_with(self, types: Mapping[str, Any]) -> str | None:
        """Return why this value cannot be computed from fields of these types, or None."""
        return None
