"""The store of pages: a file of the command, with tables of pandas in and out."""

from __future__ import annotations

import datetime
import os
import re
from pathlib import Path
from typing import Any

import numpy as np

from ._command import Record, ask, file, flags, run, scratch, shown


class Store:
    """A file that keeps pages, their accesses and their rates, and says which pages are due.

        store = mdpsolve.Store("pages.db", bandwidth="20000/day")
        store.add(pages)
        for page in store.due(most=1000).id: ...
        store.record(accesses)

    Tables are DataFrames of pandas, or names of files, as in mdpsolve store. Times in a DataFrame without a zone are in
    UTC. Every method runs the command once; several processes may use a store one after the other.
    """

    def __init__(self, path: str | os.PathLike[str], **settings: Any) -> None:
        """The store in a file. With settings, which are flags of mdpsolve store set, it is made if there is none."""
        if not isinstance(path, (str, os.PathLike)) or not os.fspath(path):
            raise TypeError(f"path: found {shown(path)}: use the name of a file")
        self.path = os.path.abspath(path)
        if settings:
            self.set(**settings)
        elif not os.path.exists(self.path):
            raise ValueError(f"{os.fspath(path)}: no such file: make a store with bandwidth='20000/day'")

    def _ask(self, verb: str, options: dict[str, Any]) -> Any:
        return ask(["store", verb], options | {"store": file(self.path)})

    def set(self, **settings: Any) -> Record:
        """Changes settings: bandwidth, host_delay and the other flags of mdpsolve store set."""
        found: Record = self._ask("set", settings)
        return found

    def info(self) -> Record:
        """The settings, and the number of pages."""
        found: Record = self._ask("info", {})
        return found

    def check(self) -> Record:
        """Reads the whole file, and returns the number of pages. Raises ValueError where it is damaged."""
        found = self._ask("check", {})
        if not found:
            raise ValueError(f"{self.path}: the file is damaged: use a backup")
        return Record(found)

    def backup(self, out: str | os.PathLike[str]) -> None:
        """Writes a copy. The file appears when it is complete, and replaces only a store that no process has open."""
        run(["store", "backup", *flags({"store": file(self.path), "out": file(os.path.abspath(out))})])

    def add(self, pages: Any = None, *, new: bool = False, sitemap: Any = None, **options: Any) -> Record:
        """Adds pages: a column id or url, and optionally host and weight. With new, those that are there stay.

        In place of pages, sitemap names a file. from_, such as "cdx", says in which format another program wrote pages.
        """
        if sitemap is not None:
            if pages is not None or new:
                raise TypeError("sitemap: found with pages or new: use one of them")
            given: Record = self._ask("add", options | {"sitemap": file(os.path.abspath(sitemap))})
            return given
        return self._give("add", pages, "pages", options | {"new": new})

    def remove(self, pages: Any) -> Record:
        """Removes pages, which have a column id or url, and their history."""
        return self._give("remove", pages, "pages", {})

    def record(self, accesses: Any, *, now: Any = None) -> Record:
        """Records accesses in the order of time: a column id or url, and at least one of time, changed, digest, status.

        now is the present, where that is not the time of the clock: a text or a datetime.
        """
        if "time" in getattr(accesses, "columns", []) and (absent := accesses["time"].isna()).any():
            row = int(absent.to_numpy().argmax())
            raise ValueError(f"accesses: row {row} has no time: give one, or leave out the column time for now")
        return self._give("record", accesses, "accesses", {"now": moment(now)})

    def due(self, most: int, *, now: Any = None, host: str | None = None, **options: Any) -> Any:
        """A DataFrame of the pages that are due, at most so many, earliest deadlines first, with their hosts.

        Other arguments are flags of mdpsolve store due. With for_ it is the list of lines for that crawler.
        """
        if options.get("out") is not None:
            raise TypeError(f"out: found {shown(options['out'])}: leave it out, and write the table to a file yourself")
        return self._table("due", {**options, "most": most, "now": moment(now), "host": host})

    def rates(self, *, host: str | None = None, gone: bool = False) -> Any:
        """A DataFrame of all pages with their best access rates. With gone, pages that are gone are in it, too."""
        return self._table("rates", {"host": host, "gone": gone})

    def _give(self, verb: str, table: Any, argument: str, options: dict[str, Any]) -> Record:
        """What a verb answers that reads a table."""
        if isinstance(table, (str, os.PathLike)):
            given: Record = self._ask(verb, options | {"input": file(os.path.abspath(table))})
            return given
        import pandas as pd

        if not isinstance(table, pd.DataFrame):
            found = type(table).__name__
            raise TypeError(f"{argument}: found {found}: use a DataFrame of pandas, or the name of a file")
        written = table.assign(**{name: times(table[name]) for name in table if table[name].dtype.kind in "mM"})
        with scratch(int(written.memory_usage(deep=True).sum())) as folder:
            path = Path(folder, "table.csv")
            written.to_csv(path, index=False)
            try:
                made: Record = self._ask(verb, options | {"input": path})
            except ValueError as refused:
                line = str(refused).replace(f"{path}:", f"{argument}:").replace(str(path), argument)
                raise ValueError(re.sub("^input: ", f"{argument}: ", line)) from None
        return made

    def _table(self, verb: str, options: dict[str, Any]) -> Any:
        """The table that a verb writes."""
        import pandas as pd

        with scratch(0) as folder:
            path = Path(folder, "table.csv")
            run(["store", verb, *flags(options | {"store": file(self.path), "out": path})])
            if options.get("for_") is not None:
                return path.read_text(encoding="utf-8").splitlines()
            texts = dict.fromkeys(("id", "host", "outcome", "unit"), str)
            found = pd.read_csv(path, dtype=texts, keep_default_na=False, na_values={"visited": [""]})
        return found.assign(visited=pd.to_datetime(found["visited"], utc=True)) if "visited" in found else found

    def __repr__(self) -> str:
        return f"<store {self.path}>"


def moment(time: Any) -> Any:
    """A time as the command reads it: that of a datetime, in UTC where it has no zone."""
    if time is None or isinstance(time, str):
        return time
    import pandas as pd

    if not isinstance(time, (datetime.date, np.datetime64)) or pd.isna(time):
        raise TypeError(f"now: found {shown(time)}: use a text such as 2026-01-31T15:00:00Z, or a datetime")
    return times(pd.Series([time]))[0]


def times(column: Any) -> Any:
    """Times of pandas as texts in UTC."""
    import pandas as pd

    found = pd.to_datetime(column, utc=True)
    return found.dt.strftime("%Y-%m-%dT%H:%M:%S.%fZ").where(found.notna(), "")
