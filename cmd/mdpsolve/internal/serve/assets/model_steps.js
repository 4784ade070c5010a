// Policy iteration as textbooks have it, one improvement at a time. The server
// evaluates policies; here is the step from one to the next.
"use strict";

{
  // plainModel turns a model in JSON ("mdpsolve-model/1") into lists of numbers for one
  // reward model: {kind, initial, labels, states: [{name, labels, actions: [{name,
  // reward, to: [[state, probability], …]}]}]}. Rewards are expected ones. A probability
  // that is not known is the list of its bounds; what depends on it is NaN.
  mdpsolve.plainModel = (json, rewardName) => {
    const chosen = Math.max(0, (json.reward_models ?? []).indexOf(rewardName));
    const numeric = (x) => (typeof x === "string" ? mdpsolve.parse(x) : Array.isArray(x) ? x.map(numeric) : x);
    const reward = (list) => numeric(list?.[chosen] ?? 0);
    const states = json.states.map((state, s) => ({
      name: state.name ?? String(s),
      labels: Object.keys(json.labels ?? {}).filter((label) => json.labels[label].includes(s)),
      actions: state.actions.map((action, a) => {
        const to = action.to.map(([next, probability]) => [next, numeric(probability)]);
        const passing = action.to.reduce((sum, [, , rewards], i) => sum + to[i][1] * reward(rewards), 0);
        return { name: action.name ?? String(a), reward: reward(state.rewards) + reward(action.rewards) + passing, to };
      }),
    }));
    return { kind: json.kind, initial: json.initial?.[0] ?? 0, labels: json.labels ?? {}, states };
  };

  // chance writes a probability, or its bounds.
  mdpsolve.chance = (p, digits) => [p].flat().map((x) => mdpsolve.number(x, digits)).join("–");

  // mean is Σ p·values over a row, where 0·∞ does not occur: p > 0.
  const mean = (row, values) => row.reduce((sum, [next, p]) => sum + p * values[next], 0);

  // closest is the difference, relative to the largest number, below which actions count
  // as equally good: the values have errors of rounding.
  const closest = 1e-9;

  // improve looks for better actions than those of a policy with the values that are
  // given: {values, relative_values} for averages, {values} else. It returns
  // {policy, worth}: the next policy, which keeps an action unless another is better,
  // and what each action of each state is worth. For averages an action is first worth
  // the gain that it leads to; where no state can improve that, worth is the reward and
  // the relative value that it leads to.
  mdpsolve.improve = (model, question, policy, { values, relative_values: relative }) => {
    const best = question.sense === "maximize" ? 1 : -1;
    const discount = question.criterion === "discounted" ? mdpsolve.parse(question.discount) : 1;
    const fixed = new Set(question.criterion === "total" ? model.labels[question.target] : []);
    const average = question.criterion === "average";
    const sum = (action, of) => action.reward + discount * mean(action.to, of);
    const choose = (worth, allowed = () => true) => {
      const margin = closest * Math.max(...worth.flat().filter(Number.isFinite).map(Math.abs));
      return policy.map((now, s) => {
        let [next, most] = [now, worth[s][now]];
        worth[s].forEach((x, a) => {
          if (allowed(s, a) && best * (x - most) > margin) [next, most] = [a, x];
        });
        return next;
      });
    };
    const worthOf = (f) => model.states.map((state, s) => state.actions.map((action) => (fixed.has(s) ? 0 : f(action))));
    if (!average) {
      const worth = worthOf((action) => sum(action, values));
      return { policy: choose(worth), worth, by: "value" };
    }
    const gains = worthOf((action) => mean(action.to, values));
    const byGain = choose(gains);
    if (byGain.some((a, s) => a !== policy[s])) return { policy: byGain, worth: gains, by: "gain" };
    const worth = worthOf((action) => sum(action, relative));
    const margin = closest * Math.max(...gains.flat().map(Math.abs));
    const asGood = (s, a) => best * (gains[s][a] - gains[s][policy[s]]) >= -margin;
    return { policy: choose(worth, asGood), worth, by: "value" };
  };

  // firstPolicy returns the policy that the command also begins with; firstWords describes it.
  mdpsolve.firstPolicy = (model, { criterion, target }) => (criterion === "total" ? towards(model, model.labels[target]) : model.states.map(() => 0));
  mdpsolve.firstWords = (criterion) => `In each state, the first policy has the first action${criterion === "total" ? " towards the target" : ""}.`;

  // towards returns a policy that can reach the target from wherever any can.
  const towards = (model, target) => {
    const policy = model.states.map(() => 0);
    const reached = new Set(target);
    for (let before = -1; before < reached.size;) {
      before = reached.size;
      const nearer = new Set(reached);
      model.states.forEach(({ actions }, s) => {
        if (reached.has(s)) return;
        const a = actions.findIndex((action) => action.to.some(([next]) => reached.has(next)));
        if (a < 0) return;
        policy[s] = a;
        nearer.add(s);
      });
      nearer.forEach((s) => reached.add(s));
    }
    return policy;
  };

  // policyFile is a policy of a model in JSON, which may be unknown, as the command writes it; a
  // column step says that it is for the first of several steps alone.
  mdpsolve.policyFile = (policy, json, isFirstStep = false) => {
    const isNamed = json?.states.every(({ name }) => name != null);
    const line = (cells) => cells.filter((cell) => cell != null).join(",") + "\n";
    const header = line(["state", isFirstStep ? "step" : null, isNamed ? "name" : null, "policy"]);
    const lines = policy.map((action, s) =>
      line([s, isFirstStep ? 1 : null, isNamed ? `"${json.states[s].name.replaceAll('"', '""')}"` : null, action]));
    return new File([header, ...lines], "policy.csv", { type: "text/csv" });
  };
}
