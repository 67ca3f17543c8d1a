"""Which entities a batch can write: BatchWriteItem knows neither conditions nor what must be written together."""

from __future__ import annotations

from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.keeping import keeping_of


def why_not_in_batch(design: Design, entity: Entity) -> str | None:
    """Why a batch cannot write or delete items of an entity, and what can; None when it can."""
    if entity.declaration.version is not None:
        return (
            f"{entity.label} of {design.name} has the version {entity.declaration.version!r}, which is a condition of "
            "every write, and DynamoDB's batches have no conditions.\n"
            "  Write each with put(...) or delete(...), or up to 100 of them in a transaction()."
        )
    why = keeping_of(design.entities, entity).why
    if why is not None:
        return (
            f"{entity.label} of {design.name} has {why}, which only a transaction keeps right.\n"
            "  Write each with put(...) or delete(...), or several of them in a transaction()."
        )
    return None
