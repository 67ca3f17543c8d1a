"""The file of principals contains access keys, policies and tags. Its errors name the file and the element."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from singletable.engine.access.principals_file import read_principals
from singletable.errors import PolicyRefused
from tests.engine.access.game_scores import TABLE, policy, statement

ALLOW = policy(statement("dynamodb:GetItem"))


def written(folder: Path, document: Any, name: str = "principals.json") -> Path:
    path = folder / name
    path.write_text(document if isinstance(document, str) else json.dumps(document), encoding="utf-8")
    return path


def test_a_file_has_principals_by_access_key(tmp_path: Path) -> None:
    written(tmp_path, {"Policies": [{"PolicyName": name, "PolicyDocument": ALLOW} for name in "AB"]}, "exported.json")
    ada = {
        "AccessKeyId": "ADA",
        "SecretAccessKey": "s3cret",
        "Tags": {"tenant": "acme"},
        "Identity": {"aws:userid": "AIDA"},
        "Policies": [ALLOW, "exported.json", "exported.json#B"],
    }
    bob = {"AccessKeyId": "BOB", "Arn": "arn:aws:iam::1:role/bob", "Policies": []}
    found = read_principals(written(tmp_path, {"Principals": [ada, bob]}), "000000000000")
    assert found.principals["ADA"].arn == "arn:aws:iam::000000000000:user/ADA"
    assert [policy.name for policy in found.principals["ADA"].policies[1:]] == ["A", "B", "B"]
    assert found.principals["ADA"].tags == {"tenant": "acme"}
    assert found.principals["BOB"].arn == "arn:aws:iam::1:role/bob"
    assert found.secrets == {"ADA": "s3cret"}
    assert "s3cret" not in repr(found)
    found.principals["ADA"].reject_denied("dynamodb:GetItem", TABLE, {})


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ("{", "is not valid JSON"),
        ([], "must be an object with a list of principals"),
        ({"Principals": {"a": 1}}, "Principals must be a list"),
        ({"Principals": ["x"]}, "Principals[0] must be an object"),
        ({"Principals": [{"AccessKey": "A"}]}, "Principals[0]: unknown element 'AccessKey'"),
        ({"Principals": [{"AccessKeyId": "A:B", "Policies": []}]}, "Principals[0].AccessKeyId must be a string"),
        ({"Principals": [{"AccessKeyId": "A"}]}, "Principals[0].Policies must be a list"),
        ({"Principals": [{"AccessKeyId": "A", "Policies": [{}]}]}, "Principals[0].Policies[0] has no Statement"),
        ({"Principals": [{"AccessKeyId": "A", "Policies": ["gone.json"]}]}, "gone.json: cannot read the file"),
        ({"Principals": [{"AccessKeyId": "A", "Policies": [], "Tags": {"t": 1}}]}, "Tags must be an object of strings"),
        ({"Principals": [{"AccessKeyId": "A", "Policies": [], "Arn": "a"}]}, "Principals[0]: 'a' is not the ARN"),
        ({"Principals": [{"AccessKeyId": "A", "Policies": []}] * 2}, "access key A already has a principal"),
    ],
)
def test_an_invalid_principals_file_is_an_error(tmp_path: Path, document: Any, message: str) -> None:
    with pytest.raises(PolicyRefused) as caught:
        read_principals(written(tmp_path, document), "000000000000")
    assert message in str(caught.value)
    assert str(tmp_path) in str(caught.value)


def test_an_error_about_a_principals_file_never_contains_a_secret(tmp_path: Path) -> None:
    wrong = {"AccessKeyId": "A", "SecretAccessKey": "s3cret:", "Policies": []}
    with pytest.raises(PolicyRefused) as caught:
        read_principals(written(tmp_path, {"Principals": [wrong]}), "000000000000")
    assert "s3cret" not in str(caught.value)
