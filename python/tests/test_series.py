"""Sweeps, rules and the store: thin calls of the command, beside single questions."""

import datetime

import numpy as np
import pytest

import mdpsolve

pd = pytest.importorskip("pandas")


def test_a_sweep_asks_one_question_for_each_value():
    P, R = mdpsolve.forest(6)
    discounts = np.linspace(0.5, 0.95, 4)
    table = mdpsolve.sweep(
        "discount", discounts, P, R, columns={"wait": lambda answer: int((answer.policy == 0).sum())}
    )
    assert list(table.columns) == ["discount", "value", "lower", "upper", "status", "wait"]
    for row in table.itertuples():
        answer = mdpsolve.solve(P, R, discount=row.discount)
        assert (row.value, row.lower, row.upper) == (answer.value[0], answer.lower[0], answer.upper[0])
        assert row.wait == (answer.policy == 0).sum()
    fires = mdpsolve.sweep("fire", [0.1, 0.3], lambda p: mdpsolve.forest(6, p=p), discount=0.9, initial=3)
    assert fires.value[1] == mdpsolve.solve(*mdpsolve.forest(6, p=0.3), discount=0.9).value[3]
    cuts = {"timber": R, "cuts": np.tile([0, 1], (6, 1))}
    limits = [{"cuts": ">=0.1"}, {"cuts": ">=0.3"}]
    table = mdpsolve.sweep("limits", limits, P, cuts, criterion="average")
    assert table.cuts[1] == pytest.approx(0.3) and table.value[1] < table.value[0]
    assert list(table.columns)[-3:] == ["cuts", "cuts_multiplier", "status"]
    least = mdpsolve.sweep("least", [0.1, 0.3], P, cuts, criterion="average", limits=lambda x: {"cuts": f">={x}"})
    assert least.least.tolist() == [0.1, 0.3] and least.value.tolist() == table.value.tolist()


def test_frames_of_mixtures_and_trade_offs():
    P, R = mdpsolve.forest(4)
    rewards = {"timber": R, "cuts": np.tile([0, 1], (4, 1))}
    mixture = mdpsolve.solve(P, rewards, criterion="average", limits={"cuts": ">=0.2"})
    table = mixture.frame()
    assert list(table.columns) == ["policy", "weight", "state", "action", "probability"]
    for row in table.itertuples():
        assert mixture.probabilities[row.policy, row.state, row.action] == row.probability > 0
    assert table.groupby(["policy", "state"]).probability.sum().tolist() == pytest.approx(
        [1] * 4 * len(mixture.weights)
    )
    steps = mdpsolve.solve(P, rewards, horizon=3, limits={"cuts": ">=0.5"}).frame()
    assert steps.step.max() == 3

    def step(s, a):
        return [(0.1, "new"), (0.9, {"new": "young"}.get(s, "old") if a == "wait" else "new")]

    def reward(s, a):
        timber = {"new": 0, "young": 1, "old": 2}[s] if a == "cut" else 4 * (s == "old")
        return {"timber": timber, "cuts": a == "cut"}

    forest = mdpsolve.Problem("new", ["wait", "cut"], step, reward=reward)
    table = mdpsolve.solve(forest, criterion="average", limits={"cuts": ">=0.2"}).frame()
    assert set(table.state) == {"new", "young", "old"} and set(table.action) == {"wait", "cut"}
    trade = mdpsolve.solve(P, rewards, criterion="average", tradeoff=("cuts", "max"))
    assert list(trade.frame().columns) == ["timber", "cuts", "weight_from", "weight_to"]
    assert trade.frame().cuts.tolist() == trade.other.tolist()


def test_a_sweep_with_a_value_that_no_policy_keeps_to():
    P, R = mdpsolve.forest(4)
    rewards = {"timber": R, "cuts": np.tile([0, 1], (4, 1))}
    asked = {"criterion": "average", "columns": {"weights": lambda answer: len(answer.weights)}}
    table = mdpsolve.sweep("most", [-1, 0.5], P, rewards, limits=lambda most: {"cuts": f"<={most}"}, **asked)
    assert table.status.tolist() == ["infeasible", "converged"]
    columns = ["most", "value", "lower", "upper", "cuts", "cuts_multiplier", "status", "weights"]
    assert list(table.columns) == columns
    assert table.drop(columns=["most", "status"]).isna().all(axis=1).tolist() == [True, False]
    with pytest.raises(ValueError, match=r"^most=0\.5: limits: .*nothing"):
        mdpsolve.sweep("most", [0.5], P, rewards, limits=lambda most: {"nothing": f"<={most}"}, criterion="average")
    with pytest.raises(ValueError, match=r"^parameter: found 'K', which is no argument of solve"):
        mdpsolve.sweep("K", [1], P, R, discount=0.9)
    with pytest.raises(ValueError, match=r"^P: found None for K=1: return a Problem"):
        mdpsolve.sweep("K", [1], lambda K: None, discount=0.9)


def test_what_a_function_of_a_sweep_was_called_with():
    P, R = mdpsolve.forest(4)

    def wrong(x):
        return [][3]

    for call, text in (
        (lambda: mdpsolve.sweep("discount", [0.5], P, R, columns={"x": wrong}), "columns['x'] with discount=0.5"),
        (lambda: mdpsolve.sweep("x", [2], wrong, discount=0.9), "P with x=2"),
        (lambda: mdpsolve.sweep("x", [2], P, R, limits=wrong, discount=0.9), "limits with x=2"),
    ):
        with pytest.raises(IndexError) as fault:
            call()
        assert getattr(fault.value, "__notes__", [text])[0].endswith(text)


def test_bounds_by_the_number_of_iterations():
    P, R = mdpsolve.forest(20)
    table = mdpsolve.sweep("max_iterations", [5, 50], P, R, discount=0.99, method="value-iteration")
    gap = table.upper - table.lower
    assert 0 < gap[1] < gap[0]


def test_rules_name_the_initial_state():
    def step(s, a):
        return [(0.5, (s[0], "high")), (0.5, (1 - s[0], "low"))]

    problem = mdpsolve.Problem(
        (0, "low"), ["a", "b"], step, reward=lambda s, a: s[0] * (a == "b"), variables=("x", "y")
    )
    text = mdpsolve.rules(problem, discount=0.9, initial=(1, "high")).text
    assert text.split("\n")[0].endswith(" from state (1, 'high')")


def test_a_sweep_over_problems():
    def bounded(price):
        def step(stock, order):
            after = min(stock + order, 5)
            return [(0.5, max(after - d, 0), price * min(after, d) - order) for d in (0, 2)]

        return mdpsolve.Problem(0, range(4), step)

    columns = {"order": lambda answer: answer.policy[0]}
    table = mdpsolve.sweep("price", [0.5, 3.0], bounded, discount=0.9, columns=columns)
    assert table.order.tolist()[0] == 0 and table.order.tolist()[1] > 0
    same = mdpsolve.sweep("discount", [0.9], bounded(3.0))
    assert same.value[0] == pytest.approx(table.value[1])


@pytest.mark.parametrize(("call", "text"), [
    (lambda P, R: mdpsolve.sweep("discount", [], P, R), "values: found none"),
    (lambda P, R: mdpsolve.sweep("discount", [0.9], P, R, discount=0.8), "discount: it is the parameter"),
    (lambda P, R: mdpsolve.sweep("limits", [{"r": ">=0"}], P, R, discount=0.8, limits={"r": ">=1"}), "limits: it is"),
    (lambda P, R: mdpsolve.sweep("value", [0.9], lambda x: P, R), "parameter: 'value' is a column"),
    (lambda P, R: mdpsolve.sweep("", [0.9], P, R), "parameter: found ''"),
    (lambda P, R: mdpsolve.sweep("discount", [1.5], P, R), "discount=1.5: discount: 1.5 is not valid"),
    (lambda P, R: mdpsolve.sweep("tradeoff", ["cuts"], P, {"timber": R, "cuts": R}, discount=0.9), "tradeoff: not"),
    (lambda P, R: mdpsolve.rules(P, R, discount=0.9, policy_out="x.txt"), "policy_out: the text of the answer"),
    (lambda P, R: mdpsolve.rules(P, R, discount=0.9, variables={"age": [1]}), "variables: age: found shape (1,)"),
    (lambda P, R: mdpsolve.rules(P, R, discount=0.9, variables={"a,b": [1, 2, 3]}), "variables: found the name 'a,b'"),
    (lambda P, R: mdpsolve.rules(P, R, discount=0.9, variables=3), "variables: found 3: use an array for each"),
    (lambda P, R: mdpsolve.rules(P, R, discount=0.9, variables={"a": [1, np.nan, 2]}), "variables: a: state 1: "),
    (lambda P, R: mdpsolve.rules(P, R, horizon=3), "horizon: not valid for rules"),
    (lambda P, R: mdpsolve.sweep("discount", 0.5, P, R), "values: found 0.5: list"),
    (lambda P, R: mdpsolve.sweep("discount", "0.5", P, R), "values: found '0.5': list"),
    (lambda P, R: mdpsolve.sweep("discount", [0.5], P, R, columns=[len]), "columns: found [<built-in function len>]"),
    (lambda P, R: mdpsolve.sweep("discount", [0.5], P, R, columns={"a": 1}), "columns: found {'a': 1}: use functions"),
    (lambda P, R: mdpsolve.solve(P, R, discount=0.9, tolerance=[]), "tolerance: found []: use one value"),
    (lambda P, R: mdpsolve.robots(robots=[], buffer=5), "robots: found an empty list"),
])  # fmt: skip
def test_faults_name_the_argument(call, text):
    with pytest.raises(ValueError) as fault:
        call(*mdpsolve.forest())
    assert str(fault.value).startswith(text)


def follow(text, state):
    """The action that rules give for the values of the variables of a state."""
    for line in text.splitlines():
        if not line.startswith("#"):
            condition, _, action = line.rpartition(": ")
            condition = condition.removeprefix("else").strip().removeprefix("if ")
            if not condition or eval(condition, {}, state):
                return action
    raise AssertionError(text)


def test_rules_are_the_policy_where_it_goes():
    def step(stock, order):
        after = min(stock + order, 9)
        return [(p, max(after - d, 0), 4 * min(after, d) - order - 2 * (order > 0)) for d, p in ((0, 0.5), (3, 0.5))]

    problem = mdpsolve.Problem(0, range(10), step, variables=["stock"])
    found = mdpsolve.rules(problem, discount=0.9)
    assert isinstance(found.answer, mdpsolve.NamedAnswer)
    reached, left = {0}, [0]
    while left:
        s = left.pop()
        for _, to, _ in step(s, found.answer.policy[s]):
            if to not in reached:
                reached.add(to)
                left.append(to)
    for s in reached:
        assert follow(found.text, {"stock": s}) == str(found.answer.policy[s])
    few = mdpsolve.rules(problem, discount=0.9, max_rules=1)
    assert "1 rule in place of" in few.text and "below the optimum" in repr(few)


def test_rules_over_other_variables():
    P, R = mdpsolve.forest(6, p=0.3)
    age = mdpsolve.rules(P, R, discount=0.5, variables={"age": range(6)})
    assert "if age <= " in age.text
    assert "if state <= " in mdpsolve.rules(P, R, discount=0.5).text
    old = mdpsolve.rules(P, R, discount=0.5, variables={"old": np.arange(6) > 0, "kind": list("abcccd")})
    assert "old" in old.text or "kind" in old.text

    def step(s, a):
        return [(1, "cold" if s == "hot" else "hot", 3 if (s, a) in (("hot", "open"), ("cold", "close")) else 0)]

    names = mdpsolve.rules(mdpsolve.Problem("hot", ["open", "close"], step), discount=0.5)
    assert "state=" in names.text and "open" in names.text and "close" in names.text
    ending = mdpsolve.Problem(2, [1, 2], lambda s, a: [(1, s - 1, -float(a), s == 1)], variables=["left"])
    assert mdpsolve.rules(ending, criterion="total").text.splitlines()[-1] == "1"
    timed = mdpsolve.Problem("hot", ["open", "close"], step, durations=lambda s, a: 1)
    assert "close" in mdpsolve.rules(timed, criterion="average").text


def test_the_store(tmp_path):
    path = tmp_path / "pages.db"
    with pytest.raises(ValueError, match=r"pages.db: no such file: make a store with bandwidth"):
        mdpsolve.Store(path)
    store = mdpsolve.Store(path, bandwidth="10/day")
    pages = pd.DataFrame({"id": ["http://a.example/1", "http://b.example/2", "007"], "weight": [1, 2, 1]})
    assert store.add(pages).added == 3 and store.info().pages == 3
    assert sorted(store.due(10).id) == ["007", "http://a.example/1", "http://b.example/2"]
    assert len(store.due(1)) == 1 and store.due(10, host="a.example").id.tolist() == ["http://a.example/1"]
    at = pd.Timestamp("2026-11-28T10:00:00", tz="Europe/Berlin")
    seen = pd.DataFrame({"id": ["http://a.example/1", "007"], "time": [at, at], "changed": [True, False]})
    assert store.record(seen, now=datetime.datetime(2026, 11, 28, 12)).recorded == 2
    assert store.due(10, now="2026-11-28T09:00:01Z").id.tolist() == ["http://b.example/2"]
    rates = mdpsolve.Store(path).rates()
    assert rates.rate.sum() == pytest.approx(10)
    assert rates.set_index("id").visited["007"] == pd.Timestamp("2026-11-28T09:00:00Z")
    assert rates.visited.isna().sum() == 1
    file = tmp_path / "gone.csv"
    pages[:1].to_csv(file, index=False)
    assert store.remove(file).removed == 1 and store.set(bandwidth="20/day").bandwidth == 20
    assert store.add(pages, new=True).added == 1
    assert store.record(pd.DataFrame({"id": ["007"], "status": [410]})).recorded == 1
    assert "007" not in set(store.rates().id) and "007" in set(store.rates(gone=True).id)
    sitemap = tmp_path / "sitemap.txt"
    sitemap.write_text("https://c.example/\nhttps://C.example:443/#top\n", encoding="utf-8")
    assert store.add(sitemap=sitemap).added == 1 and store.add(sitemap, from_="sitemap").added == 0
    lines = mdpsolve.Store(tmp_path / "urls.db", bandwidth="10/day")
    lines.add(sitemap=sitemap)
    assert lines.due(10, for_="nutch") == ["https://c.example/"]
    lines.backup(tmp_path / "copy.db")
    assert mdpsolve.Store(tmp_path / "copy.db").check().pages == lines.check().pages == 1
    whole = (tmp_path / "copy.db").read_bytes()
    (tmp_path / "copy.db").write_bytes(whole.replace(b"https://c.example/", b"Xttps://c.example/"))
    with pytest.raises(ValueError, match=r"copy.db: the file is damaged: use a backup"):
        mdpsolve.Store(tmp_path / "copy.db").check()


def test_faults_of_the_store(tmp_path):
    store = mdpsolve.Store(tmp_path / "pages.db", bandwidth="10/day")
    at = pd.Timestamp("2026-11-28T10:00:00Z")
    for call, text in (
        (lambda: store.add(pd.DataFrame({"x": [1]})), "pages:1:1: found no column id or url"),
        (lambda: store.add(pd.DataFrame({"id": ["a"], "weight": [-1]})), 'pages:2:3: found "-1"'),
        (lambda: store.record(pd.DataFrame({"id": ["a"]})), "accesses:"),
        (lambda: store.record(pd.DataFrame({"id": ["a", "b"], "time": [at, pd.NaT]})), "accesses: row 1 has no time"),
        (lambda: store.due(-1), "most: -1 is not valid"),
        (lambda: store.due(1, dew=3), "dew: unknown flag"),
    ):
        with pytest.raises(ValueError) as fault:
            call()
        assert str(fault.value).startswith(text) and str(tmp_path) not in str(fault.value)
    with pytest.raises(TypeError, match=r"^pages: found int"):
        store.add(3)
    for wrong in (5, pd.NaT):
        with pytest.raises(TypeError, match=r"^now: found (5|NaT): use a text"):
            store.due(1, now=wrong)
    with pytest.raises(TypeError, match=r"^out: found 'due.csv': leave it out"):
        store.due(1, out="due.csv")
    with pytest.raises(TypeError, match=r"^sitemap: found with pages"):
        store.add(3, sitemap="a.xml")
    with pytest.raises(TypeError, match=r"^path: found 3"):
        mdpsolve.Store(3)


@pytest.mark.parametrize("kind", [np.float32, np.longdouble, object, ">f8"])
def test_numbers_of_any_kind(kind):
    P, R = mdpsolve.forest(5)
    want = mdpsolve.solve(P, R, discount=0.9).value
    got = mdpsolve.solve(P.astype(kind), R.astype(kind), discount=0.9, normalize=True)
    np.testing.assert_allclose(got.value, want, rtol=1e-6)
    R = np.repeat(R.T[:, :, None], 5, axis=2)
    R[1, 0, 0] = R[1, 2, 3] = -np.inf  # the second is on no transition
    answer = mdpsolve.solve(P.astype(kind), R.astype(kind), discount=0.9, normalize=True, action_values=True)
    assert np.isnan(answer.action_values.lower[0, 1]) and not np.isnan(answer.action_values.lower[2, 1])


@pytest.mark.parametrize("kind", [np.int8, np.uint64, bool])
def test_whole_numbers(kind):
    answer = mdpsolve.solve(np.eye(3)[None].astype(kind), np.ones(3, kind), discount=0.5)
    assert answer.value.tolist() == [2, 2, 2]
