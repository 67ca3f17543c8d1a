"""Classes with annotations as strings, as `from __future__ import annotations` leaves them."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import Enum
from typing import ClassVar

import attrs
import msgspec
import pydantic


class PydanticOrder(pydantic.BaseModel):
    kind: ClassVar[str] = "order"
    id: str
    total: Decimal = Decimal(0)
    note: str | None = None
    due: datetime | None
    tags: list[str] = pydantic.Field(default_factory=list)


@dataclass
class DataclassOrder:
    kind: ClassVar[str] = "order"
    id: str
    due: datetime | None
    total: Decimal = Decimal(0)
    note: str | None = None
    tags: list[str] = dataclasses.field(default_factory=list)


class StructOrder(msgspec.Struct):
    kind: ClassVar[str] = "order"
    id: str
    due: datetime | None
    total: Decimal = Decimal(0)
    note: str | None = None
    tags: list[str] = msgspec.field(default_factory=list)


@attrs.define
class AttrsOrder:
    kind: ClassVar[str] = "order"
    id: str
    due: datetime | None
    total: Decimal = Decimal(0)
    note: str | None = None
    tags: list[str] = attrs.field(factory=list)


def local_model() -> type[pydantic.BaseModel]:
    class Level(Enum):
        LOW = "low"

    class Local(pydantic.BaseModel):
        level: Level

    return Local
