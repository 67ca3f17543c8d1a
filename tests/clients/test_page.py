"""docs/clients.md: its snippets run and print what it shows, and its versions are those that are installed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clients.installing import HERE, ROOT, node_modules, program, python_environment
from tests.clients.serving import Served, serve
from tests.clients.shop import create_shop
from tests.clients.test_scripts import only_when_all_are_asked_for

PAGE = (ROOT / "docs" / "clients.md").read_text(encoding="utf-8")


def blocks_of(section: str) -> dict[str, str]:
    """The blocks of a section, by their language."""
    text = PAGE.split(f"\n## {section}\n")[1].split("\n## ")[0]
    found = re.findall(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert len({language for language, _ in found}) == len(found), "a section has one block of a language"
    return dict(found)


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Served]:
    """A server of its own, with the table that the sections share."""
    with serve(tmp_path / "shop.db") as served:
        create_shop(served)
        yield served


def test_the_commands_of_the_aws_cli(tmp_path: Path) -> None:
    blocks, programs = blocks_of("AWS CLI"), python_environment("awscli")
    with serve(tmp_path / "shop.db") as served:
        path = f"{programs}:{served.environment(tmp_path)['PATH']}"
        assert served.run(["bash", "-euc", blocks["sh"]], tmp_path, PATH=path) == blocks["text"]


@pytest.mark.parametrize(
    "section",
    [
        "AWS SDK for JavaScript v3",
        "ElectroDB",
        "DynamoDB-Toolbox",
        pytest.param("OneTable", marks=only_when_all_are_asked_for),
    ],
)
def test_a_snippet_of_javascript(shop: Served, section: str, tmp_path: Path) -> None:
    blocks = blocks_of(section)
    (tmp_path / "snippet.mjs").write_text(blocks["js"])
    (tmp_path / "node_modules").symlink_to(node_modules())
    # The SDK says on standard error which versions of Node it is going to leave behind.
    printed = shop.run([program("node"), "--no-warnings", "snippet.mjs"], tmp_path)
    assert printed == blocks["text"]


@pytest.mark.parametrize(
    ("section", "environment"),
    [
        ("PynamoDB", "pynamodb"),
        pytest.param("aioboto3", "aioboto3", marks=only_when_all_are_asked_for),
        pytest.param("pydynox", "pydynox", marks=only_when_all_are_asked_for),
    ],
)
def test_a_snippet_of_python(shop: Served, section: str, environment: str, tmp_path: Path) -> None:
    (tmp_path / "snippet.py").write_text(blocks_of(section)["py"])
    printed = shop.run([python_environment(environment) / "python", "snippet.py"], tmp_path)
    # On a busy machine pydynox says of itself that it was slow.
    assert [line for line in printed.splitlines() if "slow operation" not in line] == []


def pinned() -> Iterator[str]:
    """What the page says of every version that is pinned."""
    for requirements in (HERE / "python").glob("*.txt"):
        if requirements.stem == "cdk":  # it makes templates, and asks no server
            continue
        yield " ".join(requirements.read_text().strip().split("=="))
    manifest = json.loads((HERE / "node" / "package.json").read_text())
    packages = manifest["dependencies"] | manifest["devDependencies"]
    not_named = {"@aws-sdk/lib-dynamodb", "@aws-sdk/client-dynamodb-streams", "playwright-core"}
    yield from (f"{name} {version}" for name, version in packages.items() if name not in not_named)
    modules = (HERE / "go" / "go.mod").read_text()
    yield from re.findall(r"aws-sdk-go-v2/(service/dynamodb v\S+)", modules)


@pytest.mark.parametrize("version", sorted(pinned()))
def test_the_page_names_the_version_that_is_run(version: str) -> None:
    assert f"| {version} |" in PAGE
