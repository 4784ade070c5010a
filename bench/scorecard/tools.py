"""One run of the scorecard: one tool answers one question, in this process, and the answer goes into a file.

python tools.py TOOL QUESTION.npz EPSILON MEMORY ANSWER.npz
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from mdpsolve._model import Model, Rows

from questions import Question, of_entries

MANY = 10**9
Solve = Callable[[], tuple[Any, Any]]  # gives values (a number for an average) and actions, or None


class Cannot(Exception):
    """The tool has no way to ask the question."""


class NoAnswer(Exception):
    """The tool says itself that it has no answer, and why."""


def sign(q: Question) -> int:
    """Costs are negative rewards, for tools that only maximise."""
    return 1 if q.sense == "max" else -1


def pairs(q: Question) -> tuple[Any, Any]:
    """The state and the action of each choice."""
    states = np.repeat(np.arange(q.states), q.counts)
    return states, np.arange(len(states)) - q.start[states]


def mdpsolve(q: Question, epsilon: float) -> Solve:
    import mdpsolve as package

    if q.robots:

        def solve_robots() -> tuple[Any, Any]:
            answer = package.robots(**json.loads(q.robots), tolerance=1e-6)
            solve_robots.seconds = answer.elapsed_seconds
            if answer.status != "converged":
                raise NoAnswer(answer.status)
            return answer.cost, None

        return solve_robots
    states, actions = pairs(q)
    model = package.Model.of_pairs(q.transitions, q.rewards, states, actions)
    question = {"discount": q.discount or None, "target": q.target if len(q.target) else None}
    if q.criterion == "average":
        question = {"criterion": "average"}

    def solve() -> tuple[Any, Any]:
        answer = package.solve(model, sense=q.sense, tolerance=1e-6, **question)
        solve.seconds = answer.details.elapsed_seconds
        if answer.status != "converged":
            raise NoAnswer(answer.status)
        return answer.value, answer.policy

    return solve


def model_of(q: Question) -> Model:
    """The model for a file."""
    m = q.transitions
    return Model(
        None, q.states, q.start, None, [Rows(np.arange(len(q.rewards)), m.indptr, m.indices, m.data)], q.rewards
    )


def storm(q: Question, epsilon: float, sound: bool = True) -> Solve:
    import stormpy

    with tempfile.TemporaryDirectory() as folder:
        model_of(q).write(Path(folder, "model.umb"), q.target if len(q.target) else None)
        loaded = stormpy.build_model_from_umb(str(Path(folder, "model.umb")))
    path = {"discounted": f"Cdiscount={q.discount}", "average": "LRA", "total": 'F "target"'}[q.criterion]
    formula = stormpy.parse_properties(f"R{q.sense}=? [ {path} ]")[0]
    environment = stormpy.environments.sound() if sound else stormpy.Environment()
    environment.solver().min_max().precision = stormpy.Rational("1/1000000")  # relative, as in its default
    return lambda: (np.array(stormpy.model_checking(loaded, formula, environment=environment).get_value_vector()), None)


def storm_fast(q: Question, epsilon: float) -> Solve:
    return storm(q, epsilon, sound=False)


def quantecon(q: Question, epsilon: float, method: str = "modified_policy_iteration") -> Solve:
    if q.criterion != "discounted":
        raise Cannot
    from quantecon.markov import DiscreteDP

    states, actions = pairs(q)
    model = DiscreteDP(sign(q) * q.rewards, sp.csr_matrix(q.transitions), q.discount, states, actions)

    def solve() -> tuple[Any, Any]:
        answer = model.solve(method, epsilon=epsilon, max_iter=MANY)
        return sign(q) * answer.v, answer.sigma

    return solve


def quantecon_pi(q: Question, epsilon: float) -> Solve:
    return quantecon(q, epsilon, "policy_iteration")


def mdpsolver(q: Question, epsilon: float) -> Solve:
    if q.criterion == "total":
        raise Cannot
    import mdpsolver as package

    ends, m = q.transitions.indptr, q.transitions
    rows = [[(ends[c], ends[c + 1]) for c in range(a, b)] for a, b in zip(q.start, q.start[1:], strict=False)]
    data, columns = m.data.tolist(), m.indices.tolist()
    model = package.model()
    model.mdp(
        discount=q.discount or 0.5,
        rewards=[(sign(q) * q.rewards[a:b]).tolist() for a, b in zip(q.start, q.start[1:], strict=False)],
        tranMatProbs=[[data[i:j] for i, j in state] for state in rows],
        tranMatColumns=[[columns[i:j] for i, j in state] for state in rows],
    )

    def solve() -> tuple[Any, Any]:
        model.solve(tolerance=epsilon, criterion=q.criterion)
        v = np.array(model.getValueVector())
        if q.criterion == "average":  # it gives relative values; the gain is what a step adds to them
            steps = np.maximum.reduceat(sign(q) * q.rewards + q.transitions @ v, q.start[:-1]) - v
            v = (steps.min() + steps.max()) / 2
        return sign(q) * v, model.getPolicy()

    return solve


def pymdptoolbox(q: Question, epsilon: float, exact: bool = False) -> Solve:
    if q.criterion == "total" or (exact and q.criterion == "average"):
        raise Cannot  # without a discount it warns that it may not converge
    from mdptoolbox import mdp

    P, R = q.matrices
    R = sign(q) * R
    if exact:
        model = mdp.PolicyIteration(P, R, q.discount, max_iter=MANY)
    elif q.criterion == "average":
        model = mdp.RelativeValueIteration(P, R, epsilon=epsilon, max_iter=MANY)
    else:
        model = mdp.ValueIteration(P, R, q.discount, epsilon=epsilon)

    def solve() -> tuple[Any, Any]:
        model.run()
        return sign(q) * np.array(model.average_reward if q.criterion == "average" else model.V), model.policy

    return solve


def pymdptoolbox_pi(q: Question, epsilon: float) -> Solve:
    return pymdptoolbox(q, epsilon, exact=True)


def mdpax(q: Question, epsilon: float) -> Solve:
    if q.criterion == "total":
        raise Cannot
    os.environ["JAX_PLATFORMS"] = "cpu"
    import jax
    from mdpax.core.problem import Problem
    from mdpax.solvers import RelativeValueIteration, ValueIteration

    jax.config.update("jax_enable_x64", True)
    jnp, m = jax.numpy, q.transitions
    width = int(np.diff(m.indptr).max())
    at = np.repeat(np.arange(len(q.rewards)), np.diff(m.indptr))
    places = (at, np.arange(m.nnz) - m.indptr[at])
    p, to = np.zeros((len(q.rewards), width)), np.zeros((len(q.rewards), width), np.int32)
    p[places], to[places] = m.data, m.indices
    choices = q.choices
    p, to, r = (jnp.asarray(x[choices]) for x in (p, to, sign(q) * q.rewards))

    class Arrays(Problem):
        name = "arrays"
        _construct_state_space = lambda self: jnp.arange(q.states, dtype=jnp.int32)  # noqa: E731
        _construct_action_space = lambda self: jnp.arange(choices.shape[1], dtype=jnp.int32)  # noqa: E731
        _construct_random_event_space = lambda self: jnp.arange(width, dtype=jnp.int32)  # noqa: E731
        state_to_index = lambda self, state: state[0]  # noqa: E731
        random_event_probability = lambda self, s, a, event: p[s[0], a[0], event[0]]  # noqa: E731
        transition = lambda self, s, a, event: (to[s[0], a[0], event[0]][None], r[s[0], a[0]])  # noqa: E731

    options = {"epsilon": epsilon, "max_batch_size": 1 << 14, "verbose": 0}
    if q.criterion == "average":
        solver = RelativeValueIteration(Arrays(), **options)
    else:
        solver = ValueIteration(Arrays(), gamma=q.discount, convergence_test="max_diff", **options)

    def solve() -> tuple[Any, Any]:
        state = solver.solve(max_iterations=MANY)
        values = state.info.gain if q.criterion == "average" else state.values
        return sign(q) * np.asarray(values), np.asarray(state.policy).ravel()

    return solve


TOOLS: dict[str, tuple[Callable[[Question, float], Solve], str]] = {  # and the package whose version is shown
    "mdpsolve": (mdpsolve, "mdpsolve"),
    "Storm, sound": (storm, "stormpy"),
    "Storm, default": (storm_fast, "stormpy"),
    "QuantEcon, MPI": (quantecon, "quantecon"),
    "QuantEcon, PI": (quantecon_pi, "quantecon"),
    "MDPSolver": (mdpsolver, "mdpsolver"),
    "pymdptoolbox, VI": (pymdptoolbox, "pymdptoolbox"),
    "pymdptoolbox, PI": (pymdptoolbox_pi, "pymdptoolbox"),
    "mdpax": (mdpax, "mdpax"),
}


def warm_up(prepare: Callable[[Question, float], Solve], like: Question) -> None:
    """Has the tool answer a question of two states, so that what it loads and compiles once is not timed."""
    asked = {"criterion": like.criterion, "sense": like.sense, "discount": min(like.discount, 0.5)}
    if like.criterion == "total":
        asked |= {"target": np.array([1]), "initial": 0}
    rows, columns, data = np.array([0, 0, 1, 2]), np.array([0, 1, 1, 1]), np.array([0.5, 0.5, 1.0, 1.0])
    prepare(of_entries("", asked, [2, 1], [rows], [columns], [data], [1.0, 0.5, 0.0]), 1e-3)()


def main() -> None:
    tool, path, epsilon, memory, out = sys.argv[1:]
    resource.setrlimit(resource.RLIMIT_AS, (int(memory), int(memory)))
    prepare, q = TOOLS[tool][0], Question.load(Path(path))
    _ = q.matrices  # a form in which the model is given, made before time counts
    try:
        warm_up(prepare, q)
        answered, solved, began = [], [], time.monotonic()
        while not solved or (len(solved) < 9 and time.monotonic() - began < 2):
            t0 = time.perf_counter()
            solve = prepare(q, float(epsilon))
            t1 = time.perf_counter()
            values, actions = solve()
            t2 = time.perf_counter()
            answered.append(t2 - t0)
            solved.append(getattr(solve, "seconds", t2 - t1))
    except Cannot:
        np.savez(out, why="cannot")
        return
    except (MemoryError, NoAnswer) as fault:
        np.savez(out, why=str(fault) if isinstance(fault, NoAnswer) else "memory")
        return
    policy = np.zeros(0, np.int64) if actions is None else np.asarray(actions, np.int64)
    times = {"answer_s": statistics.median(answered), "solve_s": statistics.median(solved)}
    np.savez(out, why="", values=np.asarray(values, float), policy=policy, **times)


if __name__ == "__main__":
    main()
