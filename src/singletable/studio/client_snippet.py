"""A call of a pattern as a Python program with the typed client."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Iterator, Mapping
from enum import Enum
from pathlib import Path
from typing import Any

from singletable.client.table import Table
from singletable.model.design import Design
from singletable.model.fields import fields_of, has_fields
from singletable.studio.studio_store import StudioStore

Imports = dict[str, set[str]]


def client_snippet(design: Design, store: StudioStore, pattern: str, arguments: Mapping[str, Any]) -> str:
    """Return a program that opens the table at the URL of a store, and calls a pattern."""
    imports: Imports = {}
    values = [f"{name}={_literal(value, imports)}" for name, value in arguments.items()]
    found = _table_class(design)
    name = design.name if found is None else found.__name__
    if found is not None:
        imports.setdefault(found.__module__, set()).add(name)
    options = f", name={store.table_name!r}" if store.table_name else ""
    options += ", create=True" if store.is_sample else ""
    lines = [
        *_import_lines(imports),
        "",
        f"table = {name}.open({json.dumps(store.shown_url, ensure_ascii=False)}{options})",
    ]
    return "\n".join([*lines, f"answer = table.{pattern}({', '.join(values)})", "print(answer)"]).lstrip("\n")


def _table_class(design: Design) -> type[Table] | None:
    """Return the class of the model that declares a design; None if an import inferred the design."""
    pending = list(Table.__subclasses__())
    while pending:
        found = pending.pop()
        if getattr(found, "design", None) is design:
            return None if design.entities and design.entities[0].location.full.startswith("<") else found
        pending += found.__subclasses__()
    return None


def _import_lines(imports: Imports) -> Iterator[str]:
    for module, names in sorted(imports.items()):
        yield f"from {_importable(module)} import {', '.join(sorted(names))}" if names else f"import {module}"


def _importable(module: str) -> str:
    """Return the name under which a program imports a module; the studio may have loaded it under another name."""
    name = Path(getattr(sys.modules.get(module), "__file__", None) or module).stem
    return module if "." in module or name == "__init__" else name


def _literal(value: Any, imports: Imports) -> str:
    """Return a value as Python code, and collect its imports."""
    kind = type(value)
    if isinstance(value, Enum):
        imports.setdefault(kind.__module__, set()).add(kind.__name__)
        return f"{kind.__name__}.{value.name}"
    if kind in (list, tuple, set, frozenset):
        inner = ", ".join(_literal(each, imports) for each in value)
        return _bracketed(kind, inner, len(value))
    if kind is dict:
        return "{" + ", ".join(f"{_literal(k, imports)}: {_literal(v, imports)}" for k, v in value.items()) + "}"
    if kind.__module__ == "builtins":
        return repr(value)
    if kind.__module__ == "datetime":  # repr writes the name of the module
        imports.setdefault(kind.__module__, set())
        return repr(value)
    imports.setdefault(_public_module(kind), set()).add(kind.__name__)
    names = [each.name for each in dataclasses.fields(value)] if dataclasses.is_dataclass(value) else ()
    if not names and has_fields(kind):
        names = list(fields_of(kind))
    if not names:
        return repr(value)  # Decimal, UUID
    return f"{kind.__name__}({', '.join(f'{name}={_literal(getattr(value, name), imports)}' for name in names)})"


def _bracketed(kind: type, inner: str, length: int) -> str:
    if kind is list:
        return f"[{inner}]"
    if kind is tuple:
        return f"({inner}{',' * (length == 1)})"
    return f"{{{inner}}}" if kind is set and length else f"{kind.__name__}({f'{{{inner}}}' if length else ''})"


def _public_module(kind: type) -> str:
    return "singletable" if kind.__module__.startswith("singletable.") else kind.__module__
