"""Solves constrained decision processes by linear programming with HiGHS (SciPy 1.9 or
later), for TestConstrainedAgainstHiGHS: a list of problems in JSON on standard input,
their optima on standard output, null where there is none.

The variables are the visits x(s,a): discounted by a factor, until a target, or the
long-run shares of steps. For the latter there are further variables y(s,a) for where the
process goes on the way (L.C.M. Kallenberg, Linear Programming and Finite Markovian
Control Problems, 1983; E. Altman, Constrained Markov Decision Processes, 1999).
"""

import json
import sys

import numpy as np
from scipy.optimize import linprog


def solve(problem):
    rows, costs = problem["rows"], np.array(problem["costs"], dtype=float)
    n, m = problem["states"], len(rows)
    target = set(problem.get("target", []))
    average = "discount" not in problem and not target
    beta = problem.get("discount", 1)
    balance = np.zeros((n, m))
    for k, (s, to) in enumerate(rows):
        balance[s, k] += 1
        for j, p in to.items():
            balance[int(j), k] -= beta * p
    start = np.zeros(n)
    start[problem["state"]] = 1
    if average:
        left = np.zeros((n, m))
        for k, (s, _) in enumerate(rows):
            left[s, k] = 1
        equations = np.block([[balance, np.zeros((n, m))], [left, balance]])
        right = np.concatenate([np.zeros(n), start])
        costs = np.hstack([costs, np.zeros((len(costs), m))])
    else:
        columns = [k for k, (s, _) in enumerate(rows) if s not in target]
        inside = [s for s in range(n) if s not in target]
        equations, right, costs = balance[np.ix_(inside, columns)], start[inside], costs[:, columns]
        if problem["state"] in target:
            return 0.0 if all(b >= 0 for b in problem["limits"]) else None
    found = linprog(costs[0], A_ub=costs[1:], b_ub=problem["limits"], A_eq=equations, b_eq=right, method="highs-ds",
                    options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10})
    if found.status == 2:
        return None
    assert found.status == 0, found.message
    return found.fun


print(json.dumps([solve(problem) for problem in json.load(sys.stdin)]))
