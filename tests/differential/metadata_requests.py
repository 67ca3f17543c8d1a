"""Requests for the tags and the time to live of a table."""

from __future__ import annotations

from tests.differential.sides import Request
from tests.differential.world import World
from tests.engine.oracle.seeded_choices import SeededChoices

TAGS = ("team", "stage", "cost centre", "a", "k" * 128)


def arn(table: str) -> str:
    """Return the ARN of a table. Both sides accept any region and account."""
    return f"arn:aws:dynamodb:us-east-1:000000000000:table/{table}"


def _arn(chance: SeededChoices, world: World) -> str:
    return arn("no-such-table" if chance.one_in(10) else chance.pick(world.tables).table.name)


def tag(chance: SeededChoices, world: World) -> Request:
    tags = [{"Key": key, "Value": chance.pick(["", "x", "é", "v" * 256])} for key in chance.several(TAGS, 1, 3)]
    return {"ResourceArn": _arn(chance, world), "Tags": tags}


def untag(chance: SeededChoices, world: World) -> Request:
    return {"ResourceArn": _arn(chance, world), "TagKeys": chance.several(TAGS, 1, 3)}


def list_tags(chance: SeededChoices, world: World) -> Request:
    return {"ResourceArn": _arn(chance, world)}


def update_time_to_live(chance: SeededChoices, world: World) -> Request:
    specification = {"Enabled": chance.one_in(2), "AttributeName": chance.pick(["expires", "n", "pk"])}
    return {"TableName": chance.pick(world.tables).table.name, "TimeToLiveSpecification": specification}


def describe_time_to_live(chance: SeededChoices, world: World) -> Request:
    return {"TableName": "no-such-table" if chance.one_in(10) else chance.pick(world.tables).table.name}
