"""An export of a table with stream handlers connects its stream to a Lambda function."""

from __future__ import annotations

import ast
import json
from typing import Literal

import hcl2
import pytest

from singletable import ExportRefused
from singletable.export.cdk_python import to_cdk_python
from singletable.export.cloudformation import cloudformation_template, to_cloudformation
from singletable.export.exported_table import ExportSettings, exported_table
from singletable.export.stream_mapping import stream_mapping
from singletable.export.terraform import to_terraform
from tests.export.models import Notes
from tests.export.test_cloudformation import findings, resources
from tests.streams.ledger import Ledger

TABLE = exported_table(Ledger.design)


def test_the_filters_of_a_stream_mapping_select_the_entities_with_handlers() -> None:
    mapping = stream_mapping(TABLE)
    assert mapping is not None
    assert [json.loads(each) for each in mapping.filters] == [
        {"dynamodb": {"NewImage": {"entity_type": {"S": ["Order"]}}}},
        {"dynamodb": {"OldImage": {"entity_type": {"S": ["Order"]}}}},
    ]
    assert stream_mapping(exported_table(Notes.design)) is None


def test_cloudformation_has_a_mapping_that_reports_batch_item_failures() -> None:
    assert findings(to_cloudformation([TABLE, exported_table(Notes.design)])) == []
    (mapping,) = resources(cloudformation_template([TABLE]), "AWS::Lambda::EventSourceMapping")
    assert mapping["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    assert mapping["EventSourceArn"] == {"Fn::GetAtt": ["Ledger", "StreamArn"]}
    assert mapping["DestinationConfig"]["OnFailure"]["Destination"] == {"Fn::GetAtt": ["LedgerStreamFailures", "Arn"]}
    assert len(mapping["FilterCriteria"]["Filters"]) == 2


def test_terraform_has_the_same_mapping() -> None:
    text = to_terraform([TABLE])
    hcl2.loads(text)
    _, _, mapping = text.partition('resource "aws_lambda_event_source_mapping" "ledger_stream" {')
    assert 'function_response_types        = ["ReportBatchItemFailures"]' in mapping
    assert "destination_arn = aws_sqs_queue.ledger_stream_failures[0].arn" in mapping
    assert mapping.count("pattern = ") == 2


def test_the_stream_mapping_is_part_of_the_cdk_stack() -> None:
    source = to_cdk_python([TABLE])
    ast.parse(source)
    assert "ledger_table_stream_function: lambda_.IFunction | None = None" in source
    assert "report_batch_item_failures=True" in source


@pytest.mark.parametrize("stream", [None, "NEW_IMAGE"])
def test_a_stream_mapping_rejects_another_stream_view(stream: Literal["NEW_IMAGE"] | None) -> None:
    with pytest.raises(ExportRefused, match="has stream handlers, which need the stream view type NEW_AND_OLD_IMAGES"):
        exported_table(Ledger.design, settings=ExportSettings(stream=stream))
