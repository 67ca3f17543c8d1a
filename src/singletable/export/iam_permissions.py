"""The IAM actions that patterns, reads and writes need, and the partition keys they access."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from singletable.model.derived_data import derived_data_of
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.intents import ItemWriteIntent
from singletable.model.key_template import FieldSlot, LiteralText, Part
from singletable.model.keys import KeyPart, NativePart, Placement, TemplatePart
from singletable.model.pattern_declaration import PatternDeclaration
from singletable.model.regular_language import ANYTHING, Language, concat, literal, overlap
from singletable.model.table_schema import TOKEN_PREFIX, Index
from singletable.planner.plan import Plan, UnsupportedPattern
from singletable.planner.planner import plan, plan_copies_query

# IAM has no action for transactions. For example, PutItem also allows a Put in a transaction.
WRITES = ("PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "ConditionCheckItem")
READS_BY_KEY = ("GetItem", "BatchGetItem")


@dataclass(frozen=True)
class Permission:
    """One action on the partitions of an entity, or of its unique markers, in the table or an index."""

    action: str
    entity: Entity
    placement: Placement

    @property
    def index(self) -> Index:
        """The table or index that the action accesses."""
        return self.placement.index


def pattern_permissions(design: Design, pattern: PatternDeclaration) -> tuple[Permission, ...]:
    """Return the permissions of a pattern. Return none if the pattern is not supported."""
    outcome = plan(design, pattern)
    if isinstance(outcome, UnsupportedPattern):
        return ()
    if isinstance(pattern.intent, ItemWriteIntent):
        (entity,) = outcome.entities
        # A write may read its item first.
        actions = _permissions(entity.base, entity, (outcome.operation, "GetItem"))
        derived = _derived_permissions(design, entity, set()) if outcome.derived_writes is not None else ()
        return (*actions, *derived)
    return tuple(_plan_permissions(outcome))


def read_permissions(design: Design, entity: Entity) -> tuple[Permission, ...]:
    """Return the permissions to read an entity by key and by every pattern that returns it."""
    permissions = list(_permissions(entity.base, entity, READS_BY_KEY))
    for pattern in design.patterns:
        if not isinstance(pattern.intent, ItemWriteIntent):
            permissions += [each for each in pattern_permissions(design, pattern) if each.entity is entity]
    return tuple(permissions)


def write_permissions(design: Design, entity: Entity) -> tuple[Permission, ...]:
    """Return the permissions to write an entity, with its derived data."""
    return (*_permissions(entity.base, entity, WRITES), *_derived_permissions(design, entity, set()))


def _plan_permissions(outcome: Plan) -> Iterator[Permission]:
    for entity in outcome.entities:
        yield from _permissions(entity.placements[outcome.index.alias], entity, (outcome.operation,))
        if outcome.hydrate:
            yield from _permissions(entity.base, entity, ("BatchGetItem",))


def _permissions(placement: Placement, entity: Entity, actions: Iterable[str]) -> Iterator[Permission]:
    return (Permission(action, entity, placement) for action in actions)


def _derived_permissions(design: Design, entity: Entity, seen: set[type]) -> Iterator[Permission]:
    """Yield the permissions that a write needs for derived data, and for that of the copies that it updates."""
    seen.add(entity.cls)
    rules = derived_data_of(design.entities, entity)
    for marker in rules.uniques:
        yield from _permissions(marker, entity, ("PutItem", "DeleteItem"))
    for _, owner in rules.counted:
        yield from _permissions(owner.base, owner, ("UpdateItem",))
    for mirror in rules.mirrors:
        yield from _permissions(mirror.base, mirror, ("PutItem", "DeleteItem"))
    for _, source in rules.copies:
        yield from _permissions(source.base, source, ("GetItem", "ConditionCheckItem"))
    for copy, holder in rules.copied_by:
        found = plan_copies_query(design, copy, holder)
        if isinstance(found, Plan):
            yield from _plan_permissions(found)
        yield from _permissions(holder.base, holder, ("UpdateItem",))
        yield from _permissions(entity.base, entity, ("ConditionCheckItem",))
        if holder.cls not in seen:
            yield from _derived_permissions(design, holder, seen)


def token_marker_permissions(design: Design) -> tuple[tuple[str, str], ...]:
    """Return the action that stores an idempotency token, with a pattern that matches the partition keys of all tokens.

    Return none if the keys of the table are not strings, because such a table cannot store tokens.
    """
    table = design.table
    if any(attribute.type != "S" for attribute in (*table.partition, *table.sort)):
        return ()
    return (("PutItem", f"{escape_literal(TOKEN_PREFIX)}{ANY}"),)


ANY = "*"
# In a StringLike pattern, `*` and `?` are wildcards. These policy variables stand for the characters themselves.
_SPECIAL = {"*": "${*}", "?": "${?}", "$": "${$}"}
# The last character that a policy may contain (IAM user guide, "grammar of the JSON policy language").
_LAST_CHARACTER = "\u00ff"


@dataclass(frozen=True)
class LeadingKeys:
    """The partition keys of one entity in the table or an index, as a StringLike pattern and a regular language."""

    pattern: str | None
    """None if the partition key is not a single string."""
    language: Language

    @property
    def restricts(self) -> bool:
        """Whether the pattern excludes any partition key."""
        return self.pattern not in (None, ANY)


def leading_keys(placement: Placement) -> LeadingKeys:
    """Return the partition keys of an entity's items."""
    if len(placement.partition) != 1:
        return LeadingKeys(None, ANYTHING)
    (part,) = placement.partition
    if isinstance(part, NativePart):
        return LeadingKeys(ANY if part.type == "S" else None, ANYTHING)
    languages = (literal(each.text) if isinstance(each, LiteralText) else ANYTHING for each in part.template.parts)
    return LeadingKeys(_pattern(part.template.parts), concat(*languages))


def _pattern(parts: tuple[Part, ...]) -> str:
    written = "".join(escape_literal(part.text) if isinstance(part, LiteralText) else ANY for part in parts)
    while ANY * 2 in written:
        written = written.replace(ANY * 2, ANY)
    return written


def escape_literal(text: str) -> str:
    """Escape the literal text of a key. `?` represents a character that a policy cannot contain."""
    return "".join("?" if each > _LAST_CHARACTER else _SPECIAL.get(each, each) for each in text)


def entities_sharing(design: Design, entity: Entity, index: Index) -> tuple[Entity, ...]:
    """Return the other entities that have partition keys which match the pattern of this entity."""
    ours = leading_keys(entity.placements[index.alias]).language
    others = (other for other in design.placed_in(index) if other is not entity)
    return tuple(other for other in others if _meets(ours, other.placements[index.alias].partition))


def _meets(ours: Language, theirs: tuple[KeyPart, ...]) -> bool:
    part = theirs[0]
    return overlap(ours, part.template.language if isinstance(part, TemplatePart) else ANYTHING)


def tenant_pattern(placement: Placement, field: str, variable: str) -> str | None:
    """Return a pattern for the partition keys of one tenant, with a policy variable in place of the tenant field.

    Return None if the pattern can match the keys of another tenant. Only literal text may precede the field, and only
    the delimiter may follow it, or the end of the key. The value of the field never contains the delimiter.
    """
    if len(placement.partition) != 1:
        return None
    (part,) = placement.partition
    if isinstance(part, NativePart):
        return variable if part.type == "S" and part.field.name == field else None
    parts = part.template.parts
    place = next((number for number, each in enumerate(parts) if not isinstance(each, LiteralText)), len(parts))
    slot, rest = parts[place : place + 1], parts[place + 1 : place + 2]
    if not slot or not isinstance(slot[0], FieldSlot) or slot[0].name != field or slot[0].codec.spans_segments:
        return None
    if rest and not _begins_with(rest[0], part.template.delimiter):
        return None
    return f"{_pattern(parts[:place])}{variable}{_pattern(parts[place + 1 :])}"


def _begins_with(part: Part, delimiter: str) -> bool:
    return isinstance(part, LiteralText) and part.text.startswith(delimiter)
