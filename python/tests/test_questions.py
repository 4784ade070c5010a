"""Limits, trade-offs, properties, distributions and simulations, beside values known by hand."""

import ast
import inspect
import io
import json
import re
from pathlib import Path

import numpy as np
import pytest

import mdpsolve

# A machine works slowly or fast, and wears out: the model of docs/models.md, repairs.json of the Go tests.
SLOW, FAST = 0, 1
P = np.array([
    [[0.9, 0.1, 0], [1, 0, 0], [1, 0, 0]],
    [[0.6, 0.4, 0], [0, 0.8, 0.2], [0, 0, 1]],
])  # fmt: skip
COST, OUTPUT = np.array([[1, 2], [8, 1], [20, 0.0]]), np.array([[0.5, 1], [0, 0.2], [0, 0]])
REPAIRS = {"cost": COST, "output": OUTPUT}


def stationary(chain):
    """The shares of time of a chain with one closed class."""
    n = len(chain)
    return np.linalg.lstsq(np.vstack([chain.T - np.eye(n), np.ones(n)]), np.append(np.zeros(n), 1), rcond=None)[0]


def averages(policy):
    """Cost and output of a policy in the long run from state 0; it stops in state 2 if it goes there to stay."""
    if policy[0] == FAST and policy[1] == 1 and policy[2] == 1:
        return 0.0, 0.0
    shares = stationary(P[policy, np.arange(3)])
    return shares @ COST[np.arange(3), policy], shares @ OUTPUT[np.arange(3), policy]


def test_limits():
    answer = mdpsolve.solve(P, REPAIRS, criterion="average", sense="min", limits={"output": ">=1/5"})
    assert isinstance(answer, mdpsolve.Mixture) and answer.status == "converged"
    assert answer.lower <= answer.value <= answer.upper
    np.testing.assert_allclose(answer.value, 18 / 25, rtol=1e-9)  # as the Go tests have it
    [limit] = answer.limits
    np.testing.assert_allclose([limit.value, limit.multiplier], [1 / 5, 18 / 5], rtol=1e-9)
    assert answer.probabilities.shape == (2, 3, 2) and np.allclose(answer.probabilities.sum(axis=2), 1)
    mixed = answer.weights @ [averages(one.argmax(axis=1)) for one in answer.probabilities]
    np.testing.assert_allclose(mixed, [18 / 25, 1 / 5], rtol=1e-9)
    assert answer.check().verdict == "holds"
    assert mdpsolve.check(P, answer, REPAIRS).verdict == "holds"
    assert "output 0.2 >= 1/5: converged" in repr(answer)
    both = {"cost": "<= 15", "output": "<=5"}
    two = mdpsolve.solve(P, REPAIRS, discount=0.9, reward="output", limits=both)
    assert [x.reward for x in two.limits] == ["cost", "output"] and two.check().verdict == "holds"


def test_limits_of_actions_that_are_not_allowed_and_of_another_initial_state():
    cost = COST.copy()
    cost[1, 1] = np.inf  # repair at once
    answer = mdpsolve.solve(
        P, {"cost": cost, "output": OUTPUT}, discount=0.5, sense="min", limits={"output": ">=0"}, initial=2
    )
    assert answer.details.initial == 2 and answer.probabilities.shape == (1, 3, 2)
    assert answer.probabilities[0, 1].tolist() == [1, 0]
    assert abs(answer.value) < 1e-12  # to stop costs nothing
    replaced = mdpsolve.solve(P, REPAIRS, discount=0.5, sense="min", limits={"output": ">=0.2"}, initial=2)
    assert replaced.details.initial == 2 and replaced.value > 1


def test_a_mixture_is_evaluated():
    answer = mdpsolve.solve(P, REPAIRS, criterion="average", sense="min", limits={"output": ">=1/2"})
    values = [mdpsolve.evaluate(P, REPAIRS, one, criterion="average").value[0] for one in answer.probabilities]
    np.testing.assert_allclose(answer.weights @ values, answer.value, rtol=1e-9)
    drawn = np.array([[0.25, 0.75], [1, 0], [0.5, 0.5]])
    chain = np.einsum("sa,ast->st", drawn, P)
    want = np.linalg.solve(np.eye(3) - 0.9 * chain, (drawn * COST).sum(axis=1))
    found = mdpsolve.evaluate(P, COST, drawn, discount=0.9)
    np.testing.assert_allclose(found.value, want, rtol=1e-9)
    want = (drawn * (COST + np.einsum("ast,t->sa", P, (drawn * COST).sum(axis=1)))).sum(axis=1)
    np.testing.assert_allclose(mdpsolve.evaluate(P, COST, drawn, horizon=2).value, want, rtol=1e-12)
    with pytest.raises(ValueError, match=r"^policy: "):
        mdpsolve.evaluate(P, COST, drawn / 2, discount=0.9)
    for wrong in (drawn * np.nan, -drawn, np.array([[drawn]]), [7, 0, 0], [[0, 0, 1]] * 2):
        for model in ((P, COST), (REPAIRS_FILE,)):
            with pytest.raises(ValueError, match=r"^policy\b") as fault:
                mdpsolve.evaluate(*model, policy=wrong, discount=0.9, reward="reward" if len(model) == 2 else "cost")
            assert "mdpsolve-" not in str(fault.value)


def test_policies_of_episodes():
    # Stay at a cost of 1, or end with probability 1/2.
    episodes = {0: {3: [(1.0, 0, 1.0, False)], 5: [(0.5, 0, 1.0, False), (0.5, 0, 1.0, True)]}}
    for policy in ([5], [[0, 0, 0, 0, 0, 1.0]]):
        np.testing.assert_allclose(mdpsolve.evaluate(episodes, policy=policy, criterion="total").value, [2], rtol=1e-12)
    drawn = [[0, 0, 0, 0.5, 0, 0.5]]  # ends with probability 1/4
    np.testing.assert_allclose(mdpsolve.evaluate(episodes, policy=drawn, criterion="total").value, [4], rtol=1e-12)
    steps = mdpsolve.evaluate(episodes, policy=[[3], [5], [5]], horizon=3)
    np.testing.assert_allclose(steps.value, [2.5], rtol=1e-12)
    assert steps.policies.tolist() == [[3], [5], [5]] and steps.check().verdict == "holds"


def test_trade_offs():
    answer = mdpsolve.solve(P, REPAIRS, criterion="average", sense="min", tradeoff=("output", "max"))
    assert isinstance(answer, mdpsolve.TradeOff) and answer.status == "converged"
    np.testing.assert_allclose(answer.value, [0, 18 / 11, 26 / 7], atol=1e-9)
    np.testing.assert_allclose(answer.other, [0, 5 / 11, 5 / 7], atol=1e-9)
    np.testing.assert_allclose(answer.weight_from, [0, 3.6, 8], atol=1e-9)
    assert answer.weight_to[-1] == np.inf and answer.gap < 1e-9
    for value, other, policy in zip(answer.value, answer.other, answer.policies, strict=True):
        np.testing.assert_allclose([value, other], averages(policy), atol=1e-9)
    assert "cost against output" in repr(answer)
    same = mdpsolve.solve(P, REPAIRS, criterion="average", sense="min", reward="output", tradeoff="cost")
    assert same.details.other_sense == "minimize"
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    assert len(answer.plot().lines[0].get_xdata()) == 3


REPAIRS_FILE = Path(__file__).parents[2] / "cmd/mdpsolve/testdata/models/repairs.json"


def test_files_answer_as_arrays():
    question = {"criterion": "average", "sense": "min", "reward": "cost"}
    for limits in ({"output": ">=1/5"}, {"output": ">=1/2"}):
        ours = mdpsolve.solve(P, REPAIRS, **question, limits=limits)
        file = mdpsolve.solve(REPAIRS_FILE, **question, limits=limits)
        np.testing.assert_allclose(file.value, ours.value, rtol=1e-9)
        np.testing.assert_array_equal(file.probabilities, ours.probabilities)
        assert file.check().verdict == "holds"
    trade = mdpsolve.solve(REPAIRS_FILE, **question, tradeoff=("output", "max"))
    np.testing.assert_allclose(trade.other, [0, 5 / 11, 5 / 7], atol=1e-9)


# From 0 a "safe" step costs 5, a "risky" one 1 and may lead to 1 or back; 1 costs 2; 2 is the goal, 3 a trap.
PATHS = np.zeros((2, 5, 5))
PATHS[0, [0, 1, 2, 3], [2, 0, 2, 3]] = 1
PATHS[0, 4, [2, 3]] = 0.5
PATHS[1] = PATHS[0]
PATHS[1, 0] = [1 / 3, 1 / 6, 1 / 2, 0, 0]
PATHS[1, 4] = [1, 0, 0, 0, 0]
PATH_COST = np.array([[5, 1], [2, 2], [0, 0], [1, 1], [1, 0.25]])


def test_properties():
    labels = {"goal": [2], "trap": np.arange(5) == 3}
    worst = mdpsolve.solve(PATHS, PATH_COST, property='Pmin=? [F "goal"]', labels=labels)
    best = mdpsolve.solve(PATHS, PATH_COST, property='Pmax=? [F "goal"]', labels=labels)
    np.testing.assert_allclose(worst.value, [1, 1, 1, 0, 0.5], atol=1e-9)
    np.testing.assert_allclose(best.value, [1, 1, 1, 0, 1], atol=1e-9)
    assert best.policy[4] == 1 and best.check().verdict == worst.check().verdict == "holds"
    steps = mdpsolve.solve(PATHS, PATH_COST, property='Pmax=? [F<=2 "goal"]', labels=labels)
    np.testing.assert_allclose(steps.value, [1, 1, 1, 0, 1], atol=1e-9)
    open_ = mdpsolve.solve(
        PATHS, PATH_COST, property='const int T; Pmax=? [F<=T "goal"]', const={"T": 2}, labels=labels
    )
    np.testing.assert_array_equal(open_.value, steps.value)
    with pytest.raises(ValueError, match=r"^const: found \[2\]: use values by name, as in {'T': 4}$"):
        mdpsolve.solve(PATHS, PATH_COST, property='const int T; Pmax=? [F<=T "goal"]', const=[2], labels=labels)
    asked = {"property": 'P>=0.9 [F "goal"]', "labels": labels}
    assert mdpsolve.solve(PATHS, PATH_COST, **asked).details.answer is not None
    assert mdpsolve.solve(PATHS, PATH_COST, **asked, initial=4).details.answer != "yes"
    cheapest = mdpsolve.solve(PATHS, PATH_COST, property='Rmin=? [F "target"]', target=2)
    total = mdpsolve.solve(PATHS, PATH_COST, target=2, sense="min")
    np.testing.assert_allclose(cheapest.value, total.value, rtol=1e-9)
    same = mdpsolve.solve(PATHS, PATH_COST, target="goal", labels=labels, sense="min")
    np.testing.assert_array_equal(same.value, total.value)


def test_a_property_of_a_policy():
    labels = {"goal": [2]}
    for action, share in ((0, 0.5), (1, 1)):
        policy = [1, 0, 0, 0, action]
        found = mdpsolve.evaluate(PATHS, PATH_COST, policy, property='P=? [F "goal"]', labels=labels)
        np.testing.assert_allclose(found.value, [1, 1, 1, 0, share], atol=1e-9)
        asked = {"property": 'P=? [F "goal"]', "labels": labels, "initial": 4, "replications": 500}
        played = mdpsolve.simulate(PATHS, PATH_COST, policy, **asked)
        assert played.lower - 1e-12 <= share <= played.upper + 1e-12


def test_action_values():
    R = COST.copy()
    R[1, 1] = np.inf
    answer = mdpsolve.solve(P, R, discount=0.5, sense="min", action_values=True)
    q = R + 0.5 * np.einsum("ast,t->sa", P, answer.value)
    lower, upper, optimality = answer.action_values
    for bound in (lower, upper):
        np.testing.assert_allclose(bound, np.where(np.isinf(R), np.nan, q), rtol=1e-9, atol=1e-9)
    want = np.where(np.isinf(R), "", np.where(q <= q.min(axis=1)[:, None] + 1e-9, "optimal", "suboptimal"))
    assert (optimality == want).all()
    file = mdpsolve.solve(REPAIRS_FILE, discount=0.5, sense="min", reward="cost", action_values=True)
    np.testing.assert_allclose(
        file.action_values.lower, (COST + 0.5 * np.einsum("ast,t->sa", P, file.value)), atol=1e-9
    )
    with pytest.raises(AttributeError, match=r"^action_values: ask for them"):
        _ = mdpsolve.solve(P, COST, discount=0.5).action_values


def test_sums_within_a_finite_horizon():
    earned = np.stack([COST, OUTPUT], axis=2)

    def run(shares):
        v = np.zeros((3, 2))
        for step in shares[::-1]:
            v = np.einsum("sa,sai->si", step, earned + np.einsum("ast,ti->sai", P, v))
        return v[0]

    question = {"horizon": 2, "sense": "min"}
    trade = mdpsolve.solve(P, REPAIRS, **question, tradeoff=("output", "max"))
    assert trade.policies.shape == (3, 2, 3)
    for value, other, policies in zip(trade.value, trade.other, trade.policies, strict=True):
        np.testing.assert_allclose(run(np.eye(2)[policies]), [value, other], rtol=1e-9)
    np.testing.assert_allclose(trade.value, [2, 2.9, 3.6], rtol=1e-9)
    limited = mdpsolve.solve(P, REPAIRS, **question, limits={"output": ">=1.2"})
    assert limited.probabilities.shape[1:] == (2, 3, 2)
    means = limited.weights @ [run(one) for one in limited.probabilities]
    np.testing.assert_allclose(means[1], 1.2, rtol=1e-9)
    np.testing.assert_allclose([limited.value, means[0]], 2 + 0.9 * (1.2 - 0.97) / (1.42 - 0.97), rtol=1e-9)
    assert limited.check().verdict == "holds"


def test_values_of_each_step():
    answer = mdpsolve.solve(P, COST, horizon=4, terminal=[3, 2, 1], step_values=True)
    v = np.array([3, 2, 1.0])
    for t in (3, 2, 1, 0):
        v = (COST + np.einsum("ast,t->sa", P, v)).max(axis=1)
        np.testing.assert_allclose(answer.step_values.value[t], v, rtol=1e-12)
    assert (answer.step_values.lower <= answer.step_values.upper).all() and answer.check().verdict == "holds"
    with pytest.raises(AttributeError, match=r"^step_values: ask for them"):
        _ = mdpsolve.solve(P, COST, horizon=4).step_values


def test_a_file_of_properties(tmp_path):
    (tmp_path / "all.props").write_text('"reach": Pmax=? [F "goal"];\n"stay": Pmin=? [G !"goal"];')
    labels = {"goal": [2]}
    found = mdpsolve.solve(PATHS, PATH_COST, property=str(tmp_path / "all.props:reach"), labels=labels)
    np.testing.assert_allclose(found.value, [1, 1, 1, 0, 1], atol=1e-9)
    with pytest.raises(ValueError, match=r"nofile: no such file$"):
        mdpsolve.solve(PATHS, PATH_COST, property="nofile", labels=labels)
    with pytest.raises(ValueError, match=r"^property: .*name one"):
        mdpsolve.solve(PATHS, PATH_COST, property=tmp_path / "all.props", labels=labels)


def test_a_time_in_a_ctmc(tmp_path):
    (tmp_path / "decay.json").write_text("""{"kind": "ctmc", "reward_models": ["r"], "labels": {"gone": [1]},
        "states": [{"rewards": [1], "actions": [{"to": [[1, 2]]}]}, {"actions": [{"to": []}]}]}""")
    answer = mdpsolve.solve(tmp_path / "decay.json", property='P=? [F<=1 "gone"]')
    np.testing.assert_allclose(answer.value, [1 - np.exp(-2), 1], rtol=1e-9)
    with pytest.raises(ValueError, match="bounds but no certificate"):
        answer.check()


def test_distributions():
    policy = [1, 0, 0, 0, 1]
    found = mdpsolve.distribution(PATHS, PATH_COST, policy, [1, 2, 3], target=2)
    assert found.x.tolist() == [1, 2, 3]
    # After one step 1/2; after another from 0 at cost 2; from 1 back to 0 costs 1 + 2 + 1.
    np.testing.assert_allclose(found.at_most.value, [1 / 2, 2 / 3, 13 / 18], rtol=1e-9)
    assert (found.at_most.lower <= found.at_most.value).all() and (found.at_most.value <= found.at_most.upper).all()
    np.testing.assert_allclose(found.above.value, 1 - found.at_most.value, rtol=1e-9)
    np.testing.assert_allclose(found.mean.value, 8 / 3, rtol=1e-9)
    assert found.never.value == 0 and found.level.tolist() == [0.5, 0.9, 0.95, 0.99]
    np.testing.assert_allclose(found.excess.value[0], 8 / 3 - 1, rtol=1e-9)
    ranged = mdpsolve.distribution(PATHS, PATH_COST, policy, "1:3:1", target=2)
    np.testing.assert_array_equal(ranged.at_most.value, found.at_most.value)
    coin = mdpsolve.distribution(np.full((2, 2), 0.5), np.array([0.0, 1]), None, 1, horizon=3)
    np.testing.assert_allclose(coin.at_most.value, [3 / 4], rtol=1e-9)  # of two throws at most one
    with pytest.raises(ValueError, match=r"^x: "):
        mdpsolve.distribution(PATHS, PATH_COST, policy, "much", target=2)
    with pytest.raises(ValueError, match=r"^x: "):
        mdpsolve.distribution(PATHS, PATH_COST, policy, 1, discount=0.9)


def test_simulations():
    policy = [SLOW, 0, 0]
    shares = stationary(P[policy, np.arange(3)])
    found = mdpsolve.simulate(P, COST, policy, criterion="average", horizon=20_000, replications=20, seed=3)
    assert found.lower <= shares @ COST[np.arange(3), policy] <= found.upper  # for this seed
    assert found.lower < found.value == found.mean < found.upper
    assert found.upper - found.lower < 0.1 and found.confidence == 0.95 and found.status == "complete"
    assert mdpsolve.simulate(P, COST, policy, criterion="average", horizon=50, seed=3).mean != found.mean
    total = mdpsolve.simulate(PATHS, PATH_COST, [1, 0, 0, 0, 1], target=2, replications=2000, confidence=0.999)
    assert total.lower <= 8 / 3 <= total.upper and total.details.replications == 2000
    with pytest.raises(ValueError, match=r"^replications: "):
        mdpsolve.simulate(P, COST, policy, criterion="average", replications=0)


def test_answers_from_elsewhere_are_checked(tmp_path):
    answer = mdpsolve.solve(P, COST, discount=0.9, sense="min")
    question = {"discount": 0.9, "sense": "min"}
    assert mdpsolve.check(P, answer, COST).verdict == "holds"
    assert mdpsolve.check(P, answer, COST + 1).verdict == "refuted"
    assert mdpsolve.check(P, answer.value.copy(), COST, **question).verdict == "holds"
    assert mdpsolve.check(P, answer.value + 1, COST, **question, tolerance=1e-3).verdict == "refuted"
    assert mdpsolve.check(P, answer.policy, COST, **question).verdict == "holds"
    assert mdpsolve.check(P, 1 - answer.policy, COST, **question).verdict == "refuted"
    answer.save(tmp_path / "answer.npz")
    assert mdpsolve.check(P, tmp_path / "answer.npz", COST).verdict == "holds"
    for wrong, text in (([1.0, 2.0], "result: found shape"), ("nofile.json", "nofile.json"), ([[1.0]], "result: ")):
        with pytest.raises(ValueError, match=text):
            mdpsolve.check(P, wrong, COST, **question)
    own = mdpsolve.evaluate(P, COST, [1, 0, 0], discount=0.9)
    assert mdpsolve.check(P, own, COST).verdict == "holds"
    found = mdpsolve.solve(REPAIRS_FILE, criterion="average", sense="min", reward="cost")
    assert mdpsolve.check(REPAIRS_FILE, found).verdict == "holds"
    walk = mdpsolve.Problem(0, [1, 2], lambda s, a: [(1, min(s + a, 5), s)])
    values = {s: sum(0.5**t * min(2 * t + s, 5) for t in range(99)) for s in range(6)}
    assert mdpsolve.check(walk, values, discount=0.5, sense="max").verdict == "holds"
    assert mdpsolve.check(walk, values | {3: 1.0}, discount=0.5, sense="max").verdict == "refuted"
    assert mdpsolve.check(walk, dict.fromkeys(range(6), 2), discount=0.5, sense="max").verdict == "holds"
    with pytest.raises(ValueError, match=r"^result: state 0 is missing: give each a value$"):
        mdpsolve.check(walk, {1: 0.5}, discount=0.5, sense="max")


def test_policies_are_written_and_read(tmp_path):
    question = {"discount": 0.9, "sense": "min", "reward": "cost"}
    answer = mdpsolve.solve(REPAIRS_FILE, **question, policy_out=tmp_path / "policy.json")
    again = mdpsolve.evaluate(REPAIRS_FILE, policy=tmp_path / "policy.json", **question)
    np.testing.assert_allclose(again.value, answer.value, rtol=1e-9)
    assert json.loads((tmp_path / "policy.json").read_text())


@pytest.mark.parametrize(("options", "text"), [
    ({"limits": {"gain": "<=1"}}, 'limits: reward model "gain" is not valid: use one of "cost", "output"'),
    ({"limits": {"output": "1"}}, "limits: found {'output': '1'}: use {'loss': '<=0.01'}, with <= or >="),
    ({"limits": {"output": ">=much"}}, 'limits: "output>=much"'),
    ({"limits": {"output": ">=0"}, "criterion": None}, "criterion: give one of discount, horizon and target"),
    ({"limits": "output>=1"}, "limits: found 'output>=1': use {'loss': '<=0.01'}"),
    ({"limits": {"output": ">=3/4"}}, "limits: no policy keeps to output>=3/4: the greatest value is 0.714285714286"),
    ({"limits": {"output": ">=0"}, "tradeoff": "output"}, "limits: not valid with tradeoff: leave it out"),
    ({"tradeoff": "gain"}, 'tradeoff: reward model "gain" is not valid'),
    ({"tradeoff": ("output", "most")}, "tradeoff: found ('output', 'most'): use the name of a reward, or"),
    ({"tradeoff": 3}, "tradeoff: found 3: use the name of a reward, or ('output', 'max')"),
    ({"labels": ["a"]}, "labels: found ['a']: use states by label"),
    ({"labels": {"a": [7]}}, "labels['a']: entry 0: found 7: use whole numbers from 0 to 2"),
    ({"initial": [0, 2]}, "initial: found 2 states: use one"),
    ({"initial": 3}, "initial: entry 0: found 3: use whole numbers from 0 to 2"),
    ({"property": "R=? [C]"}, "criterion: not valid with property, which states the whole question"),
    ({"property": 3, "criterion": None}, "property: found 3: use a text, such as"),
    ({"property": "P=? [F", "criterion": None, "sense": None}, "property:1:"),
    ({"reward": "gain"}, 'reward: reward model "gain" is not valid'),
])  # fmt: skip
def test_faults_name_the_argument(options, text):
    with pytest.raises(ValueError) as fault:
        mdpsolve.solve(P, REPAIRS, **{"criterion": "average", "sense": "min"} | options)
    line = str(fault.value)
    assert line.startswith(text)
    assert "\n" not in line and "--" not in line.partition(": see ")[0] and len(line) <= 300


@pytest.mark.parametrize(("R", "text"), [
    ({}, "R: found {}: use rewards by name"),
    ({1: COST}, "R: found {1: array"),
    ({"cost": COST, "output": OUTPUT[:2]}, "R['output']: found shape (2, 2): use (3,), (3, 2)"),
    ({"cost": COST, "output": P}, "R['output']: found rewards by transition: use (3,) or (3, 2), or put it first in R"),
    ({"cost": COST, "output": OUTPUT * np.nan}, "R['output']: state 0, action 0: found nan: use a finite reward"),
    ({"cost": COST, "output": None}, "R['output']: is missing"),
])  # fmt: skip
def test_faults_of_several_rewards(R, text):
    with pytest.raises(ValueError) as fault:
        mdpsolve.solve(P, R, discount=0.9)
    assert str(fault.value).startswith(text)


def test_several_rewards_of_which_one_is_optimised():
    first = mdpsolve.solve(P, REPAIRS, discount=0.9, sense="min")
    np.testing.assert_array_equal(first.value, mdpsolve.solve(P, COST, discount=0.9, sense="min").value)
    second = mdpsolve.solve(P, REPAIRS, discount=0.9, reward="output")
    np.testing.assert_array_equal(second.value, mdpsolve.solve(P, OUTPUT, discount=0.9).value)
    last = mdpsolve.solve(P, REPAIRS, horizon=1, terminal=[0, 0, 7], reward="output")
    np.testing.assert_allclose(last.value, (OUTPUT + P[:, :, 2].T * 7).max(axis=1), rtol=1e-12)
    assert first.check().verdict == second.check().verdict == last.check().verdict == "holds"


def test_arguments_are_shown():
    for verb in (mdpsolve.solve, mdpsolve.evaluate, mdpsolve.simulate, mdpsolve.distribution, mdpsolve.check):
        names = inspect.signature(verb).parameters
        assert {"P", "R", "discount", "property", "labels"} <= names.keys() and "options" not in names
    with pytest.raises(TypeError, match=r"^dicount: found an argument that is not known here"):
        mdpsolve.solve(P, COST, dicount=0.9)
    with pytest.raises(TypeError, match=r"^K: found an argument that is not known here$"):
        mdpsolve.solve(P, COST, discount=0.9, K=1)
    with pytest.raises(TypeError, match=r"^tolerence: found an argument .*: did you mean tolerance\?$"):
        mdpsolve.solve(P, COST, discount=0.9, tolerence=1)
    for name in ("policy", "output", "log", "minimize"):
        with pytest.raises(TypeError, match=f"^{name}: found an argument that is not known here"):
            mdpsolve.solve(P, COST, discount=0.9, **{name: "x"})


def test_no_circle_of_imports():
    folder = Path(mdpsolve.__file__).parent
    imports = {}
    for path in folder.glob("*.py"):
        nodes = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ImportFrom)]
        of = [node.module or alias.name for node in nodes if node.level for alias in node.names]
        imports[path.stem] = set(of)
    assert imports["_solve"]
    while imports:
        last = {name for name, of in imports.items() if not of & imports.keys()}
        assert last, f"a circle among {sorted(imports)}"
        imports = {name: of for name, of in imports.items() if name not in last}


def test_docs_have_all_arguments():
    guide = (Path(__file__).parents[2] / "docs/python.md").read_text()
    verbs = "solve", "evaluate", "simulate", "distribution", "check", "rules", "sweep"
    for verb in (getattr(mdpsolve, name) for name in verbs):
        assert f"`mdpsolve.{verb.__name__}(" in guide or f"mdpsolve.{verb.__name__}(" in guide
        for name in inspect.signature(verb).parameters:
            assert re.search(rf"`{name}\b", guide), name
    for name in inspect.signature(mdpsolve.Problem).parameters:
        assert re.search(rf"`{name}\b", guide), name
    for of in (mdpsolve.Problem, mdpsolve.Problem.of_arrays, mdpsolve.Problem.from_env):
        text = inspect.getdoc(of) + inspect.getdoc(mdpsolve.Problem)
        assert all(re.search(rf"\b{name}\b", text) for name in inspect.signature(of).parameters), of


def test_an_archive_has_all_arrays():
    answer = mdpsolve.solve(P, COST, discount=0.9, sense="min")
    with np.load(io.BytesIO(answer.archive)) as arrays:
        assert (arrays["lower"] == answer.lower).all()
