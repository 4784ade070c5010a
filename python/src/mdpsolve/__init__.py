"""Markov decision processes, solved with proved bounds: solve(P, R, discount=0.95)."""

from ._command import Record
from ._model import Model, read
from ._solve import Answer, evaluate, solve
from ._tables import refresh, robots, static
from .toolbox import forest

__all__ = ["Answer", "Model", "Record", "evaluate", "forest", "read", "refresh", "robots", "solve", "static"]
