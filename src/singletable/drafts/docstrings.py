"""Docstrings of a draft: what a class or a file says of itself, and how a source file holds it."""

from __future__ import annotations

import inspect

from singletable.drafts.declared import docline


def said_of(doc: str | None, name: str) -> str:
    """What something says of itself: its name where nothing is known, and nothing where it says nothing."""
    return docline(name) if doc is None else plain_text(doc)


def plain_text(doc: str | None) -> str:
    """The text of a docstring, without the margin it has in a file, and without the space before closing quotes."""
    return inspect.cleandoc(doc or "").rstrip()


def docstring(text: str, indent: str) -> list[str]:
    """The lines of a docstring, as a formatter leaves them; it ends nowhere but at its end, whatever the text holds."""
    if not text:
        return []
    first, *others = (_escaped(line.rstrip()) for line in text.split("\n"))
    opening = '""" ' if first.startswith('"') else '"""'
    lines = [f"{indent}{opening}{first}", *(f"{indent}{line}".rstrip() for line in others)]
    if others:
        return [*lines, f'{indent}"""']
    return [f'{lines[0]} """' if first.endswith('"') else f'{lines[0]}"""']


def _escaped(line: str) -> str:
    """The line as it stands in a literal; what is no text to look at is written by its number."""
    plain = line.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in plain)
