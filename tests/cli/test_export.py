"""`singletable export`: every target, its output file, and error messages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from singletable.cli.export import MODEL_TARGETS
from tests.cli.program import refused, singletable

SHOP = "examples/shop/model.py"
SEVERAL = "examples/customers/model.py"


@pytest.mark.parametrize("target", MODEL_TARGETS)
def test_the_export_command_writes_the_same_text_to_a_file_for_every_target(target: str, tmp_path: Path) -> None:
    printed = singletable("export", target, SHOP)
    assert printed.returncode == 0, printed.stderr
    path = tmp_path / "exported"
    assert singletable("export", target, SHOP, "--output", path).stdout == ""
    assert path.read_text(encoding="utf-8") == printed.stdout
    assert [each.name for each in tmp_path.iterdir()] == ["exported"]


def test_the_export_options_include_a_check_of_a_file_against_the_model(tmp_path: Path) -> None:
    path = tmp_path / "shop.tf"
    command = ("export", "terraform", SHOP, "--output", path)
    singletable(*command)
    assert singletable(*command, "--check").returncode == 0
    path.write_text(path.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    stale = singletable(*command, "--check")
    assert (stale.returncode, stale.stdout) == (1, "")
    assert "is outdated" in stale.stderr


def test_the_export_command_exports_all_tables_of_a_file_or_one_of_them() -> None:
    everything = json.loads(singletable("export", "cloudformation", SEVERAL, "--json").stdout)
    one = json.loads(singletable("export", "cloudformation", f"{SEVERAL}:Teams", "--json").stdout)
    tables = [[name for name, each in found["Resources"].items() if each["Type"] == "AWS::DynamoDB::Table"]
              for found in (everything, one)]  # fmt: skip
    assert tables == [["Customers", "Orders", "Teams"], ["Teams"]]
    assert one["Description"].startswith("Teams: Users and teams, a many-to-many relationship, as an adjacency list.")


def test_the_export_options_set_table_name_capacity_stream_insights_and_tags() -> None:
    given = ("--provisioned", "10:5", "--provisioned", "GSI1=20:6", "--stream", "off", "--insights", "off",
             "--no-alarms", "--no-deletion-protection", "--no-point-in-time-recovery", "--tag", "team=shop",
             "--table-class", "STANDARD_INFREQUENT_ACCESS", "--table-name", "shop-prod")  # fmt: skip
    found = json.loads(singletable("export", "cloudformation", SHOP, "--json", *given).stdout)
    (table,) = (each["Properties"] for each in found["Resources"].values())
    assert table["TableName"] == "shop-prod"
    assert table["ProvisionedThroughput"] == {"ReadCapacityUnits": 10, "WriteCapacityUnits": 5}
    units = table["GlobalSecondaryIndexes"][0]["ProvisionedThroughput"]
    assert units == {"ReadCapacityUnits": 20, "WriteCapacityUnits": 6}
    assert table["Tags"] == [{"Key": "team", "Value": "shop"}]
    left_out = ("Stream", "ContributorInsights", "PointInTimeRecovery")
    assert not {f"{name}Specification" for name in left_out} & table.keys()
    assert "DeletionProtectionEnabled" not in table


def test_the_export_iam_command_prints_a_single_policy_as_a_valid_document() -> None:
    finished = singletable("export", "iam", SHOP, "--by", "entity", "--policy", "ShopOrderReadOnly")
    assert json.loads(finished.stdout).keys() == {"Version", "Statement"}
    assert "note: Order in the table: ORDER#* also matches the partitions of OrderItem" in finished.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("terraform", SHOP, "--check"), "--check needs --output"),
        (("terraform", SHOP, "--output", "no/such/folder/x.tf"), "cannot write"),
        (("terraform", SHOP, "--output", "no-such.tf", "--check"), "cannot read"),
        (("terraform", SHOP, "--table-name", "a${b}"), "invalid table name"),
        (("terraform", SEVERAL, "--table-name", "abc"), "MODEL:Table"),
        (("boto3", SHOP, "--provisioned", "ten"), "write READ:WRITE"),
        (("boto3", SHOP, "--provisioned", "0:1"), "at least 1 unit"),
        (("boto3", SHOP, "--provisioned", "GSI1=1:1"), "add READ:WRITE"),
        (("boto3", SHOP, "--tag", "team"), "write KEY=VALUE"),
        (("iam", SHOP, "--policy", "Nope"), "the policies are ShopReadOnly, ShopReadWrite"),
        (("iam", SHOP, "--principal-tag", "org"), "needs --tenant FIELD"),
        (
            ("iam", SHOP, "--tenant", "customer_id"),
            "Order in the table: the partition key 'ORDER#{id}' does not start with",
        ),
        (("iam", SHOP, "--region", "Mars"), "invalid region"),
        (("cdk-python", "no_such_model.py"), "no such file"),
    ],
)
def test_the_export_command_reports_bad_input(words: tuple[str, ...], message: str) -> None:
    assert message in refused(singletable("export", *words))


@pytest.mark.parametrize("target", MODEL_TARGETS)
def test_the_export_command_rejects_a_table_without_entities(target: str, tmp_path: Path) -> None:
    model = tmp_path / "begun.py"
    model.write_text(
        "from singletable import Table\n\n\nclass Begun(Table, entities=[]):\n    pass\n", encoding="utf-8"
    )
    assert "Begun has no entities, so its keys are unknown" in refused(singletable("export", target, model))
