"""Mutations of the shape of a request: members dropped, repeated, moved, of another type, deeply nested, or huge."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from tests.engine.fuzz.odd_values import KINDS, NAMES, ODD, VALUES, WORDS
from tests.engine.oracle.seeded_choices import SeededChoices

Location = tuple[Any, Any]  # a container, and a key or position in it

LEVELS = (3, 8, 31, 32, 33, 100, 300, 490, 900, 2_000, 50_000)
LENGTHS = (255, 256, 2_049, 70_000, 410_000)
COUNTS = (26, 101, 300, 3_000)

# A marker represents values that only JSON text can express. `encoded` expands it.
_DEEP = re.compile(r'"@deep (\d+) ([lmLM])@"')
_AGAIN = re.compile(r'"@again \d+@')
_OPENING = {
    "l": ("[", "]"),
    "m": ('{"a":', "}"),
    "L": ('{"L":[', "]}"),
    "M": ('{"M":{"a":', "}}"),
}


def mutate(chance: SeededChoices, request: Any) -> None:
    """Make one change to the request."""
    places = locations_of(request)
    if places:
        container, key = chance.pick(places)
        chance.pick(_CHANGES)(chance, places, container, key)


def encoded(request: Any) -> bytes:
    """Return the request as JSON, with the markers expanded."""
    text = json.dumps(request)
    if "@deep " in text:
        text = _DEEP.sub(_nested, text)
    return _AGAIN.sub('"', text).encode()


def locations_of(node: Any) -> list[Location]:
    """Return every location in a document, outer ones first."""
    found: list[Location] = []
    waiting = [node]
    while waiting:
        inner = waiting.pop()
        keys: list[Any] = list(inner) if isinstance(inner, dict) else list(range(len(inner)))
        for key in keys:
            found.append((inner, key))
            if isinstance(inner[key], dict | list):
                waiting.append(inner[key])
    return found


def _nested(mark: re.Match[str]) -> str:
    levels = int(mark[1])
    opening, closing = _OPENING[mark[2]]
    return opening * levels + '{"S":"deep"}' + closing * levels


def _drop(chance: SeededChoices, places: list[Location], container: Any, key: Any) -> None:
    del container[key]


def _again(chance: SeededChoices, places: list[Location], container: Any, key: Any) -> None:
    """Repeat an element of a list, or a name of an object."""
    if isinstance(container, list):
        container.insert(chance.below(len(container) + 1), copy.deepcopy(container[key]))
    elif chance.one_in(3):
        container[f"{key}x"] = copy.deepcopy(container[key])
    else:
        same = chance.one_in(2)
        container[f"@again {len(container)}@{key}"] = copy.deepcopy(container[key] if same else chance.pick(ODD))


def _move(chance: SeededChoices, places: list[Location], container: Any, key: Any) -> None:
    other, place = chance.pick(places)
    container[key] = copy.deepcopy(other[place])


def _exchange(chance: SeededChoices, places: list[Location], container: Any, key: Any) -> None:
    """Swap two members of one object or list."""
    other = chance.pick([place for near, place in places if near is container])
    container[key], container[other] = container[other], container[key]


def _rename(chance: SeededChoices, places: list[Location], container: Any, key: Any) -> None:
    if isinstance(container, dict):
        container[chance.pick(NAMES)] = container.pop(key)


def _retype(chance: SeededChoices, places: list[Location], container: Any, key: Any) -> None:
    container[key] = _retyped(chance, container[key])


def _nudge(chance: SeededChoices, places: list[Location], container: Any, key: Any) -> None:
    container[key] = _nudged(chance, container[key])


def _deepen(chance: SeededChoices, places: list[Location], container: Any, key: Any) -> None:
    container[key] = f"@deep {chance.pick(LEVELS)} {chance.pick('lmLM')}@"


def _enlarge(chance: SeededChoices, places: list[Location], container: Any, key: Any) -> None:
    if chance.one_in(4):
        container[key] = _huge(chance, container[key])


def _put_odd(chance: SeededChoices, places: list[Location], container: Any, key: Any) -> None:
    container[key] = copy.deepcopy(chance.pick(ODD))


def _put_value(chance: SeededChoices, places: list[Location], container: Any, key: Any) -> None:
    _replace_one(chance, places, _is_value, VALUES)


def _put_word(chance: SeededChoices, places: list[Location], container: Any, key: Any) -> None:
    _replace_one(chance, places, _is_word, WORDS)


# Repeated entries are chosen more often.
_CHANGES: tuple[Callable[[SeededChoices, list[Location], Any, Any], None], ...] = (
    *[_drop] * 2,
    _again,
    *[_move] * 2,
    *[_exchange] * 2,
    *[_rename] * 2,
    *[_retype] * 2,
    _nudge,
    _deepen,
    _enlarge,
    *[_put_odd] * 4,
    *[_put_value] * 4,
    *[_put_word] * 2,
)


def _replace_one(
    chance: SeededChoices, places: list[Location], is_one: Callable[[Any], bool], others: Sequence[Any]
) -> None:
    """Replace one attribute value with a value of any type, or one enum value of the API with another one."""
    found = [(container, key) for container, key in places if is_one(container[key])]
    if found:
        container, key = chance.pick(found)
        container[key] = copy.deepcopy(chance.pick(others))


def _is_word(node: Any) -> bool:
    return isinstance(node, str) and node.isupper() and len(node) > 1


def _is_value(node: Any) -> bool:
    return isinstance(node, dict) and len(node) == 1 and next(iter(node)) in KINDS


def _retyped(chance: SeededChoices, value: Any) -> Any:
    """Return the value as another JSON type."""
    match chance.below(6):
        case 0:
            return [value]
        case 1:
            return {chance.pick(["a", "S", "L", "M", "Key"]): value}
        case 2:
            return json.dumps(value)[:2_000]
        case 3 if isinstance(value, dict):
            return list(value.values())
        case 3 if isinstance(value, list):
            return {str(at): each for at, each in enumerate(value)}
        case 4 if isinstance(value, str):
            return len(value)
        case _:
            return chance.pick([None, True, 1, 1.5, "1", [], {}])


def _huge(chance: SeededChoices, value: Any) -> Any:
    """Return the value repeated many times, or very long."""
    count = chance.pick(COUNTS)
    if isinstance(value, list):
        return [copy.deepcopy(value[0]) if value else {"S": "a"} for _ in range(count)]
    if isinstance(value, dict) and len(value) > 1:
        return {f"{name}{at}": copy.deepcopy(each) for at in range(count // len(value)) for name, each in value.items()}
    text = chance.pick(["x", "9", "é", "A"]) * chance.pick(LENGTHS)
    return {next(iter(value), "S"): text} if isinstance(value, dict) else text


def _nudged(chance: SeededChoices, value: Any) -> Any:
    """Return an almost equal value."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + chance.pick([-1, 1, -1000, 1000])
    if isinstance(value, str):
        at = chance.below(len(value) + 1)
        return value[:at] + chance.pick(["", "x", "\x00", " ", ".", "#", "é", "\udfff"]) + value[at + chance.below(2) :]
    return copy.deepcopy(chance.pick(ODD))
