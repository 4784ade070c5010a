"""Errors name the argument, the state and the action in the user's own labels; verdicts and tables are short."""

import numpy as np
import pytest

import mdpsolve

P, R = mdpsolve.forest()
OWN = mdpsolve.Problem("a", [5, 7], lambda s, a: [(1, s, 1.0)])
PAIR = mdpsolve.Problem((0, 1), ["go"], lambda s, a: [(1, (1 - s[0], s[1]), 1.0)], variables=("x", "y"))


def evaluated(policy, **question):
    return mdpsolve.evaluate(OWN, policy=policy, **(question or {"discount": 0.9}))


def swapped(s, a):
    return [(("b", "c"), 0.5, 1.0), (("b", "d"), 0.5, 1.0)]


@pytest.mark.parametrize("call, text", [
    (lambda: evaluated([7]), "policy: found [7]: use a function of a state, a dict, the policy of an answer"),
    (lambda: evaluated(np.array([7])), "policy: state 'a': found 7: use numbers of actions, from 0 to 1"),
    (lambda: evaluated(lambda s: {5: float("nan")}), "policy: state 'a', action 5: found nan: use a probability"),
    (lambda: evaluated(lambda s: {5: 1.5, 7: -0.5}), "policy: state 'a', action 5: found 1.5: use a probability"),
    (
        lambda: evaluated([lambda s: {5: 1}, lambda s: {5: 0.5, 7: -0.5}], horizon=2),
        "policy: step 2, state 'a', action 7: found -0.5: use a probability",
    ),
    (lambda: evaluated([lambda s: 5] * 2, horizon=3), "policy: found 2 steps: use a policy for each of 3"),
    (lambda: mdpsolve.solve(OWN, horizon=2, terminal=lambda s: "x"), "terminal: state 'a': found 'x': use a finite"),
    (lambda: mdpsolve.solve(OWN, horizon=2, terminal=lambda s: np.nan), "terminal: state 'a': found nan: use a finite"),
    (lambda: mdpsolve.solve(OWN, discount=0.9, terminal=lambda s: 1), "terminal: use it with horizon"),
    (lambda: mdpsolve.solve(OWN, discount=0.9, reward=["x", "y"]), "reward: found ['x', 'y']: use the name of one"),
    (lambda: mdpsolve.solve(P, R, discount=0.9, reward=["x"]), "reward: found ['x']: use the name of one"),
    (lambda: mdpsolve.solve(P, R, discount=[0.9, 0.8]), "discount: found [0.9, 0.8]: use one value; mdpsolve.sweep"),
    (lambda: mdpsolve.solve(np.ones((4, 2, 3, 3)) / 3, R, discount=0.9), "P: found shape (4, 2, 3, 3): use"),
    (lambda: mdpsolve.solve(P, R, discount=0.9, labels={"goal": [9]}), "labels['goal']: entry 0: found 9"),
    (lambda: mdpsolve.solve(P, R, target=[True]), "target: found a mask of shape (1,): use one of 3 states"),
    (lambda: mdpsolve.evaluate(P, R, [0.0, 1.0, 0.0], discount=0.9), "policy: found values of type float64: use whole"),
    (lambda: mdpsolve.evaluate(P, R, lambda s: 0, discount=0.9), "policy: found a function, which is for a Problem"),
    (lambda: mdpsolve.evaluate(P, R, {0: 0}, discount=0.9), "policy: found a dict, which is for a Problem"),
    (lambda: mdpsolve.Problem(("s", 1), lambda s: [s[1]], swapped), "step: state ('s', 1), action 1: found outcome"),
    (
        lambda: mdpsolve.Problem((0, 1), ["go"], lambda s, a: [(1, (1,))], variables=("x", "y")),
        "variables: state (1,) has not the 2 parts of (0, 1): use tuples of one length",
    ),
])  # fmt: skip
def test_messages(call, text):
    with pytest.raises(ValueError) as fault:
        call()
    assert str(fault.value).startswith(text) and "\n" not in str(fault.value)


def test_the_step_that_led_to_a_state_in_which_a_function_fails():
    def step(s, a):
        return [(1.0, None if s == "b" else "b", 0)]

    def actions(s):
        return ["go", len(s)]

    with pytest.raises(TypeError) as fault:
        mdpsolve.Problem("a", actions, step)
    want = "state None, to which step led from state 'b', action 'go'"
    assert getattr(fault.value, "__notes__", [want])[0].endswith(want)


def test_an_interval_is_no_outcome_in_the_wrong_order():
    with pytest.raises(IndexError):
        mdpsolve.Problem(0, lambda s: [[5][s]], lambda s, a: [((0.1, 0.5), 1), ((0.5, 0.9), 0)])


def test_the_state_in_which_a_function_of_a_question_fails():
    def wrong(s):
        return [][0]

    for call, name in (
        (lambda: evaluated(wrong), "policy"),
        (lambda: mdpsolve.solve(OWN, horizon=1, terminal=wrong), "terminal"),
        (lambda: mdpsolve.Problem("a", [5], lambda s, a: [(1, s)], labels={"x": wrong}), "labels['x']"),
    ):
        with pytest.raises(IndexError) as fault:
            call()
        want = f"mdpsolve called {name} with state 'a'"
        assert getattr(fault.value, "__notes__", [want]) == [want]


def test_pictures_refuse_a_variable_that_is_given_twice():
    pytest.importorskip("matplotlib")
    with pytest.raises(ValueError, match=r"^over: found 'x' twice"):
        mdpsolve.solve(PAIR, discount=0.9).plot(over=("x", "x"))


def test_verdicts_are_one_line():
    answer = mdpsolve.solve(P, R, discount=0.9)
    assert repr(answer.check()) == "<holds: bounds holds, values holds, policy holds, status holds>"
    refuted = mdpsolve.check(P, answer.value + 1, R, discount=0.9, tolerance=1e-6)
    assert repr(refuted).startswith("<refuted: ") and "\n" not in repr(refuted)
    assert refuted["verdict"] == "refuted"


def test_a_distribution_is_a_table():
    pytest.importorskip("pandas")
    found = mdpsolve.distribution(OWN, policy=lambda s: 5, x="0:4:1", horizon=2)
    table = found.frame()
    assert list(table.columns)[:4] == ["x", "at_most", "at_most_lower", "at_most_upper"]
    assert table.x.tolist() == [0, 1, 2, 3, 4] and table.above.tolist() == found.above.value.tolist()
