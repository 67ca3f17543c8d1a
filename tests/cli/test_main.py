"""The program as a whole: usage, exit codes, closed pipes and limited encodings."""

import os
import subprocess
import sys
from contextlib import suppress
from importlib import metadata
from pathlib import Path

import pytest

from singletable.cli.main import main
from tests.cli.program import PROGRAM, ROOT, environment, refused, singletable

SHOP = "examples/shop/model.py"
COMMANDS = [
    ("check", SHOP),
    ("check", "--json", SHOP),
    ("explain", SHOP),
    ("explain", SHOP, "customer", "c1"),
    ("--help",),
]


@pytest.mark.parametrize(
    "arguments", [(), ("frobnicate",), ("check",), ("explain",), ("check", SHOP, "--frob"), ("check", SHOP, SHOP)]
)
def test_cli_main_prints_the_usage_for_a_wrong_command_line(arguments: tuple[str, ...]) -> None:
    assert "usage: singletable" in refused(singletable(*arguments))


@pytest.mark.parametrize("command", [(), ("check",), ("explain",)])
def test_cli_main_exits_with_0_after_help(command: tuple[str, ...]) -> None:
    finished = singletable(*command, "--help")
    assert finished.returncode == 0
    assert finished.stdout.startswith("usage: singletable")
    assert finished.stderr == ""


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("buffered", [True, False], ids=["buffered", "unbuffered"])
def test_cli_main_does_not_report_a_closed_pipe_as_an_error(arguments: tuple[str, ...], buffered: bool) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        added = {} if buffered else {"PYTHONUNBUFFERED": "1"}
        finished = singletable(*arguments, stdout=writer, env=environment(**added))
    finally:
        os.close(writer)
    assert (finished.returncode, finished.stderr) == (0, "")


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_cli_main_exits_with_0_when_head_reads_one_line(arguments: tuple[str, ...]) -> None:
    script = '"$@" | head -1; echo "${PIPESTATUS[0]}"'
    finished = subprocess.run(
        ["bash", "-c", script, "bash", PROGRAM, *arguments],
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert finished.stderr == ""
    assert len(finished.stdout.splitlines()) == 2
    assert finished.stdout.splitlines()[1] == "0"


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
@pytest.mark.parametrize("arguments", COMMANDS[:3], ids=" ".join)
def test_cli_main_prints_the_rest_to_a_pipe_that_lacks_a_character(arguments: tuple[str, ...], encoding: str) -> None:
    finished = singletable(*arguments, env=environment(PYTHONIOENCODING=encoding))
    assert finished.returncode == 0, finished.stderr
    assert finished.stderr == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a disk that is always full")
@pytest.mark.parametrize("buffered", [True, False], ids=["buffered", "unbuffered"])
def test_cli_main_reports_output_that_cannot_be_written_in_one_line(buffered: bool) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        added = {} if buffered else {"PYTHONUNBUFFERED": "1"}
        finished = singletable("check", SHOP, stdout=full, env=environment(**added))
    assert finished.returncode == 2
    assert "No space left on device" in finished.stderr
    assert len(finished.stderr.splitlines()) == 1


def test_cli_main_prints_the_same_as_the_installed_program(capsys: pytest.CaptureFixture[str]) -> None:
    from singletable.cli.main import main

    assert main(["check", str(ROOT / SHOP)]) == 0
    assert capsys.readouterr().out == singletable("check", SHOP).stdout


def test_python_m_singletable_runs_the_main_module_of_the_package() -> None:
    command = [sys.executable, "-m", "singletable", "check", SHOP]
    finished = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, encoding="utf-8", check=False)
    as_installed = singletable("check", SHOP)
    assert (finished.returncode, finished.stdout) == (as_installed.returncode, as_installed.stdout)
    assert finished.stdout.strip()


def test_the_main_command_prints_the_installed_version() -> None:
    done = singletable("--version")
    assert (done.returncode, done.stdout) == (0, f"singletable {metadata.version('singletable')}\n")


URL = "http://AKID:sec/ret?#hidden@127.0.0.1:1"


@pytest.mark.parametrize("url", [URL, URL.replace("//", "/", 1), "AKID:hid/hidden@db"])
@pytest.mark.parametrize(
    "command",
    [
        ("check", SHOP, "--items", "{}"),
        ("check", "{}"),
        ("check", SHOP, "{}"),
        ("cost", SHOP, "--sample", "{}"),
        ("design", "{}"),
        ("diff", SHOP, "{}"),
        ("import", "live", "{}", "--table", "shop"),
        ("migrate", "status", SHOP, "{}"),
        ("sql", "SELECT * FROM shop", "--data", "{}"),
        ("top-keys", "shop", "--endpoint", "{}"),
        ("frobnicate", "{}"),
    ],
    ids=" ".join,
)
def test_cli_main_shows_no_credentials_of_a_url(
    command: tuple[str, ...], url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with suppress(SystemExit):
        assert main([each.format(url) for each in command])
    said = capsys.readouterr()
    assert said.err
    assert "hidden" not in said.out + said.err
