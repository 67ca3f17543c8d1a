"""Python file of an imported model: imports, classes and notes, in the format of ruff."""

from __future__ import annotations

import ast
import builtins
import inspect
import textwrap
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from singletable.importers.draft import Draft
from singletable.importers.draft_tree import draft_tree, printable
from singletable.importers.python_text import value_text
from singletable.importers.restricted_tree import CheckedModel, check_tree
from singletable.importers.vocabulary import BUILT_IN, CLIENT_NAMES, OURS, STANDARD

_WIDTH = 120
_SIGNS: Mapping[type[ast.AST], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.BitAnd: "&",
    ast.BitOr: "|",
}


@dataclass(frozen=True)
class ImportedModel:
    """A model to write: its checked tree, the notes before each table, and the functions that it needs."""

    model: CheckedModel
    notes: Mapping[str, Sequence[str]]
    functions_from: str | None = None
    """The module from which the file imports functions."""
    known_functions: Collection[str] = ()
    """The functions that this module defines.

    For all other functions, the file contains functions that you must fill in.
    """


def python_source(draft: Draft) -> str:
    """Return the Python file of a draft."""
    return model_source(draft_model(draft))


def draft_model(draft: Draft) -> ImportedModel:
    """Return the model of a draft. Notes on the whole source go to its first table."""
    notes: dict[str, Sequence[str]] = {table.class_name: table.notes for table in draft.tables}
    if draft.notes and draft.tables:
        first = draft.tables[0].class_name
        notes[first] = (*draft.notes, *notes[first])
    return ImportedModel(draft_tree(draft), notes)


def combined_models(first: ImportedModel, second: ImportedModel) -> ImportedModel:
    """Return one model with the classes of both, and with the docstring of the first."""
    body = [*first.model.tree.body, *_split_docstring(second.model.tree.body)[1]]
    tree = check_tree(ast.Module(body, []))
    return replace(first, model=tree, notes={**first.notes, **second.notes})


def model_source(imported: ImportedModel) -> str:
    """Return the Python file of a checked model."""
    model = imported.model
    doc, body = _split_docstring(model.tree.body)
    used = _used_names(body)
    known = sorted(model.functions & set(imported.known_functions))
    missing = sorted(model.functions - set(known))
    used |= {"Any"} if missing else set()
    parts = ["\n".join(_docstring(doc, ""))] if doc else []
    parts.append(_imports(used, _hidden_types(body)))
    if known and imported.functions_from is not None:
        parts[-1] += f"\n\n{_import_line(imported.functions_from, known)}"
    blocks = [*map(_stub, missing), *_blocks(body, imported.notes)]
    return "\n\n".join(parts) + "\n\n\n" + "\n\n\n".join(blocks) + "\n"


def declarations_source(model: CheckedModel) -> str:
    """Return the classes of a model without imports. This is the text that the export stores in a document."""
    return "\n\n\n".join(_blocks(_split_docstring(model.tree.body)[1], {})) + "\n"


def _blocks(body: list[ast.stmt], notes: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the text of each class, and of its upgrades after it."""
    blocks: list[str] = []
    for number, node in enumerate(body):
        if isinstance(node, ast.ClassDef):
            blocks.append("\n".join([*_notes(notes.get(node.name, ())), *_class(node)]))
        elif isinstance(node, ast.Expr) and isinstance(body[number - 1], ast.Expr):
            blocks[-1] += f"\n{_text(node.value)}"
        elif isinstance(node, ast.Expr):
            blocks.append(_text(node.value))
    return blocks


def _split_docstring(body: list[ast.stmt]) -> tuple[str, list[ast.stmt]]:
    match body:
        case [ast.Expr(value=ast.Constant(value=str() as doc)), *others]:
            return inspect.cleandoc(doc).rstrip(), others
        case _:
            return "", body


def _used_names(body: list[ast.stmt]) -> set[str]:
    nodes = (node for statement in body for node in ast.walk(statement))
    return {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}


def _hidden_types(body: list[ast.stmt]) -> set[str]:
    """Return the types that a field with a default hides inside its class, such as `date` for a field named `date`."""
    types = {*STANDARD, *BUILT_IN, *(node.name for node in body if isinstance(node, ast.ClassDef))}
    return types & {
        node.target.id
        for owner in body
        for node in (owner.body if isinstance(owner, ast.ClassDef) else ())
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None
    }


def _imports(used: Collection[str], hidden: Collection[str]) -> str:
    lines: list[str] = []
    by_module: dict[str, list[str]] = {}
    for name in sorted(each for each in used if each in STANDARD):
        if name == "dataclass_field":
            lines.append("from dataclasses import field as dataclass_field")
        else:
            by_module.setdefault(STANDARD[name][0], []).append(name)
    if built_in := sorted(set(hidden) & vars(builtins).keys()):  # annotations are resolved in the module first
        by_module["builtins"] = built_in
    lines += [f"from {module} import {', '.join(names)}" for module, names in by_module.items()]
    lines.sort()
    opening = "from __future__ import annotations\n\n" if hidden else ""
    own = sorted(
        (each for each in used if each in OURS or each in CLIENT_NAMES),
        key=lambda name: (not name.isupper(), not name[0].isupper(), name),
    )
    return opening + "\n".join([*lines, "", _import_line("singletable", own)])


def _import_line(module: str, names: Sequence[str]) -> str:
    line = f"from {module} import {', '.join(names)}"
    inner = "".join(f"    {name},\n" for name in names)
    return line if len(line) <= _WIDTH else f"from {module} import (\n{inner})"


def _stub(name: str) -> str:
    doc = "Replace this function. The imported document names it, but does not contain its code."
    return f'def {name}(*arguments: Any) -> Any:\n    """{doc}"""\n    raise NotImplementedError'


def _notes(notes: Sequence[str]) -> Iterator[str]:
    for note in notes:
        yield from textwrap.wrap(printable(note), _WIDTH - 2, initial_indent="# ", subsequent_indent="# ")


def _class(node: ast.ClassDef) -> Iterator[str]:
    for decorator in node.decorator_list:
        yield f"@{_fitted(decorator, 0, 1)}"
    given = [*map(_text, node.bases), *(_keyword(each, 4, 0) for each in node.keywords)]
    yield _bracketed(
        f"class {node.name}", "(", [*map(_text, node.bases), *map(_argument, node.keywords)], given, "):", 0
    )
    doc, body = _split_docstring(node.body)
    said = _docstring(doc, "    ") or ([] if body else ["    pass"])
    yield from said
    if body and not (said and all(isinstance(each, ast.Pass) for each in body)):
        yield from [""] if said else []
        for number, statement in enumerate(body):
            is_function = isinstance(statement, ast.FunctionDef)
            yield from [""] if is_function and number else []
            yield from (
                _function(statement) if isinstance(statement, ast.FunctionDef) else [f"    {_statement(statement)}"]
            )


def _statement(node: ast.stmt) -> str:
    match node:
        case ast.AnnAssign(target=target, annotation=annotation, value=None):
            return f"{_text(target)}: {_text(annotation)}"
        case ast.AnnAssign(target=target, annotation=annotation, value=ast.expr() as value):
            head = f"{_text(target)}: {_text(annotation)} = "
            return head + _fitted(value, 4, len(head))
        case ast.Assign(targets=[target], value=value):
            return f"{_text(target)} = {_text(value)}"
        case _:
            return "pass"


def _function(node: ast.FunctionDef) -> Iterator[str]:
    for decorator in node.decorator_list:
        yield f"    @{_fitted(decorator, 4, 1)}"
    given = _parameters(node.args)
    result = _text(node.returns) if node.returns is not None else ""
    yield f"    {_bracketed(f'def {node.name}', '(', given, given, f') -> {result}:', 4)}"
    doc, body = _split_docstring(node.body)
    yield from _docstring(doc, " " * 8)
    for statement in body:
        if isinstance(statement, ast.Return) and statement.value is not None:
            yield f"        return {_fitted(statement.value, 8, 7)}"


def _parameters(arguments: ast.arguments) -> list[str]:
    defaults = [None] * (len(arguments.args) - len(arguments.defaults)) + list(arguments.defaults)
    given = [_parameter(each, default) for each, default in zip(arguments.args, defaults, strict=True)]
    named = [_parameter(each, value) for each, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)]
    return [*given, *(["*", *named] if named else [])]


def _parameter(each: ast.arg, default: ast.expr | None) -> str:
    text = each.arg if each.annotation is None else f"{each.arg}: {_text(each.annotation)}"
    return text if default is None else f"{text} = {_text(default)}"


def _fitted(node: ast.expr, indent: int, before: int) -> str:
    """Return an expression on one line if it fits after `before` characters. Otherwise, write one part per line."""
    text = _text(node)
    return text if indent + before + len(text) <= _WIDTH - 1 else _split(node, indent)


def _split(node: ast.expr, indent: int) -> str:
    inner = indent + 4
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Call() as owner, attr=method)):
            return f"{_split(owner, indent)}.{method}({', '.join(_call_arguments(node))})"
        case ast.Call():
            parts = [_fitted(each, inner, 1) for each in node.args]
            parts += [_keyword(each, inner, 0) for each in node.keywords]
            opening, closing = f"{_text(node.func)}(", ")"
        case ast.List():
            opening, closing, parts = "[", "]", [_fitted(each, inner, 1) for each in node.elts]
        case ast.Tuple():
            opening, closing, parts = "(", ")", [_fitted(each, inner, 1) for each in node.elts]
        case ast.Set():
            opening, closing, parts = "{", "}", [_fitted(each, inner, 1) for each in node.elts]
        case ast.Dict():
            pairs = zip(node.keys, node.values, strict=True)
            heads = [(f"{_text(key)}: " if key is not None else "", value) for key, value in pairs]
            opening, closing = "{", "}"
            parts = [head + _fitted(value, inner, len(head) + 1) for head, value in heads]
        case ast.Lambda(body=ast.BinOp() as body):
            sign = f"\n{' ' * inner}{_SIGNS[type(body.op)]} "
            conditions = sign.join(map(_inner, _operands(body)))
            return f"lambda {node.args.args[0].arg}: (\n{' ' * inner}{conditions}\n{' ' * indent})"
        case _:
            return _text(node)
    lines = "".join(f"{' ' * inner}{each},\n" for each in parts)
    return f"{opening}\n{lines}{' ' * indent}{closing}" if parts else f"{opening}{closing}"


def _bracketed(head: str, opening: str, plain: list[str], parts: list[str], closing: str, indent: int) -> str:
    line = f"{head}{opening}{', '.join(plain)}{closing}" if plain else f"{head}{closing.lstrip(')')}"
    if indent + len(line) <= _WIDTH:
        return line
    inner = "".join(f"{' ' * (indent + 4)}{each},\n" if each != "*" else f"{' ' * (indent + 4)}*,\n" for each in parts)
    return f"{head}{opening}\n{inner}{' ' * indent}{closing}"


def _keyword(each: ast.keyword, indent: int, before: int) -> str:
    head = f"{each.arg}="
    return head + _fitted(each.value, indent, before + len(head) + 1)


def _argument(each: ast.keyword) -> str:
    return f"{each.arg}={_text(each.value)}"


def _call_arguments(node: ast.Call) -> list[str]:
    return [*map(_text, node.args), *map(_argument, node.keywords)]


def _operands(node: ast.BinOp) -> list[ast.expr]:
    """Return the operands of a chain of one operator."""
    is_chain = isinstance(node.left, ast.BinOp) and type(node.left.op) is type(node.op)
    return [*(_operands(node.left) if is_chain and isinstance(node.left, ast.BinOp) else [node.left]), node.right]


def _text(node: ast.expr) -> str:  # noqa: PLR0912  # one case per kind of node
    """Return an expression on one line."""
    match node:
        case ast.Constant(value=value):
            return "..." if value is ... else value_text(value)
        case ast.Name(id=name):
            return name
        case ast.UnaryOp(operand=operand):
            return f"-{_text(operand)}"
        case ast.Tuple(elts=elements):
            return f"({', '.join(map(_text, elements))}{',' if len(elements) == 1 else ''})"
        case ast.List(elts=elements):
            return f"[{', '.join(map(_text, elements))}]"
        case ast.Set(elts=elements):
            return f"{{{', '.join(map(_text, elements))}}}"
        case ast.Dict(keys=keys, values=values):
            pairs = zip(keys, values, strict=True)
            return f"{{{', '.join(f'{_text(key)}: {_text(value)}' for key, value in pairs if key is not None)}}}"
        case ast.Attribute(value=owner, attr=name):
            return f"{_text(owner)}.{name}"
        case ast.Subscript(value=owner, slice=inner):
            elements = inner.elts if isinstance(inner, ast.Tuple) else [inner]
            return f"{_text(owner)}[{', '.join(map(_text, elements))}]"
        case ast.Call(func=function):
            return f"{_text(function)}({', '.join(_call_arguments(node))})"
        case ast.Lambda(args=arguments, body=body):
            names = "".join(f" {each.arg}" for each in arguments.args)
            return f"lambda{names}: {_text(body)}"
        case ast.Compare(left=left, ops=[sign], comparators=[right]):
            return f"{_inner(left)} {_SIGNS[type(sign)]} {_inner(right)}"
        case ast.BinOp(op=sign):
            return f" {_SIGNS[type(sign)]} ".join(map(_inner, _operands(node)))
        case _:
            raise AssertionError(f"restricted_tree allows {type(node).__name__}, which has no text here")


def _inner(node: ast.expr) -> str:
    is_compound = isinstance(node, ast.Compare | ast.BinOp | ast.Lambda)
    return f"({_text(node)})" if is_compound else _text(node)


def _docstring(text: str, indent: str) -> list[str]:
    """Return the lines of a docstring as a formatter writes them.

    The text is escaped, so it cannot end the docstring early.
    """
    if not text:
        return []
    first, *others = (_escaped(line.rstrip()) for line in text.split("\n"))
    opening = '""" ' if first.startswith('"') else '"""'
    lines = [f"{indent}{opening}{first}", *(f"{indent}{line}".rstrip() for line in others)]
    if others:
        return [*lines, f'{indent}"""']
    return [f'{lines[0]} """' if first.endswith('"') else f'{lines[0]}"""']


def _escaped(line: str) -> str:
    plain = line.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in plain)
