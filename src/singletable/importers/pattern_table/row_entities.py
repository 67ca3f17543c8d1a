"""Entities and indexes, inferred from the key conditions of a pattern table."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from singletable.importers import names as python_names
from singletable.importers.draft import FieldType
from singletable.importers.pattern_table.key_cells import KeyCell, KeyField, KeyText, KeyValue
from singletable.importers.pattern_table.row_access import Access

_GENERIC = re.compile(r"(?:[gl]si[-_]?\d*[-_]?)?(?:pk|sk|hash|range|(?:partition|sort|hash|range)[-_ ]?key)", re.I)
SINGLE_ITEM = KeyValue(((KeyText("METADATA"),),))
_RANKS = {"put": 0, "get": 1, "query": 2, "scan": 3, "delete": 4, "update": 5, "other": 6}


@dataclass
class InferredEntity:
    """An entity: its noun, the key in the table (None if no row contains it), and its keys in indexes by alias."""

    noun: str
    class_name: str
    partition: KeyValue | None = None
    sort: KeyValue | None = None
    is_open: bool = False
    """Whether the file does not define the end of the sort key."""
    index_keys: dict[str, tuple[KeyValue, KeyValue | None]] = field(default_factory=dict)
    attributes: dict[str, str] = field(default_factory=dict)
    """The key attributes of indexes that contain the value of a field unchanged, by field."""
    more_fields: dict[str, None] = field(default_factory=dict)

    @property
    def fields(self) -> tuple[str, ...]:
        """All fields, with the key fields first."""
        values = [self.partition, self.sort, *(value for keys in self.index_keys.values() for value in keys)]
        return tuple(dict.fromkeys([*(name for value in values if value for name in value.fields), *self.more_fields]))

    @property
    def key_fields(self) -> tuple[str, ...]:
        """The fields of the key in the table."""
        values = [value for value in (self.partition, self.sort) if value]
        return tuple(dict.fromkeys(name for value in values for name in value.fields))


@dataclass
class InferredIndex:
    """An index: its keyword, its name, and the names of its key attributes."""

    alias: str
    name: str
    is_local: bool
    partition: str
    sort: str | None
    is_inverse: bool = False


@dataclass
class InferredTable:
    """The entities and indexes of a pattern table, with the entities of each row."""

    keys: tuple[str, ...]
    entities: list[InferredEntity] = field(default_factory=list)
    indexes: dict[str, InferredIndex] = field(default_factory=dict)
    by_row: dict[int, tuple[InferredEntity, ...]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def infer_table(accesses: Sequence[Access]) -> InferredTable:
    """Infer the entities from whole keys first, then from key ranges, partitions and indexes."""
    base = [access for access in accesses if access.index is None]
    table = InferredTable(_base_keys(base))
    whole = [each for each in base if each.partition and (each.has_whole_sort_key or _is_of_one_item(each))]
    ranges = [each for each in base if each.partition and each.sort and not each.has_whole_sort_key]
    partitions = [each for each in base if each.partition and not each.sort and not _is_of_one_item(each)]
    for access in sorted(whole, key=lambda each: _RANKS[each.kind]):
        table.by_row[id(access)] = tuple(_whole_key_entities(table, access))
    for access in ranges:
        table.by_row[id(access)] = (_range_entity(table, access),)
    for access in partitions:
        table.by_row[id(access)] = _partition_entities(table, access)
    _rename(table, base)
    _close(table)
    _add_indexes(table, [access for access in accesses if access.index is not None])
    for access in accesses:
        if id(access) not in table.by_row:
            table.by_row[id(access)] = (_by_noun(table, access) or _new(table, access),)
    return table


def _base_keys(base: Sequence[Access]) -> tuple[str, ...]:
    partition = next((each.partition.attribute for each in base if each.partition and each.partition.attribute), "PK")
    sort = next((cell.attribute for each in base for cell in each.sort if cell.attribute), "SK")
    return (partition, sort) if not base or any(map(_needs_sort_key, base)) else (partition,)


def _needs_sort_key(access: Access) -> bool:
    """Return whether a row reads several items of one partition, or names a sort key."""
    return bool(access.sort) or access.kind == "query" or (access.kind == "scan" and access.partition is not None)


def _is_of_one_item(access: Access) -> bool:
    return not access.sort and access.kind in ("get", "put", "update", "delete", "other")


def _whole_key_entities(table: InferredTable, access: Access) -> Iterator[InferredEntity]:
    """Yield the entity of each whole key. A transaction has several."""
    assert access.partition is not None, "the caller selects rows with a partition key"
    has_sort = len(table.keys) > 1
    for number, cell in enumerate(access.sort or (None,)):
        sort = cell.value if cell is not None else SINGLE_ITEM if has_sort else None
        found = next(
            (
                each
                for each in table.entities
                if _same(each.partition, access.partition.value) and _same(each.sort, sort)
            ),
            None,
        )
        if found is None:
            found = _new(table, access, "" if number == 0 else _first_word(sort))
            found.partition, found.sort = access.partition.value, sort
            if cell is None and has_sort:
                table.notes.append(
                    f"{found.class_name}: the file contains no sort key, so the model uses the constant "
                    f"{SINGLE_ITEM.template}."
                )
        yield found


def _first_word(sort: KeyValue | None) -> str:
    pieces = sort.segments[0] if sort and sort.segments else ()
    return pieces[0].text if pieces and isinstance(pieces[0], KeyText) else ""


def _same(one: KeyValue | None, other: KeyValue | None) -> bool:
    return (one and one.template) == (other and other.template)


def _range_entity(table: InferredTable, access: Access) -> InferredEntity:
    assert access.partition is not None, "the caller selects rows with a partition key"
    head = range_head(access.sort[0])
    shared = [each for each in table.entities if _same(each.partition, access.partition.value) and each.sort]
    needs_more = len(head.segments) < len(access.sort[0].value.segments)
    fitting = [
        (match_head(head, each.sort), each)
        for each in shared
        if each.sort and (each.is_open or not needs_more or len(each.sort.segments) > len(head.segments))
    ]
    ranked = [(rank, number, each) for number, (rank, each) in enumerate(fitting) if rank is not None]
    if ranked:
        return min(ranked)[2]
    found = _new(table, access)
    found.partition, found.sort, found.is_open = access.partition.value, head, True
    return found


def range_head(cell: KeyCell) -> KeyValue:
    """Return the segments that a condition fixes or compares, without the empty segment after a `#` at the end."""
    segments = cell.value.segments
    return KeyValue(segments[:-1] if len(segments) > 1 and not segments[-1] else segments)


def match_head(head: KeyValue, sort: KeyValue) -> int | None:
    """Return how many fixed texts of a condition are in the place of fields of the sort key. None: no match."""
    if len(head.segments) > len(sort.segments):
        return None
    rank = 0
    for number, (wanted, given) in enumerate(zip(head.segments, sort.segments, strict=False)):
        is_last = number == len(head.segments) - 1
        if wanted == given:
            continue
        fixed = [[piece for piece in each if isinstance(piece, KeyText)] for each in (wanted, given)]
        if fixed[0] and not fixed[1]:
            rank += 1
        elif fixed[0] and fixed[1]:
            if not (is_last and fixed[1][0].text.startswith(fixed[0][0].text)):
                return None
        elif fixed[1]:
            return None
    return rank


def _partition_entities(table: InferredTable, access: Access) -> tuple[InferredEntity, ...]:
    assert access.partition is not None, "the caller selects rows with a partition key"
    shared = tuple(each for each in table.entities if _same(each.partition, access.partition.value))
    if shared:
        return shared
    found = _new(table, access)
    found.partition, found.sort, found.is_open = access.partition.value, KeyValue(()), True
    return (found,)


def _rename(table: InferredTable, base: Sequence[Access]) -> None:
    """Name each entity after its most specific row: a put is more specific than a get, and a get than a query."""
    nouns: dict[int, list[tuple[int, int, str, str]]] = {}
    for number, access in enumerate(base):
        found = table.by_row.get(id(access), ())
        if len(found) == 1 and access.noun:
            nouns.setdefault(id(found[0]), []).append((_RANKS[access.kind], number, access.noun, _owner(access)))
    taken: list[str] = []
    for entity in table.entities:
        if id(entity) in nouns:
            _, _, noun, owner = min(nouns[id(entity)])
            is_taken = python_names.class_name(noun.title(), ()) in taken
            entity.noun = f"{owner} {noun}" if is_taken and owner else noun
        entity.class_name = python_names.class_name(entity.noun.title(), taken)
        taken.append(entity.class_name)


def _close(table: InferredTable) -> None:
    """Append the id of the entity to each open sort key, so that the items of a list have different keys."""
    for entity in table.entities:
        if entity.is_open and entity.sort is not None:
            own = python_names.field_name(f"{entity.noun or entity.class_name} id")
            if own in entity.key_fields:
                own = "sort_key"
            entity.sort = KeyValue((*entity.sort.segments, (KeyField(own),)))
            table.notes.append(
                f"{entity.class_name}: the file does not define the end of its sort key; the model ends it with "
                f"{{{own}}}."
            )


def _new(table: InferredTable, access: Access, further: str = "") -> InferredEntity:
    """Add an entity named after the row. If this name exists, put the owner of the partition in front of it."""
    noun = further.lower() or access.noun or _owner(access) or "item"
    taken = [each.class_name for each in table.entities]
    class_name = python_names.class_name(noun.title(), ())
    if class_name in taken and (owner := _owner(access)):
        noun = f"{owner} {noun}"
    entity = InferredEntity(noun, python_names.class_name(noun.title(), taken))
    table.entities.append(entity)
    return entity


def _owner(access: Access) -> str:
    fields = access.partition.value.fields if access.partition else ()
    return fields[0].removesuffix("_id").replace("_", " ") if fields else ""


def _by_noun(table: InferredTable, access: Access) -> InferredEntity | None:
    """Return the entity in the title.

    For example, an `escalated complaint` is a complaint, and a `log` is a log entry.
    """
    words = access.noun.split()
    for start in range(len(words)):
        noun = " ".join(words[start:])
        for entity in table.entities:
            if entity.noun == noun:
                return entity
    last = words[-1] if words else ""
    return next((each for each in table.entities if last and each.noun.startswith(f"{last} ")), None)


def _add_indexes(table: InferredTable, accesses: Sequence[Access]) -> None:
    names = dict.fromkeys(access.index for access in accesses if access.index)
    for name in names:
        rows = [access for access in accesses if access.index == name]
        index = _index(table, str(name), rows)
        table.indexes[index.name] = index
        for access in sorted(rows, key=lambda each: 0 if each.has_whole_sort_key else 1 if each.sort else 2):
            table.by_row[id(access)] = (_entity_in_index(table, index, access),)


def _index(table: InferredTable, name: str, rows: Sequence[Access]) -> InferredIndex:
    alias = python_names.index_alias(name, [each.alias for each in table.indexes.values()])
    given = [each.partition.attribute for each in rows if each.partition and each.partition.attribute]
    sorts = [cell for each in rows for cell in each.sort]
    partition = next((each for each in given if not _GENERIC.fullmatch(each)), f"{name}PK")
    sort = next((str(cell.attribute) for cell in sorts if not is_generic(cell.attribute)), f"{name}SK")
    is_inverse = len(table.keys) > 1 and bool(given) and all(each == table.keys[1] for each in given)
    return InferredIndex(alias, name, "lsi" in name.lower(), partition, sort if sorts else None, is_inverse)


def is_generic(attribute: str | None) -> bool:
    """Return whether an attribute name is missing or generic (`PK`, `GSI1SK`), so that it does not name a field."""
    return attribute is None or _GENERIC.fullmatch(attribute) is not None


def _entity_in_index(table: InferredTable, index: InferredIndex, access: Access) -> InferredEntity:
    if access.partition is None:
        inside = [each for each in table.entities if index.alias in each.index_keys]
        return _by_noun(table, access) or (inside[0] if inside else _new(table, access))
    partition = _native_value(access.partition)
    if index.is_inverse:
        return _inverted(table, access, partition)
    same = (
        each
        for each in table.entities
        if index.alias in each.index_keys and _same(each.index_keys[index.alias][0], partition)
    )
    entity = _by_noun(table, access) or next(same, None)
    if entity is None:
        entity = _new(table, access)
    _place_in_index(table, index, entity, access, partition)
    return entity


def _native_value(cell: KeyCell) -> KeyValue:
    """Return the key value of a cell. A field gets the name of the attribute, unless this name is generic."""
    if cell.value.is_one_slot and not is_generic(cell.attribute):
        return KeyValue(((KeyField(python_names.field_name(str(cell.attribute))),),))
    return cell.value


def _inverted(table: InferredTable, access: Access, partition: KeyValue) -> InferredEntity:
    wanted = set(partition.fields)
    fitting = [each for each in table.entities if each.sort and wanted and wanted <= set(each.sort.fields)]
    return (fitting[0] if fitting else None) or _by_noun(table, access) or _new(table, access)


def _place_in_index(
    table: InferredTable, index: InferredIndex, entity: InferredEntity, access: Access, partition: KeyValue
) -> None:
    if entity.partition is None:
        entity.more_fields |= dict.fromkeys(
            (*partition.fields, *(n for cell in access.sort for n in cell.value.fields))
        )
        keys = f"{access.row.cell('partition')}, {access.row.cell('sort')}".rstrip(", ")
        table.notes.append(
            f"{entity.class_name} has no key: the file contains its key in {index.name} ({keys}), but not in the table."
        )
        return
    sort = _index_sort(index, entity, access, partition)
    known = entity.index_keys.setdefault(index.alias, (partition, sort))
    if not _same(known[0], partition):
        table.notes.append(
            f"{access.title}: {entity.class_name} has the partition key {known[0].template} in {index.name} already, "
            f"not {partition.template}."
        )
    for cell, value in ((access.partition, partition), (access.sort[0] if access.sort else None, sort)):
        if cell and value and value.is_one_slot and not is_generic(cell.attribute):
            entity.attributes[value.fields[0]] = str(cell.attribute)
    entity.more_fields |= dict.fromkeys(partition.fields)


def _index_sort(index: InferredIndex, entity: InferredEntity, access: Access, partition: KeyValue) -> KeyValue | None:
    if index.sort is None:
        return None
    if not is_generic(index.sort) and access.sort and not access.sort[0].value.is_one_slot:
        return entity.sort if entity.sort else access.sort[0].value
    if access.has_whole_sort_key:
        return _native_value(access.sort[0])
    if access.sort and access.sort[0].value.is_one_slot and not is_generic(access.sort[0].attribute):
        return _native_value(access.sort[0])
    head = range_head(access.sort[0]).segments if access.sort else ()
    known = {*partition.fields, *KeyValue(head).fields}
    rest = tuple((KeyField(name),) for name in entity.key_fields if name not in known)
    return KeyValue((*head, *rest)) if head or rest else SINGLE_ITEM


def type_of(name: str) -> FieldType:
    """Return the usual type of a field with this name."""
    words = name.strip("_").split("_")
    if words[-1] in ("date", "day"):
        return "date"
    return "datetime" if words[-1] in ("at", "time", "timestamp", "datetime") else "str"
