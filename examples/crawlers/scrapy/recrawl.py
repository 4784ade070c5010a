"""A Scrapy spider that fetches again and again what a store of mdpsolve says is due.

    scrapy runspider recrawl.py -a urls=urls.txt -a bandwidth=40 -a seconds=240

Again and again it records what was fetched, and asks for as many pages as the bandwidth allows since it asked last. A
page that has not changed is not sent again: the spider keeps each ETag.
"""

import asyncio
import time
from datetime import datetime, timezone
from pathlib import Path

import pandas as pd
import scrapy
from scrapy.exceptions import CloseSpider

import mdpsolve


class Recrawl(scrapy.Spider):
    name = "recrawl"
    custom_settings = {
        "LOG_LEVEL": "WARNING",
        "RETRY_ENABLED": False,  # the store says when to try again
        "HTTPERROR_ALLOW_ALL": True,  # 304 is no failure, and the store takes others as they are
        "DOWNLOAD_DELAY": 0,
    }

    def __init__(self, urls, bandwidth, seconds, store="pages.db", **options):
        super().__init__(**options)
        self.bandwidth = float(bandwidth)
        self.end = time.monotonic() + float(seconds)
        self.store = mdpsolve.Store(store, bandwidth=f"{bandwidth}/second")
        self.store.add(pd.DataFrame({"url": Path(urls).read_text().split()}))
        self.tags, self.accesses, self.waiting = {}, [], set()

    async def start(self):
        asked = time.monotonic() - 1
        while (now := time.monotonic()) < self.end:
            most = int(min(now - asked, 1) * self.bandwidth)  # what was not used for a second is lost
            if most > 0:
                asked = now
                for url in await asyncio.to_thread(self.turn, most):
                    self.waiting.add(url)
                    tag = {"If-None-Match": self.tags[url]} if url in self.tags else {}
                    yield scrapy.Request(url, headers=tag, dont_filter=True, errback=self.failed)
            await asyncio.sleep(0.1)
        raise CloseSpider("the time is over")

    def turn(self, most):
        """Records what was fetched, and returns what is to be fetched: pages that are due and not on their way."""
        done, self.accesses = self.accesses, []
        if done:
            self.store.record(pd.DataFrame(done))
            self.waiting -= {access["url"] for access in done}
        due = self.store.due(most + len(self.waiting)).id
        return [url for url in due if url not in self.waiting][:most]

    def parse(self, response):
        if tag := response.headers.get("ETag"):
            self.tags[response.url] = tag
        tag = self.tags.get(response.url)
        digest = f"{response.url} {tag.decode()}" if tag else ""  # pages with different contents may have one tag
        self.took_place(response.url, response.status, digest)

    def failed(self, failure):
        self.took_place(failure.request.url, 0, "")

    def took_place(self, url, status, digest):
        self.accesses.append({"url": url, "time": datetime.now(timezone.utc), "status": status, "digest": digest})
