"""The questions of the scorecard: models in arrays, each made from a seed or read from a file, and what is asked."""

from __future__ import annotations

import csv
import functools
import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

Floats = npt.NDArray[np.float64]


@dataclass
class Question:
    """A model, whose choices are ordered by state, and what is asked about it."""

    name: str
    criterion: str  # discounted, average or total
    sense: str  # min or max
    start: npt.NDArray[np.int64]  # the first choice of each state, and the number of choices
    transitions: sp.csr_array  # a row for each choice
    rewards: Floats  # by choice; costs for min
    discount: float = 0.0
    target: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))  # states that end a total
    initial: int = -1  # the state whose value is asked; -1: all
    robots: str = ""  # flags of mdpsolve robots, in JSON, for its own form of the model
    known: float = np.nan  # the published value

    @property
    def states(self) -> int:
        return len(self.start) - 1

    @property
    def counts(self) -> npt.NDArray[np.int64]:
        return np.diff(self.start)

    @functools.cached_property
    def choices(self) -> npt.NDArray[np.int64]:
        """The choice of each state and action; where a state has fewer actions than others, its first again."""
        actions = np.arange(self.counts.max())
        return self.start[:-1, None] + np.where(actions < self.counts[:, None], actions, 0)

    @functools.cached_property
    def matrices(self) -> tuple[list[sp.csr_matrix], Floats]:
        """The model in another form: a matrix for each action, and rewards by state and action."""
        count = self.choices.shape[1]
        return [sp.csr_matrix(self.transitions[self.choices[:, a]]) for a in range(count)], self.rewards[self.choices]

    def save(self, path: Path) -> None:
        q = self.transitions
        fields = {n: v for n, v in vars(self).items() if n in self.__dataclass_fields__ and n != "transitions"}
        np.savez(path, data=q.data, indices=q.indices, indptr=q.indptr, **fields)

    @classmethod
    def load(cls, path: Path) -> Question:
        with np.load(path) as saved:
            given = {n: saved[n] if saved[n].ndim else saved[n].item() for n in saved}
        parts = [given.pop(n) for n in ("data", "indices", "indptr")]
        shape = (len(parts[2]) - 1, len(given["start"]) - 1)
        return cls(transitions=sp.csr_array(tuple(parts), shape=shape), **given)


def of_entries(name: str, asked: dict, counts, rows, columns, data, rewards) -> Question:
    """A question whose transitions are listed; those of the same choice to the same state are added."""
    start = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    entries = (np.concatenate(data), (np.concatenate(rows), np.concatenate(columns)))
    matrix = sp.csr_array(sp.coo_array(entries, shape=(int(start[-1]), len(start) - 1)))
    matrix.eliminate_zeros()
    return Question(name, start=start, transitions=matrix, rewards=np.asarray(rewards, float), **asked)


def in_steps(name: str, asked: dict, counts, rates: sp.csr_array, costs: Floats) -> Question:
    """A continuous-time model as a discrete one; costs are per unit of time.

    A step is one jump for totals. Otherwise all steps take the same time on average (uniformization).
    """
    start = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    own = np.repeat(np.arange(len(counts)), counts)
    out = rates.sum(axis=1)
    total = np.where(out > 0, out, 1.0) if asked["criterion"] == "total" else np.full(len(own), 1.05 * out.max())
    stay = sp.coo_array(((total - out) / total, (np.arange(len(own)), own)), shape=rates.shape)
    matrix = sp.csr_array(sp.diags_array(1 / total) @ rates + stay)
    matrix.eliminate_zeros()
    rewards = costs if asked["criterion"] == "average" else costs / total
    return Question(name, start=start, transitions=matrix, rewards=rewards, **asked)


AVERAGE = {"criterion": "average", "sense": "min"}


def garnet(n: int, asked: dict, name: str = "garnet", seed: int = 1) -> Question:
    """A random model: 4 actions, each to 10 random states."""
    random = np.random.default_rng(seed)
    rows = np.repeat(np.arange(4 * n), 10)
    data = random.dirichlet(np.ones(10), 4 * n).ravel()
    columns, rewards = random.integers(n, size=40 * n), random.random(4 * n)
    return of_entries(name, asked, np.full(n, 4), [rows], [columns], [data], rewards)


def blocks(n: int, link: float, seed: int = 2) -> Question:
    """Nearly decomposable: blocks of 100 states, random inside, left with a small probability in each step."""
    random = np.random.default_rng(seed)
    rows, own = np.arange(4 * n), np.repeat(np.arange(n), 4)
    inside = (own // 100 * 100)[:, None] + random.integers(100, size=(4 * n, 10))
    data = (1 - link) * random.dirichlet(np.ones(10), 4 * n)
    levels = random.random(-(-n // 100))[own // 100]
    return of_entries(
        "nearly decomposable",
        AVERAGE,
        np.full(n, 4),
        [np.repeat(rows, 10), rows],
        [inside.ravel(), random.integers(n, size=4 * n)],
        [data.ravel(), np.full(4 * n, link)],
        levels + random.random(4 * n),
    )


def queue(name: str, asked: dict, size: int, arrivals: Floats, services: Floats, costs: Floats) -> Question:
    """A queue with room for size customers, with rates and costs by state and action."""
    states, actions = arrivals.shape
    at = np.arange(states * actions)
    own = np.repeat(np.arange(states), actions)
    up, down = np.where(own < size, arrivals.ravel(), 0), np.where(own > 0, services.ravel(), 0)
    entries = (
        np.concatenate([up, down]),
        (np.tile(at, 2), np.concatenate([np.minimum(own + 1, size), np.maximum(own - 1, 0)])),
    )
    rates = sp.csr_array(sp.coo_array(entries, shape=(states * actions, states)))
    return in_steps(name, asked, np.full(states, actions), rates, costs.ravel())


def admission(size: int) -> Question:
    """Customers arrive at rate 0.9, are served at rate 1, wait at cost 1, and may be turned away at cost 20."""
    arrivals = np.tile([0.9, 0.0], (size + 1, 1))
    turned_away = np.tile([0.0, 18.0], (size + 1, 1))
    turned_away[size] = 18.0
    costs = np.arange(size + 1.0)[:, None] + turned_away
    return queue("admission control", AVERAGE, size, arrivals, np.ones_like(arrivals), costs)


def service(size: int, asked: dict) -> Question:
    """Four speeds of service, the faster the dearer."""
    shape = (size + 1, 4)
    costs = np.arange(size + 1.0)[:, None] + np.array([0.0, 1.0, 4.0, 9.0])
    speeds = np.broadcast_to([0.5, 1.0, 1.5, 2.0], shape)
    return queue("service-rate control", asked, size, np.full(shape, 0.8), speeds, costs)


def stiff(size: int, seed: int = 3) -> Question:
    """A birth-death process with rates from 1e-6 to 1e6; repairs may be made ten times as fast at a cost."""
    random = np.random.default_rng(seed)
    up, down = (10 ** random.uniform(-6, 6, size + 1) for _ in range(2))
    costs = np.linspace(0, 1, size + 1)[:, None] + [0.0, 0.1]
    return queue("rates 1e-6 to 1e6", AVERAGE, size, np.stack([up, up], 1), np.stack([down, 10 * down], 1), costs)


def overflow(size: int) -> Question:
    """The longest mean time until a queue overflows, which is a rare event, with two speeds of service."""
    shape = (size + 1, 2)
    asked = {"criterion": "total", "sense": "max", "target": np.array([size]), "initial": 0}
    open_ = np.arange(size + 1)[:, None] < size
    speeds = np.array([0.9, 1.0]) * open_
    return queue("time to overflow", asked, size, np.full(shape, 0.5), speeds, np.ones(shape) * open_)


def robots(count: int, room: int, rate: float, gamma: float) -> Question:
    """Crawler robots: which to activate as pages are indexed, which to rest as they deliver."""
    active, pages, rest, send = (
        axis.ravel() for axis in np.meshgrid(np.arange(count + 1), np.arange(room + 1), [0, 1], [0, 1], indexing="ij")
    )
    number = active * (room + 1) + pages - 1
    valid = (rest <= active) & (active + send <= count) & (active + pages > 0)
    valid &= (active + send > 0) | (pages > 1)  # never all idle at an empty queue, from which no way leads
    active, pages, rest, send, number = (axis[valid] for axis in (active, pages, rest, send, number))
    at = np.arange(len(number))
    delivered = (active - rest) * (room + 1) + np.minimum(pages + 1, room) - 1
    indexed = np.maximum((active + send) * (room + 1) + pages - 2, 0)
    flows = np.concatenate([active * rate, (pages > 0) * 1.0])
    entries = (flows, (np.tile(at, 2), np.concatenate([delivered, indexed])))
    matrix = sp.coo_array(entries, shape=(len(at), int(number.max()) + 1))
    costs = gamma * (pages == 0) + rate * active * (pages == room)
    question = in_steps("robots", AVERAGE, np.bincount(number), sp.csr_array(matrix), costs)
    question.robots = json.dumps({"robots": count, "buffer": room, "lambda_": rate, "mu": 1, "gamma": gamma})
    return question


def qcomp(folder: Path, command: str, work: Path) -> Iterator[Question]:
    """The questions of answers.csv in a folder of files in DRN."""
    for line in csv.DictReader(Path(folder, "answers.csv").read_text().splitlines()):
        name = line["file"].removesuffix(".drn.gz")
        path = work / f"{name}.json"
        if not path.exists():
            subprocess.run([command, "convert", str(folder / line["file"]), str(path)], check=True, capture_output=True)
        model = json.loads(path.read_text())
        index = model["reward_models"].index(line["reward"])
        asked = {"criterion": line["criterion"], "sense": line["sense"] or "max"}
        counts, rows, columns, data, rewards = [], [], [], [], []
        ended = model["labels"][line["target"]] if line["target"] else []
        if line["target"]:
            asked |= {"target": np.array(ended), "initial": model["initial"][0]}
        for s, state in enumerate(model["states"]):
            actions = [{"to": [[s, 1]]}] if s in set(ended) else state["actions"]
            counts.append(len(actions))
            for action in actions:
                rows += [len(rewards)] * len(action["to"])
                columns += [to for to, _ in action["to"]]
                data += [p for _, p in action["to"]]
                given = [] if s in set(ended) else [state.get("rewards"), action.get("rewards")]
                rewards.append(sum(r[index] for r in given if r))
        question = of_entries("QComp", asked, counts, [rows], [columns], [np.array(data, float)], rewards)
        if model["kind"] == "ctmc":
            question = in_steps("QComp", asked, counts, question.transitions, question.rewards)
        question.name, question.known = f"{name} {line['reward']}", float(line["value"])
        yield question


def all_questions(quick: bool) -> Iterator[Question]:
    """The questions whose models are made here."""
    discounted = {"criterion": "discounted", "sense": "max", "discount": 0.99}
    average = {"criterion": "average", "sense": "max"}
    if quick:
        yield garnet(1000, discounted)
        return
    for n in (10**3, 10**4, 10**5):
        yield garnet(n, discounted)
        yield garnet(n, average)
    for n in (100, 10_000):
        yield admission(n)
    for n in (1000, 100_000):
        yield service(n, discounted | {"sense": "min"})
        yield service(n, AVERAGE)
    yield robots(16, 5, 0.1, 1.4)
    yield robots(100, 50, 0.02, 1.4)
    yield robots(1000, 40, 0.002, 1.4)
    for n in (10**3, 10**4):
        yield garnet(n, discounted | {"discount": 0.9999}, "slow discount")
    for n in (10**3, 10**4):
        yield blocks(n, 1e-6)
    for n in (50, 1000):
        yield stiff(n)
    for n in (20, 40):
        yield overflow(n)
