"""`singletable serve`: startup message, shutdown, access keys and memory use."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import boto3  # type: ignore[import-untyped]
import pytest
from botocore.exceptions import ClientError  # type: ignore[import-untyped]

from singletable.cli.main import main
from tests.cli.program import PROGRAM, ROOT, environment, refused, singletable

TABLE = {
    "TableName": "shop",
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
}
IDLE_MEGABYTES_MAX = 80
SECONDS_MAX = 30


class Running:
    """The program, serving."""

    def __init__(self, process: subprocess.Popen[str], said: str) -> None:
        self.process = process
        self.said = said

    @property
    def ready(self) -> dict[str, Any]:
        document: dict[str, Any] = json.loads(self.said)
        return document

    def client(self, key: tuple[str, str] = ("any", "any")) -> Any:
        session = boto3.session.Session(*key, region_name="eu-west-1")
        return session.client("dynamodb", endpoint_url=self.ready["url"])

    def stop(self, number: int = signal.SIGTERM) -> tuple[int, str]:
        """Stop the server. Return the exit code, and the text on standard error."""
        self.process.send_signal(number)
        _, said = self.process.communicate(timeout=SECONDS_MAX)
        return self.process.returncode, said


@contextmanager
def serve(*arguments: str | Path, **added: str) -> Generator[Running, None, None]:
    process = subprocess.Popen(
        [PROGRAM, "serve", "--port", "0", *arguments],
        cwd=ROOT,
        env=environment(**added),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    watchdog = threading.Timer(SECONDS_MAX, process.kill)
    watchdog.start()
    try:
        yield Running(process, process.stdout.readline())
    finally:
        watchdog.cancel()
        process.kill()
        process.communicate()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_serve_command_prints_its_address_and_stops_on_a_signal(number: int) -> None:
    with serve() as running:
        url = running.said.split(" at ")[1].partition(";")[0]
        pointer = f"for boto3, the AWS CLI and the SDKs: AWS_ENDPOINT_URL_DYNAMODB={url}"
        assert running.said == f"Serving an in-memory store at {url}; {pointer}\n"
        host, _, port = url.removeprefix("http://").partition(":")
        socket.create_connection((host, int(port))).close()
        assert running.stop(number) == (0, "")


def test_the_serve_command_prints_its_address_as_json(tmp_path: Path) -> None:
    with serve("--json", "--data", tmp_path / "shop.db", "--sync", "full", "--access-key", "A:one") as running:
        port = running.ready["port"]
        assert running.ready == {
            "url": f"http://127.0.0.1:{port}",
            "host": "127.0.0.1",
            "port": port,
            "data": str(tmp_path / "shop.db"),
            "sync": "full",
            "access_keys": 1,
        }


@pytest.mark.parametrize("sync", ["normal", "full"])
def test_the_serve_command_preserves_written_data_over_a_restart(tmp_path: Path, sync: str) -> None:
    item = {"pk": {"S": "a"}, "n": {"N": "1"}}
    with serve("--json", "--data", tmp_path / "shop.db", "--sync", sync) as running:
        client = running.client()
        client.create_table(**TABLE)
        client.put_item(TableName="shop", Item=item)
        assert running.stop() == (0, "")
    with serve("--json", "--data", tmp_path / "shop.db") as running:
        assert running.client().get_item(TableName="shop", Key={"pk": {"S": "a"}})["Item"] == item


def test_the_serve_command_without_a_data_path_stores_nothing(tmp_path: Path) -> None:
    with serve("--json") as running:
        running.client().create_table(**TABLE)
    with serve("--json") as running:
        assert running.client().list_tables()["TableNames"] == []


@pytest.mark.parametrize("source", ["option", "file", "environment"])
def test_the_serve_command_with_access_keys_rejects_requests_without_a_valid_key(source: str, tmp_path: Path) -> None:
    file = tmp_path / "keys"
    file.write_text("AKID:hushhush\n")
    arguments = {"option": ("--access-key", "AKID:hushhush"), "file": ("--access-keys-file", str(file))}.get(source, ())
    added = {"SINGLETABLE_ACCESS_KEYS": "AKID:hushhush"} if source == "environment" else {}
    with serve("--json", *arguments, **added) as running:
        assert running.client(("AKID", "hushhush")).list_tables()["TableNames"] == []
        with pytest.raises(ClientError, match="InvalidSignatureException"):
            running.client(("AKID", "wrong")).list_tables()
        with pytest.raises(ClientError, match="UnrecognizedClientException"):
            running.client(("WHO", "hushhush")).list_tables()
        assert "hush" not in running.said
        assert running.stop() == (0, "")


def list_tables(running: Running, **headers: str) -> tuple[int, str | None]:
    """Send a request with these headers. Return its status, and the origin that may read the response."""
    connection = HTTPConnection(running.ready["host"], running.ready["port"], timeout=SECONDS_MAX)
    target = {"Content-Type": "application/x-amz-json-1.0", "X-Amz-Target": "DynamoDB_20120810.ListTables"}
    try:
        connection.request("POST", "/", b"{}", target | headers)
        response = connection.getresponse()
        return response.status, response.headers["Access-Control-Allow-Origin"]
    finally:
        connection.close()


def test_the_serve_command_accepts_web_pages_and_host_names_only_if_they_are_allowed() -> None:
    page, other = "http://localhost:3000", "https://pages.example"
    with serve("--json", "--allow-origin", page, "--allow-host", "dynamodb") as running:
        assert list_tables(running) == (200, None)
        for host in ("dynamodb:8000", "localhost:8000", "192.168.1.7:8000", "[::1]:8000"):
            assert list_tables(running, Host=host) == (200, None)
        assert list_tables(running, Host="pages.example") == (403, None)
        assert list_tables(running, Origin=page) == (200, page)
        for origin in (other, "null", f"http://{running.ready['host']}:{running.ready['port']}"):
            assert list_tables(running, Origin=origin) == (403, None)
        assert list_tables(running, Origin=page, Host="pages.example")[0] == 403


def test_the_serve_command_with_access_keys_lets_the_signature_decide() -> None:
    with serve("--json", "--access-key", "AKID:hushhush") as running:
        assert list_tables(running, Host="pages.example", Origin="https://pages.example") == (400, "*")


def test_the_serve_command_reports_a_port_that_is_in_use() -> None:
    with serve("--json") as running:
        port = running.ready["port"]
        said = refused(singletable("serve", "--port", str(port)))
    assert said == (
        f"127.0.0.1:{port} is already in use by another server.\n"
        f"  Stop that server, or choose another port: --port {port + 1}, or --port 0 for a free port.\n"
    )


def test_the_serve_command_leaves_no_store_behind_when_the_port_is_in_use(tmp_path: Path) -> None:
    with serve("--json") as running:
        refused(singletable("serve", "--port", str(running.ready["port"]), "--data", tmp_path / "shop.db"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("seconds", ["soon", "0", "-1", "nan", "inf"])
def test_the_serve_command_rejects_invalid_sweep_seconds(seconds: str) -> None:
    assert "invalid number of seconds" in refused(singletable("serve", f"--sweep-seconds={seconds}"))


@pytest.mark.parametrize("milliseconds", ["soon", "-1", "nan", "inf"])
def test_the_serve_command_rejects_an_invalid_gsi_lag(milliseconds: str) -> None:
    assert "invalid number of milliseconds" in refused(singletable("serve", f"--gsi-lag={milliseconds}"))


def test_the_serve_command_deletes_expired_items_while_serving() -> None:
    with serve("--json", "--sweep-seconds", "0.05") as running:
        client = running.client()
        client.create_table(**TABLE)
        setting = {"Enabled": True, "AttributeName": "expires"}
        client.update_time_to_live(TableName="shop", TimeToLiveSpecification=setting)
        client.put_item(TableName="shop", Item={"pk": {"S": "s1"}, "expires": {"N": str(int(time.time()) - 1)}})
        deadline = time.monotonic() + 10
        while client.scan(TableName="shop")["Count"]:
            assert time.monotonic() < deadline
            time.sleep(0.02)


@pytest.mark.parametrize("port", ["http", "-1", "65536", "٨"])
def test_the_serve_command_rejects_an_invalid_port(port: str) -> None:
    assert f"invalid port {port!r}" in refused(singletable("serve", f"--port={port}"))


def test_the_serve_command_rejects_the_address_of_another_machine() -> None:
    said = refused(singletable("serve", "--host", "192.0.2.1", "--port", "0"))
    assert said.startswith("Cannot listen on 192.0.2.1: ")
    assert "Omit --host" in said


def test_the_serve_command_rejects_an_invalid_access_key_without_repeating_it() -> None:
    said = refused(singletable("serve", "--access-key", "hushhush"))
    assert "write ID:SECRET" in said
    assert "hush" not in said


def test_the_serve_command_rejects_a_store_that_cannot_be_opened(tmp_path: Path) -> None:
    (tmp_path / "shop.db").write_text("this is a letter, not a store\n" * 100)
    refused(singletable("serve", "--port", "0", "--data", tmp_path / "shop.db"))


def test_the_serve_command_warns_about_an_unprotected_public_address() -> None:
    with serve("--host", "0.0.0.0", "--json") as running:
        assert running.ready["url"] == f"http://127.0.0.1:{running.ready['port']}"
        assert running.client().list_tables()["TableNames"] == []
        code, said = running.stop()
    assert code == 0
    assert said.startswith(
        f"warning: anyone who can reach 0.0.0.0:{running.ready['port']} can read and write this store."
    )
    with serve("--host", "0.0.0.0", "--access-key", "A:one") as running:
        assert running.stop() == (0, "")


def test_the_serve_command_reports_missing_libraries_with_the_install_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "httptools", None)
    for name in [name for name in sys.modules if name.startswith("singletable.engine.http")]:
        monkeypatch.delitem(sys.modules, name)
    assert main(["serve"]) == 2
    assert capsys.readouterr().err == "singletable serve needs httptools: pip install 'singletable[serve]'\n"


def test_serve_imports_no_unneeded_modules() -> None:
    # Imported modules are counted instead of timed, because a start is fast if few modules are imported.
    command = [sys.executable, "-X", "importtime", "-m", "singletable", "serve", "--port", "0"]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    process.stdout.readline()
    process.terminate()
    _, said = process.communicate(timeout=SECONDS_MAX)
    loaded = {line.rpartition("|")[2].strip() for line in said.splitlines() if line.startswith("import time:")}
    unneeded = {"boto3", "botocore", "pydantic", "rich", "singletable.verify.design_check", "singletable.cli.check"}
    assert "singletable.engine.engine" in loaded
    assert not loaded & unneeded


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")
def test_the_serve_command_uses_little_memory_when_idle() -> None:
    with serve("--json") as running:
        running.client().list_tables()
        status = Path(f"/proc/{running.process.pid}/status").read_text()
    (resident,) = (int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS:"))
    assert resident / 1024 < IDLE_MEGABYTES_MAX


def test_the_serve_command_has_every_option_in_the_docs() -> None:
    page = (ROOT / "docs" / "guides" / "serve.md").read_text(encoding="utf-8")
    words = {word.strip("[],") for word in singletable("serve", "--help").stdout.split()}
    options = {word for word in words if word.startswith("--")} - {"--help"}
    assert len(options) >= 7
    assert not {option for option in options if f"`{option}" not in page}


def principals_file(folder: Path) -> Path:
    condition = {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": ["${aws:PrincipalTag/tenant}#*"]}}
    allowed = {"Effect": "Allow", "Action": "dynamodb:*Item", "Resource": "*", "Condition": condition}
    policy = {"Version": "2012-10-17", "Statement": [allowed]}
    admin = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "dynamodb:*", "Resource": "*"}]}
    path = folder / "principals.json"
    acme = {"AccessKeyId": "ACME", "SecretAccessKey": "s3cret", "Tags": {"tenant": "acme"}, "Policies": [policy]}
    root = {"AccessKeyId": "ROOT", "SecretAccessKey": "r00t", "Policies": [admin]}
    path.write_text(json.dumps({"Principals": [acme, root]}), encoding="utf-8")
    return path


def test_the_serve_command_enforces_the_policies_of_each_access_key(tmp_path: Path) -> None:
    with serve("--json", "--principals", principals_file(tmp_path)) as running:
        assert running.ready["access_keys"] == 2
        root, acme = running.client(("ROOT", "r00t")), running.client(("ACME", "s3cret"))
        root.create_table(**TABLE)
        acme.put_item(TableName="shop", Item={"pk": {"S": "acme#1"}})
        with pytest.raises(ClientError, match=r"AccessDeniedException.*user/ACME is not authorized") as denied:
            acme.put_item(TableName="shop", Item={"pk": {"S": "globex#1"}})
        assert denied.value.response["ResponseMetadata"]["HTTPStatusCode"] == 400
        assert [item["pk"]["S"] for item in root.scan(TableName="shop")["Items"]] == ["acme#1"]
        with pytest.raises(ClientError, match="InvalidSignatureException"):
            running.client(("ACME", "r00t")).get_item(TableName="shop", Key={"pk": {"S": "acme#1"}})


def test_the_serve_command_has_the_region_and_the_account_of_policies() -> None:
    with serve("--json", "--region", "eu-central-1", "--account", "123456789012") as running:
        arn = running.client().create_table(**TABLE)["TableDescription"]["TableArn"]
    assert arn == "arn:aws:dynamodb:eu-central-1:123456789012:table/shop"
    for option, value in (("--region", "Mars"), ("--account", "12")):
        assert f"invalid {option[2:]}" in refused(singletable("serve", option, value))


def test_the_serve_command_requires_a_principal_and_a_secret_for_each_access_key(tmp_path: Path) -> None:
    path = principals_file(tmp_path)
    command = ("serve", "--port", "0", "--principals", str(path))
    assert "access key OTHER has no principal" in refused(singletable(*command, "--access-key", "OTHER:x"))
    assert "access key ACME already has another secret" in refused(singletable(*command, "--access-key", "ACME:x"))
    document = json.loads(path.read_text())
    del document["Principals"][0]["SecretAccessKey"]
    path.write_text(json.dumps(document))
    assert "access key ACME has no secret" in refused(singletable(*command))
    document["Principals"][0]["Policies"][0]["Statement"][0]["Efect"] = "Deny"
    path.write_text(json.dumps(document))
    said = refused(singletable(*command))
    assert f"{path}: Principals[0].Policies[0].Statement[0]: unknown element 'Efect'" in said


def test_serve_writes_an_access_log_in_json() -> None:
    with serve("--json", "--log", "json") as running:
        running.client().create_table(**TABLE)
        with pytest.raises(ClientError):
            running.client().get_item(TableName="lost", Key={"pk": {"S": "hidden"}})
        _, said = running.stop()
    created, lost = map(json.loads, said.splitlines())
    assert (created["operation"], created["tables"], created["status"]) == ("CreateTable", ["shop"], 200)
    assert (lost["operation"], lost["error"]) == ("GetItem", "ResourceNotFoundException")
    assert "hidden" not in said


def test_serve_records_a_catalogue_of_all_its_principals(tmp_path: Path) -> None:
    path = tmp_path / "catalogue.jsonl"
    with serve("--json", "--log", "json", "--catalogue", path, "--access-key", "any:any") as running:
        running.client().create_table(**TABLE)
        running.client().put_item(TableName="shop", Item={"pk": {"S": "hidden"}})
        running.client().get_item(TableName="shop", Key={"pk": {"S": "hidden"}})
        running.stop()
    said = singletable("catalogue", path, "--json").stdout
    assert [each["name"] for each in json.loads(said)["patterns"]] == ["put_shop", "get_shop_by_pk"]
    assert "hidden" not in path.read_text()
    assert "cannot write the catalogue" in refused(singletable("serve", "--port", "0", "--catalogue", tmp_path))
