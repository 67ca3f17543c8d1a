"""The snippets of docs/guides/clients.md run and print the documented output.

The versions on the page are the pinned ones.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clients.client_environments import HERE, ROOT, node_modules, program, python_environment
from tests.clients.local_server import LocalServer, serve
from tests.clients.shop import create_shop
from tests.clients.test_scripts import only_in_make_clients

pytestmark = pytest.mark.slow

PAGE = (ROOT / "docs" / "guides" / "clients.md").read_text(encoding="utf-8")


def blocks_of(section: str) -> dict[str, str]:
    """Return the blocks of a section, by their language."""
    text = PAGE.split(f"\n## {section}\n")[1].split("\n## ")[0]
    found = re.findall(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert len({language for language, _ in found}) == len(found), "a section has at most one block per language"
    return dict(found)


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[LocalServer]:
    """Start a new server with the table of the page."""
    with serve(tmp_path / "shop.db") as served:
        create_shop(served)
        yield served


def test_aws_cli_commands_of_the_clients_page_print_the_documented_output(tmp_path: Path) -> None:
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
        pytest.param("OneTable", marks=only_in_make_clients),
    ],
)
def test_javascript_snippets_of_the_clients_page_print_the_documented_output(
    shop: LocalServer, section: str, tmp_path: Path
) -> None:
    blocks = blocks_of(section)
    (tmp_path / "snippet.mjs").write_text(blocks["js"])
    (tmp_path / "node_modules").symlink_to(node_modules())
    # The SDK prints warnings about old versions of Node to standard error.
    printed = shop.run([program("node"), "--no-warnings", "snippet.mjs"], tmp_path)
    assert printed == blocks["text"]


@pytest.mark.parametrize(
    ("section", "environment"),
    [
        ("PynamoDB", "pynamodb"),
        pytest.param("aioboto3", "aioboto3", marks=only_in_make_clients),
        pytest.param("pydynox", "pydynox", marks=only_in_make_clients),
    ],
)
def test_python_snippets_of_the_clients_page_run(
    shop: LocalServer, section: str, environment: str, tmp_path: Path
) -> None:
    (tmp_path / "snippet.py").write_text(blocks_of(section)["py"])
    printed = shop.run([python_environment(environment) / "python", "snippet.py"], tmp_path)
    # pydynox logs slow operations, which happen on a busy machine.
    assert [line for line in printed.splitlines() if "slow operation" not in line] == []


def pinned() -> Iterator[str]:
    """Yield every pinned version, as the page shows it."""
    for requirements in (HERE / "python").glob("*.txt"):
        if requirements.stem == "cdk":  # it generates templates and sends no requests
            continue
        package = requirements.read_text().splitlines()[0]  # the other lines are further packages that the scripts need
        yield " ".join(package.split("=="))
    manifest = json.loads((HERE / "node" / "package.json").read_text())
    packages = manifest["dependencies"] | manifest["devDependencies"]
    not_named = {"@aws-sdk/lib-dynamodb", "@aws-sdk/client-dynamodb-streams", "playwright-core"}
    yield from (f"{name} {version}" for name, version in packages.items() if name not in not_named)
    modules = (HERE / "go" / "go.mod").read_text()
    yield from re.findall(r"aws-sdk-go-v2/(service/dynamodb v\S+)", modules)


@pytest.mark.parametrize("version", sorted(pinned()))
def test_the_page_names_the_pinned_version(version: str) -> None:
    assert f"| {version} |" in PAGE
