"""Check the site without building it: every page is in the navigation, and every link and anchor has a target.

`make docs` builds the site in strict mode; these tests need no additional packages.
"""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

import pytest

from tools.pages import DOCS, PAGES, ROOT, name_of

# Pages of the root that a hook adds to the site, by their names on the site.
FROM_THE_ROOT = {
    name.lower(): ROOT / name
    for name in ("ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "RELEASING.md", "SECURITY.md")
}
# A page of 1,500 words takes ten minutes to read. The number includes code, tables and output; the rest is tolerance.
WORDS_MAX = 1600
# A list in which one looks up a code, not a page to read.
LISTS = {DOCS / "reference" / "findings.md"}
GENERATED = {DOCS / "reference" / name for name in ("api.md", "cli.md", "modules.md", "dynamodb-local-differences.md")}
LINKING = [*PAGES, *FROM_THE_ROOT.values()]

_FENCED = re.compile(r"^```.*?^```[ ]*$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`[^`\n]*`")
_LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\((?P<target>[^)\s]+)\)")
_HEADING = re.compile(r"^#{1,6} (?P<text>.+)$", re.MULTILINE)


def navigation() -> list[str]:
    settings = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    return re.findall(r"^ +- (?:.+: )?(\S+\.md)$", settings.partition("\nnav:\n")[2], re.MULTILINE)


def prose_of(page: Path) -> str:
    return _FENCED.sub("", page.read_text(encoding="utf-8"))


def anchors_of(page: Path) -> set[str]:
    """Return the anchors of all headings, as GitHub and the site generate them."""
    texts = [heading["text"].replace("`", "").lower() for heading in _HEADING.finditer(prose_of(page))]
    return {re.sub(r"[^\w\- ]", "", text).strip().replace(" ", "-") for text in texts}


def broken_links(page: Path) -> list[str]:
    broken = []
    for link in _LINK.finditer(_CODE.sub("`", prose_of(page))):
        target, _, anchor = unquote(link["target"]).partition("#")
        if re.match(r"[a-z]+:", target):
            continue
        file = (page.parent / target).resolve() if target else page
        if not file.exists() or (anchor and anchor not in anchors_of(file)):
            broken.append(link["target"])
    return broken


def test_every_page_is_in_the_navigation_of_the_site_once() -> None:
    pages = [page.relative_to(DOCS).as_posix() for page in PAGES if page.is_relative_to(DOCS)]
    assert sorted(navigation()) == sorted([*pages, *FROM_THE_ROOT])


@pytest.mark.parametrize("page", LINKING, ids=name_of)
def test_every_link_of_the_site_has_a_target(page: Path) -> None:
    assert broken_links(page) == []


@pytest.mark.parametrize("page", [page for page in PAGES if page.is_relative_to(DOCS)], ids=name_of)
def test_no_page_of_the_site_links_out_of_it(page: Path) -> None:
    targets = [link["target"] for link in _LINK.finditer(_CODE.sub("`", prose_of(page)))]
    files = [
        (page.parent / target.partition("#")[0]).resolve() for target in targets if not re.match(r"[a-z]+:", target)
    ]
    assert [name_of(file) for file in files if not file.is_relative_to(DOCS)] == []


@pytest.mark.parametrize("page", [page for page in PAGES if page not in GENERATED | LISTS], ids=name_of)
def test_no_page_of_the_site_is_too_long(page: Path) -> None:
    words = [word for word in page.read_text(encoding="utf-8").split() if re.search(r"\w", word)]
    assert len(words) <= WORDS_MAX, "split it by task"


@pytest.mark.parametrize(
    "text",
    ["[gone](nowhere.md)", "[no such part](index.md#nowhere)", "![no picture](pictures/none.svg)", "[here](#nowhere)"],
)
def test_broken_links_of_the_site_are_reported(text: str, tmp_path: Path) -> None:
    (tmp_path / "index.md").write_text("# Somewhere\n")
    page = tmp_path / "page.md"
    page.write_text(f"# Page\n\nBefore {text} after.\n")
    assert len(broken_links(page)) == 1


def test_links_of_the_site_to_headings_and_files_are_valid(tmp_path: Path) -> None:
    (tmp_path / "index.md").write_text("# A `word`, and: more\n")
    page = tmp_path / "page.md"
    page.write_text("# Page\n\n[one](index.md#a-word-and-more), [two](#page) and [three](https://example.org).\n")
    assert broken_links(page) == []
