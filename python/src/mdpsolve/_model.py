"""Models of arrays: what P, rates and R may be, and the files that carry them to the command."""

from __future__ import annotations

import io
import json
import os
import tarfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ._command import MODEL, TIMED, exchange, shown
from ._command import file as named
from ._files import whole
from ._worker import Given

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.integer[Any]]

Mask = npt.NDArray[np.bool_]

TARGET = "target"  # the label of the states that end a total
REWARD, TERMINAL = "reward", "terminal"  # the reward models
MOST_ACTIONS = 1 << 31
BLOCK = 1 << 17  # transitions that are arranged at a time, which fit the cache


class Rows(NamedTuple):
    """Transitions of some choices, in increasing order of these, as in a CSR matrix."""

    choices: Indices
    indptr: Indices
    indices: Indices
    data: Floats
    rewards: Floats | None = None  # by transition
    lows: Floats | None = None  # the least probabilities, where data are the greatest
    step: int = 0  # between choices, if it is always the same; 0 where that is not known, -1 where it is not so


@dataclass(frozen=True)
class Marks:
    """What a question adds to the file of a model of arrays."""

    labels: Mapping[str, Mask] = field(default_factory=dict)  # the states of each label
    terminal: Floats | None = None  # rewards of ending, by state
    initial: int = 0  # the initial state
    variables: Mapping[str, Any] = field(default_factory=dict)  # of the states: whole numbers, true or false
    actions: Sequence[str] = ()  # the names of actions by number


@dataclass(frozen=True)
class Names:
    """The states and actions of a problem of functions, by number, and the variables of its states."""

    states: Any  # States of _states.py
    actions: Sequence[Any]
    variables: Mapping[str, Any]


@dataclass(repr=False)
class Model:
    """A model for solve: made of arrays by Model.of, or in a file by read."""

    path: str | None = None
    states: int = 0
    start: Indices = field(default_factory=lambda: np.zeros(1, np.int64))  # the first choice of each state
    actions: Indices | None = None  # by choice; None where each state has all of them
    rows: list[Rows] = field(default_factory=list)
    rewards: Floats | None = None  # by choice
    reward: str = REWARD  # the name of these rewards
    others: dict[str, Floats] = field(default_factory=dict)  # further rewards by name, each by choice
    has_end: bool = False  # the last state is one without value, in which episodes end
    kind: str = "mdp"  # or "ctmdp", with rates for probabilities, or "smdp"
    durations: Floats | None = None  # of an smdp, by choice
    names: Names | None = None  # of a problem of functions
    # By the name of rewards: those of each transition, by part of rows, where transitions of a choice earn differently.
    outcomes: dict[str, list[Floats]] = field(default_factory=dict)
    # Makes the model of matrices that nobody has looked into, where choices of rows may be -1: these are left out.
    strictly: partial[Model] | None = None

    @classmethod
    def of(
        cls,
        P: Any,
        R: Any = None,
        sense: str = "max",
        upper: Any = None,
        rates: Any = None,
        durations: Any = None,
        lazily: bool = False,
    ) -> Model:
        """The model that the arguments of solve describe.

        lazily leaves it to the command to look into the entries of matrices in CSR; see proved.
        """
        if rates is not None or durations is not None:
            if (P is None) != (durations is None) or upper is not None:
                raise ValueError("P: use rates alone, or P with durations")
            return of_times(P if rates is None else rates, R, sense, durations)
        if P is None:
            raise ValueError("P: is missing: use transition probabilities, or rates")
        if hasattr(P, "unwrapped"):
            raise TypeError("P: found an environment: use env.unwrapped.P, the table that some of Gymnasium's have")
        if is_sparse(P) or not isinstance(P, (Model, str, os.PathLike, Mapping)):
            return of_matrices(P, R, sense, upper, lazily=lazily)
        if upper is not None:
            raise ValueError("upper: use it with matrices P")
        if R is not None:
            raise ValueError("R: this P has rewards of its own: leave R out")
        if isinstance(P, Model):
            return P
        return of_dicts(P) if isinstance(P, Mapping) else read(P)

    @classmethod
    def of_pairs(cls, Q: Any, R: Any, s_indices: Any, a_indices: Any) -> Model:
        """The model of pairs of state and action, where states may have different actions, for solve in place of P.

        Q          a matrix with a row of probabilities for each pair, dense or of SciPy
        R          the reward of each pair; -inf leaves it out
        s_indices  the state of each pair
        a_indices  its action, a number from 0
        """
        return of_pairs(Q, R, s_indices, a_indices, lazily=True)

    def about(self, reward: str | None) -> Model:
        """The model in which the rewards of this name come first."""
        if reward is None or one_name(reward) not in self.others:
            return self
        others = {self.reward: self.rewards, **self.others}
        return replace(self, rewards=others.pop(reward), reward=reward, others=others)  # type: ignore[arg-type]

    def proved(self) -> Model:
        """The model, whose matrices are looked into: they are valid, and have no entry twice. Otherwise ValueError."""
        return self if self.strictly is None else self.strictly()

    def write(self, path: str | os.PathLike[str], target: Any = None, marks: Marks | None = None) -> None:
        """Writes a model of arrays to a file, in which the states of target have the label "target".

        marks has the labels of several, and names, in place of target. The name tells the format: .umb, or another that
        mdpsolve convert writes. For a model of rates or durations, it has to end in .json.
        """
        if self.path is not None:
            raise ValueError(f"{self.path} is a file: use mdpsolve convert")
        if self.kind != "mdp" and not os.fspath(path).endswith(".json"):
            raise ValueError(f"{os.fspath(path)}: use a name that ends in .json")
        if marks is None:
            marks = Marks({} if target is None else {TARGET: self.marked(target, "target")})
        if self.kind != "mdp" or os.fspath(path).endswith(".umb"):
            with whole(path) as file:
                write(self, file, marks)
            return
        exchange(["convert", MODEL, named(os.path.abspath(path))], "", None, handover(self, marks))

    def marked(self, states: Any, name: str) -> Mask:
        """Some states as a mask. They are given by their numbers, or as a mask."""
        n = self.given
        mask = np.zeros(n, bool)
        numbers(states, name)
        given = np.atleast_1d(states)
        if given.dtype == bool:
            if given.shape != (n,):
                raise ValueError(f"{name}: found a mask of shape {given.shape}: use one of {n} states")
            mask |= given
        elif given.size:
            mask[indices_of(given, n, name)] = True
        if not mask.any():
            raise ValueError(f"{name}: found no state: use states from 0 to {n - 1}, or a mask of {n} states")
        return np.append(mask, np.zeros(int(self.has_end), bool))

    def ending(self, terminal: Any) -> Floats:
        """The rewards of ending in each state."""
        if self.kind != "mdp":
            raise ValueError("terminal: not valid in continuous time: leave it out")
        n = self.given
        rewards = numbers(terminal, "terminal")
        if rewards.shape != (n,):
            raise ValueError(f"terminal: found {shown(terminal)}: use a finite reward for each of {n} states")
        for s in np.flatnonzero(~np.isfinite(rewards))[:1]:
            raise ValueError(f"terminal: state {s}: found {rewards[s]}: use a finite reward")
        return np.append(rewards, np.zeros(int(self.has_end)))

    def named(self, choice: int) -> str:
        """The state and the action of a choice."""
        state = int(np.searchsorted(self.start, choice, "right")) - 1
        action = choice - int(self.start[state]) if self.actions is None else self.actions[choice]
        return f"state {state}, action {action}"  # own_names puts the names of a problem there

    def __repr__(self) -> str:
        if self.path is not None:
            return f"<model in {self.path}>"
        rewards = ", ".join([self.reward, *self.others])
        return f"<{self.kind} of {self.given} states, {int(self.start[-1]) - self.has_end} choices, rewards: {rewards}>"

    @property
    def given(self) -> int:
        """The number of states that the user gave, which are the first."""
        return self.states - self.has_end

    @property
    def has_choices(self) -> bool:
        """Whether a state of a model of arrays has several actions."""
        return len(self.start) <= int(self.start[-1])

    @property
    def is_uncertain(self) -> bool:
        """Whether probabilities are only known to lie in intervals."""
        return any(part.lows is not None for part in self.rows)

    def size(self) -> int:
        """The approximate size of the file in bytes."""
        by_choice = 8 * (4 + len(self.others))
        parts = ((len(part.data), len(part.choices), 24 if part.rewards is None else 32) for part in self.rows)
        return sum(transitions * each + choices * by_choice for transitions, choices, each in parts)


def one_name(reward: Any) -> str:
    """The argument reward, if it may be a name."""
    if not isinstance(reward, str):
        raise ValueError(f"reward: found {shown(reward)}: use the name of one")
    return reward


def read(path: str | os.PathLike[str]) -> Model:
    """A model in a file, in any of the formats that mdpsolve help solve lists."""
    if not os.path.isfile(path):
        name = str(os.fspath(path))
        short = name.isprintable() and 0 < len(name) < 250
        raise ValueError(f"{name}: no such file" if short else f"P: found {shown(name)}: no such file")
    return Model(path=os.path.abspath(path))


def of_times(values: Any, R: Any, sense: str, durations: Any) -> Model:
    """A model in continuous time: of rates, or of probabilities with mean sojourn times."""
    if durations is None:
        matrices = [without_diagonal(matrix) for matrix in by_action(values, "rates")]
        return of_matrices(matrices, R, sense, None, "rates")
    if isinstance(values, (Model, str, os.PathLike, Mapping)) or hasattr(values, "unwrapped"):
        raise ValueError("durations: use it with matrices P")
    model = of_matrices(values, R, sense, None)
    given, count = numbers(durations, "durations"), len(by_action(values, "P"))
    n = model.states
    if given.shape not in ((n,), (n, count)):
        raise ValueError(f"durations: found shape {given.shape}: use ({n},) or ({n}, {count})")
    all_of = np.broadcast_to(given[:, None] if given.ndim == 1 else given, (n, count))
    owners = np.repeat(np.arange(n), np.diff(model.start))
    names = np.tile(np.arange(count), n) if model.actions is None else model.actions
    own = all_of[owners, names]
    good = (own > 0) & np.isfinite(own)
    if not good.all():
        choice = int(good.argmin())
        raise ValueError(f"durations: {model.named(choice)}: found {own[choice]}: use a positive number")
    return replace(model, kind="smdp", durations=own)


def without_diagonal(matrix: Any) -> Any:
    """A matrix of rates without the diagonal of a generator, which is below 0."""
    if is_sparse(matrix):
        rates, diagonal = matrix.tolil(), matrix.diagonal()
        rates.setdiag(np.where(diagonal < 0, 0, diagonal))
        rates = rates.tocsr()
        rates.eliminate_zeros()
        return rates
    if matrix.ndim != 2:
        return matrix  # a fault that is found later
    return np.where((np.eye(*matrix.shape) == 1) & (matrix < 0), 0, matrix)


def of_matrices(P: Any, R: Any, sense: str, upper: Any, name: str = "P", lazily: bool = False) -> Model:
    """P and R as pymdptoolbox has them: a matrix for each action, dense or sparse. upper is like P, or None.

    With the name "rates", P has rates. lazily is as in Model.of.
    """
    kind = "ctmdp" if name == "rates" else "mdp"
    (reward, first), *further = rewards_by_name(R)
    lazily = lazily and upper is None and isinstance(P, (list, tuple)) and len(P) > 0 and all(map(is_plain, P))
    lazily = lazily and isinstance(first, np.ndarray) and first.ndim < 3 and first.dtype != object
    matrices = list(P) if lazily else by_action(P, name)
    tops = matrices if upper is None else by_action(upper, "upper")
    shapes, count = {matrix.shape for matrix in matrices + tops}, len(matrices)
    if len(shapes) != 1 or len(tops) != count:
        raise ValueError(f"{name}: use a square matrix for each action, all of the same size")
    shape = shapes.pop()
    n = shape[0] if shape else 0
    if len(shape) == 4 and name == "P":
        raise ValueError(f"P: found shape {shape}: use (A, S, S), or (T, A, S, S) with horizon=T")
    if n == 0 or shape != (n, n):
        raise ValueError(f"{name}: found matrices of shape {shape}: use a square matrix for each action")
    parts = []
    for a, (matrix, top) in enumerate(zip(matrices, tops, strict=True)):
        both = matrix if upper is None else matrix_of(abs(matrix) + abs(top), "P")  # has a place for each of the two
        part = rows_of(both, np.arange(a, n * count, count), count)
        parts.append(part if upper is None else part._replace(data=at(part, top), lows=at(part, matrix)))
    start, never = np.arange(n + 1) * count, -np.inf if sense == "max" else np.inf
    by_choice, by_transition = rewards_of(first, n, count)
    others = {other: others_of(one, n, count, f"R[{other!r}]") for other, one in further}
    if by_transition is None:
        absent = by_choice == never
    else:
        parts = [part._replace(rewards=at(part, by_transition[a])) for a, part in enumerate(parts)]
        absent = np.stack([without(part, by_transition[a], never) for a, part in enumerate(parts)], axis=1)
    strictly = partial(of_matrices, P, R, sense, None) if lazily else None
    if not absent.any():
        rewards = None if by_transition else by_choice.flatten()
        return checked(Model(None, n, start, None, parts, rewards, reward, others, kind=kind, strictly=strictly))
    kept = np.flatnonzero(~absent)
    states = kept // count
    counts, actions = np.bincount(states, minlength=n), kept - states * count
    if counts.min() == 0:
        raise ValueError(f"R: state {int(counts.argmin())} has no action: use a finite reward for one")
    np.cumsum(counts, out=start[1:])
    renumbered = np.full((n, count), -1)
    renumbered.ravel()[kept] = np.arange(len(kept))
    if lazily:
        parts = [part._replace(choices=renumbered[:, a], step=-1) for a, part in enumerate(parts)]
    else:
        parts = [only(part, ~absent[:, a], renumbered.ravel()) for a, part in enumerate(parts)]
    others = {other: one[kept] for other, one in others.items()}
    rewards = None if by_transition else by_choice.ravel()[kept]
    return checked(Model(None, n, start, actions, parts, rewards, reward, others, kind=kind, strictly=strictly))


def of_pairs(Q: Any, R: Any, s_indices: Any, a_indices: Any, lazily: bool = False) -> Model:
    """Q and R as QuantEcon has them: a row and an entry for each pair of state and action; lazily as in Model.of."""
    lazily = lazily and is_plain(Q)
    P, rewards = Q if lazily else arrays_of(Q, "Q"), numbers(R, "R")
    if isinstance(P, list) or P.ndim != 2 or 0 in P.shape:
        raise ValueError("Q: use a matrix with a row for each pair and a column for each state")
    pairs, n = P.shape
    s, a = indices_of(s_indices, n, "s_indices"), indices_of(a_indices, MOST_ACTIONS, "a_indices")
    for name, array in ("R", rewards), ("s_indices", s), ("a_indices", a):
        if array.shape != (pairs,):
            raise ValueError(f"{name}: found shape {array.shape}: use ({pairs},), an entry for each row of Q")
    width = int(a.max()) + 1
    keys = s * width
    keys += a
    chosen: Any = slice(None)
    if not (keys[1:] > keys[:-1]).all():
        chosen = np.argsort(keys, kind="stable")
        keys = keys[chosen]
        for again in np.flatnonzero(keys[1:] == keys[:-1])[:1]:
            state, action = divmod(int(keys[again]), width)
            raise ValueError(f"s_indices: state {state}, action {action} found twice: give each pair once")
    if (rewards == -np.inf).any():
        chosen = np.arange(pairs)[chosen]
        chosen = chosen[rewards[chosen] != -np.inf]
    if not isinstance(chosen, slice):
        P, s, a = P[chosen], s[chosen], a[chosen]
    counts = np.bincount(s, minlength=n)
    if not counts.all():
        raise ValueError(f"s_indices: state {int(counts.argmin())} has no action: give a pair with a finite reward")
    has_all = len(s) == n * width  # each state has all actions, and keys are the numbers of choices
    rows = rows_of(P, keys if has_all else np.arange(len(s)), 1)
    strictly = partial(of_pairs, Q, R, s_indices, a_indices) if lazily else None
    start = np.zeros(n + 1, np.int64)
    np.cumsum(counts, out=start[1:])
    actions = None if has_all else a.copy()
    return checked(Model(None, n, start, actions, [rows], rewards[chosen].copy(), strictly=strictly))


def is_sparse(matrix: Any) -> bool:
    """Whether a matrix is one of SciPy, which is not imported here."""
    return hasattr(matrix, "tocsr")


def arrays_of(values: Any, name: str) -> Any:
    """A list of matrices, if values are matrices by action, and otherwise one matrix or array."""
    if is_sparse(values):
        return matrix_of(values, name)
    listed = isinstance(values, (list, tuple)) or (isinstance(values, np.ndarray) and values.dtype == object)
    given: Any = values if listed else numbers(values, name)
    first = next(iter(given), 0) if np.iterable(given) else 0
    if is_sparse(first) or np.ndim(numbers(first, name)) == 2:
        return [matrix_of(one, name) for one in given]
    return numbers(given, name)


def by_action(values: Any, name: str) -> list[Any]:
    """Matrices by action; a matrix alone is that of a chain, in which there is nothing to choose."""
    found = arrays_of(values, name)
    return found if isinstance(found, list) else [found]


def matrix_of(matrix: Any, name: str) -> Any:
    """A matrix of float64: an array, or a sparse one in CSR without duplicates. It is the matrix itself if it is so."""
    if not is_sparse(matrix):
        return numbers(matrix, name)
    numbers(np.empty(0, matrix.dtype), name)
    try:
        if hasattr(matrix, "check_format"):
            matrix.check_format()
    except ValueError as fault:
        raise ValueError(f"{name}: found a sparse matrix that is not in order: {fault}") from None
    csr = matrix.astype(np.float64, copy=False).tocsr()
    if not (csr.has_canonical_format and (csr.data.min(initial=1) > 0 or csr.data.all())):
        csr = csr.copy()
        csr.sum_duplicates()
        csr.eliminate_zeros()
    return csr


def is_plain(matrix: Any) -> bool:
    """Whether a value is a matrix of SciPy in CSR and float64, whose lists have the right lengths."""
    if getattr(matrix, "format", "") != "csr" or matrix.dtype != np.float64 or len(matrix.shape) != 2:
        return False
    ends, entries = matrix.indptr, len(matrix.data)
    return bool(
        (ends.dtype == np.int32 or ends.dtype == np.int64)
        and ends.dtype == matrix.indices.dtype
        and len(ends) == matrix.shape[0] + 1
        and len(matrix.indices) == entries == ends[-1]
    )


def rows_of(matrix: Any, choices: Indices, step: int = 0) -> Rows:
    """The rows of a matrix as those of choices."""
    if is_sparse(matrix):
        return Rows(choices, matrix.indptr, matrix.indices, matrix.data, step=step)
    indices = np.nonzero(matrix)
    ends = np.cumsum(np.count_nonzero(matrix, axis=1))
    return Rows(choices, np.concatenate([[0], ends]), indices[1], matrix[indices], step=step)


def numbers(values: Any, name: str) -> Floats:
    """An array of float64."""
    if np.ma.is_masked(values):
        raise ValueError(f"{name}: found masked values: fill them in")
    try:
        array = np.asarray(values)
        if array.dtype.kind in "cmM":
            raise TypeError
        return array.astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError):
        fault = "found values that are no numbers, or lists of different lengths: use arrays of numbers"
        raise ValueError(f"{name}: {fault}") from None


def indices_of(values: Any, size: int, name: str) -> Indices:
    """Numbers of states or actions, from 0 and below a size."""
    if type(values) is not np.ndarray:
        numbers(values, name)
    array = np.asarray(values)
    right = f"use whole numbers from 0 to {size - 1}"
    if array.dtype.kind not in "iu":
        raise ValueError(f"{name}: found values of type {array.dtype}: {right}")
    if array.size and not (array.min() >= 0 and array.max() < size):
        place = int(((array >= 0) & (array < size)).argmin())
        raise ValueError(f"{name}: entry {place}: found {array.flat[place]}: {right}")
    return array.astype(np.int64, copy=False)


def only(part: Rows, kept: npt.NDArray[np.bool_], renumbered: Indices) -> Rows:
    """The rows that are kept, with their choices renumbered."""
    counts = part.indptr[1:] - part.indptr[:-1]
    inside = np.repeat(kept, counts)
    ends = np.cumsum(counts[kept])
    rewards, lows = (None if array is None else array[inside] for array in (part.rewards, part.lows))
    choices = renumbered[part.choices[kept]]
    return Rows(choices, np.concatenate([[0], ends]), part.indices[inside], part.data[inside], rewards, lows)


def rewards_by_name(R: Any) -> list[tuple[str, Any]]:
    """The reward models of R by name. R may also be a single one, without a name."""
    named = list(R.items()) if isinstance(R, Mapping) and not is_sparse(R) else [(REWARD, R)]
    if not named or not all(isinstance(name, str) and name.isprintable() and name for name, _ in named):
        raise ValueError(f"R: found {shown(R)}: use rewards by name, as in {{'cost': …, 'loss': …}}")
    return named


def others_of(R: Any, n: int, count: int, name: str) -> Floats:
    """The rewards of a reward model that is not the first, by choice of a model with all actions."""
    by_choice, _ = rewards_of(R, n, count, name)
    if by_choice is None:
        raise ValueError(f"{name}: found rewards by transition: use ({n},) or ({n}, {count}), or put it first in R")
    return np.asarray(by_choice, np.float64).flatten()


def rewards_of(R: Any, n: int, count: int, name: str = "R") -> tuple[Any, list[Any] | None]:
    """Rewards by state and action, or a matrix for each action."""
    if R is None:
        raise ValueError(f"{name}: is missing: use rewards of shape (S,), (S, A) or (A, S, S)")
    rewards = arrays_of(R.toarray() if is_sparse(R) else R, name)
    if isinstance(rewards, list):
        if {matrix.shape for matrix in rewards} == {(n, n)} and len(rewards) == count:
            return None, rewards
        shape: Any = (len(rewards), *rewards[0].shape)
    elif rewards.shape == (n,):
        return np.repeat(rewards[:, None], count, axis=1), None
    elif rewards.shape == (n, count):
        return rewards, None
    else:
        shape = rewards.shape
    raise ValueError(f"{name}: found shape {shape}: use ({n},), ({n}, {count}) or ({count}, {n}, {n})")


def without(part: Rows, matrix: Any, never: float) -> npt.NDArray[np.bool_]:
    """The states in which an action is not allowed: a transition, or the whole row of R, has the reward `never`."""
    n = len(part.choices)
    all_over = np.asarray((matrix == never).sum(axis=1)).ravel() == n
    some = np.bincount(row_of_each(part), part.rewards == never, n) > 0
    return np.asarray(some | all_over)


def row_of_each(part: Rows) -> Indices:
    """For each transition the row that it is in."""
    return np.repeat(np.arange(len(part.choices)), np.diff(part.indptr))


def at(part: Rows, matrix: Any) -> Floats:
    """The entries of a matrix at the transitions of the rows."""
    n, states = len(part.choices), row_of_each(part)
    if not is_sparse(matrix):
        return np.asarray(matrix[states, part.indices])
    if matrix.nnz == 0:
        return np.zeros(len(states))
    places = np.repeat(np.arange(n), np.diff(matrix.indptr)) * n + matrix.indices
    own = states * n + part.indices
    place = np.minimum(np.searchsorted(places, own), matrix.nnz - 1)
    return np.where(places[place] == own, matrix.data[place], 0.0)


def of_dicts(P: Mapping[Any, Any]) -> Model:
    """P as Gymnasium has it: P[state][action] is a list of (probability, next state, reward, done).

    The reward of an action is the mean of those of its transitions: there may be two to the same state. outcomes has
    those of transitions.
    """
    n = len(P)
    try:
        choices = [(s, a, P[s][a]) for s in range(n) for a in sorted(P[s])]
        states = np.array([s for s, _, _ in choices])
        actions = indices_of([a for _, a, _ in choices], MOST_ACTIONS, "P")
        table = numbers([entry for _, _, entries in choices for entry in entries], "P")
        if not all(P.values()) or table.shape[1:] != (4,) or not np.isfinite(table).all():
            raise ValueError
    except (LookupError, TypeError, ValueError):
        form = "P[state][action] = [(probability, next state, reward, done), ...]"
        raise ValueError(f"P: use {form}, with states and actions from 0, and finite numbers") from None
    data, targets, rewards, done = table.T
    counts = np.array([len(entries) for _, _, entries in choices])
    start = np.concatenate([[0], np.cumsum(np.bincount(states))])
    rows = Rows(np.arange(len(counts)), np.concatenate([[0], np.cumsum(counts)]), targets, data)
    model = Model(None, n, start, actions, [rows])
    refuse(model, "P", rows, targets, (targets % 1 == 0) & (targets >= 0) & (targets < n), f"states from 0 to {n - 1}")
    checked(model)
    targets = np.where(done != 0, n, targets).astype(np.int64)
    likely = data > 0
    ends = np.concatenate([[0], np.cumsum(np.bincount(row_of_each(rows)[likely], minlength=len(counts)))])
    mean, differs = means(rewards[likely], data[likely], ends)
    if done.any():  # one state more leads to itself without reward
        ends, targets = np.append(rows.indptr, len(data) + 1), np.append(targets, n)
        data, rewards, mean = np.append(data, 1.0), np.append(rewards, 0.0), np.append(mean, 0.0)
        rows = Rows(np.arange(len(ends) - 1), ends, targets, data)
        start, actions = np.append(start, len(ends) - 1), np.append(actions, 0)
        model = Model(None, n + 1, start, actions, [rows], mean, has_end=True)
    else:
        model = replace(model, rows=[rows._replace(indices=targets)], rewards=mean)
    return replace(model, outcomes={REWARD: [rewards]}) if differs.any() else model


def means(rewards: Floats, weights: Floats, ends: Indices) -> tuple[Floats, Mask]:
    """The mean reward of each choice, and whether its outcomes, from ends[k] up to ends[k + 1], earn differently.

    Where all earn the same, the mean is that number: a weighted sum would miss it in the last digit.
    """
    mean, some = np.zeros(len(ends) - 1), np.diff(ends) > 0
    differs = np.zeros(len(mean), bool)
    if (starts := ends[:-1][some]).size:
        low = np.minimum.reduceat(rewards, starts)
        mixed = np.maximum.reduceat(rewards, starts) > low
        total, sums = np.add.reduceat(weights * rewards, starts), np.add.reduceat(weights, starts)
        mean[some] = np.divide(total, sums, out=low, where=mixed)
        differs[some] = mixed
    return mean, differs


def refuse(model: Model, name: str, rows: Rows, array: Floats, good: npt.NDArray[np.bool_], right: str) -> None:
    """Refuses an array by transition if one of its entries is not good. The error names the first such entry."""
    if not good.all():
        place = int(good.argmin())
        choice = int(rows.choices[np.searchsorted(rows.indptr, place, "right") - 1])
        found = str(array[place]).removesuffix(".0")
        raise ValueError(f"{name}: {model.named(choice)}: found {found}: use {right}")


def checked(model: Model) -> Model:
    """The model, if its probabilities and rewards are valid. The command checks what probabilities sum to."""
    for rows in model.rows if model.strictly is None else ():
        data, lows, rewards = rows.data, rows.lows, rows.rewards
        least = data if lows is None else lows
        name, right = ("rates", "finite numbers from 0") if model.kind == "ctmdp" else ("P", "numbers from 0 to 1")
        if len(least) and not (least.min() >= 0 and least.max() < np.inf):  # also for NaN
            refuse(model, name, rows, least, (least >= 0) & (least < np.inf), right)
        if lows is not None:
            refuse(model, "upper", rows, data, (data >= lows) & (data < np.inf), "numbers from those of P to 1")
        if rewards is not None:
            refuse(model, "R", rows, rewards, np.isfinite(rewards), "finite rewards")
    for name, rewards in ("R", model.rewards), *((f"R[{name!r}]", one) for name, one in model.others.items()):
        if rewards is not None and not np.isfinite(rewards).all():
            choice = int(np.isfinite(rewards).argmin())
            raise ValueError(f"{name}: {model.named(choice)}: found {rewards[choice]}: use a finite reward")
    return model


def handover(model: Model, marks: Marks) -> Given:
    """A model as the command takes it over: its transitions as they are, in the form that package modelfile describes.

    Those of many small matrices, and intervals, are arranged as files have them.
    """
    name = MODEL if model.kind == "mdp" else TIMED
    transitions = sum(len(part.data) for part in model.rows)
    few = len(model.rows) <= 4 or transitions > BLOCK // 8 * len(model.rows)  # members, each of which takes time, too
    if not few or model.kind != "mdp" or model.is_uncertain:
        return Given(name, model.size(), partial(write_to, model=model.proved(), marks=marks))
    matrices = [Matrix.of(part) for part in model.rows]
    index, members = described(model, marks, transitions, matrices)
    index["matrices"] = [part.described for part in matrices]
    del index["file-data"], index["format-revision"]
    head, parts, size = ["mdpsolve-arrays/1", json.dumps(index)], [b""], 0
    for member, array in members.items():
        length = array.nbytes if isinstance(array, np.ndarray) else len(array)
        head.append(f"{member} {length}")
        parts += array, bytes(-length % 8)
        size += length + -length % 8
    head[1] += " " * (-sum(len(line) + 1 for line in [*head, ""]) % 8)  # so that the command need not copy the members
    parts[0] = "\n".join([*head, "\n"]).encode()
    return Given(name, size, partial(fill, parts=parts, size=size + len(parts[0])))


def fill(descriptor: int, parts: list[Any], size: int) -> None:
    """Writes the parts of a file of so many bytes to its descriptor."""
    os.ftruncate(descriptor, size)
    if hasattr(os, "pwritev") and len(parts) < 1000 and os.pwritev(descriptor, parts, 0) == size:
        return
    os.lseek(descriptor, 0, os.SEEK_SET)
    for part in parts:
        rest = memoryview(part)
        rest = rest.cast("B") if rest.nbytes else rest
        while rest:
            rest = rest[os.write(descriptor, rest) :]


def write_to(descriptor: int, model: Model, marks: Marks) -> None:
    """Writes a file of a model to a descriptor."""
    os.ftruncate(descriptor, 0)
    os.lseek(descriptor, 0, os.SEEK_SET)
    with open(descriptor, "wb", closefd=False) as file:
        write(model, file, marks)


def write(model: Model, file: io.BufferedWriter, marks: Marks) -> None:
    """Writes a UMB file: a tar of JSON and arrays, in which choices are ordered by state.

    The format has no place for rates by action, nor for mean sojourn times: such models become JSON.
    """
    model = model.proved()
    row_start = row_starts(model)
    if model.kind != "mdp":
        for line in lines_of(model, row_start, marks):
            file.write(line.encode())
        return
    index, small = described(model, marks, int(row_start[-1]))
    small["choice-to-branches.bin"] = row_start.astype("<u8", copy=False)
    large = ["branch-to-target.bin", "branch-to-probability.bin"]
    if model.rewards is None:
        large.append(BRANCHES)
    for name, content in {"index.json": json.dumps(index).encode(), **small}.items():
        size = content.nbytes if isinstance(content, np.ndarray) else len(content)
        file.write(tar_header(name, size))
        file.write(content)
        file.write(padding(size))
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


BRANCHES = "annotations/rewards/a0/branches/values.bin"  # the rewards of transitions


def described(
    model: Model, marks: Marks, transitions: int, matrices: Sequence[Matrix] = ()
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The index of a UMB file, and the members beside it, without those of branches."""
    annotations: dict[str, dict[str, Any]] = {"rewards": {}, "aps": {}}

    def annotation(group: str, name: str, place: str) -> str:
        """Declares an annotation and returns the file for its values."""
        kind, size = ("bool", 1) if group == "aps" else ("double", 64)
        own = f"a{len(annotations[group])}"
        annotations[group][own] = {"alias": name, "applies-to": [place], "type": {"type": kind, "size": size}}
        return f"annotations/{group}/{own}/{place}/values.bin"

    members: dict[str, Any] = {"state-to-choices.bin": model.start.astype("<u8", copy=False)}
    rewards = annotation("rewards", model.reward, "branches" if model.rewards is None else "choices")
    for number, part in enumerate(matrices):
        for name, array in part.arrays.items():
            own = "rewards/a0" if name == "rewards" else name
            members[f"matrices/{number}/{own}.bin"] = array
    if model.rewards is not None:
        members[rewards] = model.rewards.astype("<f8", copy=False)
    if model.actions is not None:
        members["actions/choices/values.bin"] = model.actions.astype("<u4")
    for name, other in model.others.items():
        members[annotation("rewards", name, "choices")] = other.astype("<f8", copy=False)
    if marks.terminal is not None:
        members[annotation("rewards", TERMINAL, "states")] = marks.terminal.astype("<f8", copy=False)
    for name, mask in marks.labels.items():
        members[annotation("aps", name, "states")] = bits_of(mask)
    if marks.variables:
        members["valuations/states/valuations.bin"] = np.stack(valuations(model, marks), axis=1).astype("<i8")
    if marks.actions and model.actions is not None:
        texts = [text.encode() for text in marks.actions]
        ends = np.cumsum([0, *map(len, texts)])
        members["actions/choices/string-mapping.bin"] = ends.astype("<u8")
        members["actions/choices/strings.bin"] = b"".join(texts)
    if marks.initial:
        members["state-is-initial.bin"] = bits_of(np.arange(model.states) == marks.initial)
    return index_of(model, transitions, marks, annotations), members


class Matrix(NamedTuple):
    """The transitions of some choices, as they are handed over."""

    described: dict[str, int]  # in index.json
    arrays: dict[str, npt.NDArray[Any]]  # by member

    @classmethod
    def of(cls, part: Rows) -> Matrix:
        """The arrays of a part of a model, with whole numbers of 4 bytes, unless these are large or many."""
        whole = "<i4" if part.indices.dtype == np.int32 or (is_small(part.indices) and is_small(part.indptr)) else "<i8"
        rows, choices = len(part.choices), part.choices
        arrays = {"starts": part.indptr.astype(whole, copy=False), "targets": part.indices.astype(whole, copy=False)}
        step = part.step or (int(choices[1] - choices[0]) if rows > 1 else 1)
        first = int(choices[0]) if rows else 0
        if part.step < 0 or (rows > 2 and not part.step and (choices[1:] - choices[:-1] != step).any()):
            first, arrays["choices"] = -1, choices.astype(whole, copy=False)
        arrays["probabilities"] = part.data
        if part.rewards is not None:
            arrays["rewards"] = part.rewards
        size = arrays["targets"].itemsize
        described = {"rows": rows, "entries": len(part.data), "first": first, "step": step, "bytes": size}
        return cls(described, {name: np.ascontiguousarray(array) for name, array in arrays.items()})


def is_small(numbers: Indices) -> bool:
    """Whether numbers are so few that to make 4 bytes of each takes less time than to hand over 8, and fit there."""
    return len(numbers) <= BLOCK and 0 <= int(np.bitwise_or.reduce(numbers)) < 1 << 31


def row_starts(model: Model) -> Indices:
    """The first transition of each choice, and the number of transitions."""
    counts = np.zeros(int(model.start[-1]) + 1, np.int64)
    for part in model.rows:
        counts[np.asarray(part.choices) + 1] = np.diff(part.indptr)
    return np.cumsum(counts)


def lines_of(model: Model, row_start: Indices, marks: Marks) -> Iterable[str]:
    """The lines of a JSON file of a model in continuous time."""
    labels = {name: np.flatnonzero(mask).tolist() for name, mask in marks.labels.items()}
    head = {"kind": model.kind, "reward_models": [model.reward, *model.others], "initial": [marks.initial]}
    if marks.variables:
        head["state_variables"] = f"({','.join(marks.variables)})"
    values = [array.tolist() for array in valuations(model, marks)]
    yield json.dumps({**head, "labels": labels})[:-1] + ', "states": ['
    arrays = zip(*(block for _, block in blocks(model, row_start)), strict=True)
    targets, data, rewards = (np.concatenate(array).tolist() for array in arrays)
    by_choice = [np.zeros(int(model.start[-1])) if model.rewards is None else model.rewards, *model.others.values()]
    earned = np.stack(by_choice, axis=1)
    none = [0] * len(model.others)
    for s in range(model.states):
        actions = []
        for k in range(int(model.start[s]), int(model.start[s + 1])):
            inside = slice(int(row_start[k]), int(row_start[k + 1]))
            to: list[Any] = list(zip(targets[inside], data[inside], strict=True))
            if model.rewards is None:
                to = [(*edge, [reward, *none]) for edge, reward in zip(to, rewards[inside], strict=True)]
            if not to and earned[k].any():
                to = [(s, 1.0)]  # it stays, and earns
            rewarded = {"reward_rates" if model.kind == "ctmdp" else "rewards": earned[k].tolist()}
            lasting = {} if model.durations is None else {"duration": float(model.durations[k])}
            called = (
                {"name": marks.actions[int(model.actions[k])]} if marks.actions and model.actions is not None else {}
            )
            actions.append({**called, **rewarded, **lasting, "to": to})
        named = {"name": f"({','.join(map(str, (v[s] for v in values))).lower()})"} if values else {}
        yield ("\n" if s == 0 else ",\n") + json.dumps({**named, "actions": actions})
    yield "\n]}\n"


def bits_of(mask: Mask) -> bytes:
    """The bits of a mask, in words of 64."""
    return np.packbits(mask, bitorder="little").tobytes().ljust(-(-len(mask) // 64) * 8, b"\0")


def valuations(model: Model, marks: Marks) -> list[Any]:
    """The values of the variables of states. The state in which episodes end has those of the first."""
    return [np.append(array, array[: int(model.has_end)]) for array in marks.variables.values()]


def index_of(model: Model, transitions: int, marks: Marks, annotations: Mapping[str, Any]) -> dict[str, Any]:
    """The description that begins a UMB file."""
    variables: list[dict[str, Any]] = []
    for name, array in marks.variables.items():
        if array.dtype.kind == "b":
            variables += [{"name": name, "type": {"type": "bool", "size": 1}}, {"padding": 63}]
        else:
            variables.append({"name": name, "type": {"type": "int", "size": 64}})
    kind, size = ("double-interval", 128) if model.is_uncertain else ("double", 64)
    return {
        "format-version": 1,
        "format-revision": 0,
        "file-data": {"tool": "mdpsolve"},
        "transition-system": {
            "time": "discrete",
            "#players": 1,
            "#states": model.states,
            "#initial-states": int(marks.initial > 0),
            "#choices": int(model.start[-1]),
            "#choice-actions": 0 if model.actions is None else max(int(model.actions.max()) + 1, len(marks.actions)),
            "#branches": transitions,
            "#branch-actions": 0,
            "#observations": 0,
            "branch-probability-type": {"type": kind, "size": size},
        },
        "annotations": {group: own for group, own in annotations.items() if own},
        "valuations": {"states": {"unique": False, "classes": [{"variables": variables}]}} if variables else {},
    }


def blocks(model: Model, row_start: Indices) -> Iterable[tuple[int, list[npt.NDArray[Any]]]]:
    """The transitions, a block of states at a time: the place of the first, and targets, probabilities, rewards."""
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
        yield first, [targets, np.stack([lows, data], axis=1) if model.is_uncertain else data, rewards]


def tar_header(name: str, size: int) -> bytes:
    """What stands before a member, as tarfile.TarInfo.tobuf makes it, which takes longer than a small model."""
    if size >= 8**11 or len(name) >= 100:
        member = tarfile.TarInfo(name)
        member.size = size
        return member.tobuf()
    before = name.encode().ljust(100, b"\0") + b"0000644\0" + 2 * b"0000000\0" + b"%011o\0" % size + b"00000000000\0"
    after = b"0".ljust(101, b"\0") + b"ustar\x0000".ljust(255, b"\0")
    return before + b"%06o\0 " % (sum(before) + sum(after) + 8 * ord(" ")) + after


def padding(size: int) -> bytes:
    return bytes(-size % 512)
