"""Access patterns of a design as drafts: what each reads or writes, by which parameters and conditions."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterator
from typing import Any, TypeVar, cast

from singletable.drafts.constants import NoConstant, constant_of
from singletable.drafts.design_types import DesignTypes, doc_of
from singletable.drafts.draft import DraftParameter, DraftPattern, RangeKind, ReadKind
from singletable.expressions.tree import Constant, Leaf, with_leaves
from singletable.model.collection_shape import ShapeMember, members_of
from singletable.model.condition_recorder import ParameterPlaceholder
from singletable.model.fields import Field, fields_of
from singletable.model.intents import (
    AncestorsIntent,
    CollectionIntent,
    GetIntent,
    ItemWriteIntent,
    QueryIntent,
    WithinIntent,
)
from singletable.model.parameter_types import AREA_TYPES, Equal
from singletable.model.pattern_declaration import ParameterDeclaration, PatternDeclaration

N = TypeVar("N")


class Unsaid(Exception):
    """A pattern or a counter says what a draft cannot; carries what that is."""


def draft_pattern(pattern: PatternDeclaration, types: DesignTypes) -> DraftPattern | str:
    """The pattern as a draft, or what of it no draft can say."""
    try:
        return _pattern(pattern, types)
    except Unsaid as problem:
        return str(problem)


def _pattern(pattern: PatternDeclaration, types: DesignTypes) -> DraftPattern:
    intent = pattern.intent
    if isinstance(intent, CollectionIntent):
        found = members_of(intent.shape)
        entities = tuple(dict.fromkeys(types.name_of(each.entity) for each in found))
        fields = fields_of(intent.shape)
        members = tuple((each.name, _member(each, types, fields[each.name])) for each in found)
        view: str | None = types.shape(intent.shape)
        view_doc: str | None = doc_of(intent.shape)
    else:
        entities, members = (types.name_of(intent.entity),), ()
        given = getattr(intent, "view", None)
        view = types.view(given) if given is not None else None
        view_doc = None
    limit = getattr(intent, "limit", None)
    options = pattern.options
    entry = options.entry
    return DraftPattern(
        name=pattern.name,
        title=pattern.title,
        kind=_kind(intent),
        entities=entities,
        parameters=tuple(_parameters(pattern, types)),
        newest_first=bool(getattr(intent, "newest_first", False)),
        changes=with_draft_constants(getattr(intent, "changes", ()), types),
        where=with_draft_constants(getattr(intent, "where", None), types),
        filter=with_draft_constants(getattr(intent, "filter", None), types),
        order_by=getattr(intent, "order_by", None),
        limit=limit.argument_name if isinstance(limit, ParameterPlaceholder) else limit,
        view=view,
        view_doc=view_doc,
        hydrate=bool(getattr(intent, "hydrate", False)),
        members=members,
        consistent=bool(getattr(intent, "consistent", False)),
        entry=entry if isinstance(entry, str) else None,
        entry_class=types.name_of(entry) if isinstance(entry, type) else None,
        expected_items=options.expected_items,
        expected_examined=options.expected_examined,
        frequency=options.frequency,
        rate=options.rate,
        budget_ms=options.budget_ms,
        fanout=options.fanout,
        accept=dict(options.accept or {}),
    )


def _kind(intent: Any) -> Any:
    if isinstance(intent, ItemWriteIntent):
        return intent.kind
    kinds: dict[type, ReadKind] = {
        GetIntent: "get",
        QueryIntent: "query",
        CollectionIntent: "collection",
        WithinIntent: "within",
        AncestorsIntent: "ancestors",
    }
    if type(intent) not in kinds:
        raise Unsaid(f"it is a kind of read that drafts do not know, {type(intent).__name__}")
    return kinds[type(intent)]


def _member(member: ShapeMember, types: DesignTypes, field: Field) -> str:
    name = types.name_of(member.entity)
    kind = {"one": name, "maybe": f"{name} | None", "many": f"list[{name}]"}[member.kind]
    absent = {"one": "", "maybe": " = None", "many": " = []"}[member.kind]
    return kind if field.required else f"{kind}{absent}"


def _parameters(pattern: PatternDeclaration, types: DesignTypes) -> Iterator[DraftParameter]:
    for each in pattern.parameters.values():
        made = _parameter(each, types, f"{pattern.name}({each.name})")
        given = pattern.signature.parameters[each.name]
        made = dataclasses.replace(made, by_name=given.kind is inspect.Parameter.KEYWORD_ONLY)
        if given.default is not inspect.Parameter.empty:
            default = with_draft_constants(Constant(given.default), types).value
            made = dataclasses.replace(made, has_default=True, default=default, optional=default is None)
        yield made


def _parameter(declared: ParameterDeclaration, types: DesignTypes, where: str) -> DraftParameter:
    test = cast(RangeKind, declared.test.__name__)
    if declared.test in AREA_TYPES:
        return DraftParameter(declared.name, "Any", test)
    kind, choices = types.typed(declared.type, where)
    return DraftParameter(declared.name, kind, None if declared.test is Equal else test, choices)


def with_draft_constants(node: N, types: DesignTypes) -> N:
    """The same tree, with its constants as drafts hold them; raises Unsaid for a value that no draft holds."""

    def drafted(leaf: Leaf) -> Leaf:
        if not isinstance(leaf, Constant):
            return leaf
        try:
            return Constant(constant_of(leaf.value, types))
        except NoConstant as problem:
            raise Unsaid(f"no document holds the value {problem}") from None

    return with_leaves(node, drafted)
