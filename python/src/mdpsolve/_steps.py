"""Models that change from step to step. They become one unrolled model, in which each step has states of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any

import numpy as np

from ._answers import ActionValues, Answer, Bounded, floats
from ._command import shown
from ._model import Model, Rows, is_sparse, numbers, of_matrices

# Arguments that are not valid for such a model.
INVALID = ("property", "target", "labels", "upper", "uncertainty", "reward", "limits", "tradeoff", "kind", "start_from")


def changing(P: Any, R: Any, options: Mapping[str, Any]) -> list[tuple[Any, Any]] | None:
    """P and R of each step, if P or R changes: P has matrices for each step, or R rewards (T, S, A). Otherwise None."""
    horizon = options.get("horizon")
    if not isinstance(horizon, (int, np.integer)) or not isinstance(P, (list, tuple, np.ndarray)) or len(P) == 0:
        return None
    by_step = not is_sparse(P[0]) and len(shape_of(P[0])) == 3
    shapes = shape_of(P[0] if by_step else P)
    if len(shapes) != 3:
        return None
    count, n, _ = shapes
    rewarded = shape_of(R) == (horizon, n, count) and (by_step or shape_of(R) != (count, n, n))
    if not by_step and not rewarded:
        return None
    if by_step and len(P) != horizon:
        raise ValueError(f"P: found matrices for {len(P)} steps: use them for each of {horizon} steps")
    return [(P[t] if by_step else P, R[t] if rewarded else R) for t in range(int(horizon))]


def shape_of(array: Any) -> tuple[int, ...]:
    """The shape of an array, or of a list of arrays or SciPy's matrices; () if it has none."""
    if isinstance(array, (list, tuple)) and len(array) > 0 and is_sparse(array[0]):
        return (len(array), *array[0].shape)
    try:
        return () if isinstance(array, Mapping) or is_sparse(array) else np.shape(array)
    except ValueError:
        return ()


def unrolled(steps: list[tuple[Any, Any]], terminal: Any, sense: str) -> Model:
    """The unrolled model: its state t·n + s is state s before step t, from 0.

    After the last step, each state earns its reward in terminal and leads to one more state, where episodes end.
    """
    layers = [of_matrices(P, R, sense, None) for P, R in steps]
    n = layers[0].states
    if any(layer.states != n for layer in layers):
        raise ValueError("P: use matrices of the same size in each step")
    if any(layer.rewards is None for layer in layers):
        raise ValueError("R: use rewards by state and action in a model that changes from step to step")
    ending = np.zeros(n) if terminal is None else numbers(terminal, "terminal")
    if ending.shape != (n,) or not np.isfinite(ending).all():
        raise ValueError(f"terminal: found {shown(terminal)}: use a finite reward for each of {n} states")
    start: list[Any] = [np.zeros(1, np.int64)]
    rows: list[Rows] = []
    actions: list[Any] = []
    rewards: list[Any] = []
    first = 0  # choice of the layer
    for t, layer in enumerate(layers):
        own = layer.actions
        actions.append(np.tile(np.arange(len(layer.rows)), n) if own is None else own)
        rewards.append(layer.rewards)
        start.append(layer.start[1:] + first)
        rows += [part._replace(choices=part.choices + first, indices=part.indices + (t + 1) * n) for part in layer.rows]
        first += int(layer.start[-1])
    last = (len(layers) + 1) * n
    ends = np.arange(n + 1)
    rows.append(Rows(first + ends, np.arange(n + 2), np.full(n + 1, last), np.ones(n + 1)))
    start.append(first + 1 + ends)
    actions.append(np.zeros(n + 1, np.int64))
    rewards.append(np.append(ending, 0.0))
    first_choices, names = np.concatenate(start), np.concatenate(actions)
    return Model(None, last + 1, first_choices, names, rows, np.concatenate(rewards), has_end=True)


def question(options: Mapping[str, Any]) -> dict[str, Any]:
    """The question about the unrolled model: the total of all steps, discounted or not."""
    for name in INVALID:
        if options.get(name) is not None:
            raise ValueError(f"{name}: not valid with P or R that change from step to step")
    own = ("horizon", "terminal", "discount", "criterion", "step_values", *INVALID)
    if options.get("criterion") not in (None, "finite"):
        raise ValueError("criterion: not valid with P or R that change from step to step: leave it out")
    asked = {name: x for name, x in options.items() if name not in own}
    discount = options.get("discount")
    if discount is None or is_one(discount):
        return {**asked, "criterion": "total"}
    return {**asked, "discount": discount}


def is_one(discount: Any) -> bool:
    """Whether a discount factor is 1; the command refuses what is no number."""
    try:
        return float(Fraction(discount) if isinstance(discount, str) else discount) == 1
    except (TypeError, ValueError, OverflowError):
        return False


def flat(policy: Any, steps: int) -> Any:
    """The policy of the unrolled model: from one by step and state, or from one by state for all steps."""
    array = np.asarray(policy)
    if array.ndim == 1:
        array = np.tile(array, (steps, 1))
    if array.ndim != 2 or len(array) != steps:
        raise ValueError(f"policy: found shape {array.shape}: use an action for each state, or for each step and state")
    return np.concatenate([array.ravel(), np.zeros(array.shape[1], array.dtype)])


def flat_result(result: Any, steps: int, terminal: Any) -> Any:
    """A result from elsewhere for the unrolled model: values or actions by step and state."""
    array = np.asarray(result)
    if array.dtype.kind != "f":
        return flat(result, steps)
    n = array.shape[-1] if array.ndim else 0
    if array.shape != (steps, n):
        raise ValueError(f"result: found shape {array.shape}: use values by step and state")
    ending = np.zeros(n) if terminal is None else numbers(terminal, "terminal")
    return np.concatenate([array.ravel(), ending])


@dataclass(frozen=True, repr=False, eq=False)
class Stepped(Answer):
    """An answer about a model that changes from step to step; values are those before the first step."""

    steps: Bounded

    @property
    def step_values(self) -> Bounded:
        """The values before each step, by step and state."""
        return self.steps

    @property
    def action_values(self) -> ActionValues:
        """The value of each action, by step, state and action, of solve with action_values=True."""
        found = self.details.get("action_values")
        if found is None:
            raise AttributeError("action_values: ask for them with action_values=True")
        shape = self.steps.value.shape
        lists = (floats(found.lower), np.nan), (floats(found.upper), np.nan), (found.optimality, "")
        own = (self.asked.by_action(values, missing)[: shape[0] * shape[1]] for values, missing in lists)
        return ActionValues(*(array.reshape(*shape, -1) for array in own))


def folded(answer: Answer, steps: int) -> Stepped:
    """The answer by step and state, from that about the unrolled model."""
    n = len(answer.value) // (steps + 1)
    by_step = [array[: steps * n].reshape(steps, n) for array in (answer.value, answer.lower, answer.upper)]
    policies = answer.policy[: steps * n].reshape(steps, n) if len(answer.policy) else None
    known = {one.name: getattr(answer, one.name) for one in fields(Answer)}
    known |= dict(zip(("value", "lower", "upper"), (array[0] for array in by_step), strict=True))
    known |= {"policies": policies, "policy": answer.policy[:n]}
    return Stepped(**known, steps=Bounded(*by_step))
