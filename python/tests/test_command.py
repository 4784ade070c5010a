"""Random questions, beside the command on the files that the package writes."""

import json
import subprocess

import numpy as np
import pytest

import mdpsolve
from mdpsolve._command import command
from mdpsolve._model import Model

QUESTIONS = (
    ({"discount": 0.9}, ["--criterion=discounted", "--discount=0.9"]),
    ({"criterion": "average"}, ["--criterion=average"]),
    ({"horizon": 4}, ["--criterion=finite", "--horizon=4"]),
    ({"target": [0]}, ["--criterion=total", "--target=target"]),
)


def told(*words):
    """What the command answers in JSON."""
    done = subprocess.run([command(), *map(str, words), "--output=json"], capture_output=True, text=True)
    assert done.returncode in (0, 3), done.stderr
    return json.loads(done.stdout)


def random_arrays(rng):
    n, count = int(rng.integers(2, 7)), int(rng.integers(1, 4))
    P, R = rng.dirichlet(np.full(n, 0.5), (count, n)), rng.integers(0, 9, (n, count)).astype(float)
    return P, R


def functions_of(P, R):
    """The same model as functions of states "s0", …, and actions "a0", …"""
    count, n, _ = P.shape

    def step(s, a):
        return [(p, f"s{j}") for j, p in enumerate(P[int(a[1:]), int(s[1:])].tolist())]

    states, actions = ([f"{letter}{i}" for i in range(size)] for letter, size in (("s", n), ("a", count)))
    return mdpsolve.Problem(states, actions, step, reward=lambda s, a: R[int(s[1:]), int(a[1:])])


@pytest.mark.parametrize("kind", range(len(QUESTIONS)))
def test_solve_and_evaluate(kind, calls, tmp_path):
    rng = np.random.default_rng(40 + kind)
    asked, flags = QUESTIONS[kind]
    for _ in range(max(calls // 4, 8)):
        P, R = random_arrays(rng)
        file = tmp_path / "model.umb"
        Model.of(P, R).write(file, asked.get("target"))
        want = told("solve", file, "--maximize", *flags)
        problem = functions_of(P, R)
        named = dict(asked) | ({"target": "s0"} if "target" in asked else {})
        one, other = mdpsolve.solve(P, R, **asked), mdpsolve.solve(problem, **named)
        infinite = [np.inf if x == "+Infinity" else float(x) for x in want["values"]]
        np.testing.assert_allclose(one.value, infinite, rtol=1e-9)
        np.testing.assert_allclose(other.value.array, infinite, rtol=1e-9)
        policy = rng.integers(0, len(P), P.shape[1])
        table = tmp_path / "policy.csv"
        table.write_text("state,policy\n" + "".join(f"{s},{a}\n" for s, a in enumerate(policy)))
        want = told("evaluate", file, "--maximize", f"--policy={table}", *flags)
        infinite = [np.inf if x == "+Infinity" else float(x) for x in want["values"]]
        np.testing.assert_allclose(mdpsolve.evaluate(P, R, policy, **asked).value, infinite, rtol=1e-9)
        worth = mdpsolve.evaluate(problem, policy=lambda s, policy=policy: f"a{policy[int(s[1:])]}", **named)
        np.testing.assert_allclose(worth.value.array, infinite, rtol=1e-9)


def test_simulate_and_distribution(calls, tmp_path):
    rng = np.random.default_rng(50)
    for seed in range(max(calls // 4, 8)):
        P, R = random_arrays(rng)
        file, table = tmp_path / "model.umb", tmp_path / "policy.csv"
        Model.of(P, R).write(file)
        policy = rng.integers(0, len(P), P.shape[1])
        table.write_text("state,policy\n" + "".join(f"{s},{a}\n" for s, a in enumerate(policy)))
        flags = ["--criterion=finite", "--horizon=3", f"--policy={table}"]
        want = told("simulate", file, *flags, "--replications=50", f"--seed={seed + 1}")
        problem = functions_of(P, R)
        by_name = {s: f"a{policy[int(s[1:])]}" for s in problem.states}
        for of in ((P, R, policy), (problem, None, by_name)):
            got = mdpsolve.simulate(*of, horizon=3, replications=50, seed=seed + 1)
            assert (got.mean, got.lower, got.upper) == (want["mean"], want["lower"], want["upper"])
        want = told("evaluate", file, *flags, "--distribution=0:27:3")
        for of in ((P, R, policy), (problem, None, by_name)):
            got = mdpsolve.distribution(*of, x="0:27:3", horizon=3)
            np.testing.assert_array_equal(got.at_most.value, [row["at_most"] for row in want["distribution"]])
