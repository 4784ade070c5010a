"""Pictures by matplotlib, which is imported only here."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

SHOWN = ("value", "policy", "relative_value")
MOST_LINES = 8  # lines in one picture
MOST_NAMED = 20  # actions with a line of their own in the legend


def saved(draw: Callable[..., Any]) -> Callable[..., Any]:
    """Saves what a function draws on the axes that are its last argument, if that is the name of a file instead."""

    @wraps(draw)
    def drawn(*given: Any) -> Any:
        *others, ax = given
        if not isinstance(ax, (str, os.PathLike)):
            return draw(*given)
        made = draw(*others, None)
        np.ravel(made)[0].figure.savefig(ax)
        return made

    return drawn


def axes(ax: Any) -> Any:
    if ax is not None:
        if not hasattr(ax, "fill_between"):
            raise ValueError(f"ax: found {ax!r}: use axes of matplotlib, or the name of a file")
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(layout="constrained")[1]


def colours(count: int) -> list[Any]:
    """So many colours that are told apart, as far as there are enough."""
    import matplotlib

    if count <= 10:
        return [matplotlib.colormaps["tab10"](i) for i in range(count)]
    if count <= 20:
        return [matplotlib.colormaps["tab20"](i) for i in range(count)]
    return [matplotlib.colormaps["turbo"](x) for x in np.linspace(0.03, 0.97, count)]


@saved
def answer(
    answer: Any,
    show: str | Sequence[str],
    over: str | Sequence[str] | None,
    where: Mapping[str, Any] | None,
    ax: Any,
) -> Any:
    """What an answer says over one or two variables of its states; several pictures side by side."""
    if not isinstance(show, (str, list, tuple)):
        raise ValueError(f"show: found {show!r}: use one or several of {', '.join(SHOWN)}")
    shows = [one.strip() for one in show.split(",")] if isinstance(show, str) else list(show)
    check_where(where)
    if not shows or any(one not in SHOWN for one in shows):
        raise ValueError(f"show: {show!r} is not valid: use one or several of {', '.join(SHOWN)}")
    if len(shows) == 1:
        return view(answer, shows[0], over, where, ax)
    if ax is not None:
        raise ValueError(f"ax: found axes beside show={show!r}: draw one of these on axes, or leave ax out")
    import matplotlib.pyplot as plt

    figure, parts = plt.subplots(1, len(shows), figsize=(6.4 * len(shows), 4.8), layout="constrained")
    layout: Any = figure.get_layout_engine()
    layout.set(wspace=0.06)  # between the label of a colour bar and that of the next axis
    for one, part in zip(shows, parts, strict=True):
        view(answer, one, over, where, part)
    return parts


def check_where(where: Any) -> None:
    if where is not None and not isinstance(where, Mapping):
        raise ValueError(f"where: found {where!r}: use values by variable, as in {{'stock': 3}}")


def view(answer: Any, show: str, over: str | Sequence[str] | None, where: Mapping[str, Any] | None, ax: Any) -> Any:
    """One picture of an answer."""
    from ._frame import action_names, variables_of

    if show == "value" and answer.relative_value is not None and len(answer.value) > 1 and np.ptp(answer.value) == 0:
        show = "relative_value"  # an average that is the same everywhere is a number, not a picture
    if show == "policy" and not len(answer.policy):
        raise ValueError("show: the answer has no policy: use 'value'")
    if show == "relative_value" and answer.relative_value is None:
        raise ValueError(f"show: a {answer.details.criterion} value has no relative values: use 'value'")
    variables, note = variables_of(answer, len(answer.value)), ""
    bounds: Sequence[Array] = (answer.lower, answer.upper)
    array = {"value": answer.value, "policy": answer.policy, "relative_value": answer.relative_value}[show]
    steps = 1 if answer.policies is None else len(answer.policies)
    if steps > 1 and "step" not in variables and shows_steps(variables, show == "policy", over, where):
        variables = with_steps(variables, steps)
        if show == "policy":
            array = answer.policies.ravel()
        else:
            array, *bounds = values_by_step(answer, steps)
    elif steps > 1:
        note = "step 1"
    actions = action_names(answer)
    criterion = answer.details.criterion
    action = "action" if answer.asked.model.path is None else "number of the action in its state"
    value = f"{criterion} value"
    if criterion == "finite":
        value = "value from the step on" if "step" in variables else "value over the horizon"
    title = {"policy": action, "relative_value": "relative value"}.get(show, value)
    shown = Shown(variables, array, bounds if show == "value" else None, actions, show == "policy", title, note)
    return picture(shown, over, where, ax)


def shows_steps(
    variables: Mapping[str, Array], is_policy: bool, over: str | Sequence[str] | None, where: Mapping[str, Any] | None
) -> bool:
    """Whether the step of a finite horizon is a variable: where it is named, and of policies over one other."""
    fixed = where or {}
    several = [name for name, one in variables.items() if name not in fixed and len(unique(one)) > 1]
    named = [over, *(over if isinstance(over, (list, tuple)) else ()), *fixed]
    return "step" in named or (is_policy and over is None and len(several) < 2)


def with_steps(variables: Mapping[str, Array], steps: int) -> dict[str, Array]:
    """The variables of states, and the step of a finite horizon before them, for each step and state."""
    states = len(next(iter(variables.values())))
    return {"step": np.repeat(np.arange(1, steps + 1), states)} | {
        name: np.tile(one, steps) for name, one in variables.items()
    }


def values_by_step(answer: Any, steps: int) -> list[Array]:
    """The values of each step and state, and their bounds."""
    if "step_values" not in answer.details and not hasattr(answer, "steps"):
        raise ValueError("over: the answer has no values of steps: ask for them with step_values=True")
    return [one[:steps].ravel() for one in answer.step_values]


@saved
def mixture(found: Any, policy: int, over: str | Sequence[str] | None, where: Mapping[str, Any] | None, ax: Any) -> Any:
    """The likeliest actions of a policy within limits, with the probabilities of those left to chance."""
    from ._frame import action_names, shares_of, variables_of

    check_where(where)
    if not isinstance(policy, (int, np.integer)) or not 0 <= policy < len(found.weights):
        raise ValueError(f"policy: found {policy!r}: use a number from 0 to {len(found.weights) - 1}")
    shares = shares_of(found)[policy]
    variables = variables_of(found, shares.shape[-2])
    notes = [f"one of {len(found.weights)} policies: weight {found.weights[policy]:.3g}"] * (len(found.weights) > 1)
    if shares.ndim > 2:
        if "step" in variables:
            raise ValueError("plot: found a variable 'step' beside the steps of the horizon: rename it")
        if shows_steps(variables, True, over, where):
            variables = with_steps(variables, len(shares))
            shares = shares.reshape(-1, shares.shape[-1])
        else:
            shares = shares[0]
            notes.append("step 1")
    likeliest = shares.argmax(axis=1)
    chance = [f"{100 * p:.3g}%" if 0 < p < 1 else "" for p in shares.max(axis=1).tolist()]
    names, note = action_names(found), ", ".join(notes)
    shown = Shown(variables, likeliest, None, names, True, "likeliest action", note, np.array(chance))
    return picture(shown, over, where, ax)


@dataclass(frozen=True)
class Shown:
    """What a picture shows: a number or an action for each state, and for each step where these are a variable."""

    variables: Mapping[str, Array]
    array: Array
    bounds: Sequence[Array] | None
    actions: list[Any] | None
    is_policy: bool
    title: str
    note: str = ""
    texts: Array | None = None  # beside the points


def picture(shown: Shown, over: str | Sequence[str] | None, where: Mapping[str, Any] | None, ax: Any) -> Any:
    """Draws over one or two variables, with the values that where= gives the others."""
    variables = dict(shown.variables)
    kept = np.ones(len(shown.array), bool)
    for name, wanted in (where or {}).items():
        if name not in variables:
            raise ValueError(f"where: found no variable {name!r}: use one of {', '.join(variables)}")
        if isinstance(wanted, (list, range, set, np.ndarray)):
            raise ValueError(f"where: found {shown_value(wanted)} for {name}: use one of its values")
        kept &= variables.pop(name) == wanted
    if not kept.any():
        raise ValueError(f"where: found no state with {dict(where or {})!r}: use values that occur")
    if not variables:
        raise ValueError("where: found values for all variables: leave one or two out")
    variables = {name: array[kept] for name, array in variables.items()}
    places, groups = arranged(variables, over, shown.is_policy)
    array = np.asarray(shown.array)[kept]
    ax = axes(ax)
    if title := ", ".join(
        [shown.note] * bool(shown.note) + [f"{n} {shown_value(v)}" for n, v in (where or {}).items()]
    ):
        ax.set_title(title)
    if len(places) == 2:
        draw_map(places, array, shown.actions if shown.is_policy else None, shown.is_policy, shown.title, ax)
    else:
        bounds = None if shown.bounds is None else (shown.bounds[0][kept], shown.bounds[1][kept])
        draw_lines(places, groups, array, bounds, shown.actions, shown.is_policy, shown.title, ax)
    if shown.texts is not None:
        x, y = [*(positions(one)[0] for one in places.values()), heights(array, shown.actions)[0]][:2]
        for i in np.flatnonzero(shown.texts[kept] != ""):
            look: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": "small"}
            look |= {"bbox": {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none", "alpha": 0.8}}
            if len(places) == 1:
                look |= {"xytext": (0, 8), "textcoords": "offset points"}
            ax.annotate(shown.texts[kept][i], (x[i], y[i]), **look)
    return ax


def is_number(array: Array) -> bool:
    return array.dtype.kind in "iufb"


def arranged(
    variables: Mapping[str, Array], over: str | Sequence[str] | None, is_policy: bool
) -> tuple[dict[str, Array], dict[str, Array]]:
    """The one or two variables that are the axes, and those that have a line for each of their values."""
    several = {name: array for name, array in variables.items() if len(unique(array)) > 1}
    if over is not None:
        if not isinstance(over, (str, list, tuple)):
            raise ValueError(f"over: found {over!r}: use the names of one or two variables")
        names = [over] if isinstance(over, str) else list(over)
        for name in names:
            if name not in variables:
                raise ValueError(f"over: found no variable {name!r}: use one of {', '.join(variables)}")
        if not 1 <= len(names) <= 2:
            raise ValueError(f"over: found {len(names)} variables: use one or two")
        if len(set(names)) < len(names):
            raise ValueError(f"over: found {names[0]!r} twice: use two different variables")
    else:
        numeric = [name for name, array in several.items() if is_number(array)] or list(several or variables)[:1]
        numeric.sort(key=lambda name: -len(unique(variables[name])))
        most = 2 if is_policy else MOST_LINES  # steps of actions cover each other
        two = len(numeric) == 2 == len(several) and len(unique(variables[numeric[1]])) > most
        names = [name for name in variables if name in numeric[:2]] if two else numeric[:1]
    groups = {name: array for name, array in several.items() if name not in names}
    lines = len({tuple(one) for one in zip(*(array.tolist() for array in groups.values()), strict=True)})
    if groups and (len(names) == 2 or lines > MOST_LINES):
        one = next(iter(groups))
        text = f"found {len(variables)} variables: choose over=, and a value of others"
        raise ValueError(f"over: {text}, as in where={{{one!r}: {groups[one].tolist()[0]!r}}}")
    return {name: variables[name] for name in names}, groups


def unique(array: Array) -> list[Any]:
    """The different values of a variable, in order where they have one."""
    found = dict.fromkeys(array.tolist())
    try:
        return sorted(found)
    except TypeError:
        return list(found)


def positions(array: Array) -> tuple[Array, list[Any] | None]:
    """Where values stand on an axis; names for those that are no numbers."""
    if is_number(array) and array.dtype.kind != "b":
        return array.astype(float), None
    names = unique(array)
    place = {name: i for i, name in enumerate(names)}
    return np.array([float(place[x]) for x in array.tolist()]), names


def heights(numbers: Array, actions: list[Any] | None) -> tuple[Array, list[Any] | None]:
    """Where actions stand on an axis: numbers at their own height, others one above the other with their names."""
    if actions is None:
        return numbers.astype(float), None
    if all(isinstance(a, (int, float, np.number)) and not isinstance(a, bool) for a in actions):
        return np.array(actions, float)[numbers], None
    return numbers.astype(float), actions


def draw_lines(
    places: Mapping[str, Array],
    groups: Mapping[str, Array],
    array: Array,
    bounds: tuple[Array, Array] | None,
    actions: list[Any] | None,
    is_policy: bool,
    title: str,
    ax: Any,
) -> None:
    """A line over one variable for each value of the others: with steps for actions, with bounds for values."""
    ((name, column),) = places.items()
    x, ticks = positions(column)
    y, marks = heights(array, actions) if is_policy else (array, None)
    keys = list(zip(*(one.tolist() for one in groups.values()), strict=True)) if groups else [()] * len(x)
    places_of = list(zip(*(positions(one)[0].tolist() for one in groups.values()), strict=True)) if groups else keys
    drawn = [key for _, key in sorted(unique_keys(list(zip(places_of, keys, strict=True))), key=lambda one: one[0])]
    for key, colour in zip(drawn, colours(len(drawn)), strict=True):
        own = np.flatnonzero([one == key for one in keys])
        own = own[np.argsort(x[own], kind="stable")]
        label = ", ".join(f"{group} {shown_value(value)}" for group, value in zip(groups, key, strict=True)) or None
        if is_policy:
            ax.step(x[own], y[own], where="mid", color=colour, label=label, marker="." if len(own) < 60 else None)
            continue
        if bounds is not None and (bounds[1][own] > bounds[0][own]).any():
            ax.fill_between(x[own], bounds[0][own], bounds[1][own], color=colour, alpha=0.3, linewidth=0)
        ax.plot(x[own], y[own], color=colour, label=label, marker="." if len(own) < 60 else None)
    mark(ax.xaxis, column, ticks)
    used = np.unique(y)
    if is_policy and len(used) <= MOST_NAMED:
        ax.set_yticks(used, [shown_value(float(one) if marks is None else marks[int(one)]) for one in used])
    ax.set(xlabel=name, ylabel=title)
    if groups:
        ax.legend()


def draw_map(
    places: Mapping[str, Array], array: Array, actions: list[Any] | None, is_policy: bool, title: str, ax: Any
) -> None:
    """A heat map over two variables, or the regions of actions."""
    from matplotlib.colors import BoundaryNorm, ListedColormap

    (x_name, x_column), (y_name, y_column) = places.items()
    (x, x_ticks), (y, y_ticks) = positions(x_column), positions(y_column)
    xs, ys = np.unique(x), np.unique(y)
    table = np.full((len(ys), len(xs)), np.nan)
    at = np.searchsorted(ys, y), np.searchsorted(xs, x)
    if not is_policy:
        table[at] = array
        drawn = ax.pcolormesh(edges(xs), edges(ys), np.ma.masked_invalid(table), cmap="viridis")
        ax.figure.colorbar(drawn, ax=ax, label=title)
    else:
        high, names = heights(array, actions)
        used = np.unique(high)
        table[at] = np.searchsorted(used, high)
        # Actions that are numbers get darker with them; others get colours that are told apart.
        ordered = names is None and actions is not None
        palette = [*(spread(len(used)) if ordered else colours(len(used)))]
        norm = BoundaryNorm(np.arange(len(used) + 1) - 0.5, max(len(used), 1))
        regions = np.ma.masked_invalid(table)
        drawn = ax.pcolormesh(edges(xs), edges(ys), regions, cmap=ListedColormap(palette), norm=norm)
        bar = ax.figure.colorbar(drawn, ax=ax, label=title)
        step = -(-len(used) // MOST_NAMED)
        texts = [shown_value(names[int(one)] if names is not None else float(one)) for one in used]
        bar.set_ticks(np.arange(len(used))[::step], labels=texts[::step])
        bar.minorticks_off()
    mark(ax.xaxis, x_column, x_ticks)
    mark(ax.yaxis, y_column, y_ticks)
    if y_ticks is not None:
        ax.invert_yaxis()  # names are read from above, as in a legend
    ax.set(xlabel=x_name, ylabel=y_name)


def mark(axis: Any, column: Array, names: list[Any] | None) -> None:
    """Marks an axis with names, or with whole numbers where a variable has only such."""
    from matplotlib.ticker import MaxNLocator

    if names is not None:
        axis.set_ticks(range(len(names)), [shown_value(one) for one in names])
    elif column.dtype.kind in "iu":
        axis.set_major_locator(MaxNLocator(integer=True))


def spread(count: int) -> list[Any]:
    """So many colours from light to dark."""
    import matplotlib

    return [matplotlib.colormaps["viridis_r"](x) for x in np.linspace(0, 1, count)]


def edges(places: Array) -> Array:
    """The edges of cells around places in increasing order."""
    if len(places) == 1:
        return np.array([places[0] - 0.5, places[0] + 0.5])
    between = (places[1:] + places[:-1]) / 2
    return np.concatenate([[2 * places[0] - between[0]], between, [2 * places[-1] - between[-1]]])


def unique_keys(keys: Sequence[Any]) -> list[Any]:
    return list(dict.fromkeys(keys))


def shown_value(value: Any) -> str:
    """A value at an axis."""
    return f"{value:g}" if isinstance(value, float) else str(value)


@saved
def distribution(found: Any, ax: Any) -> Any:
    """The probability that a total is at most x, with its bounds, and the mean."""
    ax, x = axes(ax), found.x
    if not len(x):
        raise ValueError("x: found no number: ask for the distribution at several")
    value, lower, upper = found.at_most
    ax.fill_between(x, lower, upper, step="post", alpha=0.3, linewidth=0)
    ax.step(x, value, where="post")
    if np.isfinite(found.mean.value):
        ax.axvline(found.mean.value, color="0.5", linestyle="--", label=f"mean {found.mean.value:.6g}")
        ax.legend()
    ax.set(xlabel="total", ylabel="probability of at most that", ylim=(0, 1.02))
    return ax


@saved
def trade_off(value: Array, other: Array, names: tuple[str, str], ax: Any) -> Any:
    """The values of two rewards under each of some policies, and under mixtures of neighbours."""
    ax = axes(ax)
    ax.plot(value, other, ".-")
    ax.set(xlabel=names[0], ylabel=names[1])
    return ax


@saved
def curves(answer: Mapping[str, Any], ax: Any) -> Any:
    """The longest queue at which a robot is activated, by active robots."""
    drawn, notes = [], []
    if answer.get("threshold") is False:
        notes.append("the curves do not describe the whole policy")
    if len(answer.get("curve_arrival_by_phase") or []) > 1:
        notes.append("an empty queue is drawn in phase 1")
    # Without an active robot none delivers, and with all of them active there is none to activate.
    for name, event, action, first, after in (
        ("departure", "at a departure", "activate a robot", 0, 1),
        ("arrival", "at an arrival", "send it out again", 1, 0),
    ):
        phases = answer.get(f"curve_{name}_by_phase") or [answer.get(f"curve_{name}") or []]
        ending = [(i, curve) for i, curve in enumerate(phases, 1) if curve and (len(phases) == 1 or max(curve) >= 0)]
        for phase, curve in ending:  # no page leaves in a phase that ends no service
            active = range(len(curve))[first : len(curve) - after]
            text = event if len(ending) == 1 else f"{event}, phase {phase}"
            # An empty queue counts as in phase 1: no service is going on.
            drawn.append((active, [-1 if curve[r] == 0 and phase > 1 else curve[r] for r in active], text, action))
    if not drawn:
        raise ValueError("no switching curve to draw: use the answer of robots('solve', …) for one class of robots")
    if ax is None and len(drawn) > 2:  # one beside the other
        import matplotlib.pyplot as plt

        parts = plt.subplots(1, len(drawn), figsize=(3.2 * len(drawn), 3.6), layout="constrained", sharey=True)[1]
        for one, part in zip(drawn, parts, strict=True):
            draw_curves([one], part)
            part.set_title(f"{one[2]}:\n{one[3]}")
            part.label_outer()
        parts[0].figure.suptitle("\n".join(notes), fontsize="medium")
        return parts
    ax = axes(ax)
    draw_curves(drawn, ax)
    if notes:
        ax.set_title("\n".join(notes), fontsize="medium")
    ax.legend()
    return ax


def draw_curves(drawn: Sequence[tuple[range, list[float], str, str]], ax: Any) -> None:
    """Draws switching curves on the same axes. Later ones are thinner, so that none hides another."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    for i, (active, curve, event, action) in enumerate(drawn):
        ax.step(
            active,
            curve,
            where="mid",
            label=f"{event}: {action}",
            linewidth=1.5 + min(1.5, 6 / len(drawn)) * (len(drawn) - 1 - i),
        )
    ax.set(xlabel="active robots", ylabel="up to this queue")
    for axis in ax.xaxis, ax.yaxis:
        axis.set_major_locator(MaxNLocator(integer=True))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda y, _: "never" if y == -1 else f"{y:g}"))


# What sweeps vary; gamma may also be the multiplier of a limit.
SWEPT = ("max_loss", "max_starvation", "ratio", "gamma", "lambda", "mu", "buffer", "robots")
COSTS = {"gain": "switched on and off", "static_cost": "best fixed number", "cost": "best fixed number"}


@saved
def costs(rows: Sequence[Mapping[str, Any]], ax: Any) -> Any:
    """The costs in the rows of a sweep, for each value of a second parameter that varies."""
    varied = [name for name in SWEPT if len({row.get(name) for row in rows}) > 1]
    shown = [name for name in COSTS if rows and name in rows[0] and not (name == "cost" and "gain" in rows[0])]
    if not varied or not shown:
        raise ValueError("no sweep to draw: use the rows of robots('sweep', …) or static('sweep', …)")
    ax, x = axes(ax), varied[0]
    own = {"ratio": ("lambda",), "max_loss": ("gamma",), "max_starvation": ("gamma",)}.get(x, ())  # vary with x
    by = [name for name in varied[1:] if name not in own and name != "robots"]
    for group in unique_keys([tuple(row[name] for name in by) for row in rows]):
        some = [row for row in rows if tuple(row[name] for name in by) == group]
        values = "".join(f", {name} {value:g}" for name, value in zip(by, group, strict=True))
        for name in shown:
            ax.plot([row[x] for row in some], [row[name] for row in some], ".-", label=COSTS[name] + values)
    ax.set(xlabel=x, ylabel="cost per unit of time" if not x.startswith("max_") else "least value within the limit")
    ax.legend()
    return ax
