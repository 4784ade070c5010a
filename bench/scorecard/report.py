"""The table of the scorecard as CSV, as a page of the guides and as a picture."""

from __future__ import annotations

import csv
import datetime
import math
import statistics
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
TABLE = HERE / "scorecard.csv"
DOCS = HERE.parent.parent / "docs"
OURS = "mdpsolve"
Row = dict[str, object]

PAGE = """# Scorecard: the same models in all tools

*For those who choose a tool. At the end you know which tools answer which questions, how fast and how well.*

`bench/scorecard/run --qcomp FOLDER` makes this page, the picture (as `--plot scorecard.svg` would) and [the
full table](../bench/scorecard/scorecard.csv), which has memory, ratios and other times. {date}, {machine}.
{versions}.

Each tool gets the same arrays in a process of its own, with {seconds:g} s and {gigabytes:g} GB of address
space, and is asked for an error of 10⁻⁶ of the greatest value. An answer is right if it is that close to the
bounds that `mdpsolve solve` proves and `mdpsolve check` confirms; so are QComp's values. A cell has
the seconds from arrays to answer, without loading the tool, as the median of nine times, or as many as begin in 2 s.
Tools that take at most 1.5 times as long as the fastest are asked six times more, in turn, and the median counts.
mdpax compiles for each model. The fastest right answer is bold. **✗** is a wrong value and its error relative to the
greatest, with ✓ if the policy is right all the same; *time*, *memory*, *error* and *precision-limit* are no
answers; ? is one that our bounds cannot judge; — is a question that the tool does not know.

{table}

PI, MPI and VI: policy, modified policy and value iteration. Storm's default is that of its command. Robots
are `mdpsolve robots` for mdpsolve, a plain model for the others.

{summary}

{reasons}

![How many questions each tool answers right within a time](scorecard.svg)
"""
REASONS = """Where mdpsolve is behind: models go through memory to a process of its own, and results come back the same
way. That takes 1 to 4 ms for most models, 1 to 10 ms for 10⁴ states, often more than solving them. Solving alone is
what the command reports, certificate included. The chain of 1,001 states with rates from 10⁻⁶ to 10⁶ is beyond the
precision of mdpsolve, and it says so."""


def read() -> list[Row]:
    """The rows of the table as it is."""
    with TABLE.open(newline="") as file:
        rows = list(csv.DictReader(file))
    return [{name: float(v) if name in ("answer_s", "solve_s") and v else v for name, v in row.items()} for row in rows]


def key(row: Row) -> tuple[object, ...]:
    return tuple(str(row[name]) for name in ("model", "states", "criterion", "sense", "discount"))


def seconds(value: float) -> str:
    return f"{value:.2g}" if value < 10 else f"{value:.0f}"


def cell(row: Row, best: float) -> str:
    if row["verdict"] == "right":
        text = seconds(row["answer_s"])
        return f"**{text}**" if row["answer_s"] == best else text
    if row["verdict"] == "wrong":
        return f"**✗**{row['off']}" + ("✓" if row.get("policy") == "good" else "")
    if row["verdict"] == "unjudged":
        return "?"
    return "—" if row["verdict"] == "cannot" else f"*{row['why']}*"


def ratios(questions: list[list[Row]], name: str) -> list[float]:
    """The least time of the others divided by ours, where we and others are right."""
    found = []
    for rows in questions:
        right = {row["tool"]: row[name] for row in rows if row["verdict"] == "right"}
        ours = right.pop(OURS, None)
        if ours and right:
            found.append(min(right.values()) / ours)
    return found


def summary(questions: list[list[Row]], tools: Sequence[str]) -> str:
    """A table of verdicts by tool, and how far the first is ahead."""
    verdicts = ["right", "wrong", "no answer", "cannot", "unjudged"]
    lines = ["|".join(["", "tool", *verdicts, ""]), "|---" * (1 + len(verdicts)) + "|"]
    for tool in tools:
        given = [row["verdict"] for rows in questions for row in rows if row["tool"] == tool]
        lines.append("|".join(["", tool, *(str(given.count(verdict)) for verdict in verdicts), ""]))
    text = []
    for name, what in (("answer_s", "From arrays to answer"), ("solve_s", "Solving alone")):
        found = ratios(questions, name)
        first = f"first in {sum(ratio >= 1 for ratio in found)} of the {len(found)} rows that others answer right, too"
        text.append(
            f"{what}, mdpsolve is {first}; the fastest other takes {statistics.median(found):.2g} times as long"
        )
    return "\n".join([*lines, "", *(f"{line} in the median." for line in text)])


def draw(questions: list[list[Row]], tools: Sequence[str], limit: float, path: Path) -> None:
    """Draws for each tool how many questions it has answered right within a time."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    matplotlib.rcParams |= {"svg.hashsalt": "scorecard", "svg.fonttype": "none", "font.family": "sans-serif"}
    figure, ax = pyplot.subplots(figsize=(8, 4.5), layout="constrained")
    for i, tool in enumerate(tools):
        own = [row for rows in questions for row in rows if row["tool"] == tool]
        times = sorted(row["answer_s"] for row in own if row["verdict"] == "right")
        counts = [*range(1, len(times) + 1), len(times)]
        style = {"linewidth": 2.5 if tool == OURS else 1.3, "color": f"C{i}", "linestyle": "--" if i % 2 else "-"}
        ax.step([*times, limit], counts, where="post", label=f"{tool} ({len(times)})", **style)
    ax.set(xscale="log", xlabel="seconds from arrays to answer", ylabel=f"right answers, of {len(questions)}")
    ax.grid(alpha=0.3)
    ax.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
    figure.savefig(path, metadata={"Date": None, "Creator": None})


def write(rows: list[Row], versions: dict[str, str], limit: float, gigabytes: float, machine: str) -> None:
    """Writes scorecard.csv here, and scorecard.md and scorecard.svg into docs; rows of other questions stay."""
    old = read() if TABLE.exists() else []
    grouped: dict[tuple[object, ...], list[Row]] = {key(row): [] for row in [*old, *rows]}
    asked_now = {key(row) for row in rows}
    rows = [*(row for row in old if key(row) not in asked_now), *rows]
    for row in rows:
        grouped[key(row)].append(row)
    rows = [row for group in grouped.values() for row in group]
    questions, tools = list(grouped.values()), list(dict.fromkeys(str(row["tool"]) for row in rows))
    table = ["|".join(["", "model", "states", "question", *tools, ""]), "|---" * (3 + len(tools)) + "|"]
    for group in questions:
        best = min((row["answer_s"] for row in group if row["verdict"] == "right"), default=math.nan)
        for row in group:
            row["ratio"] = f"{row['answer_s'] / best:.3g}" if row["verdict"] == "right" else ""
        first = group[0]
        asked = f"{first['criterion']} {first['discount']}".strip() + f", {first['sense']}"
        cells = [str(first["model"]), str(first["states"]), asked, *(cell(row, best) for row in group)]
        table.append("|".join(["", *cells, ""]))
    names = list(dict.fromkeys(name for row in rows for name in row))
    with TABLE.open("w", newline="") as file:
        writer = csv.DictWriter(file, names, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    page = PAGE.format(
        date=datetime.date.today().strftime("%-d %B %Y"),
        machine=machine,
        versions=", ".join(f"{name} {version}" for name, version in versions.items()),
        seconds=limit,
        gigabytes=gigabytes,
        table="\n".join(table),
        summary=summary(questions, tools),
        reasons=REASONS,
    )
    (DOCS / "scorecard.md").write_text(page)
    draw(questions, tools, limit, DOCS / "scorecard.svg")
