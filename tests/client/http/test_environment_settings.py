"""AWS settings from the environment equal those of botocore, which is not imported."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from botocore.session import Session  # type: ignore[import-untyped]

from singletable.client.http.credentials import Credentials
from singletable.client.http.environment_settings import environment_settings

KEYS = {"AWS_ACCESS_KEY_ID": "KEY", "AWS_SECRET_ACCESS_KEY": "hidden", "AWS_SESSION_TOKEN": "token"}


@pytest.fixture
def variables(tmp_path: Path) -> dict[str, str]:
    none = str(tmp_path / "none")
    return {**KEYS, "AWS_CONFIG_FILE": none, "AWS_SHARED_CREDENTIALS_FILE": none}


def test_environment_settings_give_every_region_the_endpoint_that_botocore_resolves(
    variables: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    session = Session()
    known = [
        region
        for partition in ("aws", "aws-cn", "aws-us-gov")
        for region in session.get_available_regions("dynamodb", partition)
    ]
    assert len(known) > 30
    for region in known:
        settings = environment_settings(variables, region, has_credentials=False)
        assert settings is not None, region
        endpoint = session.create_client("dynamodb", region_name=region).meta.endpoint_url
        assert settings.address(region).url == endpoint


def test_region_and_credentials_come_from_the_environment(variables: dict[str, str]) -> None:
    settings = environment_settings({**variables, "AWS_REGION": "eu-west-1"}, None, has_credentials=False)
    assert settings is not None
    assert settings.region() == "eu-west-1"
    assert settings.credentials().current() == Credentials("KEY", "hidden", "token")


@pytest.mark.parametrize("region", ["us-iso-east-1", "eu-isoe-west-1", "local", "eu_west!1"])
def test_environment_settings_resolve_unknown_regions_with_botocore(variables: dict[str, str], region: str) -> None:
    assert environment_settings(variables, region, has_credentials=False) is None


@pytest.mark.parametrize("name", ["AWS_PROFILE", "AWS_ENDPOINT_URL", "AWS_USE_FIPS_ENDPOINT", "AWS_MAX_ATTEMPTS"])
def test_environment_settings_that_are_unusual_are_read_by_botocore(variables: dict[str, str], name: str) -> None:
    assert environment_settings(variables, "eu-west-1", has_credentials=False) is not None
    assert environment_settings({**variables, name: "x"}, "eu-west-1", has_credentials=False) is None


@pytest.mark.parametrize("name", ["AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"])
def test_environment_settings_read_configuration_files_with_botocore(
    variables: dict[str, str], name: str, tmp_path: Path
) -> None:
    file = tmp_path / "settings"
    file.write_text("[default]\n")
    assert environment_settings({**variables, name: str(file)}, "eu-west-1", has_credentials=False) is None


def test_botocore_finds_credentials_that_are_not_in_the_environment(variables: dict[str, str]) -> None:
    without = {name: value for name, value in variables.items() if name not in KEYS}
    assert environment_settings(without, "eu-west-1", has_credentials=False) is None
    assert environment_settings(without, "eu-west-1", has_credentials=True) is not None


def test_environment_settings_of_a_region_do_not_import_botocore(variables: dict[str, str]) -> None:
    script = (
        "import sys, socket\n"
        "socket.socket.connect = None\n"  # no network
        "from tests.client.shop import Shop\n"
        "with Shop.open('dynamodb://', check=False) as shop:\n"
        "    print(shop._opened().session.transport.server[0])\n"
        "assert 'botocore' not in sys.modules and 'asyncio' not in sys.modules\n"
    )
    environment = {**variables, "AWS_REGION": "cn-north-1", "PATH": "", "PYTHONPATH": ":".join(sys.path)}
    root = Path(__file__).resolve().parents[3]
    run = subprocess.run(
        [sys.executable, "-c", script], env=environment, cwd=root, capture_output=True, text=True, check=False
    )
    assert (run.stdout, run.stderr) == ("dynamodb.cn-north-1.amazonaws.com.cn\n", "")
