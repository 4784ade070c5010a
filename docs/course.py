"""The solutions of the exercises in course.md, in Python."""

import mdpsolve
import pandas as pd


# Admission: a server, in continuous time: rates, next states, rewards.
def hour(n, action):
    return [(1, n + 1, 8)] * (action == "admit") + [(1.5, n - 1)] * (n > 0)


queue = mdpsolve.Problem(
    0, lambda n: ["admit", "refuse"] if n < 6 else ["refuse"], hour, reward=lambda n, _: -n, rates=True
)
answer = mdpsolve.solve(queue, criterion="average")
admitted = sum(answer.policy[n] == "admit" for n in range(7))
print(f"admission: admit up to {admitted}, {answer.value[0]:.4f} an hour")


# Repair: a machine that wears.
def day(wear, action):
    if action == "repair":
        return [(1, 0, 10)]
    return [(0.6, wear, wear), (0.4, min(wear + 1, 4), wear)]


answer = mdpsolve.solve(mdpsolve.Problem(0, ["run", "repair"], day), criterion="average", sense="min")
first = next(wear for wear in range(5) if answer.policy[wear] == "repair")
print(f"repair: from wear {first}, {answer.value[0]:.4f} a day")


# Inventory: a shelf for four.
def week(stock, order):
    for wanted, p in enumerate([0.25, 0.5, 0.25]):
        sold = min(stock + order, wanted)
        left = stock + order - sold
        yield p, left, 5 * sold - 2 * order - 2 * min(order, 1) - left / 2


answer = mdpsolve.solve(mdpsolve.Problem(0, lambda stock: range(5 - stock), week), criterion="average")
orders = " ".join(str(answer.policy[stock]) for stock in range(5))
print(f"inventory: order by stock [{orders}], {answer.value[0]:.4f} a week")

# Shortest path: from home to work.
roads = {
    "home": {"bridge": [(1, "bridge", 10)], "ring": [(1, "ring", 15)]},
    "bridge": {"wait": [(2 / 3, "work", 10), (1 / 3, "bridge", 10)], "ring": [(1, "ring", 5)]},
    "ring": {"drive": [(1, "work", 12)]},
    "work": {"stay": [(1, "work", 0)]},
}
problem = mdpsolve.Problem("home", lambda place: list(roads[place]), lambda place, road: roads[place][road])
answer = mdpsolve.solve(problem, target=["work"], sense="min")
print(f"path: by the {answer.policy['home']}, {answer.value['home']:.4f} minutes")

# Robots: a fixed number, and switched on and off.
parameters = {"lambda_": 1 / 2, "mu": 1, "gamma": 1.4, "buffer": 3}
fixed, switched = mdpsolve.static(**parameters), mdpsolve.robots(robots=4, **parameters)
print(f"robots: {fixed.robots} fixed cost {fixed.cost:.4f}, switched {switched.cost:.4f}")

# Refresh: three pages, three accesses a day.
pages = pd.DataFrame({"id": ["a", "b", "c"], "change_rate": [0.2, 1, 20]})
found = mdpsolve.refresh(pages, bandwidth=3)
rates = " ".join(f"{rate:.4f}" for rate in found["rate"])
print(f"refresh: rates [{rates}], freshness {found.attrs['answer']['value'] / 3:.4f}")
