"""Writes the map of modules into ARCHITECTURE.md, out of the sentence that each module opens with.

    python tools/architecture_map.py            rewrite the map
    python tools/architecture_map.py --check    exit 1 when the map is stale

The order of the parts is that of the layers contract in pyproject.toml, so a part is given its place once.
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
PAGE = ROOT / "ARCHITECTURE.md"
START, END = "<!-- map:start -->", "<!-- map:end -->"

# A full stop inside a sentence ("e.g. this", "pyproject.toml") is followed by a small letter, or by no space at all.
_SENTENCE = re.compile(r".+?[.!?](?=\s+[^a-z\s]|$)")


@dataclass(frozen=True)
class Module:
    """A module as the map shows it: its path below the package, and what it holds."""

    path: str
    sentence: str

    @property
    def part(self) -> str:
        """The layer it belongs to: the first folder of the path, or the module itself when it stands in none."""
        return self.path.split("/", 1)[0].removesuffix(".py")

    @property
    def cell(self) -> str:
        """The sentence as a cell of a Markdown table can hold it."""
        return self.sentence.replace("|", r"\|")


def first_sentence(source: str) -> str | None:
    """The sentence that a module's docstring opens with, on one line; None when there is no such sentence."""
    docstring = ast.get_docstring(ast.parse(source))
    if not docstring:
        return None
    opening = " ".join(docstring.split("\n\n", 1)[0].split())
    match = _SENTENCE.match(opening)
    return match.group() if match else None


def read_modules(package: Path) -> list[Module]:
    """Every module below the package, without the package's own front door."""
    modules = []
    for file in sorted(package.rglob("*.py")):
        path = file.relative_to(package).as_posix().removesuffix("__init__.py")
        sentence = first_sentence(file.read_text(encoding="utf-8"))
        if path:
            modules.append(Module(path, sentence or "(its docstring opens with no sentence)"))
    return modules


def read_layers(pyproject: Path) -> list[str]:
    """The parts from top to bottom, as the layers contract has them."""
    contracts = tomllib.loads(pyproject.read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    layers: list[str] = next(contract["layers"] for contract in contracts if contract["id"] == "layers")
    return [part.strip(" ()") for layer in layers for part in re.split(r"[|:]", layer)]


def draw(modules: Sequence[Module], layers: Sequence[str]) -> str:
    """The map as Markdown: per part its own sentence, and a table of the modules in it."""
    unplaced = sorted({module.part for module in modules} - set(layers))
    sections = []
    for part in (*layers, *unplaced):
        inside = [module for module in modules if module.part == part]
        if inside:
            sections.append(_section(part, inside))
    return "\n\n".join(sections)


def _section(part: str, modules: Sequence[Module]) -> str:
    front = [module for module in modules if module.path in {f"{part}/", f"{part}.py"}]
    rest = [module for module in modules if module not in front]
    lines = [f"### {part}", ""]
    lines += [module.sentence for module in front]
    if rest:
        lines += ["", "| Module | What it holds |", "|---|---|"]
        lines += [f"| `{module.path}` | {module.cell} |" for module in rest]
    return "\n".join(lines)


def with_map(page: str, drawn: str) -> str:
    """The page with what stands between its two markers replaced."""
    if page.count(START) != 1 or page.count(END) != 1:
        raise SystemExit(f"{PAGE.name} must hold {START} and {END}, once each.")
    before, _, rest = page.partition(START)
    _, _, after = rest.partition(END)
    return f"{before}{START}\n\n{drawn}\n\n{END}{after}"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 when the map is stale")
    check: bool = parser.parse_args(arguments).check

    page = PAGE.read_text(encoding="utf-8")
    wanted = with_map(page, draw(read_modules(PACKAGE), read_layers(ROOT / "pyproject.toml")))
    if wanted == page:
        return 0
    if check:
        print(f"The map in {PAGE.name} is stale: run `make map`.", file=sys.stderr)
        return 1
    PAGE.write_text(wanted, encoding="utf-8")
    print(f"{PAGE.name}: the map is rewritten.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
