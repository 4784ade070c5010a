"""Models from functions, beside models of arrays and the command."""

import collections
import dataclasses
import functools
import json
import re

import numpy as np
import pytest

import mdpsolve

LAW = {0: 0.3, 1: 0.4, 2: 0.2, 3: 0.1}
ROOM = 8


def inventory_step(state, order):
    """Stock and season; demand is twice as high in season 1."""
    stock, season = state
    after = stock + order
    return [
        (
            p,
            (max(after - d * (1 + season), 0), 1 - season),
            {"profit": 5 * min(after, d * (1 + season)) - 2 * order - 0.1 * after, "lost": max(d - after, 0)},
        )
        for d, p in LAW.items()
    ]


def orders(state):
    return range(ROOM + 1 - state[0])


def inventory(**options):
    known = {"variables": ("stock", "season"), "labels": {"empty": lambda s: s[0] == 0}}
    return mdpsolve.Problem((0, 0), orders, inventory_step, **known, **options)


def arrays_of(problem):
    """P and R of the inventory by hand, in the order of the problem's states; R is -inf where there is no action."""
    states = list(problem.states)
    place = {s: i for i, s in enumerate(states)}
    P, R = np.zeros((ROOM + 1, len(states), len(states))), np.full((len(states), ROOM + 1), -np.inf)
    lost = np.zeros(R.shape)
    P[:, np.arange(len(states)), np.arange(len(states))] = 1
    for i, s in enumerate(states):
        for a in orders(s):
            P[a, i, i] = 0
            R[i, a] = 0
            for p, to, earned in inventory_step(s, a):
                P[a, i, place[to]] += p
                R[i, a] += p * earned["profit"]
                lost[i, a] += p * earned["lost"]
    return P, {"profit": R, "lost": lost}


QUESTIONS = (
    {"discount": 0.95},
    {"criterion": "average"},
    {"horizon": 7, "discount": 0.9},
    {"discount": 0.9, "reward": "lost", "sense": "min"},
)


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_problem_answers_as_its_arrays(question):
    problem = inventory()
    P, R = arrays_of(problem)
    if question.get("sense") == "min":
        R = {"profit": np.where(np.isinf(R["profit"]), np.inf, R["profit"]), "lost": R["lost"]}
    got, want = mdpsolve.solve(problem, **question), mdpsolve.solve(P, R, **question)
    np.testing.assert_allclose(np.asarray(got.value), want.value, rtol=1e-9, atol=1e-9)
    assert got.check().verdict == "holds" and got.status == "converged"
    assert mdpsolve.check(problem, got).verdict == "holds"
    for state, number in zip(problem.states, want.value, strict=True):
        assert abs(got.value[state] - number) < 1e-8
        assert got.lower[state] <= got.value[state] <= got.upper[state]
        assert got.policy[state] in orders(state)
    worth = mdpsolve.evaluate(problem, policy=got, **question)
    np.testing.assert_allclose(np.asarray(worth.value), got.value.array, rtol=1e-9, atol=1e-9)


def test_policies_are_given_by_functions_dicts_and_answers():
    problem = inventory()

    def up_to_four(state):
        return max(0, 4 - state[0])

    by_function = mdpsolve.evaluate(problem, policy=up_to_four, discount=0.9)
    by_dict = mdpsolve.evaluate(problem, policy={s: up_to_four(s) for s in problem.states}, discount=0.9)
    np.testing.assert_array_equal(by_function.value.array, by_dict.value.array)
    drawn = mdpsolve.evaluate(problem, policy=lambda s: {up_to_four(s): 0.5, 0: 0.5} if s[0] < 4 else 0, discount=0.9)
    assert drawn.value[0, 0] < by_function.value[0, 0]
    steps = mdpsolve.evaluate(problem, policy=[up_to_four, lambda s: 0], horizon=2)
    first = {s: sum(p * r["profit"] for p, _, r in inventory_step(s, up_to_four(s))) for s in problem.states}
    then = {s: sum(p * r["profit"] for p, _, r in inventory_step(s, 0)) for s in problem.states}
    for s in problem.states:
        want = first[s] + sum(p * then[to] for p, to, _ in inventory_step(s, up_to_four(s)))
        assert abs(steps.value[s] - want) < 1e-9
    assert [one[0, 0] for one in steps.policies] == [4, 0]
    halves = mdpsolve.evaluate(
        problem, policy=[lambda s: {0: 0.5, up_to_four(s): 0.5} if s[0] < 4 else 0, lambda s: 0], horizon=2
    )
    none = mdpsolve.evaluate(problem, policy=lambda s: 0, horizon=2)
    for s in ((0, 0), (3, 1)):
        assert halves.value[s] == pytest.approx((steps.value[s] + none.value[s]) / 2)
    played = mdpsolve.simulate(problem, policy=up_to_four, discount=0.9, replications=200)
    assert played.lower - 1 < by_function.value[0, 0] < played.upper + 1
    other = mdpsolve.simulate(problem, policy=up_to_four, discount=0.9, initial=(3, 1), replications=200)
    assert other.lower - 1 < by_function.value[3, 1] < other.upper + 1


def test_limits_and_trade_offs_by_name():
    problem = inventory()
    limited = mdpsolve.solve(problem, criterion="average", limits={"lost": "<=0.001"})
    assert limited.check().verdict == "holds"
    for policy in limited.probabilities:
        assert sum(policy[3, 1].values()) == pytest.approx(1)
        mdpsolve.evaluate(problem, policy=policy, criterion="average")
    P, R = arrays_of(problem)
    same = mdpsolve.solve(P, R, criterion="average", limits={"lost": "<=0.001"})
    assert limited.value == pytest.approx(same.value)
    trade = mdpsolve.solve(problem, criterion="average", tradeoff=("lost", "min"))
    assert len(trade.policies) == len(trade.value) and trade.policies[0][0, 0] in orders((0, 0))


def test_action_values_by_name():
    problem = inventory()
    answer = mdpsolve.solve(problem, discount=0.9, action_values=True)
    for s in problem.states:
        found = answer.action_values[s]
        assert list(found) == list(orders(s))
        for a, one in found.items():
            want = sum(p * (r["profit"] + 0.9 * answer.value[to]) for p, to, r in inventory_step(s, a))
            assert one.lower - 1e-9 <= want <= one.upper + 1e-9
        assert found[answer.policy[s]].optimality == "optimal"


def test_totals_end_with_done_or_at_a_target():
    # A walk from 2 to 0 or 4; the goal pays 1.
    def step(s, move):
        to = s + move
        return [(0.75, to, float(to == 4), to in (0, 4)), (0.25, s)]

    problem = mdpsolve.Problem(2, [-1, 1], step)
    assert list(problem.states) == [2, 1, 3]
    answer = mdpsolve.solve(problem, criterion="total")
    assert answer.value[2] == pytest.approx(1) and answer.policy[2] == 1
    fair = mdpsolve.evaluate(problem, policy=lambda s: {-1: 0.5, 1: 0.5}, criterion="total")
    assert [fair.value[s] for s in (1, 2, 3)] == pytest.approx([0.25, 0.5, 0.75])
    walk = mdpsolve.Problem(2, [-1, 1], lambda s, a: [(0.5, min(max(s + a, 0), 4)), (0.5, s)], reward=lambda s, a: 1)
    for target in (4, [4], lambda s: s == 4, "end"):
        labels = {"end": lambda s: s == 4}
        asked = {"target": target, "sense": "min"} | ({"labels": labels} if target == "end" else {})
        assert mdpsolve.solve(walk, **asked).value[0] == pytest.approx(8)
    never = mdpsolve.solve(walk, criterion="total")
    assert never.value[0] == np.inf and "state" in never.infinite
    sure = mdpsolve.solve(walk, property='Pmax=? [F "end"]', labels={"end": [4]})
    assert sure.value[0] == 1


def test_continuous_time():
    # An M/M/1/4 queue at two speeds, beside matrices of rates.
    def step(n, speed):
        return [(1.0, min(n + 1, 4)), ({"slow": 1.5, "fast": 3.0}[speed], max(n - 1, 0), 2.0 if n else 0)]

    def cost(n, speed):
        return -n - (speed == "fast")

    problem = mdpsolve.Problem(0, ["slow", "fast"], step, reward=cost, rates=True)
    rates = np.zeros((2, 5, 5))
    R = np.zeros((5, 2))
    for a, speed in enumerate(("slow", "fast")):
        for n in range(5):
            R[n, a] = cost(n, speed)
            for rate, to, *earned in step(n, speed):
                rates[a, n, to] += rate * (to != n)
                R[n, a] += rate * sum(earned)
    for question in ({"criterion": "average"}, {"rate": 0.1}):
        got, want = mdpsolve.solve(problem, **question), mdpsolve.solve(rates=rates, R=R, **question)
        np.testing.assert_allclose(got.value.array, want.value, rtol=1e-9)
        assert got.policy[0] == ("slow", "fast")[want.policy[0]]
    once = mdpsolve.Problem(1, ["go"], lambda s, a: [(2.0, s, 1.0, True)], reward=lambda s, a: 3, rates=True)
    assert mdpsolve.solve(once, criterion="total").value[1] == pytest.approx(3 / 2 + 1)
    lasting = mdpsolve.Problem(
        0, ["slow"], lambda n, a: [(0.5, (n + 1) % 3), (0.5, n, 6.0)], durations=lambda n, a: n + 1
    )
    assert mdpsolve.solve(lasting, criterion="average").value[0] == pytest.approx(3 / 2)
    with pytest.raises(ValueError, match=r"^durations: not valid with rates"):
        mdpsolve.Problem(0, [0], lambda s, a: [(1, s)], rates=True, durations=lambda s, a: 1)


Place = collections.namedtuple("Place", "x y")


@dataclasses.dataclass(frozen=True)
class Door:
    open: bool
    name: str


def test_frames():
    pytest.importorskip("pandas")
    problem = inventory()
    answer = mdpsolve.solve(problem, discount=0.95)
    table = answer.frame()
    want = ["stock", "season", "empty", "value", "lower", "upper", "action"]
    assert list(table.columns) == want
    row = table[(table.stock == 3) & (table.season == 1)].iloc[0]
    assert row.value == answer.value[3, 1] and row.action == answer.policy[3, 1] and not row.empty
    average = mdpsolve.solve(problem, criterion="average").frame()
    assert "relative_value" in average
    answer = mdpsolve.solve(problem, discount=0.95, action_values=True)
    table = answer.frame(actions=True)
    assert list(table.columns) == ["stock", "season", "action", "lower", "upper", "optimality"]
    assert len(table) == sum(len(orders(s)) for s in problem.states)
    for row in table.itertuples():
        assert answer.action_values[row.stock, row.season][row.action] == (row.lower, row.upper, row.optimality)
    steps = mdpsolve.solve(problem, horizon=3, step_values=True)
    table = steps.frame()
    assert len(table) == 3 * len(problem) and table.step.tolist()[:: len(problem)] == [1, 2, 3]
    last = table[table.step == 3].reset_index()
    assert last.action.tolist() == list(steps.policies[2][s] for s in problem.states)
    named = mdpsolve.Problem(Place(0, 0), ["go"], lambda s, a: [(1, Place(1 - s.x, s.y), 1)])
    assert list(mdpsolve.solve(named, discount=0.5).frame().columns)[:2] == ["x", "y"]
    doors = mdpsolve.Problem(Door(True, "a"), ["go"], lambda s, a: [(1, Door(not s.open, s.name), 1)])
    table = mdpsolve.solve(doors, discount=0.5).frame()
    assert table.open.tolist() == [True, False] and table.action.tolist() == ["go", "go"]
    arrays = mdpsolve.solve(*mdpsolve.forest(), discount=0.9, labels={"old": [2]})
    assert list(arrays.frame().columns) == ["state", "old", "value", "lower", "upper", "action"]
    clash = mdpsolve.solve(*mdpsolve.forest(), discount=0.9, labels={"value": [2]})
    with pytest.raises(ValueError, match=r"^frame: found two columns 'value'"):
        clash.frame()
    assert "<td>" in answer._repr_html_() and "more states" in answer._repr_html_()


def outcome(*entry):
    return mdpsolve.Problem(("a", 1), ["wait"], lambda s, a: [entry])


WHERE = r"state ('a', 1), action 'wait'"


@pytest.mark.parametrize(("make", "text"), [
    (lambda: outcome(0.5, ("a", 1)), f"step: {WHERE}: found probabilities that sum to 0.5"),
    (lambda: outcome(-1, ("a", 1)), f"step: {WHERE}: found -1: use a probability from 0 to 1"),
    (lambda: outcome("1", ("a", 1)), f"step: {WHERE}: found '1': use a probability"),
    (lambda: outcome(np.nan, ("a", 1)), f"step: {WHERE}: found nan"),
    (lambda: outcome(1, ["a", 1]), f"step: {WHERE}: next state ['a', 1] is not hashable"),
    (lambda: outcome(1, ("a", 1), np.inf), f"step: {WHERE}: found reward inf: use a finite number"),
    (lambda: outcome(1, ("a", 1), "x"), f"step: {WHERE}: found reward 'x'"),
    (lambda: outcome(1, ("a", 1), {3: 1}), "reward: found 3 as the name of rewards"),
    (lambda: outcome(1), f"step: {WHERE}: found [(1,)]: use [(probability, next state, reward, done)"),
    (lambda: mdpsolve.Problem(0, [], lambda s, a: []), "actions: state 0: found no action"),
    (lambda: mdpsolve.Problem(0, [1, 1], lambda s, a: [(1, s)]), "actions: state 0: found action 1 twice"),
    (lambda: mdpsolve.Problem(0, [[1]], lambda s, a: [(1, s)]), "actions: state 0: found [[1]]: use hashable"),
    (lambda: mdpsolve.Problem(0, lambda s: None, lambda s, a: [(1, s)]), "actions: state 0: found None: return a list"),
    (lambda: mdpsolve.Problem([], [1], lambda s, a: [(1, s)]), "start: found no state"),
    (lambda: mdpsolve.Problem([[1]], [1], lambda s, a: [(1, s)]), "start: state [1] is not hashable"),
    (lambda: mdpsolve.Problem(0, [1], lambda s, a: [(1, s + 1)], max_states=5), "max_states: found more than 5 states"),
    (lambda: mdpsolve.Problem(0, [1], lambda s, a: [(1, s)], max_states="x"), "max_states: found 'x': use a whole"),
    (lambda: mdpsolve.Problem(0, [1], lambda s, a: [(1, s)], max_states=-1), "max_states: found -1: use a whole"),
    (lambda: mdpsolve.Problem(0, [1], lambda s, a: [(1, s)], rates=3), "rates: found 3: use True"),
    (lambda: mdpsolve.Problem(0, [1], lambda s, a: [(1, s)], labels=3), "labels: found 3: use functions"),
    (
        lambda: mdpsolve.Problem(0, [1], lambda s, a: [(1, s)], labels={"x": lambda s: "no"}),
        "labels['x']: state 0: found 'no': return true or false",
    ),
    (lambda: mdpsolve.Problem(0, [1], lambda s, a: [(-1, s)], rates=True), "step: state 0, action 1: found -1"),
    (lambda: mdpsolve.Problem(0, [1], lambda s, a: [(1, s)], durations=lambda s, a: 0), "durations: state 0, action 1"),
    (lambda: mdpsolve.Problem(0, [1], lambda s, a: [(1, s)], labels={"x": [0]}), "labels: found {'x': [0]}"),
    (lambda: mdpsolve.Problem(0, [1], lambda s, a: [(1, s)], variables=("a", "b")), "variables: found ('a', 'b')"),
    (
        lambda: mdpsolve.Problem(0, [1], lambda s, a: [(1, s, 1)], reward=lambda s, a: {"x": 1}),
        "reward: state 0, action 1: found reward {'x': 1} beside others",
    ),
])  # fmt: skip
def test_faults_of_problems_name_state_and_action(make, text):
    with pytest.raises(ValueError) as fault:
        make()
    assert str(fault.value).startswith(text) and "\n" not in str(fault.value)


@pytest.mark.parametrize(("asked", "text"), [
    ({"discount": 0.9, "initial": (99, 0)}, "initial: found (99, 0), which is no state of the problem"),
    ({"target": (99, 0)}, "target: found "),
    ({"target": lambda s: False}, "target: found no state"),
    ({"target": lambda s: None}, "target: state (0, 0): found None: return true or false"),
    ({"discount": 0.9, "R": [1]}, "R: a Problem has rewards of its own"),
    ({"discount": 0.9, "rates": [1]}, "rates: not valid beside a Problem"),
    ({"discount": 0.9, "reward": "nothing"}, "reward: "),
    ({"horizon": 2, "terminal": {(0, 0): 1}}, "terminal: state (0, 1) is missing"),
    ({}, "criterion: give one of discount"),
])  # fmt: skip
def test_faults_of_questions(asked, text):
    with pytest.raises(ValueError) as fault:
        mdpsolve.solve(inventory(), **asked)
    assert str(fault.value).startswith(text)


@pytest.mark.parametrize(("policy", "text"), [
    (lambda s: 99, "policy: state (0, 0) has no action 99"),
    (lambda s: ROOM, "policy: state (1, 1) has no action 8"),
    (lambda s: [1], "policy: state (0, 0) has no action [1]"),
    ({(0, 0): 1}, "policy: state (0, 1) is missing"),
    (lambda s: {0: 0.5}, "policy: found state (0, 0) with probabilities that sum to 1/2"),
    (lambda s: {0: "x"}, "policy: state (0, 0): found 'x': use a probability"),
])  # fmt: skip
def test_faults_of_policies(policy, text):
    with pytest.raises(ValueError) as fault:
        mdpsolve.evaluate(inventory(), policy=policy, horizon=2)
    assert str(fault.value).startswith(text)


@pytest.mark.parametrize("name", ["step", "reward", "durations", "allowed"])
def test_what_has_to_be_a_function(name):
    for make in (mdpsolve.Problem, mdpsolve.Problem.of_arrays)[name == "allowed" :]:
        with pytest.raises(TypeError, match=f"^{name}: found 0: use a function"):
            make([0], **{"actions": ["go"], "step": lambda s, a: [(1, s)], name: 0})


def test_one_next_state_for_all():
    back = single(lambda s, a: [(1, 0)])
    np.testing.assert_array_equal(back.model().rows[0].indices, [0, 0, 0, 0])


def test_what_is_not_said_is_refused():
    with pytest.raises(KeyError, match="no state 3"):
        mdpsolve.solve(inventory(), discount=0.9).value[3]
    off = mdpsolve.Problem("a", ["go"], lambda s, a: [(1 + 5e-7, "a", 1)])
    with pytest.raises(ValueError, match=r"^step: state 'a', action 'go': found probabilities that sum to 1.0000005"):
        mdpsolve.solve(off, discount=0.5)
    assert mdpsolve.solve(off, discount=0.5, normalize=True).value["a"] == pytest.approx(2)

    def wrong(s, a):
        raise KeyError(s)

    with pytest.raises(KeyError) as fault:
        mdpsolve.Problem(0, ["go"], wrong)
    if hasattr(fault.value, "add_note"):
        assert fault.value.__notes__ == ["mdpsolve.Problem called it with state 0, action 'go'"]


def test_numbers_are_checked_in_pieces():
    from mdpsolve._problem import CHUNK

    for n in (CHUNK, CHUNK + 1):

        def step(s, a, n=n):
            return [(1, (s + 1) % n, {"odd": s % 2} if s > CHUNK // 2 else {"few": 1.0} if 0 < s < 6 else 0)]

        ring = mdpsolve.Problem(0, ["go"], step, rewards=["few", "odd"])
        odd = sum(s % 2 for s in range(CHUNK // 2 + 1, n))
        average = {"criterion": "average"}
        assert mdpsolve.solve(ring, reward="odd", **average).value[0] * n == pytest.approx(odd)
        assert mdpsolve.solve(ring, **average).value[0] * n == pytest.approx(5)
        with pytest.raises(ValueError, match=rf"^step: state {n - 1}, action 'go': found reward nan"):
            mdpsolve.Problem(0, ["go"], lambda s, a, n=n: [(1, (s + 1) % n, np.nan if s == n - 1 else 1)])


def test_intervals():
    # A machine works or not; whether a repair helps is only known roughly.
    def step(s, a):
        if s == "works":
            return [(0.9, "works", 5.0), (0.1, "broken", 5.0)]
        return [((0.3, 0.7), "works", -1.0), ((0.2, 0.8), "broken", -1.0)] if a == "repair" else [(1, "broken")]

    machine = mdpsolve.Problem("works", lambda s: ["repair", "leave"] if s == "broken" else ["run"], step)
    for how, share in (("worst", 0.3), ("best", 0.7)):
        answer = mdpsolve.solve(machine, discount=0.9, uncertainty=how)
        chain = np.array([[0.9, 0.1], [share, 1 - share]])
        want = np.linalg.solve(np.eye(2) - 0.9 * chain, [5, -1])
        assert [answer.value["works"], answer.value["broken"]] == pytest.approx(want)
        assert answer.check().verdict == "holds" and answer.policy["broken"] == "repair"
    tries = mdpsolve.Problem(0, ["try"], lambda s, a: [((0.1, 0.5), s, -1.0, True), ((0.5, 0.9), s, -1.0)])
    assert mdpsolve.solve(tries, discount=0.5, uncertainty="worst").value[0] == pytest.approx(-1 / (1 - 0.45))
    for outcomes, text in (
        ([((0.1, 0.2), 0), (0.5, 0)], "found probabilities that sum to from 0.6 to 0.7"),
        ([((0.6, 0.2), 0), (0.5, 0)], "found (0.6, 0.2): use the least probability first"),
        ([((0.1, 0.2), 0, 1), ((0.8, 0.9), 0, 2)], "found outcomes of different rewards and uncertain"),
    ):
        with pytest.raises(ValueError) as fault:
            mdpsolve.Problem(0, ["try"], lambda s, a, outcomes=outcomes: outcomes)
        assert str(fault.value).startswith(f"step: state 0, action 'try': {text}")


def counts(s, a):
    """Steps that each earn the same: 1 for "go", which may stay."""
    return [(0.5, s + 1, 1, s == 2), (0.5, s, 1)]


def test_the_distribution_of_a_total():
    problem = mdpsolve.Problem(0, ["go"], counts)
    found = mdpsolve.distribution(problem, x="0:12:1", target=2)
    tails = {k: 1 - (1 + k) * 0.5**k for k in range(13)}  # at least two heads among k
    np.testing.assert_allclose(found.at_most.value, [tails[k] if k else 0 for k in range(13)], atol=1e-9)
    assert found.mean.value == pytest.approx(4)


def random_problem(rng):
    """A random problem over letters, and its arrays."""
    n, count = int(rng.integers(1, 8)), int(rng.integers(1, 4))
    P, R = rng.dirichlet(np.ones(n), (count, n)), rng.normal(size=(n, count))
    allowed = rng.random((n, count)) < 0.7
    allowed[np.arange(n), rng.integers(0, count, n)] = True
    names, moves = [f"s{i}" for i in range(n)], [f"a{a}" for a in range(count)]

    def step(s, a):
        i, k = names.index(s), moves.index(a)
        return list(zip(P[k, i].tolist(), names, strict=True))

    problem = mdpsolve.Problem(
        names,
        lambda s: [moves[a] for a in np.flatnonzero(allowed[names.index(s)])],
        step,
        reward=lambda s, a: R[names.index(s), moves.index(a)],
    )
    return problem, P, np.where(allowed, R, -np.inf), names, moves


def test_random_problems(calls):
    rng = np.random.default_rng(21)
    for trial in range(calls):
        problem, P, R, names, moves = random_problem(rng)
        assert list(problem.states) == names
        question = ({"discount": 0.9}, {"criterion": "average"}, {"horizon": 3}, {"discount": 0.5})[trial % 4]
        got, want = mdpsolve.solve(problem, **question), mdpsolve.solve(P, R, **question)
        np.testing.assert_allclose(got.value.array, want.value, rtol=1e-9, atol=1e-9)
        policy = {s: moves[int(rng.choice(np.flatnonzero(np.isfinite(R[i]))))] for i, s in enumerate(names)}
        numbers = [moves.index(policy[s]) for s in names]
        got, want = (mdpsolve.evaluate(*of, **question) for of in ((problem, None, policy), (P, R, numbers)))
        np.testing.assert_allclose(got.value.array, want.value, rtol=1e-9, atol=1e-9)
        assert mdpsolve.check(problem, got).verdict == "holds"


# The same functions over arrays.


def grid(n):
    states = np.indices((n, n)).reshape(2, -1).T

    def step(s, move):
        there = (s == n - 1).all(axis=1)
        return [(0.8, np.clip(s + move, 0, n - 1), -1.0, there), (0.2, s, -1.0, there)]

    return mdpsolve.Problem.of_arrays(
        states,
        [(0, 1), (0, -1), (1, 0), (-1, 0)],
        step,
        variables=("x", "y"),
        labels={"corner": lambda s: (s == n - 1).all(axis=1)},
    )


def test_arrays_of_states_beside_functions_of_one():
    n = 6
    many = grid(n)

    def step(s, move):
        x, y = np.clip(np.add(s, move), 0, n - 1).tolist()
        there = s == (n - 1, n - 1)
        return [(0.8, (x, y), -1.0, there), (0.2, s, -1.0, there)]

    one = mdpsolve.Problem((0, 0), many.actions, step)
    assert sorted(one.states) == sorted(many.states)
    for question in ({"criterion": "total"}, {"discount": 0.9}, {"horizon": 4}):
        a, b = mdpsolve.solve(many, **question), mdpsolve.solve(one, **question)
        for s in one.states:
            assert a.value[s] == pytest.approx(b.value[s], rel=1e-9)
    assert mdpsolve.solve(many, target="corner").value[5, 5] == 0


def test_structured_arrays_and_what_is_allowed():
    states = np.zeros(2 * (ROOM + 1), [("stock", "i4"), ("season", "i8")])
    states["stock"], states["season"] = np.repeat(np.arange(ROOM + 1), 2), np.tile([0, 1], ROOM + 1)

    def step(s, order):
        after = s["stock"] + order
        made = []
        for d, p in LAW.items():
            to = np.empty_like(s)
            to["stock"], to["season"] = np.maximum(after - d * (1 + s["season"]), 0), 1 - s["season"]
            profit = 5 * np.minimum(after, d * (1 + s["season"])) - 2 * order - 0.1 * after
            made.append((p, to, {"profit": profit, "lost": np.maximum(d - after, 0)}))
        return made

    many = mdpsolve.Problem.of_arrays(
        states, range(ROOM + 1), step, allowed=lambda s, order: s["stock"] + order <= ROOM
    )
    one = inventory()
    for question in QUESTIONS:
        a, b = mdpsolve.solve(many, **question), mdpsolve.solve(one, **question)
        for s in one.states:
            assert a.value[s] == pytest.approx(b.value[s], rel=1e-9, abs=1e-9)
    fixed = mdpsolve.evaluate(many, policy=lambda s: np.maximum(4 - s["stock"], 0), discount=0.9)
    same = mdpsolve.evaluate(one, policy=lambda s: max(4 - s[0], 0), discount=0.9)
    assert fixed.value[2, 1] == pytest.approx(same.value[2, 1], rel=1e-9)
    assert many.model().outcomes.keys() == {"profit", "lost"}
    assert list(fixed.frame().columns)[:2] == ["stock", "season"]


def single(step, states=None, **options):
    return mdpsolve.Problem.of_arrays(np.arange(4) if states is None else states, ["go"], step, **options)


@pytest.mark.parametrize(("make", "text"), [
    (lambda: single(lambda s, a: [(1, s + 1)]), "step: state 3, action 'go': found next state 4: use one of states"),
    (lambda: single(lambda s, a: [(0.5, s)]), "step: state 0, action 'go': found probabilities that sum to 0.5"),
    (lambda: single(lambda s, a: [(1 - 2 * (s == 2), s)]), "step: state 2, action 'go': found -1.0: use a probability"),
    (lambda: single(lambda s, a: [(1, s, np.where(s == 1, np.nan, 0))]), "step: state 1, action 'go': found nan"),
    (lambda: single(lambda s, a: (1, s)), "step: action 'go': found (1, array([0, 1, 2, 3])): use [("),
    (lambda: single(lambda s, a: [(1, s[:2])]), "step: action 'go': found next states of other shapes"),
    (lambda: single(lambda s, a: [(1, (s, s))]), "step: action 'go': found next states of 2 variables"),
    (lambda: single(lambda s, a: 3), "step: action 'go': found 3: use [("),
    (lambda: single(lambda s, a: [(1, None)]), "step: state 0, action 'go': found next state None: use one of states"),
    (lambda: single(lambda s, a: [([1, 1], s)]), "step: action 'go': found shape (2,): use (4,)"),
    (lambda: single(lambda s, a: [(1, s)], allowed=lambda s, a: s > 1), "allowed: state 0 has no action"),
    (lambda: single(lambda s, a: [(1, s)], durations=lambda s, a: s), "durations: state 0, action 'go': found 0.0"),
    (lambda: single(lambda s, a: [(1, s)], [1, 2, 1]), "states: found 1 twice"),
    (lambda: mdpsolve.Problem.of_arrays([0], [1, 1], lambda s, a: [(1, s)]), "actions: found action 1 twice"),
    (lambda: mdpsolve.Problem.of_arrays([0], [], lambda s, a: [(1, s)]), "actions: found no action"),
    (lambda: single(lambda s, a: [(1, s)], [[[1]]]), "states: found shape (1, 1, 1)"),
    (lambda: single(lambda s, a: [(1, s)], [(0, "a"), (1, "b")]), "states: found shape (2, 2) of <U21"),
    (lambda: single(lambda s, a: [(1, s)], labels={"x": lambda s: [1]}), "labels['x']: found shape (1,)"),
    (lambda: single(lambda s, a: [(1, s)], labels={"x": lambda s: ["a"] * 4}), "labels['x']: found values of type <U1"),
    (lambda: single(lambda s, a: [(1, s)], reward=lambda s, a: [1]), "reward: action 'go': found shape (1,)"),
])  # fmt: skip
def test_faults_of_arrays_name_the_state(make, text):
    with pytest.raises(ValueError) as fault:
        make()
    assert str(fault.value).startswith(text)


def test_actions_of_arrays_are_a_list():
    with pytest.raises(TypeError, match=r"^actions: found a function: list all actions"):
        mdpsolve.Problem.of_arrays([0], lambda s: [1], lambda s, a: [(1, s)])


def test_states_of_any_numbers():
    for states in (np.array([10**15, -5, 7]), np.array([0.5, 0.25, 1.5]), np.array(["a", "b", "c"])):
        place = {s: i for i, s in enumerate(states.tolist())}
        problem = mdpsolve.Problem.of_arrays(states, ["go"], lambda s, a, states=states: [(1, np.roll(states, 1), 1.0)])
        answer = mdpsolve.solve(problem, discount=0.5)
        assert all(answer.value[s] == pytest.approx(2) for s in place)
        with pytest.raises(KeyError):
            answer.value[99]


# Environments of Gymnasium.


def test_tables_of_gymnasium():
    gymnasium = pytest.importorskip("gymnasium")
    for name in ("FrozenLake-v1", "CliffWalking-v1", "Taxi-v4"):
        table = gymnasium.make(name).unwrapped.P
        answer = mdpsolve.solve(table, discount=0.99)
        v = answer.value
        for s, row in table.items():
            best = max(sum(p * (r + 0.99 * v[to] * (not done)) for p, to, r, done in one) for one in row.values())
            assert best == pytest.approx(v[s], rel=1e-9, abs=1e-9)
        assert answer.check().verdict == "holds"


def test_an_environment_is_explored_by_stepping():
    gymnasium = pytest.importorskip("gymnasium")
    env = gymnasium.make("CliffWalking-v1")
    problem = mdpsolve.Problem.from_env(env)
    found, known = mdpsolve.solve(problem, criterion="total"), mdpsolve.solve(env.unwrapped.P, criterion="total")
    for s in problem.states:
        assert found.value[s] == known.value[s]

    class Dice(gymnasium.Env):
        """A fair die; stop, or roll again at a cost."""

        action_space = gymnasium.spaces.Discrete(2)

        def reset(self, *, seed=None, options=None):
            super().reset(seed=seed)
            self.face = 1
            return np.array([self.face, 0]), {}

        def step(self, action):
            if action == 0:
                return np.array([self.face, 1]), float(self.face), True, False, {}
            self.face = int(self.np_random.integers(1, 7))
            return np.array([self.face, 0]), -0.25, False, False, {}

    with pytest.raises(ValueError, match=r"^samples: state \(1, 0\), action 1: two steps differ"):
        mdpsolve.Problem.from_env(Dice())
    rolled = mdpsolve.Problem.from_env(Dice(), samples=1500)
    assert len(rolled) == 6
    answer = mdpsolve.solve(rolled, criterion="total")
    assert abs(answer.value[1, 0] - 4.75) < 0.2  # roll until 5 or 6: w = -1/4 + 11/6 + 2/3 w
    assert [answer.policy[face, 0] for face in (1, 6)] == [1, 0]
    own = mdpsolve.Problem.from_env(Dice(), samples=50, state=lambda env: env.unwrapped.face, actions=[0, 1])
    assert sorted(own.states) == [1, 2, 3, 4, 5, 6]
    with pytest.raises(ValueError, match=r"^max_states: found more than 50 states"):
        mdpsolve.Problem.from_env(gymnasium.make("CartPole-v1"), max_states=50)
    with pytest.raises(TypeError, match=r"^env: found 3"):
        mdpsolve.Problem.from_env(3)
    with pytest.raises(ValueError, match=r"^samples: found 0"):
        mdpsolve.Problem.from_env(Dice(), samples=0)


def test_a_parameter_is_the_argument_of_its_name():
    def shop(hold, back=2.0, *, room=3):
        def step(stock, order):
            after = min(stock + order, room)
            for wanted in range(3):
                short = max(wanted - after, 0)
                yield 1 / 3, max(after - wanted, 0), -hold * after - back * short - order

        return mdpsolve.Problem(0, range(3), step)

    question = {"discount": 0.9}
    found = mdpsolve.sweep("back", [1.0, 5.0], lambda back: shop(0.1, back), **question)
    by_keyword = mdpsolve.sweep("back", [1.0, 5.0], functools.partial(shop, 0.1), **question)
    assert found.equals(by_keyword)
    assert found["value"].iloc[0] > found["value"].iloc[1]
    rooms = mdpsolve.sweep("room", [1, 3], functools.partial(shop, 0.1), **question)
    assert rooms["value"].iloc[0] < rooms["value"].iloc[1]
    assert mdpsolve.sweep("any name", [0.1], shop, **question)["value"].iloc[0] == pytest.approx(
        mdpsolve.solve(shop(0.1), **question).value[0]
    )
    with pytest.raises(ValueError, match=r"^parameter: P is a function of a, b, not of c: use one of its arguments$"):
        mdpsolve.sweep("c", [1], lambda a, b: shop(a, b), **question)


def test_the_policy_of_an_answer_within_limits():
    def step(state, action):
        return [(1.0, (state + action) % 3, {"gain": state * action, "moves": action})]

    ring = mdpsolve.Problem(0, range(2), step)
    limited = mdpsolve.solve(ring, criterion="average", limits={"moves": "<=0.5"})
    assert "state 0:" in repr(limited)
    assert len(limited.weights) == 1
    judged = mdpsolve.evaluate(ring, policy=limited, criterion="average")
    assert judged.value[0] == pytest.approx(limited.value, abs=1e-6)
    assert limited.policy[0] == limited.probabilities[0][0]
    several = dataclasses.replace(limited, weights=np.array([0.5, 0.5]))
    with pytest.raises(
        ValueError, match=r"^policy: found an answer that draws one of 2 policies at the start: use one"
    ):
        mdpsolve.evaluate(ring, policy=several, criterion="average")
    with pytest.raises(AttributeError, match="one of 2 policies is drawn at the start"):
        _ = several.policy


def test_errors_name_what_was_given():
    def step(state, action):
        return [(1.0, ((state[0] + 1) % 2, action), 1.0)]

    pairs = mdpsolve.Problem((0, 0), range(2), step, labels={"goal": lambda s: s[0] == 1})
    for wrong, expected in {
        (99, 0): "target: found (99, 0), which is no state of the problem: use one such as (0, 0)",
        "gaol": "target: found 'gaol', which is no label and no state of the problem: use one such as (0, 0)",
    }.items():
        with pytest.raises(ValueError, match=re.escape(expected)):
            mdpsolve.solve(pairs, target=wrong)
    with pytest.raises(
        TypeError, match=r"^discoutn: found an argument that is not known here: did you mean discount\?$"
    ):
        mdpsolve.solve(pairs, discoutn=0.9)
    with pytest.raises(ValueError, match=r"^terminal: state \(1, 0\): found nan: use a finite reward$"):
        mdpsolve.solve(pairs, horizon=2, terminal=lambda s: float("nan") if s[0] else 0.0)
    with pytest.raises(ValueError, match="give a policy as policy=…"):
        mdpsolve.evaluate(pairs, lambda s: 0, discount=0.9)
    with pytest.raises(ValueError, match=r"^path: found 3: use a name that ends in .npz$"):
        mdpsolve.solve(pairs, discount=0.9).save(3)
    with pytest.raises(ValueError, match=r"^step: state 0, action 0: found None: use"):
        mdpsolve.Problem(0, [0], lambda s, a: None)
    with pytest.raises(ValueError, match="sum to 0: use a sum of 1; an outcome begins with its probability"):
        mdpsolve.Problem((0, 0), [0], lambda s, a: [((0, 0), 1.0, 2.0)])


def test_a_problem_is_a_file_for_other_tools(tmp_path):
    def step(state, action):
        jobs, worn = state
        later = {"jobs": -jobs, "repairs": float(action == "repair")}
        yield 0.5, (min(jobs + 1, 4), worn or action == "run"), later
        yield 0.5, (max(jobs - (not worn), 0), action == "run" and worn), later

    shop = mdpsolve.Problem(
        (0, False), ["run", "repair"], step, variables=("jobs", "worn"), labels={"full": lambda s: s[0] == 4}
    )
    shop.save(tmp_path / "shop.umb")
    best = mdpsolve.solve(shop, criterion="average")
    read = mdpsolve.solve(tmp_path / "shop.umb", criterion="average", sense="max", reward="jobs")
    assert read.value[0] == pytest.approx(best.value[0, False], rel=1e-12)
    shop.save(tmp_path / "shop.json")
    text = json.loads((tmp_path / "shop.json").read_text())
    assert text["state_variables"] == "(jobs,worn)" and text["reward_models"] == ["jobs", "repairs"]
    assert {action["name"] for state in text["states"] for action in state["actions"]} == {"run", "repair"}
    with pytest.raises(ValueError, match=r'^path: ".*shop.txt" is not valid: use a name that ends in .json, .drn'):
        shop.save(tmp_path / "shop.txt")
    full = [s for s, (jobs, _) in enumerate(shop.states) if jobs == 4]
    assert text["labels"]["full"] == full
    assert [state["name"] for state in text["states"]] == [f"({j},{str(w).lower()})" for j, w in shop.states]

    lasting = mdpsolve.Problem(
        0, ["go", "wait"], lambda s, a: [(1, 1 - s, s)], durations=lambda s, a: 1 + (a == "wait")
    )
    lasting.save(tmp_path / "times.json")
    found = mdpsolve.solve(tmp_path / "times.json", criterion="average", sense="max")
    assert found.value[0] == pytest.approx(0.5)
    with pytest.raises(ValueError, match=r"use a name that ends in \.json"):
        lasting.save(tmp_path / "times.umb")


def test_a_number_that_all_states_have():
    """A machine breaks every second day, and is repaired the next for 3: two thirds of days it runs."""
    step = {"run": [(0.5, 0), (0.5, 1)], "down": [(1.0, 0)]}
    machine = mdpsolve.Problem(
        0, lambda s: ["run"] if s == 0 else ["down"], lambda s, a: [(p, j, 3 * s) for p, j in step[a]]
    )
    answer = mdpsolve.solve(machine, criterion="average", sense="min")
    assert float(answer.gain) == float(answer.value) == pytest.approx(1)
    assert round(answer.gain, 3) == 1 and f"{answer.value:.2f}" == "1.00" and f"{answer.value}" == repr(answer.value)
    with pytest.raises(TypeError, match=r"no number: use \[state\]"):
        float(answer.policy)
    total = mdpsolve.solve(machine, discount=0.9, sense="min")
    with pytest.raises(ValueError, match=r"by state: use \[state\], such as \[0\]"):
        float(total.value)
    limited = mdpsolve.solve(
        mdpsolve.Problem(0, ["a"], lambda s, a: [(1, 0, {"cost": 2, "use": 1})]),
        criterion="average",
        limits={"use": "<=1"},
    )
    assert limited.gain == limited.value == pytest.approx(2)


def test_a_warning_before_max_states(monkeypatch):
    monkeypatch.setattr("mdpsolve._problem.MANY_STATES", 5)
    with pytest.warns(
        UserWarning, match=r"^max_states: found more than 5 states, such as 5: bound them in step, or wait for up to 9$"
    ):
        found = mdpsolve.Problem(0, [1], lambda s, a: [(1, min(s + 1, 7))], max_states=9)
    assert len(found) == 8
    with pytest.warns(UserWarning), pytest.raises(ValueError, match="found more than 9 states"):
        mdpsolve.Problem(0, [1], lambda s, a: [(1, s + 1)], max_states=9)
