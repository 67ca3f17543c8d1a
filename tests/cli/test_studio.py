from __future__ import annotations

import re
import subprocess
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import HTTPCookieProcessor, build_opener

import pytest

from singletable.errors import ArgumentRefused
from tests.cli.program import PROGRAM, ROOT, environment, singletable
from tests.studio.opened_studio import COMMERCE, store_of, studio, text_of, workspace


def test_the_studio_command_prints_a_link_that_works_once() -> None:
    command = [str(PROGRAM), "studio", "examples/commerce/model.py", "--no-browser"]
    with subprocess.Popen(command, cwd=ROOT, env=environment(), stdout=subprocess.PIPE, text=True) as started:
        try:
            assert started.stdout is not None
            assert "sample rows, in memory" in started.stdout.readline()
            link = re.search(r"http://127\.0\.0\.1:\d+/\?token=\S+", started.stdout.readline())
            assert link is not None
            signed_in = build_opener(HTTPCookieProcessor())
            with signed_in.open(link[0], timeout=20) as page:
                assert "token" not in page.url
                assert b"Commerce" in page.read()
            with pytest.raises(HTTPError, match="403"):
                build_opener().open(link[0], timeout=20)
        finally:
            started.terminate()
            started.wait(20)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing.py"], "no such file"),
        (["file:nothing.db"], "there is no store at file:nothing.db"),
        (["examples/commerce/model.py", "nothing"], "is not a URL"),
        (["file:a.db", "file:b.db"], "write MODEL first"),
        (["examples/commerce/model.py", "--port", "70000"], "invalid port"),
    ],
)
def test_the_studio_command_explains_wrong_arguments(arguments: list[str], message: str) -> None:
    if arguments == ["nothing.py"]:
        space = workspace(*arguments)
        assert message in space.watch.problems[0].message
        return
    found = singletable("studio", *arguments, "--no-browser")
    assert found.returncode == 2
    assert message in found.stderr


def test_the_studio_command_shows_a_table_without_a_model_with_an_inferred_one(tmp_path: Path) -> None:
    space = workspace(store_of(tmp_path))
    shown = studio(space)
    (name,) = space.table_names
    assert {"USER", "ORDER"} & set(re.findall("[A-Z]+", text_of(shown.page(f"/{name}/overview"))))
    rows = shown.ask("column", name, place="table")["rows"]
    assert len(rows) == 18
    assert all(row["e"] >= 0 for row in rows)
    assert "absent" in shown.ask("item", name, id=rows[0]["id"])["html"]
    space.close()


def test_the_studio_command_needs_the_name_of_one_of_several_tables(tmp_path: Path) -> None:
    from examples.shop.model import Shop

    store_of(tmp_path)
    url = store_of(tmp_path, Shop, [])
    with pytest.raises(ArgumentRefused, match="Commerce, Shop; select one with --table"):
        workspace(url)
    space = workspace(url, "--table", "Commerce")
    assert space.table_names == ("Commerce",)
    space.close()


def test_the_studio_command_has_an_option_for_another_table_name(tmp_path: Path) -> None:
    from examples.commerce.model import Commerce

    url = f"file:{tmp_path / 'store.db'}"
    Commerce.open(url, create=True, name="Orders-2026").close()
    space = workspace(COMMERCE, url, "--table", "Orders-2026")
    assert "error" not in studio(space).ask("column", place="table")
    space.close()
