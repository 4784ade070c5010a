"""The scorecard: models x tools, each run alone in a process of its own, each answer judged by a certificate.

It writes scorecard.csv beside it, and scorecard.md and scorecard.svg in docs.
"""

from __future__ import annotations

import argparse
import csv
import importlib.metadata
import itertools
import os
import re
import signal
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mdpsolve
import numpy as np
from mdpsolve import _command

import report
from questions import Question, all_questions, qcomp
from tools import TOOLS, model_of, sign

TOLERANCE = 1e-6  # of the scale of the question, which is its greatest value
CLOSE, AGAIN = 1.5, 6  # tools within so many times of the fastest are asked so many times more
HERE = Path(__file__).resolve().parent


@dataclass
class Judge:
    """The proved bounds of the values that are asked for."""

    lower: np.ndarray
    upper: np.ndarray
    scale: float

    @property
    def narrow(self) -> bool:
        """Whether the bounds are so close that they tell right from wrong."""
        return bool((self.upper - self.lower).max() <= 0.01 * TOLERANCE * self.scale)

    def off(self, values: np.ndarray) -> float:
        """How far the worst value is outside of the bounds, in units of the scale."""
        if not np.isfinite(values).all():
            return np.inf
        return float(np.maximum(self.lower - values, values - self.upper).max(initial=0)) / self.scale


def judge(q: Question) -> Judge:
    """Solves a question to 1e-9 and has the certificate checked, by code that does not solve."""
    P, R = q.matrices
    R = np.where(np.arange(R.shape[1]) >= q.counts[:, None], -sign(q) * np.inf, R)
    target = q.target if len(q.target) else None
    answer = mdpsolve.solve(
        P, R, discount=q.discount or None, target=target, criterion=q.criterion, sense=q.sense, tolerance=1e-9
    )
    verdict = answer.check().verdict
    if verdict != "holds":
        raise SystemExit(f"{q.name}: the certificate {verdict}")
    asked = slice(None) if q.initial < 0 else slice(q.initial, q.initial + 1)
    lower, upper = answer.lower[asked], answer.upper[asked]
    found = Judge(lower, upper, float(np.abs(upper).max()))
    if not np.isnan(q.known) and found.off(np.array([q.known])) > TOLERANCE:
        raise SystemExit(f"{q.name}: proved {lower[0]} to {upper[0]}; published {q.known}")
    return found


def good_policy(q: Question, actions: np.ndarray, folder: Path) -> bool:
    """Whether the policy is proved to be as good as the best, within the tolerance."""
    model_of(q).write(folder / "model.umb", q.target if len(q.target) else None)
    with (folder / "policy.csv").open("w") as file:
        csv.writer(file).writerows([("state", "action"), *enumerate(np.where(actions < q.counts, actions, 0).tolist())])
    options = {"criterion": q.criterion, "maximize": q.sense == "max", "minimize": q.sense == "min"}
    options |= {"discount": q.discount or None, "target": "target" if len(q.target) else None}
    words = ["check", "model.umb", "policy.csv", *_command.flags(options), "--output=json", "--quiet"]
    return '"verdict": "holds"' in _command.run(words, str(folder))


def peak(pid: int | str) -> int:
    """The greatest memory that a process has had, in bytes; 0 if it has ended."""
    try:
        found = re.search(r"VmHWM:\s*(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    except OSError:
        return 0
    return int(found[1]) * 1024 if found else 0


def children(group: int) -> list[int]:
    """The processes of a group, without its leader."""
    found = []
    for pid in (int(name) for name in os.listdir("/proc") if name.isdigit()):
        try:
            if pid != group and os.getpgid(pid) == group:
                found.append(pid)
        except ProcessLookupError:  # it has ended
            continue
    return found


def ask(tool: str, q: Question, found: Judge, work: Path, given: argparse.Namespace) -> dict[str, Any]:
    """Has a tool answer a question in a process of its own, and judges the answer: a row of the table."""
    out, path, log = work / "answer.npz", work / "question.npz", work / "log.txt"
    out.unlink(missing_ok=True)
    words = [sys.executable, str(HERE / "tools.py"), tool, str(path), repr(TOLERANCE * found.scale)]
    words += [str(int(given.gigabytes * 2**30)), str(out)]
    row: dict[str, Any] = {"tool": tool, "verdict": "no answer", "why": ""}
    own, theirs = 0, 0
    began = time.monotonic()
    with log.open("w") as said, subprocess.Popen(words, stdout=said, stderr=said, start_new_session=True) as run:
        while run.poll() is None:
            own, theirs = max(own, peak(run.pid)), max([theirs, *map(peak, children(run.pid))])
            if time.monotonic() - began > given.seconds:
                os.killpg(run.pid, signal.SIGKILL)
                return row | {"why": "time"}
            time.sleep(0.05)
    row["whole_s"] = round(time.monotonic() - began, 2)
    if not out.exists():
        last = (log.read_text().strip().splitlines() or [f"status {run.returncode}"])[-1]
        short = "memory" if "memory" in last.lower() or "bad_alloc" in last else "error"
        return row | {"why": short, "message": last[:200]}
    with np.load(out) as saved:
        answer = {name: saved[name] for name in saved}
    if why := str(answer["why"]):
        return row | ({"verdict": "cannot"} if why == "cannot" else {"why": why})
    values = np.atleast_1d(answer["values"])
    if q.initial >= 0:
        values = values[q.initial : q.initial + 1]
    off = found.off(values)
    row |= {name: float(f"{answer[name].item():.4g}") for name in ("answer_s", "solve_s")}
    row["memory"] = own + theirs
    verdict = "wrong" if off > TOLERANCE else "right" if found.narrow else "unjudged"
    row |= {"verdict": verdict, "off": f"{off:.0e}"}
    if row["verdict"] == "wrong" and len(answer["policy"]) == q.states:
        row["policy"] = "good" if good_policy(q, answer["policy"], work) else "not good"
    return row


def again(rows: list[dict[str, Any]], *asked: Any) -> None:
    """Asks the tools that are close to the fastest again, in turn, as the speed of a machine drifts.

    It puts the medians of their times into the rows.
    """
    right = [row for row in rows if row["verdict"] == "right"]
    close = [row for row in right if row["answer_s"] <= CLOSE * min(row["answer_s"] for row in right)]
    if len(close) < 2:
        return
    turns = [[ask(row["tool"], *asked) for row in close] for _ in range(AGAIN)]
    for row, *more in zip(close, *turns, strict=True):
        for name in "answer_s", "solve_s":
            row[name] = statistics.median([row[name], *(one[name] for one in more if name in one)])


def main() -> None:
    parser = argparse.ArgumentParser(prog="run", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="mdpsolve alone, one small model; nothing is kept")
    parser.add_argument("--qcomp", metavar="FOLDER", help="folder with QComp models in DRN and answers.csv")
    parser.add_argument("--only", default="", help="only models with this in their name; other rows stay")
    parser.add_argument("--seconds", type=float, default=12, help="time limit of a run (default: 12)")
    parser.add_argument("--gigabytes", type=float, default=8, help="address space of a run (default: 8)")
    parser.add_argument("--machine", default=f"{os.cpu_count()} cores", help="what the page says of the machine")
    given = parser.parse_args()
    work = HERE / ".work"
    questions = all_questions(given.quick)
    if given.qcomp:
        questions = itertools.chain(questions, qcomp(Path(given.qcomp), _command.command(), work))
    rows = []
    for q in questions:
        if given.only not in q.name:
            continue
        found = judge(q)
        q.save(work / "question.npz")
        about = {
            "model": q.name,
            "states": q.states,
            "choices": len(q.rewards),
            "criterion": q.criterion,
            "sense": q.sense,
            "discount": q.discount or "",
        }
        own = [about | ask(tool, q, found, work, given) for tool in (["mdpsolve"] if given.quick else TOOLS)]
        again(own, q, found, work, given)
        for row in own:
            print(*(f"{name}={value}" for name, value in row.items() if value != ""), flush=True)
        rows += own
    if given.quick or not rows:
        return
    versions = {
        package: importlib.metadata.version(package)
        for package in dict.fromkeys(package for _, package in TOOLS.values())
    }
    report.write(rows, versions, given.seconds, given.gigabytes, given.machine)


if __name__ == "__main__":
    main()
