"""API actions that this engine does not support. Each one returns an error that states the reason."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NoReturn

from singletable.errors import invalid
from singletable.wire.account_requests import UnservedAction

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def unsupported_action(action: str, reason: str) -> Callable[[Engine, UnservedAction], NoReturn]:
    """Return a handler that rejects an unsupported action with an error that states the reason."""

    def raise_unsupported(engine: Engine, request: UnservedAction) -> NoReturn:
        raise invalid(f"{action} is not supported by this engine: {reason}")

    return raise_unsupported
