"""Builds the command and puts it into the package; the wheel is for this platform."""

import os
import shutil
import subprocess
from pathlib import Path

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py


class WithCommand(build_py):
    def run(self):
        if not shutil.which("go"):
            raise SystemExit("mdpsolve: no go found on the PATH: install Go, which builds the command")
        super().run()
        package = self.get_package_dir("mdpsolve") if self.editable_mode else Path(self.build_lib, "mdpsolve")
        command = Path(package, "mdpsolve.exe" if os.name == "nt" else "mdpsolve").resolve()
        build = ["go", "build", "-ldflags=-s -w", "-o", str(command), "./cmd/mdpsolve"]
        checkout = Path(__file__).resolve().parent.parent
        subprocess.run(build, cwd=checkout, check=True)


class ForPlatform(bdist_wheel):
    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


setup(cmdclass={"build_py": WithCommand, "bdist_wheel": ForPlatform})
