"""The simple calls of pymdptoolbox and of QuantEcon's DiscreteDP, answered by mdpsolve.

    import mdpsolve.toolbox as mdptoolbox
    P, R = mdptoolbox.example.forest()
    vi = mdptoolbox.mdp.ValueIteration(P, R, 0.9)
    vi.run()
    vi.V, vi.policy

Values are exact up to proved bounds, so that epsilon and the like play no role.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ._model import Floats, is_sparse
from ._solve import Answer, solve


def forest(S: int = 3, r1: float = 4, r2: float = 2, p: float = 0.1) -> tuple[Floats, Floats]:
    """P and R of the forest of pymdptoolbox: wait or cut; a fire comes with probability p."""
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

    def __init__(self, transitions: Any, reward: Any, discount: float | None = None, *_: Any, **__: Any) -> None:
        self.question: dict[str, Any] = {"P": transitions, "R": reward, "discount": discount}
        self.discount = discount

    def run(self) -> None:
        self.answer = self.solved()
        self.V, self.policy = tuple(self.answer.value.tolist()), tuple(self.answer.policy.tolist())
        self.iter, self.time = self.answer.details.iterations, self.answer.details.elapsed_seconds

    def solved(self) -> Answer:
        return solve(**self.question, method=self.method)

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


class PolicyIterationModified(MDP):
    method = "modified-policy-iteration"


class RelativeValueIteration(MDP):
    """The long-run average per step; V are relative values, average_reward is the gain."""

    def __init__(self, transitions: Any, reward: Any, *_: Any, **__: Any) -> None:
        super().__init__(transitions, reward)

    def run(self) -> None:
        super().run()
        self.average_reward = float(self.answer.gain[0])
        if self.answer.relative_value is not None:
            self.V = tuple((self.answer.relative_value - self.answer.relative_value[-1]).tolist())

    def solved(self) -> Answer:
        return solve(self.question["P"], self.question["R"], criterion="average")


class DiscreteDP:
    """QuantEcon's DiscreteDP(R, Q, beta), and with s_indices and a_indices; solve() has v and sigma."""

    def __init__(self, R: Any, Q: Any, beta: float, s_indices: Any = None, a_indices: Any = None) -> None:
        R, Q = np.asarray(R, float), Q if is_sparse(Q) else np.asarray(Q, float)
        if s_indices is None:
            P: Any = np.moveaxis(Q, 1, 0)
        else:
            s, a = np.asarray(s_indices), np.asarray(a_indices)
            n, count = Q.shape[1], int(a.max()) + 1
            rewards = np.full((n, count), -np.inf)
            rewards[s, a] = R
            R, P = rewards, [spread(Q, s, a == action) for action in range(count)]
        self.P, self.R, self.Q, self.beta = P, R, Q, beta

    def solve(self, method: str = "policy_iteration", *_: Any, **__: Any) -> Any:
        answer = solve(self.P, self.R, discount=self.beta)
        return DPSolveResult(answer)


def spread(Q: Any, s: Any, of_action: Any) -> Any:
    """The rows of an action by state; those of states that do not allow it are empty."""
    n = Q.shape[1]
    if not is_sparse(Q):
        dense = np.zeros((n, n))
        dense[s[of_action]] = Q[of_action]
        return dense
    row_of = np.full(n, Q.shape[0])
    row_of[s[of_action]] = np.flatnonzero(of_action)
    csr = Q.tocsr()
    ends = np.concatenate([csr.indptr, csr.indptr[-1:]])  # one row more, which is empty
    counts = (ends[1:] - ends[:-1])[row_of]
    places = np.repeat(ends[row_of] - (np.cumsum(counts) - counts), counts) + np.arange(counts.sum())
    return type(csr)((csr.data[places], csr.indices[places], np.concatenate([[0], np.cumsum(counts)])), shape=(n, n))


class DPSolveResult:
    """v, sigma, num_iter and method of an answer."""

    def __init__(self, answer: Answer) -> None:
        self.answer, self.v, self.sigma = answer, answer.value, answer.policy
        self.num_iter, self.method = answer.details.iterations, answer.details.method


mdp = example = sys.modules[__name__]
