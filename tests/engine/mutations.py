"""Requests that are almost right: valid ones with something in them replaced, left out, doubled or moved."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import strategies as st

# What has no place where it is put, or only just; texts and numbers at the edges of what is allowed.
ODD: list[Any] = [
    None,
    True,
    0,
    -1,
    1,
    2**31,
    2**63,
    10**40,
    0.5,
    float("nan"),
    float("inf"),
    "",
    " ",
    "a",
    "pk",
    "sk",
    "table",
    "gsi",
    "lsi",
    "missing",
    "#m",
    ":n",
    "\x00",
    "\ud800",
    "é",
    "🦀",
    "x" * 300,
    "x" * 3000,
    "ALL_NEW",
    "INDEXES",
    "SIZE",
    "N",
    "HASH",
    "attribute_exists(pk)",
    "SET n = :n",
    "n = :n",
    "pk = :p",
    "a.b[0].c, d",
    "((((",
    "[[1]]",
    "size(size(a))",
    [],
    {},
    [None],
    [[]],
    {"": None},
    {"a": 1},
    {"S": ""},
    {"S": "a"},
    {"S": 1},
    {"N": "1"},
    {"N": "x"},
    {"N": ""},
    {"N": "1e999"},
    {"N": "1" * 50},
    {"B": "!"},
    {"B": "AA=="},
    {"B": ""},
    {"BOOL": "yes"},
    {"NULL": False},
    {"SS": []},
    {"SS": ["a", "a"]},
    {"NS": ["1", "1.0"]},
    {"BS": ["AA==", "AA=="]},
    {"L": [{}]},
    {"M": {"": {"S": "a"}}},
    {"S": "a", "N": "1"},
    {"X": "a"},
    {"pk": {"S": "a"}},
    {"pk": {"S": "a"}, "sk": {"S": "1"}},
    {"pk": {"S": "a"}, "sk": {"S": "1"}, "gsiPk": {"N": "1"}},
    {"pk": {"S": "a"}, "sk": {"S": "1"}, "lsiSk": {"S": "x" * 1025}},
    {"pk": {"S": "a"}, "sk": {"S": "1"}, "v": {"S": "x" * 400_000}},
    {":n": {"N": "1"}},
    {"#n": "n"},
]


def _nested(levels: int) -> Any:
    value: Any = {"S": "deep"}
    for _ in range(levels):
        value = {"L": [value]}
    return value


ODD += [_nested(31), _nested(32), _nested(200)]

_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)

Place = tuple[Any, Any]  # a container, and a key or position in it


def _places(node: Any) -> list[Place]:
    found: list[Place] = []
    members = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, inner in members:
        found.append((node, key))
        found.extend(_places(inner))
    return found


@st.composite
def mutated(draw: st.DrawFn, valid: Any) -> Any:
    """The request with one to four things in it changed."""
    request = copy.deepcopy(valid)
    for _ in range(draw(st.integers(1, 4))):
        places = _places(request)
        if not places:
            break
        container, key = draw(st.sampled_from(places))
        change = draw(st.sampled_from(["odd", "odd", "any", "drop", "double", "swap"]))
        if change == "drop":
            del container[key]
        elif change == "double" and isinstance(container, list):
            container.append(copy.deepcopy(container[key]))
        elif change == "double":
            container[f"{key}x"] = copy.deepcopy(container[key])
        elif change == "swap":
            other, place = draw(st.sampled_from(places))
            container[key] = copy.deepcopy(other[place])
        else:
            container[key] = copy.deepcopy(draw(st.sampled_from(ODD) if change == "odd" else _json))
    return request
