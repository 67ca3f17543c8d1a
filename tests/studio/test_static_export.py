from __future__ import annotations

import json
import re
from collections.abc import Mapping
from html.parser import HTMLParser
from pathlib import Path

import pytest

from examples.commerce.model import User
from examples.commerce.rows import at
from singletable.cli.main import main
from singletable.errors import ExportRefused
from singletable.studio import static_export
from singletable.studio.static_export import BYTES_MAX, export_pages, write_pages
from tests.studio.opened_studio import COMMERCE, ROOT, store_of, text_of, workspace

EVIL = '../../../etc/x/..\\"><script>alert(1)</script><img src=x>'


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.scripts: list[Mapping[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.links += [value for name in ("href", "src", "action") if (value := given.get(name)) is not None]
        if tag == "script":
            self.scripts.append(given)


def links_of(page: bytes) -> _Links:
    found = _Links()
    found.feed(page.decode())
    return found


@pytest.fixture(scope="module")
def commerce() -> Mapping[str, bytes]:
    space = workspace(COMMERCE)
    pages = export_pages(space)
    space.close()
    return pages


def guide() -> Mapping[str, bytes]:
    space = workspace(str(ROOT / "examples" / "guide" / "model.py"))
    for name in space.table_names:
        view = space.table(name)
        assert view is not None
        view.heat_html = ""  # an hour of its traffic takes seconds to simulate
    pages = export_pages(space)
    space.close()
    return pages


@pytest.mark.parametrize("example", ["commerce", "guide"])
def test_every_link_of_an_export_is_one_of_its_files(example: str, commerce: Mapping[str, bytes]) -> None:
    pages = commerce if example == "commerce" else guide()
    assert sum(map(len, pages.values())) <= BYTES_MAX
    for name, content in pages.items():
        if not name.endswith(".html"):
            continue
        found = links_of(content)
        for link in found.links:
            path = link.partition("#")[0].partition("?")[0]
            assert path in ("", *pages) or (path in ("traffic", "changes") and "design" in name), (name, link)
        for script in found.scripts:
            assert script.get("type") in (None, "application/json"), "a browser loads no module from a file"
        assert b'data-write=""' in content


def test_the_static_export_contains_the_answers_of_its_pages(commerce: Mapping[str, bytes]) -> None:
    script = commerce["answers-0.js"].decode()
    answers = json.loads(script.partition(" = ")[2].rstrip(";\n"))
    assert set(answers["columns"]) == {"table", "GSI1", "GSI2"}
    ids = {row["id"] for rows in answers["columns"].values() for row in rows}
    assert ids == set(answers["items"])
    assert answers["cut"] == []
    assert "ORDER_BY_DATE" in text_of(answers["heat"])
    assert b"0.5 RRU" in commerce["Commerce-pattern-profile.html"]


def test_the_static_export_disables_the_fields_that_need_the_studio(commerce: Mapping[str, bytes]) -> None:
    for name in ("Commerce-pattern-profile.html", "Commerce-pattern-place_order.html", "Commerce-design-traffic.html"):
        fields = re.findall(r'<(?:input|textarea) class="field[^>]*>', commerce[name].decode())
        assert fields
        assert all("disabled" in each for each in fields), name


def test_the_static_export_escapes_keys_and_values_and_names_no_file_after_them(tmp_path: Path) -> None:
    user = User(id=EVIL, name=EVIL, email=EVIL, joined_at=at("2026-01-01T00:00:00"))
    url = store_of(tmp_path, rows=[user])
    folder = tmp_path / "out" / "pages"
    assert main(["studio", COMMERCE, "--export", str(folder), "--rows", url]) == 0
    written = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    outside = {name for name in written if not name.startswith("out/pages/")}
    assert all(name.startswith("store.db") for name in outside)
    assert all(re.fullmatch(r"out/pages/(assets/)?[\w.-]+", name) for name in written - outside)
    for path in folder.rglob("*.html"):
        text = path.read_text()
        assert "<script>alert" not in text
        assert "<img" not in text
    answers = json.loads((folder / "answers-0.js").read_text().partition(" = ")[2].rstrip(";\n"))
    assert "<script>alert" not in "".join(item["html"] for item in answers["items"].values())
    assert "etc/x" in (folder / "answers-0.js").read_text()


def test_the_static_export_replaces_no_file(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(ValueError, match="is not empty"):
        write_pages({"index.html": b""}, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--rows", "file:x.db"], "--rows belongs to --export"),
        (["file:x.db", "--export", "x"], "pass --rows URL"),
    ],
)
def test_the_static_export_reports_wrong_options(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["studio", COMMERCE, *arguments]) == 2
    assert message in capsys.readouterr().err


def test_a_large_store_exports_fewer_items(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.studio.readings import Reading, Readings

    url = store_of(tmp_path, Readings, [Reading(f"d{number // 9:04d}", number) for number in range(130)])
    space = workspace(str(Path(__file__).with_name("readings.py")), url)
    monkeypatch.setattr(static_export, "ROW_LIMITS", (110, 20, 10))
    size = sum(map(len, export_pages(space).values()))
    monkeypatch.setattr(static_export, "BYTES_MAX", size - 10_000)
    answers = json.loads(export_pages(space)["answers-0.js"].decode().partition(" = ")[2].rstrip(";\n"))
    assert len(answers["columns"]["table"]) == 20
    assert answers["cut"] == ["table", "GSI1"]
    monkeypatch.setattr(static_export, "BYTES_MAX", 1000)
    with pytest.raises(ExportRefused, match="at most 1,000 B"):
        export_pages(space)
    space.close()
