"""An engine as one principal sees it: the same requests and results, limited by the principal's policies."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from singletable.engine.access.authorization import run_as
from singletable.engine.access.principal import Principal
from singletable.engine.dispatch import Action
from singletable.engine.request_methods import RequestMethods
from singletable.wire.api_types import Result

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


class PrincipalEngine(RequestMethods):
    """The methods for requests of one principal.

    `Engine.as_principal` returns this object. Close only the engine, not this object.
    """

    def __init__(self, engine: Engine, principal: Principal) -> None:
        self.store = engine.store
        self.now = engine.now
        self.principal = principal
        self._engine = engine
        self._run = partial(run_as, engine, principal)

    def perform(self, action: Action, request: Any) -> Result:
        """Run an action if the policies of the principal allow it."""
        return self._engine.perform(action, request, self._run)

    def close(self) -> None:
        """Do nothing; close the engine instead."""
