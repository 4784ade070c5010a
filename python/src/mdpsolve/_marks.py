"""The variables of states and the names of actions in a file of a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ._command import shown
from ._model import Marks, numbers
from ._plot import unique

MOST_VALUES = 20  # of a variable that is no number: each becomes a condition


def with_names(marks: Marks, n: int, variables: Mapping[str, Any], actions: Sequence[str]) -> Marks:
    """Marks with the variables of n states and, if they differ, the names of actions."""
    columns: dict[str, Any] = {}
    for name, values in variables.items():
        columns |= conditions(name, values, n)
    different = len(set(actions)) == len(actions) and all(actions)
    return replace(marks, variables=columns, actions=actions if different else ())


def conditions(name: str, values: Any, n: int) -> dict[str, Any]:
    """A variable as rules take it: whole numbers, or for each of a few other values whether it is that."""
    array = np.asarray(values)
    if array.shape != (n,):
        raise ValueError(f"variables: {name}: found shape {array.shape}: use an entry for each of {n} states")
    if not isinstance(name, str) or not name or set(name) & set("(),") or not name.isprintable():
        raise ValueError(f"variables: found the name {shown(name)}: use a text without commas and parentheses")
    if array.dtype.kind == "b":
        return {name: array}
    if array.dtype.kind == "f" and np.isnan(array).any():
        raise ValueError(f"variables: {name}: state {int(np.isnan(array).argmax())}: found nan: use a number or a text")
    if array.dtype.kind in "iuf" and np.array_equal(whole := numbers(array, name).astype(np.int64), array):
        return {name: whole}
    different = unique(array)
    if len(different) > MOST_VALUES:
        raise ValueError(
            f"variables: {name}: found {len(different)} values that are no whole numbers: use at most {MOST_VALUES}"
        )
    listed = array.tolist()
    return {f"{name}={str(one).translate(PLAIN)}": np.array([x == one for x in listed]) for one in different}


PLAIN = str.maketrans("(),", "[];")
