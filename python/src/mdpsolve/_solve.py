"""The verbs for models: solve, evaluate, simulate, distribution, check."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from ._answers import (
    Answer,
    Distribution,
    Mixture,
    Result,
    Simulation,
    TradeOff,
    Verdict,
    answer_of,
    distribution_of,
    floats,
    judged,
    mixture_of,
    trade_off_of,
)
from ._command import CLAIM, RESULT, START, Record, word
from ._model import Model, numbers
from ._named import NamedAnswer, claimed, named, numbered, own_names, policy_numbers, verdict
from ._outcomes import by_outcome
from ._problem import Problem
from ._question import (
    Asked,
    Options,
    Play,
    Question,
    arrays_in,
    ask,
    by_step,
    named_file,
    policy_of,
    table_of,
    with_arguments,
)
from ._steps import Stepped, changing, flat, flat_result, folded, question, unrolled

if TYPE_CHECKING:
    from typing_extensions import Unpack


@overload
def solve(
    P: Any = None, R: Any = None, *, limits: Mapping[str, str], start_from: None = None, **options: Unpack[Options]
) -> Mixture: ...
@overload
def solve(
    P: Any = None,
    R: Any = None,
    *,
    tradeoff: str | tuple[str, str],
    start_from: None = None,
    **options: Unpack[Options],
) -> TradeOff: ...
@overload
def solve(
    P: Problem,
    R: None = None,
    *,
    limits: None = None,
    tradeoff: None = None,
    start_from: NamedAnswer | Answer | str | os.PathLike[str] | None = None,
    **options: Unpack[Options],
) -> NamedAnswer: ...
@overload
def solve(
    P: Any = None,
    R: Any = None,
    *,
    limits: None = None,
    tradeoff: None = None,
    start_from: Answer | str | os.PathLike[str] | None = None,
    **options: Unpack[Options],
) -> Answer: ...
@with_arguments(Options)
def solve(
    P: Any = None,
    R: Any = None,
    *,
    limits: Mapping[str, str] | None = None,
    tradeoff: str | tuple[str, str] | None = None,
    start_from: NamedAnswer | Answer | str | os.PathLike[str] | None = None,
    **options: Unpack[Options],
) -> Answer | NamedAnswer | Mixture | TradeOff:
    """The best policy of a Markov decision process, and its value.

    P       transition probabilities: an array (A, S, S), a list of A matrices, dense or of SciPy, Gymnasium's
            env.unwrapped.P, the name of a model file, a Model, or a Problem, whose states and actions the answer names
    R       rewards: (S,), (S, A), (A, S, S) or a list of A matrices. An action with reward -inf (+inf if sense is
            "min"), or with a transition of that reward, is not allowed in that state. Several rewards are a dict by
            name: the first may have all these forms, others (S,) or (S, A); reward names the one to optimise, without
            it the first.
    sense   "max", the default, to maximise rewards, "min" to minimise costs
    rates   in place of P: transition rates of a process in continuous time, in the form of P. Negative entries on the
            diagonals, as generators have them, are ignored. Rewards (S,) and (S, A) are per unit of time, others are
            earned by each transition.
    durations  mean sojourn times of a semi-Markov process, (S,) or (S, A), beside a P of matrices. Rewards (S,) and
            (S, A) are earned by each decision.
    upper   the upper ends of intervals of probabilities, in the form of P, whose entries are the lower ends.
            uncertainty says how nature chooses from the intervals in every step: "worst" or "best" for you.
    labels  states by label, as numbers or masks, for property and target; initial is the initial state (0)

    The criterion follows from what is given:

    discount  weighs the reward after t steps by discount**t
    rate      with rates: weighs what is earned after time t by exp(-rate*t)
    horizon   a number of steps. discount may stand beside it, and terminal: a reward for each state at the end (for a
              model file, the name of a reward model). The answer has the actions of each step as policies.
    target    states where a total ends, as numbers, a mask, or a label: policies have to reach them
    property  states the whole question in the notation of PRISM, as in 'Pmax=? [F "goal"]'
    const     values of constants that the property leaves open, by name, as in {"T": 4}

    criterion="average" asks for the average per step. criterion="total" asks for the total of all steps, as in episodes
    that P ends with done.

    With horizon, P may have the matrices of each step, (T, A, S, S), and R the rewards of each, (T, S, A): the answer
    has step_values and policies by step and state.

    limits={"loss": "<=0.01"} keeps other rewards within limits, and the answer is a Mixture. tradeoff="output" or
    ("output", "max") finds the TradeOff with another reward. With action_values=True the answer says which actions are
    optimal. With step_values=True it has the values before each step of a finite horizon. start_from is an answer, or
    its file, from which solve starts. Other arguments are flags of mdpsolve solve.

    Raises ValueError for what is not valid, in one line, and TypeError for an environment in place of its table.
    """
    if isinstance(start_from, NamedAnswer):
        start_from = start_from.numbers
    if isinstance(P, Problem):
        with own_names(P):
            asked_of: Any = {
                **numbered(P, R, options),
                "limits": limits,
                "tradeoff": tradeoff,
                "start_from": start_from,
            }
            found: Answer | Mixture | TradeOff = solve(P.model(options.get("reward")), **asked_of)
            return named(P, found)
    given = {**options, "limits": limits, "tradeoff": tradeoff, "start_from": start_from}
    if (steps := changing(P, R, options)) is not None:
        model = unrolled(steps, options.get("terminal"), options.get("sense") or "max")
        whole = solve(model, None, **question(given))
        assert isinstance(whole, Answer)
        return folded(whole, len(steps))
    asked = ask(P, R, {**options, "limits": limits, "tradeoff": tradeoff})
    more: dict[str, object] = {}
    files: dict[str, bytes] = {}
    if isinstance(start_from, Result):
        files[START] = start_from.proof()
        more["start_from"] = START
    elif start_from is not None:
        more["start_from"] = named_file(start_from, "start_from")
    if tradeoff is not None:
        return trade_off_of(asked, asked.answer("solve", more, files))
    return result(asked, "solve", more, files)


@overload
def evaluate(P: Problem, R: None = None, policy: Any = None, **options: Unpack[Options]) -> NamedAnswer: ...
@overload
def evaluate(P: Any = None, R: Any = None, policy: Any = None, **options: Unpack[Options]) -> Answer: ...
@with_arguments(Options)
def evaluate(P: Any = None, R: Any = None, policy: Any = None, **options: Unpack[Options]) -> Answer | NamedAnswer:
    """The value of a given policy, with proved bounds.

    policy is an action for each state or, with horizon, for each step and state, as in answer.policies. A randomised
    policy has a probability for each state and action, as in mixture.probabilities[0]. policy may also be the name of
    a file. A model without choices needs no policy. For a Problem, the policy is a function of a state, a dict or the
    policy of an answer. Other arguments are those of solve.
    """
    if isinstance(P, Problem):
        with own_names(P):
            own = policy_numbers(P, policy)
            return NamedAnswer(P, evaluate(P.model(options.get("reward")), None, own, **numbered(P, R, options)))
    if (steps := changing(P, R, options)) is not None:
        model = unrolled(steps, options.get("terminal"), options.get("sense") or "max")
        return folded(evaluate(model, None, flat(policy, len(steps)), **question(options)), len(steps))
    asked = ask(P, R, options)
    found = result(asked, "evaluate", *policy_of(asked, policy))
    assert isinstance(found, Answer)
    return found


@with_arguments(Play)
def simulate(P: Any = None, R: Any = None, policy: Any = None, **options: Unpack[Play]) -> Simulation:
    """The mean value of a policy over replications that start in the initial state, with a confidence interval.

    Arguments are those of evaluate. Where the outcomes of an action earn different rewards, a step earns their mean:
    the interval is about the mean value, not about how totals vary. With criterion given, horizon is the number of
    steps to simulate. warm_up, replications, seed and confidence are flags of mdpsolve simulate.
    """
    if isinstance(P, Problem):
        with own_names(P):
            own = policy_numbers(P, policy)
            return simulate(P.model(options.get("reward")), None, own, **numbered(P, R, options))
    if (steps := changing(P, R, options)) is not None:
        model = unrolled(steps, options.get("terminal"), options.get("sense") or "max")
        return simulate(model, None, flat(policy, len(steps)), **question(options))
    asked = ask(P, R, options, sensed=False)
    d = asked.answer("simulate", *policy_of(asked, policy))
    mean, lower, upper = floats([d.mean, d.lower, d.upper])
    return Simulation(float(mean), float(lower), float(upper), d.confidence, d.status, d)


@with_arguments(Question)
def distribution(
    P: Any = None,
    R: Any = None,
    policy: Any = None,
    x: float | str | Sequence[float | str] = (),
    **options: Unpack[Question],
) -> Distribution:
    """The distribution of a total under a policy, until a target or of horizon steps, with proved bounds.

    There is no discount. Until a target, rewards and x are from 0 up; a horizon takes all, and terminal.
    x is a number or several, or a range as text, as in "0:20:1". Other arguments are those of evaluate. Outcomes of an
    action may earn differently. Where those to the same state do, the state has a copy for each, so the policy may not
    be a file.
    """
    if isinstance(P, Problem):
        with own_names(P):
            own = policy_numbers(P, policy)
            return distribution(P.model(options.get("reward")), None, own, x, **numbered(P, R, options))
    if (steps := changing(P, R, options)) is not None:
        model = unrolled(steps, options.get("terminal"), options.get("sense") or "max")
        asked = ask(model, None, {**question(options), "criterion": "finite", "horizon": len(steps) + 1})
        if "discount" in asked.flags:
            raise ValueError("discount: a distribution is of a total without discount: leave it out")
        policy = flat(policy, len(steps))
    else:
        asked, policy = by_outcome(ask(P, R, options), policy)
    given = [x] if isinstance(x, str) or not np.iterable(x) else list(x)
    points = ",".join(word("x", one) for one in given)
    flag, files = policy_of(asked, policy)
    return distribution_of(asked.answer("evaluate", {**flag, "distribution": points}, files, distribution="x"))


@with_arguments(Options)
def check(P: Any, result: Any, R: Any = None, policy: Any = None, **options: Unpack[Options]) -> Record:
    """Has the command judge an answer about a model; verdict is "holds" if all of it is proved.

    result is an answer of solve or evaluate, or the name of a file. With a question and a tolerance it may also come
    from another program: an array of values by state, or a policy; for a Problem also a dict of these by state. If a
    file of evaluate is about a policy, give that as policy.
    """
    if isinstance(result, NamedAnswer):
        result = result.numbers
    if isinstance(P, Problem):
        with own_names(P):
            if not isinstance(result, (Result, str, os.PathLike, np.ndarray)):
                result = claimed(P, result)
            own = policy_numbers(P, policy)
            found = check(P.model(options.get("reward")), result, None, own, **numbered(P, R, options))
            return verdict(P, found)
    if (steps := changing(P, R, options)) is not None:
        model = unrolled(steps, options.get("terminal"), options.get("sense") or "max")
        if isinstance(result, Result):  # it states its own question
            return judged(Asked(model, result.asked.marks), result.proof())
        if not isinstance(result, (str, os.PathLike)):
            result = flat_result(result, len(steps), options.get("terminal"))
        policy = None if policy is None else flat(policy, len(steps))
        return check(model, result, None, policy, **question(options))
    if isinstance(result, Stepped):
        raise ValueError("result: the answer is about steps that change: give horizon, and P and R of each step")
    asked = ask(P, R, options, needed=False)
    if isinstance(result, Result):
        marks = result.asked.marks if asked.model.path is None else asked.marks
        return judged(Asked(asked.model, marks, asked.flags), result.proof())
    flag, files = ({}, {}) if policy is None else policy_of(asked, policy)
    if isinstance(result, (str, os.PathLike)):
        return asked.answer("check", flag, files, named_file(result, "result"))
    numbers(result, "result")
    if np.asarray(result).dtype.kind == "f":
        table = values_table(asked.model, result)
    else:
        table = table_of(asked.model, by_step(asked.model, result, "result"), "result")
    files[CLAIM] = table.encode()
    return Verdict(asked.answer("check", flag, files, CLAIM) | {"file": asked.model.path or "P", "result": "result"})


def values_table(model: Model, values: Any) -> str:
    """Values by state as a table for the command."""
    array = numbers(values, "result")
    if array.ndim != 1 or (model.path is None and len(array) != model.given):
        raise ValueError(f"result: found shape {array.shape}: use a value for each state")
    ends = [0.0] * (model.has_end and model.path is None)
    return "\n".join(["state,value", *(f"{s},{v!r}" for s, v in enumerate([*array.tolist(), *ends]))])


def result(asked: Asked, verb: str, more: Mapping[str, object], files: Mapping[str, bytes]) -> Answer | Mixture:
    """The answer of solve or evaluate, from the file that the verb writes."""
    printing = {"output": "json"} if "step_values" in asked.flags else {}  # text has no values of steps
    try:
        _, archive = asked.run(verb, {**more, **printing, "out": RESULT}, files)
    except ValueError as refused:
        if "a time in a CTMC" not in str(refused):
            raise
        return timed(asked, verb, more, files)
    if "constraint" in asked.flags:
        return mixture_of(asked, archive)
    return answer_of(asked, *arrays_in(archive), archive)


def timed(asked: Asked, verb: str, more: Mapping[str, object], files: Mapping[str, bytes]) -> Answer:
    """The answer to a question about a time in a CTMC, which has no certificate, and so no file."""
    details = asked.answer(verb, more, files)
    arrays: dict[str, Any] = {name: floats(details.pop(name)) for name in ("values", "lower", "upper")}
    if "policy" in details:
        arrays["policy"] = np.array(details.pop("policy"))
    return answer_of(asked, details, arrays, b"")
