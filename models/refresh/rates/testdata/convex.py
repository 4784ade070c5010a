"""Solves rate problems with limits by SciPy's SLSQP: JSON problems in, values out."""

import json
import sys

import numpy as np
from scipy.optimize import minimize


# Each objective as a cost and its gradient, from the definitions.
def fixed_order(x, c, w):
    z = c / x
    return -(w * -np.expm1(-z) / z).sum(), -(w / c) * (1 - np.exp(-z) * (1 + z))


def random(x, c, w):
    return -(w * x / (x + c)).sum(), -w * c / (x + c) ** 2


def age(x, c, w):
    z = c / x
    value = w * (1 / (2 * x) - 1 / c + x / c**2 * -np.expm1(-z))
    return value.sum(), -w * (1 / (2 * x**2) - (1 - np.exp(-z) * (1 + z)) / c**2)


def harmonic(x, c, w):
    return (w * np.log1p(c / x)).sum(), -w * c / (x * (x + c))


COSTS = {"fixed-order": fixed_order, "random": random, "age": age, "harmonic": harmonic}


def solve(p):
    c, w = np.array(p["Changes"]), np.array(p["Weights"])
    cost, minimizes = COSTS[p["Objective"]], p["Objective"] in ("age", "harmonic")
    tiny = 1e-9 if minimizes else 1e-14  # no division by 0
    low, high = np.maximum(p["Least"], tiny), np.maximum(p["Most"], tiny)
    rows, limits = [np.ones(len(c))], [p["Bandwidth"]]
    for host, cap in enumerate(p["Caps"] or []):
        rows.append((np.array(p["Hosts"]) == host).astype(float))
        limits.append(cap)
    rows, limits = np.array(rows), np.array(limits)
    share = 1.0  # of the way from the least to the greatest rates that all limits allow
    for row, limit in zip(rows, limits):
        if row @ (high - low) > 0:
            share = min(share, (limit - row @ low) / (row @ (high - low)))

    # Costs that are infinite at rate 0 are easier in the logarithm of the rates.
    rate, slope, inverse = (np.exp, np.exp, np.log) if minimizes else (lambda u: u, np.ones_like, lambda x: x)

    def objective(u):
        x = np.clip(rate(u), low, high)
        value, gradient = cost(x, c, w)
        return value, gradient * slope(u)

    best = np.inf
    for part in (0.999, 0.5, 0.1):
        x = low + part * max(share, 0) * (high - low)
        best = min(best, cost(x, c, w)[0])
        for _ in range(4):
            found = minimize(
                objective, inverse(x), jac=True, method="SLSQP", bounds=list(zip(inverse(low), inverse(high))),
                constraints={
                    "type": "ineq",
                    "fun": lambda u: limits - rows @ np.clip(rate(u), low, high),
                    "jac": lambda u: -rows * slope(u),
                },
                options={"maxiter": 2000, "ftol": 1e-16},
            )
            if not np.isfinite(found.x).all():
                break
            x = np.clip(rate(found.x), low, high)
            for row, limit in zip(rows, limits):  # back into the limits, if rounding has left them
                if (over := row @ x - limit) > 0 and (room := row @ (x - low)) > 0:
                    x = np.where(row > 0, x - min(1, over / room) * (x - low), x)
            best = min(best, cost(x, c, w)[0])
    return best if minimizes else -best


print(json.dumps([solve(p) for p in json.load(sys.stdin)]))
