"""Types that must not be stored are rejected when the entity is declared, with the reason and a remedy."""

from __future__ import annotations

from typing import Any

import pydantic
import pytest
from pydantic import BaseModel, SecretStr, create_model

from singletable import DesignError, InvalidValue, Table, codec, entity


def declared(annotation: Any) -> None:
    """Declare an entity with a field of this type."""
    entity(key=("THING#{id}", "THING"))(create_model("Thing", id=(str, ...), held=(annotation, ...)))


class Login(BaseModel):
    password: SecretStr


@pytest.mark.parametrize(
    ("annotation", "message"),
    [
        (SecretStr, r"Thing\.held: SecretStr: a secret would be stored in plain text.*\n.*declare the field as str"),
        (pydantic.SecretBytes, r"Thing\.held: SecretBytes: .*\n.*Store a hash.*declare the field as bytes"),
        (pydantic.Secret[int], r"Thing\.held: Secret\[int\]: a secret would be stored"),
        (list[SecretStr], r"Thing\.held: SecretStr: "),
        (dict[str, SecretStr] | None, r"Thing\.held: SecretStr: "),
        (Login, r"Thing\.held\.password: SecretStr: "),
        (list[Login], r"Thing\.held\.password: SecretStr: "),
        (pydantic.Json[list[int]], r"Thing\.held: Json: .*rejects the parsed value"),
        (pydantic.FilePath, r"Thing\.held: PathType: .*\n.*Use pathlib\.Path"),
        (list[pydantic.DirectoryPath], r"Thing\.held: PathType: "),
        (pydantic.Base64Str, r"Thing\.held: EncodedStr: .*decodes the text again"),
        (pydantic.Base64Bytes, r"Thing\.held: EncodedBytes: .*\n.*without base64"),
        (pydantic.NaiveDatetime, r"Thing\.held: NaiveDatetime: .*\n.*Use AwareDatetime"),
    ],
)
def test_unstorable_types_are_rejected_in_an_entity(annotation: Any, message: str) -> None:
    with pytest.raises(DesignError, match=message):
        declared(annotation)


def shifted(secret: SecretStr) -> str:
    """Return an encrypted form, for the test."""
    return "".join(chr(ord(each) + 1) for each in secret.get_secret_value())


def unshifted(text: str) -> SecretStr:
    """Return the secret of an encrypted form."""
    return SecretStr("".join(chr(ord(each) - 1) for each in text))


def test_a_codec_that_encrypts_makes_an_unstorable_type_storable() -> None:
    @entity(key=("USER#{id}", "USER"), codecs=[codec(SecretStr, to=shifted, of=unshifted)])
    class User(BaseModel):
        id: str
        token: SecretStr

    class Users(Table, entities=[User]):
        pass

    with Users.open("memory:") as users:
        made = User(id="u", token=SecretStr("abc"))
        users.put(made)
        assert list(users.scan(User, reason="test")) == [made]
        with pytest.raises(InvalidValue, match="cannot store"):
            users.put(User(id="u", token=SecretStr(chr(0x10FFFF))))
