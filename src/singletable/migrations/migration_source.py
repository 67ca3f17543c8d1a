"""The Python file of a migration: its predecessor, its operations, and the user's functions that it needs.

Commands read the file without executing it. A run imports the file only if it needs the functions of an older
migration, whose model no longer exists.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from singletable.errors import MigrationRefused
from singletable.evolve.operation import Operation
from singletable.evolve.operations.schema_version_changed import SchemaVersionChanged
from singletable.model.derived.derived_function import DerivedFunction
from singletable.model.design import Design

Upgrades = Mapping[tuple[str, int], Callable[[Any], Any]]
DIGEST_DIGITS = 12


@dataclass(frozen=True)
class MigrationSource:
    """The declarations of a migration file."""

    path: Path
    after: str | None
    """The migration before this one, or None for the first."""
    operations: tuple[str, ...]
    digest: str
    """A hash of the file without its comments and its format."""

    def functions(self) -> tuple[Mapping[str, Callable[..., str]], Upgrades]:
        """Import the file, and return the functions of `derive()` and `@upgrade` that it declares."""
        spec = importlib.util.spec_from_file_location(f"migration_{self.path.stem}", self.path)
        assert spec is not None, "a path ends in .py"
        assert spec.loader is not None, "a file has a loader"
        module = importlib.util.module_from_spec(spec)
        sys.path.insert(0, str(Path.cwd()))
        try:
            spec.loader.exec_module(module)
        except Exception as problem:
            raise MigrationRefused(
                f"{self.path} cannot be imported: {type(problem).__name__}: {problem}\n  Copy the functions that it "
                "imports into the file, or run the migration with the version of the model for which you made it."
            ) from problem
        finally:
            sys.path.pop(0)
        return getattr(module, "functions", {}), getattr(module, "upgrades", {})


def read_source(path: Path) -> MigrationSource:
    """Return the declarations of a migration file, without executing it. Raise MigrationRefused if it is malformed."""
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
    except FileNotFoundError:
        raise MigrationRefused(f"{path} is missing, but its snapshot exists. Restore the file.") from None
    except (SyntaxError, UnicodeDecodeError) as problem:
        line = getattr(problem, "lineno", 1)
        raise MigrationRefused(f"{path}:{line}: {getattr(problem, 'msg', problem)}") from None
    found: dict[str, Any] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            if name in ("after", "operations"):
                found[name] = _literal(path, name, node.value)
    after, operations = found.get("after"), found.get("operations")
    if not isinstance(after, str | None) or "after" not in found:
        raise MigrationRefused(f"{path}: `after` must be the name of the previous migration, or None")
    if not isinstance(operations, list) or not all(isinstance(each, str) for each in operations):
        raise MigrationRefused(f"{path}: `operations` must be a list of texts")
    digest = hashlib.sha256(ast.dump(_without_docstring(tree)).encode()).hexdigest()[:DIGEST_DIGITS]
    return MigrationSource(path, after, tuple(operations), digest)


def _literal(path: Path, name: str, node: ast.expr) -> Any:
    """Return the value of a constant or of a list of constants, without evaluating an expression."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.List) and all(isinstance(each, ast.Constant) for each in node.elts):
        return [each.value for each in node.elts if isinstance(each, ast.Constant)]
    raise MigrationRefused(f"{path}:{node.lineno}: `{name}` must be a literal")


def _without_docstring(tree: ast.Module) -> ast.Module:
    is_text = bool(tree.body) and isinstance(tree.body[0], ast.Expr) and isinstance(tree.body[0].value, ast.Constant)
    return ast.Module(tree.body[1:] if is_text else tree.body, [])


def source_text(title: str, after: str | None, operations: Sequence[Operation], design: Design | None) -> str:
    """Return the text of a new migration file."""
    imports, tables = _functions(operations, design)
    lines = [f'"""{title}."""', ""]
    lines += [*imports, ""] if imports else []
    lines += [f"after = {after!r}" if after is None else f'after = "{after}"', "operations = ["]
    lines += [f"    {_quoted(str(each))}," for each in operations]
    lines[-1] = "operations = []" if not operations else lines[-1]
    lines += ["]"] if operations else []
    lines += tables
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return f"'{text}'" if '"' in text and "'" not in text and "\\" not in text else repr(text)


def _functions(operations: Sequence[Operation], design: Design | None) -> tuple[list[str], list[str]]:
    """Return the imports and the tables of the user's functions that a migration needs."""
    if design is None:
        return [], []
    imports: dict[str, set[str]] = {}
    functions: dict[str, str] = {}
    upgrades: dict[tuple[str, int], str] = {}

    def add(function: Any) -> str | None:
        module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", "")
        if module is None or not name.isidentifier():
            return None
        imports.setdefault(module, set()).add(name)
        return str(name)

    for entity in design.entities:
        for value in entity.declaration.derived.values():
            if isinstance(value, DerivedFunction) and (name := add(value.function)):
                functions[name] = name
    for each in operations:
        if isinstance(each, SchemaVersionChanged):
            entity = next(found for found in design.entities if found.name == each.entity)
            for version in range(1, each.after or 1):
                if name := add(entity.upgrades[version].function):
                    upgrades[each.entity, version] = name
    lines = [f"from {module} import {', '.join(sorted(names))}" for module, names in sorted(imports.items())]
    tables = [f"functions = {{{', '.join(f'{name!r}: {name}' for name in functions)}}}"] if functions else []
    tables += [f"upgrades = {{{', '.join(f'{key!r}: {name}' for key, name in upgrades.items())}}}"] if upgrades else []
    return lines, tables
