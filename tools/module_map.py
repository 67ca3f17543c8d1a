"""Write docs/reference/modules.md: every module with the first sentence of its docstring.

    python tools/module_map.py            rewrite the page
    python tools/module_map.py --check    exit 1 when the page is out of date

The page lists the packages in the order of the layers contract in pyproject.toml.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "singletable"
PAGE = ROOT / "docs" / "reference" / "modules.md"
OPENING = """# Modules

Every module below `src/singletable`, with the first sentence of its docstring, from the top layer to the bottom one.
ARCHITECTURE.md explains how the packages work together. `make map` writes this page.
"""

# After a full stop inside a sentence ("e.g. this", "pyproject.toml"), there is a lower-case letter, or no space.
_SENTENCE = re.compile(r".+?[.!?](?=\s+[^a-z\s]|$)")


@dataclass(frozen=True)
class Module:
    """A module of the page: its path below the package, and the first sentence of its docstring."""

    path: str
    sentence: str

    @property
    def package(self) -> str:
        """Return the layer of the module: the first folder of its path, or the module itself."""
        return self.path.split("/", 1)[0].removesuffix(".py")


def first_sentence(source: str) -> str | None:
    """Return the first sentence of a module's docstring on one line, or None when there is none."""
    docstring = ast.get_docstring(ast.parse(source))
    if not docstring:
        return None
    opening = " ".join(docstring.split("\n\n", 1)[0].split())
    match = _SENTENCE.match(opening)
    return match.group() if match else None


def read_modules(package: Path) -> list[Module]:
    """Return every module below the package, except the package's own `__init__.py`."""
    modules = []
    for file in sorted(package.rglob("*.py")):
        path = file.relative_to(package).as_posix().removesuffix("__init__.py")
        sentence = first_sentence(file.read_text(encoding="utf-8"))
        if path:
            modules.append(Module(path, sentence or "(no docstring)"))
    return modules


def read_layers(pyproject: Path) -> list[str]:
    """Return the packages from top to bottom, as the layers contract lists them."""
    contracts = tomllib.loads(pyproject.read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    layers: list[str] = next(contract["layers"] for contract in contracts if contract["id"] == "layers")
    return [part.strip(" ()") for layer in layers for part in re.split(r"[|:]", layer)]


def page_text(modules: Sequence[Module], layers: Sequence[str]) -> str:
    """Return the page: one section per package, with a table of its modules."""
    unlisted = sorted({module.package for module in modules} - set(layers))
    sections = [OPENING]
    for package in (*layers, *unlisted):
        inside = [module for module in modules if module.package == package]
        if inside:
            sections.append(_section(package, inside))
    return "\n".join(sections)


def _section(package: str, modules: Sequence[Module]) -> str:
    itself = [module for module in modules if module.path in {f"{package}/", f"{package}.py"}]
    rest = [module for module in modules if module not in itself]
    lines = [f"## {package}", "", *(module.sentence for module in itself)]
    if rest:
        lines += ["", "| Module | Provides |", "|---|---|"]
        lines += [f"| `{module.path}` | {_cell(module.sentence)} |" for module in rest]
    return "\n".join([*lines, ""])


def _cell(text: str) -> str:
    return text.replace("|", r"\|")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 when the page is out of date")
    check: bool = parser.parse_args(arguments).check

    new = page_text(read_modules(PACKAGE), read_layers(ROOT / "pyproject.toml"))
    if PAGE.exists() and PAGE.read_text(encoding="utf-8") == new:
        return 0
    name = PAGE.relative_to(ROOT).as_posix()
    if check:
        print(f"{name} is out of date: run `make map`.", file=sys.stderr)
        return 1
    PAGE.write_text(new, encoding="utf-8")
    print(f"{name}: rewritten")
    return 0


if __name__ == "__main__":
    sys.exit(main())
