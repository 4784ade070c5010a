"""States by number: those that were explored, in a list, or those of an array; and values by state."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ._command import shown

Array = npt.NDArray[Any]
MOST_CODES = 16  # a table of all combinations of variables has at most so many entries for each state


class States(Protocol):
    """The states of a problem, by number from 0."""

    def __len__(self) -> int: ...
    def __getitem__(self, i: int) -> Any: ...
    def __iter__(self) -> Iterator[Any]: ...
    def number(self, state: Any) -> int | None:
        """The number of a state; None if it is none."""

    def where(self, holds: Callable[[Any], Any], name: str) -> npt.NDArray[np.bool_]:
        """The states in which a function holds, as a mask."""

    def each(self, of: Callable[[Any], Any], name: str) -> Array:
        """What a function returns for each state."""


class ListedStates:
    """States in a list, of any hashable kind."""

    def __init__(self, listed: list[Any], numbers: Mapping[Any, int]) -> None:
        self.listed, self.numbers = listed, numbers

    def __len__(self) -> int:
        return len(self.listed)

    def __getitem__(self, i: int) -> Any:
        return self.listed[i]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.listed)

    def number(self, state: Any) -> int | None:
        try:
            return self.numbers.get(state)
        except TypeError:  # not hashable
            return None

    def where(self, holds: Callable[[Any], Any], name: str) -> npt.NDArray[np.bool_]:
        found = self.each(holds, name)
        for state, one in zip(self.listed, found, strict=True):
            if not isinstance(one, (bool, np.bool_, int, float, np.number)):
                raise ValueError(f"{name}: state {shown(state)}: found {shown(one)}: return true or false")
        return found.astype(bool)

    def each(self, of: Callable[[Any], Any], name: str) -> Array:
        made = np.empty(len(self.listed), object)
        for i, state in enumerate(self.listed):
            try:
                made[i] = of(state)
            except Exception as fault:
                if hasattr(fault, "add_note"):  # Python 3.11
                    fault.add_note(f"mdpsolve called {name} with state {shown(state)}")
                raise
        return made


class ArrayStates:
    """States in an array: structured, of shape (n, k), or n numbers."""

    def __init__(self, states: Any) -> None:
        array = np.asarray(states)
        texts = array.ndim == 2 and array.dtype.kind in "US"  # numbers among texts have become texts
        if array.ndim not in (1, 2) or 0 in array.shape or array.dtype == object or texts:
            found = f"found shape {array.shape} of {array.dtype}"
            raise ValueError(f"states: {found}: use a structured array, or an array (n, k) of numbers")
        self.array = array
        self.kinds = [Codes(one) for one in self.split(array)]
        key = self.key(self.split(array))
        size = int(np.prod([float(len(kind)) for kind in self.kinds]))
        self.table = np.full(size, -1, np.int64) if size <= MOST_CODES * len(array) + 1024 else None
        self.order = np.argsort(key, kind="stable")
        self.sorted = key[self.order]
        again = np.flatnonzero(self.sorted[1:] == self.sorted[:-1])
        if len(again):
            raise ValueError(f"states: found {shown(self[int(self.order[again[0]])])} twice: give each state once")
        if self.table is not None:
            self.table[key] = np.arange(len(array))

    def split(self, array: Array) -> list[Array]:
        """The columns of states, one for each variable."""
        if array.dtype.names:
            return [array[name] for name in array.dtype.names]
        return [array] if array.ndim < 2 else list(array.T)  # one state may stand for all

    def key(self, columns: Sequence[Array]) -> Array:
        """One number for each state; -1 for what cannot be one."""
        key, good = np.zeros(len(columns[0]), np.int64), np.ones(len(columns[0]), bool)
        for one, kind in zip(columns, self.kinds, strict=True):
            code = kind.of(one)
            good &= code >= 0
            key = key * len(kind) + code
        return np.where(good, key, -1)

    def __len__(self) -> int:
        return len(self.array)

    def __getitem__(self, i: int) -> Any:
        one = self.array[i]
        return tuple(one.tolist()) if one.ndim or one.dtype.names else one.item()

    def __iter__(self) -> Iterator[Any]:
        return (tuple(one) if isinstance(one, list) else one for one in self.array.tolist())

    def number(self, state: Any) -> int | None:
        parts: Any = state if isinstance(state, (tuple, list, np.ndarray, np.void)) else (state,)
        try:
            if len(parts) != len(self.kinds):
                return None
            found = int(self.find([np.array([part]) for part in parts])[0])
        except (TypeError, ValueError):
            return None
        return None if found < 0 else found

    def find(self, columns: Sequence[Array]) -> Array:
        """The numbers of states; -1 for what is none."""
        key = self.key(columns)
        if self.table is not None:
            return np.where(key < 0, -1, self.table[key])
        at = np.minimum(np.searchsorted(self.sorted, key), len(self.sorted) - 1)
        return np.where(self.sorted[at] == key, self.order[at], -1)

    def columns(self, states: Any, size: int, where: str) -> list[Array]:
        """The columns of so many states, from an array like that of the states, or a tuple of columns."""
        form = f"use an array like states with {size} of them, or a tuple of {len(self.kinds)} columns"
        given = list(states) if isinstance(states, tuple) else self.split(np.asarray(states))
        try:
            made = [np.broadcast_to(np.asarray(one), (size,)) for one in given]
        except ValueError:
            raise ValueError(f"{where}: found next states of other shapes: {form}") from None
        if len(made) != len(self.kinds):
            raise ValueError(f"{where}: found next states of {len(made)} variables: {form}")
        return made

    def numbers(self, states: Any, size: int, where: str) -> Array:
        return self.find(self.columns(states, size, where))

    def row(self, states: Any, size: int, i: int) -> Any:
        """One of some states."""
        parts = tuple(one[i : i + 1].tolist()[0] for one in self.columns(states, size, ""))
        return parts if self.array.ndim == 2 or self.array.dtype.names else parts[0]

    def where(self, holds: Callable[[Any], Any], name: str) -> npt.NDArray[np.bool_]:
        found = self.each(holds, name)
        if found.dtype.kind not in "biuf":
            raise ValueError(f"{name}: found values of type {found.dtype}: return true or false for each state")
        return found.astype(bool)

    def each(self, of: Callable[[Any], Any], name: str) -> Array:
        found = np.asarray(of(self.array))
        if found.shape not in ((), (len(self),)):
            raise ValueError(f"{name}: found shape {found.shape}: use an entry for each of {len(self)} states")
        return np.broadcast_to(found, (len(self),))


class Codes:
    """Numbers from 0 for the values of a variable."""

    def __init__(self, values: Array) -> None:
        self.low = 0
        self.values: Array | None = None
        if values.dtype.kind in "iub":
            low, high = int(values.min()), int(values.max())
            if high - low <= MOST_CODES * len(values) + 1024:
                self.low, self.size = low, high - low + 1
                return
        self.values = np.unique(values)
        self.size = len(self.values)

    def __len__(self) -> int:
        return self.size

    def of(self, values: Array) -> Array:
        """The code of each value; -1 for what is none."""
        if self.values is None:
            if values.dtype.kind not in "iub":
                whole = values.astype(np.float64)
                with np.errstate(invalid="ignore"):
                    rounded = whole.astype(np.int64)
                code = np.where(rounded == whole, rounded - self.low, -1)
            else:
                code = values.astype(np.int64) - self.low
            return np.where((code >= 0) & (code < self.size), code, -1)
        at = np.minimum(np.searchsorted(self.values, values), self.size - 1)
        return np.where(self.values[at] == values, at, -1)


def columns_of(states: States, names: Sequence[str] | None) -> dict[str, Array]:
    """The variables of states by name, as arrays. If states have no parts, the only one is the state itself."""
    if isinstance(states, ArrayStates):
        parts = states.split(states.array)
        known = list(states.array.dtype.names or ()) or (["state"] if len(parts) == 1 else None)
    else:
        first = states[0]
        known = None
        if names is not None and isinstance(first, tuple):
            odd = next((s for s in states if not isinstance(s, tuple) or len(s) != len(first)), None)
            if odd is not None:
                text = f"has not the {len(first)} parts of {shown(first)}: use tuples of one length"
                raise ValueError(f"variables: state {shown(odd)} {text}")
        if dataclasses.is_dataclass(first) and not isinstance(first, type):
            known = [one.name for one in dataclasses.fields(first)]
            parts = [made([getattr(s, name) for s in states]) for name in known]
        elif isinstance(first, tuple) and first and all(isinstance(s, tuple) and len(s) == len(first) for s in states):
            known = list(getattr(first, "_fields", ())) or None
            parts = [made([s[i] for s in states]) for i in range(len(first))]
        else:
            known, parts = ["state"], [made(list(states))]
    chosen = list(names) if names is not None else known or [f"x{i}" for i in range(len(parts))]
    if (
        len(chosen) != len(parts)
        or len(set(chosen)) != len(chosen)
        or not all(isinstance(x, str) and x for x in chosen)
    ):
        raise ValueError(f"variables: found {shown(names)}: use {len(parts)} different names")
    return dict(zip(chosen, parts, strict=True))


def made(values: list[Any]) -> Array:
    """An array of values, of objects where they are no numbers or texts."""
    if all(isinstance(x, (bool, int, float, np.number, np.bool_)) for x in values) or all(
        isinstance(x, str) for x in values
    ):
        try:
            return np.array(values)
        except OverflowError:
            pass
    array = np.empty(len(values), object)
    for i, x in enumerate(values):
        array[i] = x
    return array


class ByState(Mapping[Any, Any]):
    """What each state has, by the state: by_state[state]. array has it in the order of the problem's states.

    An array of NumPy takes it, too: numpy.asarray(answer.value). float(answer.value), round and formats take the number
    that all states have. In a policy, array has the numbers of actions, which are places in the actions of the problem.
    """

    def __init__(self, states: States, array: Any, of: Callable[[int], Any] | None = None) -> None:
        self.states, self.array = states, array
        self._of = of or (lambda i: array[i].item())
        self._are_numbers = of is None

    def __getitem__(self, state: Any) -> Any:
        i = self.states.number(state)
        if i is None:
            raise KeyError(
                f"no state {shown(state)}: use one that the problem reaches, such as {shown(self.states[0])}"
            )
        return self._of(i)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.states)

    def __len__(self) -> int:
        return len(self.states)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Array:
        return np.array(self.array, dtype=dtype) if copy or dtype is not None else np.asarray(self.array)

    def __float__(self) -> float:
        """The number that all states have, such as an average that does not depend on the state."""
        if not self._are_numbers:
            raise TypeError("found what each state has, which is no number: use [state]")
        low, high = float(np.min(self.array)), float(np.max(self.array))
        if low != high:
            raise ValueError(f"found {low} to {high} by state: use [state], such as [{shown(self.states[0])}]")
        return low

    def __round__(self, digits: int | None = None) -> Any:
        return round(float(self), digits)

    def __format__(self, form: str) -> str:
        return format(float(self), form) if form else repr(self)

    def __repr__(self) -> str:
        some = [f"{shown(self.states[i])}: {shown(self._of(i))}" for i in range(min(4, len(self)))]
        return "{" + ", ".join(some) + (", …" if len(self) > len(some) else "") + "}"
