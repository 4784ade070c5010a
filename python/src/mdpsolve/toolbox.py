"""The calls of pymdptoolbox and of QuantEcon's DiscreteDP, answered by mdpsolve.

    import mdpsolve.toolbox as mdptoolbox
    P, R = mdptoolbox.example.forest()
    vi = mdptoolbox.mdp.ValueIteration(P, R, 0.9)
    vi.run()
    vi.V, vi.policy

Values have proved bounds. A solve ends when they are apart by at most epsilon, in every state, or after max_iter
iterations of the command's method, with a warning that says how far apart they are. Arguments that only steer an
algorithm of these packages, such as policy0 and v_init, do not exist here.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import numpy as np

from ._answers import Answer
from ._command import shown
from ._model import MOST_ACTIONS, Floats, Model, indices_of, is_sparse, numbers
from ._question import Options, names_of, own_numbers
from ._solve import evaluate, solve

LOOSEST = 0.1  # tolerance
EXACT = None  # epsilon of calls that have none: the tolerance of the command


def tolerance_of(epsilon: float | None, model: Model, discount: Any) -> float | None:
    """The tolerance at which bounds are apart by at most epsilon. It is relative to the value of absolute rewards.

    That value is at most their greatest divided by 1 - discount. discount is 0 for an average.
    """
    if epsilon is None:
        return None
    if not (numbers(epsilon, "epsilon").ndim == 0 and numbers(epsilon, "epsilon") > 0):
        raise ValueError(f"epsilon: {shown(epsilon)} is not valid: use a number above 0")
    complement = 1 - factor(discount)
    parts = [model.rewards] if model.rewards is not None else [part.rewards for part in model.rows]
    greatest = max((float(abs(part).max(initial=0)) for part in parts if part is not None), default=0.0)
    if not (greatest > 0 and complement > 0):
        return None
    return float(min(LOOSEST, float(epsilon) * complement / greatest))


def factor(discount: Any) -> float:
    """A discount factor as a number; NaN for what is none."""
    try:
        return float(Fraction(discount) if isinstance(discount, str) else discount)
    except (TypeError, ValueError, OverflowError, ZeroDivisionError):
        return float("nan")


def check_discount(discount: Any, argument: str) -> None:
    if not 0 <= factor(discount) <= 1:  # the command refuses 1 where it is not valid
        raise ValueError(f"{argument}: found {shown(discount)}: use a number from 0 to 1")


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


def forest(S: int = 3, r1: float = 4, r2: float = 2, p: float = 0.1, is_sparse: bool = False) -> tuple[Any, Floats]:
    """P and R of the forest of pymdptoolbox: wait or cut; a fire comes with probability p.

    With is_sparse, P is a list of SciPy's matrices.
    """
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
    return (listed(P) if is_sparse else P), R


def small() -> tuple[Floats, Floats]:
    """P and R of the smallest example of pymdptoolbox: two states, two actions."""
    return np.array([[[0.5, 0.5], [0.8, 0.2]], [[0.0, 1.0], [0.1, 0.9]]]), np.array([[5.0, 10.0], [-1.0, 2.0]])


def rand(S: int, A: int, is_sparse: bool = False, mask: Any = None, *, seed: int | None = None) -> tuple[Any, Any]:
    """P and R (A, S, S) of a random model, as rand of pymdptoolbox draws them, but from other random numbers.

    mask, (S, S) or (A, S, S), is 0 where there is no transition; seed makes the draw repeatable. With is_sparse, P and
    R are lists of SciPy's matrices.
    """
    for name, size in ("S", S), ("A", A):
        if not isinstance(size, (int, np.integer)) or size < 2:
            raise ValueError(f"{name}: {shown(size)} is not valid: use a whole number from 2 up")
    random = np.random.default_rng(seed)
    if mask is None:
        kept = random.random((A, S, S)) > random.random((A, S, 1))
    elif np.shape(mask) in ((S, S), (A, S, S)):
        kept = np.broadcast_to(np.asarray(mask) != 0, (A, S, S)).copy()
    else:
        raise ValueError(f"mask: found shape {np.shape(mask)}: use ({S}, {S}) or ({A}, {S}, {S})")
    action, state = np.nonzero(~kept.any(axis=2))
    kept[action, state, random.integers(0, S, len(state))] = True
    P = kept * (1 - random.random((A, S, S)))  # above 0
    P /= P.sum(axis=2, keepdims=True)
    R = kept * random.uniform(-1, 1, (A, S, S))
    return (listed(P), listed(R)) if is_sparse else (P, R)


def listed(matrices: Floats) -> list[Any]:
    """Dense matrices as those of SciPy."""
    from scipy.sparse import csr_array

    return [csr_array(one) for one in matrices]


class MDP:
    """What the classes of pymdptoolbox have in common: run(), then V, policy, iter and time."""

    method: str | None = None
    V: tuple[float, ...]
    policy: tuple[int, ...]

    def __init__(
        self,
        transitions: Any,
        reward: Any,
        discount: float | None,
        epsilon: float | None = 0.01,
        max_iter: int | None = None,
    ) -> None:
        with named(P="transitions", R="reward"):
            self.model = Model.of(transitions, reward)
        check_discount(0 if discount is None else discount, "discount")
        self.discount, self.max_iter = discount, max_iter
        self.tolerance = tolerance_of(epsilon, self.model, 0 if discount is None else discount)

    def run(self) -> None:
        with named(P="transitions", max_iterations="max_iter"):
            self.answer = self.solved()
        warn(self.answer)
        self.V, self.policy = tuple(self.answer.value.tolist()), tuple(self.answer.policy.tolist())
        self.iter, self.time = self.answer.details.iterations, self.answer.details.elapsed_seconds

    def solved(self) -> Answer:
        asked: Options = {"criterion": "discounted", "discount": self.discount, "method": self.method}
        asked |= {"max_iterations": self.max_iter, "tolerance": self.tolerance}
        return solve(self.model, None, **asked)

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
        super().__init__(transitions, reward, discount, EXACT, max_iter)


class FiniteHorizon(MDP):
    """N steps; V (S, N + 1) and policy (S, N) are arrays by state and step, and h is earned at the end, by state."""

    def __init__(self, transitions: Any, reward: Any, discount: Any, N: int, h: Any = None) -> None:
        super().__init__(transitions, reward, discount, EXACT)
        self.N, self.h = N, h

    def run(self) -> None:
        with named(P="transitions", horizon="N", terminal="h"):
            self.answer = self.solved()
        ending = np.zeros(self.model.given) if self.h is None else numbers(self.h, "h")
        self.V = np.concatenate([self.answer.step_values.value[: self.N], ending[None]]).T  # type: ignore[assignment]
        assert self.answer.policies is not None
        self.policy = self.answer.policies.T  # type: ignore[assignment]
        self.time = self.answer.details.elapsed_seconds

    def solved(self) -> Answer:
        asked: Options = {"horizon": self.N, "discount": self.discount, "terminal": self.h, "step_values": True}
        return solve(self.model, None, **asked)


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
        asked: Options = {"criterion": "average", "max_iterations": self.max_iter, "tolerance": self.tolerance}
        return solve(self.model, None, **asked)


class DiscreteDP:
    """QuantEcon's DiscreteDP(R, Q, beta), and with s_indices and a_indices; solve() has v, sigma and mc."""

    methods = (
        *("policy_iteration", "value_iteration", "modified_policy_iteration", "linear_programming"),
        *("pi", "vi", "mpi", "lp"),
    )

    def __init__(self, R: Any, Q: Any, beta: float, s_indices: Any = None, a_indices: Any = None) -> None:
        check_discount(beta, "beta")
        with named(P="Q"):
            given = s_indices is not None or a_indices is not None
            if given or is_sparse(Q) or numbers(Q, "Q").ndim == 2:
                self.model = Model.of_pairs(Q, R, s_indices, a_indices)
            else:
                P, rewards = numbers(Q, "Q"), numbers(R, "R")
                if P.ndim != 3 or rewards.shape != P.shape[:2]:
                    raise ValueError("Q: use shape (n, m, n), with R of shape (n, m)")
                self.model = Model.of(np.moveaxis(P, 1, 0), rewards)
        self.R, self.Q, self.beta = R, Q, beta

    @property
    def num_states(self) -> int:
        """The number of states."""
        return self.model.states

    @property
    def num_sa_pairs(self) -> int:
        """The number of pairs of a state and an action that it has."""
        return int(self.model.start[-1])

    @property
    def num_actions(self) -> int:
        """The number of actions: one more than the greatest number of an action."""
        return int(names_of(self.model.start, self.model.actions).max()) + 1

    def solve(
        self, method: str = "policy_iteration", *, epsilon: float | None = None, max_iter: int | None = None
    ) -> DPSolveResult:
        """The answer. A method of the command that suits the model takes the place of QuantEcon's."""
        if not isinstance(method, str) or method not in self.methods:
            raise ValueError(f"method: {shown(method)} is not valid: use one of {', '.join(self.methods)}")
        asked: Options = {"criterion": "discounted", "discount": self.beta, "max_iterations": max_iter}
        asked["tolerance"] = tolerance_of(epsilon, self.model, self.beta)
        with named(P="Q", discount="beta", max_iterations="max_iter"):
            return DPSolveResult(self, solve(self.model, None, **asked), epsilon, max_iter)

    def evaluate_policy(self, sigma: Any) -> Floats:
        """The value of a policy, by state."""
        asked: Options = {"criterion": "discounted", "discount": self.beta}
        with named(P="Q", discount="beta", policy="sigma"):
            found: Floats = evaluate(self.model, None, actions_in(self, sigma), **asked).value
        return found

    def bellman_operator(self, v: Any) -> Floats:
        """What the best action of each state is worth if the values afterwards are v."""
        return np.asarray(backward_induction(self, 1, v)[0][0])

    def compute_greedy(self, v: Any) -> Any:
        """The best action of each state if the values afterwards are v."""
        return backward_induction(self, 1, v)[1][0]

    def RQ_sigma(self, sigma: Any) -> tuple[Floats, Any]:
        """The rewards and the transition matrix of a policy."""
        model, n = self.model, self.num_states
        own = model.start[:-1] + own_numbers(model, np.arange(n), actions_in(self, sigma), "sigma")
        assert model.rewards is not None
        place = np.full(self.num_sa_pairs, -1)
        place[own] = np.arange(n)
        rows, columns, data = [], [], []
        for part in model.rows:
            owners = place[np.repeat(part.choices, np.diff(part.indptr))]
            kept = owners >= 0
            rows.append(owners[kept])
            columns.append(part.indices[kept])
            data.append(part.data[kept])
        entries = np.concatenate(data), (np.concatenate(rows), np.concatenate(columns))
        if is_sparse(self.Q):
            from scipy.sparse import csr_matrix

            return model.rewards[own], csr_matrix(entries, shape=(n, n))
        chain = np.zeros((n, n))
        np.add.at(chain, entries[1], entries[0])
        return model.rewards[own], chain

    def controlled_mc(self, sigma: Any) -> MarkovChain:
        """The Markov chain of a policy."""
        return MarkovChain(self.RQ_sigma(sigma)[1])


def actions_in(ddp: DiscreteDP, sigma: Any) -> Any:
    """A policy as an array of whole numbers, one for each state."""
    actions = indices_of(sigma, MOST_ACTIONS, "sigma")
    if actions.shape != (ddp.num_states,):
        raise ValueError(f"sigma: found shape {actions.shape}: use ({ddp.num_states},), an action for each state")
    return actions


def backward_induction(ddp: DiscreteDP, T: int, v_term: Any = None) -> tuple[Floats, Any]:
    """The values (T + 1, n) and the policies (T, n) of T periods, after which v_term is earned, by state."""
    asked: Options = {"horizon": T, "discount": ddp.beta, "terminal": v_term, "step_values": True}
    with named(P="Q", discount="beta", horizon="T", terminal="v_term"):
        answer = solve(ddp.model, None, **asked)
    ending = np.zeros(ddp.num_states) if v_term is None else numbers(v_term, "v_term")
    assert answer.policies is not None
    return np.concatenate([answer.step_values.value[:T], ending[None]]), answer.policies


class MarkovChain:
    """The chain of a policy: its transition matrix P and its stationary distributions."""

    def __init__(self, P: Any) -> None:
        self.P, self.n = P, P.shape[0]

    @property
    def stationary_distributions(self) -> Floats:
        """A row for each closed class of states: the shares of time in the long run."""
        P = self.P.toarray() if is_sparse(self.P) else self.P
        reaches = (P > 0) | np.eye(self.n, dtype=bool)
        for _ in range(int(self.n).bit_length()):
            reaches = (reaches.astype(np.float32) @ reaches.astype(np.float32)) > 0
        found = []
        left = (reaches <= reaches.T).all(axis=1)  # whatever the state reaches leads back to it
        while left.any():
            own = np.flatnonzero(reaches[int(left.argmax())])
            left[own] = False
            row = np.zeros(self.n)
            row[own] = shares(P[np.ix_(own, own)])
            found.append(row)
        return np.array(found)

    def simulate(self, ts_length: int, init: int | None = None, random_state: int | None = None) -> Any:
        """A path of so many states from init, or from a state that is drawn."""
        random = np.random.default_rng(random_state)
        path = np.empty(ts_length, np.int64)
        state = int(random.integers(self.n)) if init is None else init
        for t in range(ts_length):
            path[t] = state
            row = self.P[[state]].toarray()[0] if is_sparse(self.P) else self.P[state]
            state = int(random.choice(self.n, p=row / row.sum()))
        return path

    def __repr__(self) -> str:
        return f"<Markov chain of {self.n} states>"


def shares(chain: Floats) -> Floats:
    """The shares of time of an irreducible chain, by elimination without subtractions (Grassmann, Taksar, Heyman)."""
    a, n = chain.copy(), len(chain)
    for k in range(n - 1, 0, -1):
        a[:k, k] /= a[k, :k].sum()
        a[:k, :k] += np.outer(a[:k, k], a[k, :k])
    row = np.ones(n)
    for k in range(1, n):
        row[k] = row[:k] @ a[:k, k]
    return np.asarray(row / row.sum())


class DPSolveResult:
    """v, sigma, mc, num_iter, method, epsilon and max_iter of an answer; answer is the answer itself."""

    def __init__(self, ddp: DiscreteDP, answer: Answer, epsilon: float | None, max_iter: int | None) -> None:
        warn(answer)
        self.epsilon, self.max_iter = epsilon, max_iter
        self.answer, self.v, self.sigma = answer, answer.value, answer.policy
        self.num_iter, self.method = answer.details.iterations, answer.details.method
        self.ddp = ddp

    @property
    def mc(self) -> MarkovChain:
        """The Markov chain of the policy."""
        return self.ddp.controlled_mc(self.sigma)


def __getattr__(name: str) -> Any:
    """Says why a class of pymdptoolbox does not exist here."""
    if name in ("QLearning", "_LP"):
        text = "use ValueIteration; this package neither learns nor calls linear programs"
        raise AttributeError(f"{name}: not here: {text}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


mdp = example = sys.modules[__name__]
