"""The pytest plugin and its fixtures, run as tests of a user."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

pytest_plugins = ("pytester",)
ROOT = Path(__file__).resolve().parents[2]

CONFTEST = """
from dataclasses import dataclass
from singletable import Page, Table, entity, get, pattern, query
from singletable.testing import table_fixture

@entity(key=("ORDER#{id}", "METADATA"))
@dataclass
class Order:
    id: str
    status: str = "NEW"

class Shop(Table, entities=[Order]):
    @pattern()
    def order(self, id: str) -> Order | None:
        return get(Order)

shop = table_fixture(Shop)
stocked = table_fixture(Shop, items=[Order("o1"), Order("o2")])
counted = table_fixture(Shop, items=lambda: (Order(f"o{n}") for n in range(3)), scope="module", name="renamed")
"""


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    # Nothing else that happens to be installed has a say, and the plugin is the one of this source.
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makeconftest(CONFTEST)
    return pytester


def run(project: pytest.Pytester, *words: str) -> pytest.RunResult:
    return project.runpytest_subprocess("-p", "singletable.testing.plugin", "-p", "no:cacheprovider", *words)


def test_pytest_fixtures_give_each_test_its_own_table(project: pytest.Pytester) -> None:
    project.makepyfile(
        """
        import asyncio
        import pytest
        from conftest import Order, Shop

        @pytest.mark.parametrize("number", range(3))
        def test_alone(shop: Shop, number: int) -> None:
            assert shop.order("o1") is None
            shop.create(Order("o1"))
            assert asyncio.run(shop.order.aio("o1")) == Order("o1")

        def test_stocked(stocked: Shop, shop: Shop) -> None:
            assert stocked.order("o2") == Order("o2")
            assert shop.order("o2") is None
            stocked.close()

        def test_of_the_module(renamed: Shop) -> None:
            renamed.put(Order("more"))

        def test_of_the_module_again(renamed: Shop) -> None:
            assert renamed.order("more") and renamed.order("o2")
        """
    )
    run(project).assert_outcomes(passed=6)


def test_the_pytest_plugin_opens_tables_without_a_conftest(project: pytest.Pytester) -> None:
    project.makepyfile(
        """
        from conftest import Order, Shop
        from singletable.testing import OpenTables

        def test_two(open_table: OpenTables) -> None:
            first, second = open_table(Shop, items=[Order("o1")]), open_table(Shop)
            assert first.order("o1") and not second.order("o1")

        def test_of_another_name(open_table: OpenTables) -> None:
            assert open_table(Shop, name="Other")._opened().reader.name == "Other"
        """
    )
    run(project).assert_outcomes(passed=2)


def test_pytest_fixtures_open_tables_at_another_url(project: pytest.Pytester) -> None:
    project.makepyfile(
        """
        import pytest
        from conftest import Order, Shop

        @pytest.mark.parametrize("number", range(3))
        def test_alone(shop: Shop, open_table, number: int) -> None:
            assert shop._opened().session.transport.name.startswith("file:")
            shop.create(Order("o1"))
            assert not open_table(Shop).order("o1")
            shop.close()
        """
    )
    run(project, "--singletable-url", "file:shop.db").assert_outcomes(passed=3)
    left = subprocess.run(
        [
            sys.executable,
            "-c",
            "from singletable.engine.engine import Engine; print(Engine('file:shop.db').call('ListTables', {}))",
        ],
        cwd=project.path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert left.stdout.strip() == "{'TableNames': []}"


def test_pytest_fixtures_fail_a_test_whose_items_cannot_be_stored_with_the_reason(project: pytest.Pytester) -> None:
    project.makepyfile(
        """
        from conftest import Shop
        from singletable.testing import table_fixture

        wrong = table_fixture(Shop, items=["text"])

        def test_never(wrong: Shop) -> None: ...
        """
    )
    result = run(project)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines("*str is not an entity of Shop*")


def test_the_pytest_plugin_is_registered() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"]["pytest11"] == {"singletable": "singletable.testing.plugin"}


@pytest.mark.parametrize(
    ("imported", "absent"),
    [
        ("singletable", {"pytest", "hypothesis", "singletable.testing"}),
        ("singletable.testing", {"pytest", "hypothesis", "msgspec"}),
        ("singletable.testing.plugin", {"hypothesis", "msgspec", "singletable.engine"}),
        ("singletable.testing.recorded_usage", {"pytest", "hypothesis", "singletable.engine"}),
        ("singletable.testing.fixtures", {"hypothesis", "msgspec", "singletable.engine"}),
    ],
)
def test_the_testing_fixtures_import_modules_only_when_needed(imported: str, absent: set[str]) -> None:
    script = f"import sys; import {imported}; print(*sys.modules)"
    started = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert not absent & set(started.stdout.split())


def test_the_testing_package_has_every_name_that_it_lists() -> None:
    from singletable import testing

    for name in testing.__all__:
        assert getattr(testing, name) is not None
    with pytest.raises(AttributeError, match="nothing_of_ours"):
        testing.nothing_of_ours  # noqa: B018  # the attribute access is the test
