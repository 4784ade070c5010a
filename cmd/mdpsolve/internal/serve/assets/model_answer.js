// A model, drawn: its structure, and the solution of a question. The page and its
// reports show the same.
"use strict";

{
  const { element, number, count } = mdpsolve;

  // numeric returns numbers of an answer, where infinite ones are texts.
  const numeric = (list) => list.map(Number);

  const extreme = (list, pick) => number(numeric(list).reduce((x, y) => pick(x, y)), 8);

  // facts is a list of answers: [name, value, more].
  mdpsolve.facts = (list) => element("dl", { class: "answers" }, list.filter(Boolean).map(([name, value, more]) =>
    element("div", {}, element("dt", {}, name), element("dd", {}, value), more && element("dd", { class: "more" }, more))));

  // isTimed says that a model is in continuous time.
  mdpsolve.isTimed = (info) => ["CTMC", "CTMDP", "SMDP"].includes(info.kind);

  const kinds = { MDP: "Markov decision process", CTMC: "continuous-time Markov chain", CTMDP: "Markov decision process in continuous time", SMDP: "semi-Markov decision process", DTMC: "discrete-time Markov chain" };
  const classes = {
    unichain: "every policy has one closed class",
    communicating: "some policy leads from any state to any other",
    "weakly-communicating": "some policy leads from any state to any other, but for states every policy leaves for good",
    multichain: "the best average may depend on the state",
  };

  // modelStructure draws the answer of info.
  mdpsolve.modelStructure = (info) => {
    const from = (least, most) => (least === most ? least : `${least} to ${most}`);
    const section = element("section", { class: "structure" }, element("h2", {}, "Structure"),
      mdpsolve.facts([
        ["Kind", info.kind, kinds[info.kind]],
        ["States", info.states.toLocaleString("en"), `initial: ${info.initial.join(", ")}`],
        ["Choices", info.choices.toLocaleString("en"), `${from(info.actions_min, info.actions_max)} per state`],
        ["Transitions", info.transitions.toLocaleString("en"), `${from(info.row_min, info.row_max)} per choice`],
      ]),
      element("p", {}, element("strong", {}, info.classification), ` (${classes[info.classification]}), `,
        info.aperiodic ? "aperiodic" : `period ${info.period}`, `, ${count(info.components, "strongly connected component")}, `,
        count(info.end_components, "maximal end component"), "."));
    const names = [
      ...info.labels.map(({ label, states }) => ({ kind: "label", name: label, where: count(states, "state") })),
      ...info.reward_models.map((r) => ({
        kind: "reward", name: r.name, where: [[r.state_rewards, "state"], [r.action_rewards, "action"], [r.transition_rewards, "transition"]]
          .filter(([n]) => n > 0).map(([n, what]) => count(n, what)).join(", ") || "nowhere",
      })),
    ];
    if (names.length > 0) {
      section.append(mdpsolve.table({
        caption: "Labels and rewards",
        columns: [{ key: "name", name: "name" }, { key: "kind", name: "kind" }, { key: "where", name: "where" }], rows: names,
      }));
    }
    return section;
  };

  const meanings = {
    average: (r, info) => `long-run average of ${r.reward ?? "the reward"} per ${mdpsolve.isTimed(info) ? "unit of time" : "step"}`,
    discounted: (r) => `discounted sum of ${r.reward ?? "the rewards"}`,
    total: (r) => `expected sum of ${r.reward ?? "the rewards"} ${r.target ? `until ${r.target}` : "of all steps"}`,
    finite: (r) => `expected sum of ${r.reward ?? "the rewards"} of ${r.horizon} steps`,
  };

  // modelSolution draws an answer of solve about the model of an answer of info; model, as
  // of plainModel, names its states and actions, if it is known. pictures, if there are some, stand
  // before the table.
  mdpsolve.modelSolution = (result, info, model, pictures) => {
    const [lower, upper, values] = [numeric(result.lower), numeric(result.upper), numeric(result.values)];
    const at = result.initial;
    const chooses = info.choices > info.states;
    const sense = chooses && { minimize: "Least", maximize: "Greatest" }[result.sense];
    const section = element("section", { class: "solution" }, element("h2", {}, "Solution"),
      mdpsolve.facts([
        [`${sense ? `${sense} value` : "Value"} of state ${nameOf(model, at)}`, number(values[at], 8), [
          meanings[result.criterion](result, info), element("br"), mdpsolve.proved(lower[at], upper[at])]],
        result.initial_values && ["Initial states", result.initial_states.length,
          `with values from ${extreme(result.initial_values, Math.min)} to ${extreme(result.initial_values, Math.max)}; state ${nameOf(model, at)} is the first`],
        ["Status", result.status, result.status === "converged"
          ? `the bounds of every state differ by at most ${number(result.tolerance)} of its scale`
          : "stopped before the bounds met the tolerance"],
        result.infinite && ["Infinite", "some totals", result.infinite],
        ["Method", result.method, [work(result, chooses), ` ${mdpsolve.seconds(result.elapsed_seconds)}`,
          result.choice && [element("br"), result.choice]]],
      ]));
    const rows = values.map((value, s) => ({
      state: s, name: nameOf(model, s), labels: model?.states[s].labels.join(", ") ?? "", value,
      lower: lower[s], upper: upper[s], relative: result.relative_values?.[s] ?? null,
      action: actionOf(model, result.policy, s),
    }));
    section.append(pictures ?? "", statesTable(rows, model, result, chooses));
    return section;
  };

  // work says what a method has done. Policy iteration for averages begins with the
  // policy that sweeps of value iteration propose.
  const work = ({ method, iterations, criterion }, chooses) => {
    if (method !== "policy-iteration") return `${count(iterations, "iteration")};`;
    const evaluations = count(iterations, "exact evaluation");
    if (criterion !== "average" || !chooses || iterations === 0) return `${evaluations};`;
    return `${evaluations}${iterations > 1 ? ", the first" : ""} of the policy that value iteration proposed;`;
  };

  const nameOf = (model, s) => model?.states[s].name ?? String(s);
  mdpsolve.stateName = nameOf;

  const actionOf = (model, policy, s) => {
    if (!policy) return "";
    return model?.states[s].actions[policy[s]]?.name ?? String(policy[s]);
  };

  // statesTable shows the states, and finds some of them.
  const statesTable = (rows, model, result, chooses) => {
    const named = model?.states.some((state, s) => state.name !== String(s));
    const columns = [
      { key: "state", name: "state", show: String },
      named && { key: "name", name: "name" },
      rows.some((row) => row.labels) && { key: "labels", name: "labels" },
      { key: "value", name: "value", show: (x) => number(x, 8) },
      { key: "lower", name: "proved to", show: (_, row) => mdpsolve.margin(row.lower, row.upper) },
      result.relative_values && { key: "relative", name: "relative value" },
      chooses && { key: "action", name: result.criterion === "finite" ? "first action" : "action" },
    ].filter(Boolean);
    const place = element("div", { class: "states" });
    const draw = (words) => {
      const found = words === "" ? rows : rows.filter((row) => [String(row.state), row.name, row.labels, row.action]
        .some((text) => text.toLowerCase().includes(words)));
      place.replaceChildren(mdpsolve.table({
        caption: words === "" ? "States" : `${count(found.length, "state")} found`, columns, rows: found,
      }));
    };
    draw("");
    if (mdpsolve.report || rows.length <= 10) return place;
    const find = element("input", {
      type: "text", id: mdpsolve.unique("find"), autocomplete: "off", spellcheck: "false",
      oninput: () => draw(find.value.trim().toLowerCase()),
    });
    return element("div", {}, element("p", { class: "find" }, element("label", { for: find.id }, "Find states by number, name, label or action: "), find), place);
  };
}
