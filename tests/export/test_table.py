"""A table is exported only under names that DynamoDB takes."""

from __future__ import annotations

import pytest

from singletable import ExportRefused
from singletable.export.boto3_script import to_boto3_script
from singletable.export.cdk_python import to_cdk_python
from singletable.export.cloudformation import to_cloudformation
from singletable.export.settings import Settings, Units
from singletable.export.table import exported_table
from singletable.export.terraform import to_terraform
from tests.export.models import Blog, Notes


@pytest.mark.parametrize("name", ['a"b${c}', "ab", "a" * 256, "tab le", "täble", "a\nb"])
def test_a_name_that_no_table_can_have_is_refused(name: str) -> None:
    with pytest.raises(ExportRefused, match="cannot be the name of a table") as refused:
        exported_table(Blog.design, name=name)
    assert "--table-name" in str(refused.value)


def test_capacity_for_an_index_that_is_not_there_is_refused() -> None:
    settings = Settings(provisioned=Units(1, 1), index_units={"LSI1": Units(1, 1)})
    with pytest.raises(ExportRefused, match=r"no global index 'LSI1'.*its global indexes are GSI1"):
        exported_table(Notes.design, settings=settings)


def test_a_description_is_one_line() -> None:
    assert exported_table(Blog.design, description="One\n  li\x00ne.\n").description == "One li ne."


@pytest.mark.parametrize("export", [to_cloudformation, to_terraform, to_cdk_python, to_boto3_script])
def test_two_tables_of_one_name_do_not_stand_in_one_document(export: object) -> None:
    assert callable(export)
    with pytest.raises(ExportRefused, match="two tables are called same"):
        export([exported_table(Blog.design, name="same"), exported_table(Notes.design, name="same")])


@pytest.mark.parametrize("export", [to_cloudformation, to_terraform, to_cdk_python, to_boto3_script])
def test_an_export_is_the_same_every_time(export: object) -> None:
    assert callable(export)
    tables = [exported_table(Blog.design), exported_table(Notes.design)]
    assert export(tables) == export(tables)
