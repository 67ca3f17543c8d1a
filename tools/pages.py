"""Pages of the documentation: their blocks, and their Python, which is one program."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
DOCS = ROOT / "docs"
PAGES = [page for page in (README, *sorted(DOCS.rglob("*.md"))) if page.is_file()]

_BLOCK = re.compile(r"^```(?P<language>\w*)[^\n]*\n(?P<text>.*?)^```[ ]*$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A fenced block of a page, and the line that its text begins on."""

    page: Path
    line: int
    text: str
    language: str


def name_of(page: Path) -> str:
    """A page as one speaks of it: docs/patterns/tree.md."""
    return page.relative_to(ROOT).as_posix() if page.is_relative_to(ROOT) else page.name


def all_blocks_of(page: Path) -> list[Block]:
    """The blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    return [
        Block(page, text.count("\n", 0, match.start("text")) + 1, match["text"], match["language"])
        for match in _BLOCK.finditer(text)
    ]


def blocks_of(page: Path, language: str) -> list[Block]:
    """The blocks of a page in one language, in order."""
    return [block for block in all_blocks_of(page) if block.language == language]


def at_its_line(above: str, block: Block) -> str:
    """The block below what stands above it, with as many blank lines between as put it on its own line of the page."""
    return above + "\n" * (block.line - 1 - above.count("\n")) + block.text


def module_of(page: Path) -> ModuleType:
    """The module that a page's Python is run as; register it, so that annotations are looked up where they stand."""
    return ModuleType(f"docs_{re.sub(r'[^a-z]', '_', name_of(page).removesuffix('.md').lower())}")


def run_python(page: Path, module: ModuleType, folder: Path) -> Iterator[Block]:
    """Run the blocks of a page one after another, and give each when it has been run."""
    blocks = blocks_of(page, "python")
    # The page without its prose: every statement keeps its line, which tracebacks and findings then name.
    program = folder / page.name
    program.write_text(reduce(at_its_line, blocks, ""), encoding="utf-8")
    module.__file__ = str(program)
    for block in blocks:
        exec(compile(at_its_line("", block), str(program), "exec", dont_inherit=True), module.__dict__)  # noqa: S102
        yield block
