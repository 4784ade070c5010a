"""Models of arrays: what P and R may be, and as what file they reach the command."""

from __future__ import annotations

import io
import json
import os
import tarfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ._files import whole

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.integer[Any]]

TARGET = "target"  # the label of the states that end a total
BLOCK = 1 << 17  # transitions that are arranged at a time, which fit the cache


class Rows(NamedTuple):
    """Transitions of some choices, in increasing order of these, as in a CSR matrix."""

    choices: Indices
    indptr: Indices
    indices: Indices
    data: Floats
    rewards: Floats | None = None  # by transition
    lows: Floats | None = None  # the least probabilities, where data are the greatest


@dataclass
class Model:
    """A model for solve: made of arrays by Model.of, or in a file by read."""

    path: str | None = None
    states: int = 0
    start: Indices = field(default_factory=lambda: np.zeros(1, np.int64))  # the first choice of each state
    actions: Indices | None = None  # by choice; None where each state has all of them
    rows: list[Rows] = field(default_factory=list)
    rewards: Floats | None = None  # by choice
    has_end: bool = False  # the last state is one without value, in which episodes end

    @classmethod
    def of(cls, P: Any, R: Any = None, sense: str = "max", upper: Any = None) -> Model:
        """The model that the arguments of solve describe."""
        if upper is not None and isinstance(P, (Model, str, os.PathLike, Mapping)):
            raise ValueError("upper: use it with matrices P")
        if isinstance(P, Model):
            model = P
        elif isinstance(P, (str, os.PathLike)):
            model = read(P)
        elif isinstance(P, Mapping):
            model = of_dicts(P)
        else:
            return of_matrices(P, R, sense, upper)
        if R is not None:
            raise ValueError("R: this P has rewards of its own: leave R out")
        return model

    def write(self, path: str | os.PathLike[str], target: Any = None) -> None:
        """Writes a model of arrays as a UMB file, in which the states of target have the label "target"."""
        if self.path is not None:
            raise ValueError(f"{self.path} is a file: use mdpsolve convert")
        with whole(path) as file:
            write(self, file, target)

    def named(self, choice: int) -> str:
        """The state and the action of a choice."""
        state = int(np.searchsorted(self.start, choice, "right")) - 1
        action = choice - int(self.start[state]) if self.actions is None else self.actions[choice]
        return f"state {state}, action {action}"

    @property
    def is_uncertain(self) -> bool:
        """Whether probabilities are only known to lie in intervals."""
        return any(part.lows is not None for part in self.rows)

    def size(self) -> int:
        """About the bytes of the file."""
        return sum(len(part.data) * (24 if part.rewards is None else 32) + 32 * len(part.choices) for part in self.rows)


def read(path: str | os.PathLike[str]) -> Model:
    """A model in a file, in any format that the command reads: .umb, .drn, .json, .tra."""
    if not os.path.isfile(path):
        raise ValueError(f"{os.fspath(path)}: no such file")
    return Model(path=os.path.abspath(path))


def of_matrices(P: Any, R: Any, sense: str, upper: Any) -> Model:
    """P and R as pymdptoolbox has them: a matrix for each action, dense or sparse. upper is like P, or None."""
    try:
        listed = isinstance(P, (list, tuple)) and any(map(is_sparse, P))
        alone = is_sparse(P) or (not listed and np.ndim(P) in (0, 2))  # of a chain, in which there is nothing to choose
        matrices = [P] if alone else list(P)
        tops = matrices if upper is None else [upper] if alone else list(upper)
        shapes = {np.shape(matrix) for matrix in matrices + tops}
    except ValueError:  # of lists of different lengths
        shapes = set()
    if len(shapes) != 1 or len(tops) != len(matrices):
        raise ValueError("P: use a square matrix for each action, all of the same size")
    shape, count = shapes.pop(), len(matrices)
    n = shape[0] if shape else 0
    if n == 0 or shape != (n, n):
        raise ValueError(f"P: found matrices of shape {shape}: use a square matrix for each action")
    parts = [rows_of(matrix, np.arange(n) * count + a) for a, matrix in enumerate(tops)]
    if upper is not None:
        for a, matrix in enumerate(matrices):
            lows = rewards_at(parts[a], matrix)
            if np.count_nonzero(lows) < np.count_nonzero(rows_of(matrix, parts[a].choices).data):
                raise ValueError("upper: found 0 where P is not: use probabilities from P up")
            parts[a] = parts[a]._replace(lows=lows)
    start = np.arange(n + 1) * count
    by_choice, by_transition = rewards_of(R, n, count)
    if by_transition is not None:
        parts = [part._replace(rewards=rewards_at(part, by_transition[a])) for a, part in enumerate(parts)]
        return Model(states=n, start=start, rows=parts)
    assert by_choice is not None
    absent = by_choice == (-np.inf if sense == "max" else np.inf)
    for state, action in np.argwhere(~np.isfinite(by_choice) & ~absent)[:1].tolist():
        raise ValueError(f"R: state {state}, action {action}: found {by_choice[state, action]}: use a finite reward")
    if not absent.any():
        return Model(states=n, start=start, rows=parts, rewards=by_choice.ravel())
    if absent.all(axis=1).any():
        raise ValueError(f"R: state {int(absent.all(axis=1).argmax())} has no action: use a finite reward for one")
    kept = ~absent.ravel()
    renumbered = np.cumsum(kept) - 1
    parts = [only(part, ~absent[:, a], renumbered) for a, part in enumerate(parts)]
    start = np.concatenate([[0], np.cumsum((~absent).sum(axis=1))])
    return Model(None, n, start, np.tile(np.arange(count), n)[kept], parts, by_choice.ravel()[kept])


def is_sparse(matrix: Any) -> bool:
    """Whether a matrix is one of SciPy, which is not imported here."""
    return hasattr(matrix, "tocsr")


def rows_of(matrix: Any, choices: Indices) -> Rows:
    """The rows of a matrix as those of choices."""
    if is_sparse(matrix):
        csr = matrix.tocsr()
        return Rows(choices, csr.indptr, csr.indices, numbers(csr.data, "P"))
    dense = numbers(matrix, "P")
    indices = np.nonzero(dense)
    ends = np.cumsum(np.count_nonzero(dense, axis=1))
    return Rows(choices, np.concatenate([[0], ends]), indices[1], dense[indices])


def numbers(values: Any, name: str) -> Floats:
    """An array of float64."""
    try:
        array = np.asarray(values)
        if array.dtype.kind == "c":
            raise TypeError
        return array.astype(np.float64, copy=False)
    except (TypeError, ValueError):
        raise ValueError(f"{name}: found values that are no numbers: use arrays of numbers") from None


def only(part: Rows, kept: npt.NDArray[np.bool_], renumbered: Indices) -> Rows:
    """Some of the rows, whose choices have other numbers."""
    counts = np.diff(part.indptr)
    inside = np.repeat(kept, counts)
    ends = np.cumsum(counts[kept])
    choices = renumbered[part.choices[kept]]
    lows = None if part.lows is None else part.lows[inside]
    return Rows(choices, np.concatenate([[0], ends]), part.indices[inside], part.data[inside], lows=lows)


def rewards_of(R: Any, n: int, count: int) -> tuple[Floats | None, list[Any] | None]:
    """Rewards by state and action, or a matrix for each action."""
    if is_sparse(R):
        R = R.toarray()
    if R is None:
        raise ValueError("R: is missing: use rewards of shape (S,), (S, A) or (A, S, S)")
    if np.ndim(R) and len(R) == count and all(is_sparse(one) or np.ndim(one) == 2 for one in R):
        if any(np.shape(one) != (n, n) for one in R):
            raise ValueError(f"R: found a matrix that is not of shape ({n}, {n}), as those of P are")
        return None, list(R)
    rewards = numbers(R, "R")
    if rewards.shape == (n,):
        rewards = np.repeat(rewards[:, None], count, axis=1)
    if rewards.shape != (n, count):
        raise ValueError(f"R: found shape {rewards.shape}: use ({n},), ({n}, {count}) or ({count}, {n}, {n})")
    return rewards, None


def rewards_at(part: Rows, matrix: Any) -> Floats:
    """What a matrix of rewards has where the rows have transitions."""
    n = len(part.indptr) - 1
    states = np.repeat(np.arange(n), np.diff(part.indptr))
    if not is_sparse(matrix):
        return numbers(matrix, "R")[states, part.indices]
    csr = matrix.tocsr().copy()
    csr.sum_duplicates()
    if csr.nnz == 0:
        return np.zeros(len(states))
    places = np.repeat(np.arange(n), np.diff(csr.indptr)) * n + csr.indices
    own = states * n + part.indices
    at = np.minimum(np.searchsorted(places, own), csr.nnz - 1)
    return np.where(places[at] == own, numbers(csr.data, "R")[at], 0.0)


def of_dicts(P: Mapping[Any, Any]) -> Model:
    """P as Gymnasium has it: P[state][action] is a list of (probability, next state, reward, done).

    The reward of an action is the mean of those of its transitions: there may be two to the same state.
    """
    n = len(P)
    try:
        choices = [(s, a, P[s][a]) for s in range(n) for a in sorted(P[s])]
        table = np.array([entry for _, _, entries in choices for entry in entries], np.float64)
        states, actions = (np.array([choice[i] for choice in choices], int) for i in (0, 1))
        if not all(P.values()) or table.shape[1:] != (4,) or not np.isfinite(table).all():
            raise ValueError
        if actions.min() < 0 or (table[:, 1] % 1 != 0).any():
            raise ValueError
    except (KeyError, TypeError, ValueError):
        form = "P[state][action] = [(probability, next state, reward, done), …]"
        raise ValueError(f"P: use {form}, with states and actions from 0, and finite numbers") from None
    done = table[:, 3] != 0
    targets, data = np.where(done, n, table[:, 1]).astype(np.int64), table[:, 0]
    counts = np.array([len(entries) for _, _, entries in choices])
    rewards = np.asarray(np.bincount(np.repeat(np.arange(len(counts)), counts), data * table[:, 2], len(counts)), float)
    has_end = bool(done.any())
    if has_end:  # a state that leads to itself without reward
        targets, data, rewards = np.append(targets, n), np.append(data, 1.0), np.append(rewards, 0.0)
        counts, states, actions = np.append(counts, 1), np.append(states, n), np.append(actions, 0)
    start = np.concatenate([[0], np.cumsum(np.bincount(states))])
    rows = Rows(np.arange(len(counts)), np.concatenate([[0], np.cumsum(counts)]), targets, data)
    return Model(None, n + has_end, start, actions, [rows], rewards, has_end)


def write(model: Model, file: io.BufferedWriter, target: Any) -> None:
    """Writes a UMB file: a tar of JSON and arrays, in which choices are ordered by state."""
    counts = np.zeros(int(model.start[-1]) + 1, np.int64)
    for part in model.rows:
        counts[np.asarray(part.choices) + 1] = np.diff(part.indptr)
    row_start = np.cumsum(counts)
    small = {
        "index.json": json.dumps(index_of(model, int(row_start[-1]), target)).encode(),
        "state-to-choices.bin": model.start.astype("<u8").tobytes(),
        "choice-to-branches.bin": row_start.astype("<u8").tobytes(),
    }
    if model.actions is not None:
        small["actions/choices/values.bin"] = model.actions.astype("<u4").tobytes()
    if target is not None:
        bits = np.packbits(states_of(target, model.states), bitorder="little").tobytes()
        small[f"annotations/aps/{TARGET}/states/values.bin"] = bits.ljust(-(-model.states // 64) * 8, b"\0")
    large = ["branch-to-target.bin", "branch-to-probability.bin"]
    if model.rewards is not None:
        small["annotations/rewards/reward/choices/values.bin"] = model.rewards.astype("<f8").tobytes()
    else:
        large.append("annotations/rewards/reward/branches/values.bin")
    for name, content in small.items():
        file.write(tar_header(name, len(content)) + content + padding(len(content)))
    places = []
    for name in large:
        size = int(row_start[-1]) * (16 if model.is_uncertain and "probability" in name else 8)
        file.write(tar_header(name, size))
        places.append(file.tell())
        file.seek(size, os.SEEK_CUR)
        file.write(padding(size))
    file.write(bytes(2 * 512))
    for first, arrays in blocks(model, row_start):
        for place, array in zip(places, arrays, strict=False):
            file.seek(place + array[:1].nbytes * first)
            file.write(array.data)


def index_of(model: Model, transitions: int, target: Any) -> dict[str, Any]:
    """The description that begins a UMB file."""

    def annotation(to: str, kind: str, size: int) -> dict[str, Any]:
        return {"applies-to": [to], "type": {"type": kind, "size": size}}

    rewards = annotation("branches" if model.rewards is None else "choices", "double", 64)
    kind, size = ("double-interval", 128) if model.is_uncertain else ("double", 64)
    labels = {} if target is None else {"aps": {TARGET: annotation("states", "bool", 1)}}
    return {
        "format-version": 1,
        "format-revision": 0,
        "file-data": {"tool": "mdpsolve"},
        "transition-system": {
            "time": "discrete",
            "#players": 1,
            "#states": model.states,
            "#initial-states": 0,
            "#choices": int(model.start[-1]),
            "#choice-actions": 0 if model.actions is None else int(model.actions.max()) + 1,
            "#branches": transitions,
            "#branch-actions": 0,
            "#observations": 0,
            "branch-probability-type": {"type": kind, "size": size},
        },
        "annotations": {"rewards": {"reward": rewards}, **labels},
    }


def blocks(model: Model, row_start: Indices) -> Iterable[tuple[int, list[npt.NDArray[Any]]]]:
    """The transitions of some states after the other: the place of the first, and targets, probabilities, rewards."""
    n, transitions = model.states, int(row_start[-1])
    step = max(1, n * BLOCK // max(transitions, 1))
    for s in range(0, n, step):
        lo, hi = int(model.start[s]), int(model.start[min(s + step, n)])
        first, size = int(row_start[lo]), int(row_start[hi] - row_start[lo])
        targets, (data, rewards, lows) = np.empty(size, "<i8"), (np.empty(size, "<f8") for _ in range(3))
        for part in model.rows:
            i, j = np.searchsorted(part.choices, [lo, hi])
            begin, end = int(part.indptr[i]), int(part.indptr[j])
            shift = row_start[part.choices[i:j]] - first - (part.indptr[i:j] - begin)
            places = np.repeat(shift, np.diff(part.indptr[i : j + 1])) + np.arange(end - begin)
            targets[places] = part.indices[begin:end]
            data[places] = part.data[begin:end]
            if part.lows is not None:
                lows[places] = part.lows[begin:end]
            if part.rewards is not None:
                rewards[places] = part.rewards[begin:end]
        faults = [
            ("P", f"states from 0 to {n - 1}", targets, (targets >= 0) & (targets < n)),
            ("P", "numbers from 0 to 1", data, (data >= 0) & (data < np.inf)),
        ]
        if model.rewards is None:
            faults.append(("R", "finite rewards", rewards, np.isfinite(rewards)))
        for name, right, array, good in faults:
            if not good.all():
                at = int(good.argmin())
                choice = int(np.searchsorted(row_start, first + at, "right")) - 1
                raise ValueError(f"{name}: {model.named(choice)}: found {array[at]}: use {right}")
        yield first, [targets, np.stack([lows, data], axis=1) if model.is_uncertain else data, rewards]


def tar_header(name: str, size: int) -> bytes:
    member = tarfile.TarInfo(name)
    member.size = size
    return member.tobuf()


def padding(size: int) -> bytes:
    return bytes(-size % 512)


def states_of(target: Any, n: int) -> npt.NDArray[np.bool_]:
    """States, given by their numbers or as a mask, as a mask."""
    given = np.atleast_1d(np.asarray(target))
    if given.dtype == bool and given.shape == (n,):
        return given
    if not np.issubdtype(given.dtype, np.integer) or given.size == 0 or given.min() < 0 or given.max() >= n:
        raise ValueError(f"target: use states from 0 to {n - 1}, or a mask of {n} states")
    mask = np.zeros(n, bool)
    mask[given] = True
    return mask
