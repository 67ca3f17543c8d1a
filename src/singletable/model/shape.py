"""The shape of an item collection: a plain class whose members are entities, optional ones, or lists of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args, get_origin

from singletable.model.entity import declaration_of
from singletable.model.fields import fields_of, name_of, strip


@dataclass(frozen=True)
class Member:
    """One member of a shape: which entity, and whether it is required, optional or a list."""

    name: str
    entity: type
    kind: Literal["one", "maybe", "many"]


class ShapeProblem(ValueError):
    """A class that cannot be the shape of a collection."""


def members_of(shape: type) -> tuple[Member, ...]:
    """The members of a shape in order of declaration."""
    try:
        fields = fields_of(shape)
    except NameError as problem:
        raise ShapeProblem(f"the annotations of {shape.__name__} cannot be read: {problem}") from problem
    members = tuple(_member(shape, field.name, field.type, field.optional) for field in fields.values())
    if not members:
        raise ShapeProblem(f"{shape.__name__} has no members; a shape has at least one")
    entities = [member.entity for member in members]
    for member in members:
        if entities.count(member.entity) > 1:
            raise ShapeProblem(f"{shape.__name__} has two members of {member.entity.__name__}; items could be either")
    return members


def _member(shape: type, name: str, annotation: Any, optional: bool) -> Member:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if (origin is list or (origin is tuple and arguments[1:] == (...,))) and arguments:
        element, maybe = strip(arguments[0])
        if declaration_of(element) and not maybe:
            return Member(name, element, "many")
    if declaration_of(annotation):
        return Member(name, annotation, "maybe" if optional else "one")
    raise ShapeProblem(
        f"{shape.__name__}.{name} is {name_of(annotation)}; a member is an entity, `Entity | None` or `list[Entity]`"
    )
