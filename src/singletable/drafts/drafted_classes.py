"""The classes and functions that a draft's file would define, made out of its values; nothing is read as Python.

The one text in them that becomes code is the names of fields, of which `dataclasses` makes an `__init__`: it refuses
what is no name, and so does everything here.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import make_dataclass
from functools import reduce
from inspect import Parameter, Signature
from math import isfinite
from typing import Any, Literal

from singletable.drafts.declared import (
    answer_of,
    body_of,
    docline,
    entity_fields,
    entity_keywords,
    paging_parameters,
    pattern_parameters,
    shape_members,
    shape_names,
    subject_of,
)
from singletable.drafts.draft import DraftEntity, DraftPattern, DraftTable, DraftTest, is_name
from singletable.drafts.terms import (
    Call,
    Declared,
    FieldOf,
    ItemField,
    ItemTests,
    Keywords,
    Listed,
    Named,
    Of,
    OrNone,
    Setting,
    Term,
)
from singletable.drafts.vocabulary import OURS, OWN, STANDARD, TYPES
from singletable.errors import DesignError, Problem
from singletable.model.recorder import contains

Scope = Mapping[str, Any]
"""The classes of a draft, and in a body its parameters, by their names."""

_COMPARED: Mapping[str, Callable[[Any, Any], Any]] = {
    "contains": contains,
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def drafted_classes(table: DraftTable) -> dict[str, type]:
    """The classes of the entities and of the collections, by name, each made when those before it are there."""
    classes: dict[str, type] = {}
    for entity in table.entities:
        classes[entity.class_name] = _entity(entity, classes)
    shapes = shape_names(table)
    for pattern in table.patterns:
        if pattern.kind == "collection":
            name = subject_of(pattern, shapes)
            classes[name] = _dataclass(name, pattern.title, shape_members(pattern), classes)
    return classes


def _entity(entity: DraftEntity, classes: Scope) -> type:
    declare = OURS["entity"](**keywords_of(entity_keywords(entity), classes))
    made: type = declare(
        _dataclass(entity.class_name, entity.doc or entity.class_name, entity_fields(entity), classes),
    )
    return made


def _dataclass(name: str, doc: str, fields: tuple[Declared, ...], classes: Scope) -> type:
    if name in OWN or name in STANDARD or name in TYPES:
        raise DesignError(Problem(f"the class {name} would hide what a model is written with"))
    body = {"__doc__": docline(doc), "__module__": __name__}
    made: list[Any] = [
        (checked_name(each.name), value_of(each.type, classes), *((each.default,) if each.has_default else ()))
        for each in fields
    ]
    return make_dataclass(checked_name(name), made, namespace=body)


def pattern_function(pattern: DraftPattern, shapes: Mapping[str, str], classes: Scope) -> Callable[..., Any]:
    """The function that `@pattern` is given: its signature declares the pattern, and its answer is what is read."""
    subject = subject_of(pattern, shapes)
    given = [Parameter("self", Parameter.POSITIONAL_OR_KEYWORD)]
    given += [_parameter(each, Parameter.POSITIONAL_OR_KEYWORD, classes) for each in pattern_parameters(pattern)]
    given += [_parameter(each, Parameter.KEYWORD_ONLY, classes) for each in paging_parameters(pattern)]
    signature = Signature(given, return_annotation=value_of(answer_of(pattern, subject), classes))
    body = body_of(pattern, subject)
    if hidden := _said(body) & signature.parameters.keys():
        raise DesignError(Problem(f"pattern {pattern.name}: the parameter {min(hidden)} hides what the body says"))

    def answer(*args: Any, **kwargs: Any) -> Any:
        return value_of(body, {**classes, **signature.bind(*args, **kwargs).arguments})

    function: Any = answer
    function.__name__ = function.__qualname__ = checked_name(pattern.name)
    function.__doc__ = docline(pattern.title)
    function.__signature__ = signature
    function.__annotations__ = {each.name: each.annotation for each in given[1:]}
    function.__annotations__["return"] = signature.return_annotation
    return answer


def _said(body: Call) -> set[str]:
    """The words that a body is written with, and that its parameters must leave to it."""
    words = {body.function} | {"field" for each in body.given if isinstance(each, Setting)}
    for test in (test for _, each in body.named if isinstance(each, ItemTests) for test in each.tests):
        words |= {test.comparator} & {"exists", "contains"}
        words |= {"item"} if test.parameter == "item" else set()
    return words


def _parameter(each: Declared, kind: Any, classes: Scope) -> Parameter:
    default = each.default if each.has_default else Parameter.empty
    return Parameter(checked_name(each.name), kind, default=default, annotation=value_of(each.type, classes))


def keywords_of(keywords: Keywords, scope: Scope) -> dict[str, Any]:
    """Arguments by name, each of which is given once."""
    made: dict[str, Any] = {}
    for name, term in keywords:
        if name in made:
            raise DesignError(Problem(f"{name!r} is given twice: an index has the name of something else"))
        made[checked_name(name)] = value_of(term, scope)
    return made


def value_of(term: Term, scope: Scope) -> Any:
    """What a term stands for."""
    match term:
        case Named():
            return _found(term.name, scope)
        case Call():
            given = [value_of(each, scope) for each in term.given]
            return OURS[term.function](*given, **keywords_of(term.named, scope))
        case Listed():
            return [value_of(each, scope) for each in term.elements]
        case ItemField() | ItemTests():
            return _of_item(term, scope)
        case Setting():
            picked = OURS["field"](_found(term.entity, scope), _picking(term.field))
            return picked.set(value_of(term.value, scope))
        case FieldOf() | Of() | OrNone():
            return _type(term, scope)
        case tuple():
            return tuple(value_of(each, scope) for each in term)
        case Mapping():
            return {name: value_of(each, scope) for name, each in term.items()}
        case float() if not isfinite(term):
            raise DesignError(Problem(f"{term} is no number that a model can say"))
        case _:
            return term


def _found(name: str, scope: Scope) -> Any:
    if name in scope:
        return scope[name]
    if name in OURS:
        return OURS[name]
    raise NameError(f"name {name!r} is not defined")


def _type(term: FieldOf | Of | OrNone, scope: Scope) -> Any:
    chosen: Any = Literal
    match term:
        case FieldOf():
            return chosen[term.choices] if term.choices else TYPES[term.type]
        case Of():
            container: Any = list if term.container == "list" else OURS[term.container]
            return container[value_of(term.inner, scope)]
        case OrNone():
            return value_of(term.inner, scope) | None


def _of_item(term: ItemField | ItemTests, scope: Scope) -> Callable[[Any], Any]:
    if isinstance(term, ItemField):
        return _picking(term.name)
    tests = term.tests
    return lambda item: reduce(operator.and_, [_tested(item, test, scope) for test in tests])


def _picking(name: str) -> Callable[[Any], Any]:
    return lambda item: getattr(item, checked_name(name))


def _tested(item: Any, test: DraftTest, scope: Scope) -> Any:
    left = _picking(test.field)(item)
    if test.comparator == "exists":
        return OURS["exists"](left)
    right = _found(test.parameter, scope) if test.parameter is not None else value_of(test.value, scope)
    return _COMPARED[test.comparator](left, right)


def checked_name(text: str) -> str:
    """The text, which has to be a name as it would have to be one in the file."""
    if not is_name(text):
        raise DesignError(Problem(f"{text!r} cannot be a name in Python"))
    return text
