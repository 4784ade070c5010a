"""Answers as tables of pandas, which is imported only here, and in notebooks."""

from __future__ import annotations

import html as markup
from typing import Any

import numpy as np

MOST_ROWS = 10  # of a table in a notebook


def variables_of(answer: Any, states: int) -> dict[str, Any]:
    """The variables of states by name; without any, the numbers of so many states."""
    names = answer.asked.model.names
    return {"state": np.arange(states)} if names is None else dict(names.variables)


def shares_of(mixture: Any) -> Any:
    """The probabilities of actions as one array: by policy, step of a finite horizon, state and action."""
    return np.asarray([np.asarray(one) for one in mixture.probabilities])


def action_names(answer: Any) -> list[Any] | None:
    """The actions of a problem by number; None if numbers are all there is."""
    names = answer.asked.model.names
    return None if names is None else list(names.actions)


def columns(answer: Any, first: int | None = None) -> dict[str, Any]:
    """The columns of a table with a row for each state, or for the first few."""
    n = len(answer.value) if first is None else min(first, len(answer.value))
    made = {name: array[:n] for name, array in variables_of(answer, len(answer.value)).items()}

    def add(name: str, array: Any) -> None:
        if name in made:
            raise ValueError(f"frame: found two columns {name!r}: rename the variable or the label")
        made[name] = array[:n]

    for name, mask in answer.asked.marks.labels.items():
        add(name, mask)
    add("value", answer.value)
    add("lower", answer.lower)
    add("upper", answer.upper)
    if answer.relative_value is not None:
        add("relative_value", answer.relative_value)
    if len(answer.policy):
        add("action", answer.policy)
        if (actions := action_names(answer)) is not None:
            made["action"] = named(answer.policy[:n], actions)
    return made


def named(numbers: Any, actions: list[Any]) -> Any:
    """Actions for their numbers."""
    if all(isinstance(one, (int, np.integer)) and not isinstance(one, bool) for one in actions):
        return np.array(actions)[numbers]
    made = np.empty(len(numbers), object)
    for i, a in enumerate(numbers.tolist()):
        made[i] = actions[a]
    return made


def of(answer: Any) -> Any:
    """A table with a row for each state; with the values of each step, for each step and state."""
    import pandas as pd

    table = pd.DataFrame(columns(answer))
    if "step_values" not in answer.details and not hasattr(answer, "steps"):
        return table
    values, steps = answer.step_values, []
    actions = action_names(answer)
    for t, bounds in enumerate(zip(*values, strict=True)):
        one = table.assign(**dict(zip(("value", "lower", "upper"), bounds, strict=True)))
        if answer.policies is not None and t < len(answer.policies):
            numbers = answer.policies[t]
            one["action"] = numbers if actions is None else named(numbers, actions)
        elif "action" in one:
            continue  # the end, where nothing is chosen
        one.insert(0, "step", t + 1)
        steps.append(one)
    return pd.concat(steps, ignore_index=True)


def of_actions(answer: Any) -> Any:
    """A table with a row for each state and action, or for each step, state and action."""
    import pandas as pd

    lower, upper, optimality = (np.asarray(one) for one in answer.action_values)
    names = answer.asked.model.names
    *step, state, action = np.nonzero(optimality != "")
    made: dict[str, Any] = {"step": step[0] + 1} if step else {}
    at = (*step, state, action)
    for name, array in variables_of(answer, len(answer.value)).items():
        made[name] = array[state]
    given = {"action": action if names is None else named(action, list(names.actions))}
    given |= {"lower": lower[at], "upper": upper[at], "optimality": optimality[at]}
    for name, array in given.items():
        if name in made:
            raise ValueError(f"frame: found two columns {name!r}: rename the variable")
        made[name] = array
    return pd.DataFrame(made)


def of_mixture(mixture: Any) -> Any:
    """A table with a row for each policy, step of a finite horizon, state, and action that has a probability."""
    import pandas as pd

    names = mixture.asked.model.names
    shares = shares_of(mixture)
    policy, *step, state, action = np.nonzero(shares)
    made: dict[str, Any] = {"policy": policy, "weight": mixture.weights[policy]}
    if step:
        made["step"] = step[0] + 1
    for name, array in variables_of(mixture, shares.shape[-2]).items():
        if name in made:
            raise ValueError(f"frame: found two columns {name!r}: rename the variable")
        made[name] = array[state]
    made["action"] = action if names is None else named(action, list(names.actions))
    return pd.DataFrame(made | {"probability": shares[shares > 0]})


def html(answer: Any, summary: str) -> str:
    """The summary of an answer and its first states, for a notebook."""
    made = columns(answer, MOST_ROWS)
    rows = zip(*(list(array) for array in made.values()), strict=True)

    def cell(x: Any) -> str:
        return markup.escape(f"{x:.6g}" if isinstance(x, float) else str(x))

    head = "".join(f"<th>{markup.escape(name)}</th>" for name in made)
    body = "".join("<tr>" + "".join(f"<td>{cell(x)}</td>" for x in row) + "</tr>" for row in rows)
    more = len(answer.value) - MOST_ROWS
    rest = f"<p>… and {more} more states</p>" if more > 0 else ""
    return f"<p>{markup.escape(summary)}</p><table><tr>{head}</tr>{body}</table>{rest}"
