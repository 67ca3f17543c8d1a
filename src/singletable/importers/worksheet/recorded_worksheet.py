"""Worksheet of a recorded catalogue, as Markdown: rows of access patterns, fields of entities, sizes of entities."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from singletable.catalogue.access_patterns import words_of
from singletable.catalogue.pattern_steps import PatternStep, pattern_steps
from singletable.catalogue.recorded_catalogue import RecordedCatalogue, RecordedTable
from singletable.catalogue.request_shapes import KeyShape, RequestShape
from singletable.errors import ArgumentRefused
from singletable.importers.worksheet.worksheet_requests import entity_words, is_moment, is_number
from singletable.planner.formatting import format_count, format_list

PATTERN_HEADER = (
    *("Access Pattern", "Pattern", "Entry Entity", "Filters / Range", "Sort Direction"),
    *("Frequency", "Latency Budget", "Items per Call", "Recorded", "Findings"),
)
FIELD_HEADER = ("Entity", "Field", "Type", "Key")
SIZE_HEADER = ("Entity", "Table", "Items", "Bytes")
_TYPES = {
    "S": "str",
    "N": "Decimal",
    "B": "bytes",
    "BOOL": "bool",
    "M": "dict[str, Any]",
    "L": "list[Any]",
    "SS": "set[str]",
    "NS": "set[Decimal]",
    "BS": "set[bytes]",
    "NULL": "Any",
}
_RANGES = {
    "BETWEEN": "{} between",
    ">": "{} since",
    ">=": "{} since",
    "<": "{} until",
    "<=": "{} until",
    "begins_with": "{} begins with",
}
_KEY_TYPES = ("?N", "?B")
"""The shapes of key values that are no strings."""
_SIMPLE_TEST = re.compile(r"([\w-]+) (=|>=|>|<=|<) \?")
_BETWEEN = re.compile(r"([\w-]+) BETWEEN \? AND \?")
_BEGINS = re.compile(r"begins_with\(([\w-]+), \?\)")
_SET = re.compile(r"(?:SET |, )([\w-]+) = \?(?=,| ADD | REMOVE | DELETE |$)")
_CREATE = re.compile(r"attribute_not_exists\([\w.-]+\)")


@dataclass
class _Entity:
    """What the requests show of an entity."""

    words: str
    table: RecordedTable
    types: dict[str, str] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    sets: int = 0
    items: int = 0
    size: int = 0


def recorded_worksheet(catalogue: RecordedCatalogue) -> str:
    """Return the worksheet of a catalogue. People complete it; `read_worksheet` reads it."""
    steps = pattern_steps(catalogue)
    if not steps:
        raise ArgumentRefused(
            "no recorded request can be a row of a worksheet: PartiQL statements and condition checks have no rows"
        )
    findings: dict[str, list[str]] = {}
    for finding in catalogue.findings:
        findings.setdefault(finding.pattern, []).append(finding.text)
    rows = [_row(catalogue, step, findings) for step in steps]
    entities = _entities(catalogue, steps)
    fields = [row for entity in entities.values() for row in _field_rows(entity)]
    sizes = [_size_row(entity) for entity in entities.values()]
    parts = [
        "# Access patterns",
        _introduction(catalogue, entities),
        _table(PATTERN_HEADER, rows),
        "## Fields",
        _table(FIELD_HEADER, fields),
        "## Sizes",
        _table(SIZE_HEADER, sizes),
    ]
    return "\n\n".join(parts) + "\n"


def _introduction(catalogue: RecordedCatalogue, entities: Mapping[str, _Entity]) -> str:
    text = f"Recorded: {format_count(catalogue.requests, 'request')} to {format_count(len(catalogue.tables), 'table')}."
    if catalogue.scale is None:
        text += " The recording has no rates: add the frequency of each pattern, such as `12/s` or `high`."
    if incomplete := [_shown(each.words) for each in entities.values() if not each.sets]:
        text += f" No request reads or puts whole items of {format_list(incomplete)}: add the other fields."
    return (
        f"{text} Complete the rows: name the patterns as you like, correct the entities, and delete the rows that one "
        "table makes unnecessary, such as the reads of an N+1 sequence. `singletable design FILE` chooses the keys."
    )


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(_cell(cell) for cell in line)} |" for line in lines)


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


def _row(catalogue: RecordedCatalogue, step: PatternStep, findings: Mapping[str, list[str]]) -> list[str]:
    rate = catalogue.rate(step.count)
    own = findings.get(step.pattern.name, []) if step.name == step.pattern.name else []
    return [
        _title(step),
        step.name,
        _shown(step.entity),
        "; ".join(_filters(step)),
        _sort(catalogue, step),
        "" if rate is None else rate_text(rate),
        "",
        _items(step),
        _recorded(step),
        " ".join(own),
    ]


def rate_text(rate: float) -> str:
    """Return calls per second as text that `frequency_of` reads: per second, or per day for a rare call."""
    number, period = (rate, "s") if rate >= 0.01 else (rate * 86_400, "day")
    return f"{number:.0f}/{period}" if number >= 100 else f"{number:.3g}/{period}" if number >= 0.001 else ""


def _shown(words: str) -> str:
    """Return the name of an entity: `order item` for `order_items`."""
    return (entity_words(words.replace("_", " ")) or words).capitalize()


def _plain(name: str) -> str:
    return " ".join(words_of(name))


def _title(step: PatternStep) -> str:
    shape, entity, several = step.shape, _shown(step.entity).lower(), _plain(step.entity)
    if step.members:
        return f"Get {entity} with all {_plain(step.members[0])}"
    if shape.operation == "GetItem":
        return f"Get {entity}{_by(shape.key)}"
    if shape.operation == "Query":
        return f"List {several}{_by(shape.key[:1])}"
    if shape.operation == "Scan":
        return f"List all {several}"
    if shape.operation == "PutItem":
        return f"{'Create' if _CREATE.search(shape.condition or '') else 'Put'} {entity}"
    return f"{'Update' if shape.operation == 'UpdateItem' else 'Delete'} {entity}"


def _by(keys: Sequence[KeyShape]) -> str:
    names = [name for key in keys if (name := _field_of(key)) is not None]
    # "By date" means an order, so a moment or a number is only in the column of filters.
    return f" by {_plain(names[0])}" if len(names) == 1 and not (is_moment(names[0]) or is_number(names[0])) else ""


def _field_of(key: KeyShape) -> str | None:
    """Return the field of a key value: the attribute, or the label of the value. A constant has no field."""
    value = key.values[0] if key.values else "?"
    if "?" not in value:
        return None
    label = re.match(r"([^\W\d_][\w-]*)[#|:/]", value)
    return f"{'_'.join(words_of(label[1]))}_id" if label else "_".join(words_of(key.attribute))


def _filters(step: PatternStep) -> Iterator[str]:
    """Yield the pieces of the filter cell, in the words that the importer knows."""
    shape = step.shape
    if shape.operation == "UpdateItem":
        yield from (f"set {'_'.join(words_of(name))}" for name in _SET.findall(shape.update or ""))
        return
    if not shape.is_read:
        return
    if not step.members:
        for key in shape.key:
            if (name := _field_of(key)) is not None:
                yield f"{name} = ?" if key.operator == "=" else _RANGES[key.operator].format(name)
    if shape.filter is not None:
        yield from _tests(shape.filter)
    if shape.operation in ("Query", "Scan") and not step.group.limits:
        yield "no limit"
    elif len(step.group.limits) == 1 and shape.operation == "Query":
        yield f"limit {next(iter(step.group.limits))}"
    if shape.consistent:
        yield "strongly consistent"


def _tests(text: str) -> Iterator[str]:
    """Yield the tests of a filter. A test that no key can serve keeps its expression, and the importer reports it."""
    joined = _BETWEEN.sub(r"\1 BETWEEN", text)
    if " OR " in joined or "NOT " in joined:
        yield _unreadable(text)
        return
    for test in joined.split(" AND "):
        if found := _SIMPLE_TEST.fullmatch(test):
            name = "_".join(words_of(found[1]))
            yield f"{name} = ?" if found[2] == "=" else _RANGES[found[2]].format(name)
        elif found := re.fullmatch(r"([\w-]+) BETWEEN", test):
            yield _RANGES["BETWEEN"].format("_".join(words_of(found[1])))
        elif found := _BEGINS.fullmatch(test):
            yield _RANGES["begins_with"].format("_".join(words_of(found[1])))
        else:
            yield _unreadable(test)


def _unreadable(text: str) -> str:
    return re.sub(r"[;,]", " ", f"filter {text}")


def _sort(catalogue: RecordedCatalogue, step: PatternStep) -> str:
    shape = step.shape
    if shape.operation != "Query":
        return ""
    table = catalogue.tables[shape.table]
    keys = table.keys if shape.index is None else table.indexes.get(shape.index, ())
    ranged = [key.attribute for key in shape.key if key.operator != "="]
    name = ranged[0] if ranged else keys[1] if len(keys) > 1 else None
    if name is None or any(key.attribute == name and key.operator == "=" for key in shape.key):
        return ""
    if step.shape.key and any(_labelled(key) for key in step.shape.key):
        return "descending" if shape.descending else ""
    shown = "_".join(words_of(name))
    if is_moment(shown):
        return f"{shown}, {'newest' if shape.descending else 'oldest'} first"
    return f"{shown} {'descending' if shape.descending else 'ascending'}"


def _items(step: PatternStep) -> str:
    """Return the mean number of items of a list, or of an item and the items that refer to it."""
    if step.shape.operation not in ("Query", "Scan") and not step.members:
        return ""
    groups = (step.group, *step.other_groups)
    return f"{max(1, round(sum(group.returned for group in groups) / max(1, step.count)))}"


def _labelled(key: KeyShape) -> bool:
    return bool(key.values) and key.values[0] != "?"


def _recorded(step: PatternStep) -> str:
    """Describe the requests, for people."""
    texts = [request_text(shape) for shape in (step.shape, *(group.shape for group in step.other_groups))]
    items = step.group.items
    counts = format_count(step.count, "time")
    if step.shape.operation in ("Query", "Scan"):
        counts += f", p50 {items.percentile(50):,g} and p99 {items.percentile(99):,g} items"
    kind = f"{step.group.shape.operation}: " if step.group.shape.parts else ""
    return f"{kind}{' and '.join(texts)}; {counts}"


def request_text(shape: RequestShape) -> str:
    """Describe a request: `Query shop-orders, index by-customer: customer_id = ?`."""
    if shape.statement is not None:
        return f"{shape.operation}: {shape.statement}"
    if shape.parts:
        return f"{shape.operation}: {', '.join(f'{part.operation} {part.table}' for part in shape.parts)}"
    place = shape.table if shape.index is None else f"{shape.table}, index {shape.index}"
    condition = " AND ".join(map(str, shape.key))
    return f"{shape.operation} {place}" + (f": {condition}" if condition else "")


def _entities(catalogue: RecordedCatalogue, steps: Sequence[PatternStep]) -> dict[str, _Entity]:
    """Return the entities with the attributes and sizes of their items."""
    found: dict[str, _Entity] = {}
    for step in steps:
        parts = [(step.entity, step.group, step.shape)]
        parts += [(name, group, group.shape) for name, group in zip(step.members, step.other_groups, strict=True)]
        for words, group, shape in parts:
            entity = found.setdefault(words, _Entity(words, catalogue.tables[shape.table]))
            if shape.index is None:
                _add_key_types(entity, shape)
            if shape.projection:
                continue
            for (table, _), types in group.attributes.items():
                if table == shape.table:
                    _add_types(entity, types)
            if not group.shape.parts and shape.index is None and shape.select is None:
                is_put = shape.operation == "PutItem"
                entity.items += group.requests if is_put else group.returned
                entity.size += group.bytes_written if is_put else group.bytes_read
    return found


def _add_key_types(entity: _Entity, shape: RequestShape) -> None:
    """Add the types of key attributes, for an entity whose items no request reads or puts as a whole."""
    for key in shape.key:
        if key.attribute in entity.table.keys and key.values:
            entity.types.setdefault(
                key.attribute, key.values[0].removeprefix("?") if key.values[0] in _KEY_TYPES else "S"
            )


def _add_types(entity: _Entity, types: Mapping[str, str]) -> None:
    entity.sets += 1
    for name, kind in types.items():
        entity.types.setdefault(name, kind)
        entity.counts[name] = entity.counts.get(name, 0) + 1


def _field_rows(entity: _Entity) -> Iterator[list[str]]:
    """Yield the fields of an entity, the key first. An attribute that some items do not have is optional.

    If the keys have labels, their attributes have no field: the design makes such keys from the other fields.
    """
    keys = entity.table.keys
    if entity.words != entity.table.short_name:
        in_keys = {*keys, *(name for names in entity.table.indexes.values() for name in names)}
        entity = replace(entity, types={name: kind for name, kind in entity.types.items() if name not in in_keys})
    names = [*(name for name in keys if name in entity.types), *(name for name in entity.types if name not in keys)]
    for name in names:
        shown = "_".join(words_of(name))
        kind = entity.types[name]
        text = "datetime" if kind == "S" and is_moment(shown) else _TYPES.get(kind, "Any")
        optional = " | None" if entity.counts.get(name, 0) < entity.sets and name not in keys else ""
        yield [_shown(entity.words), shown, f"{text}{optional}", "key" if name in keys else ""]


def _size_row(entity: _Entity) -> list[str]:
    items = "" if entity.table.items is None else f"{entity.table.items}"
    size = str(round(entity.size / entity.items)) if entity.items else ""
    return [_shown(entity.words), entity.table.name, items, size]
