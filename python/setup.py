"""Builds the command and puts it into the package; the wheel is for this platform, or that of GOOS and GOARCH."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build import build
from setuptools.command.build_py import build_py

SYSTEM = os.environ.get("GOOS", "")
# What wheels are named by. The command is linked to no library of Linux.
PLATFORMS = {
    "darwin/amd64": "macosx_12_0_x86_64",
    "darwin/arm64": "macosx_12_0_arm64",
    "linux/amd64": "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
    "linux/arm64": "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
    "windows/amd64": "win_amd64",
    "windows/arm64": "win_arm64",
}


own = tempfile.TemporaryDirectory(prefix="mdpsolve-build-")  # goes with this process


class Apart(build):
    """Builds in a folder of its own, in which nothing is left from another platform."""

    def initialize_options(self):
        super().initialize_options()
        self.build_base = own.name


class WithCommand(build_py):
    def run(self):
        if not shutil.which("go"):
            raise SystemExit("mdpsolve: no go found on the PATH: install Go, which builds the command")
        super().run()
        package = self.get_package_dir("mdpsolve") if self.editable_mode else Path(self.build_lib, "mdpsolve")
        is_windows = SYSTEM == "windows" if SYSTEM else os.name == "nt"
        command = Path(package, "mdpsolve.exe" if is_windows else "mdpsolve").resolve()
        go = ["go", "build", "-trimpath", "-ldflags=-s -w", "-o", str(command), "./cmd/mdpsolve"]
        checkout = Path(__file__).resolve().parent.parent
        subprocess.run(go, cwd=checkout, check=True, env={**os.environ, "CGO_ENABLED": "0"})


class WithPrograms(Distribution):
    def has_ext_modules(self):
        return True


class ForPlatform(bdist_wheel):
    def get_tag(self):
        if not SYSTEM:
            return "py3", "none", super().get_tag()[2]
        target = f"{SYSTEM}/{os.environ.get('GOARCH', '')}"
        if target not in PLATFORMS:
            raise SystemExit(f"mdpsolve: no wheels for {target}: use one of {', '.join(PLATFORMS)}")
        return "py3", "none", PLATFORMS[target]


setup(distclass=WithPrograms, cmdclass={"build": Apart, "build_py": WithCommand, "bdist_wheel": ForPlatform})
