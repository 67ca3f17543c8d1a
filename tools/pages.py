"""Pages of the documentation and their code blocks. The Python blocks of a page form one program."""

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
    """A fenced block of a page, with the line of its first text line."""

    page: Path
    line: int
    text: str
    language: str


def name_of(page: Path) -> str:
    """Return the path of a page from the root: docs/patterns/tree.md."""
    return page.relative_to(ROOT).as_posix() if page.is_relative_to(ROOT) else page.name


def all_blocks_of(page: Path) -> list[Block]:
    """Return the blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    return [
        Block(page, text.count("\n", 0, match.start("text")) + 1, match["text"], match["language"])
        for match in _BLOCK.finditer(text)
    ]


def blocks_of(page: Path, language: str) -> list[Block]:
    """Return the blocks of a page in one language, in order."""
    return [block for block in all_blocks_of(page) if block.language == language]


def at_its_line(above: str, block: Block) -> str:
    """Return a block appended to the text above it, with the blank lines that keep its line number on the page."""
    return above + "\n" * (block.line - 1 - above.count("\n")) + block.text


def module_of(page: Path) -> ModuleType:
    """Return the module that runs the Python code of a page.

    It is registered in `sys.modules`, so that annotations resolve.
    """
    return ModuleType(f"docs_{re.sub(r'[^a-z]', '_', name_of(page).removesuffix('.md').lower())}")


def run_python(page: Path, module: ModuleType, folder: Path) -> Iterator[Block]:
    """Run the blocks of a page one after another, and yield each block after it has run."""
    blocks = blocks_of(page, "python")
    # Every statement keeps its line of the page, so that tracebacks and findings name it.
    program = folder / page.name
    program.write_text(reduce(at_its_line, blocks, ""), encoding="utf-8")
    module.__file__ = str(program)
    for block in blocks:
        exec(compile(at_its_line("", block), str(program), "exec", dont_inherit=True), module.__dict__)  # noqa: S102
        yield block
