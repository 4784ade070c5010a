"""Runs the command mdpsolve, which comes with this package."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from numbers import Number
from typing import Any

from . import _worker

SOLVED, REFUSED, LIMIT = 0, 2, 3  # exit statuses of the command

# Files in a temporary folder. In messages they have the names that the user knows.
MODEL, START, RESULT = "mdpsolve-arrays.umb", "mdpsolve-start.npz", "mdpsolve-answer.npz"
TIMED = "mdpsolve-arrays.json"  # a model in continuous time
POLICY, CLAIM = "mdpsolve-policy.csv", "mdpsolve-result.csv"
KNOWN = {MODEL: "P", TIMED: "the model", START: "it", RESULT: "the answer", POLICY: "policy", CLAIM: "result"}


class Record(dict[str, Any]):
    """An answer of the command: a dict whose members are attributes, too."""

    def __getattr__(self, name: str) -> Any:
        if name in self:
            return self[name]
        raise AttributeError(f"no member {name}: use one of {', '.join(self)}")

    def plot(self, ax: Any = None) -> Any:
        """Draws the switching curves of an answer of robots, and returns the axes. ax may be the name of a file."""
        from . import _plot

        return _plot.curves(self, ax)


DECODER = json.JSONDecoder(object_hook=Record)  # json.loads would make one each time


def records(text: bytes) -> Any:
    """What a text in JSON says, with Records for objects."""
    return DECODER.decode(text.decode())


OWN = os.path.join(os.path.dirname(__file__), "mdpsolve.exe" if os.name == "nt" else "mdpsolve")
HAS_OWN = os.path.isfile(OWN)


def command() -> str:
    """The path of the command: the one in this package, or else on the PATH."""
    running = _worker.current
    if running is not None and running.path == os.environ.get("PATH"):
        return running.command  # to look for it takes longer than some questions
    found = OWN if HAS_OWN else shutil.which("mdpsolve")
    if found is None:
        raise RuntimeError("no command mdpsolve found: install this package by pip, or put the command on the PATH")
    return found


def flags(options: Mapping[str, object]) -> list[str]:
    """Keyword arguments as flags of the command; from_ is --from, and None and False are no flag."""
    words: list[str] = []
    for name, value in options.items():
        flag = "--" + name.rstrip("_").replace("_", "-")
        if isinstance(value, (list, tuple)) and not value:
            raise ValueError(f"{name}: found an empty list: give one or more, or leave it out")
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is not None and one is not False:
                words.append(f"{flag}={word(name, one)}")
    return words


def word(name: str, value: object) -> str:
    """The value of an argument as the command reads it."""
    if isinstance(value, os.PathLike):
        return file(value)
    if not isinstance(value, (str, Number)) and getattr(value, "ndim", None) != 0:
        raise TypeError(f"{name}: found {shown(value)}: use a number or a text")
    text = repr(float(value)) if isinstance(value, float) else str(value)
    if "\0" in text:
        raise ValueError(f"{name}: found {shown(value)}: use a text without the character 0")
    return text


def shown(value: object) -> str:
    """A value in a message: one line that is not long."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else text[:57] + "..."


def file(path: str | os.PathLike[str]) -> str:
    """The name of a file as a word for run, whatever the encoding of names of files."""
    return os.fsencode(path).decode("utf-8", "surrogateescape")


def run(arguments: list[str], folder: str | None = None, names: Mapping[str, str] | None = None) -> Any:
    """Has the worker run a command line in a folder, and returns its answer in JSON, or the text that it prints."""
    return exchange(arguments, folder, names)[0]


def exchange(
    arguments: list[str],
    folder: str | None = None,
    names: Mapping[str, str] | None = None,
    given: _worker.Given | None = None,
) -> tuple[Any, bytes]:
    """Runs a command line, which may read a file that is given, and also returns the file RESULT, if it writes that.

    Raises ValueError with the command's one line for what it refuses. In that line, keyword arguments take the place of
    flags: that of the same name, or the one that names has for a flag. An interruption ends the command.
    """
    again = arguments[0] != "store"  # a second run would write the same again
    answer, file = _worker.ask(command(), question(arguments, folder), again, given)
    reply = records(answer)
    status, line = reply["status"], reply.get("error", "")
    if status in (SOLVED, LIMIT):
        return reply["answer"] if "answer" in reply else reply.get("text", ""), file
    for name, known in KNOWN.items():
        line = re.sub(rf'(MODEL: )?"?\b{name}\b"?(: [\w/-]+\.(bin|json)(: \d+)?|:\d+:\d+)?', known, line)
    line = re.sub(r"^--policy: policy\b", "--policy: it", line.replace("--policy: policy: ", "--policy: "))
    line = re.sub(r"^OUT: ", "path: ", re.sub(r"^RESULT: ", "result: ", line))
    if status != REFUSED:
        raise RuntimeError(line or f"mdpsolve ended with status {status}")
    arguments_of = names or {}
    raise ValueError(re.sub(r"--([a-z][a-z-]*)", lambda flag: arguments_of.get(flag[1]) or keyword(flag[1]), line))


def question(arguments: list[str], folder: str | None) -> dict[str, Any]:
    """A command line as the worker reads it. Names of files that are not in UTF-8 go as bytes."""
    words = [*arguments, file(os.getcwd() if folder is None else folder)]
    found: dict[str, Any] = {"returns": RESULT} if f"--out={RESULT}" in words else {}
    try:
        "".join(words).encode()
    except UnicodeEncodeError:
        words = [one.encode("utf-8", "surrogateescape").decode("latin-1") for one in words]
        found["bytes"] = True
    return found | {"arguments": words[:-1], "folder": words[-1]}


def keyword(flag: str) -> str:
    """The keyword argument that stands for a flag."""
    name = flag.replace("-", "_")
    return name + "_" if name in ("lambda", "from", "class") else name


def ask(verb: list[str], options: Mapping[str, object]) -> Any:
    """The answer of a verb in JSON."""
    for one in verb:
        if not isinstance(one, str) or not re.fullmatch("[a-z][a-z-]*", one):
            raise ValueError(f"verb: {shown(one)} is not valid: use a verb of mdpsolve {verb[0]}")
    return run([*verb, *flags(options), "--output=json"])


@contextmanager
def scratch(size: int) -> Iterator[str]:
    """A temporary folder for files of so many bytes: in memory where there is plenty of it."""
    folder = tempfile.mkdtemp(prefix="mdpsolve-", dir=_worker.SHARED if _worker.is_roomy(size) else None)
    try:
        yield folder
    finally:
        for name in os.listdir(folder):
            os.unlink(os.path.join(folder, name))
        os.rmdir(folder)


def main() -> int:
    """The script mdpsolve, which replaces its process by the command."""
    if os.name != "nt":
        os.execv(command(), ["mdpsolve", *sys.argv[1:]])
    return subprocess.run([command(), *sys.argv[1:]]).returncode
