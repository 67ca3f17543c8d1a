"""Principals: callers with policies and tags, and the decision whether a principal may perform an action."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from singletable.engine.access.condition_keys import (
    IDENTITY_KEYS,
    PRINCIPAL_ACCOUNT,
    PRINCIPAL_ARN,
    TAG_KEY,
    USER_NAME,
    tag_key,
)
from singletable.engine.access.policy_document import PolicyDocument, PolicyStatement
from singletable.engine.access.policy_pattern import Values
from singletable.errors import PolicyRefused, RequestRefused

NO_VALUES: Values = {}
_ARN_PARTS = 6


@dataclass(frozen=True)
class Principal:
    """A caller of the engine: an ARN, policies, tags, and values that describe how the principal signed in.

    `identity` has condition keys such as `aws:userid` or `www.amazon.com:user_id`. A principal without policies has no
    permissions.
    """

    arn: str
    policies: tuple[PolicyDocument, ...] = ()
    tags: Mapping[str, str] = field(default_factory=dict)
    identity: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "policies", tuple(self.policies))
        if len(self.arn.split(":", _ARN_PARTS - 1)) != _ARN_PARTS or not self.arn.startswith("arn:"):
            raise PolicyRefused(
                f"{self.arn!r} is not the ARN of a principal; write arn:aws:iam::000000000000:user/NAME, for example"
            )
        for tag in self.tags:
            if not TAG_KEY.fullmatch(tag):
                raise PolicyRefused(f"{self.arn}: invalid tag key {tag!r}")
        if len({tag.lower() for tag in self.tags}) < len(self.tags):
            raise PolicyRefused(f"{self.arn}: two tag keys differ only in upper and lower case, which IAM ignores")
        for key in self.identity:
            if key.lower() not in IDENTITY_KEYS:
                known = ", ".join(sorted(IDENTITY_KEYS))
                raise PolicyRefused(f"{self.arn}: unknown identity key {key!r}; the engine supports {known}")

    @cached_property
    def known(self) -> Values:
        """The values of the principal's condition keys."""
        _, _, service, _, account, name = self.arn.split(":", _ARN_PARTS - 1)
        known = {PRINCIPAL_ARN: (self.arn,), PRINCIPAL_ACCOUNT: (account,)}
        if service == "iam" and name.startswith("user/"):
            known[USER_NAME] = (name.rpartition("/")[2],)
        known |= {tag_key(tag): (value,) for tag, value in self.tags.items()}
        return known | {key.lower(): (value,) for key, value in self.identity.items()}

    def reject_unnamed(self, action: str, resource: str) -> None:
        """Raise AccessDeniedException unless a statement allows the action on the resource under some conditions.

        This check needs only the request. So a principal without any permission gets no information about the table.
        """
        is_allowed = False
        for statement in self._statements:
            if not statement.names(action, resource, self.known):
                continue
            if statement.allows:
                is_allowed = True
            elif not statement.conditions:
                raise self._denied(action, resource, is_explicit=True)
        if not is_allowed:
            raise self._denied(action, resource, is_explicit=False)

    def reject_denied(self, action: str, resource: str, facts: Values) -> None:
        """Raise AccessDeniedException if a statement denies the action, or if no statement allows it."""
        known = {**self.known, **facts}
        is_allowed = False
        for statement in self._statements:
            if not statement.names(action, resource, known) or not statement.holds(known):
                continue
            if not statement.allows:
                raise self._denied(action, resource, is_explicit=True)
            is_allowed = True
        if not is_allowed:
            raise self._denied(action, resource, is_explicit=False)

    @cached_property
    def _statements(self) -> tuple[PolicyStatement, ...]:
        return tuple(statement for policy in self.policies for statement in policy.statements)

    def _denied(self, action: str, resource: str, *, is_explicit: bool) -> RequestRefused:
        """Return the error in the words of DynamoDB (IAM User Guide, "Troubleshoot access denied error messages")."""
        why = (
            "with an explicit deny in an identity-based policy"
            if is_explicit
            else f"because no identity-based policy allows the {action} action"
        )
        return RequestRefused(
            "AccessDeniedException",
            f"User: {self.arn} is not authorized to perform: {action} on resource: {resource} {why}",
        )
