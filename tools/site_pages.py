"""A hook of MkDocs: the pages at the root of the repository become pages of the site, with links that lead on in it."""

from __future__ import annotations

import re
from typing import Any

from mkdocs.structure.files import File, Files  # type: ignore[import-not-found, unused-ignore]

from tools.pages import ROOT

AT_THE_ROOT = {
    "ARCHITECTURE.md": "architecture.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
}


def on_files(files: Files, config: Any) -> Files:
    """Add the pages of the root."""
    for source, name in AT_THE_ROOT.items():
        files.append(File.generated(config, name, content=as_of_docs((ROOT / source).read_text(encoding="utf-8"))))
    return files


def as_of_docs(text: str) -> str:
    """A page of the root with its links as they are from inside docs/."""
    for source, name in AT_THE_ROOT.items():
        text = text.replace(f"]({source}", f"]({name}")
    return re.sub(r"\]\(docs/", "](", text)
