"""A draft as a Python file: imports, a dataclass for each entity, a class for each table, formatted as ours are."""

from __future__ import annotations

import builtins
import re
import textwrap
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain

from singletable.drafts.conditions import refuse_unsaid
from singletable.drafts.constants import is_deep, is_mutable, words_in, written_constant
from singletable.drafts.declared import (
    class_fields,
    docline,
    entity_keywords,
    in_order_of_use,
    printable,
    table_keywords,
)
from singletable.drafts.declared_patterns import (
    answer_of,
    body_of,
    pattern_options,
    pattern_parameters,
    shape_members,
    shape_names,
    shapes_of,
    subject_of,
)
from singletable.drafts.docstrings import docstring, said_of
from singletable.drafts.draft import Draft, DraftClass, DraftEntity, DraftEnum, DraftPattern, DraftTable
from singletable.drafts.functions import functions_of
from singletable.drafts.terms import (
    Call,
    Changed,
    Compared,
    Constant,
    Declared,
    FieldOf,
    ItemPlace,
    Joined,
    Keywords,
    Listed,
    Named,
    Of,
    OfItem,
    OrNone,
    Term,
)
from singletable.drafts.type_text import CONTAINERS, PLAIN, quoted, read_type, written_type
from singletable.drafts.vocabulary import OWN, STANDARD

_WIDTH = 120


def python_source(draft: Draft) -> str:
    """The text of the file; `singletable check` reads it."""
    for table in draft.tables:
        refuse_unsaid(table)
    parts = [*chain.from_iterable(_table(table) for table in draft.tables)]
    body = "\n\n\n".join(parts)
    functions = sorted({name for table in draft.tables for name in functions_of(table)})
    head = "".join(f"{line}\n" for line in docstring(said_of(draft.doc, draft.title), ""))
    hidden = {name for table in draft.tables for name in _hidden_types(table)}
    later = "from __future__ import annotations\n\n" if hidden else ""
    if built_in := sorted(hidden & vars(builtins).keys()):  # a class's own names stand before Python's, not a module's
        later += f"from builtins import {', '.join(built_in)}\n"
    theirs = f"\n\n{_call(f'from {draft.functions_from} import ', '(', functions, ')', bare=True)}" if functions else ""
    opening = f"{head}\n" if head else ""
    return f"{opening}{later}{_imports(body)}{theirs}\n\n\n{body}\n"


def _hidden_types(table: DraftTable) -> set[str]:
    """The types that a field hides: one called `date`, which is None unless given, stands before the type."""
    owners: list[DraftEntity | DraftClass] = [*table.entities, *table.classes]
    classes = {each.class_name for each in owners} | {each.class_name for each in table.enums}
    hidden = {each.name for owner in owners for each in owner.fields if each.can_be_left_out}
    return hidden & {*STANDARD, *PLAIN, *CONTAINERS, *classes}


def _imports(body: str) -> str:
    """The names that the body uses, each from where it comes."""
    code = re.sub(r'"""(?:[^"\\]|\\.|"(?!""))*"""|"(?:[^"\\\n]|\\.)*"|#[^\n]*', "", body)
    # A name before a colon or an equals sign is a field, a parameter or a keyword, and no use of what is imported.
    used = set(re.findall(r"(?<![\w.])[A-Za-z_]\w*(?!\w|:|=(?!=))", code))
    called = set(re.findall(r"(?<![\w.])[A-Za-z_]\w*(?=\()", code)) | {name for name in used if not name.islower()}
    lines = ["from dataclasses import dataclass"] if "dataclass" in used else []
    lines += ["from dataclasses import field as dataclass_field"] if "dataclass_field" in used else []
    by_module: dict[str, list[str]] = {}
    for name in sorted(used & STANDARD.keys()):
        by_module.setdefault(STANDARD[name], []).append(name)
    lines += [f"from {module} import {', '.join(names)}" for module, names in by_module.items()]
    # A parameter may be called as one of our functions is, which are always called.
    own = sorted(used & OWN & called, key=lambda name: (not name.isupper(), not name[0].isupper(), name))
    return "\n".join([*sorted(lines), "", _call("from singletable import ", "(", own, ")", bare=True)])


def _table(table: DraftTable) -> Iterator[str]:
    yield from map(_enum, table.enums)
    for each in in_order_of_use(table):
        if isinstance(each, DraftEntity):
            yield _entity(each, table)
        else:
            doc = said_of(each.doc, each.class_name)
            yield "\n".join(["@dataclass", *_class(each.class_name, doc, class_fields(each.fields))])
    for name, pattern in shapes_of(table).items():
        yield "\n".join(["@dataclass", *_class(name, said_of(pattern.view_doc, pattern.title), shape_members(pattern))])
    yield "\n".join([*_notes(table.notes), *_table_lines(table, shape_names(table))])


def _notes(notes: Iterable[str]) -> Iterator[str]:
    for note in notes:
        yield from textwrap.wrap(printable(note), _WIDTH - 2, initial_indent="# ", subsequent_indent="# ")


def _enum(each: DraftEnum) -> str:
    members = [f"    {name} = {_written(value)}" for name, value in each.members.items()]
    body = _body(said_of(each.doc, each.class_name), members)
    return "\n".join([f"class {each.class_name}({each.base}):", *body])


def _entity(entity: DraftEntity, table: DraftTable) -> str:
    given = [_keyword(name, term) for name, term in entity_keywords(entity, table)]
    lines = [_call("@entity", "(", given, ")"), "@dataclass"]
    lines += _class(entity.class_name, said_of(entity.doc, entity.class_name), class_fields(entity.fields))
    upgrades = (f"upgrade({entity.class_name}, from_version={e.from_version})({e.function})" for e in entity.upgrades)
    return "\n".join([*lines, *(["", "", *upgrades] if entity.upgrades else [])])


def _class(name: str, doc: str, fields: Iterable[Declared]) -> list[str]:
    lines: list[str] = []
    set_before: set[str] = set()
    for each in fields:
        lines.append(f"    {_declared(each, set_before)}")
        set_before |= {each.name} if each.has_default else set()
    return [f"class {name}:", *_body(doc, lines)]


def _body(doc: str, lines: list[str]) -> list[str]:
    """The lines of a class: what it says of itself, if anything, and what it holds."""
    said = docstring(doc, "    ")
    return [*said, *([""] if said and lines else []), *lines] or ["    pass"]


def _declared(each: Declared, hidden: Collection[str] = ()) -> str:
    """A field or a parameter; `hidden` are names that something else has where the field's default is read."""
    head = f"{each.name}: {_written(each.type)}"
    if not each.has_default:
        return head
    if each.factory is not None:
        return f"{head} = dataclass_field(default_factory={each.factory})"
    default = each.default.value if isinstance(each.default, Constant) else None
    written = _written(each.default)
    words = words_in(default) | ({"deepcopy", "partial"} if is_mutable(default) and is_deep(default) else set())
    if words & set(hidden):  # a function looks for names outside of the class
        return f"{head} = dataclass_field(default_factory=lambda: {written})"
    if not is_mutable(default):
        return f"{head} = {written}"
    made = f"partial(deepcopy, {written})" if is_deep(default) else f"{written}.copy"
    return f"{head} = dataclass_field(default_factory={made if default else type(default).__name__})"


def _parameter(each: Declared) -> str:
    head = f"{each.name}: {_written(each.type)}"
    return f"{head} = {_written(each.default)}" if each.has_default else head


def _table_lines(table: DraftTable, shapes: Mapping[str, str]) -> Iterator[str]:
    given = [f"{name}={_on_lines(term, 4)}" for name, term in table_keywords(table)]
    yield _call(f"class {table.class_name}", "(", ["Table", *given], "):")
    patterns = ("\n".join(_pattern(each, subject_of(each, shapes), table)) for each in table.patterns)
    held = "\n\n".join(patterns)
    yield from _body(said_of(table.doc, table.class_name), [held] if held else [])


def _pattern(pattern: DraftPattern, subject: str, table: DraftTable) -> Iterator[str]:
    yield f"    @pattern({', '.join(_keywords(pattern_options(pattern)))})"
    given = ["self", *map(_parameter, pattern_parameters(pattern, by_name=False))]
    if by_name := pattern_parameters(pattern, by_name=True):
        given += ["*", *map(_parameter, by_name)]
    answer = _written(answer_of(pattern, subject))
    yield textwrap.indent(_call(f"def {pattern.name}", "(", given, f") -> {answer}:"), "    ")
    yield from docstring(docline(pattern.title), " " * 8)
    yield f"        return {_on_lines(body_of(pattern, subject, table), 8)}"


def _call(head: str, opening: str, given: list[str], closing: str, *, bare: bool = False) -> str:
    """A call on one line if it fits, else one argument to a line; `bare` has parentheses only when it does not fit."""
    one_line = f"{head}{'' if bare else opening}{', '.join(given)}{'' if bare else closing}"
    if len(one_line) <= _WIDTH - 8:
        return one_line
    inner = "".join(f"    {each},\n" for each in given)
    return f"{head}{opening}\n{inner}{closing}"


def _keyword(name: str, term: Term) -> str:
    """An argument by name on a line of its own, or on several where it does not fit."""
    written = f"{name}={_written(term)}"
    return written if len(f"    {written},") <= _WIDTH else f"{name}={_split(term, 4)}"


def _on_lines(term: Term, indent: int) -> str:
    """A term on one line if it fits, else one part to a line, as a formatter would break it."""
    written = _written(term)
    return written if len(written) <= _WIDTH - 2 * indent else _split(term, indent)


def _split(term: Term, indent: int) -> str:
    """A term with one part to a line."""
    inner = " " * (indent + 4)
    match term:
        case Listed():
            opening, closing, parts = "[", "]", [_on_lines(each, indent + 4) for each in term.elements]
        case Call():
            named = [f"{name}={_on_lines(each, indent + 4)}" for name, each in term.named]
            opening, closing = f"{term.function}(", ")"
            parts = [*(_on_lines(each, indent + 4) for each in term.given), *named]
        case OfItem(answer=Joined() as joined):
            conditions = f"\n{inner}{joined.operator} ".join(f"({_written(each)})" for each in joined.parts)
            return f"lambda {term.item}: (\n{inner}{conditions}\n{' ' * indent})"
        case _:
            return _written(term)
    lines = "".join(f"{inner}{each},\n" for each in parts)
    return f"{opening}\n{lines}{' ' * indent}{closing}"


def _keywords(keywords: Keywords) -> list[str]:
    return [f"{name}={_written(term)}" for name, term in keywords]


def _written(term: Term) -> str:
    """A term as Python; text is in quotes, so that nothing that came from elsewhere is code."""
    match term:
        case str():
            return quoted(term)
        case Named():
            return term.name
        case Call():
            return f"{term.function}({', '.join([*map(_written, term.given), *_keywords(term.named)])})"
        case Constant():
            return written_constant(term.value, quoted)
        case ItemPlace() | OfItem() | Compared() | Joined() | Changed():
            return _of_item(term)
        case FieldOf() | Of() | OrNone():
            return _type(term)
        case Listed():
            return f"[{', '.join(map(_written, term.elements))}]"
        case tuple():
            return f"({', '.join(map(_written, term))}{',' if len(term) == 1 else ''})"
        case Mapping():
            return "{" + ", ".join(f"{quoted(name)}: {_written(each)}" for name, each in term.items()) + "}"
        case _:
            return repr(term)


def _of_item(term: ItemPlace | OfItem | Compared | Joined | Changed) -> str:
    match term:
        case ItemPlace():
            written = term.item
            for number, step in enumerate(term.steps):
                written += f".{step}" if number in term.fields else f"[{_written(step)}]"
                written = f"present({written})" if number in term.present else written
            return written
        case OfItem():
            return f"lambda {term.item}: {_written(term.answer)}"
        case Compared():
            return f"{_written(term.left)} {term.comparator} {_written(term.right)}"
        case Joined():
            return f" {term.operator} ".join(f"({_written(each)})" for each in term.parts)
        case Changed():
            return f"{_written(term.field)}.{term.change}({', '.join(map(_written, term.given))})"


def _type(term: FieldOf | Of | OrNone) -> str:
    match term:
        case FieldOf():
            chosen = f"Literal[{', '.join(map(quoted, term.choices))}]"
            return chosen if term.choices else written_type(read_type(term.type))
        case Of():
            return f"{term.container}[{_written(term.inner)}]"
        case OrNone():
            return f"{_written(term.inner)} | None"
