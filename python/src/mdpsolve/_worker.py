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
            [command, "worker"], bufsize=0, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.said
        )
        self.answers = os.fdopen(os.dup(self._pipe(self.process.stdout)), "rb")

    @staticmethod
    def _pipe(pipe: Any) -> int:
        number: int = pipe.fileno()
        return number

    def answer(self, question: bytes) -> bytes:
        """The line that answers a question; b"" if the worker has ended."""
        pipe = self._pipe(self.process.stdin)
        try:
            while question:
                question = question[os.write(pipe, question) :]
        except OSError:  # it has ended
            return b""
        line = self.answers.readline()
        return line if line.endswith(b"\n") else b""

    def last_words(self) -> str:
        """What the worker has printed on standard error: why it ended."""
        self.said.seek(0)
        return self.said.read().decode("utf-8", "replace").strip().removeprefix("mdpsolve: ")

    def leave(self) -> None:
        """Closes the pipes, after which the worker ends."""
        for pipe in self.process.stdin, self.process.stdout, self.answers, self.said:
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


def ask(command: str, question: Mapping[str, Any]) -> bytes:
    """The answer to a question, in JSON. A worker that dies is started again, once.

    Any exception that comes in between, such as KeyboardInterrupt, ends the worker and its question.
    """
    global current
    line = json.dumps(question).encode() + b"\n"
    with lock:
        for _ in range(2):
            if current is not None and current.command != command:
                current.end()
                current = None
            if current is None:
                current = Worker(command)
            try:
                if answer := current.answer(line):
                    return answer
                words, status = current.last_words(), current.process.wait()
            except BaseException:
                current.end()
                current = None
                raise
            current.end()
            current = None
        raise RuntimeError(f"{command}: its worker ended twice, with status {status}" + (f": {words}" if words else ""))


def end() -> None:
    """Ends the worker of this process."""
    global current
    if current is not None:
        current.end(patience=1.0)
        current = None


def forget() -> None:
    """In a process that was forked, leaves the worker to the process that started it."""
    global current, lock
    lock = threading.Lock()
    if current is not None:
        current.leave()
        current.process.returncode = 0  # this process has no such child
        current = None


atexit.register(end)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=forget)
