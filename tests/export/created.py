"""Create tables on the engine from a model, and from each export of it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

import hcl2
from cfnlint.decode import cfn_yaml  # type: ignore[import-untyped]

from singletable.client.engine_transport import EngineTransport
from singletable.client.open_table import open_table
from singletable.engine.engine import Engine, RequestMethods
from singletable.export.boto3_script import to_boto3_script
from singletable.export.cloudformation import to_cloudformation
from singletable.export.exported_table import ExportedTable, ExportSettings
from singletable.export.terraform import to_terraform
from singletable.model.design import Design

# With these settings an export creates exactly the table that opening the model creates.
BARE = ExportSettings(stream=None, deletion_protection=False, point_in_time_recovery=False, insights=None, alarms=False)
ADDED = ("StreamSpecification", "LatestStreamArn", "LatestStreamLabel", "DeletionProtectionEnabled")

Made = dict[str, Any]
"""What the engine says of a table: DescribeTable without what every table has of its own, and its time to live."""


def described(engine: RequestMethods, name: str) -> Made:
    table = engine.call("DescribeTable", {"TableName": name})["Table"]
    for own in ("CreationDateTime", "TableId"):
        del table[own]
    table.get("BillingModeSummary", {}).pop("LastUpdateToPayPerRequestDateTime", None)
    table["AttributeDefinitions"].sort(key=lambda each: each["AttributeName"])
    # DynamoDB does not promise an order of indexes, and some tools sort them.
    for kind in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
        table.get(kind, []).sort(key=lambda each: each["IndexName"])
    ttl = engine.call("DescribeTimeToLive", {"TableName": name})["TimeToLiveDescription"]
    return {"table": table, "ttl": ttl.get("AttributeName")}


def without_settings(made: Made) -> Made:
    """The table without what an export adds to it."""
    return made | {"table": {name: value for name, value in made["table"].items() if name not in ADDED}}


def by_model(design: Design, name: str | None = None) -> Made:
    opened = open_table(design, "memory:", {"create": True, "name": name})
    transport = opened.session.transport
    assert isinstance(transport, EngineTransport)
    made = described(transport.engine, name or design.name)
    opened.session.close()
    return made


def by_requests(table: ExportedTable, request: Mapping[str, Any], ttl: str | None) -> Made:
    with Engine("memory:") as engine:
        engine.call("CreateTable", request)
        if ttl is not None:
            setting = {"Enabled": True, "AttributeName": ttl}
            engine.call("UpdateTimeToLive", {"TableName": table.name, "TimeToLiveSpecification": setting})
        return described(engine, table.name)


def by_cloudformation(table: ExportedTable) -> Made:
    return by_template(table, template_of(to_cloudformation([table])))


def by_cloudformation_json(table: ExportedTable) -> Made:
    return by_template(table, json.loads(to_cloudformation([table], as_json=True)))


def template_of(text: str) -> Any:
    """A template as CloudFormation reads it; the linter's own classes of text are made plain."""
    return json.loads(json.dumps(cfn_yaml.loads(text)))


def by_template(table: ExportedTable, template: Mapping[str, Any]) -> Made:
    """The table of a template, read as CloudFormation reads it."""
    (properties,) = (
        dict(each["Properties"]) for each in template["Resources"].values() if each["Type"] == "AWS::DynamoDB::Table"
    )
    properties.pop("PointInTimeRecoverySpecification", None)
    properties.pop("ContributorInsightsSpecification", None)
    ttl = properties.pop("TimeToLiveSpecification", {}).get("AttributeName")
    if "StreamSpecification" in properties:
        properties["StreamSpecification"] = {"StreamEnabled": True, **properties["StreamSpecification"]}
    if "GlobalSecondaryIndexes" in properties:
        properties["GlobalSecondaryIndexes"] = [
            {name: value for name, value in index.items() if name != "ContributorInsightsSpecification"}
            for index in properties["GlobalSecondaryIndexes"]
        ]
    return by_requests(table, properties, ttl)


def by_terraform(table: ExportedTable) -> Made:
    resource = terraform_tables(to_terraform([table]))[table.name]
    keys = [{"AttributeName": resource["hash_key"], "KeyType": "HASH"}]
    if "range_key" in resource:
        keys.append({"AttributeName": resource["range_key"], "KeyType": "RANGE"})
    request: dict[str, Any] = {
        "TableName": resource["name"],
        "BillingMode": resource["billing_mode"],
        "KeySchema": keys,
        "AttributeDefinitions": [
            {"AttributeName": each["name"], "AttributeType": each["type"]} for each in resource["attribute"]
        ],
        **_units(resource),
    }
    if indexes := resource.get("global_secondary_index"):
        request["GlobalSecondaryIndexes"] = [
            {**_index(each), "KeySchema": [_element(part) for part in each["key_schema"]], **_units(each)}
            for each in indexes
        ]
    if indexes := resource.get("local_secondary_index"):
        request["LocalSecondaryIndexes"] = [
            {**_index(each), "KeySchema": [keys[0], {"AttributeName": each["range_key"], "KeyType": "RANGE"}]}
            for each in indexes
        ]
    if "stream_enabled" in resource:
        view = resource["stream_view_type"]
        request["StreamSpecification"] = {"StreamEnabled": resource["stream_enabled"], "StreamViewType": view}
    for theirs, ours in (("deletion_protection_enabled", "DeletionProtectionEnabled"), ("table_class", "TableClass")):
        if theirs in resource:
            request[ours] = resource[theirs]
    if "tags" in resource:
        request["Tags"] = [{"Key": key, "Value": value} for key, value in resource["tags"].items()]
    return by_requests(table, request, next((each["attribute_name"] for each in resource.get("ttl", ())), None))


def terraform_tables(text: str) -> dict[str, dict[str, Any]]:
    found = (block.get('"aws_dynamodb_table"') for block in hcl2.loads(text)["resource"])
    tables = [plain(resource) for labels in found if labels for resource in labels.values()]
    return {table["name"]: table for table in tables}


def _element(part: Mapping[str, Any]) -> dict[str, Any]:
    return {"AttributeName": part["attribute_name"], "KeyType": part["key_type"]}


def _index(index: Mapping[str, Any]) -> dict[str, Any]:
    projection = {"ProjectionType": index["projection_type"]}
    if "non_key_attributes" in index:
        projection["NonKeyAttributes"] = index["non_key_attributes"]
    return {"IndexName": index["name"], "Projection": projection}


def _units(resource: Mapping[str, Any]) -> dict[str, Any]:
    if "read_capacity" not in resource:
        return {}
    units = {"ReadCapacityUnits": resource["read_capacity"], "WriteCapacityUnits": resource["write_capacity"]}
    return {"ProvisionedThroughput": units}


_ESCAPE = re.compile(r'\\(?:U(\w{8})|u(\w{4})|(["\\nrt]))|(\$|%)\4\{')
_NAMED = {'"': '"', "\\": "\\", "n": "\n", "r": "\r", "t": "\t"}


def plain(value: Any) -> Any:
    """What the parser leaves of a value, with its texts as Terraform would have them."""
    if isinstance(value, Mapping):
        return {plain(key): plain(each) for key, each in value.items() if key != "__is_block__"}
    if isinstance(value, list):
        return [plain(each) for each in value]
    if isinstance(value, str) and value.startswith('"'):
        return _ESCAPE.sub(_unescaped, value[1:-1])
    return value


def _unescaped(match: re.Match[str]) -> str:
    wide, narrow, named, marker = match.groups()
    if marker:
        return f"{marker}{{"
    return _NAMED[named] if named else chr(int(wide or narrow, 16))


def by_boto3_script(table: ExportedTable) -> Made:
    with Engine("memory:") as engine:
        script(to_boto3_script([table]))["create_tables"](engine.boto3_client())
        return described(engine, table.name)


def script(text: str) -> dict[str, Any]:
    """The names that a script defines."""
    names: dict[str, Any] = {"__name__": "exported"}
    exec(compile(text, "exported.py", "exec", dont_inherit=True), names)
    return names


EXPORTS: dict[str, Callable[[ExportedTable], Made]] = {
    "cloudformation": by_cloudformation,
    "cloudformation --json": by_cloudformation_json,
    "terraform": by_terraform,
    "boto3": by_boto3_script,
}
