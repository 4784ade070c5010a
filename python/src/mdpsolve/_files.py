"""Files that other programs never see incomplete."""

from __future__ import annotations

import io
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from glob import escape, glob
from itertools import count
from typing import IO

try:
    import fcntl
except ImportError:  # Windows does not remove a file that is open
    fcntl = None  # type: ignore[assignment]

SUFFIX = ".mdpsolve.partial"  # as the command has it, which removes what a killed program has left


@contextmanager
def whole(path: str | os.PathLike[str]) -> Iterator[io.BufferedWriter]:
    """A file that gets its name when it is complete: until then, and after an error, what was there stays."""
    place = os.path.realpath(path)
    there = os.path.exists(place)
    if there and not stat.S_ISREG(os.stat(place).st_mode):  # a pipe or a device
        with open(place, "wb") as file:
            yield file
        return
    with created(place) as file:
        try:
            yield file
            file.flush()
            if there:
                shutil.copymode(place, file.name)
        except BaseException:
            os.unlink(file.name)
            raise
        if fcntl:
            os.replace(file.name, place)  # while the lock tells that the file is not one that was left
    if not fcntl:
        os.replace(file.name, place)


def created(place: str) -> io.BufferedWriter:
    """A new file beside a place, locked while it is open."""
    if fcntl:
        remove_left(place)
    for number in count(1):
        name = place + (f".{number}" if number > 1 else "") + SUFFIX
        try:
            file = open(name, "xb")  # noqa: SIM115
        except FileExistsError:
            continue
        except OSError as fault:
            raise OSError(fault.errno, fault.strerror, place) from None
        if fcntl:
            fcntl.flock(file, fcntl.LOCK_EX)
        if not fcntl or is_named(file, name):
            return file
        file.close()  # it was taken for one that was left
    raise AssertionError


def remove_left(place: str) -> None:
    """Removes what killed programs have left of a file: what nobody locks."""
    for name in glob(escape(place) + SUFFIX) + glob(escape(place) + ".[0-9]*" + SUFFIX):
        try:
            with open(os.open(name, os.O_RDONLY | os.O_NOFOLLOW), "rb") as left:
                fcntl.flock(left, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if is_named(left, name):
                    os.unlink(name)
        except OSError:
            pass  # it is being written, or not ours


def is_named(file: IO[bytes], name: str) -> bool:
    """Whether a name still leads to an open file."""
    return os.path.exists(name) and os.path.samestat(os.stat(name), os.fstat(file.fileno()))
