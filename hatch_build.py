"""What hatchling does beside packing: compiles the C of the library where there is a compiler, and goes on where not.

`SINGLETABLE_PURE=1` in the environment makes a wheel without it, for every platform.
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

EXTENSIONS = {
    "singletable.client.items._quick_rows": "src/singletable/client/items/_quick_rows.c",
    "singletable.engine._quick_keys": "src/singletable/engine/_quick_keys.c",
    "singletable.values._quick_sizes": "src/singletable/values/_quick_sizes.c",
}


class CompiledHook(BuildHookInterface):
    """Adds the compiled modules to a wheel, or puts them beside their sources where those are used as they are."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """What hatchling calls before it packs."""
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
                    shutil.copy2(path, self._beside(name) / path.name)
                return
        except Exception as problem:  # of a compiler, for want of one, or of a folder that cannot be written to
            print(f"singletable is installed without its compiled parts: {problem}", file=sys.stderr)
            return
        for name, path in built.items():
            build_data["force_include"][str(path)] = Path(*name.split(".")[:-1], path.name).as_posix()
        build_data["pure_python"] = False
        build_data["infer_tag"] = True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """What hatchling calls when it has packed."""
        if self.target_name == "wheel":
            self._folder.cleanup()

    def _remove_old(self) -> None:
        """What was built of other sources would be taken for that of these; a program may still have it mapped."""
        suffix = sysconfig.get_config_var("EXT_SUFFIX")
        for name in EXTENSIONS:
            (self._beside(name) / f"{name.rpartition('.')[2]}{suffix}").unlink(missing_ok=True)

    def _beside(self, name: str) -> Path:
        return Path(self.root, EXTENSIONS[name]).parent


def compiled(root: Path, folder: Path) -> dict[str, Path]:
    """The extensions as files in a folder, by their names."""
    from setuptools import Distribution, Extension
    from setuptools.command.build_ext import build_ext

    flags = [] if sys.platform == "win32" else ["-O3"]
    extensions = [Extension(name, [str(root / path)], extra_compile_args=flags) for name, path in EXTENSIONS.items()]
    command = build_ext(Distribution({"name": "singletable", "ext_modules": extensions}))
    command.build_lib = str(folder / "lib")
    command.build_temp = str(folder / "temp")
    command.ensure_finalized()
    command.run()
    return {name: Path(command.get_ext_fullpath(name)) for name in EXTENSIONS}
