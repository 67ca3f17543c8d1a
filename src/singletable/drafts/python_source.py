"""A draft as a Python file: imports, a dataclass for each entity, a class for each table, formatted as ours are."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

from singletable.drafts.declared import (
    answer_of,
    body_of,
    docline,
    entity_fields,
    entity_keywords,
    paging_parameters,
    pattern_options,
    pattern_parameters,
    printable,
    shape_members,
    shape_names,
    subject_of,
    table_keywords,
)
from singletable.drafts.draft import Draft, DraftEntity, DraftPattern, DraftTable, DraftTest
from singletable.drafts.terms import (
    Call,
    Declared,
    FieldOf,
    ItemField,
    ItemTests,
    Keywords,
    Listed,
    Named,
    Of,
    OrNone,
    Setting,
    Term,
)
from singletable.drafts.vocabulary import OWN, STANDARD

_WIDTH = 120


def python_source(draft: Draft) -> str:
    """The text of the file; `singletable check` reads it."""
    parts = [*chain.from_iterable(_table(table) for table in draft.tables)]
    body = "\n\n\n".join(parts)
    head = f'"""{_docstring(draft.title)}"""'
    optional = {
        each.name for table in draft.tables for entity in table.entities for each in entity.fields if each.optional
    }
    # A field called `date` that is None unless given would stand before the type of the same name.
    later = "from __future__ import annotations\n\n" if optional & STANDARD.keys() else ""
    return f"{head}\n\n{later}{_imports(body)}\n\n\n{body}\n"


def _imports(body: str) -> str:
    """The names that the body uses, each from where it comes."""
    code = re.sub(r'"""(?:[^"\\]|\\.|"(?!""))*"""|"(?:[^"\\\n]|\\.)*"|#[^\n]*', "", body)
    # A name before a colon or an equals sign is a field, a parameter or a keyword, and no use of what is imported.
    used = set(re.findall(r"(?<![\w.])[A-Za-z_]\w*(?!\w|:|=(?!=))", code))
    lines = ["from dataclasses import dataclass"] if "dataclass" in used else []
    by_module: dict[str, list[str]] = {}
    for name in sorted(used & STANDARD.keys()):
        by_module.setdefault(STANDARD[name], []).append(name)
    lines += [f"from {module} import {', '.join(names)}" for module, names in by_module.items()]
    own = sorted(used & OWN, key=lambda name: (not name.isupper(), not name[0].isupper(), name))
    return "\n".join([*sorted(lines), "", _call("from singletable import ", "(", own, ")", bare=True)])


def _table(table: DraftTable) -> Iterator[str]:
    yield from (_entity(entity) for entity in table.entities)
    shapes = shape_names(table)
    for pattern in table.patterns:
        if pattern.kind == "collection":
            lines = ["@dataclass", *_class(subject_of(pattern, shapes), pattern.title, shape_members(pattern))]
            yield "\n".join(lines)
    yield "\n".join([*_notes(table.notes), *_table_lines(table, shapes)])


def _notes(notes: Iterable[str]) -> Iterator[str]:
    for note in notes:
        yield from textwrap.wrap(printable(note), _WIDTH - 2, initial_indent="# ", subsequent_indent="# ")


def _entity(entity: DraftEntity) -> str:
    lines = [_call("@entity", "(", _keywords(entity_keywords(entity)), ")"), "@dataclass"]
    return "\n".join([*lines, *_class(entity.class_name, entity.doc or entity.class_name, entity_fields(entity))])


def _class(name: str, doc: str, fields: Iterable[Declared]) -> list[str]:
    return [f"class {name}:", f'    """{_docstring(doc)}"""', "", *(f"    {_declared(each)}" for each in fields)]


def _declared(each: Declared) -> str:
    return f"{each.name}: {_written(each.type)}" + (f" = {_written(each.default)}" if each.has_default else "")


def _table_lines(table: DraftTable, shapes: Mapping[str, str]) -> Iterator[str]:
    yield _call(f"class {table.class_name}", "(", ["Table", *_keywords(table_keywords(table))], "):")
    yield f'    """{_docstring(table.doc or table.class_name)}"""'
    for pattern in table.patterns:
        yield ""
        yield from _pattern(pattern, subject_of(pattern, shapes))


def _pattern(pattern: DraftPattern, subject: str) -> Iterator[str]:
    yield f"    @pattern({', '.join(_keywords(pattern_options(pattern)))})"
    given = ["self", *map(_declared, pattern_parameters(pattern))]
    if by_name := paging_parameters(pattern):
        given += ["*", *map(_declared, by_name)]
    answer = _written(answer_of(pattern, subject))
    yield textwrap.indent(_call(f"def {pattern.name}", "(", given, f") -> {answer}:"), "    ")
    yield f'        """{_docstring(pattern.title)}"""'
    yield f"        return {_written(body_of(pattern, subject))}"


def _call(head: str, opening: str, given: list[str], closing: str, *, bare: bool = False) -> str:
    """A call on one line if it fits, else one argument to a line; `bare` has parentheses only when it does not fit."""
    one_line = f"{head}{'' if bare else opening}{', '.join(given)}{'' if bare else closing}"
    if len(one_line) <= _WIDTH - 8:
        return one_line
    inner = "".join(f"    {each},\n" for each in given)
    return f"{head}{opening}\n{inner}{closing}"


def _keywords(keywords: Keywords) -> list[str]:
    return [f"{name}={_written(term)}" for name, term in keywords]


def _written(term: Term) -> str:
    """A term as Python; text is in quotes, so that nothing that came from elsewhere is code."""
    match term:
        case str():
            return _text(term)
        case Named():
            return term.name
        case Call():
            return f"{term.function}({', '.join([*map(_written, term.given), *_keywords(term.named)])})"
        case Setting():
            return f"field({term.entity}, lambda item: item.{term.field}).set({_written(term.value)})"
        case ItemField():
            return f"lambda item: item.{term.name}"
        case ItemTests():
            return f"lambda item: {_condition(term.tests)}"
        case FieldOf() | Of() | OrNone():
            return _type(term)
        case Listed():
            return f"[{', '.join(map(_written, term.elements))}]"
        case tuple():
            return f"({', '.join(map(_written, term))}{',' if len(term) == 1 else ''})"
        case Mapping():
            return "{" + ", ".join(f"{_text(name)}: {_written(each)}" for name, each in term.items()) + "}"
        case _:
            return repr(term)


def _type(term: FieldOf | Of | OrNone) -> str:
    match term:
        case FieldOf():
            return f"Literal[{', '.join(map(_text, term.choices))}]" if term.choices else term.type
        case Of():
            return f"{term.container}[{_written(term.inner)}]"
        case OrNone():
            return f"{_written(term.inner)} | None"


def _condition(tests: tuple[DraftTest, ...]) -> str:
    written = [_test(test) for test in tests]
    return written[0] if len(written) == 1 else " & ".join(f"({each})" for each in written)


def _test(test: DraftTest) -> str:
    if test.comparator == "exists":
        return f"exists(item.{test.field})"
    operator = {"=": "==", "<>": "!="}.get(test.comparator, test.comparator)
    right = test.parameter if test.parameter is not None else _written(test.value)
    if test.comparator == "contains":
        return f"contains(item.{test.field}, {right})"
    return f"item.{test.field} {operator} {right}"


def _text(value: str) -> str:
    """A Python literal in double quotes."""
    quoted = repr(value)[1:-1]
    if repr(value)[0] == "'":
        quoted = quoted.replace("\\'", "'").replace('"', '\\"')
    return f'"{quoted}"'


def _docstring(text: str) -> str:
    """One line that ends a docstring nowhere but at its end."""
    return docline(text).replace("\\", "\\\\")
