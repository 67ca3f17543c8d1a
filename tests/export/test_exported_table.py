"""An exported table has valid names and settings."""

from __future__ import annotations

from typing import Any

import pytest

from singletable import ExportRefused
from singletable.export.boto3_script import to_boto3_script
from singletable.export.cdk_python import to_cdk_python
from singletable.export.cloudformation import to_cloudformation
from singletable.export.exported_table import ExportSettings, ProvisionedUnits, exported_table
from singletable.export.terraform import to_terraform
from tests.export.models import Blog, Notes


@pytest.mark.parametrize("name", ['a"b${c}', "ab", "a" * 256, "tab le", "täble", "a\nb"])
def test_an_exported_table_with_an_invalid_name_is_an_error(name: str) -> None:
    with pytest.raises(ExportRefused, match="invalid table name") as refused:
        exported_table(Blog.design, name=name)
    assert "--table-name" in str(refused.value)


def test_an_exported_table_with_capacity_for_an_unknown_index_is_an_error() -> None:
    settings = ExportSettings(provisioned=ProvisionedUnits(1, 1), index_units={"LSI1": ProvisionedUnits(1, 1)})
    with pytest.raises(ExportRefused, match=r"no global index 'LSI1'.*its global indexes are GSI1"):
        exported_table(Notes.design, settings=settings)


def test_an_exported_table_has_a_description_of_one_line() -> None:
    assert exported_table(Blog.design, description="One\n  li\x00ne.\n").description == "One li ne."


@pytest.mark.parametrize("export", [to_cloudformation, to_terraform, to_cdk_python, to_boto3_script])
def test_two_exported_tables_of_one_name_are_an_error(export: object) -> None:
    assert callable(export)
    with pytest.raises(ExportRefused, match="several tables have the same name, same"):
        export([exported_table(Blog.design, name="same"), exported_table(Notes.design, name="same")])


@pytest.mark.parametrize("export", [to_cloudformation, to_terraform, to_cdk_python, to_boto3_script])
def test_an_exported_table_is_written_deterministically_in_every_format(export: object) -> None:
    assert callable(export)
    tables = [exported_table(Blog.design), exported_table(Notes.design)]
    assert export(tables) == export(tables)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"index_units": {"GSI1": ProvisionedUnits(1, 1)}}, "only if the table has"),
        ({"tags": {"": "x"}}, "invalid tag"),
        ({"tags": {"aws:mine": "x"}}, "must not start with aws:"),
        ({"tags": {"a": "${b}"}}, "use letters, digits"),
        ({"tags": {"a": "b" * 257}}, "at most 256"),
        ({"tags": {f"t{number}": "" for number in range(51)}}, "at most 50"),
    ],
)
def test_an_exported_table_with_invalid_settings_is_an_error(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ExportRefused, match=message):
        ExportSettings(**given)


def test_an_exported_table_has_provisioned_capacity_of_at_least_one_unit() -> None:
    with pytest.raises(ExportRefused, match="at least 1 unit"):
        ProvisionedUnits(0, 1)
