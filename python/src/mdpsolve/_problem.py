"""Models from functions: a Problem is explored from its start states, or has its states in an array."""

from __future__ import annotations

import copy
import os
import warnings
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ._command import shown
from ._marks import with_names
from ._model import REWARD, Floats, Indices, Marks, Mask, Model, Names, Rows, means, numbers
from ._states import ArrayStates, ListedStates, States, columns_of

SUM_WITHIN = 1e-6  # what normalize allows; the command demands 1e-9 without it
WHOLE = "a sum of 1, as by giving one outcome what others lack"
MOST_STATES = 10_000_000
MANY_STATES = 100_000  # that may mean that there is no end
CHUNK = 1 << 13  # choices whose numbers are checked at a time

# By the name of rewards, where outcomes of a choice earn differently: a part of rows, a transition, and what those from
# there on earn.
Apart = dict[str, list[tuple[int, int, Floats]]]
PLAIN = (int, float)  # rewards of these types are numbers


class Problem:
    """A Markov decision process whose states and actions are any hashable values of yours.

        def step(stock, order):
            after = min(stock + order, 20)
            return [(p, max(after - demand, 0), price * min(after, demand) - 2 * order) for demand, p in law.items()]

        problem = mdpsolve.Problem(0, range(21), step)
        answer = mdpsolve.solve(problem, discount=0.99)
        answer.policy[3], answer.value[3], answer.frame()

    The functions must be pure: for the same arguments they return the same. They are called at once, for each state
    that can be reached, in breadth-first order.

    start    a state where exploration begins, or a list of several; the first is the initial state
    actions  the actions of all states, or a function of a state that returns its own, at least one
    step     a function of a state and an action. It returns the outcomes of a step, each a tuple (probability, next
             state), (probability, next state, reward) or (probability, next state, reward, done); with done, the step
             is the last to earn. Probabilities of the same state are added, outcomes of probability 0 dropped. A dict
             of probabilities by next state will do, too. A probability of which only an interval is known is a tuple
             (least, greatest); all outcomes of that action then earn the same, and questions need uncertainty.
    reward   a function of a state and an action: what a step earns beside the rewards of its outcomes. In both, a
             reward is a number, or a dict of several by name: the first that is found is the one to optimise, unless a
             question names another by its argument reward. All dicts have the same names.
    rewards  the names of all rewards, of which dicts may leave some out: those are 0. The first is the one to optimise.
    rates    True if step returns the rates of transitions in continuous time, in place of probabilities. reward is then
             per unit of time, and the reward of an outcome is earned by each such transition.
    durations  the mean sojourn time of a state under an action, in a semi-Markov process: a function of both
    labels   states by label, for target, property and frames: functions of a state that return true or false
    variables  the names of the parts of states that are tuples, for frames, pictures and rules; those of named tuples
             and data classes are known
    max_states  ends the exploration with an error if there are more states; from 100,000 on there is a warning

    Raises ValueError, in one line that names the state and the action. solve, evaluate, simulate, distribution, check,
    rules and sweep take a Problem in place of P. There, target may be a label, a state, a list of states or a function
    of a state; initial is a state; terminal is a function of a state, or a dict; a policy is a function that returns an
    action, a dict of actions by state (or of dicts of probabilities by action), the policy of an answer, or an array of
    NumPy with the places of actions in problem.actions. Dicts may have further states, which play no role.
    """

    states: States  # by number
    actions: tuple[Any, ...]  # all actions, by number
    labels: dict[str, Mask]  # the states of each label

    def __init__(
        self,
        start: Any,
        actions: Callable[[Any], Iterable[Any]] | Iterable[Any],
        step: Callable[[Any, Any], Any],
        *,
        reward: Callable[[Any, Any], Any] | None = None,
        rewards: Sequence[str] | None = None,
        rates: bool = False,
        durations: Callable[[Any, Any], float] | None = None,
        labels: Mapping[str, Callable[[Any], Any]] | None = None,
        variables: Sequence[str] | None = None,
        max_states: int = MOST_STATES,
    ) -> None:
        check_functions(step=step, reward=reward, durations=durations)
        check_rates(rates)
        if isinstance(max_states, bool) or not isinstance(max_states, (int, np.integer)) or max_states < 1:
            raise ValueError(f"max_states: found {shown(max_states)}: use a whole number from 1 up")
        begin = list(start) if isinstance(start, list) else [start]
        if not begin:
            raise ValueError("start: found no state: give one or more")
        found: dict[Any, int] = {}
        for s in begin:
            number(found, s, "start")
        listed = list(found)
        made = Building(rates, RewardNames(rewards))
        own = listing(actions)
        limit = min(MANY_STATES, max_states)
        for s in grown(listed):
            try:
                choices = own(s)
            except Exception as fault:
                made.blame(fault, s, found)
                raise
            for a in made.actions_of(s, choices):
                try:
                    outcomes = listed_outcomes(step(s, a), s, a)
                    made.earned.append(0 if reward is None else reward(s, a))
                    if durations is not None:
                        made.lasting.append(durations(s, a))
                except Exception as fault:
                    if not str(fault).startswith("step: "):
                        made.blame(fault, s, found, a)
                    raise
                for p, to, *more in outcomes:
                    if p == 0:
                        continue
                    if len(more) > 1 and more[1]:
                        j = -1
                    else:
                        try:
                            j = found[to]
                        except (KeyError, TypeError):
                            j = number(found, to, "step", s, a)
                            listed.append(to)
                            if len(listed) > limit:
                                limit = next_limit(limit, max_states, to)
                    made.shares.append(p)
                    made.targets.append(j)
                    made.rewards.append(more[0] if more else 0)
                made.ended(s, a)
        made.flush()
        self.states = ListedStates(listed, found)
        self._finish(made.model(len(listed)), made.actions, labels, variables)

    def _finish(
        self,
        model: Model,
        actions: Iterable[Any],
        labels: Mapping[str, Callable[[Any], Any]] | None,
        variables: Sequence[str] | None,
    ) -> None:
        self.actions = tuple(actions)
        self.variables = columns_of(self.states, variables)
        model.names = Names(self.states, self.actions, self.variables)
        self._model = model
        self.labels = {}
        if labels is not None and not isinstance(labels, Mapping):
            raise ValueError(f"labels: found {shown(labels)}: use functions of a state by label")
        for name, holds in (labels or {}).items():
            if not isinstance(name, str) or not name or not callable(holds):
                raise ValueError(f"labels: found {shown({name: holds})}: use functions of a state by label")
            self.labels[name] = self.states.where(holds, f"labels[{name!r}]")

    @classmethod
    def of_arrays(
        cls,
        states: Any,
        actions: Iterable[Any],
        step: Callable[[Any, Any], Any],
        *,
        allowed: Callable[[Any, Any], Any] | None = None,
        reward: Callable[[Any, Any], Any] | None = None,
        rewards: Sequence[str] | None = None,
        rates: bool = False,
        durations: Callable[[Any, Any], Any] | None = None,
        labels: Mapping[str, Callable[[Any], Any]] | None = None,
        variables: Sequence[str] | None = None,
    ) -> Problem:
        """A problem whose functions take many states at once, as an array; it builds 10**6 states in seconds.

        states   all states: a structured array, whose fields are the variables; an array (n, k) of k variables; or one
                 of n numbers. The first is the initial state.
        actions  all actions
        step     a function of an array of states and one action, called once for each action. It returns a list of
                 outcomes as step of a Problem does, in which probability, reward and done are arrays with an entry for
                 each of the states, or a number for all; next states are an array in the form of states, or a tuple of
                 k columns. Next states of probability 0 need not be among the states.
        allowed  a function of the states and an action: which of the states have the action; without it, all have

        reward, durations and labels are functions of states and action, or of states, that return arrays. In questions,
        functions take all states at once, too. For the rest see Problem.
        """
        check_functions(step=step, allowed=allowed, reward=reward, durations=durations)
        check_rates(rates)
        problem = cls.__new__(cls)
        place = ArrayStates(states)
        problem.states = place
        if callable(actions):
            raise TypeError("actions: found a function: list all actions, and say in allowed which states have them")
        listed = distinct(listing(actions)(None))
        model = of_arrays(place, listed, step, allowed, reward, RewardNames(rewards), rates, durations)
        problem._finish(model, listed, labels, variables)
        return problem

    @classmethod
    def from_env(
        cls,
        env: Any,
        *,
        samples: int | None = None,
        seed: int = 0,
        state: Callable[[Any], Hashable] | None = None,
        actions: Callable[[Any], Iterable[Any]] | Iterable[Any] | None = None,
        labels: Mapping[str, Callable[[Any], Any]] | None = None,
        variables: Sequence[str] | None = None,
        max_states: int = 100_000,
    ) -> Problem:
        """A problem found by stepping through an environment of Gymnasium, whose states have to be few enough.

        Each state that is reached is kept as a copy of the environment (copy.deepcopy), from which all actions are
        tried. An environment that draws random numbers needs samples: then probabilities are shares of so many steps,
        and bounds are about that estimate. Without samples, two steps are compared, and a difference is an error.
        Truncation does not end an episode. If the environment has a table P, use solve(env.unwrapped.P): it is exact.

        samples  steps for each state and action, whose random numbers come from seed
        state    a function of the environment that returns all that its future depends on, hashable; without it, the
                 observation is the state
        actions  without it, those of a discrete env.action_space
        """
        stepping = Stepping(env, samples, seed, state, actions)
        more: dict[str, Any] = {"labels": labels, "variables": variables, "max_states": max_states}
        return cls([stepping.first], stepping.actions, stepping.step, **more)

    def __len__(self) -> int:
        return len(self.states)

    def __repr__(self) -> str:
        names = ", ".join([self._model.reward, *self._model.others])
        return f"<{self._model.kind} of {len(self)} states, actions: {len(self.actions)}, rewards: {names}>"

    def model(self, reward: str | None = None) -> Model:
        """The model, by numbers of states and actions. reward is the name of the rewards that come first."""
        return self._model.about(reward)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model to a file, which mdpsolve solve and other tools read.

        The file has the variables of states, the names of actions, labels and all rewards, of which outcomes earn the
        mean. Where there are several rewards, questions about the file name one by reward. The name of the file tells
        the format: .umb, or another that mdpsolve convert writes. A model with rates or durations is in JSON (.json).
        """
        labels = {name: self._model.marked(mask, name) for name, mask in self.labels.items() if mask.any()}
        marks = with_names(Marks(labels), len(self), self.variables, [str(one) for one in self.actions])
        self._model.write(path, marks=marks)


class Building:
    """The arrays of a model while it is explored. Lists of some choices become arrays, in which faults are found."""

    def __init__(self, rates: bool, names: RewardNames) -> None:
        self.rates, self.names = rates, names
        self.actions: dict[Any, int] = {}
        self.acts: list[int] = []
        self.ends = [0]  # of states, in choices
        self.sizes: list[Any] = []  # outcomes by choice
        self.arrays: list[tuple[Any, Any, Any]] = []  # targets, greatest probabilities, least ones
        self.between = False  # whether the last two differ
        self.by_name: dict[str, list[Any]] = {name: [] for name in names.declared}  # what choices earn
        self.apart: Apart = {}
        self.long: list[Any] = []  # how long they last
        self.count = 0  # of choices in arrays
        self.transitions = 0  # in arrays
        self.clear()

    def blame(self, fault: Exception, s: Any, found: Mapping[Any, int], *a: Any) -> None:
        """Says with what a function that failed was called, and which step led there.

        Raises ValueError where that step does not begin an outcome with its probability.
        """
        where = place(s, a[0]) if a else f"state {shown(s)}"
        j = found[s]
        if j in self.targets:
            e = self.targets.index(j)
            before = place(*self.places[int(np.searchsorted(self.until, e, "right")) - 1]) if e < self.until[-1] else ""
            p = self.shares[e]
            ends = [number_or_none(x) for x in (p if isinstance(p, tuple) and len(p) == 2 else (p,))]
            if before and any(x is None for x in ends):
                outcome = shown((p, s))[:-1] + ", …)"
                text = f"found outcome {outcome}, and {shown(s)} is no state: begin it with its probability"
                raise ValueError(f"step: {before}: {text}") from fault
            where += f", to which step led from {before}" if before else ""
        if hasattr(fault, "add_note"):  # Python 3.11
            fault.add_note(f"mdpsolve.Problem called it with {where}")

    def clear(self) -> None:
        """Begins new lists."""
        self.places: list[tuple[Any, Any]] = []  # state and action, by choice
        self.until = [0]  # the outcomes of choices end here
        self.earned: list[Any] = []
        self.lasting: list[Any] = []
        self.shares: list[Any] = []  # by outcome
        self.targets: list[int] = []
        self.rewards: list[Any] = []

    def actions_of(self, s: Any, choices: Sequence[Any]) -> Sequence[Any]:
        """Begins a state, which has these actions."""
        for a in distinct(choices, f"state {shown(s)}: "):
            self.acts.append(self.actions.setdefault(a, len(self.actions)))
        self.ends.append(len(self.acts))
        return choices

    def ended(self, s: Any, a: Any) -> None:
        """Ends a choice."""
        self.places.append((s, a))
        self.until.append(len(self.shares))
        if len(self.places) == CHUNK:
            self.flush()

    def flush(self) -> None:
        """Turns the lists into arrays."""
        size, until = len(self.places), np.array(self.until)
        owners = np.repeat(np.arange(size), np.diff(until))
        right = "a rate from 0 up" if self.rates else "a probability from 0 to 1"
        most = np.inf if self.rates else 1 + SUM_WITHIN

        def refuse(what: str, values: Sequence[Any], good: Any, of: Any, use: str) -> None:
            if not good.all():
                i = int(good.argmin())
                source, _, kind = what.partition(" ")
                found = f"found {kind + ' ' if kind else ''}{shown(values[i])}"
                raise ValueError(f"{source}: {place(*self.places[of[i]])}: {found}: use {use}")

        between = not self.rates and any(type(p) is tuple and len(p) == 2 for p in self.shares)
        ends = [p if type(p) is tuple and len(p) == 2 else (p, p) for p in self.shares] if between else []
        shares = floats([high for _, high in ends] if between else self.shares)
        lows = floats([low for low, _ in ends]) if between else shares
        if (odd := lows > shares).any():
            refuse("step", self.shares, ~odd, owners, "the least probability first")
        good = (lows >= 0) & (lows <= shares) & (shares <= most) & (shares < np.inf)
        refuse("step", self.shares, good, owners, right)
        sums, least = np.bincount(owners, shares, size), np.bincount(owners, lows, size)
        if not self.rates and (off := (sums < 1 - SUM_WITHIN) | (least > 1 + SUM_WITHIN)).any():
            i = int(off.argmax())
            found = f"{sums[i]:.10g}" if least[i] == sums[i] else f"from {least[i]:.10g} to {sums[i]:.10g}"
            right = "a sum of 1; an outcome begins with its probability, or its interval" if between else WHOLE
            raise ValueError(f"step: {place(*self.places[i])}: found probabilities that sum to {found}: use {right}")
        self.between |= between
        self.arrays.append((np.array(self.targets, np.int64), shares, lows))
        self.sizes.append(np.diff(until))
        if self.lasting:
            lasting = floats(self.lasting)
            good = (lasting > 0) & (lasting < np.inf)
            refuse("durations", self.lasting, good, np.arange(size), "a positive number")
            self.long.append(lasting)
        right = "a finite number, or a dict of such by name"
        by_source: dict[str, dict[str, Floats]] = {}
        for source, values, of in ("step", self.rewards, owners), ("reward", self.earned, np.arange(size)):
            by_name = by_source[source] = {}
            for name, entries in self.split(source, values, of).items():
                by_name[name] = floats(entries)
                refuse(f"{source} reward", entries, np.isfinite(by_name[name]), of, right)
        totals: dict[str, Floats] = {}
        for name, array in by_source["step"].items():
            mean, differs = means(array, shares, until)
            uncertain = differs[owners] & (lows < shares)
            if uncertain.any():
                where = place(*self.places[owners[int(uncertain.argmax())]])
                text = "found outcomes of different rewards and uncertain probabilities: use the same reward"
                raise ValueError(f"step: {where}: {text}")
            totals[name] = mean * sums if self.rates else mean
            if differs.any():
                beside = by_source["reward"].get(name, np.zeros(size))
                self.apart.setdefault(name, []).append((0, self.transitions, array + beside[owners]))
        for name, array in by_source["reward"].items():
            totals[name] = totals.get(name, np.zeros(size)) + array
        for name in totals:
            self.by_name.setdefault(name, [np.zeros(self.count)])
        for name, parts in self.by_name.items():
            parts.append(totals.get(name, np.zeros(size)))
        self.count += size
        self.transitions += len(shares)
        self.clear()

    def split(self, source: str, values: list[Any], of: Indices) -> dict[str, list[Any]]:
        """Rewards by name; numbers have the usual name. A 0 is no reward, in either form."""

        def check(i: int) -> None:
            if (fault := self.names.fault(values[i], source)) is not None:
                raise ValueError(f"{source}: {place(*self.places[of[i]])}: found {fault}")

        named = [isinstance(r, Mapping) for r in values] if any(type(r) not in PLAIN for r in values) else []
        if not any(named):
            first = next((i for i, r in enumerate(values) if r != 0), None)
            if first is None:
                return {}
            check(first)
            return {REWARD: values}
        forms: dict[Any, None] = {}  # the names of dicts in the order found; each is checked once
        for i, r in enumerate(values):
            if not named[i]:
                if r != 0:
                    check(i)
            elif (form := tuple(r)) not in forms:
                check(i)
                forms[form] = None
        names = dict.fromkeys(name for form in forms for name in form)
        return {name: [r.get(name, 0) if named[i] else 0 for i, r in enumerate(values)] for name in names}

    def model(self, n: int) -> Model:
        """The model of all choices."""
        ends = np.concatenate([[0], np.cumsum(np.concatenate(self.sizes))])
        targets, data, lows = (np.concatenate(arrays) for arrays in zip(*self.arrays, strict=True))
        earned = {name: np.concatenate(parts) for name, parts in self.by_name.items()}
        lasting = np.concatenate(self.long) if self.long else None
        rows = [Rows(np.arange(self.count), ends, targets, data, lows=lows if self.between else None)]
        return finished(n, np.array(self.ends), np.array(self.acts), rows, earned, self.apart, lasting, self.rates)


class RewardNames:
    """Whether rewards are numbers or dicts, and the names that these may have."""

    def __init__(self, declared: Sequence[str] | None) -> None:
        if declared is not None and (isinstance(declared, str) or not np.iterable(declared) or not list(declared)):
            raise ValueError(f"rewards: found {shown(declared)}: use a list of names")
        self.declared = tuple(declared or ())
        for name in self.declared:
            checked_name(name)
        self.named: bool | None = True if self.declared else None
        self.known: dict[str, Any] = {}  # the names that a function uses

    def fault(self, r: Any, source: str) -> str | None:
        """What is wrong with the form of a reward of a function, beside those before; None if nothing is."""
        if not isinstance(r, Mapping):
            number = number_or_none(r)
            if np.ndim(r) == 0 and (number is None or not np.isfinite(number)):
                return f"reward {shown(r)}: use a finite number, or a dict of such by name"
        named = isinstance(r, Mapping)
        self.named = named if self.named is None else self.named
        if self.named != named:
            return f"reward {shown(r)} beside others: use numbers everywhere, or dicts by name"
        if not named or not r:
            return None
        for name in r:
            checked_name(name)
            if self.declared and name not in self.declared:
                return f"reward {name!r}, which rewards does not list: use one of {', '.join(self.declared)}"
        known = self.known.setdefault(source, dict.fromkeys(r))
        if not self.declared and r.keys() != known.keys():
            names, others = (", ".join(map(repr, one)) for one in (r, known))
            return f"rewards {names} beside {others}: name the same in each dict, or list all names in rewards"
        return None


def distinct(actions: Sequence[Any], where: str = "") -> Sequence[Any]:
    """Actions, if there are some, and none of them twice."""
    if not actions:
        raise ValueError(f"actions: {where}found no action: list one or more")
    try:
        different = len(set(actions))
    except TypeError:
        raise ValueError(f"actions: {where}found {shown(actions)}: use hashable actions") from None
    if different < len(actions):
        again = next(a for i, a in enumerate(actions) if a in actions[:i])
        raise ValueError(f"actions: {where}found action {shown(again)} twice: list it once")
    return actions


def floats(values: list[Any]) -> Floats:
    """Numbers as an array; NaN for what is none."""
    try:
        array = np.array(values)
        if array.dtype.kind in "iufb" and array.ndim == 1:
            return array.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        pass
    found = (number_or_none(x) for x in values)
    return np.array([np.nan if x is None else x for x in found], np.float64)


def finished(
    n: int,
    start: Indices,
    acts: Indices,
    rows: list[Rows],
    earned: dict[str, Floats],
    apart: Apart,
    lasting: Floats | None,
    rates: bool,
) -> Model:
    """The model of n states. A target of -1 is the end, which becomes one state more."""
    if rates and lasting is not None:
        raise ValueError("durations: not valid with rates: leave one of them out")
    has_end = any((part.indices < 0).any() for part in rows)
    if has_end:
        rows = [part._replace(indices=np.where(part.indices < 0, n, part.indices)) for part in rows]
        last = len(acts)
        lows = None if rows[0].lows is None else np.ones(1)
        rows.append(Rows(np.array([last]), np.array([0, 1]), np.array([n]), np.ones(1), lows=lows))
        start, acts = np.append(start, last + 1), np.append(acts, 0)
        earned = {name: np.append(row, 0.0) for name, row in earned.items()}
        lasting = None if lasting is None else np.append(lasting, 1.0)
    (reward, first), *others = list(earned.items()) or [(REWARD, np.zeros(len(acts)))]
    kind = "ctmdp" if rates else "mdp" if lasting is None else "smdp"
    outcomes: dict[str, list[Floats]] = {}
    if kind != "mdp":
        rows, apart = [merged(part) for part in rows], {}
    for name, known in apart.items():
        outcomes[name] = [np.repeat(earned[name][part.choices], np.diff(part.indptr)) for part in rows]
        for number, begin, array in known:
            outcomes[name][number][begin : begin + len(array)] = array
    model = Model(None, n + has_end, start, acts, rows, first, reward, dict(others), has_end, kind, lasting)
    model.outcomes = outcomes
    return model


def merged(rows: Rows) -> Rows:
    """Rows in which transitions of a choice to the same state are one, as files of continuous time have it."""
    owners = np.repeat(np.arange(len(rows.choices)), np.diff(rows.indptr))
    width = int(rows.indices.max(initial=0)) + 1
    keys, inverse = np.unique(owners * width + rows.indices, return_inverse=True)
    ends = np.searchsorted(keys, np.arange(len(rows.choices) + 1) * width)
    return Rows(rows.choices, ends, keys % width, np.bincount(inverse, rows.data, len(keys)).astype(np.float64))


def of_arrays(
    states: ArrayStates,
    actions: Sequence[Any],
    step: Callable[[Any, Any], Any],
    allowed: Callable[[Any, Any], Any] | None,
    reward: Callable[[Any, Any], Any] | None,
    names: RewardNames,
    rates: bool,
    durations: Callable[[Any, Any], Any] | None,
) -> Model:
    """The model of functions of arrays."""
    n, count = len(states), len(actions)
    has = np.ones((n, count), bool)
    if allowed is not None:
        for a, action in enumerate(actions):
            has[:, a] = column(allowed(states.array, action), n, f"allowed: action {shown(action)}", bool)
    without = ~has.any(axis=1)
    if without.any():
        raise ValueError(f"allowed: state {shown(states[int(without.argmax())])} has no action: allow one or more")
    start = np.concatenate([[0], np.cumsum(has.sum(axis=1))])
    within = np.cumsum(has, axis=1) - 1
    acts = np.nonzero(has)[1]
    earned: dict[str, Floats] = {name: np.zeros(len(acts)) for name in names.declared}
    lasting = None if durations is None else np.zeros(len(acts))
    rows: list[Rows] = []
    apart: Apart = {}
    for a, action in enumerate(actions):
        own = np.flatnonzero(has[:, a])
        if not len(own):
            continue
        choices = start[own] + within[own, a]
        some = states.array if len(own) == n else states.array[own]
        outcomes = columns(step(some, action), states, own, action, rates)
        shares = np.stack([p for p, _, _ in outcomes], axis=1)
        targets = np.stack([to for _, to, _ in outcomes], axis=1)
        totals = shares.sum(axis=1)
        off = abs(totals - 1) > SUM_WITHIN
        if not rates and off.any():
            i = int(off.argmax())
            text = f"found probabilities that sum to {totals[i]:.10g}: use {WHOLE}"
            raise ValueError(f"step: {place(states[int(own[i])], action)}: {text}")
        kept = shares != 0
        some_of = np.ravel if kept.all() else (lambda table, kept=kept: table[kept])
        ends = np.concatenate([[0], np.cumsum(kept.sum(axis=1))])
        part = Rows(choices, ends, some_of(targets), some_of(shares))
        by_outcome = [named_rewards(r, names, "step", action) for _, _, r in outcomes]
        beside = named_rewards(None if reward is None else reward(some, action), names, "reward", action)
        for name in dict.fromkeys(name for one in (*by_outcome, beside) for name in one):
            if name not in earned:
                earned[name] = np.zeros(len(acts))
            fixed = column(beside.get(name, 0), len(own), f"reward: action {shown(action)}")
            check_entries(fixed, np.isfinite(fixed), states, own, action, "reward", "a finite reward")
            parts = [column(one.get(name, 0), len(own), f"step: action {shown(action)}") for one in by_outcome]
            for i, one in enumerate(parts):
                good = np.isfinite(one) | ~kept[:, i]
                check_entries(one, good, states, own, action, "step", "a finite reward")
            array = some_of(np.stack(parts, axis=1))
            mean, differs = means(array, part.data, ends)
            earned[name][choices] = fixed + (mean * totals if rates else mean)
            if differs.any():
                array += np.repeat(fixed, np.diff(ends))
                apart.setdefault(name, []).append((len(rows), 0, array))
        rows.append(part)
        if durations is not None and lasting is not None:
            long = column(durations(some, action), len(own), f"durations: action {shown(action)}")
            check_entries(long, (long > 0) & np.isfinite(long), states, own, action, "durations", "a positive number")
            lasting[choices] = long
    return finished(n, start, acts, rows, earned, apart, lasting, rates)


def columns(
    outcomes: Any, states: ArrayStates, own: Indices, action: Any, rates: bool
) -> list[tuple[Floats, Indices, Any]]:
    """The outcomes of a step from many states: probabilities, numbers of the next states (-1: the end), rewards."""
    form = "use [(probabilities, next states, rewards, done), ...], the last two if there are any"
    where = f"step: action {shown(action)}"
    listed = list(outcomes) if isinstance(outcomes, (list, tuple)) else []
    if not listed or not all(isinstance(one, tuple) and 2 <= len(one) <= 4 for one in listed):
        raise ValueError(f"{where}: found {shown(outcomes)}: {form}")
    made = []
    most = np.inf if rates else 1 + SUM_WITHIN
    for p, to, *more in listed:
        share = column(p, len(own), where)
        right = "a rate from 0 up" if rates else "a probability from 0 to 1"
        check_entries(share, (share >= 0) & (share <= most) & (share < np.inf), states, own, action, "step", right)
        done = column(more[1], len(own), where, bool) if len(more) > 1 else np.zeros(len(own), bool)
        targets = states.numbers(to, len(own), where)
        unknown = (targets < 0) & (share != 0) & ~done
        if unknown.any():
            i = int(unknown.argmax())
            found = shown(states.row(to, len(own), i))
            raise ValueError(f"step: {place(states[int(own[i])], action)}: found next state {found}: use one of states")
        made.append((share, np.where(done, -1, targets), more[0] if more else None))
    return made


def check_entries(
    array: Floats, good: Mask, states: ArrayStates, own: Indices, action: Any, source: str, right: str
) -> None:
    """Refuses an array by state if an entry is not good, and names the state."""
    if not good.all():
        i = int(good.argmin())
        raise ValueError(f"{source}: {place(states[int(own[i])], action)}: found {array[i]}: use {right}")


def column(values: Any, size: int, where: str, kind: type = float) -> npt.NDArray[Any]:
    """An entry for each state, from one for each or one for all."""
    array: npt.NDArray[Any] = numbers(values, where)
    if array.shape not in ((), (size,)):
        raise ValueError(f"{where}: found shape {array.shape}: use ({size},), an entry for each state, or a number")
    return np.broadcast_to(array.astype(kind, copy=False), (size,))


def named_rewards(r: Any, names: RewardNames, source: str, action: Any) -> Mapping[str, Any]:
    """Rewards by name, from a dict, or from numbers without a name."""
    if r is None or (np.isscalar(r) and r == 0):
        return {}
    if (fault := names.fault(r, source)) is not None:
        raise ValueError(f"{source}: action {shown(action)}: found {fault}")
    return r if isinstance(r, Mapping) else {REWARD: r}


def checked_name(name: Any) -> None:
    if not isinstance(name, str) or not name.isprintable() or not name:
        raise ValueError(f"reward: found {shown(name)} as the name of rewards: use a text")


def number(found: dict[Any, int], state: Any, argument: str, *at: Any) -> int:
    """The number of a state, the next free one for a new state. at has the state and the action that lead there."""
    try:
        return found.setdefault(state, len(found))
    except TypeError:
        where = f"{argument}: {place(*at)}: next" if at else f"{argument}:"
        raise ValueError(f"{where} state {shown(state)} is not hashable: use a tuple, or another that is") from None


def grown(listed: list[Any]) -> Iterator[Any]:
    """The states of a list that grows meanwhile."""
    i = 0
    while i < len(listed):
        yield listed[i]
        i += 1


def next_limit(limit: int, most: int, state: Any) -> int:
    """The number of states up to which to go on after limit. Raises ValueError at most, and warns before."""
    text = f"max_states: found more than {limit} states, such as {shown(state)}: bound them in step, or"
    if limit == most:
        raise ValueError(f"{text} allow more") from None
    warnings.warn(f"{text} wait for up to {most}", stacklevel=3)
    return most


def check_functions(**given: Any) -> None:
    """Refuses what is no function, by the name of the argument. Only step is needed."""
    for name, function in given.items():
        if not callable(function) and (name == "step" or function is not None):
            raise TypeError(f"{name}: found {shown(function)}: use a function of a state and an action")


def check_rates(rates: Any) -> None:
    if not isinstance(rates, (bool, np.bool_)):
        raise ValueError(f"rates: found {shown(rates)}: use True if step returns rates, and False if probabilities")


def listing(actions: Any) -> Callable[[Any], Sequence[Any]]:
    """A function that lists the actions of a state."""
    if callable(actions):

        def own(s: Any) -> Sequence[Any]:
            found = actions(s)
            if not isinstance(found, Iterable):
                raise ValueError(f"actions: state {shown(s)}: found {shown(found)}: return a list of actions")
            return list(found)

        return own
    try:
        fixed = list(actions)
    except TypeError:
        raise TypeError(f"actions: found {shown(actions)}: use a list, or a function of a state") from None
    return lambda s: fixed


def listed_outcomes(outcomes: Any, s: Any, a: Any) -> Sequence[Any]:
    """The outcomes of a step as tuples (probability, next state, reward, done), without the last or the last two."""
    if isinstance(outcomes, Mapping):
        return [(p, to) for to, p in outcomes.items()]
    is_listed = isinstance(outcomes, Iterable)
    listed: list[Any] = list(outcomes) if is_listed else []
    if not is_listed or not all(isinstance(one, tuple) and 2 <= len(one) <= 4 for one in listed):
        form = "use [(probability, next state, reward, done), ...], the last two if there are any"
        raise ValueError(f"step: {place(s, a)}: found {shown(listed if is_listed else outcomes)}: {form}")
    return listed


def number_or_none(x: Any) -> float | None:
    """A number as float; None for what is none."""
    try:
        return None if isinstance(x, (str, bytes)) else float(x)
    except (TypeError, ValueError, OverflowError):
        return None


def place(s: Any, a: Any) -> str:
    return f"state {shown(s)}, action {shown(a)}"


class Stepping:
    """The start, actions and step of a problem, made from an environment that is copied in each of its states."""

    def __init__(self, env: Any, samples: int | None, seed: int, state: Any, actions: Any) -> None:
        if not hasattr(env, "unwrapped") or not hasattr(env, "step"):
            raise TypeError(f"env: found {shown(env)}: use an environment of Gymnasium")
        if samples is not None and (not isinstance(samples, int) or samples < 1):
            raise ValueError(f"samples: found {shown(samples)}: use a whole number from 1 up")
        self.samples, self.state = samples, state
        self.random = np.random.default_rng(seed)
        env = copy.deepcopy(env)
        observed, _ = env.reset(seed=seed)
        if actions is None:
            space = env.action_space
            if not hasattr(space, "n"):
                raise ValueError(f"actions: {shown(space)} is not discrete: list the actions to try")
            first = int(getattr(space, "start", 0))
            actions = range(first, first + int(space.n))
        self.actions = actions
        self.first = self.key(env, observed)
        self.kept = {self.first: env}

    def key(self, env: Any, observed: Any) -> Hashable:
        """The state of an environment."""
        if self.state is not None:
            own: Hashable = self.state(env)
            return own
        return hashable(observed)

    def step(self, s: Any, a: Any) -> list[tuple[float, Any, float, bool]]:
        """The outcomes of an action, with their shares of all tries."""
        tries = self.samples or 2
        found: dict[tuple[Any, float, bool], int] = {}
        for _ in range(tries):
            env = copy.deepcopy(self.kept[s])
            env.unwrapped.np_random = np.random.default_rng(self.random.integers(1 << 63))
            observed, reward, ended, *_ = env.step(a)
            to = self.key(env, observed)
            outcome = (to, float(reward), bool(ended))
            found[outcome] = found.get(outcome, 0) + 1
            if not ended:
                self.kept.setdefault(to, env)
        if self.samples is None and len(found) > 1:
            text = "two steps differ: say how many samples to take"
            raise ValueError(f"samples: {place(s, a)}: {text}")
        return [(times / tries, *outcome) for outcome, times in found.items()]


def hashable(observed: Any) -> Hashable:
    """An observation as a state: arrays as tuples, numbers of NumPy as those of Python."""
    if isinstance(observed, np.ndarray):
        observed = observed.tolist()
    if isinstance(observed, (list, tuple)):
        return tuple(hashable(one) for one in observed)
    if isinstance(observed, Mapping):
        return tuple((name, hashable(one)) for name, one in sorted(observed.items()))
    known: Hashable = observed.item() if isinstance(observed, np.generic) else observed
    return known
