"""The calls of pymdptoolbox and QuantEcon, beside these packages where they are installed."""

import numpy as np
import pytest
from test_solve import random_model, value_of

import mdpsolve.toolbox as ours

sp = pytest.importorskip("scipy.sparse")


def test_the_calls_of_pymdptoolbox_work_unchanged():
    P, R = ours.example.forest()
    vi = ours.mdp.ValueIteration(P, R, 0.9)
    vi.run()
    assert vi.policy == (0, 0, 0)
    np.testing.assert_allclose(vi.V, (26.244, 29.484, 33.484))


def test_beside_pymdptoolbox():
    theirs = pytest.importorskip("mdptoolbox.mdp")
    example = pytest.importorskip("mdptoolbox.example")
    for arguments in ((), (10, 5, 1, 0.2)):
        for mine, other in zip(ours.forest(*arguments), example.forest(*arguments), strict=True):
            np.testing.assert_array_equal(mine, other)
    rng = np.random.default_rng(11)
    for _ in range(100):
        P, r = random_model(rng)
        R = rng.choice([0, 1, 2])
        rewards = (r, r[:, 0], rng.normal(size=P.shape))[R]
        expected = (
            (rewards if R == 0 else np.repeat(r[:, :1], len(P), axis=1)) if R < 2 else (P * rewards).sum(axis=2).T
        )
        discount = rng.choice([0.5, 0.9, 0.99])
        want, got = (module.PolicyIteration(P, rewards, discount) for module in (theirs, ours))
        want.run()
        got.run()
        np.testing.assert_allclose(got.V, want.V, rtol=1e-8, atol=1e-10)
        if got.policy != tuple(want.policy):  # a tie: theirs lies within our bounds
            value = value_of(P, expected, np.array(want.policy), discount)
            slack = 1e-12 * np.abs(value).max()
            assert (value >= got.answer.lower - slack).all() and (value <= got.answer.upper + slack).all()


def test_averages_beside_pymdptoolbox():
    theirs = pytest.importorskip("mdptoolbox.mdp")
    rng = np.random.default_rng(12)
    for _ in range(20):
        P, r = random_model(rng)
        P = 0.9 * P + 0.1 / len(r)  # so that theirs converges
        want, got = (
            theirs.RelativeValueIteration(P, r, epsilon=1e-10, max_iter=100_000),
            ours.RelativeValueIteration(P, r),
        )
        want.run()
        got.run()
        np.testing.assert_allclose(got.average_reward, want.average_reward, rtol=1e-8, atol=1e-9)
        difference = np.subtract(got.V, want.V)  # relative values, up to a constant
        np.testing.assert_allclose(difference, difference[0], atol=1e-7)


def test_beside_quantecon():
    DiscreteDP = pytest.importorskip("quantecon.markov").DiscreteDP
    rng = np.random.default_rng(13)
    for trial in range(100):
        P, r = random_model(rng)
        n, count = r.shape
        beta = rng.choice([0.5, 0.9, 0.99])
        allowed = rng.random(r.shape) < 0.6
        allowed[np.arange(n), rng.integers(0, count, n)] = True
        Q = np.moveaxis(P, 0, 1)
        s, a = np.nonzero(allowed)
        arguments = (
            (np.where(allowed, r, -np.inf), Q, beta),
            (r[s, a], Q[s, a], beta, s, a),
            (r[s, a], sp.csr_matrix(Q[s, a]), beta, s, a),
        )[trial % 3]
        want, got = (of(*arguments).solve(method="policy_iteration") for of in (DiscreteDP, ours.DiscreteDP))
        np.testing.assert_allclose(got.v, want.v, rtol=1e-8, atol=1e-10)
        if (got.sigma != want.sigma).any():
            value = value_of(P, r, want.sigma, beta)
            slack = 1e-12 * np.abs(value).max()
            assert (value >= got.answer.lower - slack).all() and (value <= got.answer.upper + slack).all()


def test_lists_as_in_the_guide_of_quantecon():
    ddp = ours.DiscreteDP([5, 10, -1], [(0.5, 0.5), (0, 1), (0, 1)], 0.95, [0, 0, 1], [0, 1, 0])
    np.testing.assert_allclose(ddp.solve().v, [-60 / 7, -20], rtol=1e-9)
