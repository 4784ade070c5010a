"""The same question for many values of a parameter."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ._answers import Mixture, TradeOff
from ._command import shown
from ._named import NamedAnswer
from ._problem import Problem
from ._question import Options, with_arguments
from ._solve import solve

if TYPE_CHECKING:
    from typing_extensions import Unpack

ARGUMENTS = {*Options.__annotations__, "P", "R", "limits", "tradeoff", "start_from"}
INFEASIBLE = "limits: no policy keeps to"  # what the command says where no policy does


@with_arguments(Options)
def sweep(
    parameter: str,
    values: Iterable[Any],
    P: Any = None,
    R: Any = None,
    *,
    limits: Mapping[str, str] | Callable[[Any], Mapping[str, str]] | None = None,
    columns: Mapping[str, Callable[[Any], Any]] | None = None,
    **options: Unpack[Options],
) -> Any:
    """A table of pandas with the value from the initial state for each value of a parameter.

    parameter  the name of an argument of solve, such as "discount", or of the function P or limits; for a function of
               one argument, any name
    values     the values of the parameter
    P          as in solve, or a function of a value that returns a Problem, matrices P, or a tuple (P, R)
    limits     as in solve, or a function of a value, as in lambda most: {"loss": f"<={most}"}
    columns    further columns: functions of an answer, as in {"order": lambda answer: answer.policy[0]}

    Other arguments are those of solve. The table has the columns of the parameter, value, lower, upper and status and,
    with limits, those of the value and the multiplier of each. Where no policy keeps within limits, the status is
    "infeasible", and numbers are NaN. Values of max_iterations or time_limit show how bounds close.
    """
    import pandas as pd

    makes = callable(P) and not isinstance(P, Problem)
    if not isinstance(parameter, str) or not parameter:
        raise ValueError(f"parameter: found {shown(parameter)}: use the name of an argument")
    if isinstance(values, str) or not np.iterable(values):
        raise ValueError(f"values: found {shown(values)}: list the values of the parameter")
    if columns is not None and not (isinstance(columns, Mapping) and all(map(callable, columns.values()))):
        raise ValueError(f"columns: found {shown(columns)}: use functions of an answer by name")
    own = {"value", "lower", "upper", "status", *(columns or ())}
    if parameter in own:
        raise ValueError(f"parameter: {shown(parameter)} is a column of the answer: use another name")
    if not makes and not callable(limits) and (parameter in options or (parameter == "limits" and limits)):
        raise ValueError(f"{parameter}: it is the parameter: leave it out")
    if not makes and not callable(limits) and parameter not in ARGUMENTS:
        found = f"found {shown(parameter)}, which is no argument of solve"
        raise ValueError(f"parameter: {found}: use one, or a function P or limits with that argument")
    made_of = called_with(parameter, P, "P") if makes else None
    limits_of = called_with(parameter, limits, "limits") if callable(limits) else None
    rows = []
    asked: dict[str, Any]
    for value in values:
        where = f"{parameter}={shown(value)}"
        model, rewards, asked = P, R, {**options, "limits": limits}
        if limits_of:
            with noted(f"limits with {where}"):
                asked["limits"] = limits_of(value)
        if made_of:
            with noted(f"P with {where}"):
                made = made_of(value)
            if made is None:
                raise ValueError(f"P: found None for {where}: return a Problem, matrices P, or a tuple (P, R)")
            model, rewards = made if isinstance(made, tuple) and len(made) == 2 else (made, R)
        elif not callable(limits):
            asked[parameter] = value
        try:
            answer: Any = solve(model, rewards, **asked)
        except ValueError as fault:
            if not str(fault).startswith(INFEASIBLE):
                raise ValueError(f"{where}: {fault}") from fault
            rows.append(
                {parameter: value, **dict.fromkeys(("value", "lower", "upper"), np.nan), "status": "infeasible"}
            )
            continue
        if isinstance(answer, TradeOff):
            raise ValueError("tradeoff: not valid in a sweep: leave it out")
        row = {parameter: value, **measures(answer)}
        for name, of in (columns or {}).items():
            with noted(f"columns[{name!r}] with {where}"):
                row[name] = of(answer)
        rows.append(row)
    if not rows:
        raise ValueError("values: found none: give one or more")
    return pd.DataFrame(rows, columns=[*max(rows, key=lambda row: len(row))])


@contextmanager
def noted(function: str) -> Iterator[None]:
    """Adds to an error in a function of the user what called it."""
    try:
        yield
    except Exception as fault:
        if hasattr(fault, "add_note"):  # Python 3.11
            fault.add_note(f"mdpsolve.sweep called {function}")
        raise


def called_with(parameter: str, function: Any, argument: str) -> Callable[[Any], Any]:
    """The function of one value: of the parameter that has the name, or of the only one that has to be given."""
    try:
        own = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # of a function in C
        return cast(Callable[[Any], Any], function)
    if any(p.name == parameter and p.kind not in (p.POSITIONAL_ONLY, p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in own):
        return lambda value: function(**{parameter: value})
    needed = [p for p in own if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    takes_one = len(needed) == 1 and needed[0].kind is not inspect.Parameter.KEYWORD_ONLY
    if takes_one or (not needed and any(p.kind is p.VAR_POSITIONAL for p in own)):
        return cast(Callable[[Any], Any], function)
    names = ", ".join(p.name for p in own) or "nothing"
    raise ValueError(f"parameter: {argument} is a function of {names}, not of {parameter}: use one of its arguments")


def measures(answer: Any) -> dict[str, Any]:
    """The value of an answer from the initial state, with its bounds, and what it says about limits."""
    if isinstance(answer, Mixture):
        found: dict[str, Any] = {"value": answer.value, "lower": answer.lower, "upper": answer.upper}
        for limit in answer.limits:
            found |= {limit.reward: limit.value, f"{limit.reward}_multiplier": limit.multiplier}
    else:
        numbers = answer.numbers if isinstance(answer, NamedAnswer) else answer
        i = numbers.details.initial
        ends = ("value", "lower", "upper")
        found = {name: float(np.asarray(getattr(numbers, name))[i]) for name in ends}
    return found | {"status": answer.status}
