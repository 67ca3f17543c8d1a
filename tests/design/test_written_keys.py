"""`design --write`: the examples without their keys get keys in their source, and `check` is green without an edit."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from singletable import Table
from singletable.model.entity import Entity
from tests.cli.program import singletable

pytestmark = pytest.mark.slow

MODELS = [
    ("examples.shop.model", "Shop"),
    ("examples.papers.model", "Papers"),
    ("examples.commerce.model", "Commerce"),
    ("examples.guide.model", "Guide"),
    ("examples.customers.model", "Orders"),
    ("examples.helpdesk.model", "HelpDesk"),
    ("tests.design.workloads.auction_site", "Bidding"),
]


@pytest.mark.parametrize(("module", "name"), MODELS, ids=[each for _, each in MODELS])
def test_written_keys_make_every_example_green_and_keep_its_comments(module: str, name: str, tmp_path: Path) -> None:
    table: type[Table] = getattr(importlib.import_module(module), name)
    source = without_keys_in_source(Path(str(importlib.import_module(module).__file__)), table)
    model = tmp_path / "model.py"
    model.write_text(source, encoding="utf-8")
    designed = singletable("design", f"{model}:{name}", "--write")
    assert designed.returncode == 0, designed.stdout
    checked = singletable("check", f"{model}:{name}")
    assert checked.returncode == 0, checked.stdout
    text = model.read_text(encoding="utf-8")
    assert comments(text) == comments(source)
    assert text.count("key=") > source.count("key=")


def comments(text: str) -> list[str]:
    """Return the comments of a source text."""
    return [line.partition("# ")[2] for line in text.splitlines() if "# " in line]


def without_keys_in_source(path: Path, table: type[Table]) -> str:
    """Return the source of a model without keys and indexes. Mirrored edges and their originals keep their keys."""
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    edits = list(_edits(ast.parse(text), table))
    for node, source in sorted(edits, key=lambda each: each[0].lineno, reverse=True):
        first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
        head = lines[first].encode()[: node.col_offset].decode()
        tail = lines[last].encode()[node.end_col_offset :].decode()
        lines[first : last + 1] = [head + source + tail]
    return "".join(lines)


def _edits(tree: ast.Module, table: type[Table]) -> Iterator[tuple[ast.expr, str]]:
    """Yield the expressions to replace, with their new source."""
    mirrors = {each.declaration.mirror_of for each in table.design.entities}
    keyed = {each.label: each for each in table.design.entities if each.cls not in mirrors}
    for node in ast.walk(tree):
        if not isinstance(node, ast.ClassDef):
            continue
        owner = keyed.get(node.name)
        if owner is not None and owner.declaration.mirror_of is None:
            calls = (each for each in node.decorator_list if isinstance(each, ast.Call))
            yield from ((call, _keyless(call, owner)) for call in calls if ast.unparse(call.func) == "entity")
        if node.name == table.__name__:
            yield from ((each.value, "[]") for each in node.keywords if each.arg == "indexes")


def _keyless(call: ast.Call, owner: Entity) -> str:
    dropped = {*owner.placements, "expected_per_partition", "identity"}
    identity = owner.identity or tuple(name for name in owner.fields if name in owner.base.exact_fields)
    kept = [f"{each.arg}={ast.unparse(each.value)}" for each in call.keywords if each.arg not in dropped]
    return f"entity({', '.join([*kept, f'identity={identity!r}'])})"
