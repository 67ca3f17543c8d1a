"""Findings: what a rule found in a design, where, and the way out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from singletable.errors import Location

Severity = Literal["error", "warning"]


@dataclass(frozen=True)
class Rule:
    """A rule's code and its name in a few words."""

    code: str
    title: str
    severity: Severity


@dataclass(frozen=True)
class Finding:
    """One thing that a rule found; `subject` is the pattern, entity or table that can accept it."""

    rule: Rule
    subject: str
    message: str
    location: Location
    remedy: str
    details: tuple[str, ...] = ()
    severity: Severity = "warning"
    accepted: str | None = None

    @property
    def code(self) -> str:
        """The rule's code, such as ST101."""
        return self.rule.code

    @property
    def fails(self) -> bool:
        """Whether `check` fails because of this finding."""
        return self.severity == "error" and self.accepted is None

    def __str__(self) -> str:
        lines = [f"{self.code} {self.rule.title}: {self.message}", *(f"  {detail}" for detail in self.details)]
        lines.append(f"  accepted: {self.accepted}" if self.accepted is not None else f"  {self.remedy}")
        return "\n".join(lines)
