"""Questions about a Problem: arguments, answers and errors by the user's own states and actions."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from . import _frame, _plot
from ._answers import ActionValues, Answer, Mixture, TradeOff
from ._command import Record, shown
from ._model import Floats
from ._problem import Problem, number_or_none
from ._question import one_of
from ._states import ByState

# Parts of a model as errors about a problem name them.
SOURCES = {"P": "step", "the model": "step", "rates": "step", "R": "reward"}
PLACE = re.compile(r"\bstate (\d+)(?:(, action | has no action )(\d+))?(?![\w.])")


@contextmanager
def own_names(problem: Problem) -> Iterator[None]:
    """Names states and actions in errors as the problem does."""
    try:
        yield
    except ValueError as fault:
        text = str(fault)
        for old, new in SOURCES.items():
            text = re.sub(rf"^{old}(\[[^]]*\])?(?=: state )", new, text)
        raise ValueError(renamed(problem, text)) from None


def renamed(problem: Problem, text: str) -> str:
    """A text in which the numbers of states and actions become the states and actions of the problem."""

    def own(found: re.Match[str]) -> str:
        state, between, action = found.groups()
        s, a = int(state), int(action or 0)
        name = f"state {shown(problem.states[s])}" if s < len(problem) else "the end"
        if between is None:
            return name
        return name + between + (shown(problem.actions[a]) if a < len(problem.actions) else str(a))

    return PLACE.sub(own, text)


def numbered(problem: Problem, R: Any, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a question, with numbers and masks for the states of the problem."""
    if R is not None:
        raise ValueError("R: a Problem has rewards of its own: leave R out, and give a policy as policy=…")
    given = {name: value for name, value in options.items() if value is not None}
    for name in ("rates", "durations", "upper"):
        if name in given:
            raise ValueError(f"{name}: not valid beside a Problem: leave it out")
    labels = {name: mask for name, mask in problem.labels.items() if mask.any()}
    more = given.pop("labels", {})
    if not isinstance(more, Mapping):
        raise ValueError(f"labels: found {shown(more)}: use states by label, as in {{'goal': [3]}}")
    labels |= {name: mask_of(problem, states, f"labels[{name!r}]") for name, states in more.items()}
    target = given.get("target")
    if target is not None and not (isinstance(target, str) and target in labels):
        if isinstance(target, str) and target in problem.labels:
            raise ValueError(f"target: found no state with the label {target!r}: use another")
        given["target"] = mask_of(problem, target, "target")
    if "initial" in given:
        given["initial"] = number_of(problem, given["initial"], "initial")
    if "terminal" in given:
        given["terminal"] = terminal_of(problem, given["terminal"])
    return given | ({"labels": labels} if labels else {})


def number_of(problem: Problem, state: Any, argument: str) -> int:
    """The number of a state."""
    i = problem.states.number(state)
    if i is None:
        found = f"found {shown(state)}, which is no {'label and no ' * isinstance(state, str)}state of the problem"
        raise ValueError(f"{argument}: {found}: use one such as {shown(problem.states[0])}")
    return i


def mask_of(problem: Problem, states: Any, argument: str) -> Any:
    """A mask of states, from a function of a state, a state, or several."""
    if callable(states):
        mask = problem.states.where(states, argument)
    else:
        mask = np.zeros(len(problem), bool)
        one = problem.states.number(states)
        if one is not None:
            mask[one] = True
        else:
            several = isinstance(states, (list, tuple, set, frozenset, range, np.ndarray))
            if isinstance(states, tuple) and not all(problem.states.number(s) is not None for s in states):
                several = False  # it was meant as a state
            mask[[number_of(problem, s, argument) for s in (states if several else [states])]] = True
    if not mask.any():
        raise ValueError(f"{argument}: found no state: use one or more")
    return mask


def by_state(problem: Problem, given: Mapping[Any, Any], argument: str, what: str) -> list[Any]:
    """What a dict has for each state."""
    missing = next((s for s in problem.states if s not in given), None)
    if missing is not None:
        raise ValueError(f"{argument}: state {shown(missing)} is missing: give each {what}")
    return [given[s] for s in problem.states]


def terminal_of(problem: Problem, terminal: Any) -> Any:
    """The reward of ending in each state."""
    if callable(terminal):
        terminal = problem.states.each(terminal, "terminal")
        if terminal.dtype == object:
            for s, one in zip(problem.states, terminal, strict=True):
                if number_or_none(one) is None:
                    raise ValueError(f"terminal: state {shown(s)}: found {shown(one)}: use a finite reward")
        return terminal
    if isinstance(terminal, ByState):
        return terminal.array
    if not isinstance(terminal, Mapping):
        return terminal
    return by_state(problem, terminal, "terminal", "a reward")


def policy_numbers(problem: Problem, policy: Any, argument: str = "policy") -> Any:
    """A policy by numbers: from a function, a dict, the policy of an answer, or a list of these, one for each step."""
    if isinstance(policy, NamedAnswer):
        policy = policy.policy if policy.policies is None else policy.policies
    policy = one_of(policy)
    if isinstance(policy, (list, tuple)) and policy and all(callable(x) or isinstance(x, Mapping) for x in policy):
        steps = [policy_numbers(problem, one, argument) for one in policy]
        if any(one.ndim == 2 for one in steps):
            steps = [one if one.ndim == 2 else np.eye(len(problem.actions))[one] for one in steps]
        return np.stack(steps)
    if isinstance(policy, ByState) and policy.states is problem.states:
        return policy.array
    if callable(policy):
        chosen = problem.states.each(policy, argument)
    elif isinstance(policy, Mapping):
        chosen = np.empty(len(problem), object)
        for i, one in enumerate(by_state(problem, policy, argument, "an action")):
            chosen[i] = one
    else:
        return policy_array(problem, policy, argument)
    numbers = {action: i for i, action in enumerate(problem.actions)}

    def number(i: int, action: Any) -> int:
        try:
            return numbers[action]
        except (KeyError, TypeError):
            state = shown(problem.states[i])
            raise ValueError(f"{argument}: state {state} has no action {shown(action)}") from None

    listed = chosen.tolist()
    if not any(isinstance(one, Mapping) for one in listed):
        return np.array([number(i, one) for i, one in enumerate(listed)], np.int64)
    shares = np.zeros((len(problem), len(problem.actions)))
    for i, one in enumerate(listed):
        for action, share in one.items() if isinstance(one, Mapping) else ((one, 1.0),):
            a = number(i, action)
            try:
                shares[i, a] = share
            except (TypeError, ValueError):
                state = shown(problem.states[i])
                raise ValueError(f"{argument}: state {state}: found {shown(share)}: use a probability") from None
    return shares


def claimed(problem: Problem, result: Any) -> Any:
    """Values or a policy from another program, by numbers. A dict has values if not all of its numbers are actions."""
    found = result.values() if isinstance(result, Mapping) else []
    if all(isinstance(one, (float, np.floating)) for one in found) and any(one not in problem.actions for one in found):
        return np.array(by_state(problem, result, "result", "a value"), np.float64)
    return policy_numbers(problem, result, "result")


def policy_array(problem: Problem, policy: Any, argument: str) -> Any:
    """A policy that is no function or dict: an array of NumPy with numbers of actions, or what has none."""
    if isinstance(policy, (list, tuple)):
        form = "use a function of a state, a dict, the policy of an answer, or a list of these for a horizon"
        raise ValueError(f"{argument}: found {shown(policy)}: {form}")
    if isinstance(policy, np.ndarray) and policy.dtype.kind in "iu" and policy.ndim:
        most = len(problem.actions) - 1
        if (bad := (policy < 0) | (policy > most)).any():
            *_, state = np.argwhere(bad)[0]
            found = f"found {policy[bad][0]}: use numbers of actions, from 0 to {most}, or a function of a state"
            raise ValueError(f"{argument}: state {state}: {found}")
    return policy


class ActionValue(NamedTuple):
    """The value of taking an action once before an optimal policy, and whether it is optimal."""

    lower: float
    upper: float
    optimality: str  # "optimal", "suboptimal" or "undecided"


@dataclass(frozen=True, repr=False, eq=False)
class NamedAnswer:
    """The answer about a Problem: value[state], policy[state] and so on, by its own states and actions.

    numbers is the same answer by number, in arrays.
    """

    problem: Problem
    numbers: Answer

    def _by(self, array: Any) -> ByState:
        return ByState(self.problem.states, array)

    def _actions(self, array: Any) -> ByState:
        actions = self.problem.actions
        return ByState(self.problem.states, array, lambda i: actions[int(array[i])])

    @property
    def value(self) -> ByState:
        """The value of each state: for an average its gain."""
        return self._by(self.numbers.value)

    @property
    def lower(self) -> ByState:
        """Proved lower bounds of the values."""
        return self._by(self.numbers.lower)

    @property
    def upper(self) -> ByState:
        """Proved upper bounds of the values."""
        return self._by(self.numbers.upper)

    @property
    def gain(self) -> ByState:
        """The long-run average from each state."""
        return self._by(self.numbers.gain)

    @property
    def relative_value(self) -> ByState | None:
        """For an average: what it is worth to start in a state, up to a constant."""
        found = self.numbers.relative_value
        return None if found is None else self._by(found)

    @property
    def policy(self) -> ByState:
        """The action of each state; for a finite horizon that of the first step."""
        if not len(self.numbers.policy):
            raise AttributeError("policy: the answer is about all policies, and has none")
        return self._actions(self.numbers.policy)

    @property
    def policies(self) -> list[ByState] | None:
        """For a finite horizon: the policy of each step."""
        found = self.numbers.policies
        return None if found is None else [self._actions(one) for one in found]

    @property
    def action_values(self) -> ByState:
        """The value of each action by state and action, of solve with action_values=True."""
        lower, upper, optimality = self.numbers.action_values
        actions = self.problem.actions

        def of(i: int) -> dict[Any, ActionValue]:
            return {
                actions[a]: ActionValue(float(lower[i, a]), float(upper[i, a]), str(optimality[i, a]))
                for a in np.flatnonzero(optimality[i] != "")
            }

        return ByState(self.problem.states, ActionValues(lower, upper, optimality), of)

    @property
    def step_values(self) -> list[ByState]:
        """The values before each step of a finite horizon, of solve with step_values=True."""
        return [self._by(one) for one in self.numbers.step_values.value]

    @property
    def infinite(self) -> str | None:
        """Why values are infinite, in a sentence; None if none is."""
        found = self.numbers.infinite
        return None if found is None else renamed(self.problem, found)

    @property
    def status(self) -> str:
        """ "converged", or why the solve ended before."""
        return self.numbers.status

    @property
    def details(self) -> Record:
        """What else the command says, by number."""
        return self.numbers.details

    def frame(self, *, actions: bool = False) -> Any:
        """A table of pandas: a row for each state, with its variables, labels, value, bounds and action.

        For steps of a horizon, and with actions, see Answer.frame.
        """
        return self.numbers.frame(actions=actions)

    def plot(
        self,
        ax: Any = None,
        *,
        show: str | Sequence[str] = "value",
        over: str | Sequence[str] | None = None,
        where: Mapping[str, Any] | None = None,
    ) -> Any:
        """Draws by matplotlib, over one or two variables of the states, and returns the axes; see Answer.plot."""
        return _plot.answer(self.numbers, show, over, where, ax)

    def check(self) -> Record:
        """Has the command judge the answer by its certificate; verdict is "holds" if all of it is proved."""
        return verdict(self.problem, self.numbers.check())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the answer with its certificate, by number, to a file that ends in .npz."""
        self.numbers.save(path)

    def __repr__(self) -> str:
        return re.sub(r"\bof state (\d+)", lambda x: f"of {renamed(self.problem, x[0][3:])}", repr(self.numbers))

    def _repr_html_(self) -> str:
        return _frame.html(self.numbers, repr(self))


def verdict(problem: Problem, found: Record) -> Record:
    """What the command says about a claim, with the states of the problem."""
    for one in [*found.get("claims", []), *found.get("faults", [])]:
        if isinstance(i := one.get("state"), int) and i < len(problem):
            one["state"] = problem.states[i]
    return found


def named(problem: Problem, found: Answer | Mixture | TradeOff) -> NamedAnswer | Mixture | TradeOff:
    """The answer with the states and actions of the problem."""
    if isinstance(found, Mixture):
        return replace(found, probabilities=shares_by_state(problem, found.probabilities))
    if isinstance(found, TradeOff):
        return replace(found, policies=actions_by_state(problem, found.policies))
    return NamedAnswer(problem, found)


def shares_by_state(problem: Problem, shares: Floats) -> Any:
    """The probabilities of actions by state, for each policy, and for each step of a finite horizon."""
    if shares.ndim > 2:
        return [shares_by_state(problem, one) for one in shares]
    actions = problem.actions

    def of(i: int) -> dict[Any, float]:
        return {actions[a]: float(shares[i, a]) for a in np.flatnonzero(shares[i])}

    return ByState(problem.states, shares, of)


def actions_by_state(problem: Problem, policies: Any) -> Any:
    """The actions of policies by state, for each policy, and for each step of a finite horizon."""
    if policies.ndim > 1:
        return [actions_by_state(problem, one) for one in policies]
    actions = problem.actions
    return ByState(problem.states, policies, lambda i: actions[int(policies[i])])
