"""What pictures show: the numbers that are drawn, and the colours that tell actions apart."""

import numpy as np
import pytest

import mdpsolve
from mdpsolve._plot import colours

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def close():
    yield
    matplotlib.pyplot.close("all")


def trade(n=24, actions=range(16)):
    """A stock and a price that move; an action is an order, or a name for one."""
    worth = dict(zip(actions, range(len(actions)), strict=True))

    def step(state, action):
        stock, price = state
        order = worth[action]
        return [
            (0.25, (min(max(stock + order - d, 0), n), min(max(price + e, 0), n)), -abs(stock - 12) - 0.3 * order)
            for d in (0, 3)
            for e in (-1, 1)
        ]

    return mdpsolve.Problem((12, 12), list(actions), step, variables=("stock", "price"))


def seasons():
    def step(state, order):
        stock, season = state
        return [(0.5, (max(stock + order - d, 0), "ab"["ba".index(season)]), 3 * min(stock, d) - order) for d in (0, 2)]

    return mdpsolve.Problem((0, "a"), lambda s: range(6 - s[0]), step, variables=("stock", "season"))


def test_lines_over_one_variable():
    answer = mdpsolve.solve(seasons(), discount=0.9)
    ax = answer.plot()
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["season a", "season b"]
    for line, season in zip(ax.lines, "ab", strict=True):
        x, y = line.get_data()
        assert (np.diff(x) > 0).all()
        np.testing.assert_array_equal(y, [answer.value[stock, season] for stock in x])
    ax = answer.plot(show="policy")
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), [answer.policy[x, "a"] for x in ax.lines[0].get_xdata()])
    assert ax.lines[0].get_drawstyle() == "steps-mid" and ax.get_ylabel() == "action"
    ax = answer.plot(over="season", where={"stock": 0})
    assert [text.get_text() for text in ax.get_xticklabels()] == ["a", "b"] and ax.get_title() == "stock 0"
    average = mdpsolve.solve(seasons(), criterion="average")
    for ax in average.plot(), average.plot(show="value"):  # the average itself is one number
        assert ax.get_ylabel() == "relative value"
        x, y = ax.lines[0].get_data()
        np.testing.assert_array_equal(y, [average.relative_value[stock, "a"] for stock in x])
    parts = [np.array([[1.0, 0.0], [0.0, 1.0]])]
    apart = mdpsolve.solve(parts, np.array([[1.0], [2.0]]), criterion="average").plot()
    assert apart.get_ylabel() == "average value" and list(apart.lines[0].get_ydata()) == [1, 2]


def test_bounds_that_are_wide_are_drawn():
    P, R = mdpsolve.forest(50)
    answer = mdpsolve.solve(P, R, discount=0.9, max_iterations=2, method="value-iteration")
    band = answer.plot().collections[0].get_paths()[0].vertices
    assert band[:, 1].min() == answer.lower.min() and band[:, 1].max() == answer.upper.max()


def cells(ax):
    """What each cell of a map shows, and its colour."""
    mesh = ax.collections[0]
    return mesh.get_array(), mesh.to_rgba(mesh.get_array())


def test_maps_over_two_variables():
    problem = trade()
    answer = mdpsolve.solve(problem, discount=0.9)
    values, _ = cells(answer.plot())
    for (stock, price), value in answer.value.items():
        assert values[price, stock] == value
    _, colour = cells(answer.plot(show="policy"))
    by_action = {}
    for (stock, price), action in answer.policy.items():
        by_action.setdefault(action, set()).add(tuple(colour[price, stock]))
    assert len(by_action) > 10
    assert all(len(one) == 1 for one in by_action.values())  # an action has one colour
    assert len({one for of in by_action.values() for one in of}) == len(by_action)  # and no other has it
    names = mdpsolve.solve(trade(actions=["wait", "one", "two"]), discount=0.9).plot(show="policy")
    bar = names.figure.axes[1]
    assert {text.get_text() for text in bar.get_yticklabels()} <= {"wait", "one", "two"}


@pytest.mark.parametrize("count", [1, 10, 11, 20, 21, 60])
def test_colours_are_different(count):
    found = np.array([colour[:3] for colour in colours(count)])
    assert len(found) == count
    apart = np.abs(found[:, None] - found[None]).sum(axis=2) + np.eye(count)
    assert apart.min() > 0.02


def test_pictures_of_other_answers():
    walk = mdpsolve.Problem(0, ["go"], lambda s, a: [(0.5, s + 1, 1, s == 2), (0.5, s, 1)])
    found = mdpsolve.distribution(walk, x="0:20:1", target=2)
    ax = found.plot()
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), found.at_most.value)
    assert "mean 4" in ax.get_legend().get_texts()[0].get_text()


def test_steps_of_a_horizon_are_a_variable():
    found = mdpsolve.solve(*mdpsolve.forest(4), horizon=3, step_values=True)
    shown, _ = cells(found.plot(show="policy"))
    np.testing.assert_array_equal(shown.T, found.policies)
    np.testing.assert_array_equal(
        found.plot(over="step", where={"state": 2}).lines[0].get_ydata(), found.step_values.value[:3, 2]
    )
    plain = mdpsolve.solve(*mdpsolve.forest(4), horizon=3)
    assert plain.plot(show="policy", over="state").get_title() == "step 1" == plain.plot().get_title()
    with pytest.raises(ValueError, match="no values of steps: ask for them with step_values=True"):
        plain.plot(over=("step", "state"))


def test_a_policy_within_limits():
    # A fast step has a risk of 1 and saves 2; a quarter of the steps may be fast.
    P = mdpsolve.Problem(
        0, ["safe", "fast"], lambda s, a: [(1, 0, {"cost": 3 - 2 * (a == "fast"), "risk": a == "fast"})]
    )
    found = mdpsolve.solve(P, reward="cost", sense="min", criterion="average", limits={"risk": "<=1/4"})
    ax = found.plot()
    assert [text.get_text() for text in ax.texts] == ["75%"]
    assert ax.get_yticklabels()[0].get_text() == "safe"
    steps = mdpsolve.solve(P, reward="cost", sense="min", horizon=4, limits={"risk": "<=1"})
    assert steps.plot(over="step").get_xlabel() == "step"
    assert found.plot(show="policy").get_ylabel() == "likeliest action"
    # Over two variables it shows the first step, as an answer without limits does; over one, all steps.
    wide = mdpsolve.solve(trade(n=3, actions=range(3)), horizon=3, limits={"reward": ">=-1000"})
    first = wide.plot()
    assert first.get_title() == "step 1" and (first.get_xlabel(), first.get_ylabel()) == ("stock", "price")
    np.testing.assert_array_equal(cells(first)[0], cells(wide.plot(where={"step": 1}))[0])
    assert wide.plot(where={"stock": 3}).get_xlabel() == "step"
    with pytest.raises(ValueError, match="show: found 'value': a policy within limits is all there is to draw"):
        found.plot(show="value")
    with pytest.raises(ValueError, match="policy: found 7: use a number from 0 to"):
        found.plot(policy=7)


@pytest.mark.parametrize(("options", "text"), [
    ({"show": "bounds"}, "show: 'bounds' is not valid: use one or several of value, policy, relative_value"),
    ({"show": 3}, "show: found 3: use one or several of value"),
    ({"show": []}, "show: [] is not valid: use one or several of value"),
    ({"show": "relative_value"}, "show: a discounted value has no relative values"),
    ({"over": "time"}, "over: found no variable 'time': use one of stock, price"),
    ({"over": ["stock", "price", "stock"]}, "over: found 3 variables: use one or two"),
    ({"where": {"price": [1, 2]}}, "where: found [1, 2] for price: use one of its values"),
    ({"over": "stock"}, "over: found 2 variables: choose over=, and a value of others, as in where={'price': "),
    ({"where": {"time": 1}}, "where: found no variable 'time'"),
    ({"where": 3}, "where: found 3: use values by variable"),
    ({"where": {"stock": 1, "price": 2}}, "where: found values for all variables: leave one or two out"),
    ({"over": 3}, "over: found 3: use the names"),
    ({"over": "stock", "where": {"price": 2}, "ax": 3}, "ax: found 3: use axes of matplotlib"),
    ({"show": "value,policy", "ax": "axes"}, "ax: found axes beside show='value,policy'"),
    ({"where": {"stock": 99}}, "where: found no state with {'stock': 99}"),
])  # fmt: skip
def test_faults_of_pictures(options, text):
    answer = mdpsolve.solve(trade(), discount=0.5)
    if options.get("ax") == "axes":
        options = options | {"ax": matplotlib.pyplot.subplots()[1]}
    with pytest.raises(ValueError) as fault:
        answer.plot(**options)
    assert str(fault.value).startswith(text)


def test_pictures_are_saved(tmp_path):
    answer = mdpsolve.solve(seasons(), discount=0.9)
    value, policy = answer.plot(tmp_path / "both.png", show="value, policy", where={"season": "a"})
    assert (tmp_path / "both.png").read_bytes()[:4] == b"\x89PNG"
    assert value.get_ylabel() == "discounted value" and policy.get_ylabel() == "action"
    assert len(answer.plot(show=("value", "policy"), where={"season": "a"})) == 2
    answer.plot(str(tmp_path / "one.svg"), over="stock", where={"season": "a"})
    assert b"<svg" in (tmp_path / "one.svg").read_bytes()


def test_notebooks_show_a_table():
    shown = mdpsolve.solve(seasons(), discount=0.9)._repr_html_()
    assert shown.count("<tr>") == 11 and "more states" in shown and "&lt;discounted" in shown
    assert mdpsolve.solve(*mdpsolve.forest(), discount=0.9)._repr_html_().count("<tr>") == 4


def test_names_have_one_order_in_legend_axis_and_map():
    seasons = ("quiet", "busy", "normal")

    def step(s, a):
        return [(1 / 3, ((s[0] + 1) % 4, season), len(season)) for season in seasons]

    answer = mdpsolve.solve(mdpsolve.Problem((0, "quiet"), ["go"], step, variables=("stock", "season")), horizon=3)
    lines = answer.plot(over="stock")
    legend = [text.get_text() for text in lines.get_legend().get_texts()]
    assert legend == ["season busy", "season normal", "season quiet"]
    assert lines.get_ylabel() == "value over the horizon"
    axis = answer.plot(over="season", where={"stock": 0})
    assert [text.get_text() for text in axis.get_xticklabels()] == ["busy", "normal", "quiet"]
    regions = answer.plot(over=("stock", "season"))
    assert [text.get_text() for text in regions.get_yticklabels()] == ["busy", "normal", "quiet"]
    low, high = regions.get_ylim()
    assert low > high  # from above, as the legend
