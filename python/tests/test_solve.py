"""The answers of solve, beside exact evaluations by NumPy."""

import inspect
import io
import os
import pickle
import re
import signal
import subprocess
import sys
import tarfile
import time
from fractions import Fraction

import numpy as np
import pytest

import mdpsolve
from mdpsolve._model import Model

sp = pytest.importorskip("scipy.sparse")


def random_model(rng, states=None, actions=None):
    n, count = states or rng.integers(1, 30), actions or rng.integers(1, 5)
    P = rng.random((count, n, n)) * (rng.random((count, n, n)) < 0.4)
    P[:, np.arange(n), rng.integers(0, n, n)] += 0.1
    return P / P.sum(axis=2, keepdims=True), rng.normal(size=(n, count))


def value_of(P, r, policy, discount):
    """The discounted value of a policy, by elimination. r has rewards by state and action."""
    states = np.arange(len(policy))
    return np.linalg.solve(np.eye(len(policy)) - discount * P[policy, states], r[states, policy])


def test_forest_of_the_readme():
    answer = mdpsolve.solve(*mdpsolve.forest(), discount=0.9)
    np.testing.assert_allclose(answer.value, [26.244, 29.484, 33.484], rtol=1e-12)
    assert answer.policy.tolist() == [0, 0, 0]
    assert answer.status == "converged"
    assert (answer.lower <= answer.value).all() and (answer.value <= answer.upper).all()
    assert answer.check().verdict == "holds"
    assert "discounted discount 0.9, maximize: converged" in repr(answer)
    with pytest.raises(AttributeError):
        _ = answer.gain


def test_infinite_totals_have_a_reason():
    stay_or_end = np.array([[[1, 0], [0, 1]], [[0, 1], [0, 1]]])
    answer = mdpsolve.solve(stay_or_end, np.array([-1, 0]), target=[1])
    assert answer.value.tolist() == [np.inf, 0]
    assert answer.infinite.startswith("state 0: some policy reaches ")
    assert "below 1, which counts as +∞ when maximising" in answer.infinite
    assert answer.infinite in repr(answer)
    assert answer.check().verdict == "holds"
    least = mdpsolve.solve(stay_or_end, np.array([1, 0]), target=[1], sense="min")
    assert least.value.tolist() == [1, 0]
    assert least.infinite is None and "infinite" not in repr(least)


def test_every_form_of_P_and_R_gives_the_same_answer():
    rng = np.random.default_rng(3)
    for _ in range(3):
        P, r = random_model(rng)
        count = len(P)
        by_transition = rng.normal(size=P.shape)
        expected = (P * by_transition).sum(axis=2).T
        csr = [sp.csr_matrix(one) for one in P]
        objects = np.empty(count, object)
        objects[:] = csr
        mixed = [csr[0], *P[1:]]
        for R, r_of in (
            (r, r),
            (r[:, 0], np.repeat(r[:, :1], count, axis=1)),
            (sp.csr_matrix(r), r),
            (by_transition, expected),
            ([sp.csr_matrix(one) for one in by_transition], expected),
            (list(by_transition), expected),
        ):
            for form in (
                P,
                csr,
                list(P),
                [sp.coo_array(one) for one in P],
                [sp.csc_matrix(one) for one in P],
                objects,
                mixed,
            ):
                answer = mdpsolve.solve(form, R, discount=0.8)
                np.testing.assert_allclose(answer.value, value_of(P, r_of, answer.policy, 0.8), rtol=1e-9, atol=1e-9)
                backup = r_of + 0.8 * (P @ answer.value).T
                assert (backup <= answer.upper[:, None] + 1e-9).all()


def shapeless(rng, array):
    """The same numbers in another form."""
    padded = np.full(tuple(2 * size for size in array.shape), np.nan)
    padded[tuple(slice(None, None, 2) for _ in array.shape)] = array
    still = array.copy()
    still.flags.writeable = False
    forms = [
        np.asfortranarray(array),
        padded[tuple(slice(None, None, 2) for _ in array.shape)],
        still,
        array.astype(">f8"),
        array.astype(np.longdouble),
        array.astype(object),
        np.ma.array(array),
        array.tolist(),
    ]
    return forms[rng.integers(len(forms))]


def split(rng, matrix):
    """A matrix of SciPy in which entries come in several parts, in any order."""
    rows, columns = np.nonzero(matrix)
    first = matrix[rows, columns] * rng.random(len(rows))
    order = rng.permutation(2 * len(rows))
    data = np.concatenate([first, matrix[rows, columns] - first])[order]
    coo = sp.coo_matrix((data, (np.tile(rows, 2)[order], np.tile(columns, 2)[order])), matrix.shape)
    by_row = np.argsort(coo.row, kind="stable")
    ends = np.concatenate([[0], np.cumsum(np.bincount(coo.row, minlength=len(matrix)))])
    csr = sp.csr_matrix((coo.data[by_row], coo.col[by_row], ends), matrix.shape)
    return [coo, csr, sp.csr_array(csr), csr.toarray()][rng.integers(4)]


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_any_form_of_the_same_numbers_gives_the_same_answer():
    rng = np.random.default_rng(17)
    for _ in range(20):
        P, r = random_model(rng)
        by_transition, count = rng.normal(size=P.shape), len(P)
        R, r_of = (r, r) if rng.random() < 0.5 else (by_transition, (P * by_transition).sum(axis=2).T)
        form = shapeless(rng, P) if rng.random() < 0.5 else [split(rng, one) for one in P]
        rewards = shapeless(rng, R)
        if R is r and rng.random() < 0.3:
            rewards = np.matrix(R)
        elif R is by_transition and rng.random() < 0.5:
            rewards = [split(rng, one) for one in R]
        answer = mdpsolve.solve(form, rewards, discount=0.8)
        np.testing.assert_allclose(answer.value, value_of(P, r_of, answer.policy, 0.8), rtol=1e-9, atol=1e-9)
        assert answer.check().verdict == "holds"
        low, high = P * 0.75, np.minimum(P * 1.25, 1)
        plain = mdpsolve.solve(low, r, upper=high, uncertainty="worst", discount=0.8)
        lows, highs = ([split(rng, one) for one in ends] for ends in (low, high))
        parts = mdpsolve.solve(lows, r, upper=highs, uncertainty="worst", discount=0.8)
        np.testing.assert_allclose(parts.value, plain.value, rtol=1e-9, atol=1e-9)
        assert count == len(form)
    for kind in (bool, np.int8, np.uint64, np.float32):  # numbers that any type has
        ring = np.roll(np.eye(4), 1, axis=1)
        for one in (ring.astype(kind), sp.csr_matrix(ring.astype(kind))):
            answer = mdpsolve.solve([one], np.array([1, 0, 0, 0], kind), discount=0.5)
            np.testing.assert_allclose(answer.value, np.array([8, 1, 2, 4]) / 7.5, rtol=1e-9)
    many = sp.coo_matrix((np.array([100, 100, 1], np.int8), ([0, 0, 1], [0, 0, 1])), shape=(2, 2))
    assert mdpsolve.solve(np.eye(2), [many], discount=0.5).value.tolist() == [400, 2]


def test_an_action_is_not_allowed_where_its_transitions_say_so():
    rng = np.random.default_rng(18)
    for sense, none in (("max", -np.inf), ("min", np.inf)):
        for _ in range(6):
            P, _ = random_model(rng, 12, 4)
            by_transition = rng.normal(size=P.shape)
            r = (P * by_transition).sum(axis=2).T
            allowed = rng.random(r.shape) < 0.5
            allowed[np.arange(12), rng.integers(0, 4, 12)] = True
            R, given = by_transition.copy(), P.copy()
            for s, a in np.argwhere(~allowed):
                if rng.random() < 0.5:
                    R[a, s], given[a, s] = none, 0  # nothing stands there
                else:
                    R[a, s, P[a, s].argmax()] = none
            R[:, :, 0][given[:, :, 0] == 0] = -none  # where no transition leads
            R[~allowed.T & (given.sum(axis=2) == 0), 0] = none
            for P_of, R_of in (given, R), ([sp.csr_array(one) for one in given], [sp.csr_array(one) for one in R]):
                answer = mdpsolve.solve(P_of, R_of, discount=0.9, sense=sense)
                assert allowed[np.arange(12), answer.policy].all()
                np.testing.assert_allclose(answer.value, value_of(P, r, answer.policy, 0.9), rtol=1e-9)
                sign = 1 if sense == "max" else -1
                backup = sign * np.where(allowed, r + 0.9 * (P @ answer.value).T, none)
                np.testing.assert_allclose(backup.max(axis=1), sign * answer.value, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("sparse", [False, True])
def test_pairs_are_matrices_without_the_actions_that_states_lack(sparse):
    import scipy.sparse as sp

    random = np.random.default_rng(9)
    n, count = 40, 5
    P, R = random.dirichlet(np.full(n, 0.1), (count, n)), random.normal(size=(n, count))
    P[P < 1e-3] = 0
    P /= P.sum(axis=2, keepdims=True)
    has = random.random((n, count)) < 0.5
    has[:, 2] = True
    want = mdpsolve.solve(P, np.where(has, R, -np.inf), discount=0.9)
    s, a = np.nonzero(has)
    for order in np.arange(len(s)), random.permutation(len(s)):
        at = s[order], a[order]
        Q, rewards = P[at[1], at[0]], R[at]
        model = Model.of_pairs(sp.csr_matrix(Q) if sparse else Q, rewards, *at)
        got = mdpsolve.solve(model, discount=0.9)
        assert (got.value == want.value).all() and (got.policy == want.policy).all()
        assert got.check().verdict == "holds"
        Q[3, 5], before = -1.0, Q[3, 5]
        with pytest.raises(ValueError, match=rf"^P: state {at[0][3]}, action {at[1][3]}: found -1: use numbers from 0"):
            mdpsolve.solve(Model.of_pairs(sp.csr_matrix(Q) if sparse else Q, rewards, *at), discount=0.9)
        Q[3, 5] = before


def test_an_answer_keeps_what_was_asked():
    rng = np.random.default_rng(19)
    P, r = random_model(rng, 6, 2)
    for form in (lambda P: P.copy(), lambda P: [sp.csr_matrix(one) for one in P]):
        for R in (np.abs(r), np.abs(r[:, 0]), np.ones(P.shape)):
            for question in ({"discount": 0.9}, {"target": np.arange(6) == 2, "sense": "min"}):
                given, rewards = form(P), R.copy()
                answer = mdpsolve.solve(given, rewards, **question)
                for one in given:
                    (one if isinstance(given, np.ndarray) else one.data)[:] = 0.25
                rewards[:] = 7
                if "target" in question:
                    question["target"][:] = True
                if isinstance(given, np.ndarray):
                    assert answer.check().verdict == "holds"
                else:  # matrices of SciPy are not copied
                    with pytest.raises(ValueError, match="probabilities that sum to"):
                        answer.check()
    mapping = {0: {0: [(1.0, 0, 1.0, False)]}}
    answer = mdpsolve.solve(mapping, discount=0.5)
    mapping[0][0][0] = (1.0, 0, 5.0, False)
    assert answer.check().verdict == "holds"


def test_costs_are_minimised_if_asked():
    P, r = random_model(np.random.default_rng(4), 7, 3)
    least, greatest = mdpsolve.solve(P, r, discount=0.9, sense="min"), mdpsolve.solve(P, -r, discount=0.9)
    np.testing.assert_allclose(least.value, -greatest.value, rtol=1e-12)


def test_actions_that_are_not_allowed():
    rng = np.random.default_rng(5)
    for sense, none in (("max", -np.inf), ("min", np.inf)):
        for _ in range(6):
            P, r = random_model(rng, 12, 4)
            allowed = rng.random(r.shape) < 0.5
            allowed[np.arange(12), rng.integers(0, 4, 12)] = True
            R = np.where(allowed, r, none)
            P[~allowed.T] = 0  # what stands there plays no role
            for form in (P, [sp.csr_matrix(one) for one in P]):
                answer = mdpsolve.solve(form, R, discount=0.9, sense=sense)
                assert allowed[np.arange(12), answer.policy].all()
                np.testing.assert_allclose(answer.value, value_of(P, r, answer.policy, 0.9), rtol=1e-9)
                assert answer.check().verdict == "holds"


def test_averages():
    P, r = mdpsolve.forest(S=20)
    answer = mdpsolve.solve(P, r, criterion="average")
    chain = P[answer.policy, np.arange(20)]
    shares = np.linalg.lstsq(np.vstack([chain.T - np.eye(20), np.ones(20)]), np.append(np.zeros(20), 1), rcond=None)[0]
    np.testing.assert_allclose(answer.gain, shares @ r[np.arange(20), answer.policy], rtol=1e-9)
    h = answer.relative_value
    np.testing.assert_allclose(answer.gain + h, r[np.arange(20), answer.policy] + chain @ h, atol=1e-9)
    assert answer.check().verdict == "holds"
    assert {"lower.gain", "upper.value"} <= set(answer.certificate)


def test_finite_horizons_and_totals():
    P, r = random_model(np.random.default_rng(6), 6, 2)
    v = np.zeros(6)
    for _ in range(7):
        v = (r + (P @ v).T).max(axis=1)
    answer = mdpsolve.solve(P, r, horizon=7)
    np.testing.assert_allclose(answer.value, v, rtol=1e-12)
    assert answer.check().verdict == "holds"
    assert answer.policies.shape == (7, 6) and answer.policies[0].tolist() == answer.policy.tolist()
    cost = np.abs(r)
    for target in (3, [3], np.arange(6) == 3):
        total = mdpsolve.solve(P, cost, target=target, sense="min")
        assert total.value[3] == 0
        others = np.arange(6) != 3
        chain = P[total.policy, np.arange(6)][np.ix_(others, others)]
        want = np.linalg.solve(np.eye(5) - chain, cost[np.arange(6), total.policy][others])
        np.testing.assert_allclose(total.value[others], want, rtol=1e-9)


def inductions():
    """Models with terminal rewards and a discount, and the policy and value before each step by NumPy."""
    rng = np.random.default_rng(12)
    for steps in (1, 2, 5, 12):
        P, r = random_model(rng, 7, 3)
        terminal, discount = rng.normal(size=7) * 3, rng.choice([1.0, 0.9, 0.25])
        v, policies = terminal, []
        for _ in range(steps):
            q = r + discount * (P @ v).T
            v, policies = q.max(axis=1), [q.argmax(axis=1), *policies]
        yield P, r, {"horizon": steps, "discount": discount, "terminal": terminal}, v, np.array(policies)


def test_policies_of_each_step():
    for P, r, question, v, policies in inductions():
        answer = mdpsolve.solve(P, r, **question)
        np.testing.assert_allclose(answer.value, v, rtol=1e-11)
        assert (answer.policies == policies).all()
        assert answer.check().verdict == "holds"
        with np.load(io.BytesIO(answer.archive)) as arrays:
            assert arrays["policies"].shape == policies.shape


def test_policies_of_each_step_beside_others():
    quantecon = pytest.importorskip("quantecon")
    toolbox = pytest.importorskip("mdptoolbox.mdp")
    for P, r, question, _v, _policies in inductions():
        steps, discount, terminal = question.values()
        answer = mdpsolve.solve(P, r, **question)
        values, sigmas = quantecon.markov.backward_induction(
            quantecon.markov.DiscreteDP(r, np.moveaxis(P, 0, 1), discount), steps, terminal
        )
        np.testing.assert_allclose(answer.value, values[0], rtol=1e-11)
        assert (answer.policies == sigmas).all()
        if discount < 1 or steps > 1:
            other = toolbox.FiniteHorizon(P, r, discount, steps, terminal)
            other.run()
            np.testing.assert_allclose(answer.value, other.V[:, 0], rtol=1e-11)
            assert (answer.policies == other.policy.T).all()


def test_policies_are_evaluated():
    rng = np.random.default_rng(5)
    for P, r, question, v, policies in inductions():
        answer = mdpsolve.solve(P, r, **question)
        again = mdpsolve.evaluate(P, r, answer.policies, **question)
        np.testing.assert_allclose(again.value, v, rtol=1e-11)
        own, value = rng.integers(0, 3, policies.shape), question["terminal"]
        for policy in own[::-1]:
            value = (r + question["discount"] * (P @ value).T)[np.arange(7), policy]
        found = mdpsolve.evaluate(P, r, own, **question)
        np.testing.assert_allclose(found.value, value, rtol=1e-11)
        assert found.check().verdict == "holds" and found.details.evaluated
    P, r = random_model(rng, 5, 3)
    r[0, 1], policy = -np.inf, np.array([2, 1, 0, 2, 1])
    found = mdpsolve.evaluate(P, r, policy, discount=0.9)
    np.testing.assert_allclose(found.value, value_of(P, np.where(np.isinf(r), 0, r), policy, 0.9), rtol=1e-9)
    assert found.policy.tolist() == policy.tolist() and found.check().verdict == "holds"
    for wrong, text in [
        ([1, 1, 0, 2, 1], "policy: state 0 has no action 1"),
        ([2, 1, 0, 2, 3], "policy: state 4 has no action 3"),
        ([2, 1, 0, 2, -1], "policy: found action -1: use actions from 0"),
        ([2, 1], r"policy: found shape \(2,\): use an action for each state"),
        (None, "policy: found None: use an action for each state, or for each step and state"),
        ([0.5] * 5, "policy: found "),
        ([[2] * 5] * 3, "policy: .* has a policy for each of 3 steps: use criterion finite horizon 3"),
    ]:
        with pytest.raises(ValueError, match=text):
            mdpsolve.evaluate(P, r, wrong, discount=0.9)


def test_steps_of_a_chain_and_of_missing_actions():
    chain = mdpsolve.solve(np.eye(3), np.arange(3.0), horizon=4, terminal=[8, 0, 0])
    assert chain.value.tolist() == [8, 4, 8] and chain.policies.tolist() == [[0, 0, 0]] * 4
    P, r = mdpsolve.forest()
    r = np.column_stack([np.full(3, -np.inf), r])
    answer = mdpsolve.solve(np.stack([P[0], *P]), r, horizon=3)
    assert (answer.policies > 0).all()
    ends = {0: {0: [(1.0, 1, 2.0, True)]}, 1: {0: [(1.0, 1, 0.0, False)]}}
    assert mdpsolve.solve(ends, horizon=3, terminal=[5, 7]).value.tolist() == [2, 7]


def test_terminal_rewards_of_a_file(tmp_path):
    (tmp_path / "sale.json").write_text("""{"kind": "mdp", "reward_models": ["pay", "end"], "states": [
        {"rewards": [0, 3], "actions": [{"rewards": [1, 0], "to": [[1, 1]]}, {"to": [[0, 1]]}]},
        {"actions": [{"to": [[1, 1]]}]}]}
    """)
    answer = mdpsolve.solve(tmp_path / "sale.json", horizon=2, discount="1/2", reward="pay", terminal="end")
    assert answer.value.tolist() == [1, 0] and answer.policies[:, 0].tolist() == [0, 1]
    with pytest.raises(ValueError, match=r"terminal: found .*: use the name of a reward model in the file"):
        mdpsolve.solve(tmp_path / "sale.json", horizon=2, reward="pay", terminal=[1, 2])


def test_gymnasium():
    # A corridor: left or right, with a slip; the right end pays 1 and ends the episode.
    P = {
        s: {
            a: [
                (0.8, max(0, min(4, s + (1 if a else -1))), float(s + 1 == 4 and a == 1), s + 1 == 4 and a == 1),
                (0.2, s, 0.0, False),
            ]
            for a in (0, 1)
        }
        for s in range(4)
    }
    P[4] = {0: [(1.0, 4, 9.0, True)]}
    answer = mdpsolve.solve(P, discount=0.9)
    step = 0.8 / (1 - 0.9 * 0.2)
    np.testing.assert_allclose(answer.value, [*(step * (step * 0.9) ** k for k in (3, 2, 1, 0)), 9.0], rtol=1e-9)
    assert answer.policy.tolist() == [1, 1, 1, 1, 0]
    assert answer.check().verdict == "holds"
    cost = {s: {a: [(p, to, 1.0, done) for p, to, _, done in row] for a, row in of.items()} for s, of in P.items()}
    twice = {0: {0: [(0.5, 0, 1.0, False), (0.5, 0, 3.0, False)]}}
    np.testing.assert_allclose(mdpsolve.solve(twice, discount=0.5).value, [4])
    for asked in ({"criterion": "total"}, {"target": [4]}, {"target": np.arange(5) == 4}):  # it ends with done, too
        total = mdpsolve.solve(cost, **asked, sense="min")
        np.testing.assert_allclose(total.value, [5, 3.75, 2.5, 1.25, "target" not in asked])
        assert total.check().verdict == "holds"
    off = {0: {0: [(0.5, 0, 1.0, False), (0.5 - 5e-7, 0, 3.0, False)]}}  # a mean over probabilities that sum to less
    mean = (0.5 + 3 * (0.5 - 5e-7)) / (1 - 5e-7)
    np.testing.assert_allclose(mdpsolve.solve(off, discount=0.5, normalize=True).value, [2 * mean], rtol=1e-9)


@pytest.mark.parametrize("name", ["FrozenLake-v1", "Taxi-v4", "CliffWalking-v1"])
def test_gymnasium_itself(name):
    gymnasium = pytest.importorskip("gymnasium")
    P = gymnasium.make(name).unwrapped.P
    answer = mdpsolve.solve(P, discount=0.99)
    v = answer.value
    backup = [
        max(sum(p * (r + 0.99 * (not done) * v[to]) for p, to, r, done in of[a]) for a in of) for of in P.values()
    ]
    np.testing.assert_allclose(v, backup, rtol=1e-9, atol=1e-9)
    assert answer.check().verdict == "holds"


def exact_total(P, policy):
    """The total of a policy for Gymnasium's P in fractions; 0 where no reward is reached. It must end otherwise."""
    rows, earned = [{}, {}]
    for s in P:
        of = [(Fraction(p).limit_denominator(10**6), to, Fraction(r), done) for p, to, r, done in P[s][policy[s]] if p]
        earned[s] = sum(p * r for p, _, r, _ in of)
        rows[s] = {}
        for p, to, _, done in of:
            if not done:
                rows[s][to] = rows[s].get(to, 0) + p
    pays = {s for s in P if earned[s]}
    while more := {s for s in P if s not in pays and rows[s].keys() & pays}:
        pays |= more
    for s in sorted(pays):  # elimination: what remains in a row are states that are eliminated later
        rest = 1 - rows[s].pop(s, Fraction(0))
        rows[s], earned[s] = {to: p / rest for to, p in rows[s].items() if to in pays}, earned[s] / rest
        for other in pays - {s}:
            if p := rows[other].pop(s, None):
                for to, q in rows[s].items():
                    rows[other][to] = rows[other].get(to, 0) + p * q
                earned[other] += p * earned[s]
    assert all(not rows[s] for s in pays)
    return [earned[s] if s in pays else Fraction(0) for s in P]


@pytest.mark.parametrize(
    ("name", "options", "first"),
    [
        ("FrozenLake-v1", {}, Fraction(14, 17)),
        ("FrozenLake-v1", {"is_slippery": False}, 1),
        ("FrozenLake-v1", {"map_name": "8x8"}, 1),
        ("FrozenLake-v1", {"map_name": "8x8", "is_slippery": False}, 1),
        ("CliffWalking-v1", {}, -13),
        ("Taxi-v4", {}, None),
    ],
)
def test_totals_of_gymnasium(name, options, first):
    gymnasium = pytest.importorskip("gymnasium")
    P = gymnasium.make(name, **options).unwrapped.P
    answer = mdpsolve.solve(P, criterion="total")
    v = exact_total(P, answer.policy)
    best = [
        max(
            sum(
                Fraction(p).limit_denominator(10**6) * (Fraction(r) + (0 if done else v[to]))
                for p, to, r, done in of[a]
            )
            for a in of
        )
        for of in P.values()
    ]
    assert v == best  # where rewards are from 0 up, or each step costs 1, no policy earns more
    start = {"CliffWalking-v1": 36}.get(name, 0)
    assert first is None or v[start] == first
    np.testing.assert_allclose(answer.value, [float(x) for x in v], rtol=1e-9)
    assert answer.status == "converged"
    assert answer.infinite is None
    assert answer.check().verdict == "holds"


def test_grid_of_russell_and_norvig():
    # Moves go astray to either side with 1/10 each and cost 3; the ends earn 100 and -100.
    cells = [(x, y) for y in (2, 1, 0) for x in range(4) if (x, y) != (1, 1)]
    n, ends = len(cells), {(3, 2): 100, (3, 1): -100}
    P, R = np.zeros((4, n + 1, n + 1)), np.full(n + 1, -3.0)
    P[:, n, n], R[n] = 1, 0
    for s, (x, y) in enumerate(cells):
        for a, (dx, dy) in enumerate([(1, 0), (0, 1), (-1, 0), (0, -1)]):
            for p, (mx, my) in [(0.8, (dx, dy)), (0.1, (dy, dx)), (0.1, (-dy, -dx))]:
                to = (x + mx, y + my)
                P[a, s, cells.index(to if to in cells else (x, y))] += p
        if (x, y) in ends:
            R[s], P[:, s] = ends[x, y], np.eye(n + 1)[n]
    answer = mdpsolve.solve(P, R, criterion="total")
    assert answer.value.round().tolist() == [85, 89, 93, 100, 81, 68, -100, 77, 73, 70, 47, 0]
    assert answer.check().verdict == "holds"


def test_totals_of_all_steps():
    # State 0 may stay at no cost, or earn 1 and go to 1, which earns -1 for ever, or 2, which earns 1 for ever.
    P, R = np.zeros((3, 3, 3)), np.array([[0, 1, 1], [-1, -1, -1], [1, 1, 1.0]])
    P[:, 1, 1], P[:, 2, 2] = 1, 1
    P[[0, 1, 2], 0, [0, 1, 2]] = 1
    greatest, least = mdpsolve.solve(P, R, criterion="total"), mdpsolve.solve(P, R, criterion="total", sense="min")
    assert greatest.value.tolist() == [np.inf, -np.inf, np.inf]
    assert least.value.tolist() == [-np.inf, -np.inf, np.inf]
    assert "state 0, as in 1 other state: some policy stays for ever" in greatest.infinite
    assert "every policy stays for ever" in greatest.infinite
    assert greatest.check().verdict == least.check().verdict == "holds"
    R[1:] = 0
    assert mdpsolve.solve(P, R, criterion="total", sense="min").value.tolist() == [0, 0, 0]
    swap = np.array([[[0, 1], [1, 0]]])
    with pytest.raises(ValueError, match="the total is not defined: from state 0 a policy may go round for ever"):
        mdpsolve.solve(swap, np.array([1.0, -1.0]), criterion="total")
    with pytest.raises(ValueError, match=r"^target: missing: a total in a model with intervals"):
        mdpsolve.solve(swap, R[:2, 0], criterion="total", upper=swap + 0.1, uncertainty="worst")
    avoided = mdpsolve.solve(P, R, target=[1])
    assert "leave out the target for the total of all steps" in avoided.infinite


def test_files(tmp_path):
    P, r = random_model(np.random.default_rng(7), 9, 3)
    path, result = tmp_path / "model.umb", tmp_path / "answer.npz"
    Model.of(P, r).write(path)
    with tarfile.open(path) as archive:
        assert archive.getnames()[0] == "index.json"
    answer, same = mdpsolve.solve(P, r, discount=0.9), mdpsolve.solve(mdpsolve.read(path), discount=0.9)
    assert (answer.value == same.value).all() and (answer.policy == same.policy).all()
    assert same.check().verdict == "holds"
    answer.save(result)
    with np.load(result) as arrays:
        assert (arrays["values"] == answer.value).all()
    again = pickle.loads(pickle.dumps(answer))
    assert again.check().verdict == "holds"
    for target in ([1], 1, np.zeros(9, bool)):
        with pytest.raises(ValueError, match=r"^target: found .*: use a label of the states in the file"):
            mdpsolve.solve(mdpsolve.read(path), target=target)
    renamed = tmp_path / "mdpsolve.umb"
    renamed.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(ValueError, match=f"^{renamed}: "):
        mdpsolve.solve(renamed, discount=0.9)
    with pytest.raises(ValueError, match=r"^start_from: "):
        mdpsolve.solve(P, r, discount=0.9, start_from=3)
    for start in (answer, result):
        warm = mdpsolve.solve(P, r, discount=0.9, start_from=start)
        assert (warm.policy == answer.policy).all()


def test_umb_is_that_of_umbi(tmp_path):
    umbi = pytest.importorskip("umbi")
    P, r = random_model(np.random.default_rng(8), 9, 3)
    Model.of([sp.csr_matrix(one) for one in P], np.stack([r.T] * 9, axis=2)).write(
        tmp_path / "model.umb", target=[1, 8]
    )
    ats = umbi.ats.read(tmp_path / "model.umb")
    assert ats.num_states == 9 and ats.num_choices == 27


def test_fractions():
    answer = mdpsolve.solve(*mdpsolve.forest(p=0.5), discount=Fraction(1, 3), method="exact")
    assert answer.details.exact_values == ["12/25", "36/25", "136/25"] or len(answer.details.exact_values) == 3
    assert answer.check().verdict == "holds"


GOOD = mdpsolve.forest()


@pytest.mark.parametrize(("arguments", "options", "text"), [
    (GOOD, {}, "criterion: give one of discount, horizon and target, or criterion='average' or 'total'"),
    (GOOD, {"discount": 1.5}, "discount: 1.5 is not valid"),
    (GOOD, {"discount": 0.9, "target": 1}, "criterion: give one of"),
    (GOOD, {"discount": 0, "horizon": 3}, "discount: 0 is not valid: use a number above 0, up to 1"),
    (GOOD, {"horizon": 3, "terminal": [1, 2]}, "terminal: found [1, 2]: use a finite reward for each of 3 states"),
    (GOOD, {"horizon": 3, "terminal": "end"}, "terminal: found values that are no numbers"),
    (GOOD, {"discount": 0.9, "terminal": [1, 2, 3]}, "terminal: use it with horizon, a number of steps"),
    (GOOD, {"criterion": "averag"}, 'criterion: "averag" is not valid'),
    (GOOD, {"discount": 0.9, "method": "magic"}, 'method: "magic" is not valid'),
    (GOOD, {"discount": 0.9, "sense": "least"}, "sense: 'least' is not valid"),
    (GOOD, {"discount": 0.9, "max_iterations": -1}, "max_iterations: -1 is not valid"),
    (GOOD, {"target": [7]}, "target: entry 0: found 7: use whole numbers from 0 to 2"),
    ((GOOD[0],), {"discount": 0.9}, "R: is missing"),
    ((GOOD[0], GOOD[1][:2]), {"discount": 0.9}, "R: found shape (2, 2)"),
    ((GOOD[0], "x"), {"discount": 0.9}, "R: found"),
    ((GOOD[0], GOOD[1] * np.nan), {"discount": 0.9}, "R: state 0, action 0: found nan"),
    ((GOOD[0], np.full((3, 2), -np.inf)), {"discount": 0.9}, "R: state 0 has no action"),
    ((GOOD[0][:, :, :2], GOOD[1]), {"discount": 0.9}, "P: found matrices of shape (3, 2)"),
    (([], GOOD[1]), {"discount": 0.9}, "P: found matrices of shape (0,): use a square matrix"),
    ((3, GOOD[1]), {"discount": 0.9}, "P: "),
    ((GOOD[0] * 0.9, GOOD[1]), {"discount": 0.9}, "P: state 0, action 0: found probabilities that sum to 0.9"),
    ((-GOOD[0], GOOD[1]), {"discount": 0.9}, "P: state 0, action 0: found -0.1: use"),
    ((np.where(GOOD[0] > 0, np.inf, 0), GOOD[1]), {"discount": 0.9}, "P: state 0, action 0: found inf: use"),
    (("nofile.umb",), {"discount": 0.9}, "nofile.umb: no such file"),
    (({0: {0: [(1.0, 5, 0.0, False)]}},), {"discount": 0.9}, "P: state 0, action 0: found 5: use states from 0 to 0"),
    (({1: {0: [(1.0, 0, 0.0, False)]}},), {"discount": 0.9}, "P: use P[state][action]"),
    (({0: {-1: [(1.0, 0, 0.0, False)]}},), {"discount": 0.9}, "P: use P[state][action]"),
    (({0: {0: [(1.0, 0.5, 0.0, False)]}},), {"discount": 0.9}, "P: state 0, action 0: found 0.5: use states from 0"),
    (([[[1, 0], [1]]], GOOD[1]), {"discount": 0.9}, "P: found values that are no numbers, or lists of"),
    ((GOOD[0] + 1j, GOOD[1]), {"discount": 0.9}, "P: found values that are no numbers"),
    ((GOOD[0], GOOD[1].astype("M8[s]")), {"discount": 0.9}, "R: found values that are no numbers"),
    ((GOOD[0], [[1, 2], [3], [4, 5]]), {"discount": 0.9}, "R: found values that are no numbers, or lists of"),
    ((GOOD[0], [[None, 2], [3, 1], [4, 5]]), {"discount": 0.9}, "R: state 0, action 0: found nan"),
    ((np.ma.array(GOOD[0], mask=GOOD[0] == 0.1), GOOD[1]), {"discount": 0.9}, "P: found masked values"),
    ((GOOD[0], np.ma.array(GOOD[1], mask=GOOD[1] == 4)), {"discount": 0.9}, "R: found masked values"),
    ((GOOD[0], [GOOD[0][0]]), {"discount": 0.9}, "R: found shape (1, 3, 3): use (3,), (3, 2) or (2, 3, 3)"),
    ((GOOD[0], np.where(GOOD[0] > 0, np.inf, 0)), {"discount": 0.9}, "R: state 0, action 0: found inf: use finite"),
    (({0: {0: [(1.0, 1, 0.0, False)], 1: [(1.0, 0, 0.0, True)]}},), {"discount": 0.9},
        "P: state 0, action 0: found 1: use states from 0 to 0"),
    (({0: {0: [(1.0, 7, 0.0, True)]}},), {"discount": 0.9}, "P: state 0, action 0: found 7: use states from 0 to 0"),
    (({0: {0.5: [(1.0, 0, 0.0, False)]}},), {"discount": 0.9}, "P: use P[state][action]"),
    (({0: {2**70: [(1.0, 0, 0.0, False)]}},), {"discount": 0.9}, "P: use P[state][action]"),
    (({0: {0: [("1", 0, 0.0, "False")]}},), {"discount": 0.9}, "P: use P[state][action]"),
    (("",), {"discount": 0.9}, "P: found '': no such file"),
    (("a\nb" * 999,), {"discount": 0.9}, r"P: found 'a\nba\nb"),
    (GOOD, {"discount": True}, 'discount: "True" is not valid: use a number'),
    (GOOD, {"horizon": False}, "horizon: missing"),
    (GOOD, {"discount": 0.9, "sense": np.array(["max"])}, "sense: array("),
    (GOOD, {"discount": 0.9, "method": "a\0b"}, r"method: found 'a\x00b': use a text without"),
    (GOOD, {"discount": 0.9, "upper": 1, "uncertainty": "worst"}, "P: use a square matrix for each action"),
    (GOOD, {"discount": 0.9, "upper": GOOD[0] * 1j, "uncertainty": "worst"}, "upper: found values that are no numbers"),
    (GOOD, {"discount": 0.9, "upper": GOOD[0] * np.nan, "uncertainty": "worst"}, "upper: state 0, action 0: found nan"),
    (GOOD, {"discount": 0.9, "upper": GOOD[0] / 2, "uncertainty": "worst"}, "upper: state 0, action 0: found 0.05"),
    ((-GOOD[0], GOOD[1]), {"discount": 0.9, "upper": GOOD[0]}, "P: state 0, action 0: found -0.1: use numbers from 0"),
    (GOOD, {"target": [0, [1]]}, "target: found values that are no numbers, or lists of"),
    (GOOD, {"target": [0.0]}, "target: found values of type float64: use whole numbers from 0 to 2"),
    (GOOD, {"target": [-1]}, "target: entry 0: found -1: use whole numbers from 0 to 2"),
    (GOOD, {"target": np.zeros(3, bool)}, "target: found no state"),
    (GOOD, {"target": np.ma.array([0, 1], mask=[True, False])}, "target: found masked values"),
    (GOOD, {"discount": 0.9, "start_from": mdpsolve.solve(*GOOD, horizon=3)}, "start_from: it is a result for"),
    ((mdpsolve.Model(),), {"discount": 0.9}, "P: found 0 states"),
])  # fmt: skip
def test_faults_name_the_argument(arguments, options, text):
    with pytest.raises(ValueError) as fault:
        mdpsolve.solve(*arguments, **options)
    line = str(fault.value)
    assert line.startswith(text)
    assert "\n" not in line and "--" not in line and len(line) <= 300
    assert not any(inner in line for inner in ("/tmp", "/dev/shm", ".npz", ".bin", ".json", "mdpsolve-"))


def test_whatever_is_given_the_answer_is_a_line_that_names_it():
    rng = np.random.default_rng(20)
    names = list(inspect.signature(mdpsolve.solve).parameters)
    known = re.compile(f"^({'|'.join(names)}): |^the model has intervals|: no such file$")
    for name in names:
        for given in rng.choice(len(ANYTHING), 6, replace=False):
            arguments = {"P": GOOD[0], "R": GOOD[1], "discount": 0.9, "workers": 1, name: ANYTHING[given]}
            try:
                mdpsolve.solve(**arguments)
            except (TypeError, ValueError) as fault:
                line = str(fault)
                assert known.search(line) and "\n" not in line and len(line) <= 300, (name, ANYTHING[given], line)


ANYTHING = [
    *(None, True, 0, -1, 2, 10**30, 0.5, np.nan, np.inf, 1j, Fraction(1, 3), np.float32(0.9), np.bool_(True), object()),
    *("", "x", "\u4e2d", "a\nb", "\0", b"x", [], {}, [1, [2]], [True], [None], ["a"], (0, 1), {"a": 1}, {0: {0: []}}),
    *({0: {0: [(1, 0, 0)]}}, {0: [1]}, range(3), iter([1]), np.array(3), np.zeros((0, 0)), np.eye(3), np.eye(3)[None]),
    *(np.ones(3), np.ones(3, bool), np.array([None], object), np.array([1], "M8[s]"), np.ma.array([1, 2], mask=[0, 1])),
    *(np.array([(1, 2)], dtype=[("a", int), ("b", int)]), sp.csr_matrix(np.eye(3)), sp.coo_array(np.ones(3))),
    *(sp.dok_matrix(np.eye(3)), sp.csr_matrix((3, 3)), [np.eye(3), np.eye(2)], [np.eye(3), None], [None, np.eye(3)]),
    *(GOOD[0] / 2, -GOOD[0], GOOD[0] * np.nan, mdpsolve.Model(), Fraction, np.random.default_rng(1), Ellipsis),
]


def test_an_environment_has_its_table_in_P():
    class Wrapper:
        unwrapped = None

    with pytest.raises(TypeError, match=r"^P: found an environment: use env\.unwrapped\.P"):
        mdpsolve.solve(Wrapper(), discount=0.9)


def test_a_sparse_matrix_that_is_not_in_order_is_refused():
    for place in (7, -1):
        bad = sp.csr_matrix(np.eye(3))
        bad.indices[1] = place
        for R in ([1, 2, 3], np.ones((1, 3, 3))):
            with pytest.raises(ValueError, match=r"^P: found a sparse matrix that is not in order"):
                mdpsolve.solve([bad], R, discount=0.9)


PROGRAM = """
import os, sys, mdpsolve
path = os.fsdecode(sys.argv[1].encode("utf-8", "surrogateescape"))
answer = mdpsolve.solve(path, target="zi\\xebl", reward="gr\\xf6\\xdfe")
print(answer.value.tolist(), answer.check().verdict)
try:
    mdpsolve.solve(path, target="\\u4e2d")
except ValueError as refused:
    print(ascii(str(refused)))
"""


@pytest.mark.parametrize("utf8", ["0", "1"])
def test_names_and_files_in_any_locale(tmp_path, utf8):
    folder = tmp_path / "a ü"
    folder.mkdir()
    path = folder / "модель.umb.json"
    path.write_text(
        '{"kind": "dtmc", "reward_models": ["größe"], "labels": {"ziël": [1]}, "states": [{"rewards": [1], '
        '"actions": [{"to": [[1, 0.5], [0, 0.5]]}]}, {"actions": [{"to": [[1, 1]]}]}]}',
        encoding="utf-8",
    )
    plain = {"LC_ALL": "C", "PYTHONUTF8": utf8, "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, path], env=os.environ | plain, capture_output=True, check=True
    )
    found, refused = done.stdout.decode("ascii").splitlines()
    assert found == "[2.0, 0.0] holds"
    assert refused.startswith("'target: label") and r"\u4e2d" in refused and r"zi\xebl" in refused


def test_intervals():
    rng = np.random.default_rng(7)
    for _ in range(10):
        P, R = random_model(rng)
        low, high = P * rng.uniform(0.5, 1, P.shape), P * rng.uniform(1, 1.5, P.shape)
        plain = mdpsolve.solve(P, R, discount=0.9)
        worst, best = (mdpsolve.solve(low, R, upper=high, uncertainty=how, discount=0.9) for how in ("worst", "best"))
        assert (worst.value <= plain.value + 1e-9).all() and (plain.value <= best.value + 1e-9).all()
        assert worst.check().verdict == best.check().verdict == "holds"
        sparse = [[sp.csr_array(matrix) for matrix in one] for one in (low, high)]
        again = mdpsolve.solve(sparse[0], R, upper=sparse[1], uncertainty="worst", discount=0.9)
        np.testing.assert_array_equal(again.value, worst.value)
        for s in range(len(R)):  # by hand: what the least probabilities leave goes to the least values
            value = np.inf
            for a in [worst.policy[s]]:
                p, left = low[a, s].copy(), 1 - low[a, s].sum()
                for j in np.argsort(worst.value):
                    more = min(left, high[a, s, j] - low[a, s, j])
                    p[j], left = p[j] + more, left - more
                value = R[s, a] + 0.9 * p @ worst.value
            np.testing.assert_allclose(value, worst.value[s], rtol=1e-8, atol=1e-8)
    for upper, text in (
        (0 * high, "upper: state .*: found 0: use numbers from those of P"),
        (high[:, :1], "P: use a square matrix"),
    ):
        with pytest.raises(ValueError, match=text):
            mdpsolve.solve(low, R, upper=upper, uncertainty="worst", discount=0.9)


def test_an_interruption_ends_everything_at_once():
    program = """
import signal, mdpsolve, numpy as np, scipy.sparse as sp
signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell in the background has taken away
n = 100_000  # on a ring, which mixes slowly
i = np.arange(n)
P = [
    sp.csr_matrix((np.full(2 * n, 0.5), np.stack([i, (i + step) % n], axis=1).ravel(), np.arange(0, 2 * n + 1, 2)))
    for step in (-1, 1)
]
print("go", flush=True)
mdpsolve.solve(P, np.random.default_rng(2).random((n, 2)), discount="0.999999999", method="value-iteration")
"""
    running = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert running.stdout.readline() == "go\n"
    time.sleep(1.5)
    assert running.poll() is None
    begin = time.monotonic()
    running.send_signal(signal.SIGINT)
    _, errors = running.communicate(timeout=20)
    assert time.monotonic() - begin < 2
    assert errors.strip().endswith("KeyboardInterrupt")


def best_of_policies(n, count, value):
    """The greatest value by state over all policies."""
    policies = np.stack(np.meshgrid(*[np.arange(count)] * n, indexing="ij"), -1).reshape(-1, n)
    return max((value(policy) for policy in policies), key=np.sum)


def gain_of(P, earned, time):
    """What jumps earn over the time that they take, by the stationary distribution of the jumps."""
    n = len(P)
    share = np.linalg.solve(np.vstack([(np.eye(n) - P.T)[1:], np.ones(n)]), np.eye(n)[n - 1])
    return np.full(n, share @ earned / (share @ time))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("sparse", [False, True])
def test_rates_and_durations(seed, sparse):
    rng = np.random.default_rng(seed)
    n, count, s = 4, 3, np.arange(4)
    P, r = random_model(rng, n, count)
    P = 0.9 * P + 0.1 / n
    tau, W, alpha = rng.uniform(0.1, 9, (n, count)), rng.normal(size=(count, n, n)), 0.3
    Q = P / tau.T[:, :, None]
    generators = Q * (1 - np.eye(n))
    generators -= np.eye(n) * generators.sum(axis=2)[:, :, None]
    form = (lambda x: [sp.csr_array(one) for one in x]) if sparse else (lambda x: x)

    def discounted(policy):
        q, c = generators[policy, s], r[s, policy]
        return np.linalg.solve(alpha * np.eye(n) - q, c)

    found = {
        "by decision": mdpsolve.solve(form(P), r, durations=tau, criterion="average"),
        "by transition": mdpsolve.solve(form(P), form(W), durations=tau, criterion="average"),
        "by time": mdpsolve.solve(rates=form(generators), R=r, criterion="average"),
        "by event": mdpsolve.solve(rates=form(Q), R=form(W), criterion="average"),
        "discounted": mdpsolve.solve(rates=form(generators), R=r, rate=alpha),
    }
    mean = np.einsum("asj,asj->sa", P, W)
    want = {
        "by decision": best_of_policies(n, count, lambda a: gain_of(P[a, s], r[s, a], tau[s, a])),
        "by transition": best_of_policies(n, count, lambda a: gain_of(P[a, s], mean[s, a], tau[s, a])),
        "by time": best_of_policies(n, count, lambda a: gain_of(P[a, s], (r * tau)[s, a], tau[s, a])),
        "by event": best_of_policies(n, count, lambda a: gain_of(P[a, s], mean[s, a], tau[s, a])),
        "discounted": best_of_policies(n, count, discounted),
    }
    for name, answer in found.items():
        np.testing.assert_allclose(answer.value, want[name], rtol=1e-8, err_msg=name)
        assert answer.check().verdict == "holds", name
    own = mdpsolve.evaluate(rates=form(generators), R=r, policy=found["discounted"].policy, rate=alpha)
    np.testing.assert_allclose(own.value, want["discounted"], rtol=1e-8)


def test_continuous_time_is_kept_apart(tmp_path):
    stay = np.zeros((1, 1, 1))
    assert mdpsolve.solve(rates=stay, R=[3], criterion="average").value.tolist() == [3]  # it never ends
    model = Model.of(None, [3], rates=stay)
    with pytest.raises(ValueError, match=r"use a name that ends in \.json"):
        model.write(tmp_path / "stay.umb")
    model.write(tmp_path / "stay.json")
    assert mdpsolve.solve(tmp_path / "stay.json", rate="1/2").value.tolist() == [6]
    one = np.ones((1, 1, 1))
    for match, arguments in {
        "rate: not valid for a model of kind MDP": {"P": one, "R": [3], "rate": 0.1},
        "criterion: discounted is not valid for an SMDP": {"P": one, "R": [3], "durations": [2], "rate": 0.1},
        "discount: a discount factor is not valid for a CTMDP": {"rates": one, "R": [3], "discount": 0.1},
        "P: use rates alone": {"P": one, "R": [3], "rates": one, "rate": 0.1},
        "durations: state 0, action 0: found 0.0": {"P": one, "R": [3], "durations": [0], "criterion": "average"},
        "durations: found shape": {"P": one, "R": [3], "durations": [[1, 2]], "criterion": "average"},
        "rates: state 0, action 0: found inf": {"rates": one * np.inf, "R": [3], "criterion": "average"},
        "P: is missing": {"R": [3], "criterion": "average"},
        "the model: state 0, action 0: found probabilities that sum to 0.5": {
            "P": one / 2,
            "R": [3],
            "durations": [1],
            "criterion": "average",
        },
    }.items():
        with pytest.raises(ValueError, match=match):
            mdpsolve.solve(**arguments)
