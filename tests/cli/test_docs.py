"""`singletable docs`: where the document goes, when it is stale, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from examples.shop.model import Shop
from examples.shop.rows import ROWS
from tests.cli.program import refused, singletable

SHOP = "examples/shop/model.py"
MARKED = f"# Mine\n\n<!-- singletable:start {SHOP} -->\n<!-- singletable:end -->\n\nBelow.\n"


def test_markdown_is_printed_with_collections_as_text() -> None:
    printed = singletable("docs", SHOP)
    assert printed.returncode == 0, printed.stderr
    assert printed.stdout.startswith('# <a id="shop"></a>Shop\n')
    assert "PK ORDER#o1\n" in printed.stdout
    assert "![" not in printed.stdout


def test_html_is_one_file_by_its_name_or_by_its_format(tmp_path: Path) -> None:
    page = tmp_path / "shop.html"
    assert singletable("docs", SHOP, "--output", page).returncode == 0
    assert [each.name for each in tmp_path.iterdir()] == ["shop.html"]
    assert page.read_text(encoding="utf-8") == singletable("docs", SHOP, "--format", "html").stdout


def test_markdown_in_a_file_has_its_pictures_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "design.md"
    assert singletable("docs", SHOP, "--output", file).returncode == 0
    text = file.read_text(encoding="utf-8")
    pictures = {f"design-pictures/{each.name}" for each in (tmp_path / "design-pictures").iterdir()}
    assert "design-pictures/shop-table.svg" in pictures
    assert all(f"]({picture})" in text for picture in pictures)


def test_pictures_can_be_kept_elsewhere_or_be_text(tmp_path: Path) -> None:
    file, folder = tmp_path / "design.md", tmp_path / "img"
    singletable("docs", SHOP, "--output", file, "--pictures", folder)
    assert "](img/shop-table.svg)" in file.read_text(encoding="utf-8")
    assert (folder / "shop-table.svg").is_file()
    singletable("docs", SHOP, "--output", file, "--pictures", "none")
    assert "![" not in file.read_text(encoding="utf-8")


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_a_readme_keeps_everything_outside_of_the_markers(tmp_path: Path, ending: str) -> None:
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
def test_a_file_is_stale_when_it_or_a_picture_differs(tmp_path: Path, name: str) -> None:
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
        assert f"{made} is not what the model says" in stale.stderr
        made.write_bytes(fresh)


def test_a_file_with_the_line_endings_of_windows_is_fresh_and_stays_so(tmp_path: Path) -> None:
    file = tmp_path / "design.md"
    command = ("docs", SHOP, "--output", file, "--pictures", "none")
    singletable(*command)
    windows = file.read_bytes().replace(b"\n", b"\r\n")
    file.write_bytes(windows)
    assert singletable(*command, "--check").returncode == 0
    singletable(*command)
    assert file.read_bytes() == windows


def test_rows_of_a_store_take_the_place_of_made_up_ones(tmp_path: Path) -> None:
    store = tmp_path / "shop.db"
    with Shop.open(f"file:{store}", create=True) as shop:
        for row in ROWS:
            shop.put(row)
    shown = singletable("docs", SHOP, "--items", f"file:{store}")
    assert shown.returncode == 0, shown.stderr
    assert "PK ORDER#o100\n" in shown.stdout
    assert 'product(sku="AVON-TORTOISE")' in shown.stdout
    assert "those of a store" in shown.stdout
    assert "The size of Order is the average of 3 stored items." in shown.stdout


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--check"], "--check needs --output FILE or --into FILE"),
        (["--into", "R.md", "--format", "html"], "--into writes Markdown"),
        (["--output", "R.html", "--pictures", "p"], "HTML has its pictures inside"),
        (["--pictures", "p"], "--pictures needs --output FILE or --into FILE"),
        (["--into", "nowhere/README.md"], "there is no file nowhere/README.md"),
        (["--into", "pyproject.toml"], f"<!-- singletable:start {SHOP} -->\n  <!-- singletable:end -->"),
        (["--items", "file:nowhere.db"], "There is no store at nowhere.db"),
        (["--output", "src"], "src cannot be read"),
        (["--output", "nowhere/at/all.md"], "cannot be written"),
    ],
)
def test_what_cannot_be_done_is_refused_with_a_way_out(options: list[str], why: str) -> None:
    assert why in refused(singletable("docs", SHOP, *options)).replace("\\", "/")


def test_a_model_that_is_no_model_is_refused() -> None:
    assert "no such file" in refused(singletable("docs", "nowhere.py"))
