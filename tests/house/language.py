"""Find banned phrases in documentation, docstrings, comments and messages.

    python -m tests.house.language src/singletable/engine docs README.md

prints every occurrence below the given paths. The phrases are unclear wherever they are used; CONTRIBUTING.md lists the
words to use instead.
"""

from __future__ import annotations

import io
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

BANNED = re.compile(
    r"\b(told|tells?|in vain|anew|(?:kept|keeps?|keeping) right|at home|alike|parted|leans? on|patience|how patient"
    r"|whoever|beside|(?:is|are|was|were|be|been|being) refused|refuses|(?:is|are|was|were) asked|that of which"
    r"|who (?:asks|signs)|held against|behind a page|all draw the same"
    r"|(?<!there )(?<!There )is no (?!longer|more|less|such)\w+)\b"
)

# File names that say nothing about the content of a file.
EMPTY_NAMES = {"asked", "kept", "many", "policy", "surroundings", "told", "trouble", "wanted", "watched", "work"}


def occurrences(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the line and the phrase of every banned phrase in a file."""
    lines = prose(path) if path.suffix == ".py" else enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
    for number, text in lines:
        for found in BANNED.finditer(text):
            yield number, found[0]


def prose(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the comments and strings of a Python file line by line; names are not prose."""
    source = path.read_text(encoding="utf-8")
    kinds = {tokenize.COMMENT, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in kinds:
            for offset, line in enumerate(token.string.splitlines()):
                yield token.start[0] + offset, line


def files_below(path: Path) -> Iterator[Path]:
    """Yield the Python, C and Markdown files below a folder, or the file itself."""
    if path.is_file():
        yield path
    else:
        yield from sorted(file for suffix in ("py", "md", "c", "h") for file in path.rglob(f"*.{suffix}"))


def main(*names: str) -> None:
    """Print every occurrence below the given paths."""
    for name in names:
        for path in files_below(Path(name)):
            for number, phrase in occurrences(path):
                print(f"{path}:{number}: {phrase}")


if __name__ == "__main__":
    main(*sys.argv[1:])
