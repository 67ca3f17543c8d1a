"""singletable: a compiler for DynamoDB single-table design."""

from singletable.client.batch_result import BatchFailure, BatchProgress, BatchResult
from singletable.client.key import Key, key
from singletable.client.pattern import pattern
from singletable.client.policy import Retries, Timeouts
from singletable.client.table import Table
from singletable.errors import (
    AlreadyExists,
    ArgumentRefused,
    CancellationReason,
    CollectionIncomplete,
    ConditionFailed,
    CursorRefused,
    DesignBroken,
    DesignError,
    ExportRefused,
    ImportRefused,
    InvalidValue,
    ItemRefused,
    KeyRefused,
    ModelNotLoaded,
    NotConnected,
    NotFound,
    NotUnique,
    OutcomeUnknown,
    RequestRefused,
    SingletableError,
    StoreRefused,
    TableDiffers,
    Throttled,
    TransactionCancelled,
    UnknownItemWarning,
    Unreachable,
    UnreadableItem,
    UnreadableItemWarning,
    VersionConflict,
)
from singletable.model.areas import Box, Nearest, Radius
from singletable.model.cardinality import skewed
from singletable.model.changes import field
from singletable.model.copies import copy
from singletable.model.counts import count
from singletable.model.derived.bucket import bucket
from singletable.model.derived.function import derive
from singletable.model.derived.geocell import geohash
from singletable.model.derived.letter import first_letter
from singletable.model.derived.shard import shard
from singletable.model.derived.tree import depth, parent
from singletable.model.entity import entity
from singletable.model.index import ALL, GSI, KEYS_ONLY, LSI, include, inverse
from singletable.model.intents import ancestors, collection, create, delete, get, put, query, update, within
from singletable.model.page import Page
from singletable.model.positions import native, sparse
from singletable.model.ranges import Between, Children, Prefix, Since, Subtree, Until
from singletable.model.recorder import begins_with, contains, exists, not_, one_of, present
from singletable.model.upgrades import upgrade

__all__ = [
    "ALL",
    "GSI",
    "KEYS_ONLY",
    "LSI",
    "AlreadyExists",
    "ArgumentRefused",
    "BatchFailure",
    "BatchProgress",
    "BatchResult",
    "Between",
    "Box",
    "CancellationReason",
    "Children",
    "CollectionIncomplete",
    "ConditionFailed",
    "CursorRefused",
    "DesignBroken",
    "DesignError",
    "ExportRefused",
    "ImportRefused",
    "InvalidValue",
    "ItemRefused",
    "Key",
    "KeyRefused",
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
    "StoreRefused",
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
    "one_of",
    "parent",
    "pattern",
    "present",
    "put",
    "query",
    "shard",
    "skewed",
    "sparse",
    "update",
    "upgrade",
    "within",
]
