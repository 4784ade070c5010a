"""The simple calls of pymdptoolbox and of QuantEcon's DiscreteDP, answered by mdpsolve.

    import mdpsolve.toolbox as mdptoolbox
    P, R = mdptoolbox.example.forest()
    vi = mdptoolbox.mdp.ValueIteration(P, R, 0.9)
    vi.run()
    vi.V, vi.policy

Values have proved bounds, which are closer than any common epsilon. max_iter limits the iterations of the command's
method. Arguments that only steer an algorithm of these packages, such as policy0 and v_init, do not exist here.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ._answers import Answer
from ._command import shown
from ._model import Floats, Model, is_sparse, numbers, of_pairs
from ._question import Options
from ._solve import solve


def positive(epsilon: float | None) -> None:
    """Refuses an epsilon that is not above 0. It has no other use, since the proved bounds are closer."""
    if epsilon is not None and not (numbers(epsilon, "epsilon").ndim == 0 and numbers(epsilon, "epsilon") > 0):
        raise ValueError(f"epsilon: {shown(epsilon)} is not valid: use a number above 0")


def warn(answer: Answer) -> None:
    """Warns how far apart the bounds are if a limit ended the solve."""
    if answer.status != "converged":
        gap = (answer.upper - answer.lower).max()
        warnings.warn(f"{answer.status}: the bounds of values are apart by up to {gap:.3g}", stacklevel=4)


@contextmanager
def named(**names: str) -> Iterator[None]:
    """Renames arguments in errors: names has the name here for an argument of mdpsolve."""
    try:
        yield
    except ValueError as fault:
        name, colon, rest = str(fault).partition(":")
        raise ValueError(names.get(name, name) + colon + rest) from None


def forest(S: int = 3, r1: float = 4, r2: float = 2, p: float = 0.1) -> tuple[Floats, Floats]:
    """P and R of the forest of pymdptoolbox: wait or cut; a fire comes with probability p."""
    if S < 2:
        raise ValueError(f"S: {S} is not valid: use 2 or more")
    if not 0 <= p <= 1:
        raise ValueError(f"p: {p} is not valid: use a number from 0 to 1")
    P = np.zeros((2, S, S))
    ages = np.arange(S)
    P[0, ages, np.minimum(ages + 1, S - 1)] = 1 - p
    P[0, :, 0], P[1, :, 0] = p, 1
    R = np.zeros((S, 2))
    R[1:, 1], R[-1] = 1, (r1, r2)
    return P, R


class MDP:
    """What the classes of pymdptoolbox have in common: run(), then V, policy, iter and time."""

    method: str | None = None
    V: tuple[float, ...]
    policy: tuple[int, ...]

    def __init__(
        self, transitions: Any, reward: Any, discount: float | None, epsilon: float = 0.01, max_iter: int | None = None
    ) -> None:
        with named(P="transitions", R="reward"):
            self.model = Model.of(transitions, reward)
        self.discount, self.max_iter = discount, max_iter
        positive(epsilon)

    def run(self) -> None:
        with named(P="transitions", max_iterations="max_iter"):
            self.answer = self.solved()
        warn(self.answer)
        self.V, self.policy = tuple(self.answer.value.tolist()), tuple(self.answer.policy.tolist())
        self.iter, self.time = self.answer.details.iterations, self.answer.details.elapsed_seconds

    def solved(self) -> Answer:
        asked: Options = {"criterion": "discounted", "discount": self.discount, "method": self.method}
        asked["max_iterations"] = self.max_iter
        return solve(self.model, **asked)

    def setSilent(self) -> None:
        self.verbose = False

    def setVerbose(self) -> None:
        self.verbose = True


class ValueIteration(MDP):
    pass


class ValueIterationGS(MDP):
    pass


class PolicyIteration(MDP):
    method = "policy-iteration"

    def __init__(self, transitions: Any, reward: Any, discount: float, *, max_iter: int | None = None) -> None:
        super().__init__(transitions, reward, discount, max_iter=max_iter)


class PolicyIterationModified(MDP):
    method = "modified-policy-iteration"


class RelativeValueIteration(MDP):
    """The long-run average per step; V are relative values, average_reward is the gain."""

    def __init__(self, transitions: Any, reward: Any, epsilon: float = 0.01, max_iter: int | None = None) -> None:
        super().__init__(transitions, reward, None, epsilon, max_iter)

    def run(self) -> None:
        super().run()
        self.average_reward = float(self.answer.gain[0])
        if self.answer.relative_value is not None:
            self.V = tuple((self.answer.relative_value - self.answer.relative_value[-1]).tolist())

    def solved(self) -> Answer:
        return solve(self.model, criterion="average", max_iterations=self.max_iter)


class DiscreteDP:
    """QuantEcon's DiscreteDP(R, Q, beta), and with s_indices and a_indices; solve() has v and sigma."""

    methods = (
        *("policy_iteration", "value_iteration", "modified_policy_iteration", "linear_programming"),
        *("pi", "vi", "mpi", "lp"),
    )

    def __init__(self, R: Any, Q: Any, beta: float, s_indices: Any = None, a_indices: Any = None) -> None:
        with named(P="Q"):
            given = s_indices is not None or a_indices is not None
            if given or is_sparse(Q) or numbers(Q, "Q").ndim == 2:
                self.model = of_pairs(R, Q, s_indices, a_indices)
            else:
                P, rewards = numbers(Q, "Q"), numbers(R, "R")
                if P.ndim != 3 or rewards.shape != P.shape[:2]:
                    raise ValueError("Q: use shape (n, m, n), with R of shape (n, m)")
                self.model = Model.of(np.moveaxis(P, 1, 0), rewards)
        self.beta = beta

    def solve(
        self, method: str = "policy_iteration", *, epsilon: float | None = None, max_iter: int | None = None
    ) -> DPSolveResult:
        """The answer. A method of the command that suits the model takes the place of QuantEcon's."""
        if not isinstance(method, str) or method not in self.methods:
            raise ValueError(f"method: {shown(method)} is not valid: use one of {', '.join(self.methods)}")
        positive(epsilon)
        with named(P="Q", discount="beta", max_iterations="max_iter"):
            return DPSolveResult(solve(self.model, criterion="discounted", discount=self.beta, max_iterations=max_iter))


class DPSolveResult:
    """v, sigma, num_iter and method of an answer."""

    def __init__(self, answer: Answer) -> None:
        warn(answer)
        self.answer, self.v, self.sigma = answer, answer.value, answer.policy
        self.num_iter, self.method = answer.details.iterations, answer.details.method


mdp = example = sys.modules[__name__]
