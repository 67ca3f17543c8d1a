"""What every derived value answers: how it is computed, and which values it can take when less is known."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from singletable.errors import KeyRefused
from singletable.model.language import Language
from singletable.model.ranges import Equal, Predicate


@dataclass(frozen=True)
class Reach:
    """How many values are possible: exactly `count`, or as many as the arguments say when `count` is None."""

    count: int | None
    what: str


@dataclass(frozen=True)
class Derived(ABC):
    """A value computed from fields: written into keys, never parsed, never counted towards uniqueness."""

    fields: tuple[str, ...]

    @property
    @abstractmethod
    def label(self) -> str:
        """How it was declared, for key tables and messages."""

    @abstractmethod
    def language(self, delimiter: str) -> Language:
        """Every text it can be in a key with this delimiter."""

    @abstractmethod
    def compute(self, *values: Any) -> str:
        """The plain text for these values of its fields; the key template escapes it."""

    @property
    def width(self) -> int | None:
        """The number of characters when it is always the same."""
        return None

    def reach(self, known: Mapping[str, type]) -> Reach | None:
        """The values possible when such predicates are known of its fields; None when there is no end of them."""
        if all(known.get(name) is Equal for name in self.fields):
            return Reach(1, self.label)
        return None

    def expand(self, known: Mapping[str, Predicate]) -> tuple[str, ...]:
        """The plain texts possible under these predicates, in order; called only where `reach` answers."""
        values = [predicate.value for name in self.fields if isinstance(predicate := known.get(name), Equal)]
        if len(values) < len(self.fields):
            raise KeyRefused(f"{self.label} needs {', '.join(self.fields)}")
        return (self.compute(*values),)

    def enforces(self, test: type) -> bool:
        """Whether equality of this value is the same as such a predicate on its fields."""
        return False

    def covers(self, test: type) -> bool:
        """Whether the values asked for hold all that passes such a predicate, and the answer is sifted afterwards."""
        return False

    def problem_with(self, types: Mapping[str, Any]) -> str | None:
        """Why fields of these types cannot be its input, or None."""
        return None
