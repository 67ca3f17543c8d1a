"""What a call may ask for beside its arguments: by `.using(...)`, or by `limit` and `cursor` in the signature."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Options:
    """The options of one call."""

    consistent: bool | None = None
    """Strongly consistent, where the plan allows it; None as the pattern says."""
    expired: bool = False
    """Whether items whose time to live has passed are returned, as DynamoDB still does until it deletes them."""
    limit: int | None = None
    cursor: str | None = None
