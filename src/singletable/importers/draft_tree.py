"""Syntax tree of a draft: one dataclass per entity and one class per table. The file and the planner use it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from singletable.errors import DesignError, ImportRefused, Problem
from singletable.importers.draft import (
    Draft,
    DraftClass,
    DraftDerived,
    DraftEntity,
    DraftEnum,
    DraftField,
    DraftIndex,
    DraftKeys,
    DraftParameter,
    DraftPattern,
    DraftTable,
    Position,
    PythonCode,
)
from singletable.importers.names import class_name, is_name, variable_name
from singletable.importers.python_text import ConditionText, default_text, quoted, value_text
from singletable.importers.restricted_tree import CheckedModel, check_text
from singletable.importers.vocabulary import BUILT_IN, STANDARD

DOC_MAX = 400
"""The maximum length of a generated docstring of one line."""
_TYPE_NAMES = frozenset((*STANDARD, *BUILT_IN))


def draft_tree(draft: Draft) -> CheckedModel:
    """Return the checked tree of a draft. Raise DesignError if it is not valid Python."""
    named = _with_named_shapes(draft.tables)
    blocks = {name: text for table in named for name, text in _classes(table)}
    tables = [_table(table) for table in named]
    doc = draft.doc if draft.doc is not None else one_line(draft.title)
    opening = [quoted(doc)] if doc else []
    try:
        return check_text("\n".join([*opening, *_in_order_of_use(blocks), *tables]))
    except ImportRefused as problem:
        raise DesignError(Problem(str(problem))) from None


def one_line(text: str) -> str:
    """Return a generated docstring: one line that ends with a full stop."""
    plain = printable(text)[:DOC_MAX].rstrip()
    return plain if plain.endswith((".", "!", "?")) else f"{plain}."


def printable(text: str) -> str:
    """Return the text on one line, without characters that are not printable."""
    return " ".join("".join(each if each.isprintable() else " " for each in text).split())


def _in_order_of_use(blocks: Mapping[str, str]) -> Iterator[str]:
    """Yield each class after the classes that its decorators and defaults use."""
    used = {name: _names_in(text) & blocks.keys() - {name} for name, text in blocks.items()}
    waiting = list(blocks)
    while waiting:
        name = next((each for each in waiting if not used[each] & set(waiting)), waiting[0])
        waiting.remove(name)
        yield blocks[name]


def _names_in(text: str) -> set[str]:
    try:
        return {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
    except (SyntaxError, ValueError, RecursionError, MemoryError) as problem:
        raise DesignError(Problem(f"the draft is not valid Python: {problem}")) from None


def _classes(table: DraftTable) -> Iterator[tuple[str, str]]:
    """Yield every class of a table as text, by name."""
    for each in table.enums:
        yield each.class_name, _enum(each)
    for made in table.classes:
        yield made.class_name, f"@dataclass\n{_class(made.class_name, made.doc, made.fields)}"
    texts = _field_types(table)
    for entity in table.entities:
        text = f"@entity({_arguments(_entity_options(entity, texts))})\n@dataclass\n"
        text += _class(entity.class_name, entity.doc, entity.fields)
        owner = checked(entity.class_name)
        for version, function in sorted(entity.upgrades.items()):
            text += f"\nupgrade({owner}, from_version={version})({checked(function)})"
        yield entity.class_name, text
    known = {each.class_name for each in table.classes}
    shapes = _shape_names(table)
    for pattern in table.patterns:
        if pattern.kind == "collection" and shapes[pattern.name] not in known:
            name = shapes[pattern.name]
            yield name, f"@dataclass\n{_class(name, one_line(pattern.title), _shape_fields(pattern))}"


def _with_named_shapes(tables: Sequence[DraftTable]) -> list[DraftTable]:
    """Return the tables with a class name for every collection. No other class of the draft has this name."""
    taken: set[str] = set()
    for table in tables:
        owners: list[DraftEntity | DraftClass | DraftEnum] = [*table.entities, *table.classes, *table.enums]
        taken |= {table.class_name, *(each.class_name for each in owners)}
        taken |= {each.view for each in table.patterns if each.view is not None}
    found: list[DraftTable] = []
    for table in tables:
        patterns: list[DraftPattern] = []
        for each in table.patterns:
            view = each.view
            if each.kind == "collection" and view is None:
                view = class_name(each.name, taken)
                taken.add(view)
            patterns.append(replace(each, view=view))
        found.append(replace(table, patterns=tuple(patterns)))
    return found


def _shape_names(table: DraftTable) -> dict[str, str]:
    """Return the class of each collection, by the name of the pattern."""
    return {each.name: each.view for each in table.patterns if each.kind == "collection" and each.view is not None}


def _shape_fields(pattern: DraftPattern) -> tuple[DraftField, ...]:
    """Return the members of a collection. By default, these are the head and a list of each other entity."""
    if pattern.members:
        return pattern.members
    head, *others = pattern.entities
    return (
        DraftField(variable_name(head), head),
        *(DraftField(variable_name(each, "s"), f"list[{each}]") for each in others),
    )


def _field_types(table: DraftTable) -> dict[str, dict[str, tuple[str, bool]]]:
    owners: list[DraftEntity | DraftClass] = [*table.classes, *table.entities]
    return {owner.class_name: {each.name: (each.type, each.optional) for each in owner.fields} for owner in owners}


def checked(name: str) -> str:
    """Return the name. Raise DesignError if it is not a valid Python name."""
    if not is_name(name):
        raise DesignError(Problem(f"{name[:60]!r} is not a Python name"))
    return name


def _enum(each: DraftEnum) -> str:
    members = [f"{checked(name)} = {value_text(value)}" for name, value in each.members.items()]
    return _block(f"class {checked(each.class_name)}({each.base}):", _doc(each.doc, each.class_name), members)


def _class(name: str, doc: str | None, fields: Iterable[DraftField]) -> str:
    """Return a dataclass. Fields with defaults come last, followed by fields that hide a type, such as `date`."""
    lines: list[str] = []
    hidden: set[str] = set()
    for each in sorted(fields, key=lambda each: (each.can_be_left_out, each.name in _TYPE_NAMES)):
        lines.append(_field(each, hidden))
        hidden |= {each.name} if each.can_be_left_out else set()
    return _block(f"class {checked(name)}:", _doc(doc, name), lines)


def _block(head: str, doc: str, lines: list[str]) -> str:
    body = [*([quoted(doc)] if doc else []), *lines] or ["pass"]
    return "\n".join([head, *(f"    {line}" for line in body)])


def _doc(doc: str | None, name: str) -> str:
    return one_line(name) if doc is None else doc


def _field(each: DraftField, hidden: set[str]) -> str:
    text = f"{checked(each.name)}: {_annotation(each.type, each.choices, each.optional and each.type != 'Any')}"
    if each.default_function is not None:
        return f"{text} = dataclass_field(default_factory={checked(each.default_function)})"
    if not each.can_be_left_out:
        return text
    return f"{text} = {default_text(each.default, is_hidden=bool(_names_in(value_text(each.default)) & hidden))}"


def _annotation(kind: str, choices: tuple[str, ...], is_optional: bool) -> str:
    text = f"Literal[{', '.join(map(quoted, choices))}]" if choices else kind
    return f"{text} | None" if is_optional else text


def _entity_options(entity: DraftEntity, types: dict[str, dict[str, tuple[str, bool]]]) -> Iterator[tuple[str, str]]:
    for alias, keys in entity.keys.items():
        yield alias, _keys(keys)
    if entity.stored_name is not None and entity.stored_name != entity.class_name:
        yield "name", quoted(entity.stored_name)
    renamed = {each.name: each.attribute for each in entity.fields if each.attribute not in (None, each.name)}
    if renamed:
        yield "attributes", value_text(renamed)
    if entity.derived:
        yield "derived", value_text({name: PythonCode(_derived(each)) for name, each in entity.derived.items()})
    if entity.identity is not None:
        yield "identity", value_text(entity.identity)
    if entity.schema_version is not None:
        yield "schema_version", value_text(entity.schema_version)
    for name, value in entity.options.items():
        yield name, value_text(value)
    if entity.ttl is not None:
        yield "ttl", quoted(entity.ttl)
    if entity.accept:
        yield "accept", value_text(entity.accept)


def _keys(keys: DraftKeys) -> str:
    positions = [_positions(each) for each in (keys.partition, keys.sort) if each]
    if keys.sparse:
        return f"sparse({', '.join(positions)})"
    return f"({', '.join(positions)}{',' if len(positions) == 1 else ''})"


def _positions(parts: tuple[Position, ...]) -> str:
    texts = [quoted(part) if isinstance(part, str) else _native(part.field, part.format) for part in parts]
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"


def _native(field: str, form: str) -> str:
    return f"native({', '.join(map(quoted, (field, form) if form else (field,)))})"


def _derived(made: DraftDerived) -> str:
    fields = ", ".join(map(quoted, made.fields))
    if made.function is not None:
        values = f", values={value_text(made.values)}" if made.values is not None else ""
        return f"derive({checked(made.function)}, {fields}{values})"
    if made.argument is None:
        return f"{made.kind}({fields})"
    keyword = {"shard": "of=", "geohash": "precision="}.get(made.kind, "")
    return f"{made.kind}({fields}, {keyword}{value_text(made.argument)})"


def _arguments(options: Iterable[tuple[str, str]]) -> str:
    return ", ".join(f"{checked(name)}={text}" for name, text in options)


def _table(table: DraftTable) -> str:
    options = _arguments(_table_options(table))
    shapes, types = _shape_names(table), _field_types(table)
    patterns = [_pattern(each, shapes.get(each.name, each.entities[0]), types) for each in table.patterns]
    head = f"class {checked(table.class_name)}(Table, {options}):"
    return _block(head, _doc(table.doc, table.class_name), [line for text in patterns for line in text])


def _table_options(table: DraftTable) -> Iterator[tuple[str, str]]:
    names = dict.fromkeys(checked(entity.class_name) for entity in table.entities)
    yield "entities", f"[{', '.join(names)}]"
    if table.name != table.class_name:
        yield "name", quoted(table.name)
    if table.keys != ("PK", "SK"):
        yield "keys", value_text(table.keys)
    indexes = [_index(index) for index in table.indexes if not _is_default(index)]
    if indexes:
        yield "indexes", f"[{', '.join(indexes)}]"
    if table.type_attribute != "entity_type":
        yield "type_attribute", value_text(table.type_attribute)
    if table.ttl_attribute is not None:
        yield "ttl_attribute", quoted(table.ttl_attribute)
    if table.delimiter != "#":
        yield "delimiter", quoted(table.delimiter)
    if table.schema_version_attribute != "schema_v":
        yield "schema_version_attribute", quoted(table.schema_version_attribute)
    if table.accept:
        yield "accept", value_text(table.accept)


def _is_default(index: DraftIndex) -> bool:
    """Return whether entities declare the index only by its keyword, such as gsi1 with GSI1PK and GSI1SK."""
    expected = (index.alias.upper(), (f"{index.name}PK",), (f"{index.name}SK",))
    plain = (index.name, index.partition, index.sort) == expected and index.projection == "ALL" and not index.is_inverse
    return index.kind == "GSI" and plain and re.fullmatch(r"gsi\d+", index.alias) is not None


def _index(index: DraftIndex) -> str:
    text = f"{'inverse' if index.is_inverse else index.kind}({quoted(index.alias)}, name={quoted(index.name)}"
    if index.kind == "LSI":
        text += f", sort={quoted(index.sort[0])}"
    elif not index.is_inverse:
        keys = tuple(each[0] if len(each) == 1 else each for each in (index.partition, index.sort) if each)
        text += f", keys={value_text(keys)}"
    if index.projection == "KEYS_ONLY":
        text += ", projection=KEYS_ONLY"
    elif index.projection == "INCLUDE":
        text += f", projection=include({', '.join(map(quoted, index.included))})"
    return f"{text})"


def _pattern(pattern: DraftPattern, subject: str, types: dict[str, dict[str, tuple[str, bool]]]) -> list[str]:
    return [
        f"@pattern({_arguments(_pattern_options(pattern))})",
        f"def {checked(pattern.name)}({_signature(pattern)}) -> {_result(pattern, checked(subject))}:",
        f"    {quoted(one_line(pattern.title))}",
        f"    return {_body(pattern, subject, types)}",
    ]


def _pattern_options(pattern: DraftPattern) -> Iterator[tuple[str, str]]:
    for name in ("frequency", "entry", "rate", "budget_ms", "fanout"):
        value = getattr(pattern, name)
        if value is not None:
            yield name, value_text(int(value) if isinstance(value, float) and value.is_integer() else value)
    for name, value in pattern.options.items():
        yield name, value_text(value)
    if pattern.accept:
        yield "accept", value_text(pattern.accept)


def _signature(pattern: DraftPattern) -> str:
    given = pattern.parameters
    if pattern.kind in ("put", "create") and not given:
        entity = pattern.entities[0]
        given = (DraftParameter(variable_name(entity), entity),)
    named = [_parameter(each) for each in given if each.by_name]
    return ", ".join(
        ["self", *(_parameter(each) for each in given if not each.by_name), *(["*", *named] if named else [])]
    )


def _parameter(each: DraftParameter) -> str:
    if each.range in ("Radius", "Box", "Nearest"):
        text = f"{checked(each.name)}: {each.range}"
    else:
        plain = _annotation(each.type, each.choices, is_optional=False)
        text = f"{checked(each.name)}: {f'{each.range}[{plain}]' if each.range else plain}"
    text += " | None" if each.optional else ""
    return f"{text} = {value_text(each.default)}" if each.has_default else text


def _result(pattern: DraftPattern, subject: str) -> str:
    answer = checked(pattern.view) if pattern.view is not None and pattern.kind != "collection" else subject
    if _is_feed(pattern):
        return f"Page[{' | '.join(map(checked, pattern.entities))}]"
    if pattern.kind in ("query", "within", "ancestors"):
        return f"{'Page' if pattern.kind == 'query' else 'list'}[{answer}]"
    return f"{answer} | None" if pattern.kind in ("get", "collection", "delete") else answer


def _body(pattern: DraftPattern, subject: str, types: dict[str, dict[str, tuple[str, bool]]]) -> str:
    text = ConditionText(types, subject, [each.name for each in pattern.parameters])
    subjects = pattern.entities if _is_feed(pattern) else (subject,)
    given = [*map(checked, subjects), *map(text.change, pattern.changes)]
    if pattern.view is not None and pattern.kind != "collection":
        given.append(f"view={checked(pattern.view)}")
    for option, condition in (("where", pattern.where), ("filter", pattern.filter)):
        if condition is not None:
            given.append(f"{option}={text.condition(condition)}")
    if pattern.order_by is not None:
        given.append(f"order_by={text.path(pattern.order_by)}")
    if pattern.descending:
        given.append("descending=True")
    elif pattern.newest_first:
        given.append("newest_first=True" if _is_by_time(pattern, types[pattern.entities[0]]) else "descending=True")
    if pattern.limit is not None:
        given.append(f"limit={text.parameter(pattern.limit) if isinstance(pattern.limit, str) else pattern.limit}")
    given += [f"{option}=True" for option in ("hydrate", "consistent") if getattr(pattern, option)]
    return f"{pattern.kind}({', '.join(given)})"


def _is_feed(pattern: DraftPattern) -> bool:
    return pattern.kind == "query" and len(pattern.entities) > 1


def _is_by_time(pattern: DraftPattern, fields: Mapping[str, tuple[str, bool]]) -> bool:
    """Whether a query in reverse order sorts by a date or datetime."""
    if pattern.order_by is None:
        return True
    return fields.get(str(pattern.order_by.steps[0]), ("", False))[0] in ("date", "datetime")


def hidden_functions(table: DraftTable, pattern: DraftPattern) -> set[str]:
    """Return the parameters of a pattern that hide a function or a class that its body uses."""
    subject = _shape_names(table).get(pattern.name, pattern.entities[0])
    body = ast.parse(_body(pattern, subject, _field_types(table)))
    called = {node.func.id for node in ast.walk(body) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    classes = {
        node.value.id for node in ast.walk(body) if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    }
    return {subject, *called, *classes} & {each.name for each in pattern.parameters}
