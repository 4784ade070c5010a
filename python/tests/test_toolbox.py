"""The calls of pymdptoolbox and QuantEcon, beside these packages where they are installed."""

import numpy as np
import pytest
from test_solve import random_model, value_of

import mdpsolve
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


PAIRS = ([5, 10, -1], [(0.5, 0.5), (0, 1), (0, 1)], 0.95, [0, 0, 1], [0, 1, 0])


@pytest.mark.parametrize(("place", "value", "text"), [
    (4, [0, 0, 0], "s_indices: state 0, action 0 found twice"),
    (3, [0, 0, -1], "s_indices: entry 2: found -1: use whole numbers from 0 to 1"),
    (3, [0, 2, 1], "s_indices: entry 1: found 2: use whole numbers from 0 to 1"),
    (4, [0, -1, 0], "a_indices: entry 1: found -1"),
    (4, [0, 10**12, 0], "a_indices: entry 1: found 1000000000000"),
    (4, [0, 2**70, 0], "a_indices: found values of type object"),
    (3, [0.0, 0.0, 1.0], "s_indices: found values of type float64"),
    (3, [False, False, True], "s_indices: found values of type bool"),
    (3, [0, 0], "s_indices: found shape (2,): use (3,)"),
    (4, None, "a_indices: found values of type object"),
    (0, [5, 10], "R: found shape (2,): use (3,)"),
    (0, [5, np.nan, 1], "R: state 0, action 1: found nan"),
    (0, [5, 10, -np.inf], "s_indices: state 1 has no action"),
    (1, [(0.5, 0.4), (0, 1), (0, 1)], "Q: state 0, action 0: found probabilities that sum to 0.9"),
    (1, [(0.5, 0.5), (0, -1), (0, 1)], "Q: state 0, action 1: found -1: use numbers from 0 to 1"),
    (1, [(0.5, 0.5), (0, 1), (1,)], "Q: found values that are no numbers, or lists of different lengths"),
    (2, 1, "beta: 1 is not valid"),
    (2, 2.0, "beta: found 2.0: use a number from 0 to 1"),
    (2, None, "beta: found None: use a number"),
])  # fmt: skip
def test_faults_of_pairs_name_the_argument(place, value, text):
    arguments = list(PAIRS)
    arguments[place] = value
    forms = [arguments]
    if place != 1:
        forms.append([arguments[0], sp.csr_matrix(arguments[1]), *arguments[2:]])
    for form in forms:
        with pytest.raises(ValueError) as fault:
            ours.DiscreteDP(*form).solve()
        assert str(fault.value).startswith(text)


def test_what_is_not_here_says_so_at_once():
    P, R = ours.example.small()
    for discount in 2.0, "x", np.nan:
        with pytest.raises(ValueError, match=r"^discount: found .*: use a number from 0 to 1$"):
            ours.mdp.ValueIteration(P, R, discount)
    with pytest.raises(AttributeError, match=r"^QLearning: not here: use ValueIteration"):
        ours.mdp.QLearning(P, R, 0.9)
    assert not hasattr(ours, "nothing")


def test_pairs_in_any_order_and_actions_with_any_numbers():
    rng = np.random.default_rng(14)
    for _ in range(20):
        P, r = random_model(rng)
        numbers = rng.choice(2**31, len(P), replace=False)
        s, a = np.nonzero(np.ones(r.shape))
        order = rng.permutation(len(s))
        s, a = s[order], a[order]
        Q = P[a, s]
        want = ours.DiscreteDP(r, np.moveaxis(P, 0, 1), 0.9).solve()
        for rows in (Q, sp.csr_matrix(Q)):
            got = ours.DiscreteDP(r[s, a], rows, 0.9, s.astype(np.int16), numbers[a]).solve()
            np.testing.assert_allclose(got.v, want.v, rtol=1e-9, atol=1e-9)
            taken = [numbers.tolist().index(action) for action in got.sigma]
            np.testing.assert_allclose(got.v, value_of(P, r, taken, 0.9), rtol=1e-9, atol=1e-9)


def test_arguments_without_a_meaning_are_refused():
    P, R = ours.forest()
    ddp = ours.DiscreteDP(R, np.moveaxis(P, 0, 1), 0.9)
    for call in (
        lambda: ours.ValueIteration(P, R, 0.9, initial_value=3),
        lambda: ours.PolicyIteration(P, R, 0.9, [0, 0, 0]),
        lambda: ours.PolicyIterationModified(P, R, 0.9, normalize=True),
        lambda: ours.RelativeValueIteration(P, R, 0.01, 1000, 7),
        lambda: ddp.solve(v_init=R[:, 0]),
        lambda: ddp.solve("mpi", k=3),
    ):
        with pytest.raises(TypeError):
            call()
    for call, text in (
        (lambda: ours.ValueIteration(P, R, 0.9, -1), "epsilon: -1 is not valid"),
        (lambda: ours.ValueIteration(P, R, 1.5).run(), "discount: found 1.5: use a number from 0 to 1"),
        (lambda: ours.ValueIteration(P, R, None).run(), "discount: missing"),
        (lambda: ours.ValueIteration(P, R, 0.9, max_iter=0).run(), "max_iter: 0 is not valid"),
        (lambda: ours.ValueIteration(P * 0.9, R, 0.9).run(), "transitions: state 0, action 0: found probabilities"),
        (lambda: ours.ValueIteration(P, R[:2], 0.9), "reward: found shape"),
        (lambda: ddp.solve("magic"), "method: 'magic' is not valid"),
        (lambda: ddp.solve(epsilon="x"), "epsilon: found values that are no numbers"),
        (lambda: ours.DiscreteDP(R, P, 0.9), "Q: use shape (n, m, n), with R of shape (n, m)"),
        (lambda: ours.forest(1), "S: 1 is not valid"),
        (lambda: ours.forest(p=2), "p: 2 is not valid"),
    ):
        with pytest.raises(ValueError) as fault:
            call()
        assert str(fault.value).startswith(text)
    stopped = ours.PolicyIterationModified(P, R, 0.9, max_iter=1)
    with pytest.warns(UserWarning, match="iteration-limit: the bounds of values are apart by up to"):
        stopped.run()


def test_the_classes_of_pymdptoolbox(calls):
    theirs = pytest.importorskip("mdptoolbox.mdp")
    rng = np.random.default_rng(15)
    for trial in range(calls):
        P, r = random_model(rng)
        discount = rng.choice([0.5, 0.9, 0.99])
        epsilon = rng.choice([1e-2, 1e-5])
        name = ("ValueIteration", "ValueIterationGS", "PolicyIterationModified")[trial % 3]
        mine = getattr(ours, name)(P, r, discount, epsilon)
        mine.run()
        assert (mine.answer.upper - mine.answer.lower).max() <= epsilon
        exact = theirs.PolicyIteration(P, r, discount)
        exact.run()
        np.testing.assert_allclose(mine.V, exact.V, atol=epsilon)
        N, h = int(rng.integers(1, 6)), rng.normal(size=len(r))
        beta = rng.choice([discount, 1.0])
        want, got = (module.FiniteHorizon(P, r, beta, N, h) for module in (theirs, ours))
        want.run()
        got.run()
        np.testing.assert_allclose(got.V, want.V, rtol=1e-9, atol=1e-9)
        assert got.policy.shape == want.policy.shape
        if (got.policy != want.policy).any():  # a tie
            worth = mdpsolve.evaluate(P, r, want.policy.T, horizon=N, discount=beta, terminal=h)
            np.testing.assert_allclose(worth.value, got.V[:, 0], rtol=1e-9, atol=1e-9)


def test_the_examples_of_pymdptoolbox():
    example = pytest.importorskip("mdptoolbox.example")
    for mine, other in zip(ours.example.small(), example.small(), strict=True):
        np.testing.assert_array_equal(mine, other)
    P, R = ours.forest(5, is_sparse=True)
    assert all(sp.issparse(one) for one in P)
    np.testing.assert_array_equal([one.toarray() for one in P], ours.forest(5)[0])
    for is_sparse in (False, True):
        P, R = ours.rand(10, 3, is_sparse, seed=1)
        dense = np.array([one.toarray() for one in P]) if is_sparse else P
        np.testing.assert_allclose(dense.sum(axis=2), 1)
        rewards = np.array([one.toarray() for one in R]) if is_sparse else R
        assert (rewards[dense == 0] == 0).all() and (abs(rewards) <= 1).all()
        vi = ours.ValueIteration(P, R, 0.9)
        vi.run()
        assert vi.answer.check().verdict == "holds"
    mask = np.tri(6)
    P, _ = ours.rand(6, 2, mask=mask, seed=2)
    assert ((P > 0) == (mask > 0)).all()
    with pytest.raises(ValueError, match=r"^mask: found shape"):
        ours.rand(6, 2, mask=np.ones(6))
    with pytest.raises(ValueError, match=r"^S: 1 is not valid"):
        ours.rand(1, 2)


def test_the_methods_of_quantecon(calls):
    markov = pytest.importorskip("quantecon.markov")
    rng = np.random.default_rng(16)
    for trial in range(calls):
        P, r = random_model(rng)
        n, count = r.shape
        beta = rng.choice([0.5, 0.9, 0.99])
        Q = np.moveaxis(P, 0, 1)
        allowed = rng.random(r.shape) < 0.7
        allowed[np.arange(n), rng.integers(0, count, n)] = True
        s, a = np.nonzero(allowed)
        arguments = (
            (np.where(allowed, r, -np.inf), Q, beta),
            (r[s, a], Q[s, a], beta, s, a),
            (r[s, a], sp.csr_matrix(Q[s, a]), beta, s, a),
        )[trial % 3]
        theirs, mine = markov.DiscreteDP(*arguments), ours.DiscreteDP(*arguments)
        assert (mine.num_states, mine.num_sa_pairs) == (theirs.num_states, theirs.num_sa_pairs)
        assert mine.num_actions == 1 + a.max()
        sigma = np.array([rng.choice(np.flatnonzero(row)) for row in allowed])
        np.testing.assert_allclose(mine.evaluate_policy(sigma), theirs.evaluate_policy(sigma), rtol=1e-8, atol=1e-9)
        v = rng.normal(size=n)
        np.testing.assert_allclose(mine.bellman_operator(v), theirs.bellman_operator(v), rtol=1e-9, atol=1e-9)
        T = int(rng.integers(1, 5))
        want, got = (module.backward_induction(of, T, v) for module, of in ((markov.ddp, theirs), (ours, mine)))
        np.testing.assert_allclose(got[0], want[0], rtol=1e-9, atol=1e-9)
        assert got[1].shape == want[1].shape
        chain, other = mine.controlled_mc(sigma), theirs.controlled_mc(sigma)
        dense, known = (x.P.toarray() if sp.issparse(x.P) else x.P for x in (chain, other))
        np.testing.assert_array_equal(dense, known)
        found = sorted(chain.stationary_distributions.tolist())
        np.testing.assert_allclose(found, sorted(other.stationary_distributions.tolist()), atol=1e-9)
        result = mine.solve(("pi", "vi", "mpi", "policy_iteration")[trial % 4], epsilon=1e-6)
        exact = theirs.solve("pi")
        assert (result.answer.upper - result.answer.lower).max() <= 1e-6
        np.testing.assert_allclose(result.v, exact.v, atol=1e-6)
        assert result.mc.P.shape == (n, n) and result.epsilon == 1e-6


def test_a_path_of_a_chain():
    P, R = ours.forest()
    chain = ours.DiscreteDP(R, np.moveaxis(P, 0, 1), 0.9).solve().mc
    path = chain.simulate(20_000, init=2, random_state=5)
    assert path[0] == 2
    shares = np.bincount(path) / len(path)
    np.testing.assert_allclose(shares, chain.stationary_distributions[0], atol=0.02)
    np.testing.assert_allclose(chain.stationary_distributions, [[0.1, 0.09, 0.81]], atol=1e-12)
    with pytest.raises(ValueError, match=r"^sigma: state 0 has no action 7"):
        ours.DiscreteDP(R, np.moveaxis(P, 0, 1), 0.9).controlled_mc([7, 0, 0])
    with pytest.raises(ValueError, match=r"^sigma: found shape"):
        ours.DiscreteDP(R, np.moveaxis(P, 0, 1), 0.9).evaluate_policy([0, 0])
