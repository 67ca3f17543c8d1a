"""Sends every DynamoDB client of botocore in this process to an engine, for as long as a `with` block lasts."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from typing import Any

from singletable.engine.boto3_door import ACCESS_KEY, CLIENT_NAMES, REGION, AnsweringEngine, library, response_maker

_TARGET_PREFIXES = ("DynamoDB_", "DynamoDBStreams_")


@dataclass(frozen=True, eq=False)
class _Visit:
    """An engine that answers meanwhile; one engine may come several times, and each visit has its own end."""

    engine: AnsweringEngine


class _Patch:
    """A method of botocore that is ours for a while."""

    def __init__(self, owner: Any, name: str, replace: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
        self._owner, self._name = owner, name
        self._original = getattr(owner, name)
        self._ours = wraps(self._original)(replace(self._original))
        setattr(owner, name, self._ours)

    def undo(self) -> None:
        # Somebody may have put something over it meanwhile, which is not ours to remove; below it, ours does nothing.
        if getattr(self._owner, self._name) is self._ours:
            setattr(self._owner, self._name, self._original)


# botocore's classes are there once in a process, and so is what is done to them.
_lock = threading.Lock()
_visits: tuple[_Visit, ...] = ()
_patches: list[_Patch] = []


@contextmanager
def boto3_everywhere(engine: AnsweringEngine) -> Generator[None, None, None]:
    """Answer all DynamoDB clients of the process, in all of its threads, whoever made them and when.

    The block entered last holds. Clients made inside need neither a region nor credentials; what they are given instead
    they keep, and AWS does not accept it. Other services are not touched.
    """
    visit = _Visit(engine)
    _enter(visit)
    try:
        yield
    finally:
        _leave(visit)


def _enter(visit: _Visit) -> None:
    global _visits  # noqa: PLW0603  # replaced as a whole, so that other threads read it without a lock
    with _lock:
        if not _visits:
            _patches[:] = [
                _Patch(library("botocore.session").Session, "create_client", _create_client),
                _Patch(library("botocore.signers").RequestSigner, "sign", _sign),
                _Patch(library("botocore.httpsession").URLLib3Session, "send", _send),
            ]
        _visits = (*_visits, visit)


def _leave(visit: _Visit) -> None:
    global _visits  # noqa: PLW0603  # as above
    with _lock:
        _visits = tuple(each for each in _visits if each is not visit)
        if not _visits:
            while _patches:
                _patches.pop().undo()


def _visitor(request: Any) -> AnsweringEngine | None:
    """The engine that answers a request of botocore; None for one of another service, and outside every block."""
    visits = _visits
    if not visits:
        return None
    target = request.headers.get("X-Amz-Target") or ""
    text = target.decode("latin-1") if isinstance(target, bytes) else target
    return visits[-1].engine if text.startswith(_TARGET_PREFIXES) else None


def _send(original: Callable[..., Any]) -> Callable[..., Any]:
    response = response_maker()

    def send(session: Any, request: Any) -> Any:
        engine = _visitor(request)
        return original(session, request) if engine is None else response(engine, request)

    return send


def _sign(original: Callable[..., Any]) -> Callable[..., Any]:
    """A request that does not leave the process needs no signature, nor the credentials to make one."""

    def sign(signer: Any, operation_name: str, request: Any, *arguments: Any, **options: Any) -> Any:
        standard = not arguments and options.get("signing_type", "standard") == "standard"
        if standard and _visitor(request) is not None:
            return None
        return original(signer, operation_name, request, *arguments, **options)

    return sign


def _create_client(original: Callable[..., Any]) -> Callable[..., Any]:
    """A client made inside looks nowhere for credentials: the search for them may end in the network."""

    def create_client(session: Any, service_name: str, *arguments: Any, **options: Any) -> Any:
        if _visits and service_name in CLIENT_NAMES and not arguments:
            options = _filled_in(session, options)
        return original(session, service_name, *arguments, **options)

    return create_client


def _filled_in(session: Any, options: dict[str, Any]) -> dict[str, Any]:
    filled = dict(options)
    regions = (options.get("region_name"), getattr(options.get("config"), "region_name", None))
    if not any(regions) and session.get_config_variable("region") is None:
        filled["region_name"] = REGION
    # Keys that were given to this session by hand are kept; they are known without a search.
    if getattr(session, "_credentials", None) is None and not any(options.get(name) for name in ACCESS_KEY):
        filled.update(ACCESS_KEY)
    return filled
