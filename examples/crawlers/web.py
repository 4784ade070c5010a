#!/usr/bin/env python3
"""A small web of pages that change, which judges the crawler that fetches it.

The pages change by Poisson processes; the rates of changes have a heavy tail (lognormal). Some answers are failures
(503). A page has an ETag, and is not sent again where If-None-Match has it (304). The web knows what every page was when
it was fetched, so it can tell at any time which copies of the crawler are up to date, whatever crawler that is.

At the end it prints one line of JSON about the second half of its time:

  ever               all requests for pages, those of the first half among them
  accesses, failed   all requests for pages, and those answered by 503
  useless            accesses that found a page as it was at the access before
  freshness          share of copies that are up to date, on average over time
  oldest             the longest time for which a copy was out of date, in days
  per_day            accesses that did not fail
  uniform            freshness if the same successful accesses went to all pages in turn, each at even intervals

A day of this web takes --day seconds.
"""

import argparse
import json
import math
import random
import threading
import time
from bisect import bisect_right
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


class Page:
    """A page: when it changes, and when it was fetched, in days since the beginning."""

    def __init__(self, source: random.Random, days: float) -> None:
        self.rate = 0.2 * math.exp(1.5 * source.gauss(0, 1))
        self.changes: list[float] = []
        self.fetches: list[float] = []
        at = source.expovariate(self.rate)
        while at < days:
            self.changes.append(at)
            at += source.expovariate(self.rate)

    def version(self, at: float) -> int:
        return bisect_right(self.changes, at)

    def judge(self, begin: float, end: float) -> tuple[float, float, int]:
        """How long the copy was up to date from begin to end, how long it was out of date at most, useless accesses."""
        fresh = longest = 0.0
        useless = 0
        if self.fetches and self.fetches[0] > begin or not self.fetches:
            longest = min([*self.fetches, end])  # there was no copy
        for i, fetched in enumerate(self.fetches):
            following = self.fetches[i + 1] if i + 1 < len(self.fetches) else end
            version = self.version(fetched)
            stale = self.changes[version] if version < len(self.changes) else math.inf
            fresh += max(0.0, min(stale, following, end) - max(fetched, begin))
            if following > begin:
                longest = max(longest, min(following, end) - stale)
            if i > 0 and fetched >= begin and self.version(self.fetches[i - 1]) == version:
                useless += 1
        return fresh, longest, useless


class Web(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 200

    def __init__(self, pages: int, seed: int, days: float, day: float, failing: float) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.source = random.Random(seed)
        self.pages = [Page(self.source, days) for _ in range(pages)]
        self.days, self.day, self.failing = days, day, failing
        self.lock = threading.Lock()
        self.asked: list[tuple[float, bool]] = []  # when a page was asked for, and whether that failed
        self.begun = 0.0  # when the first page was asked for
        self.begins = threading.Event()

    def take(self, page: Page) -> int | None:
        """The version that is sent, None for a failure."""
        with self.lock:
            if not self.begins.is_set():
                self.begun = time.monotonic()
                self.begins.set()
            now = (time.monotonic() - self.begun) / self.day
            fails = self.source.random() < self.failing
            if now < self.days:
                self.asked.append((now, fails))
                if not fails:
                    page.fetches.append(now)
            return None if fails else page.version(now)

    def verdict(self) -> dict[str, float]:
        with self.lock:
            end, begin = self.days, self.days / 2
            judged = [page.judge(begin, end) for page in self.pages]
            asked = [failed for at, failed in self.asked if at >= begin]
            each = (len(asked) - sum(asked)) / len(self.pages) / (end - begin)  # accesses of a page per day
            uniform = sum(each / page.rate * -math.expm1(-page.rate / each) for page in self.pages) if each else 0.0
            return {
                "ever": len(self.asked),
                "accesses": len(asked),
                "per_day": each * len(self.pages),
                "failed": sum(asked),
                "useless": sum(useless for _, _, useless in judged),
                "freshness": sum(fresh for fresh, _, _ in judged) / len(self.pages) / (end - begin),
                "oldest": max(longest for _, longest, _ in judged),
                "uniform": uniform / len(self.pages),
            }


class Answer(BaseHTTPRequestHandler):
    server: Web
    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16  # header and content leave together, or the second waits 40 ms for an acknowledgement

    def do_GET(self) -> None:
        name = self.path.removeprefix("/page/")
        if not name.isdigit() or int(name) >= len(self.server.pages):
            self.answer(404)
            return
        version = self.server.take(self.server.pages[int(name)])
        tag = f'"{version}"'
        if version is None:
            self.answer(503)
        elif self.headers.get("If-None-Match") == tag:
            self.answer(304, tag=tag)
        else:
            self.answer(200, f"<html><title>Page {name}</title><body>Version {version}</body></html>", tag)

    def answer(self, status: int, text: str = "", tag: str = "") -> None:
        self.send_response(status)
        if tag:
            self.send_header("ETag", tag)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        if status != 304:
            self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, format: str, *arguments: object) -> None:
        """Nothing is logged."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--days", type=float, default=12)
    parser.add_argument("--day", type=float, default=20, help="seconds that a day takes")
    parser.add_argument("--failing", type=float, default=0.02, help="share of failures")
    parser.add_argument("--urls", type=Path, required=True, help="file that is written: the URLs, one a line")
    parser.add_argument("--truth", type=Path, required=True, help="file that is written: pages and true change rates, CSV")
    given = parser.parse_args()
    web = Web(given.pages, given.seed, given.days, given.day, given.failing)
    urls = [f"http://127.0.0.1:{web.server_port}/page/{i}" for i in range(given.pages)]
    rows = (f"{url},{page.rate},day\n" for url, page in zip(urls, web.pages))
    given.truth.write_text("id,change_rate,unit\n" + "".join(rows))
    written = given.urls.with_suffix(".new")
    written.write_text("\n".join(urls) + "\n")
    written.rename(given.urls)  # whoever waits for it finds it whole
    threading.Thread(target=web.serve_forever, daemon=True).start()
    patience = 100  # until the first request
    if web.begins.wait(patience):
        time.sleep(given.days * given.day)
    print(json.dumps(web.verdict()), flush=True)


if __name__ == "__main__":
    main()
