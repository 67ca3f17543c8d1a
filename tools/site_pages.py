"""A MkDocs hook that adds the pages of the repository's root to the website, with working links."""

from __future__ import annotations

import re
from typing import Any

from mkdocs.structure.files import File, Files  # type: ignore[import-not-found, unused-ignore]

from tools.pages import ROOT

AT_THE_ROOT = {
    "ARCHITECTURE.md": "architecture.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "RELEASING.md": "releasing.md",
    "SECURITY.md": "security.md",
}


def on_files(files: Files, config: Any) -> Files:
    """Add the pages of the root folder."""
    for source, name in AT_THE_ROOT.items():
        files.append(File.generated(config, name, content=as_of_docs((ROOT / source).read_text(encoding="utf-8"))))
    return files


def as_of_docs(text: str) -> str:
    """Return a page of the root folder with its links relative to docs/."""
    for source, name in AT_THE_ROOT.items():
        text = text.replace(f"]({source}", f"]({name}")
    return re.sub(r"\]\(docs/", "](", text)
