"""The table of the scorecard as CSV, as a page of the guides and as a picture."""

from __future__ import annotations

import csv
import datetime
import math
import statistics
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
DOCS = HERE.parent.parent / "docs"
COLUMNS = "model states choices criterion sense discount tool verdict why off policy answer_s solve_s whole_s memory ratio message".split()
OURS = "mdpsolve"
Row = dict[str, object]

PAGE = """# Scorecard: the same models in all tools

*For those who choose a tool. At the end you know which tools answer which questions, how fast, and how often they are wrong.*

`bench/scorecard/run --qcomp FOLDER` makes this page, [the table in full](../bench/scorecard/scorecard.csv) and the picture, which in other programs would be `--plot scorecard.svg`. {date}, {machine}.

{versions}.

Every tool gets the same arrays, in a process of its own, with {seconds:g} s and {gigabytes:g} GB of address space, and is asked for an error of 10⁻⁶ of the greatest value. An answer is right if it is within that of the bounds that `mdpsolve solve` proves and `mdpsolve check` confirms; QComp's published values are, too. A cell has the seconds from arrays to answer: preparing the tool's model, and solving. The program that first loads, imports and compiles is not timed, but mdpax compiles for each model. The fastest right answer is bold. **✗** is a wrong value and its error relative to the greatest value, ✓ behind it a policy that is right all the same; *time*, *memory* and *error* are no answers; – is a question that the tool does not know.

{table}

MPI, PI and VI: modified policy, policy and value iteration (for averages, relative value iteration). The Robots model is `mdpsolve robots` for mdpsolve.

{summary}

![How many questions each tool answers right within a time](scorecard.svg)
"""


def key(row: Row) -> tuple[object, ...]:
    return tuple(row[name] for name in ("model", "states", "criterion", "sense", "discount"))


def seconds(value: float) -> str:
    return f"{value:.2g}" if value < 10 else f"{value:.0f}"


def cell(row: Row, best: float) -> str:
    if row["verdict"] == "right":
        text = seconds(row["answer_s"])
        return f"**{text}**" if row["answer_s"] == best else text
    if row["verdict"] == "wrong":
        return f"**✗**{row['off']}" + ("✓" if row.get("policy") == "good" else "")
    return "–" if row["verdict"] == "cannot" else f"*{row['why']}*"


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
    lines = ["|tool|right|wrong|no answer|cannot|", "|---|---|---|---|---|"]
    for tool in tools:
        verdicts = [row["verdict"] for rows in questions for row in rows if row["tool"] == tool]
        lines.append("|".join(["", tool, *(str(verdicts.count(v)) for v in ("right", "wrong", "no answer", "cannot")), ""]))
    text = []
    for name, what in (("answer_s", "from arrays to answer"), ("solve_s", "solving alone")):
        found = ratios(questions, name)
        first = sum(ratio >= 1 for ratio in found)
        text.append(f"{what}, mdpsolve is first in {first} of {len(found)} rows that others answer right, too, and the fastest of the others takes {statistics.median(found):.2g} times as long in the median")
    said = "; ".join(text)
    lost = "Where mdpsolve is behind, the models are small: it starts a program for each question, which takes about {:.2g} s."
    small = min(row["answer_s"] for rows in questions for row in rows if row["tool"] == OURS)
    return "\n".join([*lines, "", said[0].upper() + said[1:] + ". " + lost.format(small)])


def draw(questions: list[list[Row]], tools: Sequence[str], path: Path) -> None:
    """Draws for each tool how many questions it has answered right within a time."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    matplotlib.rcParams |= {"svg.hashsalt": "scorecard", "svg.fonttype": "none", "font.family": "sans-serif"}
    figure, ax = pyplot.subplots(figsize=(8, 4.5), layout="constrained")
    for i, tool in enumerate(tools):
        times = sorted(r["answer_s"] for rows in questions for r in rows if r["tool"] == tool and r["verdict"] == "right")
        style = {"linewidth": 2.5 if tool == OURS else 1.3, "color": f"C{i}", "linestyle": "--" if i % 2 else "-"}
        ax.step([*times, 20], [*range(1, len(times) + 1), len(times)], where="post", label=f"{tool} ({len(times)})", **style)
    ax.set(xscale="log", xlabel="seconds from arrays to answer", ylabel=f"right answers, of {len(questions)}", ylim=(0, len(questions) + 1))
    ax.grid(alpha=0.3)
    ax.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
    figure.savefig(path, metadata={"Date": None, "Creator": None})


def write(rows: list[Row], versions: dict[str, str], limit: float, gigabytes: float, machine: str) -> None:
    """Writes scorecard.csv here, and scorecard.md and scorecard.svg into docs."""
    grouped: dict[tuple[object, ...], list[Row]] = {}
    for row in rows:
        grouped.setdefault(key(row), []).append(row)
    questions, tools = list(grouped.values()), list(dict.fromkeys(str(row["tool"]) for row in rows))
    table = ["|".join(["", "model", "states", "question", *tools, ""]), "|---" * (3 + len(tools)) + "|"]
    for group in questions:
        best = min((row["answer_s"] for row in group if row["verdict"] == "right"), default=math.nan)
        for row in group:
            row["ratio"] = f"{row['answer_s'] / best:.3g}" if row["verdict"] == "right" else ""
        first = group[0]
        asked = f"{first['criterion']} {first['discount']}".strip() + f", {first['sense']}"
        table.append("|".join(["", str(first["model"]), str(first["states"]), asked, *(cell(row, best) for row in group), ""]))
    with (HERE / "scorecard.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="", lineterminator="\n")
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
    )
    (DOCS / "scorecard.md").write_text(page)
    draw(questions, tools, DOCS / "scorecard.svg")
