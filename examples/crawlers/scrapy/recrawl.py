"""A Scrapy spider that fetches again and again what a store of mdpsolve says is due.

    scrapy runspider recrawl.py -a urls=urls.txt -a bandwidth=40 -a seconds=240

It fetches a batch, records what came of it, and asks for the next batch. A page that has not changed is not sent again:
the spider keeps each ETag.
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
        self.batch = int(bandwidth)  # of a second
        self.end = time.monotonic() + float(seconds)
        self.store = mdpsolve.Store(store, bandwidth=f"{bandwidth}/second")
        self.store.add(pd.DataFrame({"url": Path(urls).read_text().split()}))
        self.tags, self.accesses, self.waiting = {}, [], 0

    async def start(self):
        while (now := time.monotonic()) < self.end:
            for url in await asyncio.to_thread(self.turn):
                self.waiting += 1
                tag = {"If-None-Match": self.tags[url]} if url in self.tags else {}
                yield scrapy.Request(url, headers=tag, dont_filter=True, errback=self.failed)
            while self.waiting or time.monotonic() < now + 1:
                await asyncio.sleep(0.01)
        raise CloseSpider("the time is over")

    def turn(self):
        """Records what was fetched, and returns what is to be fetched."""
        if self.accesses:
            self.store.record(pd.DataFrame(self.accesses))
            self.accesses = []
        return list(self.store.due(self.batch).id)

    def parse(self, response):
        if tag := response.headers.get("ETag"):
            self.tags[response.url] = tag
        digest = self.tags.get(response.url, b"").decode()
        self.took_place(response.url, response.status, digest)

    def failed(self, failure):
        self.took_place(failure.request.url, 0, "")

    def took_place(self, url, status, digest):
        self.waiting -= 1
        self.accesses.append({"url": url, "time": datetime.now(timezone.utc), "status": status, "digest": digest})
