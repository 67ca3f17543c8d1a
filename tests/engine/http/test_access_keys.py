"""Access keys: where they come from, what is refused, and that a secret is never repeated."""

from __future__ import annotations

from pathlib import Path

import pytest

from singletable.engine.http.access_keys import ENVIRONMENT_VARIABLE, read_access_keys
from singletable.errors import SingletableError


def test_keys_come_from_the_option_the_file_and_the_environment(tmp_path: Path) -> None:
    file = tmp_path / "keys"
    file.write_text("# two of them\nB:two/+=\n\n  C:a:b  \n")
    keys = read_access_keys(["A:one"], file, {ENVIRONMENT_VARIABLE: " D:four\nE:five "})
    assert [keys.secret(key_id) for key_id in "ABCDEF"] == ["one", "two/+=", "a:b", "four", "five", None]
    assert len(keys) == 5


def test_nothing_given_is_no_keys() -> None:
    assert not read_access_keys([], None, {})


@pytest.mark.parametrize("pair", ["hushhush", "ID:", ":hushhush", ""])
def test_what_is_no_key_is_refused_without_repeating_it(pair: str) -> None:
    with pytest.raises(SingletableError, match=r"--access-key number 2 is no access key: write ID:SECRET") as caught:
        read_access_keys(["A:one", pair], None, {})
    assert "hush" not in str(caught.value)


def test_a_line_of_the_file_is_named_by_its_number(tmp_path: Path) -> None:
    file = tmp_path / "keys"
    file.write_text("# a comment\n\nhushhush\n")
    with pytest.raises(SingletableError, match=r"keys:3 is no access key: write ID:SECRET"):
        read_access_keys([], file, {})


def test_one_id_has_one_secret() -> None:
    assert len(read_access_keys(["A:one"], None, {ENVIRONMENT_VARIABLE: "A:one"})) == 1
    with pytest.raises(SingletableError, match="gives A a second secret") as caught:
        read_access_keys(["A:one", "A:hushhush"], None, {})
    assert "hush" not in str(caught.value)


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(SingletableError, match="the access keys cannot be read: No such file"):
        read_access_keys([], tmp_path / "keys", {})
    (tmp_path / "keys").write_bytes(b"\xff\xfe")
    with pytest.raises(SingletableError, match="it is no text in UTF-8"):
        read_access_keys([], tmp_path / "keys", {})


def test_keys_do_not_show_themselves() -> None:
    keys = read_access_keys(["A:hushhush"], None, {})
    assert "hush" not in f"{keys!r} {keys}"


def test_a_source_that_holds_no_key_does_not_open_the_door(tmp_path: Path) -> None:
    file = tmp_path / "keys"
    file.write_text("# to be filled in\n")
    with pytest.raises(SingletableError, match="keys holds no access key"):
        read_access_keys(["A:one"], file, {})
    with pytest.raises(SingletableError, match=f"{ENVIRONMENT_VARIABLE} holds no access key"):
        read_access_keys([], None, {ENVIRONMENT_VARIABLE: " "})
