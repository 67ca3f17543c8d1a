"""The actions of the API that this engine does not do, each refused with the reason why."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NoReturn

from singletable.errors import invalid
from singletable.wire.surroundings import UnservedAction

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def refusing(action: str, reason: str) -> Callable[[Engine, UnservedAction], NoReturn]:
    """What answers an action that is not served."""

    def refuse(engine: Engine, request: UnservedAction) -> NoReturn:
        raise invalid(f"{action} is not served by this engine: {reason}")

    return refuse
