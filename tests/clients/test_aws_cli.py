"""The AWS CLI: commands and their output."""

from __future__ import annotations

import json
import shlex
import subprocess
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.clients.client_environments import python_environment
from tests.clients.local_server import CLIENT_SECONDS_MAX, LocalServer

pytestmark = pytest.mark.slow

Aws = Callable[..., Any]


class CommandFailed(Exception):
    """A command exited with a code other than 0. The message is its output."""


@pytest.fixture(scope="module")
def aws(served: LocalServer, tmp_path_factory: pytest.TempPathFactory) -> Aws:
    """Run `aws dynamodb ...` and return the JSON document that it prints."""
    programs = python_environment("awscli")
    folder = tmp_path_factory.mktemp("aws")

    def run(command: str, **files: Any) -> Any:
        for name, document in files.items():
            (folder / f"{name}.json").write_text(json.dumps(document))
        finished = subprocess.run(
            [programs / "aws", "dynamodb", *shlex.split(command)],
            cwd=folder,
            env=served.environment(folder),
            capture_output=True,
            text=True,
            timeout=CLIENT_SECONDS_MAX,
            check=False,
        )
        if finished.returncode:
            raise CommandFailed(finished.stderr.strip())
        return json.loads(finished.stdout) if finished.stdout else None

    return run


@pytest.fixture(scope="module")
def shop(aws: Aws) -> Iterator[str]:
    aws(
        "create-table --table-name cli-shop"
        " --attribute-definitions AttributeName=PK,AttributeType=S AttributeName=SK,AttributeType=S"
        " AttributeName=town,AttributeType=S"
        " --key-schema AttributeName=PK,KeyType=HASH AttributeName=SK,KeyType=RANGE"
        " --global-secondary-indexes"
        " 'IndexName=by-town,KeySchema=[{AttributeName=town,KeyType=HASH}],Projection={ProjectionType=ALL}'"
        " --billing-mode PAY_PER_REQUEST"
    )
    aws("wait table-exists --table-name cli-shop")
    yield "cli-shop"
    aws("delete-table --table-name cli-shop")
    aws("wait table-not-exists --table-name cli-shop")


def test_the_aws_cli_puts_gets_updates_and_deletes_items(aws: Aws, shop: str) -> None:
    assert shop in aws("list-tables")["TableNames"]
    assert aws(f"describe-table --table-name {shop} --query Table.TableStatus") == "ACTIVE"
    item = {"PK": {"S": "CUST#1"}, "SK": {"S": "PROFILE"}, "town": {"S": "Ulm"}, "visits": {"N": "1"}}
    assert aws(f"put-item --table-name {shop} --item file://item.json", item=item) is None
    key = """--key '{"PK": {"S": "CUST#1"}, "SK": {"S": "PROFILE"}}'"""
    assert aws(f"get-item --table-name {shop} {key} --consistent-read") == {"Item": item}
    with pytest.raises(CommandFailed) as failed:
        aws(f"put-item --table-name {shop} --item file://item.json --condition-expression 'attribute_not_exists(PK)'")
    prefix = "An error occurred (ConditionalCheckFailedException) when calling the PutItem operation: "
    assert str(failed.value).endswith(prefix + "The conditional request failed")
    updated = aws(
        f"update-item --table-name {shop} {key} --update-expression 'ADD visits :one' --return-values UPDATED_NEW"
        """ --expression-attribute-values '{":one": {"N": "1"}}' --return-consumed-capacity TOTAL"""
    )
    assert updated["Attributes"] == {"visits": {"N": "2"}}
    assert updated["ConsumedCapacity"]["CapacityUnits"] == 2.0
    by_town = f"query --table-name {shop} --index-name by-town --key-condition-expression 'town = :town'"
    assert (
        aws(f"""{by_town} --expression-attribute-values '{{":town": {{"S": "Ulm"}}}}' --select COUNT""")["Count"] == 1
    )
    assert aws(f"delete-item --table-name {shop} {key} --return-values ALL_OLD")["Attributes"]["visits"] == {"N": "2"}
    assert aws(f"get-item --table-name {shop} {key}") is None


def test_the_aws_cli_reads_pages_batches_and_transactions(aws: Aws, shop: str) -> None:
    keys = [{"PK": {"S": "CUST#1"}, "SK": {"S": f"ORDER#{number:03d}"}} for number in range(20)]
    requests = {shop: [{"PutRequest": {"Item": key | {"n": {"N": str(n)}}}} for n, key in enumerate(keys)]}
    assert aws("batch-write-item --request-items file://requests.json", requests=requests)["UnprocessedItems"] == {}
    got = aws("batch-get-item --request-items file://keys.json", keys={shop: {"Keys": keys}})
    assert len(got["Responses"][shop]) == 20

    query = (
        f"query --table-name {shop} --key-condition-expression 'PK = :pk' --query 'Items[].n.N'"
        """ --expression-attribute-values '{":pk": {"S": "CUST#1"}}'"""
    )
    assert aws(f"{query} --page-size 6") == [str(number) for number in range(20)]
    assert aws(f"{query} --page-size 6 --no-scan-index-forward --max-items 8") == [str(n) for n in range(19, 11, -1)]
    first = aws(f"scan --table-name {shop} --max-items 15")
    rest = aws(f"scan --table-name {shop} --starting-token {first['NextToken']}")
    assert [int(item["n"]["N"]) for item in first["Items"] + rest["Items"]] == list(range(20))

    check = {"TableName": shop, "Key": keys[0], "ConditionExpression": "attribute_not_exists(PK)"}
    actions = [{"Delete": {"TableName": shop, "Key": keys[1]}}, {"ConditionCheck": check}]
    with pytest.raises(CommandFailed) as failed:
        aws("transact-write-items --transact-items file://actions.json", actions=actions)
    assert "specific reasons [None, ConditionalCheckFailed]" in str(failed.value)
    aws("transact-write-items --transact-items file://actions.json", actions=actions[:1])
    gets = [{"Get": {"TableName": shop, "Key": key}} for key in keys[:2]]
    answers = aws("transact-get-items --transact-items file://gets.json", gets=gets)["Responses"]
    assert [answer.get("Item", {}).get("n") for answer in answers] == [{"N": "0"}, None]


def test_the_aws_cli_tags_a_table(served: LocalServer, aws: Aws, shop: str) -> None:
    served.needs("TagResource", "ListTagsOfResource", "UntagResource")
    arn = aws(f"describe-table --table-name {shop} --query Table.TableArn")
    aws(f"tag-resource --resource-arn {arn} --tags Key=team,Value=shop Key=stage,Value=test")
    tags = aws(f"list-tags-of-resource --resource-arn {arn}")["Tags"]
    assert {tag["Key"]: tag["Value"] for tag in tags} == {"team": "shop", "stage": "test"}
    aws(f"untag-resource --resource-arn {arn} --tag-keys stage")
    assert aws(f"list-tags-of-resource --resource-arn {arn} --query 'Tags[].Key'") == ["team"]


def test_the_aws_cli_enables_time_to_live(served: LocalServer, aws: Aws, shop: str) -> None:
    served.needs("UpdateTimeToLive", "DescribeTimeToLive")
    aws(f"update-time-to-live --table-name {shop} --time-to-live-specification Enabled=true,AttributeName=expires")
    described = aws(f"describe-time-to-live --table-name {shop}")["TimeToLiveDescription"]
    assert described["AttributeName"] == "expires"


def test_the_aws_cli_executes_partiql(served: LocalServer, aws: Aws, shop: str) -> None:
    served.needs("ExecuteStatement")

    def execute(statement: str) -> Any:
        return aws(f"execute-statement --statement {shlex.quote(statement)}")

    execute(f"INSERT INTO \"{shop}\" VALUE {{'PK': 'CUST#PARTIQL', 'SK': 'PROFILE', 'n': 7}}")
    assert execute(f"SELECT n FROM \"{shop}\" WHERE PK = 'CUST#PARTIQL'")["Items"] == [{"n": {"N": "7"}}]
    execute(f"DELETE FROM \"{shop}\" WHERE PK = 'CUST#PARTIQL' AND SK = 'PROFILE'")


def test_the_aws_cli_creates_backups(served: LocalServer, aws: Aws, shop: str) -> None:
    served.needs("CreateBackup", "DescribeBackup", "ListBackups", "DeleteBackup")
    arn = aws(f"create-backup --table-name {shop} --backup-name nightly")["BackupDetails"]["BackupArn"]
    assert arn in aws(f"list-backups --table-name {shop} --query 'BackupSummaries[].BackupArn'")
    aws(f"delete-backup --backup-arn {arn}")


def test_the_aws_cli_describes_limits(served: LocalServer, aws: Aws) -> None:
    served.needs("DescribeLimits")
    assert aws("describe-limits")["AccountMaxReadCapacityUnits"] > 0
