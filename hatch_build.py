"""A hatchling build hook that compiles the C modules of singletable. Without a compiler, it continues without them.

Set `SINGLETABLE_PURE=1` in the environment to build a wheel without compiled modules, for every platform.
"""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# The sources of each module, in its own folder. tools/sanitized_build.py also reads this.
EXTENSIONS = {
    "singletable.client.items._fast_rows": ["_fast_rows.c", "_fast_items.c", "_fast_values.c", "_fast_text.c"],
    "singletable.engine.items._fast_keys": ["_fast_keys.c"],
    "singletable.engine.storage._fast_checksums": ["_fast_checksums.c"],
    "singletable.values._fast_sizes": ["_fast_sizes.c"],
}


class CompiledHook(BuildHookInterface):
    """Adds the compiled modules to a wheel, or to the source folders of an editable installation."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile the modules. hatchling calls this before it packs the wheel."""
        if self.target_name != "wheel":
            return
        self._folder = tempfile.TemporaryDirectory()
        try:
            if version == "editable":
                self._remove_old()
            if os.environ.get("SINGLETABLE_PURE", "0") not in ("", "0"):
                return
            built = compiled(Path(self.root), Path(self._folder.name))
            if version == "editable":
                for name, path in built.items():
                    shutil.copy2(path, source_folder(Path(self.root), name) / path.name)
                return
        except Exception as problem:  # the compiler may be missing or fail, or the folder may be read-only
            print(f"singletable is installed without its compiled parts: {problem}", file=sys.stderr)
            return
        for name, path in built.items():
            build_data["force_include"][str(path)] = Path(*name.split(".")[:-1], path.name).as_posix()
        build_data["pure_python"] = False
        build_data["infer_tag"] = True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Delete the compiled files. hatchling calls this after it has packed the wheel."""
        if self.target_name == "wheel":
            self._folder.cleanup()

    def _remove_old(self) -> None:
        """Unlink modules of older sources instead of overwriting them, because a program may have them mapped."""
        suffix = sysconfig.get_config_var("EXT_SUFFIX")
        for name in EXTENSIONS:
            old = source_folder(Path(self.root), name) / f"{name.rpartition('.')[2]}{suffix}"
            old.unlink(missing_ok=True)


def source_folder(root: Path, name: str) -> Path:
    """Return the folder of a module's sources."""
    return root.joinpath("src", *name.split(".")[:-1])


def compiled(root: Path, folder: Path) -> dict[str, Path]:
    """Compile every module into a folder, and return the files by module name."""
    from setuptools import Distribution, Extension
    from setuptools.command.build_ext import build_ext

    flags = [] if sys.platform == "win32" else ["-O3"]
    extensions = [
        Extension(name, [str(source_folder(root, name) / each) for each in sources], extra_compile_args=flags)
        for name, sources in EXTENSIONS.items()
    ]
    command = build_ext(Distribution({"name": "singletable", "ext_modules": extensions}))
    command.build_lib = str(folder / "lib")
    command.build_temp = str(folder / "temp")
    command.ensure_finalized()
    command.run()
    return {name: Path(command.get_ext_fullpath(name)) for name in EXTENSIONS}
