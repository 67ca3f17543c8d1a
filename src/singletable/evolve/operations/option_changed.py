"""The identity or version field of an entity has changed; stored items do not depend on these options."""

from __future__ import annotations

from typing import Any, ClassVar

from singletable.evolve.operation import Operation, with_entity
from singletable.evolve.snapshot_records import Snapshot
from singletable.lazy_dataclass import dataclass


@dataclass(frozen=True)
class OptionChanged(Operation):
    """An option of `@entity` that only affects code."""

    kind: ClassVar[str] = "option changed"
    entity: str
    label: str
    option: str
    before: Any
    after: Any

    @property
    def subject(self) -> str:
        return f"{self.label} {self.option}="

    @property
    def detail(self) -> str:
        return f"{_text(self.before)} → {_text(self.after)}"

    @property
    def items(self) -> str:
        return "no stored item changes"

    def apply(self, snapshot: Snapshot) -> Snapshot:
        return with_entity(snapshot, self.entity, **{self.option: self.after})


def _text(value: Any) -> str:
    return ", ".join(value) if isinstance(value, tuple) else str(value or "none")
