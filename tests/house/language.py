"""The banned phrases of docs/contributing: where prose, docstrings, comments and messages use one of them.

    python -m tests.house.language src/singletable/engine docs README.md

prints every hit below the given paths.
"""

from __future__ import annotations

import io
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
BANNED = re.compile(
    r"\b(told|tells?|in vain|anew|(?:kept|keeps?|keeping) right|at home|alike|parted|leans? on|patien(?:t|ce)|whoever"
    r"|beside|(?:is|are|was|were|be|been|being) refused|refuses|(?:is|are|was|were) asked|that of which|begins anew"
    r"|(?<!there )(?<!There )is no (?!longer|more|less|such)\w+)\b"
)
"""Phrases that are a riddle wherever they stand; the glossary has the words to use in their place."""


def hits(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a file with a banned phrase, and the phrase."""
    lines = prose(path) if path.suffix == ".py" else enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
    for number, text in lines:
        for found in BANNED.finditer(text):
            yield number, found[0]


def prose(path: Path) -> Iterator[tuple[int, str]]:
    """The comments and strings of a Python file, by line; names are not prose."""
    source = path.read_text(encoding="utf-8")
    kinds = {tokenize.COMMENT, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in kinds:
            for offset, line in enumerate(token.string.splitlines()):
                yield token.start[0] + offset, line


def files_below(path: Path) -> Iterator[Path]:
    """The Python and Markdown files below a path, or the file itself."""
    yield from [path] if path.is_file() else sorted((*path.rglob("*.py"), *path.rglob("*.md")))


def main(*names: str) -> None:
    """Print every hit below the given paths."""
    for name in names:
        for path in files_below(Path(name)):
            for number, phrase in hits(path):
                print(f"{path}:{number}: {phrase}")


if __name__ == "__main__":
    main(*sys.argv[1:])
