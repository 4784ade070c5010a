"""The worker: a process of the command that answers one question after the other.

It starts with the first question and ends with this process. A process that multiprocessing forks or spawns has a
worker of its own.
"""

from __future__ import annotations

import atexit
import json
import os
import re
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

SHARED = "/dev/shm"  # a folder in memory, where the system has one
PIPE = 1 << 20  # bytes that a pipe is asked to hold
LINE = 64  # bytes of the line of most answers with a file, so that the file comes alone and is not copied again
MUCH = 1 << 24  # bytes for which memory is looked for, and that are not kept for long
IDLE = 1.0  # seconds after which they go back to the system


class Given(NamedTuple):
    """A file that a question hands over in memory."""

    name: str  # by which the question calls it
    size: int  # in bytes, approximately
    fill: Callable[[int], None]  # writes it to a descriptor


class Worker:
    """A running worker."""

    def __init__(self, command: str) -> None:
        self.command = command
        self.path = os.environ.get("PATH")
        self.said = tempfile.TemporaryFile()  # noqa: SIM115
        self.memory = memory()
        self.is_resting = False  # rest is about to be called
        self.process = subprocess.Popen(
            [os.path.abspath(command), "worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.said,
            pipesize=PIPE,
            bufsize=0,  # a process that is forked would wait for the lock of a buffer, or write it again
            cwd=os.path.abspath(os.sep),  # each question has a folder of its own
            pass_fds=() if self.memory is None else (self.memory,),
        )

    @contextmanager
    def holding(self, given: Given) -> Iterator[str]:
        """The path of a file that a question hands over."""
        if self.memory is not None and (given.size <= MUCH or is_roomy(given.size)):
            given.fill(self.memory)
            yield f"/dev/fd/{self.memory}"
            if given.size > MUCH and not self.is_resting:
                self.is_resting = True
                timer = threading.Timer(IDLE, self.rest, [os.dup(self.memory)])
                timer.daemon = True  # the process may end before
                timer.start()
            return
        descriptor, path = tempfile.mkstemp(prefix="mdpsolve-", dir=SHARED if is_roomy(given.size) else None)
        try:
            try:
                given.fill(descriptor)
            finally:
                os.close(descriptor)
            yield path
        finally:
            os.unlink(path)

    def rest(self, memory: int) -> None:
        """Gives the memory of large questions back to the system, and closes its descriptor."""
        with lock:  # no question uses the memory
            os.ftruncate(memory, 0)
            self.is_resting = False
        os.close(memory)

    def answer(self, question: Mapping[str, Any], given: Given | None) -> tuple[bytes, bytes]:
        """The line that answers a question, and the file after it; b"" for the line if the worker has ended."""
        if given is None:
            return self.reply(question)
        with self.holding(given) as path:
            to = {} if self.memory is None or path != f"/dev/fd/{self.memory}" else {"to": path}
            line, file = self.reply({**question, "given": {"name": given.name, "path": path}, **to})
            stored = re.search(rb'"stored":(\d+)}\n$', line)
            return line, self.stored(int(stored[1])) if stored else file

    def stored(self, size: int) -> bytes:
        """The first bytes of the memory, where a worker leaves a large file."""
        assert self.memory is not None
        parts, at = [], 0
        while at < size:
            parts.append(os.pread(self.memory, size - at, at))
            at += len(parts[-1])
        return b"".join(parts)

    def reply(self, asked: Mapping[str, Any]) -> tuple[bytes, bytes]:
        question = json.dumps(asked).encode() + b"\n"
        assert self.process.stdin and self.process.stdout
        try:
            while question:
                question = question[self.process.stdin.write(question) or 0 :]
        except OSError:  # it has ended
            return b"", b""
        found, output = b"", self.process.stdout.fileno()
        while (end := found.find(b"\n") + 1) == 0:
            part = os.read(output, PIPE if found else LINE)
            if not part:
                return b"", b""
            found += part
        line, parts = found[:end], [found[end:]] if found[end:] else []
        last = re.search(rb'"bytes":(\d+)} *\n$', line)
        missing = (int(last[1]) if last else 0) - len(found) + end
        while missing > 0:
            parts.append(os.read(output, min(missing, PIPE)))
            if not parts[-1]:
                return b"", b""
            missing -= len(parts[-1])
        return line, b"".join(parts)

    def is_alive(self) -> bool:
        return self.process.poll() is None

    def last_words(self) -> str:
        """What the worker has printed on standard error: why it ended."""
        self.said.seek(0)
        return self.said.read().decode("utf-8", "replace").strip().removeprefix("mdpsolve: ")

    def leave(self) -> None:
        """Closes the pipes, after which the worker ends."""
        for pipe in self.process.stdin, self.process.stdout, self.said:
            if pipe is not None:
                pipe.close()
        if self.memory is not None:
            os.close(self.memory)
            self.memory = None

    def end(self, patience: float = 0.0) -> None:
        """Ends the worker, which has so many seconds to do it by itself."""
        self.leave()
        try:
            self.process.wait(patience)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def memory() -> int | None:
    """A file without a name, in memory where the system has that, which the worker inherits; None if it cannot."""
    if not os.path.isdir("/dev/fd"):
        return None
    if hasattr(os, "memfd_create"):
        return os.memfd_create("mdpsolve")
    descriptor, path = tempfile.mkstemp(prefix="mdpsolve-")
    os.unlink(path)
    return descriptor


def is_roomy(size: int) -> bool:
    """Whether there is plenty of room in memory for so many bytes."""
    try:
        return os.access(SHARED, os.W_OK) and shutil.disk_usage(SHARED).free > 2 * size
    except OSError:
        return False


lock = threading.Lock()  # questions are answered one after the other
current: Worker | None = None


def ask(
    command: str, question: Mapping[str, Any], again: bool = True, given: Given | None = None
) -> tuple[bytes, bytes]:
    """The answer to a question, in JSON, and the file that it returns.

    If the worker dies, a question that may be asked again is asked once more.

    Any exception that comes in between, such as KeyboardInterrupt, ends the worker and its question.
    """
    global current
    with lock:
        for last in (False, True) if again else (True,):
            if current is not None and (current.command != command or not (again or current.is_alive())):
                end()
            if current is None:
                current = Worker(command)
            try:
                answer, file = current.answer(question, given)
                if answer:
                    return answer, file
                status, words = current.process.wait(), current.last_words()
                if last:
                    found = f"status {status}" + (f": {words}" if words else "")
                    raise RuntimeError(f"{command}: its worker ended without an answer, with {found}")
                end()
            except BaseException:
                end()
                raise
    raise AssertionError


def end(patience: float = 0.0) -> None:
    """Ends the worker of this process, which has so many seconds to do it by itself."""
    global current
    ending, current = current, None
    if ending is not None:
        ending.end(patience)


def forget() -> None:
    """In a process that was forked, leaves the worker to the process that started it."""
    global current, lock
    lock = threading.Lock()
    if current is not None:
        current.leave()
        current.process.returncode = 0  # this process has no such child
        current = None


atexit.register(end, 1.0)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=forget)
