"""The names that an imported model can use, with their objects and the modules that define them."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from datetime import date, datetime
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from functools import partial
from typing import Any, Literal
from uuid import UUID

from singletable.model.condition_recorder import begins_with, contains, exists, not_, one_of, present
from singletable.model.derived.bucket import bucket
from singletable.model.derived.derived_function import derive
from singletable.model.derived.first_letter import first_letter
from singletable.model.derived.geohash_cell import geohash
from singletable.model.derived.shard import shard
from singletable.model.derived.tree_path import depth, parent
from singletable.model.derived_data import copy, count
from singletable.model.entity import entity, skewed
from singletable.model.intents import Page, ancestors, collection, create, delete, get, put, query, update, within
from singletable.model.parameter_types import Between, Box, Children, Nearest, Prefix, Radius, Since, Subtree, Until
from singletable.model.references import ref
from singletable.model.schema_upgrades import upgrade
from singletable.model.table_schema import GSI, KEYS_ONLY, LSI, include, inverse, native, sparse
from singletable.model.update_changes import field

BUILT_IN: Mapping[str, Any] = {
    each.__name__: each for each in (bool, bytes, dict, float, frozenset, int, list, set, str, tuple)
}
PLAIN_TYPES = frozenset(("Any", "Decimal", "UUID", "bool", "bytes", "date", "datetime", "float", "int", "str"))
CONTAINER_TYPES = frozenset(("dict", "frozenset", "list", "set", "tuple"))

STANDARD: Mapping[str, tuple[str, Any]] = {
    "Any": ("typing", Any),
    "Decimal": ("decimal", Decimal),
    "Enum": ("enum", Enum),
    "IntEnum": ("enum", IntEnum),
    "Literal": ("typing", Literal),
    "StrEnum": ("enum", StrEnum),
    "UUID": ("uuid", UUID),
    "dataclass": ("dataclasses", dataclass),
    "dataclass_field": ("dataclasses", dataclass_field),
    "date": ("datetime", date),
    "datetime": ("datetime", datetime),
    "deepcopy": ("copy", deepcopy),
    "partial": ("functools", partial),
}
"""Names of the standard library, with their modules. `dataclass_field` is imported under this name."""

AREA_TYPES: Mapping[str, Any] = {"Box": Box, "Nearest": Nearest, "Radius": Radius}
GENERIC_TYPES: Mapping[str, Any] = {
    each.__name__: each for each in (Between, Children, Page, Prefix, Since, Subtree, Until)
}
INTENTS: Mapping[str, Any] = {
    "ancestors": ancestors,
    "collection": collection,
    "create": create,
    "delete": delete,
    "get": get,
    "put": put,
    "query": query,
    "update": update,
    "within": within,
}
FUNCTIONS: Mapping[str, Any] = {
    "GSI": GSI,
    "LSI": LSI,
    "begins_with": begins_with,
    "bucket": bucket,
    "contains": contains,
    "copy": copy,
    "count": count,
    "depth": depth,
    "derive": derive,
    "exists": exists,
    "field": field,
    "first_letter": first_letter,
    "geohash": geohash,
    "include": include,
    "inverse": inverse,
    "native": native,
    "not_": not_,
    "one_of": one_of,
    "parent": parent,
    "present": present,
    "ref": ref,
    "shard": shard,
    "skewed": skewed,
    "sparse": sparse,
}
"""Functions that a value can call."""

OURS: Mapping[str, Any] = {
    **AREA_TYPES,
    **GENERIC_TYPES,
    **INTENTS,
    **FUNCTIONS,
    "KEYS_ONLY": KEYS_ONLY,
    "entity": entity,
    "upgrade": upgrade,
}
"""Names of singletable, without `Table` and `pattern`. The client defines these two, and the caller passes them."""
CLIENT_NAMES = frozenset(("Table", "pattern"))
RESERVED_NAMES = frozenset((*OURS, *STANDARD, *BUILT_IN, *CLIENT_NAMES, "self", "None", "True", "False"))
"""Names that no class of an imported model can have."""
