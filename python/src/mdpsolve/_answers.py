"""Answers about models: arrays with their proved bounds, and what the command says beside them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _frame, _plot
from ._command import RESULT, Record, shown
from ._files import whole
from ._model import Floats
from ._question import Asked, arrays_in

Actions = npt.NDArray[np.int64]


class Bounded(NamedTuple):
    """A number, or an array of numbers, with proved bounds."""

    value: Any
    lower: Any
    upper: Any


class ActionValues(NamedTuple):
    """The value of each action, taken once before an optimal policy; arrays by state and action."""

    lower: Floats  # proved bounds; NaN where a state does not have the action
    upper: Floats
    optimality: npt.NDArray[np.str_]  # "optimal", "suboptimal", or "undecided" where bounds do not tell; else ""


@dataclass(frozen=True, repr=False, eq=False)
class Result:
    """What the answers of solve and evaluate have in common: the file with their certificate."""

    status: str  # "converged", or why the solve ended before
    details: Record  # what else the command says: method, iterations, elapsed_seconds, classification, …
    archive: bytes  # the file with the certificate, which numpy.load and mdpsolve check read
    asked: Asked

    @property
    def certificate(self) -> dict[str, Floats]:
        """The vectors that prove the bounds, by name. Vectors with fractions are in details.certificate."""
        return arrays_in(self.archive, certificate=True)[1]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the answer with its certificate to a file that ends in .npz, for mdpsolve check and numpy.load."""
        if not isinstance(path, (str, os.PathLike)) or not os.fspath(path).endswith(".npz"):
            raise ValueError(f"path: found {shown(path)}: use a name that ends in .npz")
        with whole(path) as file:
            file.write(self.proof())

    def proof(self) -> bytes:
        """The file with the certificate. For a time in a CTMC there is none: it raises ValueError."""
        if not self.archive:
            raise ValueError("the answer has bounds but no certificate")
        return self.archive

    def check(self) -> Record:
        """Has the command judge the answer by its certificate; verdict is "holds" if all of it is proved.

        The command judges from the model alone, with P and R as they were when it was solved. But a model file, and
        matrices of SciPy in CSR, are not copied: they count as they are now.
        """
        return judged(Asked(self.asked.model, self.asked.marks), self.proof())


class Verdict(Record):
    """What the command says about a claim: a Record, shown in one line."""

    def __repr__(self) -> str:
        parts = (f"{name} {self[name]}" for name in ("bounds", "values", "policy", "status") if name in self)
        faults = "".join(f"; {shown(one)}" for one in self.get("faults", [])[:1])
        return f"<{self['verdict']}: {', '.join(parts)}{faults}>"


def judged(asked: Asked, archive: bytes) -> Record:
    """The verdict of the command on an answer. The answer states its question, so asked has no flags for it."""
    found = asked.answer("check", {}, {RESULT: archive}, RESULT)
    return Verdict(found | {"file": asked.model.path or "P", "result": "the answer"})


@dataclass(frozen=True, repr=False, eq=False)
class Answer(Result):
    """A policy of a model and its value, with proved bounds: the best one, or the one given to evaluate.

    For an average, value is the gain of each state, and relative_value its bias up to a constant.
    """

    value: Floats  # by state
    lower: Floats  # proved bounds of the value
    upper: Floats
    # The action of each state, for a finite horizon that of the first step; empty for a property of all policies.
    policy: Actions
    relative_value: Floats | None  # for an average only
    policies: Actions | None  # by step and state, for a finite horizon; None if they are too many

    @property
    def gain(self) -> Floats:
        """The long-run average from each state."""
        if self.details.criterion != "average":
            raise AttributeError(f"gain: a {self.details.criterion} value has none: ask with criterion='average'")
        return self.value

    @property
    def action_values(self) -> ActionValues:
        """The value of each action, of solve with action_values=True."""
        found = self.details.get("action_values")
        if found is None:
            raise AttributeError("action_values: ask for them with action_values=True")
        lower, upper = (self.asked.by_action(floats(one), np.nan) for one in (found.lower, found.upper))
        return ActionValues(lower, upper, self.asked.by_action(found.optimality, ""))

    @property
    def step_values(self) -> Bounded:
        """The values of a finite horizon before each step, by step and state, of solve with step_values=True."""
        found = self.details.get("step_values")
        if found is None:
            raise AttributeError("step_values: ask for them with step_values=True")
        n = len(self.value)
        return Bounded(*(np.array([floats(row[:n]) for row in found[name]]) for name in ("values", "lower", "upper")))

    @property
    def infinite(self) -> str | None:
        """Why values are infinite, in a sentence; None if none is."""
        reason: str | None = self.details.get("infinite")
        return reason

    def frame(self, *, actions: bool = False) -> Any:
        """A table of pandas: a row for each state, with labels, value, bounds and action.

        For a finite horizon, the action is that of the first step. With step_values=True, or P or R that change from
        step to step, it has a row for each step, from 1 (the action is in policies[step - 1]), and state. With actions,
        it has a row for each state and action, with what action_values says.
        """
        return _frame.of_actions(self) if actions else _frame.of(self)

    def plot(
        self,
        ax: Any = None,
        *,
        show: str | Sequence[str] = "value",
        over: str | Sequence[str] | None = None,
        where: Mapping[str, Any] | None = None,
    ) -> Any:
        """Draws values or actions by matplotlib, and returns the axes; with the name of a file as ax, also saves it.

        Over one variable of the states they are lines with bounds, or steps; over two a heat map, or regions. Other
        variables of few values have lines of their own. The step of a finite horizon is a variable, too: "step", from 1
        (of values with step_values=True); policies over one other variable show it, other pictures the first step.

        show   "value" (of an average that is the same for all states: the relative value), "policy",
               "relative_value", or several: "policy,value" draws them side by side
        over   the names of one or two variables; without it, those with the most values
        where  values of further variables, by name; without variables, states are numbered by "state"
        """
        return _plot.answer(self, show, over, where, ax)

    def _repr_html_(self) -> str:
        return _frame.html(self, repr(self))

    def __repr__(self) -> str:
        d = self.details
        named = next((f" {name} {d[name]}" for name in ("horizon", "discount", "rate", "target") if name in d), "")
        value, lower, upper = (array[d.initial] for array in (self.value, self.lower, self.upper))
        states = f"{len(self.value)} states, value of state {d.initial}: {value:.10g} in [{lower}, {upper}]"
        infinite = f"; infinite: {self.infinite}" if self.infinite else ""
        return f"<{d.criterion}{named}, {d.sense}: {self.status} by {d.method}; {states}{infinite}>"


@dataclass(frozen=True, repr=False, eq=False)
class Mixture(Result):
    """The best policy within limits, and its value from the initial state, with proved bounds.

    One of several policies is drawn at the start by its weight and followed for ever; often there is only one.
    """

    value: float
    lower: float
    upper: float
    weights: Floats  # by policy; they sum to 1
    probabilities: Floats  # by policy, state and action; for a finite horizon by policy, step, state and action

    @property
    def gain(self) -> float:
        """The long-run average, as of an answer without limits."""
        if self.details.criterion != "average":
            raise AttributeError(f"gain: a {self.details.criterion} value has none: ask with criterion='average'")
        return self.value

    @property
    def policy(self) -> Any:
        """The probabilities of actions, if there is one policy."""
        if len(self.weights) > 1:
            drawn = f"one of {len(self.weights)} policies is drawn at the start"
            raise AttributeError(f"policy: {drawn}: use weights and probabilities")
        return self.probabilities[0]

    @property
    def limits(self) -> list[Record]:
        """Each limit, the value of its reward, and its multiplier: what easing it gains at first, per unit."""
        limits: list[Record] = self.details.constraints
        return limits

    def frame(self) -> Any:
        """A table of pandas: the probability of each action by policy, step of a finite horizon, and state."""
        return _frame.of_mixture(self)

    def plot(
        self,
        ax: Any = None,
        *,
        show: str = "policy",
        policy: int = 0,
        over: str | Sequence[str] | None = None,
        where: Mapping[str, Any] | None = None,
    ) -> Any:
        """Draws one of the policies by matplotlib, with the probabilities of actions that are left to chance.

        The step of a finite horizon is a variable; for ax, over and where see Answer.plot.
        """
        if show != "policy":
            raise ValueError(f"show: found {show!r}: a policy within limits is all there is to draw: leave it out")
        return _plot.mixture(self, policy, over, where, ax)

    def __repr__(self) -> str:
        d = self.details
        limits = ", ".join(f"{x.reward} {x.value:.10g} {x.sense} {x.bound}" for x in self.limits)
        names = self.asked.model.names
        state = d.initial if names is None else shown(names.states[d.initial])
        value = f"value of state {state}: {self.value:.10g} in [{self.lower}, {self.upper}]"
        return f"<{d.criterion}, {d.sense}, {limits}: {self.status}; {value}; policies: {len(self.weights)}>"


@dataclass(frozen=True, repr=False, eq=False)
class TradeOff:
    """All policies that are best for some weight of a second reward beside the first, from the initial state."""

    value: Floats  # of the first reward, by policy
    other: Floats  # of the second
    weight_from: Floats  # the weights of the second reward for which the policy is best
    weight_to: Floats
    policies: Actions  # by policy and state; for a finite horizon by policy, step and state
    gap: float  # what policies that are not listed save at most, as a share of the weighted magnitudes
    status: str
    details: Record

    def plot(self, ax: Any = None) -> Any:
        """Draws one reward against the other by matplotlib, and returns the axes. ax may be the name of a file."""
        return _plot.trade_off(self.value, self.other, (self.details.reward, self.details.other), ax)

    def frame(self) -> Any:
        """A table of pandas: the values of both rewards for each policy, and the weights for which it is best."""
        import pandas as pd

        d = self.details
        weights = {"weight_from": self.weight_from, "weight_to": self.weight_to}
        return pd.DataFrame({d.reward: self.value, d.other: self.other} | weights)

    def __repr__(self) -> str:
        d = self.details
        return f"<{d.criterion}, {d.reward} against {d.other}: {self.status}, {len(self.value)} policies>"


@dataclass(frozen=True, repr=False, eq=False)
class Distribution:
    """The distribution of a total under a policy, from the initial state, with proved bounds."""

    x: Floats  # ascending
    at_most: Bounded  # the probability that the total is at most x, for each x
    above: Bounded  # that it is above
    excess: Bounded  # the mean excess over x
    mean: Bounded
    never: Bounded  # the probability that the target is never reached
    level: Floats  # of the quantiles
    quantile: Bounded  # for each level
    cvar: Bounded  # the mean of the upper tail: of the share 1 - level of totals that are greatest
    details: Record

    def plot(self, ax: Any = None) -> Any:
        """Draws the probability that the total is at most x, and the mean, and returns the axes; ax may name a file."""
        return _plot.distribution(self, ax)

    def frame(self) -> Any:
        """A table of pandas with a row for each x: x, and at_most, above and excess, each with its bounds."""
        import pandas as pd

        made = {"x": self.x}
        for name in "at_most", "above", "excess":
            bounded: Bounded = getattr(self, name)
            made |= {name: bounded.value, f"{name}_lower": bounded.lower, f"{name}_upper": bounded.upper}
        return pd.DataFrame(made)

    def __repr__(self) -> str:
        return f"<{self.details.criterion}, mean {self.mean.value:.10g}, at {len(self.x)} numbers>"


@dataclass(frozen=True, eq=False)
class Simulation:
    """The mean value of a simulated policy from the initial state, with its confidence interval."""

    mean: float
    lower: float
    upper: float
    confidence: float
    status: str
    details: Record = field(repr=False)

    @property
    def value(self) -> float:
        """The mean."""
        return self.mean


def floats(values: Any) -> Floats:
    """Numbers in JSON, where infinity is a text or, as the end of an interval, null."""
    return np.array([np.inf if x is None else float(x) for x in values])


def answer_of(asked: Asked, details: Record, arrays: Mapping[str, Any], archive: bytes) -> Answer:
    """The answer of solve or evaluate."""
    model = asked.model
    n = len(arrays["values"]) - model.has_end
    value, lower, upper = (arrays[name][:n] for name in ("values", "lower", "upper"))
    relative = arrays["relative_values"][:n] if "relative_values" in arrays else None
    policy = actions_of(asked, arrays["policy"], n) if "policy" in arrays else np.empty(0, np.int64)
    policies = actions_of(asked, arrays["policies"], n) if "policies" in arrays else None
    if details.criterion == "finite" and model.path is None and not model.has_choices:
        policies = np.broadcast_to(policy, (details.horizon, n))  # there is nothing to choose
    known = details.status, details, archive, asked
    return Answer(*known, value, lower, upper, policy, relative, policies)


def actions_of(asked: Asked, policy: Any, n: int) -> Actions:
    """The actions of n states, from their numbers in each state."""
    model, own = asked.model, np.asarray(policy)[..., :n].astype(np.int64)
    return own if model.actions is None else model.actions[model.start[:n] + own].astype(np.int64)


def mixture_of(asked: Asked, archive: bytes) -> Mixture:
    """The answer of solve within limits."""
    details, _ = arrays_in(archive)
    components = details.pop("mixture")
    shares = np.array([component.probabilities for component in components], np.float64)
    if "horizon" in details:  # choices of each step come first, then those of the states at the end
        choices = int(asked.start()[-1])
        shares = shares[:, : details.horizon * choices].reshape(len(shares), details.horizon, choices)
    probabilities = asked.by_action(shares, 0)
    lower, upper = details.value_bounds
    weights = floats(component.weight for component in components)
    known = details.status, details, archive, asked, details.value, lower, upper, weights
    return Mixture(*known, probabilities)


def trade_off_of(asked: Asked, details: Record) -> TradeOff:
    """The answer of solve for two rewards."""
    points = details.pop("points")
    value, other, low, high = (
        floats(point[name] for point in points) for name in ("value", "other", "weight_from", "weight_to")
    )
    name = "policies" if "policies" in points[0] else "policy"
    policies = np.array([point[name] for point in points], np.int64)
    n = policies.shape[-1] - asked.model.has_end
    actions = actions_of(asked, policies, n)
    return TradeOff(value, other, low, high, actions, details.gap, details.status, details)


def distribution_of(details: Record) -> Distribution:
    """The answer of evaluate about a distribution."""

    def column(rows: list[Record], name: str) -> Bounded:
        return Bounded(*(floats(row[name + end] for row in rows) for end in ("", "_lower", "_upper")))

    def number(name: str) -> Bounded:
        return Bounded(*(float(details[name + end]) for end in ("", "_lower", "_upper")))

    points, levels = details.pop("distribution"), details.pop("quantiles")
    at_most, above, excess = (column(points, name) for name in ("at_most", "above", "excess"))
    quantile, cvar = (column(levels, name) for name in ("quantile", "cvar"))
    x, level = floats(point.x for point in points), floats(one.level for one in levels)
    mean, never = number("mean"), number("never")
    return Distribution(x, at_most, above, excess, mean, never, level, quantile, cvar, details)
