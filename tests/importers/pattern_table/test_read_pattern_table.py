"""Pattern tables become models: every row is a pattern or a note, and no text of a file is code.

`samples/NAME.txt` is the model of `samples/NAME.md` or `.csv`, followed by the verdicts of its patterns. After a
deliberate change, rewrite them and review the difference:

    REWRITE_MODELS=1 pytest tests/importers
"""

from __future__ import annotations

import ast
import os
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from singletable.cli.import_text import import_draft
from singletable.errors import ImportRefused
from singletable.importers.draft import Draft
from singletable.importers.pattern_table.pattern_rows import pattern_rows
from singletable.importers.pattern_table.read_pattern_table import read_pattern_table
from singletable.importers.python_source import python_source
from singletable.verify.design_check import check
from tests.cli.program import singletable
from tests.importers.imported import loaded_design

SAMPLES = Path(__file__).parent / "samples"
FILES = sorted(path.name for path in SAMPLES.iterdir() if path.suffix in (".md", ".csv"))
HEADER = "| Access pattern | Base table/GSI/LSI | Operation | Partition key value | Sort key value | Other conditions |"
RULE = "| --- | --- | --- | --- | --- | --- |"


def model_of(text: str, name: str = "sample.md") -> Draft:
    return import_draft(read_pattern_table(text, name))


def shown(draft: Draft) -> str:
    """The source of the model, and what `check` says of it."""
    lines = [python_source(draft), "---"]
    for table in draft.tables:
        with loaded_design(table) as design:
            report = check(design)
        lines += [f"{each.pattern.name}: {each.verdict.value}" for each in report.outcomes]
        lines += [f"{each.severity} {each.code} {each.subject}: {each.remedy}" for each in report.findings]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("file", FILES)
def test_read_pattern_table_produces_the_recorded_model(file: str) -> None:
    path = (SAMPLES / file).with_suffix(".txt")
    found = shown(model_of((SAMPLES / file).read_text(encoding="utf-8"), file))
    if "REWRITE_MODELS" in os.environ:
        path.write_text(found, encoding="utf-8")
    assert found == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("file", FILES)
def test_every_row_of_a_pattern_table_becomes_a_pattern_or_a_note(file: str) -> None:
    text = (SAMPLES / file).read_text(encoding="utf-8")
    assert_nothing_is_lost(text, file)


def assert_nothing_is_lost(text: str, file: str) -> None:
    rows, _ = pattern_rows(text, file)
    table = model_of(text, file).tables[0]
    titles = [pattern.title for pattern in table.patterns]
    assert [row.title for row in rows if row.title not in titles and not any(row.title in n for n in table.notes)] == []
    assert len(titles) == len({pattern.name for pattern in table.patterns})


WORDS = st.sampled_from(
    [
        *("PK=<userID>", "PK=<userID>#post", "USER#user_id", 'PK = "u#<userID>"', "DeviceID=deviceId", "N/A", ""),
        *("SK=metadata", 'SK begins_with "post#"', 'begins_with(SK, "c#")', "SK between a#date1 and a#date2"),
        *(
            "SK > <FromDate>",
            "SK=<userID>",
            "SK=<postID>, SK=meta",
            "GSI1PK=<email>",
            "email=email",
            "#",
            "=",
            "<",
            "''",
        ),
        *('"Join:"<roomID>', "a=b=c", "between and", 'SK="x" + y', "{x}", "<>", "PK=", "PK=<a><b>", "%", "PK=<%>"),
    ]
)
PLACES = st.sampled_from(["Base table", "GSI1", "GSI-2", "by_email", "LSI1", "", "Table", "key", "name"])
OPERATIONS = st.sampled_from(
    ["Query", "GetItem", "PutItem", "UpdateItem", "DeleteItem", "Scan", "TransactWriteItems", ""]
)
CONDITIONS = st.sampled_from(
    ["", "Limit 1", "ScanIndexForward = false", "if not exists", "SET a = a + :b", "SET a = :b", "whatever", "Limit 0"]
)
TITLES = st.sampled_from(
    [
        "getUserByUserID",
        "createPost",
        "list all posts of a user",
        "updatePostTitle",
        "deleteUser",
        "get",
        "a",
        "by",
        "1",
    ]
)
ROWS = st.lists(st.tuples(TITLES, PLACES, OPERATIONS, WORDS, WORDS, CONDITIONS), min_size=1, max_size=6)


@given(rows=ROWS)
@example(rows=[("getUserByUserID", "Base table", "Scan", "PK=<userID>", "''", "")])
def test_no_row_of_a_random_pattern_table_is_lost(rows: list[tuple[str, ...]]) -> None:
    lines = [f"| {number} {' | '.join(cells)} |" for number, cells in enumerate(rows)]
    text = "\n".join([HEADER, RULE, *lines])
    with suppress(ImportRefused):  # a file without one entity that loads is an error, and no model
        assert_nothing_is_lost(text, "random.md")


def test_text_in_a_pattern_table_never_becomes_code() -> None:
    source = python_source(model_of((SAMPLES / "hostile.md").read_text(encoding="utf-8")))
    tree = ast.parse(source)
    called = {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    assert called <= {"entity", "pattern", "query", "get", "native", "GSI"}


def test_a_file_without_a_pattern_table_is_an_error_that_names_the_columns() -> None:
    with pytest.raises(ImportRefused, match="no pattern table found"):
        read_pattern_table("# Hello\n\n| a | b |\n|---|---|\n| 1 | 2 |\n", "hello.md")


def test_the_import_pattern_table_command_writes_a_model_that_check_reads(tmp_path: Path) -> None:
    output = tmp_path / "sensors.py"
    finished = singletable("import", "pattern-table", SAMPLES / "sensors.csv", "--output", output)
    assert (finished.returncode, finished.stderr) == (0, "")
    assert "5 patterns" in finished.stdout
    assert singletable("check", output).stdout.endswith("served as declared\n")
