"""Pictures by matplotlib, which is imported only here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ._command import Record
    from ._solve import Answer


def axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots()[1]


def values(answer: Answer, ax: Any) -> Any:
    """Values by state, coloured by action, with their bounds."""
    ax, states = axes(ax), np.arange(len(answer.value))
    ax.fill_between(states, answer.lower, answer.upper, step="mid", alpha=0.3, linewidth=0, label="bounds")
    for action in np.unique(answer.policy):
        own = answer.policy == action
        ax.plot(states[own], answer.value[own], ".", label=f"action {action}")
    ax.set(xlabel="state", ylabel=f"{answer.details.criterion} value")
    ax.legend()
    return ax


def curves(answer: Record, ax: Any) -> Any:
    """The longest queue at which a robot is activated, by active robots."""
    ax = axes(ax)
    for name, label in ("departure", "at a departure"), ("arrival", "at an arrival"):
        if curve := answer.get(f"curve_{name}"):
            ax.step(range(len(curve)), curve, where="mid", label=label)
    if not ax.lines:
        raise ValueError("no switching curve to draw: use the answer of robots() for robots that are all alike")
    ax.set(xlabel="active robots", ylabel="activate a robot up to this queue")
    ax.legend()
    return ax
