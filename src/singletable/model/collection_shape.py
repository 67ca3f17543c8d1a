"""Shapes of item collections: classes whose fields are entities, optional entities or lists of entities."""

from __future__ import annotations

from typing import Any, Literal, get_args, get_origin

from singletable.lazy_dataclass import dataclass
from singletable.model.entity import declaration_of
from singletable.model.fields import fields_of, name_of, strip


@dataclass(frozen=True)
class ShapeMember:
    """A field of a shape: its entity, and whether it is required, optional or a list."""

    name: str
    entity: type
    kind: Literal["one", "maybe", "many"]


class InvalidShape(ValueError):
    """The class is not a valid shape of a collection."""


def members_of(shape: type) -> tuple[ShapeMember, ...]:
    """Return the members of a shape, in declaration order."""
    try:
        fields = fields_of(shape)
    except NameError as problem:
        raise InvalidShape(f"the annotations of {shape.__name__} cannot be resolved: {problem}") from problem
    members = tuple(_member(shape, field.name, field.type, field.optional) for field in fields.values())
    if not members:
        raise InvalidShape(f"{shape.__name__} has no members; a shape needs at least one member")
    entities = [member.entity for member in members]
    for member in members:
        if entities.count(member.entity) > 1:
            raise InvalidShape(
                f"{shape.__name__} has two members of type {member.entity.__name__}, but an item can belong to only one"
            )
    return members


def _member(shape: type, name: str, annotation: Any, optional: bool) -> ShapeMember:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if (origin is list or (origin is tuple and arguments[1:] == (...,))) and arguments:
        element, maybe = strip(arguments[0])
        if declaration_of(element) and not maybe:
            return ShapeMember(name, element, "many")
    if declaration_of(annotation):
        return ShapeMember(name, annotation, "maybe" if optional else "one")
    raise InvalidShape(
        f"{shape.__name__}.{name} is {name_of(annotation)}; "
        "a member must be an entity, `Entity | None` or `list[Entity]`"
    )
