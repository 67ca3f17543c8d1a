"""Tags and policies on the wire, whose actions name a table by its resource name (ARN)."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from singletable.wire.shape import Result, Shape
from singletable.wire.tables import Tag

Revision = Annotated[str, Meta(min_length=1, max_length=255)]


class TagResource(Shape, kw_only=True, frozen=True):
    """Tags to be added, or given another value."""

    # Neither is required here: the service has words of its own for what is missing, and an order for them.
    resource_arn: str | None = None
    tags: list[Tag] | None = None


class UntagResource(Shape, kw_only=True, frozen=True):
    """Tags to be taken away."""

    resource_arn: str | None = None
    tag_keys: list[str] | None = None


class ListTagsOfResource(Shape, kw_only=True, frozen=True):
    """The tags of a table."""

    resource_arn: str | None = None
    next_token: str | None = None


class NothingResult(Result, kw_only=True, frozen=True):
    """That it was done."""


class ListTagsOfResourceResult(Result, kw_only=True, frozen=True):
    """Every tag, in the order of their keys."""

    tags: list[dict[str, str]]


class PutResourcePolicy(Shape, kw_only=True, frozen=True):
    """A policy to be attached to a table, in place of the one it has."""

    resource_arn: str
    policy: str
    expected_revision_id: Revision | None = None
    confirm_remove_self_resource_access: bool | None = None


class GetResourcePolicy(Shape, kw_only=True, frozen=True):
    """The policy of a table."""

    resource_arn: str


class DeleteResourcePolicy(Shape, kw_only=True, frozen=True):
    """The end of a policy."""

    resource_arn: str
    expected_revision_id: Revision | None = None


class RevisionResult(Result, kw_only=True, frozen=True):
    """Which state of a policy an action has made or ended, if there was one."""

    revision_id: str | msgspec.UnsetType = msgspec.UNSET


class GetResourcePolicyResult(Result, kw_only=True, frozen=True):
    """A policy as it was attached."""

    policy: str
    revision_id: str
