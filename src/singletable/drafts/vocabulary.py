"""The vocabulary of drafted models: every name and type that one may use, each with what it stands for."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, IntEnum, StrEnum
from typing import Any

from singletable.drafts.draft import EnumBase
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
from singletable.model.schema_upgrades import upgrade
from singletable.model.table_schema import GSI, KEYS_ONLY, LSI, include, inverse, native, sparse
from singletable.model.update_changes import field

STANDARD: Mapping[str, str] = {
    "Any": "typing",
    "Decimal": "decimal",
    "Enum": "enum",
    "IntEnum": "enum",
    "Literal": "typing",
    "StrEnum": "enum",
    "UUID": "uuid",
    "date": "datetime",
    "datetime": "datetime",
    "deepcopy": "copy",
    "partial": "functools",
}
"""What a model imports from the standard library, with the module that has it."""

ENUMS: Mapping[EnumBase, tuple[type[Enum], type | None]] = {
    "Enum": (Enum, None),
    "StrEnum": (StrEnum, None),
    "IntEnum": (IntEnum, None),
    "str, Enum": (Enum, str),
    "int, Enum": (Enum, int),
}
"""What an enumeration is made of: the kind, and the class that its members are of beside."""

OURS: Mapping[str, Any] = {
    "Between": Between,
    "Box": Box,
    "Children": Children,
    "GSI": GSI,
    "KEYS_ONLY": KEYS_ONLY,
    "LSI": LSI,
    "Nearest": Nearest,
    "Page": Page,
    "Prefix": Prefix,
    "Radius": Radius,
    "Since": Since,
    "Subtree": Subtree,
    "Until": Until,
    "ancestors": ancestors,
    "begins_with": begins_with,
    "bucket": bucket,
    "collection": collection,
    "contains": contains,
    "copy": copy,
    "count": count,
    "create": create,
    "delete": delete,
    "depth": depth,
    "derive": derive,
    "entity": entity,
    "exists": exists,
    "field": field,
    "first_letter": first_letter,
    "geohash": geohash,
    "get": get,
    "include": include,
    "inverse": inverse,
    "native": native,
    "not_": not_,
    "one_of": one_of,
    "parent": parent,
    "present": present,
    "put": put,
    "query": query,
    "shard": shard,
    "skewed": skewed,
    "sparse": sparse,
    "update": update,
    "upgrade": upgrade,
    "within": within,
}
"""What a model imports from singletable, but for `Table` and `pattern`, which stand beside drafts and not below."""

OWN = frozenset((*OURS, "Table", "pattern"))
"""Every name that a model imports from singletable."""
