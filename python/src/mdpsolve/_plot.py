"""Pictures by matplotlib, which is imported only here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


def axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots()[1]


def values(value: Array, lower: Array, upper: Array, policy: Array, title: str, ax: Any) -> Any:
    """Values by state, coloured by action, with their bounds."""
    ax, states = axes(ax), np.arange(len(value))
    ax.fill_between(states, lower, upper, step="mid", alpha=0.3, linewidth=0, label="bounds")
    for action in np.unique(policy):
        own = policy == action
        ax.plot(states[own], value[own], ".", label=f"action {action}")
    if not len(policy):
        ax.plot(states, value, ".")
    ax.set(xlabel="state", ylabel=title)
    ax.legend()
    return ax


def trade_off(value: Array, other: Array, names: tuple[str, str], ax: Any) -> Any:
    """The values of two rewards under each of some policies, and under mixtures of neighbours."""
    ax = axes(ax)
    ax.plot(value, other, ".-")
    ax.set(xlabel=names[0], ylabel=names[1])
    return ax


def curves(answer: Mapping[str, Any], ax: Any) -> Any:
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
