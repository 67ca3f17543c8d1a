"""All actions by target name. Each action is imported when it is first requested.

An action is a function in the module of `actions` with the same name. A module of `wire` defines its request. Importing
all actions at startup would take longer than all other steps of the startup.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from singletable.wire.api_types import Result, Shape, decoder_of

if TYPE_CHECKING:
    from singletable.engine.engine import Engine

DYNAMODB = "DynamoDB_20120810."
STREAMS = "DynamoDBStreams_20120810."  # a separate service of AWS; the engine serves it at the same address
OURS = "Singletable."  # for MostAccessedKeys, which DynamoDB does not have

# The modules of `wire` that define requests. A module is imported together with the first of its actions.
_TABLES = "singletable.wire.table_requests"
_ITEMS = "singletable.wire.item_requests"
_QUERY_AND_SCAN = "singletable.wire.query_and_scan"
_ACCOUNT = "singletable.wire.account_requests"
_INSIGHTS = "singletable.wire.insights_requests"
_BACKUPS = "singletable.wire.backup_requests"
_TRANSFERS = "singletable.wire.transfer_requests"
_STREAM_READS = "singletable.wire.stream_requests"
_STATEMENTS = "singletable.wire.statement_requests"

# The actions that only read, by the module that defines their requests.
_READS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    DYNAMODB: {
        _TABLES: (
            "DescribeTable",
            "ListTables",
            "DescribeTimeToLive",
            "ListTagsOfResource",
            "GetResourcePolicy",
        ),
        _ITEMS: ("GetItem", "BatchGetItem", "TransactGetItems"),
        _QUERY_AND_SCAN: ("Query", "Scan"),
        _ACCOUNT: (
            "DescribeLimits",
            "DescribeEndpoints",
            "DescribeKinesisStreamingDestination",
            "DescribeTableReplicaAutoScaling",
            "DescribeGlobalTable",
            "DescribeGlobalTableSettings",
            "ListGlobalTables",
        ),
        _INSIGHTS: ("DescribeContributorInsights", "ListContributorInsights"),
        _BACKUPS: ("DescribeBackup", "ListBackups", "DescribeContinuousBackups"),
        _TRANSFERS: ("DescribeExport", "ListExports", "DescribeImport", "ListImports"),
    },
    STREAMS: {_STREAM_READS: ("ListStreams", "DescribeStream", "GetShardIterator", "GetRecords")},
    OURS: {_INSIGHTS: ("MostAccessedKeys",)},
}
# The actions that write items. They can share a commit with the writes of other requests.
_ITEM_WRITES = {
    _ITEMS: ("PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"),
    _STATEMENTS: ("ExecuteStatement", "BatchExecuteStatement", "ExecuteTransaction"),
}
# The actions that change tables. Each one commits separately, because background threads must see the change when they
# wake up.
_TABLE_WRITES = {
    _TABLES: (
        "CreateTable",
        "UpdateTable",
        "DeleteTable",
        "UpdateTimeToLive",
        "TagResource",
        "UntagResource",
        "PutResourcePolicy",
        "DeleteResourcePolicy",
    ),
    _INSIGHTS: ("UpdateContributorInsights",),
    _BACKUPS: (
        "CreateBackup",
        "DeleteBackup",
        "RestoreTableFromBackup",
        "UpdateContinuousBackups",
        "RestoreTableToPointInTime",
    ),
    _TRANSFERS: ("ExportTableToPointInTime", "ImportTable"),
}
_ONE_MACHINE = "it runs on one machine, and tables have no replicas"
_NO_KINESIS = "it is not connected to Kinesis"
_NO_S3 = "it is not connected to S3"

UNSUPPORTED_ACTIONS = {
    "SearchVectors": "it has no vector indexes",
    "CreateGlobalTable": _ONE_MACHINE,
    "UpdateGlobalTable": _ONE_MACHINE,
    "UpdateGlobalTableSettings": _ONE_MACHINE,
    "UpdateTableReplicaAutoScaling": _ONE_MACHINE,
    "EnableKinesisStreamingDestination": _NO_KINESIS,
    "DisableKinesisStreamingDestination": _NO_KINESIS,
    "UpdateKinesisStreamingDestination": _NO_KINESIS,
    "StartBulkPutItems": _NO_S3,
    "CancelBulkOperation": _NO_S3,
    "DescribeBulkOperation": _NO_S3,
    "ListBulkOperations": _NO_S3,
}
"""The API actions that this engine does not support, each with the reason."""


class Action(NamedTuple):
    """An action: its request shape, function and name, whether it writes, and whether it can join a group commit."""

    shape: type[Shape]
    decode: Callable[[bytes], Any]
    run: Callable[[Engine, Any], Result]
    writes: bool
    joins: bool
    name: str


class _ActionEntry(NamedTuple):
    """An action that is not imported yet; `wire` is the module that defines its request."""

    wire: str
    writes: bool = False
    joins: bool = True


class Actions(Mapping[str, Action]):
    """All actions by target, such as `DynamoDB_20120810.GetItem`."""

    def __init__(self) -> None:
        self.loaded: dict[str, Action] = {}
        self._known: dict[str, _ActionEntry] = {}
        for prefix, by_wire in _READS.items():
            self._add(prefix, by_wire, writes=False, joins=True)
        self._add(DYNAMODB, _ITEM_WRITES, writes=True, joins=True)
        self._add(DYNAMODB, _TABLE_WRITES, writes=True, joins=False)
        for name in UNSUPPORTED_ACTIONS:
            self._known[DYNAMODB + name] = _ActionEntry(_ACCOUNT)

    def _add(self, prefix: str, by_wire: Mapping[str, tuple[str, ...]], *, writes: bool, joins: bool) -> None:
        for wire, names in by_wire.items():
            for name in names:
                self._known[prefix + name] = _ActionEntry(wire, writes, joins)

    def __getitem__(self, target: str) -> Action:
        action = self.loaded.get(target)
        if action is None:
            action = self.loaded[target] = _load(target.rpartition(".")[2], self._known[target])
        return action

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)


def _load(name: str, known: _ActionEntry) -> Action:
    shapes = import_module(known.wire)
    if name in UNSUPPORTED_ACTIONS:
        from singletable.engine.actions.unsupported_actions import unsupported_action

        shape, run = shapes.UnservedAction, unsupported_action(name, UNSUPPORTED_ACTIONS[name])
    else:
        file = re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
        shape, run = getattr(shapes, name), getattr(import_module(f"singletable.engine.actions.{file}"), file)
    return Action(shape, decoder_of(shape).decode, run, known.writes, known.joins, name)


ACTIONS = Actions()
