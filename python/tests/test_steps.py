"""Models whose rewards and transitions change from step to step, beside backward induction in fractions."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

import mdpsolve


def random_steps(rng):
    """Matrices and rewards by step, of small fractions, and the question."""
    steps, count, n = rng.integers(1, 5), rng.integers(1, 4), rng.integers(2, 5)
    weights = rng.integers(0, 4, size=(steps, count, n, n)) + np.eye(n, dtype=int)
    P = weights / weights.sum(axis=-1, keepdims=True)
    R = rng.integers(-3, 4, size=(steps, n, count)).astype(float)
    question = {"horizon": int(steps), "sense": str(rng.choice(["min", "max"]))}
    if rng.random() < 0.5:
        question["discount"] = Fraction(int(rng.integers(1, 10)), 10)
    if rng.random() < 0.5:
        question["terminal"] = rng.integers(-3, 4, size=n)
    return weights, P, R, question


def backwards(weights, R, question, policy=None):
    """The value before each step, in fractions, of the best policy or of one by step and state."""
    best = min if question["sense"] == "min" else max
    v = [Fraction(int(x)) for x in question.get("terminal", [0] * weights.shape[-1])]
    found, factor = [], question.get("discount", Fraction(1))
    for t in reversed(range(len(weights))):
        q = [
            [
                Fraction(R[t, s, a])
                + factor * sum(Fraction(int(w), int(row.sum())) * x for w, x in zip(row, v, strict=True))
                for a, row in enumerate(weights[t, :, s])
            ]
            for s in range(len(v))
        ]
        v = [best(of) if policy is None else of[policy[t][s]] for s, of in enumerate(q)]
        found.insert(0, v)
    return found


def assert_within(bounded, want):
    off = 1e-12  # the sums of P, which are rounded, are off 1
    exactly = [x for row in want for x in row]
    for value, lower, upper, exact in zip(*(np.ravel(x) for x in bounded), exactly, strict=True):
        assert lower - off <= exact <= upper + off
        assert value == pytest.approx(float(exact), abs=1e-9)


@pytest.mark.parametrize("seed", range(60))
def test_changing_models(seed):
    rng = np.random.default_rng(seed)
    weights, P, R, question = random_steps(rng)
    answer = mdpsolve.solve(P, R, **question)
    want = backwards(weights, R, question)
    assert_within(answer.step_values, want)
    assert answer.value.shape == (P.shape[-1],)
    assert answer.policies.shape == R.shape[:2]
    np.testing.assert_array_equal(answer.policies[0], answer.policy)
    assert_within(answer.step_values, backwards(weights, R, question, answer.policies))  # it is the best
    assert answer.check().verdict == "holds"
    policy = rng.integers(0, P.shape[1], size=R.shape[:2])
    own = mdpsolve.evaluate(P, R, policy, **question)
    assert_within(own.step_values, backwards(weights, R, question, policy))


def test_rewards_that_change():
    P = np.array([[[0.5, 0.5], [0, 1]], [[1, 0], [1, 0]]])
    R = np.array([[[1, 0], [2, 0]], [[0, 5], [3, 0]], [[1, 1], [0, 4]]])
    answer = mdpsolve.solve(P, R, horizon=3, action_values=True)
    same = mdpsolve.solve([P] * 3, R, horizon=3)
    lists = mdpsolve.solve([[sparse.csr_array(m) for m in P]] * 3, R, horizon=3)
    for other in same, lists:
        np.testing.assert_array_equal(other.step_values.value, answer.step_values.value)
    np.testing.assert_allclose(answer.step_values.value[2], [1, 4])
    assert answer.action_values.lower.shape == (3, 2, 2)
    assert (answer.action_values.optimality[2] == [["optimal", "optimal"], ["suboptimal", "optimal"]]).all()
    without = R.astype(float)
    without[1, 0, 1] = -np.inf
    assert mdpsolve.solve(P, without, horizon=3).policies[1, 0] == 0


def test_what_is_refused():
    P, R = np.stack([np.eye(2)] * 3), np.zeros((4, 2, 3))
    with pytest.raises(ValueError, match="P: found matrices for 2 steps: use them for each of 4 steps"):
        mdpsolve.solve([P, P], R, horizon=4)
    with pytest.raises(ValueError, match="target: not valid with P or R that change"):
        mdpsolve.solve(P, R, horizon=4, target=[0])
    with pytest.raises(ValueError, match="R: use rewards by state and action in a model that changes"):
        mdpsolve.solve([P] * 4, np.zeros((3, 2, 2)), horizon=4)
    with pytest.raises(ValueError, match=r"policy: found shape \(2, 2\): use an action"):
        mdpsolve.evaluate(P, R, [[0, 0], [0, 0]], horizon=4)


@pytest.mark.parametrize("seed", range(10))
def test_every_verb_takes_steps(seed):
    rng = np.random.default_rng(100 + seed)
    weights, P, R, question = random_steps(rng)
    policy = rng.integers(0, P.shape[1], size=R.shape[:2])
    want = float(backwards(weights, R, question, policy)[0][0])
    played = mdpsolve.simulate(P, R, policy, **question, replications=400, confidence=0.999999)
    assert played.lower - 1e-9 <= want <= played.upper + 1e-9
    answer = mdpsolve.solve(P, R, **question)
    assert mdpsolve.check(P, answer, R, **question).verdict == "holds"
    assert mdpsolve.check(P, answer.policies, R, **question, tolerance=1e-9).verdict == "holds"
    values = answer.step_values.value
    assert mdpsolve.check(P, values, R, **question, tolerance=1e-9).verdict == "holds"
    assert mdpsolve.check(P, values + 1.0, R, **question, tolerance=1e-9).verdict != "holds"
    assert mdpsolve.check(P, answer, R + 1, **question).verdict == "refuted"
    with pytest.raises(ValueError, match=r"^result: the answer is about steps that change"):
        mdpsolve.check(P[0], answer, R[0])
    with pytest.raises(ValueError, match=r"^result: found shape"):
        mdpsolve.check(P, values[0], R, **question, tolerance=1e-9)


@pytest.mark.parametrize("seed", range(10))
def test_the_distribution_of_what_steps_earn(seed):
    rng = np.random.default_rng(200 + seed)
    _, P, R, question = random_steps(rng)
    ending = question["terminal"] if "terminal" in question else np.zeros(P.shape[-1], int)
    policy = rng.integers(0, P.shape[1], size=R.shape[:2])
    shares = {(0, 0): 1.0}  # of state and total
    for t, actions in enumerate(policy):
        after = {}
        for (s, total), share in shares.items():
            for to, p in enumerate(P[t, actions[s], s]):
                key = to, total + int(R[t, s, actions[s]])
                after[key] = after.get(key, 0) + share * p
        shares = after
    totals = [(total + ending[s], share) for (s, total), share in shares.items()]
    found = mdpsolve.distribution(P, R, policy, "-20:20:1", horizon=len(P), terminal=ending)
    want = [sum(share for total, share in totals if total <= x) for x in range(-20, 21)]
    np.testing.assert_allclose(found.at_most.value, want, atol=1e-9)
    with pytest.raises(ValueError, match=r"^discount: a distribution is of a total"):
        mdpsolve.distribution(P, R, policy, 1, horizon=len(P), discount=0.5)
