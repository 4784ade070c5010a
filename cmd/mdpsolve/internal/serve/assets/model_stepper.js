// Stepping through policy iteration: what the reader sees of each policy, and the
// buttons between them.
"use strict";

{
  const { element, number } = mdpsolve;

  // stepper shows the steps for a model and a question. evaluate(policy) asks the server
  // for the values of a policy; optimum is the answer of solve. first is how the first policy
  // differs from the usual one: "state:action,…". moved({step, first}) is called when another
  // step is shown. The stepper is {node, go}: go(k) goes to step k, or as far as there are steps.
  mdpsolve.stepper = ({ model, question, evaluate, optimum, first, moved }) => {
    const usual = mdpsolve.firstPolicy(model, question);
    let steps = []; // {policy, values, next}: a policy, its values, and the improvement
    let at = 0;
    const graph = mdpsolve.isDrawable(model) ? mdpsolve.graph(model, " In orange circles the action has just changed.") : null;
    const place = element("div", { class: "step" });
    const heading = element("p", { class: "verdict", role: "status" });
    const fault = element("p", { class: "fault", role: "alert" });
    const course = element("div", { class: "course" });
    const button = (name, onclick) => element("button", { type: "button", onclick }, name);
    const buttons = {
      first: button("Start again", () => go(0)),
      back: button("Back", () => go(at - 1)),
      next: button("Next improvement", () => go(at + 1)),
      last: button("To the end", () => go(Infinity)),
    };
    buttons.next.classList.add("main");
    const node = element("section", { class: "steps" },
      element("h2", {}, "Policy iteration, one improvement at a time"),
      element("p", {}, "Howard’s method: evaluate a policy. Then, in each state where another action is better for these values, change to the best action. ",
        "The action of the policy is underlined; a better action is marked ▲. You can choose the actions of the first policy."),
      element("p", { class: "buttons" }, Object.values(buttons)), fault, heading,
      element("div", { class: graph?.width <= 440 && "beside" }, place, graph?.node), course);

    // step evaluates a policy and looks for a better one.
    const step = async (policy) => {
      const result = await evaluate(policy);
      const values = { values: result.values.map(Number), relative_values: result.relative_values?.map(Number) };
      return { policy, values, next: mdpsolve.improve(model, question, policy, values) };
    };

    // isLast says that a step leads to no other policy, or back to one by rounding.
    const isLast = (k) => steps.slice(0, k + 1).some(({ policy }) => policy.every((a, s) => a === steps[k].next.policy[s]));

    // wanted returns the first policy. It ignores states and actions that the model does not have.
    const wanted = () => {
      const policy = [...usual];
      for (const [, s, a] of (first ?? "").matchAll(/(\d+):(\d+)/g)) if (model.states[s]?.actions[a]) policy[s] = Number(a);
      return policy;
    };

    const differences = (policy) => policy.flatMap((a, s) => (a === usual[s] ? [] : `${s}:${a}`)).join(",");

    // begin starts from a policy.
    const begin = async (policy) => {
      steps = [await step(policy)];
      at = 0;
    };

    let queue = Promise.resolve(); // a press waits for those before it
    const go = (k) => inTurn(async () => {
      if (steps.length === 0) await begin(wanted());
      while (steps.length <= k && !isLast(steps.length - 1)) {
        steps.push(await step(steps.at(-1).next.policy));
      }
      at = Math.max(0, Math.min(k, steps.length - 1));
    });
    const chooseFirst = (s, a) => inTurn(() => begin(steps[0].policy.with(s, a)));
    const inTurn = (work) => {
      queue = queue.catch(() => {}).then(async () => {
        node.dataset.busy = "";
        fault.textContent = "";
        try {
          await work();
          show();
          moved({ step: at, first: differences(steps[0].policy) });
        } catch (error) {
          if (error.name === "AbortError") return;
          if (!(error instanceof mdpsolve.Fault)) throw error;
          fault.textContent = error.message;
        } finally {
          delete node.dataset.busy;
        }
      });
      return queue;
    };

    const show = () => {
      const { policy, values, next } = steps[at];
      const before = steps[at - 1]?.policy ?? policy;
      const changed = new Set(policy.keys().filter((s) => policy[s] !== before[s]));
      const last = isLast(at);
      buttons.first.disabled = buttons.back.disabled = at === 0;
      buttons.next.disabled = buttons.last.disabled = last;
      heading.textContent = verdict(last, changed.size, next, policy);
      node.dataset.step = at;
      node.dataset.values = JSON.stringify(values.values.map(String));
      place.replaceChildren(table(steps[at], before));
      if (isSeveral(values)) place.append(element("p", { class: "hint" }, "Relative values are biases, less that of the first state."));
      graph?.show(policy, changed);
      course.replaceChildren(mdpsolve.table({
        caption: `The course so far: the value of state ${mdpsolve.stateName(model, model.initial)}`,
        columns: [{ key: "step", name: "policy", show: String }, { key: "value", name: "value", show: (x) => number(x, 8) }, { key: "changed", name: "changed states", show: String }],
        rows: steps.map((one, k) => ({
          step: k + 1, value: one.values.values[model.initial],
          changed: k === 0 ? "" : String(one.policy.filter((a, s) => a !== steps[k - 1].policy[s]).length),
        })),
      }));
    };

    // verdict says in words what a step has come to.
    const verdict = (last, changed, next, policy) => {
      const came = at === 0 ? (differences(policy) === "" ? mdpsolve.firstWords(question.criterion) : "The first policy is the one that you chose.") : `Policy ${at + 1} changes the action in ${changed} of ${policy.length} states.`;
      if (!last) {
        const better = next.policy.filter((a, s) => a !== policy[s]).length;
        return `${came} ${next.by === "gain" ? "A better average can be reached from" : "A better action exists in"} ${better} of ${policy.length} states.`;
      }
      const agrees = steps[at].values.values.every((value, s) => close(value, Number(optimum.values[s])));
      return `${came} No action is better in any state: ${agrees
        ? "this policy is optimal, and its values are those of the solution above."
        : "policy iteration ends here, though the solution above is better. It can fail where a policy never reaches the target."}`;
    };

    const close = (a, b) => a === b || Math.abs(a - b) <= 1e-7 * Math.max(Math.abs(a), Math.abs(b), 1e-9);

    const isSeveral = ({ values }) => question.criterion === "average" && new Set(values.map((v) => v.toPrecision(9))).size > 1;

    const table = ({ policy, values, next }, before) => {
      const several = isSeveral(values);
      const rows = model.states.map((state, s) => ({
        s, name: state.name, value: values.values[s], relative: values.relative_values?.[s] ?? null, action: state.actions[policy[s]].name, worths: "",
      }));
      return mdpsolve.table({
        caption: `Policy ${at + 1}${question.criterion === "average" && !several ? `, average ${number(values.values[0], 8)}` : ""}: ` +
          `values, and what each action ${next.by === "gain" ? "leads to on average" : "is worth"}`,
        rows,
        columns: [
          { key: "name", name: "state" },
          { key: "action", name: "action", show: (_, { s }) => action(s, policy, before) },
          (question.criterion !== "average" || several) && { key: "value", name: question.criterion === "average" ? "average" : "value", show: (x) => number(x, 6) },
          question.criterion === "average" && { key: "relative", name: "relative value", show: (x) => number(x, 6) },
          ...worthColumns((s, a) => worth(s, a, policy, next)),
        ].filter(Boolean),
      });
    };

    // worthColumns has a column for each action where most states share a few actions,
    // and one for all actions else. show(s, a) shows what an action of a state is worth.
    const worthColumns = (show) => {
      const names = [...new Set(model.states.flatMap(({ actions }) => actions.map((one) => one.name)))];
      const all = (s) => model.states[s].actions.map((one, a) => element("span", {}, `${one.name} `, show(s, a)));
      const choices = model.states.reduce((sum, { actions }) => sum + actions.length, 0);
      if (names.length > 6 || choices < names.length * model.states.length / 2) {
        return [{ key: "worths", name: "actions", show: (_, { s }) => element("span", { class: "worths" }, all(s)) }];
      }
      return names.map((name) => ({
        key: "s", name, show: (s) => model.states[s].actions.map((one, a) => one.name === name && show(s, a)).find(Boolean) || "",
      }));
    };

    // action shows the action of a state and the one before it. In the first policy, the
    // reader can choose it.
    const action = (s, policy, before) => {
      const { name, actions } = model.states[s];
      if (at === 0 && actions.length > 1) {
        return element("select", { "aria-label": `first action in state ${name}`, onchange: (event) => chooseFirst(s, Number(event.target.value)) },
          actions.map((one, a) => element("option", { value: a, selected: a === policy[s] }, one.name)));
      }
      if (policy[s] === before[s]) return element("span", {}, actions[policy[s]].name);
      return element("span", {}, element("mark", {}, actions[policy[s]].name), ` was ${actions[before[s]].name}`);
    };

    // worth shows what an action is worth: it may be the policy's, or the next one's.
    const worth = (s, a, policy, next) => {
      const text = number(next.worth[s][a], 5);
      if (a === next.policy[s] && a !== policy[s]) return element("span", { class: "better" }, `${text} ▲`);
      return element("span", { class: a === policy[s] && "now" }, text);
    };

    return { node, go };
  };
}
