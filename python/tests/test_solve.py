"""The answers of solve, beside exact evaluations by NumPy."""

import pickle
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
    cost = np.abs(r)
    for target in (3, [3], np.arange(6) == 3):
        total = mdpsolve.solve(P, cost, target=target, sense="min")
        assert total.value[3] == 0
        others = np.arange(6) != 3
        chain = P[total.policy, np.arange(6)][np.ix_(others, others)]
        want = np.linalg.solve(np.eye(5) - chain, cost[np.arange(6), total.policy][others])
        np.testing.assert_allclose(total.value[others], want, rtol=1e-9)


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
    total = mdpsolve.solve(cost, criterion="total", sense="min")
    np.testing.assert_allclose(total.value, [5, 3.75, 2.5, 1.25, 1])


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
    with pytest.raises(TypeError, match="start_from: give what solve returned"):
        mdpsolve.solve(P, r, discount=0.9, start_from="answer")
    warm = mdpsolve.solve(P, r, discount=0.9, start_from=answer)
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
    (GOOD, {}, "criterion: give one of discount, horizon and target, or criterion='average'"),
    (GOOD, {"discount": 1.5}, "discount: 1.5 is not valid"),
    (GOOD, {"discount": 0.9, "horizon": 3}, "criterion: give one of"),
    (GOOD, {"criterion": "averag"}, 'criterion: "averag" is not valid'),
    (GOOD, {"discount": 0.9, "method": "magic"}, 'method: "magic" is not valid'),
    (GOOD, {"discount": 0.9, "sense": "least"}, "sense: 'least' is not valid"),
    (GOOD, {"discount": 0.9, "max_iterations": -1}, "max_iterations: -1 is not valid"),
    (GOOD, {"target": [7]}, "target: use states from 0 to 2"),
    ((GOOD[0],), {"discount": 0.9}, "R: is missing"),
    ((GOOD[0], GOOD[1][:2]), {"discount": 0.9}, "R: found shape (2, 2)"),
    ((GOOD[0], "x"), {"discount": 0.9}, "R: found"),
    ((GOOD[0], GOOD[1] * np.nan), {"discount": 0.9}, "R: state 0, action 0: found nan"),
    ((GOOD[0], np.full((3, 2), -np.inf)), {"discount": 0.9}, "R: state 0 has no action"),
    ((GOOD[0][:, :, :2], GOOD[1]), {"discount": 0.9}, "P: found matrices of shape (3, 2)"),
    (([], GOOD[1]), {"discount": 0.9}, "P: use a square matrix"),
    ((3, GOOD[1]), {"discount": 0.9}, "P: "),
    ((GOOD[0] * 0.9, GOOD[1]), {"discount": 0.9}, "P: state 0, action 0: found probabilities that sum to 0.9"),
    ((-GOOD[0], GOOD[1]), {"discount": 0.9}, "P: state 0, action 0: found -0.1: use"),
    ((np.where(GOOD[0] > 0, np.inf, 0), GOOD[1]), {"discount": 0.9}, "P: state 0, action 0: found inf: use"),
    (("nofile.umb",), {"discount": 0.9}, "nofile.umb: no such file"),
    (({0: {0: [(1.0, 5, 0.0, False)]}},), {"discount": 0.9}, "P: state 0, action 0: found 5: use states from 0 to 0"),
    (({1: {0: [(1.0, 0, 0.0, False)]}},), {"discount": 0.9}, "P: use P[state][action]"),
    (({0: {-1: [(1.0, 0, 0.0, False)]}},), {"discount": 0.9}, "P: use P[state][action]"),
    (({0: {0: [(1.0, 0.5, 0.0, False)]}},), {"discount": 0.9}, "P: use P[state][action]"),
    (([[[1, 0], [1]]], GOOD[1]), {"discount": 0.9}, "P: use a square matrix"),
    ((GOOD[0] + 1j, GOOD[1]), {"discount": 0.9}, "P: found values that are no numbers"),
])  # fmt: skip
def test_faults_name_the_argument(arguments, options, text):
    with pytest.raises(ValueError) as fault:
        mdpsolve.solve(*arguments, **options)
    line = str(fault.value)
    assert line.startswith(text)
    assert "\n" not in line and "/tmp" not in line and "model.umb" not in line and "--" not in line


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
    for upper, text in (0 * high, "upper: found 0 where P is not"), (high[:, :1], "P: use a square matrix"):
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
