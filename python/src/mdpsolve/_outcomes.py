"""Models whose outcomes earn rewards of their own, as the distribution of a total needs them.

Elsewhere the mean reward of an action is enough.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import numpy as np

from ._model import Indices, Model, Rows, row_of_each
from ._question import Asked, by_step, one_of


def by_outcome(asked: Asked, policy: Any) -> tuple[Asked, Any]:
    """The question about the model in which each outcome earns its own reward, and the policy for its states."""
    model = asked.model.about(str(asked.flags.get("reward", asked.model.reward)))
    if model.reward not in model.outcomes or model.is_uncertain:  # the command refuses an uncertain model
        return asked, policy
    parts = zip(model.rows, model.outcomes[model.reward], strict=True)
    rows = [part._replace(rewards=rewards) for part, rewards in parts]
    made, origin = distinct(replace(model, rewards=None, rows=rows))
    if len(origin) == model.states:
        return replace(asked, model=made), policy
    marks = asked.marks
    labels = {name: mask[origin] for name, mask in marks.labels.items()}
    ending = None if marks.terminal is None else marks.terminal[origin]
    marks = replace(marks, labels=labels, terminal=ending)
    if isinstance(policy, (str, os.PathLike)):
        text = "found a file, but outcomes that lead to the same state earn differently"
        raise ValueError(f"policy: {text}: use an action for each state")
    if policy is None and not model.has_choices:
        policy = np.zeros(model.given, np.int64) if model.actions is None else model.actions[model.start[: model.given]]
    steps = by_step(model, one_of(policy), "policy")[:, origin]
    return replace(asked, model=made, marks=marks), steps if len(steps) > 1 else steps[0]


def distinct(model: Model) -> tuple[Model, Indices]:
    """The model in which no two transitions of a choice lead to the same state, and the original of each of its states.

    A state that a choice reaches with several rewards gets copies, which follow all states.
    """
    n, first = model.states, model.start
    owners, targets, data, rewards = (
        np.concatenate(arrays)
        for arrays in zip(
            *((part.choices[row_of_each(part)], part.indices, part.data, part.rewards) for part in model.rows),
            strict=True,
        )
    )
    kept = np.flatnonzero(data)
    order = kept[np.lexsort((rewards[kept], targets[kept], owners[kept]))]
    owners, targets, data, rewards = (array[order] for array in (owners, targets, data, rewards))
    same = (np.diff(owners) == 0) & (np.diff(targets) == 0)  # as the transition before
    another = np.cumsum(np.append(0, same & (np.diff(rewards) != 0)))
    begins = np.flatnonzero(np.append(True, ~same))
    copy = another - np.repeat(another[begins], np.diff(np.append(begins, len(data))))
    extra = np.zeros(n, np.int64)
    np.maximum.at(extra, targets, copy)
    if not extra.any():
        return model, np.arange(n)
    places = n + np.cumsum(extra) - extra  # of the first copies
    targets = np.where(copy == 0, targets, places[targets] + copy - 1)
    origin = np.concatenate([np.arange(n), np.repeat(np.arange(n), extra)])
    choices, start = ranges(first[:-1][origin], first[1:][origin])
    of = np.searchsorted(owners, np.arange(int(first[-1]) + 1))
    transitions, ends = ranges(of[:-1][choices], of[1:][choices])
    rows = Rows(np.arange(len(choices)), ends, targets[transitions], data[transitions], rewards[transitions])
    actions = None if model.actions is None else model.actions[choices]
    return Model(None, len(origin), start, actions, [rows], None, model.reward, kind=model.kind), origin


def ranges(begins: Indices, ends: Indices) -> tuple[Indices, Indices]:
    """The numbers of several ranges, one after the other, and where each begins in the list."""
    places = np.concatenate([[0], np.cumsum(ends - begins)])
    return np.repeat(begins - places[:-1], np.diff(places)) + np.arange(places[-1]), places
