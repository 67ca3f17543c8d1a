"""`singletable import` reads a schema.json, a OneTable schema or a worksheet, and writes a model that `check` reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from singletable.cli.main import main

PUBLISHED = Path(__file__).parents[1] / "drafts" / "published"
WORKSHEET = "Access Pattern;Entry Entity;Frequency\nGet user by ID;User;high\nOrders of a user;User;low\n"


@pytest.mark.parametrize(
    ("source", "file"),
    [("schema-json", "schema_json/ecommerce_schema.json"), ("onetable", "onetable/OneTable.json"), ("worksheet", "")],
)
def test_a_file_becomes_a_model_that_check_accepts(
    source: str, file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    worksheet = tmp_path / "worksheet.csv"
    worksheet.write_text(WORKSHEET, encoding="utf-8")
    output = tmp_path / f"{source.replace('-', '_')}_imported.py"
    assert main(["import", source, str(PUBLISHED / file if file else worksheet), "--output", str(output)]) == 0
    assert f"wrote {output}" in capsys.readouterr().out
    assert main(["check", str(output)]) == 0
    assert "served as declared" in capsys.readouterr().out


@pytest.mark.parametrize("source", ["schema-json", "onetable", "worksheet"])
@pytest.mark.parametrize("content", [b"\xff\xfe", b"", b"{}", b"[1, 2"])
def test_a_file_that_cannot_be_read_is_told_and_nothing_is_written(
    source: str, content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given, output = tmp_path / "given.txt", tmp_path / "model.py"
    given.write_bytes(content)
    assert main(["import", source, str(given), "--output", str(output)]) == 2
    assert "given.txt" in capsys.readouterr().err
    assert not output.exists()


def test_every_problem_of_an_invalid_schema_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import", "schema-json", str(PUBLISHED / "schema_json" / "invalid_gsi_schema.json")]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 14
