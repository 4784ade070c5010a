"""Solves models: the question, the answer, and its check."""

from __future__ import annotations

import io
import json
import os
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ._command import MODEL, RESULT, START, TIMED, Record, file, flags, run, scratch, shown
from ._files import whole
from ._model import REWARD, TARGET, TERMINAL, Floats, Model, numbers, write


@dataclass(frozen=True, repr=False, eq=False)
class Answer:
    """The best policy of a model and its value, with proved bounds.

    For an average, value is the gain of each state, and relative_value its bias up to a constant.
    """

    value: Floats  # by state
    lower: Floats  # proved bounds of the best value
    upper: Floats
    policy: npt.NDArray[np.int64]  # the action of each state; for a finite horizon that of the first step
    relative_value: Floats | None  # for an average only
    status: str  # "converged", or why the solve ended before
    details: Record  # what else the command says: method, iterations, elapsed_seconds, classification, …
    archive: bytes = field(default=b"")  # the file with the certificate, which numpy.load and mdpsolve check read
    model: Model = field(default_factory=Model)
    target: Any = None
    terminal: Any = None
    policies: npt.NDArray[np.int64] | None = None  # by step and state, for a finite horizon; None if they are too many

    @property
    def gain(self) -> Floats:
        """The long-run average from each state."""
        if self.details.criterion != "average":
            raise AttributeError(f"gain: a {self.details.criterion} value has none: ask with criterion='average'")
        return self.value

    @property
    def infinite(self) -> str | None:
        """Why values are infinite, in a sentence; None if none is."""
        reason: str | None = self.details.get("infinite")
        return reason

    @property
    def certificate(self) -> dict[str, Floats]:
        """The vectors that prove the bounds, by name. Vectors with fractions are in details.certificate."""
        with np.load(io.BytesIO(self.archive)) as arrays:
            start = "certificate."
            return {name.removeprefix(start): arrays[name] for name in arrays if name.startswith(start)}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the answer with its certificate to a file that ends in .npz, for mdpsolve check and numpy.load."""
        if not os.fspath(path).endswith(".npz"):
            raise ValueError(f"{os.fspath(path)}: use a name that ends in .npz")
        with whole(path) as file:
            file.write(self.archive)

    def check(self) -> Record:
        """Has the command judge the answer by its certificate; verdict is "holds" if all of it is proved.

        It is judged from the model alone: P and R as they were when it was solved, and a file as it is now.
        """
        with scratch(self.model.size() + len(self.archive)) as folder:
            Path(folder, RESULT).write_bytes(self.archive)
            name = place(self.model, folder, self.target, self.terminal)
            found: Record = json.loads(run(["check", name, RESULT, "--output=json"], folder), object_hook=Record)
        return Record(found | {"file": self.model.path or "P", "result": "the answer"})

    def plot(self, ax: Any = None) -> Any:
        """Draws values and bounds by state, coloured by action, with matplotlib, and returns the axes."""
        from . import _plot

        return _plot.values(self, ax)

    def __repr__(self) -> str:
        d = self.details
        named = next((f" {name} {d[name]}" for name in ("horizon", "discount", "rate", "target") if name in d), "")
        value, lower, upper = (array[d.initial] for array in (self.value, self.lower, self.upper))
        states = f"{len(self.value)} states, value of state {d.initial}: {value:.10g} in [{lower}, {upper}]"
        infinite = f"; infinite: {self.infinite}" if self.infinite else ""
        return f"<{d.criterion}{named}, {d.sense}: {self.status} by {d.method}; {states}{infinite}>"


def solve(
    P: Any = None,
    R: Any = None,
    *,
    rates: Any = None,
    durations: Any = None,
    rate: float | str | Fraction | None = None,
    discount: float | str | Fraction | None = None,
    horizon: int | None = None,
    terminal: Any = None,
    target: Any = None,
    criterion: str | None = None,
    sense: str = "max",
    tolerance: float | None = None,
    method: str | None = None,
    max_iterations: int | None = None,
    time_limit: float | None = None,
    workers: int | None = None,
    start_from: Answer | None = None,
    reward: str | None = None,
    normalize: bool = False,
    upper: Any = None,
    uncertainty: str | None = None,
) -> Answer:
    """The best policy of a Markov decision process, and its value.

    P      transition probabilities: an array (A, S, S), a list of A matrices, dense or of SciPy, Gymnasium's
           env.unwrapped.P, the name of a model file, or a Model
    R      rewards: (S,), (S, A), (A, S, S) or a list of A matrices. An action with reward -inf (+inf if sense is
           "min"), or with a transition of that reward, is not allowed in that state.
    sense  "max" to maximise rewards, "min" to minimise costs
    rates  in place of P: transition rates of a process in continuous time, in the form of P. What is below 0 on the
           diagonals, as in generators, is left out. Rewards (S,) and (S, A) are per unit of time, others are
           earned by each transition.
    durations  mean sojourn times of a semi-Markov process, (S,) or (S, A), beside a P of matrices. Rewards (S,) and
           (S, A) are those of each decision.
    upper  the greatest probabilities, in the form of P, which has the least ones then. uncertainty says how nature
           chooses between them, in every step: "worst" or "best" for you.

    The criterion follows from what is given: discount, rate (with rates: what is earned after time t counts
    exp(-rate*t) times), horizon (a number of steps, "finite"), or target (states where
    a total ends, and which policies have to reach: numbers, a mask, or a label of a model file). Beside horizon,
    discount weighs the reward after t steps by discount**t, and terminal has a reward for each state at the end (for a
    model file, the name of a reward model); policies of the answer has the actions of each step. criterion="average"
    asks for the average per step, criterion="total" for the total of all steps, such as those of episodes that P ends
    with done. Other arguments are flags of mdpsolve solve.

    Raises ValueError for what is not valid, in one line, and TypeError for an environment in place of its table.
    """
    asked = sense, criterion, discount, rate, horizon, target, terminal, reward
    model, target, terminal, options = question(P, R, upper, rates, durations, *asked)
    options |= {
        "tolerance": tolerance,
        "method": method,
        "max_iterations": max_iterations,
        "time_limit": time_limit,
        "workers": workers,
        "normalize": normalize,
        "uncertainty": uncertainty,
    }
    with scratch(model.size()) as folder:
        if start_from is not None:
            if not isinstance(start_from, Answer):
                raise TypeError("start_from: give what solve returned")
            Path(folder, START).write_bytes(start_from.archive)
            options["start_from"] = START
        run(["solve", place(model, folder, target, terminal), *flags(options), f"--out={RESULT}"], folder)
        archive = Path(folder, RESULT).read_bytes()
    return answer(archive, model, target, terminal)


def question(
    P: Any,
    R: Any,
    upper: Any,
    rates: Any,
    durations: Any,
    sense: Any,
    criterion: Any,
    discount: Any,
    rate: Any,
    horizon: Any,
    target: Any,
    terminal: Any,
    reward: Any,
) -> tuple[Model, Any, Any, dict[str, Any]]:
    """The model, its target and terminal rewards, and the flags of the question, of arguments of solve."""
    if not isinstance(sense, str) or sense not in ("max", "min"):
        raise ValueError(f"sense: {shown(sense)} is not valid: use 'max' or 'min'")
    if criterion is None:
        weighed = discount if rate is None else rate
        given = {"discounted": weighed if horizon is None else None, "finite": horizon, "total": target}
        asked = [name for name, value in given.items() if value is not None]
        if len(asked) != 1:
            raise ValueError("criterion: give one of discount, horizon and target, or criterion='average' or 'total'")
        criterion = asked[0]
    model = Model.of(P, R, sense, upper, rates, durations)
    target = model.targets(target)
    terminal = model.ending(terminal)
    has_array = terminal is not None and model.path is None
    options = {
        "criterion": criterion,
        "discount": discount,
        "rate": rate,
        "horizon": horizon,
        "terminal": TERMINAL if has_array else terminal,
        "target": target if target is None or model.path else TARGET,
        "maximize" if sense == "max" else "minimize": True,
        "reward": REWARD if has_array and reward is None else reward,
    }
    return model, target, terminal, options


def evaluate(
    P: Any = None,
    R: Any = None,
    policy: Any = None,
    *,
    rates: Any = None,
    durations: Any = None,
    rate: float | str | Fraction | None = None,
    discount: float | str | Fraction | None = None,
    horizon: int | None = None,
    terminal: Any = None,
    target: Any = None,
    criterion: str | None = None,
    sense: str = "max",
    tolerance: float | None = None,
    method: str | None = None,
    workers: int | None = None,
    reward: str | None = None,
    normalize: bool = False,
) -> Answer:
    """The value of a policy, with proved bounds, where solve finds the best.

    policy is an action for each state or, with horizon, for each step and state (answer.policies is one). Other
    arguments are those of solve.
    """
    asked = sense, criterion, discount, rate, horizon, target, terminal, reward
    model, target, terminal, options = question(P, R, None, rates, durations, *asked)
    options |= {"tolerance": tolerance, "method": method, "workers": workers, "normalize": normalize}
    table = policy_table(model, policy)
    with scratch(model.size() + len(table)) as folder:
        Path(folder, POLICY).write_text(table)
        name = place(model, folder, target, terminal)
        run(["evaluate", name, *flags(options), f"--policy={POLICY}", f"--out={RESULT}"], folder)
        archive = Path(folder, RESULT).read_bytes()
    return answer(archive, model, target, terminal)


POLICY = "policy.csv"  # the file of a policy


def policy_table(model: Model, policy: Any) -> str:
    """A policy as a table for the command, in which actions have their numbers in each state."""
    right = "use an action for each state, or for each step and state"
    if policy is None or np.ndim(numbers(policy, "policy")) not in (1, 2) or np.asarray(policy).dtype.kind not in "iu":
        raise ValueError(f"policy: found {shown(policy)}: {right}")
    steps = np.atleast_2d(policy)
    if (steps < 0).any():
        raise ValueError(f"policy: found action {steps.min()}: use actions from 0")
    if model.path is None:
        n = model.states - model.has_end
        if steps.shape[1] != n:
            raise ValueError(f"policy: found shape {np.shape(policy)}: {right}, of which there are {n}")
        steps = np.pad(steps, ((0, 0), (0, int(model.has_end))))
        owners = np.repeat(np.arange(model.states), np.diff(model.start))
        own = np.arange(len(owners)) - model.start[owners]
        names = own if model.actions is None else model.actions
        width = int(max(names.max(), steps.max(initial=0))) + 1
        place_of = dict(zip((owners * width + names).tolist(), own.tolist(), strict=True))
        try:
            chosen = [[place_of[s * width + a] for s, a in enumerate(step)] for step in steps.tolist()]
        except KeyError as missing:
            s, a = divmod(int(missing.args[0]), width)
            raise ValueError(f"policy: state {s} has no action {a}") from None
    else:
        chosen = steps.tolist()
    lines = [f"{t},{s},{a}" for t, step in enumerate(chosen, 1) for s, a in enumerate(step)]
    if len(steps) > 1 and np.ndim(policy) == 2:
        return "\n".join(["step,state,policy", *lines])
    return "\n".join(["state,policy", *(line.split(",", 1)[1] for line in lines)])


def place(model: Model, folder: str, target: Any, terminal: Any) -> str:
    """The file of a model, which is written to the folder if it is made of arrays."""
    if model.path is not None:
        return file(model.path)
    name = MODEL if model.kind == "mdp" else TIMED
    with open(Path(folder, name), "wb") as made:
        write(model, made, target, terminal)
    return name


def answer(archive: bytes, model: Model, target: Any, terminal: Any) -> Answer:
    """The answer that is in a file of the command."""
    with np.load(io.BytesIO(archive)) as arrays:
        details: Record = json.loads(arrays["result.json"], object_hook=Record)
        n = len(arrays["values"]) - model.has_end
        value, lower, upper = (arrays[name][:n] for name in ("values", "lower", "upper"))
        relative = arrays["relative_values"][:n] if "relative_values" in arrays else None
        policy = arrays["policy"][:n].astype(np.int64)
        policies = arrays["policies"][:, :n].astype(np.int64) if "policies" in arrays else None
    if model.actions is not None:
        policy = model.actions[model.start[:n] + policy].astype(np.int64)
        policies = None if policies is None else model.actions[model.start[:n] + policies].astype(np.int64)
    if details.criterion == "finite" and model.path is None and len(model.start) > model.start[-1]:
        policies = np.broadcast_to(policy, (details.horizon, n))  # there is nothing to choose
    known = value, lower, upper, policy, relative, details.status
    return Answer(*known, details, archive, model, target, terminal, policies)
