"""Markov decision processes, solved with proved bounds: solve(P, R, discount=0.95)."""

from ._answers import ActionValues, Answer, Bounded, Distribution, Mixture, Simulation, TradeOff
from ._command import Record
from ._model import Model, read
from ._solve import check, distribution, evaluate, simulate, solve
from ._tables import refresh, robots, static
from .toolbox import forest

__all__ = [
    "ActionValues",
    "Answer",
    "Bounded",
    "Distribution",
    "Mixture",
    "Model",
    "Record",
    "Simulation",
    "TradeOff",
    "check",
    "distribution",
    "evaluate",
    "forest",
    "read",
    "refresh",
    "robots",
    "simulate",
    "solve",
    "static",
]
