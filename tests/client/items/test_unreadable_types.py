"""Opening or checking a table rejects a model whose stored values could not be read back."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

import msgspec
import pytest
from pydantic import BaseModel, ConfigDict

from singletable import DesignError, Table, entity
from singletable.cli.main import main


def opened(annotation: Any) -> None:
    """Open a table of an entity with a field of this type."""
    plain: Any = type("Thing", (), {"__annotations__": {"id": str, "held": annotation}})
    made = entity(key=("THING#{id}", "THING"))(dataclass(plain))

    class Things(Table, entities=[made]):
        """Things of one kind."""

    Things.open("memory:").close()


class Inner(BaseModel):
    model_config = ConfigDict(arbitrary_types_allowed=True)

    lasts: Fraction


class Debit(msgspec.Struct, tag="debit"):
    amount: int


class Credit(msgspec.Struct, tag="credit"):
    amount: int


@dataclass
class Kept:
    amount: int
    kind: Literal["kept"] = "kept"


@dataclass
class Given:
    amount: int
    kind: Literal["given"] = "given"


@dataclass
class Tree:
    name: str
    below: list[Tree] = field(default_factory=list)


@pytest.mark.parametrize(
    "annotation", [complex, Fraction, list[complex], dict[str, Fraction], complex | None, Inner, list[Inner]]
)
def test_value_reader_names_a_type_that_cannot_be_read_with_its_field(annotation: Any) -> None:
    with pytest.raises(
        DesignError, match=r"Thing\.held: a field of type \w+ cannot be read back.*\n.*A field can be str"
    ):
        opened(annotation)


def test_value_reader_rejects_a_union_of_two_classes_with_the_same_fields() -> None:
    with pytest.raises(DesignError, match=r"Thing\.held: Debit and Credit have the same fields, so a read cannot"):
        opened(Debit | Credit)


@pytest.mark.parametrize("annotation", [Kept | Given, int | str, Debit | None, Tree, list[Kept | Given], Any])
def test_value_reader_accepts_a_union_of_classes_that_can_be_distinguished(annotation: Any) -> None:
    opened(annotation)


MODEL = '''
"""A model with a field that cannot be read back."""
from dataclasses import dataclass
from fractions import Fraction
from singletable import Page, Table, entity, pattern, query

@entity(key=("JOB#{id}", "JOB"))
@dataclass
class Job:
    id: str
    lasts: Fraction

class Jobs(Table, entities=[Job]):
    @pattern()
    def jobs(self, id: str) -> Page[Job]:
        """A job."""
        return query(Job)
'''


def test_the_check_command_reports_types_without_a_value_reader(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "model.py").write_text(MODEL, encoding="utf-8")
    assert main(["check", str(tmp_path / "model.py")]) != 0
    assert "Job.lasts: a field of type Fraction cannot be read back" in capsys.readouterr().err
