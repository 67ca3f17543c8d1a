"""`singletable docs`: output files, outdated documents, and invalid options."""

from __future__ import annotations

from pathlib import Path

import pytest

from examples.shop.model import Shop
from examples.shop.rows import ROWS
from tests.cli.program import refused, singletable

SHOP = "examples/shop/model.py"
MARKED = f"# Mine\n\n<!-- singletable:start {SHOP} -->\n<!-- singletable:end -->\n\nBelow.\n"


def test_the_docs_command_prints_markdown_with_collections_as_text() -> None:
    printed = singletable("docs", SHOP)
    assert printed.returncode == 0, printed.stderr
    assert printed.stdout.startswith('# <a id="shop"></a>Shop\n')
    assert "PK ORDER#o1\n" in printed.stdout
    assert "![" not in printed.stdout


def test_the_docs_command_writes_one_html_file_by_its_name_or_by_its_format(tmp_path: Path) -> None:
    page = tmp_path / "shop.html"
    assert singletable("docs", SHOP, "--output", page).returncode == 0
    assert [each.name for each in tmp_path.iterdir()] == ["shop.html"]
    assert page.read_text(encoding="utf-8") == singletable("docs", SHOP, "--format", "html").stdout


def test_the_docs_command_writes_pictures_next_to_the_markdown_file(tmp_path: Path) -> None:
    file = tmp_path / "design.md"
    assert singletable("docs", SHOP, "--output", file).returncode == 0
    text = file.read_text(encoding="utf-8")
    pictures = {f"design-pictures/{each.name}" for each in (tmp_path / "design-pictures").iterdir()}
    assert "design-pictures/shop-table.svg" in pictures
    assert all(f"]({picture})" in text for picture in pictures)


def test_the_docs_command_puts_pictures_in_another_folder_or_prints_them_as_text(tmp_path: Path) -> None:
    file, folder = tmp_path / "design.md", tmp_path / "img"
    singletable("docs", SHOP, "--output", file, "--pictures", folder)
    assert "](img/shop-table.svg)" in file.read_text(encoding="utf-8")
    assert (folder / "shop-table.svg").is_file()
    singletable("docs", SHOP, "--output", file, "--pictures", "none")
    assert "![" not in file.read_text(encoding="utf-8")


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_the_docs_command_does_not_change_text_outside_the_markers(tmp_path: Path, ending: str) -> None:
    readme = tmp_path / "README.md"
    readme.write_bytes(MARKED.replace("\n", ending).encode())
    command = ("docs", SHOP, "--into", readme)
    assert singletable(*command, "--check").returncode == 1
    assert readme.read_bytes() == MARKED.replace("\n", ending).encode(), "--check writes nothing"
    assert not (tmp_path / "README-pictures").exists()
    assert singletable(*command).returncode == 0
    written = readme.read_bytes().decode()
    before, _, after = MARKED.replace("\n", ending).partition("<!-- singletable:end -->")
    assert written.startswith(before)
    assert written.endswith(f"<!-- singletable:end -->{after}")
    assert f'{ending}## <a id="shop"></a>Shop{ending}' in written, "below the title of the README"
    assert written.count("\n") == written.count(ending)
    assert singletable(*command, "--check").returncode == 0
    picture = tmp_path / "README-pictures/shop-table.svg"
    picture.write_bytes(picture.read_bytes().replace(b"\n", ending.encode()))
    assert singletable(*command, "--check").returncode == 0, "as Git may write it"


@pytest.mark.parametrize("name", ["design.md", "design.html"])
def test_the_docs_command_check_fails_when_the_document_or_a_picture_differs(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    command = ("docs", SHOP, "--output", file)
    missing = singletable(*command, "--check")
    assert (missing.returncode, file.exists()) == (1, False)
    singletable(*command)
    assert singletable(*command, "--check").returncode == 0
    for made in [path for path in tmp_path.rglob("*") if path.is_file()][:3]:
        fresh = made.read_bytes()
        made.write_bytes(fresh + b"\n")
        stale = singletable(*command, "--check")
        assert stale.returncode == 1
        assert f"{made} is outdated" in stale.stderr
        made.write_bytes(fresh)


def test_the_docs_command_preserves_windows_line_endings(tmp_path: Path) -> None:
    file = tmp_path / "design.md"
    command = ("docs", SHOP, "--output", file, "--pictures", "none")
    singletable(*command)
    windows = file.read_bytes().replace(b"\n", b"\r\n")
    file.write_bytes(windows)
    assert singletable(*command, "--check").returncode == 0
    singletable(*command)
    assert file.read_bytes() == windows


def test_the_docs_command_replaces_sample_data_by_rows_of_a_store(tmp_path: Path) -> None:
    store = tmp_path / "shop.db"
    with Shop.open(f"file:{store}", create=True) as shop:
        for row in ROWS:
            shop.put(row)
    shown = singletable("docs", SHOP, "--items", f"file:{store}")
    assert shown.returncode == 0, shown.stderr
    assert "PK ORDER#o100\n" in shown.stdout
    assert 'product(sku="AVON-TORTOISE")' in shown.stdout
    assert "The rows come from the store" in shown.stdout
    assert "Size of Order: average of 3 stored items." in shown.stdout


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--check"], "--check needs --output FILE or --into FILE"),
        (["--into", "R.md", "--format", "html"], "--into writes Markdown"),
        (["--output", "R.html", "--pictures", "p"], "HTML embeds its pictures"),
        (["--pictures", "p"], "--pictures needs --output FILE or --into FILE"),
        (["--into", "nowhere/README.md"], "nowhere/README.md does not exist"),
        (["--into", "pyproject.toml"], f"<!-- singletable:start {SHOP} -->\n  <!-- singletable:end -->"),
        (["--items", "file:nowhere.db"], "There is no store at nowhere.db"),
        (["--output", "src"], "cannot read src"),
        (["--output", "nowhere/at/all.md"], "cannot write"),
    ],
)
def test_the_docs_command_rejects_invalid_options_with_a_remedy(options: list[str], why: str) -> None:
    assert why in refused(singletable("docs", SHOP, *options)).replace("\\", "/")


def test_the_docs_command_rejects_a_missing_model() -> None:
    assert "no such file" in refused(singletable("docs", "nowhere.py"))
