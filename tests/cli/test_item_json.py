"""Items in DynamoDB JSON and plain JSON: exact numbers, and errors per attribute."""

from __future__ import annotations

import json
from typing import Any

import pytest

from singletable.cli.item_json import item_of_json, items_of_json, parse_json
from singletable.errors import ArgumentRefused

DYNAMODB = '{"PK": {"S": "a"}, "n": {"N": "1.50"}, "m": {"M": {"x": {"BOOL": true}}}}'
READ = {"PK": {"S": "a"}, "n": {"N": "1.5"}, "m": {"M": {"x": {"BOOL": True}}}}


def _read(text: str, **options: Any) -> Any:
    return item_of_json(parse_json(text, "it"), "it", **options)


def test_item_json_distinguishes_dynamodb_json_and_plain_json() -> None:
    assert _read(DYNAMODB) == READ
    assert _read('{"PK": "a", "n": 1.50, "m": {"x": true}}') == READ
    assert _read('{"a": {"S": "x"}, "b": 1}')["a"] == {"M": {"S": {"S": "x"}}}
    assert _read('{"a": {"S": "x"}}', is_plain=True) == {"a": {"M": {"S": {"S": "x"}}}}
    assert _read(f'{{"Item": {DYNAMODB}}}') == READ


def test_item_json_numbers_keep_every_digit() -> None:
    digits = "1234567890123456789.0123456789012345678"
    assert _read(f'{{"n": {digits}}}') == {"n": {"N": digits}}
    assert _read('{"n": 1e125, "z": -0.0}') == {"n": {"N": "1" + "0" * 125}, "z": {"N": "0"}}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "it is not valid JSON: the document is empty, at line 1, column 1"),
        ('{"a": 1,\n}', "it is not valid JSON: "),
        ('{"a": NaN}', "it is not valid JSON: NaN is not a number that DynamoDB can store"),
        ("[1]", "it is not an item: write a JSON object"),
        ("7", "it is not an item: write a JSON object"),
        ('{"a": 1, "a": 2}', "it contains 'a' twice in one object; remove one of them"),
        ('{"price": 1.' + "1" * 40 + "}", "it: price: 1.11111"),
        ('{"price": 1e126}', "it: price: 1E+126 is not a valid DynamoDB number: up to 38 digits"),
        ('{"price": 1e99999999999999999999}', "it: a number has at most 38 digits"),
        ('{"n": {"N": "many"}}', "it: n: The parameter cannot be converted to a numeric value: many"),
        ('{"n": {"N": "' + "1" * 39 + '"}}', "it: n: Attempting to store more than 38 significant digits in a Number"),
        ('{"s": {"SS": []}}', "it: s: One or more parameter values were invalid: An string set  may not be empty"),
        ('{"b": {"B": "no base64!"}}', "it: b: "),
        ('{"": 1}', "it: an attribute: Empty attribute name"),
        ('{"s": "\\ud800"}', "it: s: A string contains an unpaired surrogate"),
        ('{"\\ud800": 1}', "it: '\\ud800' contains a lone surrogate, which UTF-8 cannot encode"),
        ("[" * 100_000, "it is nested deeper than DynamoDB allows, at line 1, column 201"),
        ("{}", "it is an item without attributes; "),
        ('{"Item": {}}', "it is an item without attributes; "),
        ('{"a": ' * 150 + "1" + "}" * 150, "it: a"),
        ('{"a": ' * 40 + "1" + "}" * 40, "it: a: Nesting Levels have exceeded supported limits"),
    ],
)
def test_item_json_rejects_invalid_items_with_a_location(text: str, said: str) -> None:
    with pytest.raises(ArgumentRefused) as refused:
        _read(text)
    assert str(refused.value).startswith(said)


@pytest.mark.parametrize(
    "text",
    [
        f"[{DYNAMODB}, {DYNAMODB}]",
        f"{DYNAMODB}\n\n{DYNAMODB}\n",
        f'{{"Item": {DYNAMODB}}}\n{{"Item": {DYNAMODB}}}',
        json.dumps({"Count": 2, "Items": [json.loads(DYNAMODB)] * 2}, indent=2),
    ],
)
def test_an_item_json_file_may_contain_many_items(text: str) -> None:
    assert list(items_of_json(text, "it")) == [READ, READ]


def test_an_item_json_file_may_contain_one_item_over_several_lines() -> None:
    assert list(items_of_json(json.dumps(json.loads(DYNAMODB), indent=1), "it")) == [READ]


def test_item_json_errors_name_the_line_of_a_wrong_item() -> None:
    with pytest.raises(ArgumentRefused, match=r"^it, line 2, is not valid JSON: "):
        list(items_of_json('{"a": 1}\n{"a": }\n', "it"))
