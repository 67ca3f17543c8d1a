"""Partition keys that some entities declare, so that a collection can place entities without a key there too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from singletable.model.entity import Entity
from singletable.model.key_template import FieldSlot, LiteralText, Template
from singletable.model.keys import TemplatePart


@dataclass(frozen=True)
class DeclaredPartition:
    """The partition key of an entity with a key."""

    entity: Entity
    template: Template

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields of the partition key, in their order."""
        return tuple(each.name for each in self.template.parts if isinstance(each, FieldSlot))

    def with_fields(self, names: Sequence[str]) -> str:
        """Return the template with the fields of another entity at the same places."""
        left = iter(names)
        return "".join(
            each.text if isinstance(each, LiteralText) else f"{{{next(left)}{_format(each)}}}"
            for each in self.template.parts
        )


def declared_partition(entity: Entity) -> DeclaredPartition | None:
    """Return the partition key of an entity in the table. Return None if it is not one template of fields."""
    parts = entity.base.partition
    if len(parts) != 1 or not isinstance(parts[0], TemplatePart):
        return None
    template = parts[0].template
    if not template.fields or not all(isinstance(each, FieldSlot) for each in template.slots):
        return None
    return DeclaredPartition(entity, template)


def _format(part: object) -> str:
    return f":{part.spec}" if isinstance(part, FieldSlot) and part.spec else ""
