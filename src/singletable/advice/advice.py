"""A piece of advice: what in the model speaks against one table, why, and what to do instead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Weight = Literal["strong", "mild"]


@dataclass(frozen=True)
class Advice:
    """What a rule says of a design; a strong one speaks against the table as a whole, a mild one against a part."""

    topic: str
    weight: Weight
    reason: str
    evidence: tuple[str, ...]
    """The patterns or entities that it was seen in, each in a few words."""
    instead: str

    def __str__(self) -> str:
        lines = [f"{self.topic}: {self.reason}", *(f"  {each}" for each in self.evidence), f"  Instead: {self.instead}"]
        return "\n".join(lines)
