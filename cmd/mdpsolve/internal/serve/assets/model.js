// The tab "Any model": a file, its structure, its solution, and the steps to it.
"use strict";

{
  const { element, ask } = mdpsolve;

  // Models up to this size are asked for whole, so that their states have names, can be
  // drawn and be stepped through.
  const mostStates = 200;
  const mostTransitions = 20_000;
  const mostRows = 50_000; // of states and iterations that the slider goes through

  const examples = mdpsolve.modelExamples;
  const latest = new mdpsolve.Latest();
  let files, kind, question, place, progress, results, command; // once built
  let chosen = null; // the model: {files, example, info, json}
  let fields = []; // of its question
  let stepping = new AbortController(); // ends when other steps are shown, or none

  const build = (panel) => {
    files = mdpsolve.files({
      what: "a model", several: true, examples,
      hint: "UMB, DRN, JSON, or PRISM’s .tra with its .sta, .lab, .srew and .trew, all at once",
    }, (list, example, { wanted, shown } = {}) => open(list, example, wanted, shown));
    kind = mdpsolve.choice({
      flag: "kind", label: "Kind of the .tra file", about: "whether its numbers are probabilities or rates", value: "",
      choices: [["", "as the file says"], ["dtmc", "discrete time"], ["ctmc", "continuous time"]],
    }, () => open(chosen.files, chosen.example, { kind: kind.value }));
    kind.node.hidden = true;
    question = element("div", { class: "question" });
    place = element("p", { class: "fault", role: "alert", hidden: true });
    progress = mdpsolve.progress(() => latest.cancel());
    command = mdpsolve.commandLine();
    results = element("div", { class: "results", id: "model-results" });
    panel.append(element("div", { class: "split" },
      element("div", { class: "controls" }, files.node, kind.node, question, place, progress.node), results));
    results.append(welcome());
  };

  const welcome = () => mdpsolve.welcome("Any finite Markov decision process", "Drop a file, or begin with an example. This page shows the structure of the model, " +
    "finds the best policy for your criterion with proved bounds, and steps through policy iteration, one improvement at a time.",
  examples, (name) => openExample(name));

  // restore opens the example that the address names. A file has to be dropped again;
  // then the page asks the question of the address about it.
  const restore = (query) => {
    const { example, file, step, first, iteration, course, ...wanted } = Object.fromEntries(query);
    const shown = { step: Number(step) || 0, first, iteration: Number(iteration) || 0, course };
    if (examples.has(example)) openExample(example, wanted, shown);
    else if (file && file === chosen?.files[0].name && chosen.info) {
      makeFields(wanted);
      solve(shown);
    } else if (file) files.need(file, { wanted, shown }, "model");
  };

  const openExample = (name, wanted, shown) => open(files.hold(name), name, wanted, shown);

  // open reads a model and solves it: as wanted, or as the example proposes.
  const open = (list, example, wanted = {}, shown = {}) => {
    chosen = { files: list, example };
    fields = [];
    kind.node.hidden = !list.some(({ name }) => /\.tra(\.gz)?$/.test(name));
    kind.value = wanted.kind ?? "";
    files.fault("");
    mdpsolve.say("");
    question.replaceChildren();
    results.replaceChildren();
    stepping.abort();
    remember(wanted, shown);
    return answer(async (signal) => {
      const query = kindOf();
      const { answer: info } = await ask("info", query, { body: mdpsolve.form(list), signal });
      const whole = info.states <= mostStates && info.transitions <= mostTransitions;
      const json = whole ? JSON.parse((await ask("convert", { ...query, download: "model.json" }, { body: mdpsolve.form(list), signal })).file) : null;
      return () => {
        Object.assign(chosen, { info, json });
        makeFields({ ...examples.get(example)?.question, ...wanted });
        results.replaceChildren(mdpsolve.modelStructure(info), ...mdpsolve.drawn(json && mdpsolve.plainModel(json)));
        if (info.reward_models.length > 0) return solve(shown);
        question.replaceChildren(element("p", {}, "The model has no rewards, so it has no values. For a probability, ask mdpsolve solve --property."));
        return null;
      };
    });
  };

  // remember puts the model, what is asked of it, and the steps and the iteration shown into the address.
  const remember = (values, shown) => mdpsolve.remember("model", {
    ...(chosen.example ? { example: chosen.example } : { file: chosen.files[0].name }), ...trimmed(values), ...trimmed(kindOf()), ...trimmed(shown),
  });

  const kindOf = () => (kind.node.hidden ? {} : { kind: kind.value });

  // makeFields makes the fields of a question about the model.
  const makeFields = (wanted) => {
    const { info } = chosen;
    const field = (make, options) => make({ value: wanted[options.flag], ...options }, () => solve());
    const { choice, entry } = mdpsolve;
    const choices = (list) => list.map((name) => [name, name]);
    const timed = mdpsolve.isTimed(info); // it has no steps
    const ends = [!info.intervals && ["", "none: all steps"], ...choices(info.labels.map(({ label }) => label))].filter(Boolean);
    fields = [
      field(choice, {
        flag: "criterion", label: "Criterion", about: "what a policy is judged by", choices: [["average", "long-run average"], info.kind !== "SMDP" && ["discounted", "discounted sum"],
          ends.length > 0 && ["total", "total"], !timed && ["finite", "finite horizon"]].filter(Boolean),
      }),
      timed ? field(entry, { flag: "rate", label: "Rate of discounting", about: "a: rewards at time t count e^(−at) times", short: true, value: wanted.rate ?? "1/10" })
        : field(entry, { flag: "discount", label: "Discount factor", about: "b: rewards after t steps count b^t times", short: true, value: wanted.discount ?? "9/10" }),
      ends.length > 0 && field(choice, { flag: "target", label: "Target", about: "the label of the states where the total ends", choices: ends }),
      field(entry, { flag: "horizon", label: "Horizon", about: "how many steps count", unit: "steps", short: true, value: wanted.horizon ?? "10" }),
      info.choices > info.states && field(choice, { flag: "sense", label: "Look for", about: "costs are minimised, profits maximised", choices: [["minimize", "the least value"], ["maximize", "the greatest value"]] }),
      info.intervals > 0 && field(choice, { flag: "uncertainty", label: "Within the intervals, nature chooses", about: "the probabilities, against you or for you", choices: [["worst", "the worst for you"], ["best", "the best for you"]] }),
      info.reward_models.length > 0 && field(choice, { flag: "reward", label: "Reward", about: "which of the model’s rewards is summed", choices: choices(info.reward_models.map(({ name }) => name)) }),
      field(choice, {
        flag: "method", label: "Method", about: "all methods give the same value", choices: [["", "automatic"], ...choices(["policy-iteration", "inexact-policy-iteration", "rvi",
          "value-iteration", "modified-policy-iteration", "exact"])],
      }),
      field(entry, { flag: "tolerance", label: "Tolerance", about: "how far apart bounds may be, relative to the scale", short: true, value: wanted.tolerance ?? "1e-9" }),
    ].filter(Boolean);
    for (const f of fields) if (wanted[f.flag] != null) f.value = wanted[f.flag];
    question.replaceChildren(...fields.map((f) => f.node));
  };

  // asked returns the values of the fields that the criterion has.
  const asked = () => {
    const values = Object.fromEntries(fields.map((f) => [f.flag, f.value]));
    const only = { discount: "discounted", rate: "discounted", target: "total", horizon: "finite" };
    for (const f of fields) f.node.hidden = f.flag in only && only[f.flag] !== values.criterion;
    for (const flag in only) if (only[flag] !== values.criterion) delete values[flag];
    return values;
  };

  // flagsOf returns what the command is asked by.
  const flagsOf = ({ sense, ...flags }) => ({ ...flags, ...(sense && { [sense]: true }), ...kindOf() });

  const solve = (shown = {}) => {
    const values = asked();
    const { files: list, info, json } = chosen;
    remember(values, shown);
    const move = (to) => remember(values, Object.assign(shown, to));
    return answer(async (signal) => {
      const { answer: result, command: line } = await ask("solve", flagsOf(values), {
        body: mdpsolve.form(list), signal, onProgress: progress.show,
      });
      return () => {
        const model = json && mdpsolve.plainModel(json, result.reward);
        const endless = values.criterion === "total" && values.target === ""; // its policies may have no total
        stepping.abort();
        stepping = new AbortController();
        results.replaceChildren(mdpsolve.modelStructure(info), mdpsolve.modelSolution(result, info, model, pictures(list, values, result, info)), ...steps(), ...iterations());
        command.show(line);
        results.append(element("h2", {}, "Take it with you"), command.node, downloads(result));
        mdpsolve.say(`Solved: the value of state ${result.initial} is ${mdpsolve.number(Number(result.value))}, status ${result.status}.`);

        function iterations() {
          if (!model || info.intervals > 0 || endless || !result.values.every(isFinite) || result.status !== "converged") return [];
          const most = Math.floor(mostRows / info.states);
          const load = async (method) => (await mdpsolve.askText("solve", {
            ...flagsOf(values), method, "max-iterations": most, download: "values.csv", states: `0:${info.states - 1}:1`,
          }, { body: mdpsolve.form(list), signal: stepping.signal })).text;
          const slider = mdpsolve.iterations({ criterion: values.criterion, isMulti: info.classification === "multichain", chooses: info.choices > info.states, initial: result.initial, most, load, moved: move });
          slider.go(shown);
          return [slider.node];
        }

        function steps() {
          if (!model) return [];
          const fixed = info.choices === info.states || info.intervals > 0 || mdpsolve.isTimed(info);
          if (fixed || values.criterion === "finite" || endless || result.status !== "converged") {
            return mdpsolve.drawn(model, result.policy);
          }
          const { signal } = stepping;
          const stepper = mdpsolve.stepper({
            model, question: { ...values, sense: result.sense }, optimum: result, first: shown.first, moved: move,
            evaluate: async (policy) => {
              const { method, sense, ...flags } = values; // the policy is given
              const body = mdpsolve.form(list, { policy: mdpsolve.policyFile(policy, json) });
              return (await ask("evaluate", { ...flags, ...kindOf() }, { body, signal })).answer;
            },
          });
          stepper.go(shown.step ?? 0);
          return [stepper.node];
        }
      };
    });
  };

  // pictures returns the place for the picture of an answer, and asks for it.
  const pictures = (list, values, result, info) => {
    const chooses = info.choices > info.states;
    const isKnown = isFinite(result.values[result.initial]) && !(info.intervals > 0 && values.criterion === "finite"); // where the policy is
    const show = [chooses && "policy", "value", isKnown && "distribution"].filter(Boolean).join(",");
    const place = mdpsolve.pictures("solve");
    place.draw({ ...flagsOf(values), show }, { words: pictured(chooses), seconds: result.elapsed_seconds, body: mdpsolve.form(list), signal: stepping.signal });
    return place.node;
  };

  const pictured = (chooses) => `${chooses ? "The best action, the" : "The"} value and the share of time of each state, over the variables of states`;

  const trimmed = (values) => Object.fromEntries(Object.entries(values).filter(([, value]) => value !== "" && value !== 0 && value != null));

  // answer asks the server, shows how far it has come or what is wrong, and calls what
  // the question returns.
  let turn = 0;
  const answer = async (ask) => {
    const mine = ++turn;
    mdpsolve.showFault(null, [...fields, kind], place);
    results.classList.toggle("stale", results.querySelector(".solution") != null);
    results.setAttribute("aria-busy", "true");
    progress.begin();
    try {
      const show = await latest.run(ask);
      if (!show) return;
      results.classList.remove("stale");
      await show();
    } catch (fault) {
      if (!(fault instanceof mdpsolve.Fault)) throw fault;
      mdpsolve.showFault(fault, kind.node.hidden ? fields : [...fields, kind], place);
    } finally {
      if (mine === turn) {
        progress.hide();
        results.removeAttribute("aria-busy");
        if (!results.hasChildNodes()) results.append(welcome());
      }
    }
  };

  const downloads = (result) => {
    const link = (name, save) => element("button", { type: "button", onclick: save }, name);
    return element("p", { class: "downloads" },
      link("Result with its certificate (JSON)", () => mdpsolve.save("result.json", "application/json", JSON.stringify(result))),
      chosen.info.choices > chosen.info.states && link("Policy (CSV)", async () => mdpsolve.save("policy.csv", "text/csv", await mdpsolve.policyFile(result.policy, chosen.json, result.horizon > 1).text())),
      chosen.json && link("Model (JSON)", () => mdpsolve.save("model.json", "application/json", JSON.stringify(chosen.json))));
  };

  const report = (answers, root) => {
    const { info, solve: result, convert, picture } = answers;
    root.append(element("h1", {}, info?.file.split(/[/\\]/).at(-1) ?? "A model"));
    const model = convert && mdpsolve.plainModel(convert, result?.reward);
    if (info) root.append(mdpsolve.modelStructure(info));
    if (info && result) root.append(mdpsolve.modelSolution(result, info, model, picture && mdpsolve.picture(picture, pictured(info.choices > info.states))));
    root.append(...mdpsolve.drawn(model, result?.policy));
  };

  mdpsolve.tab({ name: "model", title: "Any model", build, restore, report, files: () => chosen?.files ?? [] });
}
