"""What is asked: the arguments that all verbs for models take, and how they reach the command.

Each argument is a flag of the command, or a part of the file of a model that is made of arrays.
"""

from __future__ import annotations

import difflib
import inspect
import io
import json
import os
import re
import struct
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, TypedDict, TypeVar

import numpy as np

from ._command import MODEL, POLICY, TIMED, Record, exchange, file, flags, records, run, scratch, shown, word
from ._model import TARGET, TERMINAL, Indices, Marks, Mask, Model, handover, is_sparse, numbers, one_name


class Question(TypedDict, total=False):
    """What is asked about a model; solve explains it."""

    criterion: str | None
    discount: float | str | Fraction | None
    rate: float | str | Fraction | None
    horizon: float | None
    terminal: Any
    target: Any
    property: str | os.PathLike[str] | None
    const: Mapping[str, Any] | None
    sense: str | None
    reward: str | None
    rates: Any
    durations: Any
    upper: Any
    uncertainty: str | None
    labels: Mapping[str, Any] | None
    initial: Any
    kind: str | None
    normalize: bool


class Options(Question, total=False):
    """A question, and how it is solved."""

    tolerance: float | None
    method: str | None
    max_iterations: int | None
    time_limit: float | None
    workers: int | None
    action_values: bool
    step_values: bool
    policy_out: str | os.PathLike[str] | None
    max_rules: int | None


class Play(Question, total=False):
    """A question, and how it is simulated."""

    warm_up: float | None
    replications: int | None
    seed: int | None
    confidence: float | None
    workers: int | None


Function = TypeVar("Function", bound=Callable[..., Any])


def with_arguments(options: type) -> Callable[[Function], Function]:
    """Shows the arguments of a function in help and to completion, in place of **options."""

    def shown_in(function: Function) -> Function:
        own = [p for p in inspect.signature(function).parameters.values() if p.kind is not p.VAR_KEYWORD]
        more = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None) for name in options.__annotations__
        ]
        function.__signature__ = inspect.Signature(own + more)  # type: ignore[attr-defined]
        return function

    return shown_in


# The arguments that stand for flags of other names. An error about --out is about the property: only a question about a
# time in a CTMC has no result to write.
NAMES = {"constraint": "limits", "pareto": "tradeoff", "minimize": "sense", "maximize": "sense", "out": "property"}
KNOWN_ARGUMENTS = {*Options.__annotations__, *Play.__annotations__, "limits", "tradeoff", "start_from"}
# The arguments that may have several values.
SEVERAL = {"terminal", "target", "rates", "durations", "upper", "labels", "initial", "limits", "tradeoff", "const"}
# The flags that are no arguments.
NO_ARGUMENTS = {*NAMES, "output", "log", "quiet", "distribution", "policy", "start_from"}


@dataclass(frozen=True)
class Asked:
    """A question about a model: the model, what its file needs, and the flags."""

    model: Model
    marks: Marks = field(default_factory=Marks)
    flags: Mapping[str, object] = field(default_factory=dict)

    def run(
        self, verb: str, more: Mapping[str, object], files: Mapping[str, bytes], *operands: str, **names: str
    ) -> tuple[Any, bytes]:
        """What a verb answers, and the file RESULT that it may write. The verb finds files in its folder.

        names has further arguments that stand for flags of other names, as in NAMES.
        """
        handed = None
        if self.model.path is None:
            handed = handover(self.model, self.marks)
            model = handed.name
        else:
            model = file(self.model.path)
        words = [verb, model, *operands, *flags({**self.flags, **more})]
        try:
            if not files:
                return exchange(words, "", NAMES | names, handed)
            with scratch(sum(map(len, files.values()))) as folder:
                for name, content in files.items():
                    with open(os.path.join(folder, name), "wb") as made:
                        made.write(content)
                return exchange(words, folder, NAMES | names, handed)
        except ValueError as fault:
            if (unknown := re.match(r"(?:--)?(\S+): unknown flag", str(fault))) is not None:
                raise unknown_argument(unknown[1].replace("-", "_")) from None
            self.model.proved()  # says it in the words of the arguments
            raise

    def answer(
        self, verb: str, more: Mapping[str, object], files: Mapping[str, bytes], *operands: str, **names: str
    ) -> Record:
        """What a verb answers in JSON."""
        found: Record = self.run(verb, {**more, "output": "json"}, files, *operands, **names)[0]
        return found

    def by_action(self, values: Any, missing: Any) -> Any:
        """Lists of a value for each choice as arrays by state and action; missing is for actions that a state lacks."""
        start, array = self.start(), np.asarray(values)
        names = names_of(start, self.model.actions)
        owners = np.repeat(np.arange(len(start) - 1), np.diff(start))
        made = np.full((*array.shape[:-1], len(start) - 1, int(names.max()) + 1), missing, array.dtype)
        made[..., owners, names] = array
        return made[..., : len(start) - 1 - self.model.has_end, :]

    def start(self) -> Indices:
        """The first choice of each state, and the number of choices."""
        if self.model.path is None:
            return self.model.start
        own = {name: self.flags[name] for name in ("kind", "normalize") if name in self.flags}
        with scratch(0) as folder:
            try:
                run(["convert", file(self.model.path), MODEL, *flags(own)], folder)
            except ValueError:  # rates with choices
                run(["convert", file(self.model.path), TIMED, *flags(own)], folder)
                states = json.loads(Path(folder, TIMED).read_bytes())["states"]
                return np.cumsum([0, *(len(state["actions"]) for state in states)])
            with tarfile.open(Path(folder, MODEL)) as archive:
                member = archive.extractfile("state-to-choices.bin")
                return np.frombuffer(member.read() if member else b"", "<u8").astype(np.int64)


def ask(P: Any, R: Any, options: Mapping[str, Any], *, sensed: bool = True, needed: bool = True) -> Asked:
    """The question that the arguments of a verb state.

    sensed: the verb minimises or maximises. needed: the verb has no answer without a question.
    """
    given = {name: value for name, value in options.items() if value is not None}
    if unknown := given.keys() & NO_ARGUMENTS:
        raise unknown_argument(unknown.pop())
    if "reward" in given:
        one_name(given["reward"])
    for name, value in given.items():
        if isinstance(value, (list, tuple)) and name not in SEVERAL:
            raise ValueError(f"{name}: found {shown(value)}: use one value; mdpsolve.sweep takes several")
    sense = given.pop("sense", None)
    if sense is not None and (not isinstance(sense, str) or sense not in ("max", "min")):
        raise ValueError(f"sense: {shown(sense)} is not valid: use 'max' or 'min'")
    if "property" in given:
        given["property"] = property_of(given["property"])
    elif "criterion" not in given:
        given |= criterion_of(given, needed)
    if "terminal" in given and given.get("criterion", "finite") != "finite":
        raise ValueError("terminal: use it with horizon, a number of steps")
    times = given.pop("rates", None), given.pop("durations", None)
    model = Model.of(P, R, sense or "max", given.pop("upper", None), *times, lazily=True)
    if sensed and (sense or "criterion" in given):
        given["minimize" if sense == "min" else "maximize"] = True
    if "const" in given:
        given["const"] = constants_of(given["const"])
    if "limits" in given:
        given["constraint"] = limits_of(given.pop("limits"))
    if "tradeoff" in given:
        given["pareto"] = other_of(given.pop("tradeoff"))
    for name in given:
        if name == "plot" or name.endswith("_out"):
            given[name] = named_file(given[name], name)
    if model.path is None:
        return of_arrays(model, given)
    for name, right in ("target", "a label of the states"), ("terminal", "the name of a reward model"):
        if name in given and not isinstance(given[name], str):
            raise ValueError(f"{name}: found {shown(given[name])}: use {right} in the file")
    for name in "labels", "initial":
        if name in given:
            raise ValueError(f"{name}: use it with arrays; a file has its own")
    return Asked(model, flags=given)


def criterion_of(given: Mapping[str, Any], needed: bool) -> dict[str, str]:
    """The criterion that follows from other arguments. If none does, it is an error only if one is needed."""
    kinds = {"horizon": "finite", "target": "total"} | (
        {} if "horizon" in given else {"discount": "discounted", "rate": "discounted"}
    )
    asked = [kind for name, kind in kinds.items() if name in given]
    if len(asked) > 1 or (needed and not asked):
        if unknown := given.keys() - KNOWN_ARGUMENTS:  # it may have been meant as one of these
            raise unknown_argument(unknown.pop())
        raise ValueError("criterion: give one of discount, horizon and target, or criterion='average' or 'total'")
    return {"criterion": asked[0]} if asked else {}


def unknown_argument(name: str) -> TypeError:
    """The error about an argument, with a known one that may have been meant."""
    meant = "".join(f": did you mean {x}?" for x in difflib.get_close_matches(name, KNOWN_ARGUMENTS, 1))
    return TypeError(f"{name}: found an argument that is not known here{meant}")


def of_arrays(model: Model, given: dict[str, Any]) -> Asked:
    """The question about a model of arrays, whose file has what the arguments say about its states."""
    labels: dict[str, Mask] = {}
    named = given.pop("labels", {})
    if not isinstance(named, Mapping) or not all(isinstance(name, str) and name for name in named):
        raise ValueError(f"labels: found {shown(named)}: use states by label, as in {{'goal': [3]}}")
    for name, states in named.items():
        labels[name] = model.marked(states, f"labels[{name!r}]")
    target = given.get("target")
    if target is not None and not (isinstance(target, str) and target in labels):
        if TARGET in labels:
            raise ValueError(f"target: found {shown(target)} beside a label 'target': use a label of labels")
        labels[TARGET] = model.marked(target, "target")
        labels[TARGET][model.given :] = True  # where episodes end, totals do
        given["target"] = TARGET
    if "property" in given:
        given.pop("target", None)  # the property names the label
    ending = None
    if "terminal" in given:
        ending = model.ending(given["terminal"])
        given["terminal"] = TERMINAL
        if TERMINAL in model.others or model.reward == TERMINAL:
            raise ValueError("terminal: found rewards of that name in R: use another name there")
    if (ending is not None or model.others) and "criterion" in given:
        given.setdefault("reward", model.reward)
    initial = 0
    if "initial" in given:
        found = np.flatnonzero(model.marked(given.pop("initial"), "initial"))
        initial = int(found[0])
        if len(found) > 1:
            raise ValueError(f"initial: found {len(found)} states: use one")
    return Asked(model, Marks(labels, ending, initial), given)


def limits_of(limits: Any) -> list[str]:
    """Limits as the command reads them."""
    form = "use {'loss': '<=0.01'}, with <= or >="
    if not isinstance(limits, Mapping) or is_sparse(limits) or not limits:
        raise ValueError(f"limits: found {shown(limits)}: {form}")
    for name, limit in limits.items():
        if not isinstance(name, str) or not isinstance(limit, str) or limit.strip()[:2] not in ("<=", ">="):
            raise ValueError(f"limits: found {shown({name: limit})}: {form}")
    return [word("limits", name + limit.strip()) for name, limit in limits.items()]


def constants_of(constants: Any) -> list[str]:
    """Values of a property's constants as the command reads them."""
    if not isinstance(constants, Mapping) or not all(isinstance(name, str) for name in constants):
        raise ValueError(f"const: found {shown(constants)}: use values by name, as in {{'T': 4}}")
    return [f"{name}={word('const', value)}" for name, value in constants.items()]


def other_of(tradeoff: Any) -> str:
    """The reward of a trade-off as the command reads it."""
    given = tradeoff if isinstance(tradeoff, tuple) else (tradeoff,)
    if (
        len(given) not in (1, 2)
        or not all(isinstance(one, str) for one in given)
        or given[1:] not in ((), ("min",), ("max",))
    ):
        raise ValueError(f"tradeoff: found {shown(tradeoff)}: use the name of a reward, or ('output', 'max')")
    return word("tradeoff", ":".join(given))


def property_of(text: Any) -> str:
    """A property, or the file of properties as the command finds it from its own folder."""
    if isinstance(text, os.PathLike) or (isinstance(text, str) and text and not set(text) & set('[(=<>?"')):
        return named_file(text, "property")
    if not isinstance(text, str):
        raise ValueError(f"property: found {shown(text)}: use a text, such as 'Pmax=? [F \"goal\"]'")
    return text


def named_file(path: Any, argument: str) -> str:
    """A file as the command finds it from its own folder."""
    if not isinstance(path, (str, os.PathLike)) or not os.fspath(path) or "\0" in os.fsdecode(path):
        raise ValueError(f"{argument}: found {shown(path)}: use the name of a file")
    return file(os.path.abspath(path))


def policy_of(asked: Asked, policy: Any) -> tuple[dict[str, object], dict[str, bytes]]:
    """The flag and the file of a policy; nothing for None, where a model has nothing to choose."""
    if policy is None and (asked.model.path is not None or not asked.model.has_choices):
        return {}, {}
    if isinstance(policy, (str, os.PathLike)):
        return {"policy": named_file(policy, "policy")}, {}
    policy = one_of(policy)
    if callable(policy) or isinstance(policy, Mapping):
        found = "a function" if callable(policy) else "a dict"
        raise ValueError(f"policy: found {found}, which is for a Problem: use an array, with an action for each state")
    steps, horizon = by_step(asked.model, policy, "policy"), asked.flags.get("horizon")
    if len(steps) > 1 and isinstance(horizon, (int, np.integer)) and horizon != len(steps):
        raise ValueError(f"policy: found {len(steps)} steps: use a policy for each of {horizon}")
    return {"policy": POLICY}, {POLICY: table_of(asked.model, steps, "policy").encode()}


def one_of(policy: Any) -> Any:
    """The policy of an answer within limits, which may be one of several; any other policy as it is."""
    if not hasattr(policy, "weights"):
        return policy
    if len(policy.weights) > 1:
        found = f"found an answer that draws one of {len(policy.weights)} policies at the start"
        raise ValueError(f"policy: {found}: use one of its probabilities, weighted by weights")
    return policy.probabilities[0]


def table_of(model: Model, steps: Any, argument: str) -> str:
    """A policy of by_step as a table for the command, which numbers the actions of each state from 0."""
    columns: dict[str, Any] = {}
    step: Indices
    state: Indices
    action: Indices
    if steps.ndim == 3:  # probabilities
        step, state, action = np.nonzero(steps)
        columns["probability"] = steps[step, state, action]
    else:
        step, state = np.indices(steps.shape).reshape(2, -1)
        action = steps.ravel()
    if len(steps) > 1:
        columns["step"] = step + 1
    columns["state"] = state
    columns["policy"] = action if model.path is not None else own_numbers(model, state, action, argument)
    rows = zip(*(column.tolist() for column in columns.values()), strict=True)
    return "\n".join([",".join(columns), *(",".join(map(repr, row)) for row in rows)])


def by_step(model: Model, policy: Any, argument: str) -> Any:
    """Actions by step and state, or probabilities by step, state and action."""
    right = "use an action for each state, or for each step and state, or a probability for each state and action"
    array, given = numbers(policy, argument), np.asarray(policy)
    random = given.dtype.kind == "f"
    if random and array.ndim == 1:
        raise ValueError(f"{argument}: found values of type {given.dtype}: use whole numbers, an action for each state")
    if policy is None or given.dtype.kind not in "iuf" or array.ndim not in ((2, 3) if random else (1, 2)):
        raise ValueError(f"{argument}: found {shown(policy)}: {right}")
    if not random and (given < 0).any():
        raise ValueError(f"{argument}: found action {given.min()}: use actions from 0")
    steps = given[None] if given.ndim == 1 + random else given
    if random and not (good := (steps >= 0) & (steps <= 1)).all():
        step, state, action = np.argwhere(~good)[0].tolist()
        within = f"step {step + 1}, " if len(steps) > 1 else ""
        found = f"found {steps[step, state, action]}: use a probability from 0 to 1"
        raise ValueError(f"{argument}: {within}state {state}, action {action}: {found}")
    if model.path is not None:
        return steps
    if steps.shape[1] != model.given:
        raise ValueError(f"{argument}: found shape {given.shape}: {right}, of which there are {model.given}")
    if not model.has_end:
        return steps
    last = np.zeros((len(steps), 1, *steps.shape[2:]), steps.dtype)
    if random:
        last[..., 0] = 1
    return np.concatenate([steps, last], axis=1)


def own_numbers(model: Model, states: Indices, actions: Indices, argument: str) -> Indices:
    """The number of each action among those of its state, which need not have all actions."""
    names = names_of(model.start, model.actions)
    width = int(max(names.max(initial=0), actions.max(initial=0))) + 1
    owners = np.repeat(np.arange(model.states), np.diff(model.start))
    keys, asked = owners * width + names, states * width + actions.astype(np.int64)
    order = np.argsort(keys, kind="stable")  # a state may list its actions in any order
    place = order[np.minimum(np.searchsorted(keys, asked, sorter=order), len(keys) - 1)]
    for missing in np.flatnonzero(keys[place] != asked)[:1]:
        raise ValueError(f"{argument}: state {states[missing]} has no action {actions[missing]}")
    return np.asarray(place - model.start[states], np.int64)


def names_of(start: Indices, actions: Indices | None) -> Indices:
    """The name of the action of each choice: a number that the model gives it, or its number in its state."""
    if actions is not None:
        return actions
    return np.arange(int(start[-1])) - np.repeat(start[:-1], np.diff(start))


def arrays_in(archive: bytes, certificate: bool = False) -> tuple[Record, dict[str, Any]]:
    """What a file of the command holds: its JSON, and by name the arrays of the certificate, or all others."""
    start = "certificate."
    found = members(archive)
    details: Record = records(bytes(found.pop("result.json")))
    wanted = [name for name in found if name.startswith(start) == certificate]
    return details, {name.removeprefix(start).removesuffix(".npy"): array_of(found[name]) for name in wanted}


def members(archive: bytes) -> dict[str, memoryview]:
    """The members of a zip file of the command, which does not compress them.

    It does the work of zipfile.ZipFile, which would take longer than a small answer.
    """
    found: dict[str, memoryview] = {}
    view = memoryview(archive)
    count, _, at = struct.unpack_from("<HII", archive, len(archive) - 12)
    if at == 0xFFFFFFFF:  # beyond 4 GiB
        with zipfile.ZipFile(io.BytesIO(archive)) as whole:
            return {name: memoryview(whole.read(name)) for name in whole.namelist()}
    for _ in range(count):
        size, length, extra, comment = struct.unpack_from("<IHHH", archive, at + 24)
        (place,) = struct.unpack_from("<I", archive, at + 42)
        name = bytes(view[at + 46 : at + 46 + length]).decode()
        begin = place + 30 + sum(struct.unpack_from("<HH", archive, place + 26))
        found[name] = view[begin : begin + size]
        at += 46 + length + extra + comment
    return found


def array_of(member: memoryview) -> Any:
    """A copy of the array in a file .npy of the command: what numpy.load returns, but faster for small answers."""
    header = re.match(rb"(?s:.{10})\{'descr': '(<[fi]\d)'[^\n]*'shape': \((\d+), ?(\d*)\)[^\n]*\n", member)
    assert header
    array = np.frombuffer(member[header.end() :], header[1].decode()).copy()
    return array.reshape(int(header[2]), int(header[3])) if header[3] else array
