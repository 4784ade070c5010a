"""Writes constrained.csv: least starvation under a limit on losses, and least
losses under a limit on starvation, by linear programming with HiGHS (scipy 1.9
or later) over the long-run shares of time of states and decisions.

    python3 constrained.py > constrained.csv

A state is the number of pages q in the system and the number r of active robots
just after a decision. In it one decides what is done at the next departure
(activate a robot or not) and at the next arrival (send the robot out again or
not). The chain is in continuous time: the flow into each state equals that out.
"""

import numpy as np
from scipy.optimize import linprog


def decisions(N, K, q, r):
    departures = [0]
    if q > 0 and r < N:
        departures = [1] if q == 1 and r == 0 else [0, 1]
    arrivals = [0, 1] if r > 0 else [0]
    return [(d, a) for d in departures for a in arrivals]


def program(N, K, lam, mu):
    """Returns the balance equations, the starvation and the losses of columns."""
    states = [(q, r) for q in range(K + 1) for r in range(N + 1) if q + r > 0]
    index = {s: i for i, s in enumerate(states)}
    columns = [(s, c) for s in states for c in decisions(N, K, *s)]
    A = np.zeros((len(states) + 1, len(columns)))
    starved, lost = np.zeros(len(columns)), np.zeros(len(columns))
    for j, ((q, r), (d, a)) in enumerate(columns):
        A[-1, j] = 1
        starved[j] = q == 0
        lost[j] = r * lam if q == K else 0

        def flow(rate, target):
            A[index[q, r], j] -= rate
            A[index[target], j] += rate

        if q > 0:
            flow(mu, (q - 1, r + d))
        if r > 0:
            flow(r * lam, (min(q + 1, K), r if a else r - 1))
    return A, starved, lost


def least(A, objective, limit, most):
    """Returns the least of an objective under limit·x <= most."""
    b = np.zeros(A.shape[0])
    b[-1] = 1
    found = linprog(objective, A_ub=None if limit is None else [limit], b_ub=None if limit is None else [most],
                    A_eq=A, b_eq=b, method="highs-ds",
                    options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10})
    assert found.status == 0, found.message
    return found.fun


def main():
    random = np.random.default_rng(20261122)
    print("robots,buffer,lambda,mu,limit,most,least")
    written = 0
    while written < 120:
        N, K = int(random.integers(2, 7)), int(random.integers(2, 9))
        lam, mu = (float(f"{np.exp(random.normal()):.3g}") for _ in range(2))
        A, starved, lost = program(N, K, lam, mu)
        s_least = least(A, starved, None, 0)
        l_most = least(A, lost, starved, s_least + 1e-6)
        s_most = least(A, starved, lost, 1e-9)
        share = random.uniform(0.05, 0.95)
        kind = ["loss-rate", "loss-share", "starvation"][written % 3]
        if s_most - s_least < 1e-4 or l_most < 1e-4:
            continue  # the limit would not bind
        if kind == "loss-rate":
            most = share * l_most
            value = least(A, starved, lost, most)
        elif kind == "loss-share":
            most = share * l_most / (l_most + mu * (1 - s_least))
            value = least(A, starved, (1 - most) * lost + most * mu * starved, most * mu)
        else:
            most = s_least + share * (s_most - s_least)
            value = least(A, lost, starved, most)
        print(f"{N},{K},{lam!r},{mu!r},{kind},{float(most)!r},{float(value)!r}")
        written += 1


main()
