"""The best policy as rules over the variables of states."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ._answers import Answer
from ._command import shown
from ._model import numbers
from ._named import NamedAnswer, numbered, own_names
from ._plot import unique
from ._problem import Problem
from ._question import Asked, Options, ask, with_arguments
from ._solve import result

if TYPE_CHECKING:
    from typing_extensions import Unpack

MOST_VALUES = 20  # of a variable that is no number: each becomes a condition


@dataclass(frozen=True, repr=False)
class Rules:
    """A policy as rules, such as "if stock <= 3: order 4"."""

    text: str  # the rules; lines that begin with # say what they are worth
    answer: Answer | NamedAnswer  # the best policy, of which the rules are made

    def __repr__(self) -> str:
        return self.text


@with_arguments(Options)
def rules(
    P: Any = None,
    R: Any = None,
    *,
    variables: Mapping[str, Any] | None = None,
    **options: Unpack[Options],
) -> Rules:
    """The best policy as rules over the variables of states: the policy in every state that it reaches.

    P, R and the question are as in solve, but not limits, tradeoff or horizon.

    variables  the values of each variable, by its name: arrays with an entry for each state, of whole numbers, of true
               and false, or of few different texts. A Problem has its own; otherwise, without it, rules are over the
               number of the state. A model file has its own, too.
    max_rules  at most so many rules, which may cost something: the text says how much, with proved bounds
    """
    if options.get("policy_out") is not None:
        raise ValueError("policy_out: the text of the answer has the rules: leave it out")
    for name in "horizon", "limits", "tradeoff":
        if options.get(name) is not None:
            raise ValueError(f"{name}: not valid for rules, which are about one policy: leave it out")
    if variables is not None and not isinstance(variables, Mapping):
        raise ValueError(f"variables: found {shown(variables)}: use an array for each variable, by its name")
    problem = P if isinstance(P, Problem) else None
    if problem is not None:
        if variables is not None:
            raise ValueError("variables: the Problem has its own: leave it out")
        with own_names(problem):
            asked = ask(problem.model(options.get("reward")), None, numbered(problem, R, options))
        given, actions = dict(problem.variables), [str(one) for one in problem.actions]
    else:
        asked = ask(P, R, options)
        if asked.model.path is not None and variables is not None:
            raise ValueError("variables: the file has its own: leave it out")
        given, actions = dict(variables or {"state": np.arange(asked.model.given)}), []
    if asked.model.path is None:
        asked = with_names(asked, given, actions)
    with tempfile.TemporaryDirectory(prefix="mdpsolve-") as folder:
        made = Path(folder, "rules.txt")
        with own_names(problem) if problem is not None else nullcontext():
            found = result(asked, "solve", {"policy_out": made}, {})
        text = made.read_text(encoding="utf-8")
    assert isinstance(found, Answer)
    return Rules(text, found if problem is None else NamedAnswer(problem, found))


def with_names(asked: Asked, variables: Mapping[str, Any], actions: Sequence[str]) -> Asked:
    """The question about a model whose file has the variables of states and, if they differ, the names of actions."""
    columns: dict[str, Any] = {}
    for name, values in variables.items():
        columns |= conditions(name, values, asked.model.given)
    different = len(set(actions)) == len(actions) and all(actions)
    return replace(asked, marks=replace(asked.marks, variables=columns, actions=actions if different else ()))


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
