"""A draft as a Python file: imports, a dataclass for each entity, a class for each table, formatted as ours are."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

from singletable.drafts.draft import (
    Draft,
    DraftDerived,
    DraftEntity,
    DraftField,
    DraftIndex,
    DraftKeys,
    DraftLink,
    DraftParameter,
    DraftPattern,
    DraftTable,
    DraftTest,
    NativeKey,
    Position,
    Scalar,
    class_name,
)

_WIDTH = 120
_STANDARD = {
    "Any": "typing",
    "Decimal": "decimal",
    "Literal": "typing",
    "UUID": "uuid",
    "date": "datetime",
    "datetime": "datetime",
}


def python_source(draft: Draft) -> str:
    """The text of the file; `singletable check` reads it."""
    parts = [*chain.from_iterable(_table(table) for table in draft.tables)]
    body = "\n\n\n".join(parts)
    head = f'"""{_docstring(draft.title)}"""'
    optional = {
        each.name for table in draft.tables for entity in table.entities for each in entity.fields if each.optional
    }
    # A field called `date` that is None unless given would stand before the type of the same name.
    later = "from __future__ import annotations\n\n" if optional & _STANDARD.keys() else ""
    return f"{head}\n\n{later}{_imports(body)}\n\n\n{body}\n"


def _imports(body: str) -> str:
    """The names that the body uses, each from where it comes."""
    code = re.sub(r'"""(?:[^"\\]|\\.|"(?!""))*"""|"(?:[^"\\\n]|\\.)*"|#[^\n]*', "", body)
    # A name before a colon or an equals sign is a field, a parameter or a keyword, and no use of what is imported.
    used = set(re.findall(r"(?<![\w.])[A-Za-z_]\w*(?!\w|:|=(?!=))", code))
    lines = ["from dataclasses import dataclass"] if "dataclass" in used else []
    by_module: dict[str, list[str]] = {}
    for name in sorted(used & _STANDARD.keys()):
        by_module.setdefault(_STANDARD[name], []).append(name)
    lines += [f"from {module} import {', '.join(names)}" for module, names in by_module.items()]
    own = sorted(used & OWN, key=lambda name: (not name.isupper(), not name[0].isupper(), name))
    return "\n".join([*sorted(lines), "", _call("from singletable import ", "(", own, ")", bare=True)])


OWN = {
    "Between",
    "Box",
    "Children",
    "GSI",
    "KEYS_ONLY",
    "LSI",
    "Nearest",
    "Page",
    "Prefix",
    "Radius",
    "Since",
    "Subtree",
    "Table",
    "Until",
    "ancestors",
    "bucket",
    "collection",
    "contains",
    "copy",
    "count",
    "create",
    "delete",
    "depth",
    "entity",
    "exists",
    "field",
    "first_letter",
    "geohash",
    "get",
    "include",
    "native",
    "parent",
    "pattern",
    "put",
    "query",
    "shard",
    "sparse",
    "update",
    "within",
}


def _table(table: DraftTable) -> Iterator[str]:
    yield from (_entity(entity) for entity in table.entities)
    by_name = {entity.class_name: entity for entity in table.entities}
    for pattern in table.patterns:
        if pattern.kind == "collection":
            yield _shape(pattern)
    yield "\n".join([*_notes(table.notes), *_table_lines(table, by_name)])


def _notes(notes: Iterable[str]) -> Iterator[str]:
    for note in notes:
        yield from textwrap.wrap(_printable(note), _WIDTH - 2, initial_indent="# ", subsequent_indent="# ")


def _entity(entity: DraftEntity) -> str:
    given = [f"{alias}={_keys(keys)}" for alias, keys in entity.keys.items()]
    if entity.stored_name is not None and entity.stored_name != entity.class_name:
        given.append(f"name={_text(entity.stored_name)}")
    renamed = {each.name: each.attribute for each in entity.fields if each.attribute not in (None, each.name)}
    if renamed:
        given.append(f"attributes={_mapping(renamed)}")
    given += _kept(entity)
    if entity.ttl is not None:
        given.append(f"ttl={_text(entity.ttl)}")
    if entity.accept:
        given.append(f"accept={_mapping(entity.accept)}")
    lines = [_call("@entity", "(", given, ")"), "@dataclass", f"class {entity.class_name}:"]
    lines += [f'    """{_docstring(entity.doc or entity.class_name)}"""', ""]
    return "\n".join([*lines, *(_field(each) for each in sorted(entity.fields, key=lambda each: each.optional))])


def _kept(entity: DraftEntity) -> Iterator[str]:
    """What the entity says of itself beside its keys."""
    if entity.derived:
        made = ", ".join(f"{_text(name)}: {_derived(each)}" for name, each in entity.derived.items())
        yield f"derived={{{made}}}"
    if entity.identity is not None:
        yield f"identity={_tuple(entity.identity)}"
    if entity.schema_version is not None:
        yield f"schema_version={entity.schema_version:d}"
    if entity.version is not None:
        yield f"version={_text(entity.version)}"
    if entity.unique:
        yield f"unique=[{', '.join(_tuple(names) for names in entity.unique)}]"
    if entity.copies:
        yield f"copies=[{', '.join(map(_link, entity.copies))}]"
    if entity.counted:
        yield f"counted=[{', '.join(map(_link, entity.counted))}]"
    if entity.mirror_of is not None:
        yield f"mirror_of={entity.mirror_of}"
    if entity.expected_bytes is not None:
        yield f"expected_bytes={entity.expected_bytes:d}"
    if entity.expected_per_partition:
        counts = ", ".join(f"{_text(alias)}: {count:d}" for alias, count in entity.expected_per_partition.items())
        yield f"expected_per_partition={{{counts}}}"


def _tuple(names: tuple[str, ...]) -> str:
    return f"({', '.join(map(_text, names))}{',' if len(names) == 1 else ''})"


def _link(link: DraftLink) -> str:
    by = f"{link.class_name}, by={_mapping(link.by)}"
    if link.counter is not None:
        return f"count({by}, field={_text(link.counter)})"
    return f"copy({by}, fields={_mapping(link.fields)}{', in_parts=True' if link.in_parts else ''})"


def _derived(made: DraftDerived) -> str:
    given = [_text(name) for name in made.fields]
    if made.argument is not None:
        keyword = {"shard": "of=", "geohash": "precision="}.get(made.kind, "")
        given.append(f"{keyword}{_scalar(made.argument)}")
    return f"{made.kind}({', '.join(given)})"


def _field(each: DraftField) -> str:
    return f"    {each.name}: {_type(each)}" + _absent(each)


def _absent(each: DraftField) -> str:
    if not each.optional:
        return ""
    return " = None" if each.type == "Any" else " | None = None"


def _type(each: DraftField | DraftParameter) -> str:
    return f"Literal[{', '.join(map(_text, each.choices))}]" if each.choices else each.type


def _keys(keys: DraftKeys) -> str:
    positions = [_position(keys.partition)] + ([_position(keys.sort)] if keys.sort else [])
    if keys.sparse:
        return f"sparse({', '.join(positions)})"
    return f"({', '.join(positions)}{',' if len(positions) == 1 else ''})"


def _position(parts: tuple[Position, ...]) -> str:
    written = [_text(part) if isinstance(part, str) else _native(part) for part in parts]
    return written[0] if len(written) == 1 else f"({', '.join(written)})"


def _native(part: NativeKey) -> str:
    return f"native({_text(part.field)}, {_text(part.format)})" if part.format else f"native({_text(part.field)})"


def shape_name(pattern: DraftPattern) -> str:
    """The class that a collection is read into."""
    return class_name(pattern.name, taken=pattern.entities)


def _shape(pattern: DraftPattern) -> str:
    head, *members = pattern.entities
    lines = ["@dataclass", f"class {shape_name(pattern)}:", f'    """{_docstring(pattern.title)}"""', ""]
    if pattern.members:
        return "\n".join([*lines, *(f"    {name}: {kind}" for name, kind in pattern.members)])
    lines.append(f"    {_member(head)}: {head}")
    return "\n".join([*lines, *(f"    {_member(each)}s: list[{each}]" for each in members)])


def _member(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def _table_lines(table: DraftTable, by_name: dict[str, DraftEntity]) -> Iterator[str]:
    given = ["Table", f"entities=[{', '.join(by_name)}]"]
    if table.name != table.class_name:
        given.append(f"name={_text(table.name)}")
    if table.keys != ("PK", "SK"):
        given.append(f"keys=({', '.join(map(_text, table.keys))}{',' if len(table.keys) == 1 else ''})")
    indexes = [_index(index) for index in table.indexes if not _is_default(index)]
    if indexes:
        given.append(f"indexes=[{', '.join(indexes)}]")
    if table.type_attribute != "entity_type":
        given.append(f"type_attribute={_text(table.type_attribute)}")
    if table.ttl_attribute is not None:
        given.append(f"ttl_attribute={_text(table.ttl_attribute)}")
    if table.delimiter != "#":
        given.append(f"delimiter={_text(table.delimiter)}")
    yield _call(f"class {table.class_name}", "(", given, "):")
    yield f'    """{_docstring(table.doc or table.class_name)}"""'
    for pattern in table.patterns:
        yield ""
        yield from _pattern(pattern)


def _is_default(index: DraftIndex) -> bool:
    expected = (index.alias.upper(), (f"{index.name}PK",), (f"{index.name}SK",))
    plain = (index.name, index.partition, index.sort) == expected and index.projection == "ALL"
    return index.kind == "GSI" and plain and re.fullmatch(r"gsi\d+", index.alias) is not None


def _index(index: DraftIndex) -> str:
    given = [_text(index.alias), f"name={_text(index.name)}"]
    if index.kind == "GSI":
        keys = [_names(index.partition)] + ([_names(index.sort)] if index.sort else [])
        given.append(f"keys=({', '.join(keys)}{',' if len(keys) == 1 else ''})")
    else:
        given.append(f"sort={_text(index.sort[0])}")
    if index.projection == "KEYS_ONLY":
        given.append("projection=KEYS_ONLY")
    elif index.projection == "INCLUDE":
        given.append(f"projection=include({', '.join(map(_text, index.included))})")
    return f"{index.kind}({', '.join(given)})"


def _names(names: tuple[str, ...]) -> str:
    return _text(names[0]) if len(names) == 1 else f"({', '.join(map(_text, names))})"


def _pattern(pattern: DraftPattern) -> Iterator[str]:
    options = []
    if pattern.frequency is not None:
        options.append(f"frequency={_scalar(pattern.frequency)}")
    if pattern.entry is not None:
        options.append(f"entry={_text(pattern.entry)}")
    for name in ("rate", "budget_ms", "fanout", "expected_items", "expected_examined"):
        value = getattr(pattern, name)
        if value is not None:
            options.append(f"{name}={value:g}")
    yield f"    @pattern({', '.join(options)})"
    given = ["self", *(_parameter(each) for each in pattern.parameters)]
    if pattern.kind in ("put", "create"):  # the whole item is its one parameter
        given = ["self", f"{_member(pattern.entities[0])}: {pattern.entities[0]}"]
    if pattern.has_limit:
        given += ["*", f"limit: int = {pattern.limit_default:d}", "cursor: str | None = None"]
    yield textwrap.indent(_call(f"def {pattern.name}", "(", given, f") -> {_answer(pattern)}:"), "    ")
    yield f'        """{_docstring(pattern.title)}"""'
    yield textwrap.indent(_call("return ", "", [_body(pattern)], "", bare=True), "        ")


def _parameter(each: DraftParameter) -> str:
    if each.range in ("Radius", "Box", "Nearest"):
        return f"{each.name}: {each.range}"
    return f"{each.name}: {each.range}[{_type(each)}]" if each.range else f"{each.name}: {_type(each)}"


def _answer(pattern: DraftPattern) -> str:
    subject = shape_name(pattern) if pattern.kind == "collection" else pattern.entities[0]
    if pattern.kind in ("query", "within", "ancestors"):
        return f"Page[{subject}]" if pattern.kind == "query" else f"list[{subject}]"
    return f"{subject} | None" if pattern.kind in ("get", "collection", "delete") else subject


def _body(pattern: DraftPattern) -> str:
    subject = shape_name(pattern) if pattern.kind == "collection" else pattern.entities[0]
    given = [subject]
    given += [f"field({subject}, lambda item: item.{name}).set({name})" for name in pattern.changes]
    given += [f"field({subject}, lambda item: item.{name}).set({_scalar(v)})" for name, v in pattern.constants.items()]
    given += [
        f"{option}=lambda item: {_condition(tests)}"
        for option, tests in (("where", pattern.where), ("filter", pattern.filter))
        if tests
    ]
    if pattern.order_by is not None:
        given.append(f"order_by=lambda item: item.{pattern.order_by}")
    if pattern.newest_first:
        given.append("newest_first=True")
    if pattern.limit is not None:
        given.append(f"limit={pattern.limit:d}")
    if pattern.consistent:
        given.append("consistent=True")
    return f"{pattern.kind}({', '.join(given)})"


def _call(head: str, opening: str, given: list[str], closing: str, *, bare: bool = False) -> str:
    """A call on one line if it fits, else one argument to a line; `bare` has parentheses only when it does not fit."""
    one_line = f"{head}{'' if bare else opening}{', '.join(given)}{'' if bare else closing}"
    if len(one_line) <= _WIDTH - 8 or not opening:
        return one_line
    inner = "".join(f"    {each},\n" for each in given)
    return f"{head}{opening}\n{inner}{closing}"


def _condition(tests: tuple[DraftTest, ...]) -> str:
    written = [_test(test) for test in tests]
    return written[0] if len(written) == 1 else " & ".join(f"({each})" for each in written)


def _test(test: DraftTest) -> str:
    if test.comparator == "exists":
        return f"exists(item.{test.field})"
    operator = {"=": "==", "<>": "!="}.get(test.comparator, test.comparator)
    right = test.parameter if test.parameter is not None else _scalar(test.value)
    if test.comparator == "contains":
        return f"contains(item.{test.field}, {right})"
    return f"item.{test.field} {operator} {right}"


def _scalar(value: Scalar | None) -> str:
    return _text(value) if isinstance(value, str) or value is None else repr(value)


def _mapping(values: Mapping[str, str | None]) -> str:
    return "{" + ", ".join(f"{_text(name)}: {_text(value)}" for name, value in values.items()) + "}"


def _text(value: str | None) -> str:
    """A Python literal in double quotes, in which nothing that came from elsewhere is code."""
    if value is None:
        return "None"
    quoted = repr(value)[1:-1]
    if repr(value)[0] == "'":
        quoted = quoted.replace("\\'", "'").replace('"', '\\"')
    return f'"{quoted}"'


def _printable(text: str) -> str:
    """The text on one line, without what a source file cannot hold."""
    return " ".join("".join(each if each.isprintable() else " " for each in text).split())


def _docstring(text: str) -> str:
    """One line that ends a docstring nowhere but at its end."""
    plain = _printable(text).replace("\\", "\\\\").replace('"""', "'''")
    plain = plain[: _WIDTH - 12].rstrip()
    if plain.endswith('"'):
        plain += " "
    return plain if plain.endswith((".", "!", "?", " ")) else f"{plain}."
