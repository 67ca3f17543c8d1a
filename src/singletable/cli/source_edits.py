"""Applies the edits of a remedy to Python source. Only the edited declarations change; comments and layout stay."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from singletable.cli.source_tokens import PythonSource, Replacement, replace_text
from singletable.planner.remedy import (
    AddElement,
    AddImport,
    AddParameter,
    Edit,
    InnerCall,
    Place,
    RemoveElement,
    RemoveKeyword,
    SetFieldDeclaration,
    SetItem,
    SetKeyword,
    SetParameter,
)

N = TypeVar("N", bound=ast.AST)
SourceEdit = (
    SetKeyword
    | RemoveKeyword
    | SetItem
    | AddElement
    | RemoveElement
    | AddParameter
    | SetParameter
    | SetFieldDeclaration
)


class EditNotPossible(Exception):
    """The error for source that does not contain the declaration in a form that an edit can change."""


def edit_source(text: str, edits: Sequence[Edit]) -> str:
    """Return the source after all edits. Raise EditNotPossible with the reason."""
    # An edit finds its place by a line number. So the edits start with the last place in the file, and each round
    # applies one edit of every place to the same parsed source.
    waiting = sorted(dict.fromkeys(edits), key=_position)
    while waiting:
        source, places = PythonSource(text), set[int]()
        now: list[Edit] = []
        for edit in waiting:
            # Edits of a table class can change the same list, and imports the same statement.
            place = 0 if edit.place.kind == "table" else edit.place.location.line
            if isinstance(edit, AddImport):
                now = now or [edit]
                break
            if place not in places:
                now.append(edit)
                places.add(place)
        replacements = [each for edit in now for each in _replacements(source, edit)]
        added = [_added_lines(text, each) for each in replacements]
        text = replace_text(text, replacements)
        waiting = [_moved(edit, added) for edit in waiting if edit not in now]
    return text


def _added_lines(text: str, each: Replacement) -> tuple[int, int]:
    """Return the line of a replacement, and the number of lines that it adds."""
    return text.count("\n", 0, each.start) + 1, each.text.count("\n") - text.count("\n", each.start, each.end)


def _moved(edit: Edit, added: Sequence[tuple[int, int]]) -> Edit:
    """Return the edit with the line of its place after lines were added or removed above it."""
    location = edit.place.location
    line = location.line + sum(count for above, count in added if above < location.line)
    return replace(edit, place=replace(edit.place, location=replace(location, line=line)))


def _position(edit: Edit) -> tuple[bool, int, bool]:
    above_its_line = edit.place.kind == "pattern" and not isinstance(edit, AddParameter | SetParameter)
    return isinstance(edit, AddImport), -edit.place.location.line, above_its_line


def _replacements(source: PythonSource, edit: Edit) -> Iterator[Replacement]:
    if isinstance(edit, AddImport):
        yield from _import(source, edit)
    else:
        yield _replacement(source, edit)


def _replacement(source: PythonSource, edit: SourceEdit) -> Replacement:
    match edit:
        case SetKeyword(place, keyword, value):
            return _set_keyword(source, _call(source, place), keyword, value)
        case RemoveKeyword(place, keyword):
            found = _keyword(_call(source, place), keyword)
            if found is None:
                raise EditNotPossible(f"{place} has no {keyword}=")
            return source.remove(source.start(found), source.end(found))
        case SetItem(place):
            return _set_item(source, _call(source, place), edit)
        case AddElement(place, keyword, value):
            return _add_element(source, _call(source, place), keyword, value)
        case RemoveElement(place):
            element = _call(source, place)
            assert isinstance(element, ast.Call), "an inner place is a call"
            return source.remove(source.start(element), source.end(element))
        case AddParameter(place):
            return _add_parameter(source, _function(source, place), edit)
        case SetParameter(place):
            return _set_parameter(source, _function(source, place), edit)
        case SetFieldDeclaration(place, name, value):
            return _set_field(source, _class(source, place), name, value)


Declaration = ast.Call | ast.ClassDef
"""A call or a class statement. Both can have keywords."""


def _call(source: PythonSource, place: Place) -> Declaration:
    """Return the node in which an edit changes the keywords."""
    outer: Declaration
    if place.kind == "entity":
        outer = _entity_call(source, place)
    elif place.kind == "table":
        outer = _class(source, place)
    elif place.kind == "pattern":
        outer = _decorator(_function(source, place), "pattern", place)
    else:
        outer = _body_call(_function(source, place), place)
    return outer if place.inner is None else _inner_call(outer, place.inner, place)


def _entity_call(source: PythonSource, place: Place) -> ast.Call:
    line = place.location.line
    for node in _nodes(source, ast.ClassDef):
        if node.name == place.name:
            for each in node.decorator_list:
                if isinstance(each, ast.Call) and each.lineno <= line <= (each.end_lineno or line):
                    return each
    raise EditNotPossible(f"line {line} has no @entity(...) on a class {place.name}")


def _class(source: PythonSource, place: Place) -> ast.ClassDef:
    line = place.location.line
    for node in _nodes(source, ast.ClassDef):
        first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
        if first <= line <= node.lineno and (place.kind == "table" or node.name == place.name):
            return node
    raise EditNotPossible(f"line {line} has no class {place.name}")


def _function(source: PythonSource, place: Place) -> ast.FunctionDef:
    for node in _nodes(source, ast.FunctionDef):
        if node.name == place.name and node.lineno == place.location.line:
            return node
    raise EditNotPossible(f"line {place.location.line} has no def {place.name}")


def _nodes(source: PythonSource, kind: type[N]) -> Iterator[N]:
    return (node for node in ast.walk(source.tree) if isinstance(node, kind))


def _decorator(function: ast.FunctionDef, name: str, place: Place) -> ast.Call:
    for each in function.decorator_list:
        if isinstance(each, ast.Call) and _last_name(each.func) == name:
            return each
    raise EditNotPossible(f"{place.name} has no decorator @{name}(...)")


def _body_call(function: ast.FunctionDef, place: Place) -> ast.Call:
    returned = [node.value for node in ast.walk(function) if isinstance(node, ast.Return)]
    calls = [value for value in returned if isinstance(value, ast.Call) and _last_name(value.func) == place.call]
    if len(calls) != 1:
        raise EditNotPossible(f"{place.name} has no single return {place.call}(...)")
    return calls[0]


def _inner_call(outer: Declaration, inner: InnerCall, place: Place) -> ast.Call:
    found = _keyword(outer, inner.keyword)
    elements = found.value.elts if found is not None and isinstance(found.value, ast.List | ast.Tuple) else []
    first = ast.unparse(ast.parse(inner.first, mode="eval"))
    for each in elements:
        if not isinstance(each, ast.Call) or _last_name(each.func) != inner.function:
            continue
        if each.args and ast.unparse(each.args[0]) == first:
            return each
    raise EditNotPossible(f"{inner.keyword}= of {place.name} has no {inner}")


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _keyword(node: Declaration, name: str) -> ast.keyword | None:
    return next((each for each in node.keywords if each.arg == name), None)


def _set_keyword(source: PythonSource, node: Declaration, keyword: str, value: str) -> Replacement:
    found = _keyword(node, keyword)
    if found is not None:
        return Replacement(source.start(found), source.end(found), f"{keyword}={value}")
    opening, closing = _brackets(source, node)
    return source.insert_last(opening, closing, f"{keyword}={value}")


def _brackets(source: PythonSource, node: Declaration) -> tuple[int, int]:
    """Return the offsets of the brackets around the arguments of a call or a class statement."""
    if isinstance(node, ast.Call):
        return source.after(source.end(node.func)).start, source.end(node) - 1
    arguments: list[ast.expr | ast.keyword] = [*node.bases, *node.keywords]
    last = max(source.end(each) for each in arguments)
    closing = source.after(last)
    while closing.text != ")":
        closing = source.after(closing.end)
    opening = next(token for token in source.tokens if token.start > source.start(node) and token.text == "(")
    return opening.start, closing.start


def _set_item(source: PythonSource, node: Declaration, edit: SetItem) -> Replacement:
    found = _keyword(node, edit.keyword)
    if found is None or not isinstance(found.value, ast.Dict):
        raise EditNotPossible(f"{edit.keyword}= of {edit.place} is not written as a dict")
    for key, value in zip(found.value.keys, found.value.values, strict=True):
        if isinstance(key, ast.Constant) and key.value == edit.key:
            return Replacement(source.start(value), source.end(value), edit.source)
    return source.insert_last(source.start(found.value), source.end(found.value) - 1, edit.code)


def _add_element(source: PythonSource, node: Declaration, keyword: str, value: str) -> Replacement:
    found = _keyword(node, keyword)
    if found is None:
        return _set_keyword(source, node, keyword, f"[{value}]")
    if not isinstance(found.value, ast.List):
        raise EditNotPossible(f"{keyword}= is not written as a list")
    return source.insert_last(source.start(found.value), source.end(found.value) - 1, value)


def _add_parameter(source: PythonSource, node: ast.FunctionDef, edit: AddParameter) -> Replacement:
    """Insert a parameter after the last parameter without a default, and before keyword-only parameters."""
    arguments = [*node.args.posonlyargs, *node.args.args]
    if edit.name in {each.arg for each in (*arguments, *node.args.kwonlyargs)}:
        raise EditNotPossible(f"{edit.place.name} already has the parameter {edit.name}")
    required = arguments[: len(arguments) - len(node.args.defaults)]
    if not required:
        raise EditNotPossible(f"{edit.place.name} has no parameter self")
    end = source.end(required[-1])
    return Replacement(end, end, f", {edit.code}")


def _set_parameter(source: PythonSource, node: ast.FunctionDef, edit: SetParameter) -> Replacement:
    """Replace a parameter and its default, or insert a keyword-only parameter after all others."""
    arguments = node.args
    plain = [*arguments.posonlyargs, *arguments.args]
    defaults = [*[None] * (len(plain) - len(arguments.defaults)), *arguments.defaults, *arguments.kw_defaults]
    declared = list(zip([*plain, *arguments.kwonlyargs], defaults, strict=True))
    for argument, default in declared:
        if argument.arg == edit.name:
            return Replacement(source.start(argument), _parameter_end(source, argument, default), edit.code)
    if arguments.vararg is not None or arguments.kwarg is not None or not declared:
        raise EditNotPossible(f"{edit.place.name} has no parameter self, or takes any number of parameters")
    end = _parameter_end(source, *declared[-1])
    return Replacement(end, end, f"{'' if arguments.kwonlyargs else ', *'}, {edit.code}")


def _parameter_end(source: PythonSource, argument: ast.arg, default: ast.expr | None) -> int:
    """Return the end of a parameter with its default. The default can be in brackets."""
    if default is None:
        return source.end(argument)
    start, end = source.end(argument), source.end(default)
    opened = [token for token in source.tokens if start <= token.start < source.start(default) and token.text == "("]
    for _ in opened:
        end = source.after(end).end
    return end


def _set_field(source: PythonSource, node: ast.ClassDef, name: str, value: str) -> Replacement:
    for each in node.body:
        if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name) and each.target.id == name:
            return Replacement(source.start(each), source.end(each), value)
    raise EditNotPossible(f"the body of class {node.name} does not declare {name}")


def _import(source: PythonSource, edit: AddImport) -> Iterator[Replacement]:
    """Yield the import of a name, unless the module already defines it."""
    statements = [node for node in source.tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    bound = {alias.asname or alias.name for node in statements for alias in node.names}
    defined = {node.name for node in source.tree.body if isinstance(node, ast.ClassDef)}
    if edit.name in bound | defined:
        return
    same = [node for node in statements if isinstance(node, ast.ImportFrom) and node.module == edit.module]
    if any(alias.name == "*" for node in same for alias in node.names):
        return
    if same:
        yield _add_name(source, same[-1], edit.name)
        return
    docstring = [node for node in source.tree.body[:1] if isinstance(node, ast.Expr)]
    previous = [*docstring, *statements][-1:]
    at = source.end(previous[0]) if previous else 0
    yield Replacement(at, at, f"{source.newline}{edit.code}" if previous else f"{edit.code}{source.newline}")


def _add_name(source: PythonSource, node: ast.ImportFrom, name: str) -> Replacement:
    names = [each.name for each in node.names]
    later = [each for each in node.names if _import_order(each.name) > _import_order(name)]
    if names == sorted(names, key=_import_order) and later:
        at = source.start(later[0])
        separator = f",{source.newline}{source.indentation(at)}" if _starts_line(source, at) else ", "
        return Replacement(at, at, f"{name}{separator}")
    following = source.after(source.end(node.names[-1])) if source.text[source.end(node) - 1] == ")" else None
    if following is None:
        return Replacement(source.end(node), source.end(node), f", {name}")
    opening = next(token for token in source.tokens if token.start > source.start(node) and token.text == "(")
    return source.insert_last(opening.start, source.end(node) - 1, name)


def _starts_line(source: PythonSource, offset: int) -> bool:
    return not source.text[source.line_start(offset) : offset].strip()


def _import_order(name: str) -> tuple[int, str]:
    """Return a sort key that puts constants first, then classes, then functions, as in ruff and isort."""
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2
    return kind, name
