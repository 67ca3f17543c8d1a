"""Allowlist of the syntax of imported models: declarations and values, but no other code.

An importer writes a model as Python source, and a document can contain such source. `check_tree` rejects every node,
name and attribute that a declaration does not need. So `load_tree` can execute the tree safely.
"""

from __future__ import annotations
import __future__

import ast
import builtins
import sys
from collections.abc import Callable, Collection, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import isfinite
from types import ModuleType
from typing import Any, NoReturn

from singletable.errors import ImportRefused
from singletable.importers.names import is_name
from singletable.importers.vocabulary import (
    AREA_TYPES,
    BUILT_IN,
    CONTAINER_TYPES,
    FUNCTIONS,
    GENERIC_TYPES,
    INTENTS,
    OURS,
    PLAIN_TYPES,
    RESERVED_NAMES,
    STANDARD,
)

TEXT_MAX = 4_000_000
DEPTH_MAX = 60
_ENUM_BASES = (("Enum",), ("StrEnum",), ("IntEnum",), ("str", "Enum"), ("int", "Enum"))
_CONSTRUCTORS = ("Decimal", "UUID", "frozenset", "set")
_CHANGES = ("set", "add", "append", "remove")
MODULE_NAME = "singletable_imported_model"


@dataclass
class CheckedModel:
    """A tree that contains only declarations, with the names that it defines and the names that it needs."""

    tree: ast.Module
    classes: set[str] = field(default_factory=set)
    enums: set[str] = field(default_factory=set)
    tables: list[str] = field(default_factory=list)
    functions: set[str] = field(default_factory=set)
    """Functions that the model uses, but that no document contains."""


def check_text(text: str) -> CheckedModel:
    """Parse and check the source of a model. Raise ImportRefused if it contains more than declarations."""
    if len(text) > TEXT_MAX:
        raise ImportRefused(f"the model has more than {TEXT_MAX:,} characters")
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as problem:
        raise ImportRefused(f"the model is not valid Python: {problem}") from None
    return check_tree(tree)


def check_tree(tree: ast.Module) -> CheckedModel:
    """Check a tree. Raise ImportRefused if it contains more than declarations."""
    _check_depth(tree)
    model = CheckedModel(tree)
    checker = _Checker(model)
    for number, statement in enumerate(tree.body):
        if not (number == 0 and _is_docstring(statement)):
            checker.statement(statement)
    if clash := model.functions & (model.classes | model.enums):
        raise ImportRefused(f"the model has a function and a class named {min(clash)}")
    return model


def _check_depth(tree: ast.Module) -> None:
    level: list[ast.AST] = [tree]
    for _ in range(DEPTH_MAX):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
    if level:
        raise ImportRefused("the model is nested too deeply")


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _reject(node: ast.AST, what: str = "") -> NoReturn:
    line = getattr(node, "lineno", 0)
    raise ImportRefused(f"line {line} of the model: {what or type(node).__name__} is not allowed in an imported model")


class _Checker:
    """Checks statements one by one.

    A class can be used in the statements after it; types can also use later classes.
    """

    def __init__(self, model: CheckedModel) -> None:
        self.model = model
        self.known = {node.name for node in model.tree.body if isinstance(node, ast.ClassDef)}

    def statement(self, node: ast.stmt) -> None:
        match node:
            case ast.ClassDef():
                self._class(node)
            case ast.Expr(
                value=ast.Call(
                    func=ast.Call(func=ast.Name(id="upgrade"), args=[ast.Name(id=owner)]) as declared,
                    args=[ast.Name() as function],
                    keywords=[],
                )
            ) if owner in self.model.classes:
                self._keywords(declared.keywords, {"from_version"})
                self._function(function)
            case _:
                _reject(node)

    def _class(self, node: ast.ClassDef) -> None:
        model, bases = self.model, tuple(each.id if isinstance(each, ast.Name) else "?" for each in node.bases)
        if getattr(node, "type_params", None):
            _reject(node, "a generic class")
        self._name(node.name, node)
        if node.name in RESERVED_NAMES or node.name in model.classes | model.enums | set(model.tables):
            _reject(node, f"another class named {node.name}")
        body = node.body[1:] if _is_docstring(node.body[0]) else node.body
        if bases == ("Table",) and not node.decorator_list:
            self._keywords(node.keywords)
            model.tables.append(node.name)
            self._each(body, self._pattern)
        elif bases in _ENUM_BASES and not node.decorator_list and not node.keywords:
            model.enums.add(node.name)
            self._each(body, self._member)
        elif not bases and not node.keywords and node.decorator_list:
            self._decorators(node.decorator_list)
            model.classes.add(node.name)
            self._each(body, self._field)
        else:
            _reject(node, f"the class {node.name}")

    def _each(self, body: list[ast.stmt], check: Callable[[ast.stmt], None]) -> None:
        for statement in body:
            if not isinstance(statement, ast.Pass):
                check(statement)

    def _decorators(self, given: list[ast.expr]) -> None:
        *others, last = given
        if not (isinstance(last, ast.Name) and last.id == "dataclass") or len(others) > 1:
            _reject(last, "this decorator")
        for each in others:
            if not (isinstance(each, ast.Call) and isinstance(each.func, ast.Name) and each.func.id == "entity"):
                _reject(each, "this decorator")
            if each.args:
                _reject(each, "a positional argument of entity")
            self._keywords(each.keywords)

    def _member(self, node: ast.stmt) -> None:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=str() | int())):
                self._name(name, node)
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int())),
            ):
                self._name(name, node)
            case _:
                _reject(node)

    def _field(self, node: ast.stmt) -> None:
        match node:
            case ast.AnnAssign(target=ast.Name(id=name), simple=1):
                self._name(name, node)
                self._type(node.annotation)
                if node.value is not None:
                    self._default(node.value)
            case _:
                _reject(node)

    def _default(self, node: ast.expr) -> None:
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "dataclass_field"):
            self._value(node, frozenset())
            return
        match node:
            case ast.Call(args=[], keywords=[ast.keyword(arg="default_factory", value=made)]):
                self._factory(made)
            case _:
                _reject(node)

    def _factory(self, node: ast.expr) -> None:
        match node:
            case ast.Name(id="list" | "dict" | "set"):
                pass
            case ast.Name():
                self._function(node)
            case ast.Attribute(value=ast.List() | ast.Dict() | ast.Set() as display, attr="copy"):
                self._value(display, frozenset())
            case ast.Call(func=ast.Name(id="partial"), args=[ast.Name(id="deepcopy"), value], keywords=[]):
                self._value(value, frozenset())
            case ast.Lambda(args=ast.arguments(posonlyargs=[], args=[], vararg=None, kwonlyargs=[], kwarg=None)):
                self._value(node.body, frozenset())
            case _:
                _reject(node)

    def _pattern(self, node: ast.stmt) -> None:  # noqa: PLR0912  # one branch per rule
        if not isinstance(node, ast.FunctionDef) or getattr(node, "type_params", None):
            _reject(node)
        self._name(node.name, node)
        match node.decorator_list:
            case [ast.Call(func=ast.Name(id="pattern"), args=[]) as declared]:
                self._keywords(declared.keywords)
            case _:
                _reject(node, "this decorator")
        arguments = node.args
        if arguments.vararg or arguments.kwarg or arguments.posonlyargs or not arguments.args:
            _reject(node, "this signature")
        first, *others = arguments.args
        if first.arg != "self" or first.annotation is not None or node.returns is None:
            _reject(node, "this signature")
        for each in (*others, *arguments.kwonlyargs):
            self._name(each.arg, each)
            if each.annotation is None:
                _reject(each, "a parameter without a type")
            self._type(each.annotation)
        for default in (*arguments.defaults, *arguments.kw_defaults):
            if default is not None:
                self._value(default, frozenset())
        self._type(node.returns)
        names = frozenset(each.arg for each in (*others, *arguments.kwonlyargs))
        if len(names) < len(others) + len(arguments.kwonlyargs) or "self" in names:
            _reject(node, "a repeated parameter")
        body = node.body[1:] if _is_docstring(node.body[0]) else node.body
        match body:
            case [ast.Return(value=ast.Call(func=ast.Name(id=intent)) as call)] if intent in INTENTS:
                if intent in names:
                    _reject(call, f"the parameter {intent} hides a function of the body, which")
                self._arguments(call, names)
            case _:
                _reject(node, "this body")

    def _type(self, node: ast.expr) -> None:
        """Check an annotation. Python would evaluate text in it, so only Literal may contain text."""
        match node:
            case ast.Name(id=name) if name in PLAIN_TYPES or name in AREA_TYPES or name in self.known:
                pass
            case ast.Constant(value=None):
                pass
            case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                self._type(left)
                self._type(right)
            case ast.Subscript(value=ast.Name(id="Literal"), slice=inner):
                for each in inner.elts if isinstance(inner, ast.Tuple) else [inner]:
                    if not (isinstance(each, ast.Constant) and isinstance(each.value, str | int)):
                        self._negative(each)
            case ast.Subscript(value=ast.Name(id="tuple"), slice=ast.Tuple(elts=[one, ast.Constant(value=last)])) if (
                last is ...
            ):
                self._type(one)
            case ast.Subscript(value=ast.Name(id=name), slice=inner) if name in CONTAINER_TYPES | GENERIC_TYPES.keys():
                for each in inner.elts if isinstance(inner, ast.Tuple) else [inner]:
                    self._type(each)
            case _:
                _reject(node, f"the type {ast.unparse(node)[:60]}")

    def _negative(self, node: ast.expr) -> None:
        match node:
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float())):
                pass
            case _:
                _reject(node)

    def _value(self, node: ast.expr, names: frozenset[str]) -> None:  # noqa: PLR0912  # one case per kind of node
        """Check a value. `names` are the parameters of the pattern or the lambda around it."""
        match node:
            case ast.Constant(value=None | bool() | str() | bytes() | int()):
                pass
            case ast.Constant(value=float() as number) if isfinite(number):
                pass
            case ast.UnaryOp():
                self._negative(node)
            case ast.Name(id=name):
                if name not in names and name not in self.known and name != "KEYS_ONLY":
                    _reject(node, f"the name {name}")
            case ast.Tuple(elts=elements) | ast.List(elts=elements) | ast.Set(elts=elements):
                for each in elements:
                    self._value(each, names)
            case ast.Dict():
                for key, value in zip(node.keys, node.values, strict=True):
                    if not isinstance(key, ast.Constant):
                        _reject(node, "a key that is not a constant")
                    self._value(key, names)
                    self._value(value, names)
            case ast.Call():
                self._call(node, names)
            case ast.Lambda():
                self._lambda(node, names)
            case ast.Compare(ops=[_], comparators=[right]):
                self._value(node.left, names)
                self._value(right, names)
            case ast.BinOp(op=ast.BitAnd() | ast.BitOr()):
                self._value(node.left, names)
                self._value(node.right, names)
            case ast.Attribute(value=ast.Name(id=owner), attr=member) if owner in self.model.enums:
                self._name(member, node)
            case ast.Attribute() | ast.Subscript():
                self._path(node, names)
            case _:
                _reject(node)

    def _lambda(self, node: ast.Lambda, names: frozenset[str]) -> None:
        arguments = node.args
        if arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.posonlyargs or arguments.defaults:
            _reject(node)
        if len(arguments.args) != 1:
            _reject(node)
        self._name(arguments.args[0].arg, node)
        self._value(node.body, names | {arguments.args[0].arg})

    def _path(self, node: ast.expr, names: frozenset[str]) -> None:
        """Check a path in an item: `item.address.city`, `present(item.lines)[0]`."""
        match node:
            case ast.Name(id=name) if name in names:
                pass
            case ast.Attribute(value=owner, attr=member):
                self._name(member, node)
                self._path(owner, names)
            case ast.Subscript(value=owner, slice=ast.Constant(value=str() | int())):
                self._path(owner, names)
            case ast.Call(func=ast.Name(id="present"), args=[inner], keywords=[]):
                self._path(inner, names)
            case _:
                _reject(node)

    def _call(self, node: ast.Call, names: frozenset[str]) -> None:
        match node.func:
            case ast.Name(id=name) if name in names:
                _reject(node, f"the parameter {name} hides a function of the body, which")
            case ast.Name(id="derive") if node.args and isinstance(node.args[0], ast.Name):
                self._function(node.args[0])
                self._arguments(ast.Call(node.func, node.args[1:], node.keywords), names)
            case ast.Name(id=name) if name in FUNCTIONS or name in _CONSTRUCTORS or name in self.model.classes:
                self._arguments(node, names)
            case ast.Attribute(value=ast.Name(id="datetime" | "date"), attr="fromisoformat"):
                self._arguments(node, names)
            case ast.Attribute(value=ast.Call(func=ast.Name(id="field")) as changed, attr=change) if change in _CHANGES:
                self._call(changed, names)
                self._arguments(node, names)
            case _:
                _reject(node, f"a call of {ast.unparse(node.func)[:60]}")

    def _arguments(self, node: ast.Call, names: frozenset[str]) -> None:
        for each in node.args:
            self._value(each, names)
        self._keywords(node.keywords, None, names)

    def _keywords(
        self, keywords: list[ast.keyword], allowed: Collection[str] | None = None, names: frozenset[str] = frozenset()
    ) -> None:
        given = [each.arg for each in keywords]
        for each in keywords:
            if given.count(each.arg) > 1:
                _reject(each.value, f"keyword argument repeated: {each.arg}, which")
            if each.arg in (None, "metaclass") or (allowed is not None and each.arg not in allowed):
                _reject(each.value, "this argument")
            self._name(str(each.arg), each)
            self._value(each.value, names)

    def _function(self, node: ast.Name) -> None:
        self._name(node.id, node)
        if node.id in RESERVED_NAMES or node.id in self.known or node.id in vars(builtins):
            _reject(node, f"the function {node.id}")
        self.model.functions.add(node.id)

    def _name(self, name: str, node: ast.AST) -> None:
        is_internal = name.startswith("_") and isinstance(node, ast.Attribute | ast.Assign)
        if not is_name(name) or is_internal:
            _reject(node, f"the name {name[:60]}")


@contextmanager
def load_tree(
    model: CheckedModel, client_names: Mapping[str, Any], functions: Mapping[str, Any] | None = None
) -> Generator[dict[str, Any], None, None]:
    """Execute a checked model and yield its names. `client_names` are `Table` and `pattern`.

    Annotations stay text until they are needed, as in the written file. The module exists as long as the context.
    """
    names = {
        **BUILT_IN,
        **{name: each for name, (_, each) in STANDARD.items()},
        **OURS,
        **client_names,
        **{name: _missing(name) for name in model.functions},
        **(functions or {}),
    }
    module = ModuleType(MODULE_NAME)
    vars(module).update(names)
    vars(module)["__builtins__"] = {"__build_class__": __build_class__}
    before = sys.modules.get(MODULE_NAME)
    sys.modules[MODULE_NAME] = module
    try:
        code = compile(
            model.tree, "<imported model>", "exec", flags=__future__.annotations.compiler_flag, dont_inherit=True
        )
        exec(code, vars(module))  # noqa: S102  # check_tree has checked every node and name
        yield vars(module)
    finally:
        if before is None:
            del sys.modules[MODULE_NAME]
        else:
            sys.modules[MODULE_NAME] = before


def _missing(name: str) -> Callable[..., Any]:
    def function(*_: Any, **__: Any) -> Any:
        raise NotImplementedError(name)

    function.__name__ = function.__qualname__ = name
    return function
