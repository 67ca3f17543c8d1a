"""Entity placement: the key attributes of the table and its indexes, and the keys of every entity in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from typing import Any, Literal, get_origin
from weakref import WeakKeyDictionary

from singletable.errors import Problem
from singletable.lazy_dataclass import dataclass, replace
from singletable.model.codecs.choose_codec import choose_codec
from singletable.model.derived.derived_value import DerivedValue
from singletable.model.entity import Entity, EntityDeclaration
from singletable.model.fields import Field
from singletable.model.index_checks import attribute_problems, index_problems, inverse_problems, misnamed_inverse
from singletable.model.key_template import InvalidTemplate, parse_template
from singletable.model.keys import KeyPart, NativePart, Placement, TemplatePart, native_type
from singletable.model.table_schema import (
    ALL,
    GSI,
    LSI,
    TABLE,
    AttributeType,
    Index,
    KeyAttribute,
    Native,
    Sparse,
    TableSettings,
    default_name,
    is_local,
)
from singletable.model.unique_markers import unique_placements

Position = str | Native


@dataclass(frozen=True)
class DeclaredKeys:
    """The keys that an entity declares for one index, as tuples with one element per key attribute."""

    declaration: EntityDeclaration
    partition: tuple[Position, ...]
    sort: tuple[Position, ...]
    sparse: bool


def place_entities(
    settings: TableSettings, declarations: Sequence[EntityDeclaration]
) -> tuple[dict[str, Index], list[Entity], list[Problem]]:
    """Compile the keys of all entities in the table and its indexes.

    Return the indexes, the entities and the problems.
    """
    problems: list[Problem] = []
    declared = {index.alias: index for index in settings.indexes}
    aliases = dict.fromkeys([TABLE, *(alias for d in declarations for alias in d.keys), *declared])
    placements: dict[str, dict[str, Placement]] = {declaration.name: {} for declaration in declarations}
    indexes: dict[str, Index] = {}
    for alias in aliases:
        inverted = declared.get(alias)
        if isinstance(inverted, GSI) and inverted.is_inverse and TABLE in indexes:
            problems += inverse_problems(settings, inverted, indexes[TABLE], declarations)
            indexes[alias] = inverse_index(inverted, indexes[TABLE])
            for placed in placements.values():
                if TABLE in placed:
                    placed[alias] = inverse_placement(indexes[alias], placed[TABLE])
            continue
        given = [
            _declared_keys(each, alias, _is_local_index(alias, declared), problems)
            for each in declarations
            if alias in each.keys
        ]
        layout = _Layout(settings, alias, declared.get(alias), [keys for keys in given if keys])
        indexes[alias] = layout.index(indexes.get(TABLE), problems)
        for keys in layout.given:
            placement = layout.place(indexes[alias], keys, indexes[TABLE], placements, problems)
            if placement:
                placements[keys.declaration.name][alias] = placement
    problems += misnamed_inverse(settings)
    types = _attribute_types(placements, problems, settings)
    indexes = {alias: _with_types(index, types) for alias, index in indexes.items()}
    entities = [
        _entity(settings, declaration, placements[declaration.name], indexes, problems) for declaration in declarations
    ]
    if not problems:
        problems += index_problems(settings, indexes)
        problems += [problem for entity in entities for problem in _estimate_problems(entity)]
    if not problems:
        problems += [problem for entity in entities for problem in attribute_problems(settings, entity, indexes)]
    return indexes, [entity for entity in entities if TABLE in entity.placements], problems


def _entity(
    settings: TableSettings,
    declaration: EntityDeclaration,
    placements: dict[str, Placement],
    indexes: dict[str, Index],
    problems: list[Problem],
) -> Entity:
    placed = {alias: replace(placement, index=indexes[alias]) for alias, placement in placements.items()}
    uniques = unique_placements(settings, declaration, indexes[TABLE], problems) if not problems else ()
    return Entity(declaration, placed, declaration.attributes, uniques)


def _estimate_problems(entity: Entity) -> Iterator[Problem]:
    for alias in entity.declaration.expected_per_partition:
        if alias not in entity.placements:
            message = f"{entity.label}: expected_per_partition names {alias!r}, but its keys are "
            yield Problem(message + ", ".join(entity.placements), entity.location)


def _is_local_index(alias: str, declared: Mapping[str, GSI | LSI]) -> bool:
    return isinstance(declared[alias], LSI) if alias in declared else is_local(alias)


def _declared_keys(
    declaration: EntityDeclaration, alias: str, local: bool, problems: list[Problem]
) -> DeclaredKeys | None:
    """Return the keys of an entity in one index as tuples. If they are invalid, add a problem and return None."""
    keys = declaration.keys[alias]
    if isinstance(keys, str) and alias != TABLE and not local:
        message = (
            f"{declaration.cls.__name__}: {alias}={keys!r} is one template, but an index usually has a partition "
            "and a sort key"
        )
        remedy = f'Add a sort key: {alias}=("{keys}", "..."). For an index without a sort key: {alias}=("{keys}",).'
        problems.append(Problem(message, declaration.location, remedy))
        return None
    sparse = isinstance(keys, Sparse)
    if isinstance(keys, Sparse):
        keys = keys.keys
    positions = keys if isinstance(keys, tuple) else (keys,)
    if local:
        positions = ((), positions[0]) if len(positions) == 1 else ()
    try:
        partition, sort = (*(_position(position) for position in positions), ())[:2]
        if not 1 <= len(positions) <= 2 or not (partition or local) or (local and len(sort) != 1):
            raise TypeError
    except (TypeError, ValueError):
        takes = "one sort key template" if local else 'a partition and a sort key template: ("CUST#{id}", "METADATA")'
        message = (
            f"{declaration.cls.__name__}: {alias}={declaration.keys[alias]!r} is not a valid key; expected {takes}"
        )
        problems.append(Problem(message, declaration.location))
        return None
    return DeclaredKeys(declaration, partition, sort, sparse)


def _position(position: Any) -> tuple[Position, ...]:
    if isinstance(position, str | Native):
        return (position,)
    if isinstance(position, tuple) and all(isinstance(part, str | Native) for part in position):
        return position
    raise TypeError


@dataclass(frozen=True)
class _Layout:
    """The declared keys of all entities in one index. They determine the names of its key attributes."""

    settings: TableSettings
    alias: str
    declared: GSI | LSI | None
    given: Sequence[DeclaredKeys]

    @property
    def name(self) -> str:
        if self.alias == TABLE:
            return self.settings.name
        return (self.declared.name if self.declared else None) or default_name(self.alias)

    def index(self, table: Index | None, problems: list[Problem]) -> Index:
        projection = self.declared.projection if self.declared else ALL
        if isinstance(self.declared, LSI) or (self.declared is None and is_local(self.alias)):
            assert table is not None, "the table is compiled before its indexes"
            named = (self.declared.sort,) if isinstance(self.declared, LSI) and self.declared.sort else ()
            sort = self._attributes("sort", named, "SK")
            return Index(self.alias, self.name, "LSI", table.partition, sort, projection)
        self._check_names(problems)
        partition = self._attributes("partition", self._declared_names(0), "PK")
        sort = self._attributes("sort", self._declared_names(1), "SK")
        self._check_counts(len(partition), len(sort), problems)
        return Index(self.alias, self.name, "table" if self.alias == TABLE else "GSI", partition, sort, projection)

    @property
    def _declared_attributes(self) -> Any:
        """The names of the key attributes as declared with `keys=`, or None."""
        return self.settings.keys if self.alias == TABLE else getattr(self.declared, "keys", None)

    def _check_names(self, problems: list[Problem]) -> None:
        keys = self._declared_attributes
        if keys is not None and (isinstance(keys, str) or len(keys) > 2):
            message = (
                f"{self.settings.name}: {self.alias} keys={keys!r} must name a partition and a sort key attribute: "
                '("PK", "SK")'
            )
            problems.append(Problem(message, self.settings.location))

    def _declared_names(self, position: int) -> tuple[str, ...]:
        keys = self._declared_attributes
        names = keys[position] if keys and position < len(keys) else ()
        return (names,) if isinstance(names, str) else names

    def _attributes(self, side: str, named: tuple[str, ...], suffix: str) -> tuple[KeyAttribute, ...]:
        if named:
            return tuple(KeyAttribute(name) for name in named)
        # Until an entity has a key, the table has the declared key attributes or the default key attributes.
        is_open = self.alias == TABLE and self.settings.keys is None
        count = max((len(getattr(keys, side)) for keys in self.given), default=int(is_open))
        prefix = "" if self.alias == TABLE else self.name
        return tuple(
            KeyAttribute(self._native_name(side, number) or f"{prefix}{suffix}{number + 1 if count > 1 else ''}")
            for number in range(count)
        )

    def _native_name(self, side: str, number: int) -> str | None:
        """Return the attribute name of a native key in this position, if an entity has one."""
        for keys in self.given:
            positions = getattr(keys, side)
            if number < len(positions) and isinstance(position := positions[number], Native):
                return keys.declaration.attributes.get(position.field, position.field)
        return None

    def _check_counts(self, partition: int, sort: int, problems: list[Problem]) -> None:
        for keys in self.given:
            if (len(keys.partition), len(keys.sort)) != (partition, sort):
                message = (
                    f"{keys.declaration.cls.__name__}: {self.alias} has {len(keys.partition)} partition and "
                    f"{len(keys.sort)} sort key attributes, but other entities have {partition} and {sort}"
                )
                problems.append(
                    Problem(message, keys.declaration.location, "All entities must use the same key attributes.")
                )
        if self.alias == TABLE and (partition > 1 or sort > 1):
            message = f"{self.settings.name}: only a global index supports multi-attribute keys"
            problems.append(Problem(message, self.settings.location))

    def place(
        self,
        index: Index,
        keys: DeclaredKeys,
        table: Index,
        placements: dict[str, dict[str, Placement]],
        problems: list[Problem],
    ) -> Placement | None:
        declaration = keys.declaration
        if index.kind == "LSI":
            base = placements[declaration.name].get(TABLE)
            partition = base.partition if base else ()
        else:
            partition = tuple(self._parts(keys.partition, index.partition, declaration, problems))
        sort = tuple(self._parts(keys.sort, index.sort, declaration, problems))
        if len(partition) != len(index.partition) or len(sort) != len(index.sort):
            return None
        return Placement(index, partition, sort, keys.sparse, declaration.location)

    def _parts(
        self,
        positions: Sequence[Position],
        attributes: Sequence[KeyAttribute],
        declaration: EntityDeclaration,
        problems: list[Problem],
    ) -> Iterator[KeyPart]:
        for position, attribute in zip(positions, attributes, strict=False):
            try:
                yield _part(position, attribute.name, declaration, self.settings.delimiter)
            except InvalidTemplate as problem:
                shown = position if isinstance(position, str) else f"native({position.field!r})"
                message = f'{declaration.cls.__name__}: {self.alias} {attribute.name} = "{shown}": {problem}'
                problems.append(Problem(message, declaration.location))


def _part(position: Position, attribute: str, declaration: EntityDeclaration, delimiter: str) -> KeyPart:
    if isinstance(position, str):
        return _template_part(position, attribute, declaration, delimiter)
    field = declaration.fields.get(position.field)
    if field is None:
        raise InvalidTemplate(f"{position.field!r} is not a field. The fields are {', '.join(declaration.fields)}")
    kind = native_type(field.type)
    if kind is None:
        raise InvalidTemplate(f"{field.type_name} cannot be a key attribute; use text, a number or bytes")
    stored = declaration.attributes[field.name]
    if stored != attribute:
        raise InvalidTemplate(
            f"the field is stored as {stored!r}, but the key attribute is {attribute!r}; "
            f'declare attributes={{"{field.name}": "{attribute}"}}'
        )
    if kind != "S" and position.format:
        raise InvalidTemplate(f"an attribute of type {kind} does not support a format; remove {position.format!r}")
    try:
        # Numbers, bytes and text are stored unchanged. Dates, UUIDs and formatted values are stored as encoded text.
        is_stored_directly = kind != "S" or (_is_text(field.type) and not position.format)
        codec = None if is_stored_directly else choose_codec(field.type, position.format, delimiter, field.codecs)
    except ValueError as problem:
        raise InvalidTemplate(str(problem)) from problem
    return NativePart(attribute, field, kind, codec)


@dataclass(frozen=True)
class _Parsed:
    """A parsed template, and the fields and derived values that it was parsed with."""

    part: TemplatePart
    fields: Mapping[str, Field]
    derived: Mapping[str, DerivedValue]


_parsed: WeakKeyDictionary[type, dict[tuple[str, str, str], _Parsed]] = WeakKeyDictionary()
"""Parsed templates by class. The search for remedies compiles many designs that differ in only one entity."""


def _template_part(position: str, attribute: str, declaration: EntityDeclaration, delimiter: str) -> TemplatePart:
    parsed, key = _parsed.setdefault(declaration.cls, {}), (position, attribute, delimiter)
    known, fields, derived = parsed.get(key), declaration.fields, declaration.derived
    if known is None or known.fields is not fields or known.derived is not derived:
        part = TemplatePart(attribute, parse_template(position, fields, derived, delimiter))
        known = parsed[key] = _Parsed(part, fields, derived)
    return known.part


def _is_text(field_type: Any) -> bool:
    return field_type is str or get_origin(field_type) is Literal or issubclass(field_type, Enum)


def _attribute_types(
    placements: Mapping[str, Mapping[str, Placement]], problems: list[Problem], settings: TableSettings
) -> dict[str, AttributeType]:
    """Return the type of each key attribute. All entities and indexes must use the same type for an attribute."""
    types: dict[str, dict[AttributeType, str]] = {}
    for name, placed in placements.items():
        for placement in placed.values():
            for part in placement.parts:
                types.setdefault(part.attribute, {}).setdefault(part.type, f"{name} ({placement.index.label})")
    for attribute, found in types.items():
        if len(found) > 1:
            spread = ", ".join(f"{kind} in {where}" for kind, where in found.items())
            message = f"{settings.name}: the key attribute {attribute} is {spread}"
            problems.append(
                Problem(message, settings.location, "A key attribute must have the same type in the whole table.")
            )
    return {attribute: next(iter(found)) for attribute, found in types.items()}


def _with_types(index: Index, types: Mapping[str, AttributeType]) -> Index:
    def typed(attributes: tuple[KeyAttribute, ...]) -> tuple[KeyAttribute, ...]:
        return tuple(KeyAttribute(each.name, types.get(each.name, "S")) for each in attributes)

    return replace(index, partition=typed(index.partition), sort=typed(index.sort))


def inverse_index(declared: GSI, table: Index) -> Index:
    """Return an index that swaps the partition and sort key of the table."""
    name = declared.name or default_name(declared.alias)
    return Index(declared.alias, name, "GSI", table.sort, table.partition, declared.projection, is_inverse=True)


def inverse_placement(index: Index, base: Placement) -> Placement:
    """Return the keys of an entity in the inverse index: the partition and sort key of the table, swapped."""
    return Placement(index, base.sort, base.partition, False, base.location)
