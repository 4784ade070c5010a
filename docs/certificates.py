"""Judges a result about a Markov decision process or a Markov chain by its certificate.

    python3 certificates.py MODEL RESULT

MODEL is a file in JSON, RESULT what "mdpsolve solve --out" writes; either may end in
.gz. The theorems are in certificates.md. Each kind of claim holds, is refuted, or is
undecided. The exit status is 0 if all hold, 3 if not, 2 if a file is not in order.
"""
import gzip, json, re, sys
from collections import defaultdict
from fractions import Fraction
from itertools import groupby
from math import inf, lcm

def exact(number):
    """The rational that a decimal or a fraction says, such as 1e-3 or "1/3"."""
    if not isinstance(number, str):
        return Fraction(number)
    above, _, below = number.lower().partition("/")
    if max(abs(int(part.partition("e")[2] or 0)) for part in (above, below)) > 400:
        raise ValueError(f"{number} found")  # which might fill the memory
    return Fraction(above) / Fraction(below or 1)

# What a result may say; members that are not listed are refused.
CRITERIA = "average", "discounted", "total", "finite"
STATUSES = "converged", "iteration-limit", "time-limit", "precision-limit", "stopped", "interrupted"
WITNESS, CERTIFICATE = "gain gain_low value value_low", "lower upper policy scale cycle"
MEMBERS = {name: members.split() for name, members in {
    "result": """property answer criterion uncertainty sense reward target discount exact_discount rate exact_rate horizon terminal
        evaluated status method choice iterations elapsed_seconds tolerance classification aperiodic initial initial_states initial_values
        value exact_value values exact_values relative_values lower upper policy policies infinite certificate constraints value_bounds mixture""",
    "certificate": CERTIFICATE, "certificates": CERTIFICATE, "lower": WITNESS, "upper": WITNESS, "scale": WITNESS,
    "cycle": "policy value value_low", "constraints": "reward sense bound value multiplier",
    "mixture": "weight probabilities certificates"}.items()}

def once(pairs):
    """The members of an object, none of which may come twice."""
    if len(dict(pairs)) < len(pairs):
        raise ValueError(f"a member twice among {[name for name, _ in pairs][:9]} found")
    return dict(pairs)

def known(found, name="result"):
    """What a member of this name holds, in which no object has a member that it should not have."""
    for one in found if isinstance(found, list) else [found]:
        if isinstance(one, dict):
            if unknown := {member for member, value in one.items() if member not in MEMBERS.get(name, ()) or value is None}:
                raise ValueError(f"members {sorted(unknown)[:9]} found, which a {name} has not")
            for member, value in one.items():
                known(value, member)
    return found

def claimed(number):
    """A number of a result: a float64, or a text such as "1/3" or "Infinity"."""
    if number in ("Infinity", "-Infinity"):
        return float(number)
    return exact(number) if isinstance(number, str) else Fraction(float(number))

OFF = Fraction(2**20 + 1, 2**20 * 10**9)  # how far sums may be off 1: 1e-9, and what rounding adds

RATES = "ctmc", "ctmdp", "smdp"  # the kinds in continuous time

# ---- Models: for each state the list of its choices (cost, weights, successors), where
# weights are the probabilities or the rates of the successors. With intervals weights are the
# least ones, and a fourth member has the greatest, the rewards, whether they are rates, and
# how much a distance adds.
def choice_of(kind, state_reward, action_reward, edges, _):
    edges = [edge for edge in edges if edge[1] != 0]
    total = 1 if kind in RATES else sum(value for _, value, _ in edges)
    if any(value < 0 for _, value, _ in edges) or len({j for j, _, _ in edges}) < len(edges) \
            or abs(total - 1) > OFF:
        raise ValueError(f"a choice with the transitions {[(j, str(value)) for j, value, _ in edges][:9]} found")
    cost = state_reward + sum(value / total * (action_reward + reward) for _, value, reward in edges)
    return cost, {j: value / total for j, value, _ in edges}, {j for j, _, _ in edges}

def interval_choice(kind, state_reward, action_reward, edges, distance):
    edges = [edge for edge in edges if edge[2] != 0 or distance]
    low, high, rewards = ({edge[0]: edge[i] for edge in edges} for i in (1, 2, 3))
    least, most = sum(low.values()), sum(high.values())
    if not all(0 <= low[j] <= high[j] for j in low) or len(low) < len(edges) \
            or kind not in RATES and not (low and least <= 1 + OFF and most >= 1 - OFF) \
            or distance and (distance < 0 or kind in RATES or low != high or least + distance / 2 < 1):
        raise ValueError(f"a choice with the transitions {[(j, str(low[j]), str(high[j])) for j in low][:9]} found")
    if distance:
        low = {j: max(0, p - distance / 2 - Fraction(2, 10**9)) for j, p in high.items()}
    elif kind not in RATES and (least >= 1 or most <= 1):  # these are the only ones
        low = high = {j: x / max(least, min(most, 1)) for j, x in (low if least >= 1 else high).items()}
    jump = action_reward if kind in RATES else 0
    return (state_reward + action_reward - jump, low, set(high),
            (high, {j: jump + w for j, w in rewards.items()}, kind in RATES, distance / 2))

def rates_of(action, edges):
    """The rates of an action of a semi-Markov process: its probabilities over the mean sojourn time."""
    duration, total = exact(action["duration"]), sum(value for _, value, _ in edges)
    if duration <= 0 or abs(total - 1) > OFF:
        raise ValueError(f"duration {duration} with probabilities of the sum {total} found")
    return [(j, value / total / duration, reward) for j, value, reward in edges]

def read_model(path, reward, needed=True):
    """The kind of a model, the choices of each state, the states of each label, and the name and the rewards of
    states of the reward model; without rewards if none is needed."""
    file = json.loads(read(path), parse_float=exact, object_pairs_hook=once)
    kind, names = file["kind"], file.get("reward_models", [])
    if kind not in ("mdp", "dtmc", *RATES) or needed and not reward and len(names) != 1:
        raise ValueError(f"{kind} with rewards {names} found, and none of them named")
    at = names.index(reward) if reward else 0
    ends = lambda value: value if isinstance(value, list) else (value, value)
    actions = [a for s in file["states"] for a in s.get("actions", [])]
    uncertain = any(exact(a.get("distance", 0)) for a in actions) or any(
        exact(low) != exact(high) for a in actions for _, value, *_ in a.get("to", []) for low, high in [ends(value)])
    number = (lambda x: Fraction(float(exact(x)))) if uncertain else exact
    of = lambda holder, name="rewards": number(holder[name][at]) if needed and name in holder else 0
    edges = lambda action: [(j, *map(number, ends(value)[not uncertain:]), number(r[0][at]) if needed and r else 0) for j, value, *r in action.get("to", [])]
    make = interval_choice if uncertain else choice_of
    found = (lambda a: rates_of(a, edges(a))) if kind == "smdp" else edges
    model = [[make(kind, of(s) + of(a, "reward_rates"), of(a), found(a), number(a.get("distance", 0))) for a in s.get("actions") or [{}]] for s in file["states"]]
    if not model or not all(0 <= j < len(model) for choices in model for _, _, to, *_ in choices for j in to):
        raise ValueError("a model without states, or a transition to no state, found")
    labels = file.get("labels", {}) | {"init": file.get("initial", [0])}
    return kind, model, labels, names[at] if needed else "", [of(s) for s in file["states"]]

def read(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8-sig") as file:
        return file.read()

# ---- Facts about graphs. A row is (state, choice).
def leading(rows, goal):
    """The states from which a path of the rows leads to the goal."""
    before = defaultdict(list)
    for s, (_, _, successors, *_) in rows:
        for j in successors:
            before[j].append(s)
    found, todo = set(goal), list(goal)
    while todo:
        new = set(before[todo.pop()]) - found
        found |= new
        todo += new
    return found

def within(rows, states):
    """The rows of states that do not lead out of them."""
    return [(s, choice) for s, choice in rows if s in states and choice[2] <= states]

def surely(rows, target, states):
    """The states from which some policy reaches the target with probability 1."""
    while (found := leading(within(rows, states), target)) != states:
        states = found
    return states

def avoiding(rows, target, states):
    """The states from which some policy may never reach the target."""
    inside = states - target
    while (kept := {s for s, _ in within(rows, inside)}) != inside:
        inside = kept
    return leading(rows, inside)

def end_components(rows, states):
    """For each state of a maximal end component a state that stands for it."""
    component, todo = {}, [states]
    while todo:
        part = todo.pop()
        inner = within(rows, part)
        kept = {s for s, _ in inner}
        if kept != part:
            todo.append(kept)
        elif part:
            pivot = sorted(part)[len(part) // 2]
            behind = leading(inner, {pivot})
            ahead = leading([(j, (0, {}, {s})) for s, (_, _, to, *_) in inner for j in to], {pivot})
            if behind & ahead == part:
                component.update(dict.fromkeys(part, pivot))
            else:
                todo += [behind & ahead, behind - ahead, ahead - behind, part - ahead - behind]
    return component

# ---- The theorems, for costs that are minimised.
def drift(choice, s, x):
    """The expected change of x in a step, or its rate: the probability of staying does not matter."""
    return sum(weight * (x[j] - x[s]) for j, weight in choice[1].items())

def times(factor, choice):
    """A choice with its costs multiplied."""
    cost, weights, to, *more = choice
    return (factor * cost, weights, to, *((high, {j: factor * w for j, w in rewards.items()}, *rest) for high, rewards, *rest in more))

def nature(choice, s, key):
    """The ordinary choice that nature makes of intervals: the key of successors and rewards is greatest."""
    cost, low, _, (high, rewards, rates, free) = choice
    p, left, of = dict(low), 1 - sum(low.values()), lambda j: key(j, rewards[j])
    wide = [j for j in p if free or high[j] > low[j]]
    if rates:
        p.update((j, high[j]) for j in wide if of(j) >= key(s, 0))
    else:
        for _, group in groupby(sorted(wide, key=of, reverse=True), of):
            group = list(group)
            width = sum(high[j] - low[j] for j in group)
            share = min(1, left / (width or left or 1))
            more, free = min(free, max(0, left - width)), 0
            p.update((j, low[j] + share * (high[j] - low[j]) + Fraction(more, len(group))) for j in group)
            left -= share * width + more
    p = {j: x for j, x in p.items() if x > 0}
    return cost + sum(x * rewards[j] for j, x in p.items()), p, set(p)

def fixed(question, rows, gain, value):
    """The rows with what nature chooses for vectors; where that fails in an average, for gains alone."""
    g, x = ([0 if abs(y) == inf else y for y in list_] for list_ in (gain, value))
    made = []
    for s, choice in rows:
        one = nature(choice, s, lambda j, w: (g[j], w + question.discount * x[j])) if len(choice) > 3 else choice
        if len(choice) > 3 and question.criterion == "average" and one[0] + drift(one, s, x) < g[s]:
            one = nature(choice, s, lambda j, w: g[j])
        made.append((s, one))
    return made

def proved_below(question, rows, states, witness, sign=1, free=False, stops=()):
    """By state the lower bound that a witness proves for these rows, for all that nature may choose or for
    what it chooses for the witness; -inf for none. Where a policy stops it is at most 0."""
    gain, value = (question.vector(witness, name, sign) for name in ("gain", "value"))
    average = question.criterion == "average"
    rows = rows if free else fixed(question, rows, gain, value)
    component = end_components(rows, states) if average else {}
    failed = {s for s in states if abs(gain[s]) == inf or abs(value[s]) == inf or s in stops and value[s] > 0}
    g, x = ([0 if abs(y) == inf else y for y in list_] for list_ in (gain, value))
    for s, choice in rows:
        stays, steep = s in component and all(component.get(j) == component[s] for j in choice[2]), choice
        if len(choice) > 3:
            stays, steep = True, nature(choice, s, lambda j, w: -g[j])
            choice = nature(choice, s, lambda j, w: -w - question.discount * x[j])
        slack = choice[0] + question.discount * drift(choice, s, x)
        if not average and slack < question.rest * x[s]:
            failed.add(s)
        if average and (drift(steep, s, g) < 0 or stays and slack < g[s]):
            failed.add(s)
    failed = leading(rows, failed)
    return [y if s in states and s not in failed else -inf for s, y in enumerate(g if average else x)]

def cycling(question, rows, states, cycle):
    """The states of classes of negative mean cost, which the rows and the policy of a cycle make."""
    if not cycle or question.criterion != "total":
        return set()
    given, x = {id(choice) for _, choice in rows}, question.vector(cycle, "value", question.sign)
    chain = within([row for row in question.chain(cycle["policy"])[0] if id(row[1]) in given], states)
    component, way = end_components(chain, states), -1 if question.uncertainty == "best" else 1
    chain = [(s, nature(choice, s, lambda j, w: way * (w + x[j])) if len(choice) > 3 else choice) for s, choice in chain]
    slack = {s: choice[0] + drift(choice, s, x) for s, choice in chain if s in component and inf not in map(abs, x)}
    negative = {component[s] for s in slack if slack[s] < 0} - {component[s] for s in slack if slack[s] > 0}
    return {s for s in component if component[s] in negative}

def fates(question, rows, cycle):
    """For the total of all steps: the rows that matter, the states where a policy may stop, and by state the bounds
    where the total is infinite, or its sign is not known."""
    stops = set(end_components([(s, choice) for s, choice in rows if choice[0] == 0], question.states))
    negative, x = cycling(question, rows, question.states, cycle), question.vector(cycle or {}, "value", question.sign)
    rest = question.states - surely(rows, stops | negative, question.states)
    component = end_components(rows, rest)
    loops = [(s, choice) for s, choice in rows if s in component and all(component.get(j) == component[s] for j in choice[2])]
    falls = {component[s] for s, choice in loops if choice[0] < 0}
    flat = {component[s] for s, choice in loops if inf in map(abs, x) or choice[0] + drift(choice, s, x) <= 0}
    unknown = {s for s in component if component[s] in falls & flat}
    finite = surely(rows, stops | negative | unknown, question.states)
    inner = [row for row in within(rows, finite) if row[0] not in negative]
    negative, unknown = leading(inner, negative), leading(inner, unknown)
    known = dict.fromkeys(question.states - finite, (inf, inf)) | dict.fromkeys(negative, (-inf, -inf)) | dict.fromkeys(unknown, (-inf, inf))
    return [row for row in inner if row[0] not in known], stops, known

def backward(choices, horizon, terminal, policies=(), turn=Fraction, way=0, discount=Fraction(1)):
    """The least costs of a number of steps and of ending, with the actions given for the first steps. In intervals
    nature makes them greatest if the way is 1, and least if it is -1."""
    values = [turn(x) for x in terminal]
    best = lambda step, sums: [of[policies[step][s]] if step < len(policies) else min(of) for s, of in enumerate(sums)]
    for step in reversed(range(horizon if way else 0)):
        values = [discount * x for x in values]
        made = [[nature(choice, s, lambda j, w: way * (w + values[j])) for choice in of] for s, of in enumerate(choices)]
        sums = [[turn(choice[0]) + values[s] + drift(choice, s, values) for choice in of] for s, of in enumerate(made)]
        values = best(step, sums)
    if way:
        return values
    unit = lcm(*(x.denominator for of in choices for cost, weights, _ in of for x in (cost, *weights.values())))
    whole = [[(int(turn(cost) * unit), {j: int(w * unit) for j, w in weights.items()}) for cost, weights, _ in of]
             for of in choices]
    scale = lcm(*(x.denominator for x in values))
    values = [int(x * scale) for x in values]  # integers, in parts of the scale: there is nothing to reduce
    above, below = discount.numerator, discount.denominator
    for step in reversed(range(horizon)):
        sums = [[choice[0] * scale * below + above * (unit * values[s] + drift(choice, s, values)) for choice in of]
                for s, of in enumerate(whole)]
        values, scale = best(step, sums), scale * unit * below
    return [Fraction(x, scale) for x in values]

# ---- Results, turned around to costs that are minimised.
class Question:
    def __init__(self, kind, model, labels, result, terminal=None):
        self.sign, self.criterion = {"minimize": 1, "maximize": -1}[result["sense"]], result["criterion"]
        total, discounted = self.criterion == "total", self.criterion == "discounted"
        self.evident = -inf, inf  # between what all values lie, by themselves
        self.all_steps = total and "target" not in result
        self.states, self.target = set(range(len(model))), set(labels[result["target"]] if "target" in result and total else [])
        shrinks = discounted or self.criterion == "finite" and "discount" in result
        beta = repr(float(result.get("discount", 0))) if shrinks else "1"
        self.discount = exact(result.get("exact_discount", beta)) if shrinks else Fraction(1)
        self.rest = 1 - self.discount
        if "rate" in result:  # of discounting
            rate = repr(float(result["rate"]))
            self.discount, self.rest, beta = Fraction(1), exact(result.get("exact_rate", rate)), "1"
            if not discounted or {"discount", "exact_discount"} & result.keys() or self.rest <= 0 or float(self.rest) != float(rate) or "uncertainty" in result:
                raise ValueError(f"rate {rate} found beside {self.criterion}")
        known = ["average", "total"] + (["discounted"] * ("rate" in result and kind != "smdp") if kind in RATES else ["discounted"] * ("rate" not in result) + ["finite"])
        if self.criterion not in known or discounted and (self.discount < 0 or self.rest <= 0) or not 0 <= self.discount <= 1 \
                or self.criterion == "finite" and self.discount == 0:
            raise ValueError(f"{self.criterion} with discount {self.discount} found for a {kind}")
        if float(self.discount) != float(beta) or result.get("status", "converged") not in STATUSES:
            raise ValueError(f"discount {beta} beside {self.discount}, or status {result.get('status')}, found")
        if "policies" in result and (self.criterion != "finite" or len(result["policies"]) != result["horizon"]
                                     or result["policies"][:1] != [result["policy"]]):
            raise ValueError("policies found that are not one for each step, the first of which is policy")
        if result.get("evaluated") and "policies" not in result:  # a result about one policy: the model has its choices alone
            if any(not 0 <= a < len(of) for a, of in zip(result["policy"], model, strict=True)):
                raise ValueError("a policy found that lacks actions")
            model, result["policy"] = [[of[a]] for a, of in zip(result["policy"], model)], [0] * len(model)
        self.choices, self.uncertainty = [[times(self.sign, choice) for choice in of] for of in model], result.get("uncertainty")
        self.terminal = [self.sign * x for x in terminal or [0] * len(model)]
        self.pays = any(any(more[1].values()) for of in model for _, _, _, *all_ in of for more in all_)
        least = [x for s, of in enumerate(model) for choice in of if len(choice) > 3 for j, x in choice[1].items() if j != s]
        unknown = any(len(choice) > 3 for of in model for choice in of)
        if unknown != (self.uncertainty in ("worst", "best")) or unknown != bool(self.uncertainty) or total and 0 in least or self.all_steps and unknown:
            raise ValueError(f"uncertainty {self.uncertainty} found, which does not fit the model, or a total with an interval from 0, or without a target")
        self.rows = [(s, c) for s, of in enumerate(self.choices) for c in of if s not in self.target]
        for one, all_ in ("value", "values"), ("exact_value", "exact_values"):
            if one in result and claimed(result[one]) != claimed(result.get(all_, [None] * len(model))[result.get("initial", 0)]):
                raise ValueError(f"{one} found that is not that of the initial state in {all_}")

    def numbers(self, members, name, sign):
        """A list by state, or a number that stands for all states."""
        found = members.get(name, 0)
        found = found if isinstance(found, list) else [found] * len(self.choices)
        return [sign * claimed(x) for _, x in zip(self.choices, found, strict=True)]

    def vector(self, members, name, sign=1):
        """A vector of a certificate; it is 0 in the target."""
        high, low = self.numbers(members, name, sign), self.numbers(members, name + "_low", sign)
        return [0 if s in self.target else x + y for s, (x, y) in enumerate(zip(high, low))]

    def most(self, steps, largest):
        """By state what absolute costs come to at most, where values are no larger than that."""
        costs = [0] + [choice[0] for of in self.choices for choice in of] + self.terminal
        steps = {"average": 1, "finite": steps, "discounted": 1 / (self.rest or 1)}.get(self.criterion, inf)
        most = inf if self.pays else max(map(abs, costs)) * steps + max(map(abs, self.terminal)) if any(costs) else 0
        return [most if self.pays or min(costs) < 0 < max(costs) else min(x, most) for x in largest]

    def chain(self, policy):
        """The rows of a policy, and the states from which it surely reaches the target."""
        if any(not 0 <= a < len(of) for a, of in zip(policy, self.choices, strict=True)):
            raise ValueError("a policy found that lacks actions")
        rows = [(s, self.choices[s][a]) for s, a in enumerate(policy) if s not in self.target]
        return rows, surely(rows, self.target, self.states) if self.criterion == "total" else self.states

    def proved(self, certificate, policy):
        """By state: bounds of the optimum, bounds of what the policy achieves, and a scale at least."""
        lower, upper = (certificate.get(name, {}) for name in ("lower", "upper")[::self.sign])
        rows, proper = self.chain(certificate.get("policy") or policy or [0] * len(self.choices))
        if self.all_steps:
            return self.proved_of_all_steps(certificate, lower, upper, rows, policy)
        reach = surely if self.sign > 0 else lambda *model: self.states - avoiding(*model)
        finite = reach(self.rows, self.target, self.states) if self.criterion == "total" else self.states
        inner, endless = within(self.rows, finite), self.sign * inf
        forever = leading(inner, cycling(self, inner, finite, certificate.get("cycle"))) if self.sign > 0 else self.states - finite
        opposite = [(s, times(-1, choice)) for s, choice in rows]
        low = proved_below(self, inner, finite, lower, self.sign, self.uncertainty == "best")
        high = proved_below(self, opposite, proper, upper, -self.sign, self.uncertainty == "worst")
        by, sign, helped = (rows, self.sign, lower) if self.uncertainty == "worst" else (opposite, -self.sign, upper)
        made = fixed(self, by, *(self.vector(helped, name, sign) for name in ("gain", "value")))
        scale = proved_below(self, [(s, (abs(cost), *rest)) for s, (cost, *rest) in made], proper, certificate.get("scale", {}))
        low = [x if s in finite else endless for s, x in enumerate(low)]
        achieved = [-x if s in proper else endless for s, x in enumerate(high)]
        high = [-inf if s in forever else x for s, x in enumerate(achieved)]
        if policy and self.chain(policy)[0] != rows:  # the certificate is about another policy
            proper, scale = self.chain(policy)[1], [0] * len(low)
            achieved = [inf if s in proper else endless for s in range(len(low))]
        least = [x if s in proper else endless for s, x in enumerate(low)]
        return low, high, least, achieved, [max(x, y, -z, 0) for x, y, z in zip(scale, low, achieved)]

    def proved_of_all_steps(self, certificate, lower, upper, rows, policy):
        """Like proved, for totals without a target."""
        def bounds(rows, known, stops, witness, sign):
            return proved_below(self, rows, self.states - set(known), witness, sign, stops=stops)
        inner, stops, known = fates(self, self.rows, certificate.get("cycle"))
        low = [known[s][0] if s in known else x for s, x in enumerate(bounds(inner, known, stops, lower, self.sign))]
        followed, its_stops, fate = fates(self, rows, certificate.get("cycle"))
        found = bounds([(s, times(-1, choice)) for s, choice in followed], fate, its_stops, upper, -self.sign)
        achieved = [fate[s][1] if s in fate else -x for s, x in enumerate(found)]
        high = [known[s][1] if s in known else x for s, x in enumerate(achieved)]
        scale = bounds([(s, (abs(cost), *rest)) for s, (cost, *rest) in followed], fate, its_stops, certificate.get("scale", {}), 1)
        if policy and self.chain(policy)[0] != rows:  # the certificate is about another policy
            fate, scale = fates(self, self.chain(policy)[0], certificate.get("cycle"))[2], [0] * len(low)
            achieved = [fate.get(s, (0, inf))[1] for s in range(len(low))]
        least = [max(x, fate.get(s, (-inf, inf))[0]) for s, x in enumerate(low)]
        return low, high, least, achieved, [max(x, y, -z, 0) for x, y, z in zip(scale, low, achieved)]

def judged(question, result):
    """Yields for each kind of claim by state whether it is proved, and whether it is refuted."""
    policy, steps = result.get("policy"), result.get("horizon", 0)
    if question.criterion == "finite":
        policies = result.get("policies", [policy] if policy else [])
        for one in policies:
            question.chain(one)  # is it one?
        way = {"worst": 1, "best": -1, None: 0}[question.uncertainty]
        induce = lambda by, way, turn=Fraction: backward(question.choices, steps, question.terminal, by, turn, way, question.discount)
        only = policies if result.get("evaluated") and "policies" in result else ()
        low = high = induce(only, way)
        least = achieved = induce(policies, way)
        sizes = [0] * len(low) if question.pays else induce(only, -abs(way), abs)
        scale = [max(x, abs(y)) for x, y in zip(sizes, low)]
    else:
        low, high, least, achieved, scale = question.proved(result.get("certificate", {}), policy)
    low, least = ([max(x, question.evident[0]) for x in side] for side in (low, least))
    high, achieved = ([min(x, question.evident[1]) for x in side] for side in (high, achieved))
    given = lambda name: question.numbers(result, name, question.sign) if name in result else []
    tolerance, (below, above) = claimed(result.get("tolerance", 1e-9 if "lower" in result else 1e-6)), ("lower", "upper")[::question.sign]
    ceiling = question.most(steps, [max(map(abs, list_)) for list_ in zip(low, high, least, achieved)])
    apart = lambda s, x, y: x != y and (inf in (abs(x), abs(y)) or y - x > tolerance * ceiling[s])
    close = lambda s, x, y: x == y or inf not in (abs(x), abs(y)) and y - x <= tolerance * scale[s]
    lower, values, upper = given(below), given("values"), given(above)
    yield below, [(x <= low[s], x > high[s]) for s, x in enumerate(lower)]
    yield above, [(x >= high[s], x < low[s]) for s, x in enumerate(upper)]
    if lower and upper:
        yield "values", [(x <= y <= z, True) for x, y, z in zip(lower, values, upper)]
        converged = [(close(s, x, y), apart(s, x, y)) for s, (x, y) in enumerate(zip(lower, upper))]
        yield "converged", converged if result.get("status") == "converged" else []
    else:
        yield "values", [(close(s, low[s], x) and close(s, x, high[s]), not low[s] <= x <= high[s] and apart(s, min(high[s], x), max(low[s], x)))
                         for s, x in enumerate(values)]
    yield "exact_values", [(low[s] == x == high[s], not low[s] <= x <= high[s])
                           for s, x in enumerate(given("exact_values"))]
    limits = upper or [x + tolerance * y if abs(x) < inf else x for x, y in zip(low, scale)]
    yield "policy", [(achieved[s] <= x or high[s] == -inf and (question.sign > 0 or question.all_steps), least[s] > x and low[s] > -inf)
                     for s, x in enumerate(limits) if policy]

# ---- Properties in the notation of PRISM.
class Property:
    def __init__(self, text, states, labelled):
        """Reads a property about some states; labelled gives those of a label."""
        words = re.findall(r'"[^"]*"|[A-Za-z_]\w*|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|<=>|<=|>=|=>|\S', text)
        self.words, self.states, self.labelled, constants = words[::-1], states, labelled, {}
        while self.take("const"):
            name = [self.take("int", "double"), self.take()][1]
            self.need("=")
            constants[name] = self.number(constants)
            self.need(";")
        self.operator, self.sense = re.fullmatch("(P|S|LRA|R)(min|max)?", self.take()).groups()
        self.reward = self.operator == "R" and self.take("{") and [self.take()[1:-1], self.need("}")][0]
        self.sense = self.sense or self.reward and self.take("min", "max")
        self.relation = self.take("<=", ">=", "<", ">")
        self.limit = self.number(constants) if self.relation else self.need("=") or self.need("?")
        self.need("[")
        plain = {"P": ("F", "G", "X"), "R": ("F", "C", "I", "S", "LRA")}.get(self.operator, ())
        self.left, self.path = states, self.take(*plain) if plain else "S"
        if not self.path and self.operator == "P":
            self.left, self.path = self.formula(), self.take("U", "W")
        strict = (self.take("<=", "<") if self.path != "I" else self.need("=") or "=") if self.path in ("F", "G", "U", "W", "C", "I") else ""
        self.time = self.number(constants) - (strict == "<") if strict else None
        self.right = set() if self.operator == "R" and self.path != "F" else self.formula()
        self.need("]")
        if self.words or not self.path or self.operator == "R" and self.path == "F" and self.time is not None:
            raise ValueError(f"property {text[:99]} found")

    def take(self, *wanted):
        """The next word, if it is one of those wanted."""
        return self.words.pop() if self.words and (not wanted or self.words[-1] in wanted) else ""

    def need(self, word):
        if not self.take(word):
            raise ValueError(f"a property without {word} at its place found")

    def number(self, constants):
        word = self.take()
        divisor = self.take("/") and self.take()
        return constants[word] if word in constants else exact(word + "/" + divisor if divisor else word)

    def formula(self, level=0):
        """The states in which a formula holds."""
        if level == 4:
            word = self.take()
            if word == "!":
                return self.states - self.formula(4)
            if word == "(":
                return [self.formula(), self.need(")")][0]
            return set(self.labelled(word[1:-1])) if word[:1] == '"' else {"true": self.states, "false": set()}[word]
        left, word = self.formula(level + 1), ("=>", "<=>", "|", "&")[level]
        while self.take(word):
            right = self.formula(level + 1)
            left = {"=>": self.states - left | right, "<=>": self.states - (left ^ right), "|": left | right, "&": left & right}[word]
        return left

    def verdict(self, low, high):
        """What bounds on a value say about the threshold."""
        if self.relation[0] == "<":
            low, high = -high, -low
        limit = self.limit if self.relation[0] == ">" else -self.limit
        holds = lambda x: x >= limit if self.relation[1:] else x > limit
        return "yes" if holds(low) else "undecided" if holds(high) else "no"

def asked(path, result):
    """The question that the property of a result asks: about probabilities it is a long-run average in a model in
    which states that decide the property are never left, or a horizon with rewards of ending."""
    kind, model, labels, *_ = read_model(path, "", needed=False)
    stuck = [s for s, of in enumerate(model) if kind in RATES and not any(to for _, _, to, *_ in of)]
    p = Property(result["property"], set(range(len(model))), lambda name: labels.get(name, stuck) if name == "deadlock" else labels[name])
    n, choices, of_states = len(model), any(len(of) > 1 for of in model), lambda states: [int(s in states) for s in range(len(model))]
    earning = lambda of_choices, earned: [[(x, *choice[1:]) for choice in of] for of, x in zip(of_choices, earned)]
    name, terminal, criterion, target = "probability", [0] * n, "average" if p.time is None else "finite", []
    if p.operator == "R":
        _, model, _, name, earned = read_model(path, p.reward)
        if p.path == "I":
            model, terminal = earning(model, terminal), earned
        elif p.path == "F" or p.path == "C" and p.time is None:
            criterion, target = "total", p.right
    elif p.path == "S":
        model = earning(model, of_states(p.right))
    elif p.path == "X":
        criterion, p.time, terminal = "finite", 1, of_states(p.right)
        if kind in RATES:
            share = lambda s, choice: (0, {j: w / sum(choice[1].values()) for j, w in choice[1].items()} or {s: Fraction(1)}, choice[2] or {s})
            kind, model = "dtmc", [[share(s, choice) for choice in of] for s, of in enumerate(model)]
    else:
        left, right = (p.right, set()) if p.path == "G" else (p.left, p.right)
        holds = of_states(right | left if p.path in ("G", "W") else right)
        still = lambda s: [(0, {}, set()) if kind in RATES else (0, {s: Fraction(1)}, {s})]
        model = [still(s) if s in right or s not in left else of for s, of in enumerate(model)]
        model, terminal = (earning(model, holds), terminal) if p.time is None else (model, holds)
    way = "maximize" if p.sense == "max" or not p.sense and choices and p.relation[:1] == "<" else "minimize"
    said = [result[x] for x in ("criterion", "sense", "reward")] + [result.get("target"), result.get("horizon")]
    want = [criterion, way, name, "target" if criterion == "total" and p.path == "F" else None, p.time if criterion == "finite" else None]
    if said != want or {"terminal", "discount", "exact_discount", "rate"} & result.keys() or choices and not p.sense and not p.relation or result.get("evaluated") or result.get("uncertainty"):
        raise ValueError(f"{said} found beside the property, which asks for {want}")
    if "answer" in result:
        low, high = (result.get("exact_values", result[side]) for side in ("lower", "upper"))
        answers = {p.verdict(claimed(low[s]), claimed(high[s])) for s in labels["init"]} if p.relation else set()
        if result["answer"] != next((x for x in ("no", "undecided", "yes") if x in answers), ""):
            raise ValueError(f"answer {result['answer']} found, which does not follow from the bounds")
    question = Question(kind, model, {"init": labels["init"], "target": target}, result, terminal)
    if p.operator != "R":
        question.evident = sorted((0, question.sign))
    return question

# ---- Results with constraints: values are minimised and limits upper ones, by the signs.
def summed(models, weights):
    """The choices of a model, whose costs are a weighted sum of those of others."""
    return [[(sum(w * c[0] for w, c in zip(weights, same)), *same[0][1:]) for same in zip(*of)] for of in zip(*models)]

def followed(model, probabilities):
    """The chain of a policy with these probabilities of choices, over their sum in each state."""
    chain, given = [], [claimed(p) for p in probabilities]
    for of in model:
        shares, given = given[:len(of)], given[len(of):]
        if len(shares) < len(of) or min(shares) < 0 or sum(shares) == 0:
            raise ValueError("probabilities found that are no policy")
        taken, weights = [(p / sum(shares), choice) for p, choice in zip(shares, of) if p], defaultdict(Fraction)
        for p, (_, to, _) in taken:
            for j, w in to.items():
                weights[j] += p * w
        chain.append([(sum(p * cost for p, (cost, *_) in taken), weights, set(weights))])
    if given:
        raise ValueError("more probabilities than choices found")
    return chain

def unrolled(model, steps, ends):
    """The model of the steps of a finite horizon: state t·n + s is s after t steps. After the last
    step, states earn the terminal rewards, and lead to a last state."""
    n, last = len(model), (steps + 1) * len(model)
    layers = [[(cost, {j + (t + 1) * n: w for j, w in to.items()}, {j + (t + 1) * n for j in near}) for cost, to, near in of]
              for t in range(steps) for of in model]
    return layers + [[(x, {last: Fraction(1)}, {last})] for x in [*ends, 0]]

def judged_within(path, result):
    """Like judged, from the initial state, for a result with constraints."""
    limits, s, total = result["constraints"], result["initial"], sum(claimed(c["weight"]) for c in result["mixture"])
    signs = [{"minimize": 1, "maximize": -1}[result["sense"]]] + [{"<=": 1, ">=": -1}[x["sense"]] for x in limits]
    prices, bounds = [1] + [claimed(x["multiplier"]) for x in limits], [0] + [exact(x["bound"]) for x in limits]
    (kind, _, labels, *_), *_ = read = [read_model(path, name) for name in [result["reward"]] + [x["reward"] for x in limits]]
    models = [model for _, model, *_ in read]
    if min(prices) < 0 or any(claimed(c["weight"]) <= 0 for c in result["mixture"]):
        raise ValueError("a multiplier or a weight that is negative found")
    asked = {name: x for name, x in result.items() if name in ("criterion", "target", "discount", "exact_discount", "rate", "exact_rate")}
    if result["criterion"] == "finite":
        ends = read_model(path, result["terminal"])[4] if "terminal" in result else [0] * len(models[0])
        models = [unrolled(model, result["horizon"], ends if i == 0 else [0] * len(ends)) for i, model in enumerate(models)]
        discounts = exact(asked.get("exact_discount", repr(float(asked.get("discount", 1))))) < 1
        asked = asked | {"criterion": "discounted"} if discounts else {"criterion": "total", "target": "end"}
        labels = labels | {"end": [len(models[0]) - 1]}
    def proved(choices, certificate):
        low, high, _, _, scale = Question(kind, choices, labels, asked | {"sense": "minimize"}).proved(certificate, None)
        return low[s], high[s], scale[s]
    least = proved(summed(models, [x * y for x, y in zip(prices, signs)]), result["certificate"])[0]
    least -= sum(x * y * z for x, y, z in zip(prices, signs, bounds))
    most, sizes = [0] * len(signs), [0] * len(signs)
    for part in result["mixture"]:
        share = claimed(part["weight"]) / total
        for i, (model, certificate) in enumerate(zip(models, part["certificates"], strict=True)):
            low, high, size = proved(followed(model, part["probabilities"]), certificate)
            most[i] += share * (high if signs[i] > 0 else -low)
            sizes[i] += share * max(size, low, -high)
    lower, upper = sorted(signs[0] * claimed(x) for x in result["value_bounds"])
    close = lambda x, y, size: x == y or y - x <= claimed(result.get("tolerance", 1e-9)) * size
    yield "initial", [(s in labels["init"], True)]
    yield "lower", [(lower <= least, False)]
    yield "upper", [(most[0] <= upper, False)]
    yield "values", [(lower <= signs[0] * claimed(result["value"]) <= upper, True)]
    given = [x * claimed(limit["value"]) for x, limit in zip(signs[1:], limits)]
    yield "policy", [(x <= y and (y <= sign * z or close(sign * z, y, size)), False)
                     for sign, x, y, z, size in zip(signs[1:], most[1:], given, bounds[1:], sizes[1:])]
    yield "converged", [(close(lower, upper, sum(x * y for x, y in zip(prices, sizes))), False)] if result.get("status") == "converged" else []

def main(model, result):
    told, result = set(), known(json.loads(read(result), parse_float=exact, object_pairs_hook=once))
    claims = judged_within(model, result) if "constraints" in result else \
        judged(asked(model, result) if "property" in result else
               Question(*read_model(model, result.get("reward"))[:3], result, "terminal" in result and read_model(model, result["terminal"])[4]), result)
    for kind, states in claims:
        words = ["holds" if proved else "refuted" if refuted else "undecided" for proved, refuted in states]
        if words:
            told.add(word := max(words, key=("holds", "undecided", "refuted").index))
            print(f"{kind}: {word}" + f" in state {words.index(word)}" * (word != "holds"))
    return 0 if told == {"holds"} else 3

if __name__ == "__main__":
    try:
        sys.set_int_max_str_digits(0)  # fractions may be long
        if len(sys.argv) != 3: raise ValueError("a MODEL and a RESULT are needed, and nothing else")
        sys.exit(main(*sys.argv[1:]))
    except Exception as error:  # whatever a file may have in place of what it should
        print(f"certificates.py: {type(error).__name__}: {error}"[:500].replace("\n", " "), file=sys.stderr)
        sys.exit(2)
