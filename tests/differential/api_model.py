"""A check of requests against the service's API model: members, types, lengths, ranges and enums."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from botocore.loaders import Loader  # type: ignore[import-untyped]  # botocore declares no types
from botocore.model import ListShape, MapShape, ServiceModel, StructureShape  # type: ignore[import-untyped]

Shape = Any

JSON_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "blob": (str,),
    "integer": (int,),
    "long": (int,),
    "double": (int, float),
    "boolean": (bool,),
    "timestamp": (int, float),
}


@cache
def _model() -> ServiceModel:
    return ServiceModel(Loader().load_service_model("dynamodb", "service-2"))


def breaks_model(action: str, request: Any) -> bool:
    """Return whether a request violates the API model, for any tables."""
    shape = _model().operation_model(action).input_shape
    return shape is not None and _breaks(shape, request)


def _breaks(shape: Shape, value: Any) -> bool:
    if value is None:
        return False
    if isinstance(shape, StructureShape):
        if not isinstance(value, dict) or any(value.get(name) is None for name in shape.required_members):
            return True
        return any(_breaks(member, value.get(name)) for name, member in shape.members.items())
    if isinstance(shape, ListShape):
        if not isinstance(value, list) or _breaks_size(shape, len(value)):
            return True
        return any(each is None or _breaks(shape.member, each) for each in value)
    if isinstance(shape, MapShape):
        if not isinstance(value, dict) or _breaks_size(shape, len(value)):
            return True
        return any(
            _breaks(shape.key, name) or each is None or _breaks(shape.value, each) for name, each in value.items()
        )
    return _breaks_scalar(shape, value)


def _breaks_scalar(shape: Shape, value: Any) -> bool:
    allowed: Any = JSON_TYPES[shape.type_name]
    if not isinstance(value, allowed) or (isinstance(value, bool) and bool not in allowed):
        return True
    enum = shape.metadata.get("enum")
    if enum and value not in enum:
        return True
    pattern = shape.metadata.get("pattern")
    if pattern and not re.fullmatch(pattern, value):
        return True
    return _breaks_size(shape, len(value) if isinstance(value, str) else value)


def _breaks_size(shape: Shape, size: float) -> bool:
    least, most = shape.metadata.get("min"), shape.metadata.get("max")
    return (least is not None and size < least) or (most is not None and size > most)
