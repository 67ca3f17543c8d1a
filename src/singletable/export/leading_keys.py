"""Partition keys as `dynamodb:LeadingKeys` can name them: patterns with `*` for what the fields of an item decide."""

from __future__ import annotations

from dataclasses import dataclass

from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.index import Index
from singletable.model.keys import KeyPart, NativePart, Placement, TemplatePart
from singletable.model.language import ANYTHING, Language, concat, literal, overlap
from singletable.model.template import FieldSlot, Literal, Part

ANY = "*"
# What StringLike and policy variables would read as something else has a variable of its own.
_SPECIAL = {"*": "${*}", "?": "${?}", "$": "${$}"}
# A policy is written in these characters alone (IAM user guide, "grammar of the JSON policy language").
_LAST_CHARACTER = "\u00ff"


@dataclass(frozen=True)
class LeadingKeys:
    """The partitions of one entity in the table or an index: as a pattern, and as the texts it stands for."""

    pattern: str | None
    """None when the partition key is no single text."""
    language: Language

    @property
    def restricts(self) -> bool:
        """Whether the pattern leaves anything out."""
        return self.pattern not in (None, ANY)


def leading_keys(placement: Placement) -> LeadingKeys:
    """The partitions in which an entity's items lie."""
    if len(placement.partition) != 1:
        return LeadingKeys(None, ANYTHING)
    (part,) = placement.partition
    if isinstance(part, NativePart):
        return LeadingKeys(ANY if part.type == "S" else None, ANYTHING)
    languages = (literal(each.text) if isinstance(each, Literal) else ANYTHING for each in part.template.parts)
    return LeadingKeys(_pattern(part.template.parts), concat(*languages))


def _pattern(parts: tuple[Part, ...]) -> str:
    written = "".join(written_text(part.text) if isinstance(part, Literal) else ANY for part in parts)
    while ANY * 2 in written:
        written = written.replace(ANY * 2, ANY)
    return written


def written_text(text: str) -> str:
    """Fixed text of a key in a pattern; `?` is any one character, for those that a policy cannot hold."""
    return "".join("?" if each > _LAST_CHARACTER else _SPECIAL.get(each, each) for each in text)


def sharing(design: Design, entity: Entity, index: Index) -> tuple[Entity, ...]:
    """The other entities that the pattern of an entity's partitions lets through too."""
    ours = leading_keys(entity.placements[index.alias]).language
    others = (other for other in design.placed_in(index) if other is not entity)
    return tuple(other for other in others if _meets(ours, other.placements[index.alias].partition))


def _meets(ours: Language, theirs: tuple[KeyPart, ...]) -> bool:
    part = theirs[0]
    return overlap(ours, part.template.language if isinstance(part, TemplatePart) else ANYTHING)


def tenant_pattern(placement: Placement, field: str, variable: str) -> str | None:
    """The partitions of one tenant, with a policy variable for its field; None when the key cannot keep tenants apart.

    The field leads the key, behind fixed text at most, and its segment ends behind it: what comes next is the
    delimiter or nothing, and the field's own text never holds the delimiter.
    """
    if len(placement.partition) != 1:
        return None
    (part,) = placement.partition
    if isinstance(part, NativePart):
        return variable if part.type == "S" and part.field.name == field else None
    parts = part.template.parts
    place = next((number for number, each in enumerate(parts) if not isinstance(each, Literal)), len(parts))
    slot, following = parts[place : place + 1], parts[place + 1 : place + 2]
    if not slot or not isinstance(slot[0], FieldSlot) or slot[0].name != field or slot[0].codec.spans_segments:
        return None
    if following and not _begins_with(following[0], part.template.delimiter):
        return None
    return f"{_pattern(parts[:place])}{variable}{_pattern(parts[place + 1 :])}"


def _begins_with(part: Part, delimiter: str) -> bool:
    return isinstance(part, Literal) and part.text.startswith(delimiter)
