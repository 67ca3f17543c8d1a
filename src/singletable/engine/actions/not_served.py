"""The actions of the API that this engine does not do, each refused with the reason why."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NoReturn

from singletable.errors import invalid
from singletable.wire.surroundings import UnservedAction

if TYPE_CHECKING:
    from singletable.engine.engine import Engine

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


def refusing(action: str) -> Callable[[Engine, UnservedAction], NoReturn]:
    """What answers an action that is not served."""

    def refuse(engine: Engine, request: UnservedAction) -> NoReturn:
        raise invalid(f"{action} is not served by this engine: {NOT_SERVED[action]}")

    return refuse
