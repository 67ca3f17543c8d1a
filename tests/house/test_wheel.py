"""A wheel contains the examples, and runs `singletable demo` in its own environment."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

from examples import SYSTEMS
from tests.cli.program import environment

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    built = pip("wheel", "--no-deps", "--wheel-dir", folder, ROOT)
    if built.returncode != 0 and "hatchling" in built.stderr:
        pytest.skip("hatchling, which builds the wheel, cannot be installed")
    assert built.returncode == 0, built.stderr
    (found,) = folder.glob("*.whl")
    return found


def pip(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return run(ROOT, sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", *arguments)


def run(cwd: Path, *command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=cwd, env=environment(), capture_output=True, encoding="utf-8", check=False)


def test_a_wheel_contains_the_examples_once_and_no_leftovers(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert {f"singletable/examples/{name}/model.py" for name in SYSTEMS} <= set(names)
    assert "singletable/examples/shop/expected/whole_order.txt" in names
    assert not [name for name in names if name.endswith((".pyc", ".db")) or name.startswith("examples/")]


def test_the_demo_runs_from_a_wheel(wheel: Path, tmp_path: Path) -> None:
    folder = tmp_path / "environment"
    venv.create(folder, symlinks=sys.platform != "win32")
    program = folder / ("Scripts" if sys.platform == "win32" else "bin") / "singletable"
    python = program.with_name("python")
    installed = pip("--python", python, "install", "--no-deps", wheel)
    assert installed.returncode == 0, installed.stderr
    # Use the dependencies of this environment instead of installing them again.
    packages = run(tmp_path, python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").stdout.strip()
    Path(packages, "dependencies.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    found = run(tmp_path, python, "-c", "import singletable; print(singletable.__file__)").stdout
    assert Path(found).is_relative_to(folder), "singletable is not imported from the wheel"
    shown = run(tmp_path, program, "demo")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert [line.split(":")[0][3:] for line in shown.stdout.splitlines() if line.startswith("== ")] == list(SYSTEMS)
    assert "singletable check singletable.examples.guide.model" in shown.stdout
    assert run(tmp_path, program, "check", "singletable.examples.shop.model").returncode == 0
    walked = run(tmp_path, program, "demo", "streams")
    assert (walked.returncode, walked.stderr) == (0, "")


def test_only_a_wheel_with_compiled_modules_is_tied_to_one_python(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        compiled = [name for name in archive.namelist() if name.endswith((".so", ".pyd"))]
        assert not [name for name in archive.namelist() if name.endswith((".c", ".h"))]
    assert wheel.name.endswith("-py3-none-any.whl") is (not compiled)
    assert {Path(name).name.partition(".")[0] for name in compiled} in (
        set(),
        {"_fast_checksums", "_fast_keys", "_fast_rows", "_fast_sizes"},
    )


def test_a_wheel_is_built_without_a_compiler(tmp_path: Path, wheel: Path) -> None:
    none = {"CC": str(tmp_path / "no-compiler"), "PATH": environment()["PATH"]}
    command = (sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "-v", "--no-deps", "--wheel-dir")
    built = subprocess.run(
        (*command, tmp_path, ROOT),
        cwd=ROOT,
        env=environment() | none,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert built.returncode == 0, built.stderr
    assert [path.name.partition("-py3-none-any")[1] for path in tmp_path.glob("*.whl")] == ["-py3-none-any"]
    assert "without its compiled parts" in built.stdout + built.stderr


def test_a_wheel_contains_the_pages_of_the_studio(wheel: Path) -> None:
    studio = ROOT / "src" / "singletable" / "studio"
    files = [path for folder in ("assets", "templates") for path in (studio / folder).iterdir()]
    needed = {f"singletable/studio/{path.parent.name}/{path.name}" for path in files}
    with zipfile.ZipFile(wheel) as archive:
        assert needed <= set(archive.namelist())
