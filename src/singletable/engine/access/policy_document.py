"""Policy documents: parsed strictly, and matched against one action on one resource."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from singletable.engine.access.permission_names import check_action
from singletable.engine.access.policy_condition import AnyCondition, parse_conditions
from singletable.engine.access.policy_pattern import PolicyPattern, Values, parse_pattern
from singletable.errors import PolicyRefused

_WITH_VARIABLES = "2012-10-17"
_VERSIONS = ("2008-10-17", _WITH_VARIABLES)
_ELEMENTS = ("Version", "Id", "Statement")
_STATEMENT_ELEMENTS = ("Sid", "Effect", "Action", "NotAction", "Resource", "NotResource", "Condition")
_OF_RESOURCE_POLICIES = ("Principal", "NotPrincipal")
_SEGMENTS = 6
# A colon inside a policy variable does not separate the segments of an ARN.
_SEPARATOR = re.compile(r":(?![^${]*\})")


@dataclass(frozen=True)
class ResourcePattern:
    """The resources of a statement: one pattern for each segment of an ARN, or None for every resource."""

    segments: tuple[PolicyPattern, ...] | None

    def matches(self, arn: str, known: Values) -> bool:
        """Return whether an ARN matches. A wildcard does not match beyond its segment."""
        if self.segments is None:
            return True
        parts = arn.split(":", _SEGMENTS - 1)
        if len(parts) != _SEGMENTS:
            return False
        return all(segment.matches(part, known) for segment, part in zip(self.segments, parts, strict=True))


@dataclass(frozen=True)
class PolicyStatement:
    """One statement: its effect, its included or excluded actions and resources, and its conditions."""

    allows: bool
    actions: tuple[PolicyPattern, ...]
    excludes_actions: bool
    resources: tuple[ResourcePattern, ...]
    excludes_resources: bool
    conditions: tuple[AnyCondition, ...]

    def names(self, action: str, resource: str, known: Values) -> bool:
        """Return whether the statement names an action on a resource, whether or not its conditions are met."""
        is_action = any(pattern.matches(action, known, ignore_case=True) for pattern in self.actions)
        if is_action == self.excludes_actions:
            return False
        is_resource = any(pattern.matches(resource, known) for pattern in self.resources)
        return is_resource != self.excludes_resources

    def holds(self, known: Values) -> bool:
        """Return whether all conditions hold."""
        return all(condition.holds(known) for condition in self.conditions)


@dataclass(frozen=True)
class PolicyDocument:
    """A policy document with its name."""

    name: str
    statements: tuple[PolicyStatement, ...]


def parse_policies(document: Any, place: str = "policy", name: str | None = None) -> tuple[PolicyDocument, ...]:
    """Return the policies of a policy document, or of the output of `singletable export iam`.

    `place` names the document in error messages. `name` selects one policy of several. An unknown operator, condition
    key, action or element raises PolicyRefused.
    """
    parsed = tuple(_policies(document, place))
    if name is None:
        return parsed
    chosen = tuple(policy for policy in parsed if policy.name == name)
    if not chosen:
        names = ", ".join(policy.name for policy in parsed)
        raise PolicyRefused(f"{place} has no policy {name!r}; it has {names}")
    return chosen


def parse_json(text: str, place: str) -> Any:
    """Return the value of a JSON text. Raise PolicyRefused for invalid JSON, and for two members with the same name."""

    def unique(members: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(members)
        if len(found) < len(members):
            names = [name for name, _ in members]
            twice = next(name for name in names if names.count(name) > 1)
            raise PolicyRefused(f"{place}: an object has two members named {twice!r}; merge them into one")
        return found

    try:
        return json.loads(text, object_pairs_hook=unique)
    except ValueError as problem:
        raise PolicyRefused(f"{place} is not valid JSON: {problem}") from None


def _policies(document: Any, place: str) -> Iterator[PolicyDocument]:
    if not isinstance(document, Mapping):
        raise PolicyRefused(f"{place} must be a policy document, an object with Statement, got {document!r}")
    if "Policies" in document:
        _check_elements(document, ("Policies",), place)
        for number, each in enumerate(_list(document["Policies"], f"{place}: Policies")):
            yield from _policies(each, f"{place}: Policies[{number}]")
    elif "PolicyDocument" in document:
        _check_elements(document, ("PolicyName", "Description", "Notes", "PolicyDocument"), place)
        name = str(document.get("PolicyName", place))
        yield PolicyDocument(name, _statements(document["PolicyDocument"], f"{place}.PolicyDocument"))
    else:
        yield PolicyDocument(place, _statements(document, place))


def _statements(document: Any, place: str) -> tuple[PolicyStatement, ...]:
    if not isinstance(document, Mapping):
        raise PolicyRefused(f"{place} must be a policy document, an object with Statement, got {document!r}")
    _check_elements(document, _ELEMENTS, place)
    version = document.get("Version", _VERSIONS[0])
    if version not in _VERSIONS:
        raise PolicyRefused(f"{place}.Version must be one of {', '.join(_VERSIONS)}, got {version!r}")
    if "Statement" not in document:
        raise PolicyRefused(f"{place} has no Statement")
    given = document["Statement"]
    statements = _list([given] if isinstance(given, Mapping) else given, f"{place}.Statement")
    has_variables = version == _WITH_VARIABLES
    return tuple(
        _statement(each, f"{place}.Statement[{number}]", has_variables) for number, each in enumerate(statements)
    )


def _statement(statement: Any, place: str, has_variables: bool) -> PolicyStatement:
    if not isinstance(statement, Mapping):
        raise PolicyRefused(f"{place} must be an object, got {statement!r}")
    for element in _OF_RESOURCE_POLICIES:
        if element in statement:
            raise PolicyRefused(f"{place}: {element} belongs in resource-based policies; remove it from this policy")
    _check_elements(statement, _STATEMENT_ELEMENTS, place)
    effect = statement.get("Effect")
    if effect not in ("Allow", "Deny"):
        raise PolicyRefused(f'{place}.Effect must be "Allow" or "Deny", got {effect!r}')
    action_element = _one_of(statement, ("Action", "NotAction"), place)
    resource_element = _one_of(statement, ("Resource", "NotResource"), place)
    actions = _strings(statement[action_element], f"{place}.{action_element}")
    resources = _strings(statement[resource_element], f"{place}.{resource_element}")
    conditions = parse_conditions(statement.get("Condition", {}), f"{place}.Condition", has_variables=has_variables)
    return PolicyStatement(
        effect == "Allow",
        tuple(_action(text, f"{place}.{action_element}") for text in actions),
        action_element == "NotAction",
        tuple(_resource(text, f"{place}.{resource_element}", has_variables) for text in resources),
        resource_element == "NotResource",
        conditions,
    )


def _action(text: str, place: str) -> PolicyPattern:
    pattern = parse_pattern(text, place, has_wildcards=True, has_variables=False)
    check_action(text, lambda name: pattern.matches(name, {}, ignore_case=True), place)
    return pattern


def _resource(text: str, place: str, has_variables: bool) -> ResourcePattern:
    if text == "*":
        return ResourcePattern(None)
    parts = _SEPARATOR.split(text, maxsplit=_SEGMENTS - 1)
    if len(parts) != _SEGMENTS or parts[0] != "arn":
        raise PolicyRefused(
            f"{place}: {text!r} is not an ARN.\n"
            '  Write "*" or all six parts, such as arn:aws:dynamodb:*:*:table/Shop or .../table/Shop/index/GSI1.'
        )
    if has_variables and any("${" in part for part in parts[:-1]):
        raise PolicyRefused(f"{place}: {text!r} has a policy variable before the last part of the ARN")
    return ResourcePattern(
        tuple(
            parse_pattern(part, place, has_wildcards=True, has_variables=has_variables and number == len(parts) - 1)
            for number, part in enumerate(parts)
        )
    )


def _one_of(statement: Mapping[str, Any], elements: tuple[str, str], place: str) -> str:
    given = [element for element in elements if element in statement]
    if len(given) != 1:
        raise PolicyRefused(f"{place} must have either {elements[0]} or {elements[1]}")
    return given[0]


def _check_elements(given: Mapping[str, Any], known: Sequence[str], place: str) -> None:
    for element in given:
        if element not in known:
            raise PolicyRefused(f"{place}: unknown element {element!r}; the engine supports {', '.join(known)}")


def _list(given: Any, place: str) -> list[Any]:
    if not isinstance(given, list | tuple) or not given:
        raise PolicyRefused(f"{place} must be a list with at least one element, got {given!r}")
    return list(given)


def _strings(given: Any, place: str) -> list[str]:
    texts = [given] if isinstance(given, str) else _list(given, place)
    if not all(isinstance(text, str) for text in texts):
        raise PolicyRefused(f"{place} must be a string or a list of strings, got {given!r}")
    return texts
