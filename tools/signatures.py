"""Signatures for the API reference: annotations as written, with one parameter per line if they do not fit."""

from __future__ import annotations

import ast
import importlib
import inspect
from collections.abc import Iterator
from dataclasses import is_dataclass
from itertools import pairwise
from typing import Any, get_overloads

import singletable

WIDTH = 100


def signatures_of(name: str, value: Any) -> list[str]:
    """Return the lines that declare a function, a method, a property or a class."""
    if isinstance(value, property):
        returns = _returns(inspect.signature(value.fget)) if value.fget else ""
        return [f"{name}{returns}"]
    if inspect.isclass(value):
        return _table_lines(value) if value.__name__ == "Table" else _class_lines(name, value)
    function = value.__func__ if isinstance(value, classmethod | staticmethod) else value
    awaited = "async " if inspect.iscoroutinefunction(function) else ""
    shown = get_overloads(function) or [function]
    bound = _is_method(function)
    signatures = [inspect.signature(each) for each in shown]
    if hasattr(function, "__wrapped__") and inspect.isgeneratorfunction(inspect.unwrap(function)):
        signatures = [_of_block(signature) for signature in signatures]
    return [line for each in signatures for line in _lines(f"{awaited}def {name}", each, bound=bound)]


def members_of(cls: type) -> Iterator[tuple[str, Any]]:
    """Yield the public methods and properties of a class and its bases, in the order of their definition."""
    seen = set()
    for base in cls.__mro__:
        if base.__module__.partition(".")[0] != "singletable":
            continue
        for name, value in vars(base).items():
            is_shown = inspect.isfunction(value) or isinstance(value, property | classmethod | staticmethod)
            if is_shown and (not name.startswith("_") or name == "__call__") and name not in seen:
                seen.add(name)
                yield name, value


def attributes_of(cls: type) -> Iterator[tuple[str, str]]:
    """Yield the attributes of a class that have a docstring."""
    for node in ast.walk(_tree_of(cls.__module__)):
        if isinstance(node, ast.ClassDef) and node.name == cls.__name__:
            yield from _documented(node.body)


def constant_doc(module: str, name: str) -> str:
    """Return the docstring below a constant."""
    return dict(_documented(_tree_of(module).body)).get(name, "")


def _documented(body: list[ast.stmt]) -> Iterator[tuple[str, str]]:
    for statement, below in pairwise(body):
        match statement, below:
            case (
                ast.AnnAssign(target=ast.Name(name)) | ast.Assign(targets=[ast.Name(name)]),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                yield name, " ".join(text.split())


def _tree_of(module: str) -> ast.Module:
    return ast.parse(inspect.getsource(importlib.import_module(module)))


def _of_block(signature: inspect.Signature) -> inspect.Signature:
    """Return the signature of a context manager, which yields the value that its block receives."""
    given = str(signature.return_annotation).removeprefix("Generator[").partition(",")[0]
    return signature.replace(return_annotation=f"AbstractContextManager[{given}]")


def _is_method(function: Any) -> bool:
    return "." in function.__qualname__ and next(iter(inspect.signature(function).parameters), "") in {"self", "cls"}


def _table_lines(cls: type) -> list[str]:
    """Return the keywords of a subclass of Table. Users configure a table by deriving from Table."""
    signature = inspect.signature(cls.__init_subclass__)
    return _lines("class Shop", signature.replace(return_annotation=signature.empty), bound=False, first="Table")


def _class_lines(name: str, cls: type) -> list[str]:
    if issubclass(cls, Exception):
        return [f"class {name}({', '.join(base.__name__ for base in cls.__bases__)})"]
    if not is_dataclass(cls):
        return [f"class {name}"]  # users never call its constructor
    signature = inspect.signature(cls)
    return _lines(f"class {name}", signature.replace(return_annotation=signature.empty), bound=False)


def _lines(opening: str, signature: inspect.Signature, *, bound: bool, first: str | None = None) -> list[str]:
    parameters = list(signature.parameters.values())[1 if bound else 0 :]
    shown = [first] if first else []
    kinds = [parameter.kind for parameter in parameters]
    for number, parameter in enumerate(parameters):
        is_keyword = parameter.kind is parameter.KEYWORD_ONLY
        if is_keyword and not {parameter.VAR_POSITIONAL, parameter.KEYWORD_ONLY} & set(kinds[:number]) and not first:
            shown.append("*")
        shown.append(_parameter(parameter))
    returns = _returns(signature)
    line = f"{opening}({', '.join(shown)}){returns}"
    if len(line) <= WIDTH:
        return [line]
    return [f"{opening}(", *(f"    {each}," for each in shown), f"){returns}"]


def _parameter(parameter: inspect.Parameter) -> str:
    stars = (
        "*" if parameter.kind is parameter.VAR_POSITIONAL else "**" if parameter.kind is parameter.VAR_KEYWORD else ""
    )
    annotation = "" if parameter.annotation is parameter.empty else f": {_written(parameter.annotation)}"
    if parameter.default is parameter.empty:
        return f"{stars}{parameter.name}{annotation}"
    equals = " = " if annotation else "="
    return f"{stars}{parameter.name}{annotation}{equals}{_default(parameter.default)}"


def _default(value: Any) -> str:
    if inspect.isroutine(value):
        return f"{value.__module__}.{value.__name__}"
    constants = ("ALL", "KEYS_ONLY")
    named = next((name for name in constants if getattr(singletable, name) == value), None)
    if named:
        return named
    return "..." if type(value).__name__ == "_HAS_DEFAULT_FACTORY_CLASS" else repr(value)


def _returns(signature: inspect.Signature) -> str:
    annotation = signature.return_annotation
    return "" if annotation is signature.empty else f" -> {_written(annotation)}"


def _written(annotation: Any) -> str:
    return annotation.strip("'\"") if isinstance(annotation, str) else inspect.formatannotation(annotation)
