"""Conditions and changes of drafted patterns and counters: how readers write them, and what a model can say of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from singletable.drafts import terms
from singletable.drafts.draft import DraftClass, DraftEntity, DraftLink, DraftPattern, DraftTable, is_name
from singletable.drafts.terms import Call, Changed, Compared, ItemPlace, Joined, Named, OfItem, Term
from singletable.drafts.type_text import TypeNode, read_type
from singletable.errors import DesignError, Problem
from singletable.expressions.tree import (
    And,
    Change,
    Comparator,
    Compare,
    Condition,
    Constant,
    Function,
    In,
    Not,
    Operand,
    Or,
    Parameter,
    Path,
)

_FUNCTIONS = {"attribute_exists": "exists", "begins_with": "begins_with", "contains": "contains"}
_COMPARATORS: Mapping[Comparator, Literal["==", "!=", "<", "<=", ">", ">="]] = {
    "=": "==",
    "<>": "!=",
    "<": "<",
    "<=": "<=",
    ">": ">",
    ">=": ">=",
}
_CHANGES: Mapping[str, Literal["set", "add", "append", "remove"]] = {
    "SET": "set",
    "ADD": "add",
    "APPEND": "append",
    "REMOVE": "remove",
}


def exists(field: str) -> Condition:
    """The field is there."""
    return Function("attribute_exists", (Path((field,)),))


def all_of(conditions: Sequence[Condition]) -> Condition | None:
    """All of the conditions, of which there may be none."""
    return And(tuple(conditions)) if len(conditions) > 1 else next(iter(conditions), None)


def set_to_parameter(name: str) -> Change:
    """The field becomes what the parameter of its name is."""
    return Change("SET", Path((name,)), Parameter(name))


class Wording:
    """Says conditions, paths and changes of one entity in terms, with a name for the item that no parameter has."""

    def __init__(self, table: DraftTable, entity: str, parameters: Sequence[str]) -> None:
        owners: list[DraftClass | DraftEntity] = [*table.classes, *table.entities]
        self._classes = {each.class_name: {field.name: field for field in each.fields} for each in owners}
        self._entity = entity
        self._parameters = parameters
        self._item = next(name for name in _names("item") if name not in parameters)

    def condition(self, condition: Condition) -> OfItem:
        """What an item has to be."""
        return OfItem(self._item, self._condition(condition))

    def picked(self, path: Path) -> OfItem:
        """A field, or a place inside one."""
        return OfItem(self._item, self._path(path))

    def change(self, change: Change) -> Changed:
        """What an update does to a place."""
        if change.action not in _CHANGES or (change.value is None) != (change.action == "REMOVE"):
            raise _unsaid(f"the change {change.action}")
        field = Call("field", (Named(self._entity), self.picked(change.path)))
        given = () if change.value is None else (self._operand(change.value),)
        return Changed(field, _CHANGES[change.action], given)

    def parameter(self, name: str) -> Named:
        """A parameter of the pattern."""
        if name not in self._parameters:
            raise DesignError(Problem(f"its body speaks of {name!r}, which is none of its parameters"))
        return Named(name)

    def _condition(self, condition: Condition) -> Term:
        match condition:
            case And() | Or():
                parts = tuple(map(self._condition, condition.parts))
                return Joined("&" if isinstance(condition, And) else "|", parts)
            case Not():
                return Call("not_", (self._condition(condition.part),))
            case In():
                return Call("one_of", (self._operand(condition.operand), *map(self._operand, condition.options)))
            case Function(name=name) if name in _FUNCTIONS:
                return Call(_FUNCTIONS[name], tuple(map(self._operand, condition.arguments)))
            case Compare(left=Path() as left):
                return Compared(
                    _COMPARATORS[condition.comparator],
                    self._present(left, condition.comparator),
                    self._present(condition.right, condition.comparator)
                    if isinstance(condition.right, Path)
                    else self._operand(condition.right),
                )
            case _:
                raise _unsaid(f"the condition {condition}")

    def _operand(self, operand: Operand) -> Term:
        match operand:
            case Path():
                return self._path(operand)
            case Parameter():
                return self.parameter(operand.name)
            case Constant():
                return terms.Constant(operand.value)
            case _:
                raise _unsaid(f"the operand {operand}")

    def _present(self, path: Path, comparator: Comparator) -> Term:
        """What is compared by order must not be None for a type checker, whatever the table holds."""
        place, is_optional = self._place(path)
        return Call("present", (place,)) if comparator not in ("=", "<>") and is_optional else place

    def _path(self, path: Path) -> ItemPlace:
        return self._place(path)[0]

    def _place(self, path: Path) -> tuple[ItemPlace, bool]:
        """The place, and whether it may be None; what is on the way there must not, for a type checker."""
        fields, optional = {0}, set()
        owner: TypeNode | None = TypeNode(self._entity)
        for number, step in enumerate(path.steps):
            known = self._classes.get(owner.name, {}) if owner is not None else {}
            if step in known:
                fields.add(number)
            owner = read_type(known[str(step)].type) if step in known else _inside(owner)
            if (step in known and known[str(step)].optional) or (owner is not None and _may_be_none(owner)):
                optional.add(number)
            owner = _without_none(owner)
        last = len(path.steps) - 1
        return ItemPlace(self._item, path.steps, frozenset(fields), frozenset(optional - {last})), last in optional


def _may_be_none(node: TypeNode) -> bool:
    return node.name == "|" and any(each.name == "None" for each in node.of)


def _without_none(node: TypeNode | None) -> TypeNode | None:
    """The one type that it is when it is there."""
    others = [each for each in node.of if each.name != "None"] if node is not None and node.name == "|" else []
    return others[0] if len(others) == 1 else node


def _inside(owner: TypeNode | None) -> TypeNode | None:
    """The type of what a list or a map holds."""
    if owner is not None and owner.name == "|":
        owner = next((each for each in owner.of if each.name != "None"), None)
    if owner is None or not owner.of or owner.name not in ("list", "tuple", "dict"):
        return None
    return owner.of[-1] if owner.name == "dict" else owner.of[0]


def _names(name: str) -> Iterator[str]:
    while True:
        yield name
        name += "_"


def refuse_unsaid(table: DraftTable) -> None:
    """Raise DesignError for a condition or a change that came from elsewhere and that no model can say."""
    for pattern in table.patterns:
        refuse_unsaid_pattern(pattern)
    for entity in table.entities:
        for link in (*entity.copies, *entity.counted):
            refuse_unsaid_count(link)


def refuse_unsaid_pattern(pattern: DraftPattern) -> None:
    """Raise DesignError for a pattern with a condition or a change that no model can say."""
    wording = Wording(DraftTable("T", "T", ()), "E", [each.name for each in pattern.parameters])
    said: list[Term] = [wording.change(each) for each in pattern.changes]
    said += [wording.condition(each) for each in (pattern.where, pattern.filter) if each is not None]
    if pattern.order_by is not None:
        said.append(wording.picked(pattern.order_by))
    if isinstance(pattern.limit, str):
        said.append(wording.parameter(pattern.limit))
    for each in said:
        _check(each)


def refuse_unsaid_count(link: DraftLink) -> None:
    """Raise DesignError for a counter with a condition that no model can say, and for a copy with a condition."""
    if link.where is not None and link.counter is None:
        raise _unsaid("the condition of a copy")
    if link.where is not None:
        _check(Wording(DraftTable("T", "T", ()), "E", ()).condition(link.where))


def _check(term: Term) -> None:
    """Refuse a path that does not begin with a field, and a parameter that is no name."""
    match term:
        case ItemPlace(steps=steps):
            first, *others = steps or ("",)
            if not isinstance(first, str) or not is_name(first) or any(type(e) is int and e < 0 for e in others):
                raise _unsaid(f"the place {steps}")
        case Named(name=name) if not is_name(name):
            raise _unsaid(f"the name {name!r}")
        case Call() | Changed():
            inner: tuple[Term, ...] = term.given if isinstance(term, Call) else (term.field, *term.given)
            for each in inner:
                _check(each)
        case OfItem():
            _check(term.answer)
        case Compared():
            _check(term.left)
            _check(term.right)
        case Joined():
            if len(term.parts) < 2:
                raise _unsaid("a list of one condition")
            for each in term.parts:
                _check(each)
        case _:
            pass


def _unsaid(what: str) -> DesignError:
    return DesignError(Problem(f"{what[:80]} is more than a model can say"))
