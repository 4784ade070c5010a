"""The worker: a process of the command that answers one question after the other.

It starts with the first question and ends with this process. A process that multiprocessing forks or spawns has a
worker of its own.
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import tempfile
import threading
from collections.abc import Mapping
from typing import Any


class Worker:
    """A running worker."""

    def __init__(self, command: str) -> None:
        self.command = command
        self.said = tempfile.TemporaryFile()  # noqa: SIM115
        self.process = subprocess.Popen(
            [os.path.abspath(command), "worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.said,
            bufsize=0,  # a process that is forked would wait for the lock of a buffer, or write it again
            cwd=os.path.abspath(os.sep),  # each question has a folder of its own
        )

    def answer(self, question: bytes) -> bytes:
        """The line that answers a question; b"" if the worker has ended."""
        assert self.process.stdin and self.process.stdout
        try:
            while question:
                question = question[self.process.stdin.write(question) or 0 :]
        except OSError:  # it has ended
            return b""
        line = bytearray()
        while not line.endswith(b"\n"):
            part = os.read(self.process.stdout.fileno(), 1 << 16)
            if not part:
                return b""
            line += part
        return bytes(line)

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

    def end(self, patience: float = 0.0) -> None:
        """Ends the worker, which has so many seconds to do it by itself."""
        self.leave()
        try:
            self.process.wait(patience)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


lock = threading.Lock()  # questions are answered one after the other
current: Worker | None = None


def ask(command: str, question: Mapping[str, Any], again: bool = True) -> bytes:
    """The answer to a question, in JSON. If the worker dies, a question that may be asked again is asked once more.

    Any exception that comes in between, such as KeyboardInterrupt, ends the worker and its question.
    """
    global current
    line = json.dumps(question).encode() + b"\n"
    with lock:
        for last in (False, True) if again else (True,):
            if current is not None and (current.command != command or not current.is_alive()):
                end()
            if current is None:
                current = Worker(command)
            try:
                if answer := current.answer(line):
                    return answer
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
