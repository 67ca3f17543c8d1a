"""singletable: a compiler for DynamoDB single-table design."""

from typing import TYPE_CHECKING

from singletable.client.key import Key, key
from singletable.client.pattern import pattern
from singletable.client.retries import Retries, Timeouts
from singletable.client.table import Table
from singletable.errors import (
    AlreadyExists,
    AnalyticsRefused,
    ArgumentRefused,
    CancellationReason,
    CollectionIncomplete,
    ConditionFailed,
    ConsolidationRefused,
    CursorRefused,
    DesignBroken,
    DesignError,
    ExportRefused,
    ImportRefused,
    InvalidValue,
    ItemRefused,
    KeyRefused,
    MigrationRefused,
    MigrationStopped,
    ModelNotLoaded,
    NotConnected,
    NotFound,
    NotUnique,
    OutcomeUnknown,
    RequestRefused,
    SingletableError,
    SnapshotRefused,
    StoreRefused,
    StreamRefused,
    TableDiffers,
    Throttled,
    TransactionCancelled,
    UnknownItemWarning,
    Unreachable,
    UnreadableItem,
    UnreadableItemWarning,
    VersionConflict,
)
from singletable.model.condition_recorder import begins_with, contains, exists, not_, one_of, present
from singletable.model.derived_data import copy, count
from singletable.model.entity import entity, skewed
from singletable.model.intents import Page, ancestors, collection, create, delete, get, put, query, update, within
from singletable.model.parameter_types import Between, Box, Children, Nearest, Prefix, Radius, Since, Subtree, Until
from singletable.model.references import ref
from singletable.model.schema_upgrades import upgrade
from singletable.model.table_schema import ALL, GSI, KEYS_ONLY, LSI, include, inverse, native, sparse
from singletable.model.type_codecs import codec
from singletable.model.update_changes import field

if TYPE_CHECKING:
    from singletable.client.batch_result import BatchFailure, BatchProgress, BatchResult
    from singletable.client.http.credentials import Credentials
    from singletable.model.derived.bucket import bucket
    from singletable.model.derived.derived_function import derive
    from singletable.model.derived.first_letter import first_letter
    from singletable.model.derived.geohash_cell import geohash
    from singletable.model.derived.shard import shard
    from singletable.model.derived.tree_path import depth, parent
    from singletable.model.stream_handlers import ChangeEvent, on

__all__ = [
    "ALL",
    "GSI",
    "KEYS_ONLY",
    "LSI",
    "AlreadyExists",
    "AnalyticsRefused",
    "ArgumentRefused",
    "BatchFailure",
    "BatchProgress",
    "BatchResult",
    "Between",
    "Box",
    "CancellationReason",
    "ChangeEvent",
    "Children",
    "CollectionIncomplete",
    "ConditionFailed",
    "ConsolidationRefused",
    "Credentials",
    "CursorRefused",
    "DesignBroken",
    "DesignError",
    "ExportRefused",
    "ImportRefused",
    "InvalidValue",
    "ItemRefused",
    "Key",
    "KeyRefused",
    "MigrationRefused",
    "MigrationStopped",
    "ModelNotLoaded",
    "Nearest",
    "NotConnected",
    "NotFound",
    "NotUnique",
    "OutcomeUnknown",
    "Page",
    "Prefix",
    "Radius",
    "RequestRefused",
    "Retries",
    "Since",
    "SingletableError",
    "SnapshotRefused",
    "StoreRefused",
    "StreamRefused",
    "Subtree",
    "Table",
    "TableDiffers",
    "Throttled",
    "Timeouts",
    "TransactionCancelled",
    "UnknownItemWarning",
    "Unreachable",
    "UnreadableItem",
    "UnreadableItemWarning",
    "Until",
    "VersionConflict",
    "ancestors",
    "begins_with",
    "bucket",
    "codec",
    "collection",
    "contains",
    "copy",
    "count",
    "create",
    "delete",
    "depth",
    "derive",
    "entity",
    "exists",
    "field",
    "first_letter",
    "geohash",
    "get",
    "include",
    "inverse",
    "key",
    "native",
    "not_",
    "on",
    "one_of",
    "parent",
    "pattern",
    "present",
    "put",
    "query",
    "ref",
    "shard",
    "skewed",
    "sparse",
    "update",
    "upgrade",
    "within",
]

_IMPORTED_ON_USE = {
    **dict.fromkeys(("BatchFailure", "BatchProgress", "BatchResult"), "singletable.client.batch_result"),
    "Credentials": "singletable.client.http.credentials",
    "bucket": "singletable.model.derived.bucket",
    "derive": "singletable.model.derived.derived_function",
    "first_letter": "singletable.model.derived.first_letter",
    "geohash": "singletable.model.derived.geohash_cell",
    "shard": "singletable.model.derived.shard",
    **dict.fromkeys(("depth", "parent"), "singletable.model.derived.tree_path"),
    **dict.fromkeys(("ChangeEvent", "on"), "singletable.model.stream_handlers"),
}
"""The names that most programs do not use, and their modules. They are imported when they are used."""


if not TYPE_CHECKING:  # a type checker must still report unknown names

    def __getattr__(name: str) -> object:
        module = _IMPORTED_ON_USE.get(name)
        if module is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        value = globals()[name] = getattr(import_module(module), name)
        return value

    def __dir__() -> list[str]:
        return sorted(set(globals()) | set(__all__))
