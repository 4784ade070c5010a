"""Outcomes of an action that earn differently, or all the same, beside an enumeration of all paths."""

import collections
from fractions import Fraction

import numpy as np
import pytest

import mdpsolve

# Probabilities whose sum in floating point is 1.0000000000000002.
ABOVE_ONE = [7 / 24, 15 / 48, 17 / 48, 1 / 24]
STEPS = 4


def random_outcomes(rng, n, count):
    """Outcomes (sixteenths, next state, reward, done) by state and action, often several to one state."""
    table = {}
    for s in range(n):
        for a in range(count):
            k = int(rng.integers(1, 5))
            shares = 1 + rng.multinomial(16 - k, np.ones(k) / k)
            table[s, a] = [
                (int(w), int(rng.integers(n)), int(rng.integers(-1, 4)), bool(rng.random() < 0.15)) for w in shares
            ]
    return table


def totals(table, policy, beside, ending):
    """The exact distribution of the total of STEPS steps, by all paths.

    policy has probabilities of actions by step and state, beside what a step earns in any case, and ending what each
    state earns at the end.
    """
    now = {(0, 0): Fraction(1)}
    for t in range(STEPS):
        after = collections.Counter()
        for (s, total), p in now.items():
            if s is None:
                after[s, total] += p
                continue
            for a, share in policy(t, s).items():
                for w, to, r, done in table[s, a]:
                    earned = total + r + beside(s, a)
                    after[None if done else to, earned] += p * share * Fraction(w, 16)
        now = after
    law = collections.Counter()
    for (s, total), p in now.items():
        law[total + (0 if s is None else ending[s])] += p
    return law


def agrees(found, law):
    for x, low, value, high in zip(found.x, found.at_most.lower, found.at_most.value, found.at_most.upper, strict=True):
        want = float(sum(p for total, p in law.items() if total <= x))
        assert low - 1e-12 <= want <= high + 1e-12
        assert value == pytest.approx(want, abs=1e-9)
    assert found.mean.value == pytest.approx(float(sum(total * p for total, p in law.items())))


def test_distributions_of_outcomes_that_earn_differently(calls):
    for seed in range(calls // 3):
        print("seed", seed)
        compare_with_paths(np.random.default_rng(seed))


def compare_with_paths(rng):
    n, count = int(rng.integers(2, 6)), int(rng.integers(1, 4))
    table = random_outcomes(rng, n, count)

    def beside(s, a):
        return (s + a) % 2

    def other(s, a):
        return a

    def step(s, a):
        return [(w / 16, to, {"main": r, "other": to % 2}, done) for w, to, r, done in table[s, a]]

    def both(s, a):
        return {"main": beside(s, a), "other": other(s, a)}

    problem = mdpsolve.Problem(list(range(n)), range(count), step, reward=both)
    width = max(map(len, table.values()))

    def column(states, a, k, part):
        rows = [table[int(s), a] for s in states]
        return np.array([row[k][part] if k < len(row) else 0 for row in rows])

    def steps(states, a):
        return [
            (
                column(states, a, k, 0) / 16,
                to := column(states, a, k, 1),
                {"main": column(states, a, k, 2), "other": to % 2},
                column(states, a, k, 3) != 0,
            )
            for k in range(width)
        ]

    arrays = mdpsolve.Problem.of_arrays(
        np.arange(n),
        range(count),
        steps,
        reward=lambda s, a: {"main": (s + a) % 2, "other": np.full(len(s), a)},
    )
    action = rng.integers(count, size=(STEPS, n)).tolist()
    shares = rng.multinomial(8, np.ones(count) / count, size=n).tolist()
    ending = rng.integers(-2, 3, size=n).tolist()
    policies = (
        ({s: action[0][s] for s in range(n)}, lambda t, s: {action[0][s]: 1}),
        ([{s: one[s] for s in range(n)} for one in action], lambda t, s: {action[t][s]: 1}),
        (
            {s: {a: w / 8 for a, w in enumerate(shares[s])} for s in range(n)},
            lambda t, s: {a: Fraction(w, 8) for a, w in enumerate(shares[s])},
        ),
    )
    by_other = {key: [(w, to, to % 2, done) for w, to, _, done in row] for key, row in table.items()}
    asked = {"x": "-8:20:1", "horizon": STEPS}
    for own, shared in policies:
        for one in (problem, arrays):
            got = mdpsolve.distribution(one, policy=own, terminal=dict(enumerate(ending)), **asked)
            agrees(got, totals(table, shared, beside, ending))
            got = mdpsolve.distribution(one, policy=own, **asked, reward="other")
            agrees(got, totals(by_other, shared, other, [0] * n))
    dicts = {
        s: {a: [(w / 16, to, r + beside(s, a), done) for w, to, r, done in table[s, a]] for a in range(count)}
        for s in range(n)
    }
    got = mdpsolve.distribution(dicts, policy=np.array(action), terminal=ending, **asked)
    agrees(got, totals(table, policies[1][1], beside, ending))
    worth = mdpsolve.evaluate(problem, policy=policies[1][0], horizon=STEPS, terminal=dict(enumerate(ending)))
    assert got.mean.value == pytest.approx(worth.value[0], abs=1e-9)


def test_a_distribution_until_a_target_or_the_end():
    """A walk that stops with probability 1/2 in each step; the last earns 1 or 3, others 1."""
    halves = mdpsolve.Problem(
        "walk",
        ["go"],
        lambda s, a: [(0.5, "walk", 1), (0.25, "home", 1), (0.25, "home", 3)] if s == "walk" else [(1, "home", 0)],
        labels={"home": lambda s: s == "home"},
    )
    dones = mdpsolve.Problem("walk", ["go"], lambda s, a: [(0.5, s, 1), (0.25, s, 1, True), (0.25, s, 3, True)])
    both = mdpsolve.Problem(
        "walk",
        ["go"],
        lambda s, a: (
            [(0.5, s, 1), (0.25, "home", 1), (0.125, "home", 3), (0.125, s, 3, True)] if s == "walk" else [(1, s)]
        ),
    )
    want = [0, 1 / 4, 3 / 8, 11 / 16, 27 / 32]
    for found in (
        mdpsolve.distribution(both, x="0:4:1", target="home"),
        mdpsolve.distribution(halves, policy={"walk": "go", "home": "go"}, x="0:4:1", target="home"),
        mdpsolve.distribution(halves, x="0:4:1", target="home"),
        mdpsolve.distribution(dones, x="0:4:1", horizon=40),
        mdpsolve.distribution(dones, policy=lambda s: {"go": 1.0}, x="0:4:1", horizon=40),
    ):
        np.testing.assert_allclose(found.at_most.value, want, atol=1e-9)


def test_a_policy_file_is_refused_where_states_have_copies(tmp_path):
    twice = mdpsolve.Problem(0, ["a", "b"], lambda s, a: [(0.5, 0, 1), (0.5, 0, 2)])
    with pytest.raises(ValueError, match=r"^policy: found a file, but outcomes that lead to the same state"):
        mdpsolve.distribution(twice, policy=tmp_path / "policy.csv", x=[1], horizon=2)


def test_the_mean_of_equal_rewards_is_that_number():
    assert sum(ABOVE_ONE) > 1

    def step(s, a):
        return [(p, j, 1) for j, p in enumerate(ABOVE_ONE)]

    def steps(states, a):
        return [(p, np.full(len(states), j), np.full(len(states), 1.0)) for j, p in enumerate(ABOVE_ONE)]

    problem = mdpsolve.Problem(0, [0], step)
    arrays = mdpsolve.Problem.of_arrays(np.arange(4), [0], steps)
    dicts = {s: {0: [(p, j, 1, False) for j, p in enumerate(ABOVE_ONE)]} for s in range(4)}
    for one in problem, arrays, dicts:
        found = mdpsolve.distribution(one, x=[3, STEPS], horizon=STEPS)
        np.testing.assert_allclose(found.at_most.value, [0, 1], atol=1e-12)
    assert problem.model().rewards.tolist() == arrays.model().rewards.tolist() == [1, 1, 1, 1]


def test_a_named_reward_of_the_action_alone_has_its_own_unit():
    """A reward that is the same in all outcomes, beside one that is not."""

    def step(s, a):
        return [(p, j, {"sold": j * 0.1, "orders": int(a > 0)}) for j, p in enumerate(ABOVE_ONE)]

    problem = mdpsolve.Problem(0, [0, 2], step)
    found = mdpsolve.distribution(problem, policy=lambda s: 2, x="0:12:1", horizon=12, reward="orders")
    np.testing.assert_allclose(found.at_most.value, [0] * 12 + [1], atol=1e-12)
    share = [float(Fraction(p) / sum(map(Fraction, ABOVE_ONE))) for p in ABOVE_ONE]
    mean = sum(p * j * 0.1 for j, p in enumerate(share))
    np.testing.assert_allclose(problem.model().rewards, mean)


def test_rates_earn_by_transition():
    problem = mdpsolve.Problem(0, [0], lambda s, a: [(2.0, 1 - s, 3), (1.0, s, 6)], rates=True)
    np.testing.assert_allclose(problem.model().rewards, 12)


def test_a_misspelt_name_of_a_reward():
    def step(s, a):
        return [(0.5, 0, {"profit": 1, "lost": 0}), (0.5, 1, {"proft": 2, "lost": 0})]

    right = "name the same in each dict, or list all names in rewards"
    with pytest.raises(ValueError, match=f"^step: state 0, action 0: found rewards 'proft', 'lost' beside.*{right}"):
        mdpsolve.Problem(0, [0], step)
    with pytest.raises(ValueError, match=r"^step: state 0, action 0: found reward 'proft', which rewards does not"):
        mdpsolve.Problem(0, [0], step, rewards=["profit", "lost"])
    with pytest.raises(ValueError, match=f"^step: action 0: found rewards 'proft', 'lost' beside.*{right}"):
        mdpsolve.Problem.of_arrays(np.arange(2), [0], step)
    with pytest.raises(ValueError, match=r"^rewards: found 'profit': use a list of names"):
        mdpsolve.Problem(0, [0], step, rewards="profit")
    sparse = [(0.5, 0, {"lost": 1}), (0.25, 1, {"profit": 8}), (0.25, 1, {})]
    for make in (
        lambda **o: mdpsolve.Problem([0, 1], [0], lambda s, a: sparse, **o),
        lambda **o: mdpsolve.Problem.of_arrays(np.arange(2), [0], lambda s, a: [(p, s, r) for p, _, r in sparse], **o),
    ):
        problem = make(rewards=["profit", "lost", "none"])
        assert repr(problem).endswith("rewards: profit, lost, none>")
        assert mdpsolve.solve(problem, criterion="average").value[0] == 2
        assert mdpsolve.solve(problem, criterion="average", reward="lost").value[0] == 0.5
        assert mdpsolve.solve(problem, criterion="average", reward="none").value[0] == 0
    apart = mdpsolve.Problem(0, [0], lambda s, a: [(1, 0, {"profit": 1})], reward=lambda s, a: {"energy": 2})
    assert repr(apart).endswith("rewards: profit, energy>")


@pytest.mark.parametrize("odd", [float("nan"), float("inf"), "5", None])
def test_what_is_no_reward_beside_dicts(odd):
    with pytest.raises(ValueError, match=r"^step: state 0, action 0: found reward .*: use a finite number, or a dict"):
        mdpsolve.Problem(0, [0], lambda s, a: [(0.5, 0, {"profit": 1}), (0.5, 1, odd)])


def test_the_first_name_that_is_found_is_the_one_to_optimise():
    turned = [(0.5, 0, {"b": 1, "a": 2}), (0.5, 0, {"a": 2, "b": 1})]
    assert repr(mdpsolve.Problem(0, [0], lambda s, a: turned)).endswith("rewards: b, a>")


def test_a_distribution_of_an_uncertain_model_is_refused():
    def step(s, a):
        return [(0.5, s, 1), (0.5, 1 - s, 2)] if a else [((0.1, 0.5), s, 1), ((0.5, 0.9), 1 - s, 1)]

    problem = mdpsolve.Problem(0, [0, 1], step)
    with pytest.raises(ValueError, match="not valid for a model with intervals"):
        mdpsolve.distribution(problem, policy=lambda s: 1, x=[1], horizon=2, uncertainty="worst")
