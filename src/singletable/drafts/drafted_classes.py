"""The classes and functions that a draft's file would define, made out of its values; nothing is read as Python.

The one text in them that becomes code is the names of fields, of which `dataclasses` makes an `__init__`: it refuses
what is no name, and so does everything here.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import field, make_dataclass
from functools import partial, reduce
from inspect import Parameter, Signature
from math import isfinite
from typing import Any, Literal

from singletable.drafts.constants import is_deep, is_mutable, made_constant, words_in
from singletable.drafts.declared import class_fields, docline, entity_keywords, in_order_of_use
from singletable.drafts.declared_patterns import (
    answer_of,
    body_of,
    pattern_parameters,
    shape_members,
    shape_names,
    shapes_of,
    subject_of,
)
from singletable.drafts.docstrings import said_of
from singletable.drafts.draft import DraftEntity, DraftEnum, DraftPattern, DraftTable, is_name
from singletable.drafts.terms import (
    Call,
    Changed,
    Compared,
    Constant,
    Declared,
    FieldOf,
    ItemPlace,
    Joined,
    Keywords,
    Listed,
    Named,
    Of,
    OfItem,
    OrNone,
    Term,
)
from singletable.drafts.type_text import CONTAINERS, PLAIN, made_type, read_type
from singletable.drafts.vocabulary import ENUMS, OURS, OWN, STANDARD
from singletable.errors import DesignError, Problem

Scope = Mapping[str, Any]
"""The classes of a draft, and in a body its parameters, by their names."""

_OPERATORS: Mapping[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "&": operator.and_,
    "|": operator.or_,
}


def drafted_classes(table: DraftTable, functions: Scope) -> dict[str, Any]:
    """The classes of a table by name, each made when those before it are there, and the functions that they name."""
    classes: dict[str, Any] = dict(functions)
    for each in table.enums:
        classes[each.class_name] = _enum(each)
    for made in in_order_of_use(table):
        if isinstance(made, DraftEntity):
            classes[made.class_name] = _entity(made, table, classes)
        else:
            doc = said_of(made.doc, made.class_name)
            classes[made.class_name] = _dataclass(made.class_name, doc, class_fields(made.fields), classes)
    for name, pattern in shapes_of(table).items():
        classes[name] = _dataclass(name, said_of(pattern.view_doc, pattern.title), shape_members(pattern), classes)
    return classes


def _enum(drafted: DraftEnum) -> type:
    kind, beside = ENUMS[drafted.base]
    members = [(checked_name(name), value) for name, value in drafted.members.items()]
    make: Any = kind
    made: type = make(_class_name(drafted.class_name), members, module=__name__, **({"type": beside} if beside else {}))
    made.__doc__ = said_of(drafted.doc, drafted.class_name) or None
    return made


def _entity(entity: DraftEntity, table: DraftTable, classes: Scope) -> type:
    declare = OURS["entity"](**keywords_of(entity_keywords(entity, table), classes))
    doc = said_of(entity.doc, entity.class_name)
    made: type = declare(_dataclass(entity.class_name, doc, class_fields(entity.fields), classes))
    for each in entity.upgrades:
        OURS["upgrade"](made, from_version=each.from_version)(_found(each.function, classes))
    return made


def _dataclass(name: str, doc: str, fields: tuple[Declared, ...], classes: Scope) -> type:
    body = {"__doc__": doc or None, "__module__": __name__}
    made: list[Any] = [
        (checked_name(each.name), value_of(each.type, classes), *_default(each, classes)) for each in fields
    ]
    return make_dataclass(_class_name(name), made, namespace=body)


def _default(each: Declared, classes: Scope) -> tuple[Any, ...]:
    if each.factory is not None:
        return (field(default_factory=_found(each.factory, classes)),)
    if not each.has_default:
        return ()
    value = value_of(each.default, classes)
    drafted = each.default.value if isinstance(each.default, Constant) else None
    if not is_mutable(drafted):
        return (value,)
    return (field(default_factory=partial(deepcopy, value) if is_deep(drafted) else value.copy),)


def _class_name(name: str) -> str:
    if name in OWN or name in STANDARD or name in PLAIN or name in CONTAINERS:
        raise DesignError(Problem(f"the class {name} would hide what a model is written with"))
    return checked_name(name)


def pattern_function(pattern: DraftPattern, table: DraftTable, classes: Scope) -> Callable[..., Any]:
    """The function that `@pattern` is given: its signature declares the pattern, and its answer is what is read."""
    subject = subject_of(pattern, shape_names(table))
    given = [Parameter("self", Parameter.POSITIONAL_OR_KEYWORD)]
    for kind, by_name in ((Parameter.POSITIONAL_OR_KEYWORD, False), (Parameter.KEYWORD_ONLY, True)):
        given += [_parameter(each, kind, classes) for each in pattern_parameters(pattern, by_name=by_name)]
    signature = Signature(given, return_annotation=value_of(answer_of(pattern, subject), classes))
    body = body_of(pattern, subject, table)
    if hidden := words_of(body) & signature.parameters.keys():
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


def words_of(term: Term) -> set[str]:
    """The words that a body is written with, and that its parameters must leave to it."""
    match term:
        case Call():
            inner = (*term.given, *(each for _, each in term.named))
            return {term.function}.union(*map(words_of, inner))
        case Changed():
            return words_of(term.field).union(*map(words_of, term.given))
        case OfItem():
            return words_of(term.answer)
        case Compared():
            return words_of(term.left) | words_of(term.right)
        case Joined():
            return set().union(*map(words_of, term.parts))
        case Constant():
            return words_in(term.value)
        case ItemPlace():
            return {"present"} if term.present else set()
        case _:
            return set()


def _parameter(each: Declared, kind: Any, classes: Scope) -> Parameter:
    default = value_of(each.default, classes) if each.has_default else Parameter.empty
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
        case Constant():
            return made_constant(term.value, scope)
        case ItemPlace() | OfItem() | Compared() | Joined() | Changed():
            return _of_item(term, scope)
        case FieldOf() | Of() | OrNone():
            return _type(term, scope)
        case tuple():
            return tuple(value_of(each, scope) for each in term)
        case Mapping():
            return {name: value_of(each, scope) for name, each in term.items()}
        case float() if not isfinite(term):
            raise DesignError(Problem(f"{term} is not a number that a model can contain"))
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
            if term.choices:
                return chosen[term.choices]
            return made_type(read_type(term.type), lambda name: _found(name, scope))
        case Of():
            container: Any = list if term.container == "list" else OURS[term.container]
            return container[value_of(term.inner, scope)]
        case OrNone():
            return value_of(term.inner, scope) | None


def _of_item(term: ItemPlace | OfItem | Compared | Joined | Changed, scope: Scope) -> Any:
    match term:
        case ItemPlace():
            place = _found(term.item, scope)
            for number, step in enumerate(term.steps):
                place = getattr(place, checked_name(str(step))) if number in term.fields else place[step]
            return place
        case OfItem():
            return lambda item: value_of(term.answer, {**scope, term.item: item})
        case Compared():
            return _OPERATORS[term.comparator](value_of(term.left, scope), value_of(term.right, scope))
        case Joined():
            return reduce(_OPERATORS[term.operator], [value_of(each, scope) for each in term.parts])
        case Changed():
            change = getattr(value_of(term.field, scope), term.change)
            return change(*(value_of(each, scope) for each in term.given))


def checked_name(text: str) -> str:
    """The text, which has to be a name as it would have to be one in the file."""
    if not is_name(text):
        raise DesignError(Problem(f"{text!r} cannot be a name in Python"))
    return text
