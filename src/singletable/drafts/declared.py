"""What a draft declares: the arguments of its entities and of its table, for the file and for the design alike."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from singletable.drafts.conditions import Wording
from singletable.drafts.constants import words_in
from singletable.drafts.draft import (
    DraftCardinality,
    DraftClass,
    DraftDerived,
    DraftEntity,
    DraftField,
    DraftIndex,
    DraftKeys,
    DraftLink,
    DraftTable,
    NativeKey,
    Position,
)
from singletable.drafts.terms import Call, Constant, Declared, FieldOf, Keywords, Listed, Named, OrNone, Term
from singletable.drafts.type_text import CONTAINERS, PLAIN, read_type
from singletable.drafts.vocabulary import STANDARD
from singletable.expressions import tree

_TYPES = frozenset((*STANDARD, *PLAIN, *CONTAINERS))
_LINE_MAX = 400
"""A docstring that is longer says too much; a shorter one stays as it is, however wide the file gets."""


def printable(text: str) -> str:
    """The text on one line, without what a source file cannot hold."""
    return " ".join("".join(each if each.isprintable() else " " for each in text).split())


def docline(text: str) -> str:
    """What a class or a function says of itself, in one line."""
    plain = printable(text)[:_LINE_MAX].rstrip()
    return plain if plain.endswith((".", "!", "?")) else f"{plain}."


def entity_keywords(entity: DraftEntity, table: DraftTable) -> Keywords:
    """What `@entity` is given."""
    return tuple(_entity_keywords(entity, Wording(table, entity.class_name, ())))


def _entity_keywords(entity: DraftEntity, wording: Wording) -> Iterator[tuple[str, Term]]:
    for alias, keys in entity.keys.items():
        yield alias, _keys(keys)
    if entity.stored_name is not None and entity.stored_name != entity.class_name:
        yield "name", entity.stored_name
    renamed = {each.name: each.attribute for each in entity.fields if each.attribute not in (None, each.name)}
    if renamed:
        yield "attributes", renamed
    yield from _kept(entity, wording)
    if entity.ttl is not None:
        yield "ttl", entity.ttl
    if entity.accept:
        yield "accept", entity.accept


def _kept(entity: DraftEntity, wording: Wording) -> Iterator[tuple[str, Term]]:
    """What the entity says of itself beside its keys."""
    if entity.derived:
        yield "derived", {name: _derived(each) for name, each in entity.derived.items()}
    if entity.identity is not None:
        yield "identity", entity.identity
    if entity.schema_version is not None:
        yield "schema_version", entity.schema_version
    if entity.version is not None:
        yield "version", entity.version
    if entity.unique:
        yield "unique", Listed(entity.unique)
    if entity.copies:
        yield "copies", Listed(tuple(_link(each, wording) for each in entity.copies))
    if entity.counted:
        yield "counted", Listed(tuple(_link(each, wording) for each in entity.counted))
    if entity.mirror_of is not None:
        yield "mirror_of", Named(entity.mirror_of)
    yield from _for_cost(entity)


def _for_cost(entity: DraftEntity) -> Iterator[tuple[str, Term]]:
    """What it says of its numbers, for cost and heat, and of who may see it."""
    if entity.expected_bytes is not None:
        yield "expected_bytes", entity.expected_bytes
    if entity.expected_items is not None:
        yield "expected_items", entity.expected_items
    if entity.expected_per_partition:
        yield "expected_per_partition", entity.expected_per_partition
    if entity.cardinality:
        yield "cardinality", {name: _cardinality(each) for name, each in entity.cardinality.items()}
    if entity.access is not None:
        yield "access", entity.access


def _cardinality(each: DraftCardinality) -> Term:
    return each.values if each.hottest is None else Call("skewed", (each.values,), (("hottest", each.hottest),))


def _keys(keys: DraftKeys) -> Term:
    positions = (_position(keys.partition), *((_position(keys.sort),) if keys.sort else ()))
    return Call("sparse", positions) if keys.sparse else positions


def _position(parts: tuple[Position, ...]) -> Term:
    terms = tuple(part if isinstance(part, str) else _native(part) for part in parts)
    return terms[0] if len(terms) == 1 else terms


def _native(part: NativeKey) -> Term:
    return Call("native", (part.field, part.format) if part.format else (part.field,))


def _derived(made: DraftDerived) -> Term:
    if made.function is not None:
        values: Keywords = (("values", made.values),) if made.values is not None else ()
        return Call("derive", (Named(made.function), *made.fields), values)
    keyword = {"shard": "of", "geohash": "precision"}.get(made.kind)
    if made.argument is None:
        return Call(made.kind, made.fields)
    if keyword is None:
        return Call(made.kind, (*made.fields, made.argument))
    return Call(made.kind, made.fields, ((keyword, made.argument),))


def _link(link: DraftLink, wording: Wording) -> Term:
    source = (Named(link.class_name),)
    if link.counter is not None:
        where: Keywords = (("where", wording.condition(link.where)),) if link.where is not None else ()
        return Call("count", source, (("by", link.by), ("field", link.counter), *where))
    in_parts: Keywords = (("in_parts", True),) if link.in_parts else ()
    return Call("copy", source, (("by", link.by), ("fields", link.fields), *in_parts))


def in_order_of_use(table: DraftTable) -> Iterator[DraftClass | DraftEntity]:
    """The classes and entities, each after those that it is declared with, else as the table has them."""
    waiting: list[DraftClass | DraftEntity] = [*table.classes, *table.entities]
    while waiting:
        names = {each.class_name for each in waiting}
        free = (each for each in waiting if _used_by(each) & names <= {each.class_name})
        found = next(free, waiting[0])
        waiting.remove(found)
        yield found


def _used_by(owner: DraftClass | DraftEntity) -> set[str]:
    used = {name for each in owner.fields for name in (*read_type(each.type).names, *words_in(each.default))}
    if isinstance(owner, DraftEntity):
        used |= {each.class_name for each in (*owner.copies, *owner.counted)}
        used |= {name for each in owner.counted for name in _words(each.where)}
        used |= {owner.mirror_of} if owner.mirror_of is not None else set()
    return used


def _words(condition: tree.Condition | None) -> set[str]:
    """The classes that the constants of a condition are of."""
    return {name for leaf in tree.leaves(condition) if isinstance(leaf, tree.Constant) for name in words_in(leaf.value)}


def class_fields(fields: Iterable[DraftField]) -> tuple[Declared, ...]:
    """The fields in the order in which a dataclass takes them: what may be left out comes last.

    Last of all is what is called as a type is, such as `date`, which would hide the type from the defaults behind it.
    """
    return tuple(_field(each) for each in sorted(fields, key=lambda each: (each.can_be_left_out, each.name in _TYPES)))


def _field(each: DraftField) -> Declared:
    plain = FieldOf(each.type, each.choices)
    kind = OrNone(plain) if each.optional and each.type != "Any" else plain
    return Declared(each.name, kind, each.can_be_left_out, Constant(each.default), each.default_function)


def table_keywords(table: DraftTable) -> Keywords:
    """What a table's class is given."""
    return tuple(_table_keywords(table))


def _table_keywords(table: DraftTable) -> Iterator[tuple[str, Term]]:
    names = dict.fromkeys(entity.class_name for entity in table.entities)
    yield "entities", Listed(tuple(Named(name) for name in names))
    if table.name != table.class_name:
        yield "name", table.name
    if table.keys != ("PK", "SK"):
        yield "keys", table.keys
    indexes = tuple(_index(index) for index in table.indexes if not _is_default(index))
    if indexes:
        yield "indexes", Listed(indexes)
    if table.type_attribute != "entity_type":
        yield "type_attribute", table.type_attribute
    if table.ttl_attribute is not None:
        yield "ttl_attribute", table.ttl_attribute
    if table.delimiter != "#":
        yield "delimiter", table.delimiter
    if table.schema_version_attribute != "schema_v":
        yield "schema_version_attribute", table.schema_version_attribute
    if table.accept:
        yield "accept", table.accept


def _is_default(index: DraftIndex) -> bool:
    expected = (index.alias.upper(), (f"{index.name}PK",), (f"{index.name}SK",))
    plain = (index.name, index.partition, index.sort) == expected and index.projection == "ALL" and not index.is_inverse
    return index.kind == "GSI" and plain and re.fullmatch(r"gsi\d+", index.alias) is not None


def _index(index: DraftIndex) -> Term:
    named: list[tuple[str, Term]] = [("name", index.name)]
    if index.is_inverse:
        pass  # by the table's own keys
    elif index.kind == "GSI":
        named.append(("keys", (_names(index.partition), *((_names(index.sort),) if index.sort else ()))))
    else:
        named.append(("sort", index.sort[0]))
    if index.projection == "KEYS_ONLY":
        named.append(("projection", Named("KEYS_ONLY")))
    elif index.projection == "INCLUDE":
        named.append(("projection", Call("include", index.included)))
    return Call("inverse" if index.is_inverse else index.kind, (index.alias,), tuple(named))


def _names(names: tuple[str, ...]) -> Term:
    return names[0] if len(names) == 1 else names
