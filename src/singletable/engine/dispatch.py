"""Actions by the names under which clients ask for them, each loaded when it is first asked for.

An action is a file of `actions`, named like it, with a function of that name; its request is a shape of `wire`. There
are so many that loading all of them would take longer than the rest of a start.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from singletable.wire.decoders import decoder_of
from singletable.wire.shape import Result, Shape

if TYPE_CHECKING:
    from singletable.engine.engine import Engine

DYNAMODB = "DynamoDB_20120810."
STREAMS = "DynamoDBStreams_20120810."  # a service of its own by name, at the same address
OURS = "Singletable."  # the one question that is not DynamoDB's

# The module of `wire` that has the shape of the request, for each action that reads.
_READS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    DYNAMODB: {
        "tables": ("DescribeTable", "ListTables"),
        "items": ("GetItem",),
        "pages": ("Query", "Scan"),
        "batches": ("BatchGetItem",),
        "transactions": ("TransactGetItems",),
        "resources": ("ListTagsOfResource", "GetResourcePolicy"),
        "surroundings": (
            "DescribeLimits",
            "DescribeEndpoints",
            "DescribeKinesisStreamingDestination",
            "DescribeTableReplicaAutoScaling",
            "DescribeGlobalTable",
            "DescribeGlobalTableSettings",
            "ListGlobalTables",
        ),
        "insights": ("DescribeContributorInsights", "ListContributorInsights"),
        "time_to_live": ("DescribeTimeToLive",),
        "backups": ("DescribeBackup", "ListBackups", "DescribeContinuousBackups"),
        "transfers": ("DescribeExport", "ListExports", "DescribeImport", "ListImports"),
    },
    STREAMS: {"streams": ("ListStreams", "DescribeStream", "GetShardIterator", "GetRecords")},
    OURS: {"insights": ("MostAccessedKeys",)},
}
# Those that write items: their writes may be committed with those of other requests.
_WRITES_OF_ITEMS = {
    "items": ("PutItem", "UpdateItem", "DeleteItem"),
    "batches": ("BatchWriteItem",),
    "transactions": ("TransactWriteItems",),
    "statements": ("ExecuteStatement", "BatchExecuteStatement", "ExecuteTransaction"),
}
# Those that change tables: threads that look after tables have to see the change when they are told of it.
_WRITES_OF_TABLES = {
    "tables": ("CreateTable", "UpdateTable", "DeleteTable"),
    "resources": ("TagResource", "UntagResource", "PutResourcePolicy", "DeleteResourcePolicy"),
    "insights": ("UpdateContributorInsights",),
    "time_to_live": ("UpdateTimeToLive",),
    "backups": (
        "CreateBackup",
        "DeleteBackup",
        "RestoreTableFromBackup",
        "UpdateContinuousBackups",
        "RestoreTableToPointInTime",
    ),
    "transfers": ("ExportTableToPointInTime", "ImportTable"),
}
_ONE_MACHINE = "it is one machine, and tables have no replicas"
_NO_KINESIS = "there is no Kinesis beside it"
_NO_S3 = "there is no S3 beside it"

NOT_SERVED = {
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
"""Actions of the API that this engine does not do, and why."""


class Action(NamedTuple):
    """One action: the shape of its requests, what it does, whether it writes, and whether its writes join others'."""

    shape: type[Shape]
    decode: Callable[[bytes], Any]
    run: Callable[[Engine, Any], Result]
    writes: bool
    joins: bool


class _Known(NamedTuple):
    """What is known of an action before it is loaded."""

    wire: str
    writes: bool = False
    joins: bool = True


class Actions(Mapping[str, Action]):
    """All actions by their targets, such as `DynamoDB_20120810.GetItem`."""

    def __init__(self) -> None:
        self.loaded: dict[str, Action] = {}
        self._known: dict[str, _Known] = {}
        for prefix, by_wire in _READS.items():
            self._add(prefix, by_wire, writes=False, joins=True)
        self._add(DYNAMODB, _WRITES_OF_ITEMS, writes=True, joins=True)
        self._add(DYNAMODB, _WRITES_OF_TABLES, writes=True, joins=False)
        for name in NOT_SERVED:
            self._known[DYNAMODB + name] = _Known("surroundings")

    def _add(self, prefix: str, by_wire: Mapping[str, tuple[str, ...]], *, writes: bool, joins: bool) -> None:
        for wire, names in by_wire.items():
            for name in names:
                self._known[prefix + name] = _Known(wire, writes, joins)

    def __getitem__(self, target: str) -> Action:
        action = self.loaded.get(target)
        if action is None:
            action = self.loaded[target] = _load(target.rpartition(".")[2], self._known[target])
        return action

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)


def _load(name: str, known: _Known) -> Action:
    shapes = import_module(f"singletable.wire.{known.wire}")
    if name in NOT_SERVED:
        from singletable.engine.actions.not_served import refusing

        shape, run = shapes.UnservedAction, refusing(name, NOT_SERVED[name])
    else:
        file = re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
        shape, run = getattr(shapes, name), getattr(import_module(f"singletable.engine.actions.{file}"), file)
    return Action(shape, decoder_of(shape).decode, run, known.writes, known.joins)


ACTIONS = Actions()
