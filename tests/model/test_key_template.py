"""Key templates: encoding, decoding, sort order and errors."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any, Literal
from uuid import UUID

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from singletable.errors import KeyRefused
from singletable.model.codecs.codec import SortOrder
from singletable.model.derived.bucket import bucket
from singletable.model.derived.derived_function import derive
from singletable.model.derived.derived_value import DerivedValue
from singletable.model.derived.first_letter import first_letter
from singletable.model.derived.shard import shard
from singletable.model.derived.tree_path import parent
from singletable.model.fields import Field
from singletable.model.key_template import (
    DerivedSlot,
    FieldSlot,
    InvalidTemplate,
    Template,
    parse_template,
    segments,
    sorted_order,
)
from singletable.model.key_template import LiteralText as Fixed
from singletable.model.regular_language import literal, overlap


class Level(Enum):
    LOW = "low"
    LOWER = "lower #2"


# Every character that could end or imitate a segment, and some multi-byte characters.
TEXTS = st.lists(
    st.sampled_from(["#", "%", "$", ":", "|", "-", " ", "\x00", "a", "ab", "25", "é", "\U0001f600", "\uffff"]),
    max_size=5,
).map("".join)
MOMENTS = st.datetimes(timezones=st.just(UTC))
VALUES: Mapping[str, st.SearchStrategy[Any]] = {
    "id": TEXTS,
    "sku": TEXTS,
    "line": st.integers(0, 999),
    "count": st.integers(-1000, 1000),
    "at": MOMENTS,
    "day": st.dates(),
    "price": st.decimals(-1000, 1000, places=2),
    "path": st.lists(TEXTS.filter(bool), min_size=1, max_size=3).map(tuple),
    "level": st.sampled_from(Level),
    "kind": st.sampled_from(["a", "ab", "a#"]),
    "open": st.booleans(),
    "key": st.uuids(),
}
TYPES = {
    "id": str,
    "sku": str,
    "line": int,
    "count": int,
    "at": datetime,
    "day": date,
    "price": Decimal,
    "path": tuple[str, ...],
    "level": Level,
    "kind": Literal["a", "ab", "a#"],
    "open": bool,
    "key": UUID,
}
FIELDS = {name: Field(name, python_type) for name, python_type in TYPES.items()}
DERIVED: Mapping[str, DerivedValue] = {
    "shard": shard("id", of=4),
    "letter": first_letter("sku"),
    "region": derive(lambda sku: f"eu {sku}", "sku"),
    "tier": derive(lambda sku: "gold" if sku else "tin #1", "sku", values=("gold", "tin #1")),
    "parent": parent("path"),
}

TEMPLATES = [
    "ORDER#{id}",
    "{id}",
    "{id}#{sku}",
    "{id}#",
    "CUST#{id}#ORDER#{at:%Y%m%dT%H%M%S}#{sku}",
    "{at:%Y%m%d%H%M%S}{id}",
    "{line:03d}{id}x",
    "A{id}B{line:03d}",
    "{id}{line:03d}#{sku}",
    "{line:03d}#{line:03d}#{id}",
    "{count}#{id}",
    "{count:number}#{id}",
    "{price}#{id}",
    "{price:number:desc}#{at:%Y%m%d%H%M%S:desc}#{id}",
    "{day:%Y%m%d}#{level}#{kind}#{open}",
    "ROOT#{path:path}",
    "{id}#{path}",
    "{shard}#{letter}#{id}#{sku}",
    "{region}#{id}",
    "{tier}{line:03d}#{sku}#{id}",
    "PARENT#{parent}#{path}",
]
# The texts of these contain `-` and `:`, so they are valid only with `#` and `|`.
DASHED = ["{key}#{id}", "{at:seconds}#{id}", "{at}{id}", "{day}#{id}"]


def parsed(text: str, delimiter: str = "#") -> Template:
    return parse_template(text.replace("#", delimiter), FIELDS, DERIVED, delimiter)


def values_of(data: st.DataObject, template: Template) -> dict[str, Any]:
    return {name: data.draw(VALUES[name], name) for name in sorted(template.fields)}


def near(data: st.DataObject, values: dict[str, Any]) -> dict[str, Any]:
    """Values that equal some of the others, because keys with the same first parts are neighbours."""
    return {name: data.draw(st.just(value) | VALUES[name], f"other {name}") for name, value in values.items()}


each_template = pytest.mark.parametrize(
    ("text", "delimiter"),
    [(text, "#") for text in TEMPLATES + DASHED]
    + [(text, "|") for text in TEMPLATES + DASHED]
    + [(text, ":") for text in TEMPLATES],
)


@each_template
@given(data=st.data())
def test_a_key_template_decodes_a_key_to_the_fields_it_was_encoded_from(
    text: str, delimiter: str, data: st.DataObject
) -> None:
    """Therefore two different items never have the same key."""
    template = parsed(text, delimiter)
    values = values_of(data, template)
    key = template.encode(values)
    assert key is not None
    assert template.decode(key) == {name: value for name, value in values.items() if name in template.exact_fields}
    assert overlap(template.language, literal(key))


def sorts_by(value: Any) -> Any:
    return value.value if isinstance(value, Enum) else value


def is_sorted(template: Template) -> bool:
    return all(sorted_order(template, slot)[0] is not SortOrder.NONE for slot in template.slots)


SORTED = [(text, d) for d in "#|:" for text in TEMPLATES + (DASHED if d != ":" else []) if is_sorted(parsed(text, d))]


@pytest.mark.parametrize(("text", "delimiter"), SORTED)
@given(data=st.data())
def test_a_key_template_with_ordered_slots_sorts_keys_as_tuples(text: str, delimiter: str, data: st.DataObject) -> None:
    template = parsed(text, delimiter)
    first = values_of(data, template)
    second = near(data, first)
    differing = [slot for slot in template.slots if template.text_of(slot, first) != template.text_of(slot, second)]
    assume(differing)
    slot = differing[0]
    (name,) = slot.fields
    rises = bool(sorts_by(first[name]) < sorts_by(second[name]))
    low, high = ((template.encode(values) or "").encode() for values in (first, second))
    assert (low < high) == (rises if sorted_order(template, slot)[0] is SortOrder.ASCENDING else not rises)


def test_most_key_templates_preserve_the_order_with_the_hash_delimiter() -> None:
    assert {text for text, delimiter in SORTED if delimiter == "#"} >= {
        "{id}#{sku}",
        "ROOT#{path:path}",
        "{price}#{id}",
    }
    assert [text for text, delimiter in SORTED if delimiter == ":" and "{id}" in text] == []


@pytest.mark.parametrize(
    ("text", "values", "key"),
    [
        ("CUST#{id}", {"id": "c1"}, "CUST#c1"),
        ("CUST#{id}", {"id": "a#b"}, "CUST#a%23b"),
        ("CUST#{id}", {"id": ""}, "CUST#"),
        ("METADATA", {}, "METADATA"),
        (
            "ORDER#{at:seconds}#{id}",
            {"at": datetime(2026, 4, 10, 14, tzinfo=UTC), "id": "o1"},
            "ORDER#2026-04-10T14:00:00Z#o1",
        ),
        ("LINE#{line:03d}", {"line": 7}, "LINE#007"),
        ("{region}#{sku}", {"sku": "x#1"}, "eu%20x%231#x%231"),
        ("{letter}", {"sku": "émile"}, "E"),
        ("PARENT#{parent}", {"path": ("a", "b c", "d")}, "PARENT#a/b%20c"),
    ],
)
def test_a_key_template_determines_the_text_of_a_key(text: str, values: dict[str, Any], key: str) -> None:
    assert parsed(text).encode(values) == key


@pytest.mark.parametrize("values", [{"id": None, "sku": "x"}, {"sku": "x"}, {"id": "c1", "sku": None}])
def test_a_key_template_with_a_none_field_gives_no_key(values: dict[str, Any]) -> None:
    assert parsed("A#{id}#{letter}").encode(values) is None


def test_a_key_template_reports_an_invalid_value_with_field_and_template() -> None:
    with pytest.raises(KeyRefused, match=r"^line in 'L#\{line:03d\}': 1000 does not fit"):
        parsed("L#{line:03d}").encode({"line": 1000})


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("CUST#{id}", "ORDER#c1"),
        ("CUST#{id}", "CUST#c1#x"),
        ("CUST#{id}", "xCUST#c1"),
        ("CUST#{id}", "CUST"),
        ("CUST#{id}", ""),
        ("CUST#{id}", "CUST#c1\n#"),
        ("{id}#{line:03d}", "a#12"),
        ("{id}#{line:03d}", "a#1234"),
        ("{line:03d}{id}", "12"),
    ],
)
def test_a_key_template_rejects_a_key_of_another_template(text: str, key: str) -> None:
    with pytest.raises(KeyRefused, match="does not match the template"):
        parsed(text).decode(key)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("CUST#{id}", "CUST#a b"),
        ("CUST#{id}", "CUST#%41"),
        ("{line:03d}{id}", "1#2"),
        ("{line:03d}", "abc"),
        ("{level}", "high"),
        ("{at}", "2026-13-01T00:00:00.000000Z"),
    ],
)
def test_a_key_template_rejects_a_key_with_an_undecodable_field(text: str, key: str) -> None:
    with pytest.raises(KeyRefused):
        parsed(text).decode(key)


@pytest.mark.parametrize(
    ("text", "key"),
    [("{shard}#{id}", "9#c1"), ("{shard}#{id}", "##c1"), ("{letter}#{id}", "?#c1"), ("{tier}#{id}", "silver#c1")],
)
def test_a_key_template_rejects_a_key_with_an_impossible_derived_value(text: str, key: str) -> None:
    # In an index without the type attribute, items are identified by the template that can decode their keys.
    with pytest.raises(KeyRefused):
        parsed(text).decode(key)


def test_a_key_template_allows_the_delimiter_in_raw_text_only_at_the_end() -> None:
    assert parsed("A#{id:raw}").encode({"id": "x #1"}) == "A#x #1"
    assert parsed("A#{id:raw}").decode("A#x #1") == {"id": "x #1"}
    before = parsed("{id:raw}#{sku}")
    assert before.encode({"id": "x %1", "sku": "a#b"}) == "x %1#a%23b"
    assert before.decode("x %1#a%23b") == {"id": "x %1", "sku": "a#b"}
    with pytest.raises(KeyRefused, match="contains '#', which is only valid if"):
        before.encode({"id": "x#1", "sku": "s"})


def test_a_key_template_needs_the_same_value_for_a_repeated_field() -> None:
    template = parsed("{id}#{line:03d}#{id}")
    assert template.encode({"id": "a", "line": 1}) == "a#001#a"
    assert template.decode("a#001#a") == {"id": "a", "line": 1}
    with pytest.raises(KeyRefused, match="contains two different values for id"):
        template.decode("a#001#b")


def test_a_key_template_encodes_but_never_decodes_derived_values() -> None:
    template = parsed("{shard}#{id}#{letter}")
    assert template.fields == {"id", "sku"}
    assert template.exact_fields == {"id"}
    assert template.decode("0#c1#A") == {"id": "c1"}


def test_a_key_template_has_literals_and_slots_as_parts() -> None:
    fixed, field, delimiter, derived = parsed("CUST#{line:03d}#{shard}").parts
    assert fixed == Fixed("CUST#")
    assert delimiter == Fixed("#")
    assert isinstance(field, FieldSlot)
    assert (field.fields, field.width, str(field)) == (("line",), 3, "{line:03d}")
    assert isinstance(derived, DerivedSlot)
    assert (derived.fields, derived.width, str(derived)) == (("id",), 1, "{shard}")


def test_a_key_template_prints_as_declared() -> None:
    assert str(parsed("CUST#{id}")) == "CUST#{id}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the template is empty, but DynamoDB does not allow empty keys"),
        ("CUST#{idd}", r"\{idd\} in the template is not a field of the class. Did you mean 'id'\?"),
        ("CUST#{shrad}", r"Did you mean 'shard'\?"),
        ("CUST#{zzz}", r"in the template is not a field of the class. The fields are id, sku, .*, shard"),
        ("CUST#{}", r"\{\}"),
        ("{id}{sku}", r"\{id\} and \{sku\} are in one segment of '\{id\}\{sku\}' and have no fixed length"),
        ("{id}-{sku}", "put '#' between them"),
        ("{id}{path}", r"\{id\} and \{path\} are in one segment"),
        ("{region}{id}", r"\{region\} and \{id\} are in one segment"),
        ("{count}{id}", r"\{count\} and \{id\} are in one segment"),
        ("A B#{id}", "the literal 'A B#' contains ' '"),
        ("A$#{id}", r"the literal 'A\$#' contains '\$'"),
        ("100%#{id}", "contains '%'"),
        ("A\n{id}", r"contains '\\n'"),
        ("{path}#{id}", r"\{path\} can contain the delimiter, so it must be last in '\{path\}#\{id\}'"),
        ("{path:path}x", "can contain the delimiter"),
        ("{id:raw}{sku}", r"\{id:raw\} and \{sku\} are in one segment"),
        ("CUST#{id", r"'CUST#\{id' has an unmatched brace at character 6"),
        ("CUST#id}", "has an unmatched brace at character 8"),
        ("{id}}", "has an unmatched brace at character 5"),
        ("{{id}}", r"has an unmatched brace at character 1; write a field with one pair of braces, such as \{id\}"),
        ("CUST#${id}", r"'CUST#\$\{id\}' contains '\$\{id\}'; write a field as \{id\}"),
        ("{shard:03d}", r"\{shard:03d\}: shard is a derived value and does not support a format"),
        ("{line:3d}", r"\{line:3d\}: \{field:3d\} is not supported for int; use"),
        ("{at:fortnights}", r"\{at:fortnights\}: "),
    ],
)
def test_an_invalid_key_template_explains_the_problem(text: str, message: str) -> None:
    with pytest.raises(InvalidTemplate, match=message):
        parsed(text)


def test_a_key_template_rejects_a_literal_without_utf8_encoding() -> None:
    with pytest.raises(InvalidTemplate):
        parsed("A\ud800#{id}")


def test_a_key_template_rejects_a_field_of_an_unsupported_type() -> None:
    with pytest.raises(InvalidTemplate, match=r"\{tags\}: list\[str\] is not supported in a key"):
        parse_template("{tags}", {"tags": Field("tags", list[str])}, {})


def test_a_key_template_rejects_a_hash_in_a_literal_with_another_delimiter() -> None:
    with pytest.raises(InvalidTemplate, match="the literal 'CUST#' contains '#'"):
        parse_template("CUST#{id}", FIELDS, {}, ":")


def refusal(text: str, derived: Mapping[str, DerivedValue], delimiter: str) -> str | None:
    try:
        parse_template(text, FIELDS, derived, delimiter)
    except InvalidTemplate as problem:
        return str(problem)
    return None


@pytest.mark.parametrize("delimiter", ["-", "_", "/", ".", "~", "&", "+"])
@given(data=st.data())
def test_a_key_template_rejects_derived_values_that_contain_the_delimiter(delimiter: str, data: st.DataObject) -> None:
    derived: dict[str, DerivedValue] = {**DERIVED, "month": bucket("at", "month"), "hour": bucket("at", "hour")}
    text = f"{{{data.draw(st.sampled_from(sorted(derived)))}}}{delimiter}{{id}}"
    if refused := refusal(text, derived, delimiter):
        assert repr(delimiter) in refused
        return
    template = parse_template(text, FIELDS, derived, delimiter)
    values = values_of(data, template)
    key = template.encode(values)
    assert key is not None
    assert overlap(template.language, literal(key))
    assert template.decode(key) == {"id": values["id"]}


@pytest.mark.parametrize(
    ("text", "delimiter", "order", "reason"),
    [
        ("{id}", "#", SortOrder.ASCENDING, ""),
        ("{id}#X", "#", SortOrder.ASCENDING, ""),
        ("{id}#{sku}", "#", SortOrder.ASCENDING, ""),
        ("{line:03d}X", "#", SortOrder.ASCENDING, ""),
        ("{line:03d}{id}", "#", SortOrder.ASCENDING, ""),
        ("{at:seconds:desc}#{id}", "#", SortOrder.DESCENDING, ""),
        ("{path}", "#", SortOrder.ASCENDING, ""),
        ("{id:raw}", "#", SortOrder.ASCENDING, ""),
        (
            "{id:raw}#{sku}",
            "#",
            SortOrder.NONE,
            r"\{id:raw\} is raw text, which keeps its order only at the end of a key",
        ),
        (
            "{id}X",
            "#",
            SortOrder.NONE,
            r"\{id\} has no fixed length and is followed by text in its segment of '\{id\}X'",
        ),
        ("{id}{line:03d}", "#", SortOrder.NONE, "has no fixed length and is followed by text"),
        ("{count}", "#", SortOrder.NONE, "as text, 10 sorts before 9; use a fixed width"),
        ("{shard}#{id}", "#", SortOrder.NONE, r"is derived from id and does not sort in the order of these fields"),
        ("{id}", ":", SortOrder.NONE, "with the delimiter ':'"),
        ("{line:03d}#{id}", ":", SortOrder.ASCENDING, ""),
        ("{day:%d%m%Y}", "#", SortOrder.NONE, "sorts by %d first, not by time"),
    ],
)
def test_a_key_template_orders_a_slot_by_its_codec_and_the_following_text(
    text: str, delimiter: str, order: SortOrder, reason: str
) -> None:
    template = parsed(text, delimiter)
    found, why = sorted_order(template, template.slots[0])
    assert found is order
    assert bool(why) == (order is SortOrder.NONE)
    assert re.search(reason, why)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A#B", [["A"], ["B"]]),
        ("#A#", [[], ["A"], []]),
        ("A{id}B#{sku}", [["A", "{id}", "B"], ["{sku}"]]),
        ("{id}#X#{line:03d}Y", [["{id}"], ["X"], ["{line:03d}", "Y"]]),
    ],
)
def test_key_template_segments_are_the_parts_between_delimiters(text: str, expected: list[list[str]]) -> None:
    found = segments(parsed(text).parts, "#")
    assert [[part.text if isinstance(part, Fixed) else str(part) for part in segment] for segment in found] == expected
