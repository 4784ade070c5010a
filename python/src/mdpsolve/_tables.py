"""The models of crawler robots and of page refresh, as the command has them."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from ._command import Record, ask, file, scratch


class Records(list[Record]):
    """The rows of an answer, each a Record."""

    def frame(self) -> Any:
        """The rows as a table of pandas."""
        import pandas as pd

        return pd.DataFrame(list(self))

    def plot(self, ax: Any = None) -> Any:
        """Draws the costs of a sweep by matplotlib, and returns the axes. ax may be the name of a file."""
        from . import _plot

        return _plot.costs(self, ax)


def rows(found: Any) -> Any:
    """An answer, of which a list has a frame."""
    return Records(found) if isinstance(found, list) else found


def robots(verb: str = "solve", **options: Any) -> Any:
    """What mdpsolve robots VERB answers in JSON: a Record or, for a table or a sweep, Records with a frame().

    Keyword arguments are its flags: robots(robots=16, lambda_="1/10", mu=1, gamma=1.4, buffer=5); a list gives a flag
    several times.
    """
    return rows(ask(["robots", verb], options))


def static(verb: str | None = None, **options: Any) -> Any:
    """What mdpsolve static answers in JSON, a Record, or with verb "sweep" Records. Keyword arguments are its flags."""
    return rows(ask(["static", *([verb] if verb else [])], options))


def refresh(pages: Any = None, verb: str = "rates", **options: Any) -> Any:
    """What mdpsolve refresh VERB answers about pages: a pandas DataFrame, or the name of a file.

    For a DataFrame it returns one, of rates, slots or estimates, with the answer in JSON as attrs["answer"]; for a
    file it returns the answer. Keyword arguments are flags; the DataFrame stands for --input.
    """
    if pages is None:
        return rows(ask(["refresh", verb], options))
    if "input" in options:
        raise ValueError("input: leave it out beside pages")
    if isinstance(pages, (str, os.PathLike)):
        return rows(ask(["refresh", verb], options | {"input": file(pages)}))
    import pandas as pd

    if not isinstance(pages, pd.DataFrame):
        raise TypeError(f"pages: found {type(pages).__name__}: use a DataFrame of pandas, or the name of a file")

    with scratch(int(pages.memory_usage(deep=True).sum())) as folder:
        given, made = (Path(folder, name) for name in ("pages.csv", "answer.csv"))
        pages.to_csv(given, index=False)
        written = {"out": made} if str(verb) in ("rates", "schedule", "estimate") and "out" not in options else {}
        try:
            answer = rows(ask(["refresh", verb], options | {"input": given} | written))
        except ValueError as refused:
            line = str(refused).replace(f"{given}:", "pages:").replace(str(given), "the table")
            raise ValueError(re.sub("^input: ", "pages: ", line)) from None
        if not made.exists():
            return answer
        names = [name for name in ("id", "url") if name in pages and pages[name].dtype.kind not in "mM"]
        table = pd.read_csv(made, dtype={name: pages[name].dtype for name in names})
    table.attrs["answer"] = answer
    return table
