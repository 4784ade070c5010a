"""Markov decision processes, solved with proved bounds.

    import mdpsolve
    answer = mdpsolve.solve(*mdpsolve.forest(), discount=0.9)
    answer.value, answer.policy, answer.check().verdict
"""

from ._command import Record
from ._model import Model, read
from ._solve import Answer, solve
from ._tables import refresh, robots, static
from .toolbox import forest

__all__ = ["Answer", "Model", "Record", "forest", "read", "refresh", "robots", "solve", "static"]
