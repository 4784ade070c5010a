"""The best policy as rules over the variables of states."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ._answers import Answer
from ._command import shown
from ._marks import with_names
from ._named import NamedAnswer, numbered, own_names
from ._problem import Problem
from ._question import Options, ask, with_arguments
from ._solve import result

if TYPE_CHECKING:
    from typing_extensions import Unpack


@dataclass(frozen=True, repr=False)
class Rules:
    """A policy as rules, such as "if stock <= 3: order 4"."""

    text: str  # the rules; lines that begin with # say what the best policy is worth, then what they are worth
    answer: Answer | NamedAnswer  # the best policy, without a limit of rules

    @property
    def rules(self) -> str:
        """The rules alone."""
        return "\n".join(line for line in self.text.splitlines() if not line.startswith("#"))

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
    """The best policy as rules over the variables of states: the policy wherever it has a choice.

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
        asked = replace(asked, marks=with_names(asked.marks, asked.model.given, given, actions))
    with tempfile.TemporaryDirectory(prefix="mdpsolve-") as folder:
        made = Path(folder, "rules.txt")
        with own_names(problem) if problem is not None else nullcontext():
            found = result(asked, "solve", {"policy_out": made}, {})
        text = made.read_text(encoding="utf-8")
    assert isinstance(found, Answer)
    if problem is None:
        return Rules(text, found)
    first = f"from state {shown(problem.states[found.details.initial])}"
    return Rules(re.sub(r"from state \d+ \(.*\)(?=\n)", lambda _: first, text, count=1), NamedAnswer(problem, found))
