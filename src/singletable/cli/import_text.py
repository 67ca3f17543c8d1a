"""A file of text as a draft whose every part was planned, for the sources that are files."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from singletable.cli.draft_judge import judge
from singletable.cli.import_file import read_source, write_import
from singletable.drafts.draft import Draft
from singletable.drafts.json_text import NoText, text_of
from singletable.drafts.proved import proved
from singletable.errors import ImportRefused


def import_text(
    options: argparse.Namespace, read: Callable[[str, str], Draft], *, are_patterns_proposed: bool = False
) -> int:
    """Read the file, leave out with a note what is not one request, and write the model."""
    content = read_source(options.file)
    name = "standard input" if options.file == "-" else options.file
    try:
        text = text_of(content)
    except NoText as problem:
        raise ImportRefused(f"{name}: {problem}") from None
    draft = proved(read(text, name), judge, are_proposed=are_patterns_proposed)
    return write_import(draft, options)
