"""Access keys: their sources and invalid keys. No message shows a secret."""

from __future__ import annotations

from pathlib import Path

import pytest

from singletable.engine.http.access_keys import ENVIRONMENT_VARIABLE, read_access_keys
from singletable.errors import SingletableError


def test_access_keys_come_from_the_option_the_file_and_the_environment(tmp_path: Path) -> None:
    file = tmp_path / "keys"
    file.write_text("# two of them\nB:two/+=\n\n  C:a:b  \n")
    keys = read_access_keys(["A:one"], file, {ENVIRONMENT_VARIABLE: " D:four\nE:five "})
    assert [keys.secret(key_id) for key_id in "ABCDEF"] == ["one", "two/+=", "a:b", "four", "five", None]
    assert len(keys) == 5


def test_without_sources_there_are_no_access_keys() -> None:
    assert not read_access_keys([], None, {})


@pytest.mark.parametrize("pair", ["hushhush", "ID:", ":hushhush", ""])
def test_an_invalid_access_key_raises_without_showing_it(pair: str) -> None:
    with pytest.raises(
        SingletableError, match=r"--access-key number 2 is not a valid access key: write ID:SECRET"
    ) as caught:
        read_access_keys(["A:one", pair], None, {})
    assert "hush" not in str(caught.value)


def test_an_access_key_error_names_the_line_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / "keys"
    file.write_text("# a comment\n\nhushhush\n")
    with pytest.raises(SingletableError, match=r"keys:3 is not a valid access key: write ID:SECRET"):
        read_access_keys([], file, {})


def test_a_second_secret_for_one_access_key_id_raises() -> None:
    assert len(read_access_keys(["A:one"], None, {ENVIRONMENT_VARIABLE: "A:one"})) == 1
    with pytest.raises(SingletableError, match="access key A already has another secret") as caught:
        read_access_keys(["A:one", "A:hushhush"], None, {})
    assert "hush" not in str(caught.value)


def test_an_unreadable_access_key_file_raises(tmp_path: Path) -> None:
    with pytest.raises(SingletableError, match="cannot read the access keys: No such file"):
        read_access_keys([], tmp_path / "keys", {})
    (tmp_path / "keys").write_bytes(b"\xff\xfe")
    with pytest.raises(SingletableError, match="the file is not UTF-8 text"):
        read_access_keys([], tmp_path / "keys", {})


def test_the_repr_of_access_keys_shows_no_secret() -> None:
    keys = read_access_keys(["A:hushhush"], None, {})
    assert "hush" not in f"{keys!r} {keys}"


def test_a_source_without_access_keys_raises(tmp_path: Path) -> None:
    file = tmp_path / "keys"
    file.write_text("# to be filled in\n")
    with pytest.raises(SingletableError, match="keys contains no access key"):
        read_access_keys(["A:one"], file, {})
    with pytest.raises(SingletableError, match=f"{ENVIRONMENT_VARIABLE} contains no access key"):
        read_access_keys([], None, {ENVIRONMENT_VARIABLE: " "})
