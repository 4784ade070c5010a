"""Markov decision processes, solved with proved bounds: solve(P, R, discount=0.95)."""

from ._answers import ActionValues, Answer, Bounded, Distribution, Mixture, Simulation, TradeOff
from ._command import Record
from ._model import Model, read
from ._named import ActionValue, NamedAnswer
from ._problem import Problem
from ._rules import Rules, rules
from ._solve import check, distribution, evaluate, simulate, solve
from ._states import ByState
from ._store import Store
from ._sweep import sweep
from ._tables import Records, refresh, robots, static
from .toolbox import forest

__all__ = [
    "ActionValue",
    "ActionValues",
    "Answer",
    "Bounded",
    "ByState",
    "Distribution",
    "Mixture",
    "Model",
    "NamedAnswer",
    "Problem",
    "Record",
    "Records",
    "Rules",
    "Simulation",
    "Store",
    "TradeOff",
    "check",
    "distribution",
    "evaluate",
    "forest",
    "read",
    "refresh",
    "robots",
    "rules",
    "simulate",
    "solve",
    "static",
    "sweep",
]
