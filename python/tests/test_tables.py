"""Robots, fixed numbers of robots and page refresh."""

from fractions import Fraction

import numpy as np
import pytest

import mdpsolve

QUEUE = {"lambda_": Fraction(1, 10), "mu": 1, "gamma": 1.4, "buffer": 5}


def test_robots_and_static():
    best, fixed = mdpsolve.robots(robots=16, **QUEUE), mdpsolve.static(**QUEUE)
    assert best.status == "converged"
    assert best.curve_departure == [5, 5, 5, 5, 5, 5, 5, 4, 4, 3, 3, 3, 2, 2, 1, 1, -1]  # of the paper
    assert (fixed.robots, round(fixed.cost, 4), round(best.cost, 4)) == (10, 0.4, 0.2592)
    rows = mdpsolve.robots("sweep", over="gamma", from_=0.5, to=2, steps=4, robots=16, lambda_="1/10", mu=1, buffer=5)
    assert [row.gamma for row in rows] == [0.5, 1, 1.5, 2]
    pytest.importorskip("pandas")
    assert rows.frame().gamma.tolist() == [0.5, 1, 1.5, 2]
    fewer = mdpsolve.static("sweep", over="gamma", from_=0.5, to=2, steps=4, lambda_="1/10", mu=1, buffer=5)
    assert len(fewer.frame()) == len(fewer) == 4
    both = mdpsolve.robots(class_=["8@1/20", "4@0.2"], buffer=5, mu=np.float64(1), gamma=1.4)
    assert both.status == "converged"
    with pytest.raises(ValueError, match=r"^lambda_: -1 is not valid: use a number above 0$"):
        mdpsolve.static(**QUEUE | {"lambda_": -1})
    with pytest.raises(AttributeError, match="no member costs"):
        _ = fixed.costs


def test_verbs_are_words():
    for verb in (None, 3, "", "--help", "solve --robots"):
        with pytest.raises(ValueError, match=r"^verb: .* is not valid: use a verb of mdpsolve robots"):
            mdpsolve.robots(verb, **QUEUE)
    with pytest.raises(ValueError, match=r'^"rest" is not a verb'):
        mdpsolve.robots("rest", **QUEUE)
    assert mdpsolve.robots(robots=4, quiet=True, **QUEUE).cost == mdpsolve.robots(robots=4, quiet=False, **QUEUE).cost


def test_refresh_of_tables(tmp_path):
    pd = pytest.importorskip("pandas")
    pages = pd.DataFrame({"id": ["007", "news", "about"], "change_rate": [4, 20, 0.05], "weight": [10, 3, 1]})
    rates = mdpsolve.refresh(pages, bandwidth=10)
    assert rates["id"].tolist() == ["007", "news", "about"]
    np.testing.assert_allclose(rates["rate"], [9.627, 0, 0.373], atol=5e-4)
    assert rates.attrs["answer"].status == "converged"
    pages.to_csv(tmp_path / "pages.csv", index=False)
    answer = mdpsolve.refresh(tmp_path / "pages.csv", bandwidth=10)
    assert answer.value == rates.attrs["answer"].value
    slots = mdpsolve.refresh(rates, "schedule", length=50)
    assert len(slots) == 50
    history = pd.DataFrame({"id": ["a", "a", "a"], "time": [0, 1, 3], "changed": [0, 1, 0]})
    assert mdpsolve.refresh(history, "estimate")["change_rate"][0] > 0
    with pytest.raises(ValueError, match=r"^pages") as fault:
        mdpsolve.refresh(pages.assign(weight=[1, "x", 2]), bandwidth=10, strict=True)
    assert "/" not in str(fault.value)
    for table, text in (
        (pages[:0], "pages: the table has no page"),
        (pages.assign(change_rate=-1), "pages: the table has no page"),
        (pages[["id"]], "pages:1:1: found no column change_rate"),
    ):
        with pytest.raises(ValueError) as fault:
            mdpsolve.refresh(table, bandwidth=10)
        assert str(fault.value).startswith(text) and "/" not in str(fault.value)
    for wrong in ([1], pages["id"], 3):
        with pytest.raises(TypeError, match=r"^pages: found"):
            mdpsolve.refresh(wrong, bandwidth=10)
    with pytest.raises(ValueError, match=r"^input: leave it out"):
        mdpsolve.refresh(pages, input="other.csv", bandwidth=10)
    assert mdpsolve.refresh(input=tmp_path / "pages.csv", bandwidth=10).value == answer.value
    assert mdpsolve.refresh(pages, bandwidth=10, out=tmp_path / "own.csv").value == answer.value
    assert pd.read_csv(tmp_path / "own.csv", dtype={"id": str})["id"].tolist() == ["007", "news", "about"]
    before = pages.assign(rate=[1, 2, 3], id=pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-03"]))
    np.testing.assert_allclose(mdpsolve.refresh(before, bandwidth=10)["rate"], rates["rate"])


def test_pictures():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    best = mdpsolve.robots(robots=16, **QUEUE)
    ax = best.plot()
    departure, arrival = ax.lines
    np.testing.assert_array_equal(departure.get_ydata(), best.curve_departure[:-1])  # 16 are active: none is idle
    np.testing.assert_array_equal(arrival.get_ydata(), best.curve_arrival[1:])  # none is active: none delivers
    assert list(arrival.get_xdata()) == list(range(1, 17))
    phases = mdpsolve.robots(robots=16, service="erlang:2", **QUEUE)
    drawn = {line.get_label(): list(line.get_ydata()) for part in phases.plot() for line in part.lines}
    second = phases.curve_arrival_by_phase[1][1:]
    assert 0 in second  # no service is going on at an empty queue: in phase 2 that is never
    assert drawn == {
        "at a departure: activate a robot": phases.curve_departure_by_phase[1][:-1],
        "at an arrival, phase 1: send it out again": phases.curve_arrival_by_phase[0][1:],
        "at an arrival, phase 2: send it out again": [x or -1 for x in second],
    }
    assert phases.threshold and phases.plot()[0].figure.get_suptitle() == "an empty queue is drawn in phase 1"
    lasting = "hyperexponential:0.9@0.5,0.1@5.5"  # whose best policy has exceptions below its curves
    partly = mdpsolve.robots(robots=14, lambda_="1/4", mu=2, gamma=3, buffer=8, service=lasting)
    assert not partly.threshold
    assert partly.plot()[0].figure.get_suptitle().startswith("the curves do not describe the whole policy\n")
    assert partly.plot(matplotlib.pyplot.subplots()[1]).get_title().startswith("the curves do not describe")
    assert ax.get_title() == ""  # where they do
    classes = mdpsolve.robots(class_=["2@0.1", "3@0.05"], **{k: v for k, v in QUEUE.items() if k != "lambda_"})
    with pytest.raises(ValueError, match="for one class of robots"):
        classes.plot()
    widths = [line.get_linewidth() for line in phases.plot(matplotlib.pyplot.subplots()[1]).lines]
    assert widths == sorted(set(widths), reverse=True)  # none hides another
    answer = mdpsolve.solve(*mdpsolve.forest(50), discount=0.9)
    drawn = answer.plot(ax=matplotlib.pyplot.subplots()[1])
    assert sum(len(line.get_xdata()) for line in drawn.lines) == 50
    with pytest.raises(ValueError, match="no switching curve"):
        mdpsolve.static(**QUEUE).plot()


def test_pictures_of_sweeps():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    sweep = mdpsolve.robots("sweep", over="gamma", from_=1, to=2, steps=3, robots=4, **without("gamma"))
    best, fixed = sweep.plot().lines
    assert list(best.get_xdata()) == [1, 1.5, 2] and list(best.get_ydata()) == [row.gain for row in sweep]
    assert list(fixed.get_ydata()) == [row.static_cost for row in sweep]
    several = mdpsolve.static("sweep", over="gamma", from_=1, to=2, steps=3, **without("gamma", buffer="3,5"))
    assert [line.get_label() for line in several.plot().lines] == [f"best fixed number, buffer {k}" for k in (3, 5)]
    ratio = mdpsolve.static("sweep", over="ratio", from_=1, to=2, steps=3, **without("lambda_"))
    assert [len(line.get_xdata()) for line in ratio.plot().lines] == [3]
    limit = mdpsolve.robots("sweep", over="max-loss", from_=0.1, to=0.2, steps=2, robots=4, **without("gamma"))
    assert limit.plot().get_xlabel() == "max_loss"
    with pytest.raises(ValueError, match="no sweep to draw"):
        type(sweep)([]).plot()


def without(name, **more):
    return {k: v for k, v in QUEUE.items() if k != name} | more
