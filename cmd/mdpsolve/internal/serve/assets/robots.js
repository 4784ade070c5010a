// The tab Robots: controls, questions to the server, and what they bring.
"use strict";

{
  const { element, number } = mdpsolve;
  const costFlags = ["holding-cost", "robot-cost", "activation-cost"];
  const flags = ["lambda", "mu", "gamma", "buffer", "robots", ...costFlags];
  const defaults = { lambda: "1/10", mu: "1", gamma: "1.4", buffer: "5", robots: "16", "holding-cost": "0", "robot-cost": "0", "activation-cost": "0" };
  const laws = [["exponential", "exponential"], ["erlang", "Erlang"], ["hyperexponential", "hyperexponential"]];

  const mostStates = 200_000; // of an animation
  const rounded = (x) => Number(x.toPrecision(3));

  const build = (panel) => {
    const latest = new mdpsolve.Latest();
    const fields = {
      lambda: mdpsolve.dial({ flag: "lambda", id: "lambda", label: "λ, rate of a robot", unit: "pages per unit of time", from: 0.01, to: 1, log: true, value: defaults.lambda }, changed),
      mu: mdpsolve.dial({ flag: "mu", id: "mu", label: "μ, rate of the indexer", unit: "pages per unit of time", from: 0.1, to: 10, log: true, value: defaults.mu }, changed),
      gamma: mdpsolve.dial({ flag: "gamma", id: "gamma", label: "γ, cost of an empty queue", unit: "per unit of time", from: 0.1, to: 10, log: true, value: defaults.gamma }, changed),
      buffer: mdpsolve.dial({ flag: "buffer", id: "buffer", label: "K, places", unit: "the page being indexed included", from: 2, to: 50, whole: true, value: defaults.buffer }, changed),
      robots: mdpsolve.dial({ flag: "robots", id: "robots", label: "N, robots there are", from: 1, to: 100, whole: true, auto: true, value: defaults.robots }, changed),
      law: mdpsolve.choice({ flag: "service", id: "service", label: "Indexing times", choices: laws, value: "exponential" }, lawChanged),
      stages: mdpsolve.entry({ flag: "service", id: "stages", label: "stages of Erlang's law", value: "3", short: true }, changed),
      mixture: mdpsolve.entry({ flag: "service", id: "mixture", label: "weights@means", value: "0.9@0.5,0.1@5.5", hint: "0.9@0.5,0.1@5.5" }, changed),
      "holding-cost": mdpsolve.entry({ flag: "holding-cost", label: "per page in the system", unit: "and unit of time", value: "0", short: true }, changed),
      "robot-cost": mdpsolve.entry({ flag: "robot-cost", label: "per active robot", unit: "and unit of time", value: "0", short: true }, changed),
      "activation-cost": mdpsolve.entry({ flag: "activation-cost", label: "each time a departure sends a robot out", value: "0", short: true }, changed),
    };
    const costs = element("details", {}, element("summary", {}, "More costs"),
      fields["holding-cost"].node, fields["robot-cost"].node, fields["activation-cost"].node);
    const fault = element("p", { class: "fault", role: "alert", hidden: true });
    const warned = element("p", { class: "soft" });
    const besides = element("p", { class: "fault", role: "alert" }); // of what is asked besides
    const progress = mdpsolve.progress(() => {
      latest.cancel();
      fault.textContent = "Cancelled: the numbers below are of the settings before.";
      fault.hidden = false;
    });
    const tiles = mdpsolve.robotsAnswers();
    const grid = mdpsolve.policyGrid();
    const phase = mdpsolve.choice({ flag: "phase", id: "phase", label: "Curves while a service is in phase", choices: [] }, () => {
      drawGrid();
      remember(true);
    });
    const charts = { robots: mdpsolve.costChart("robots"), gamma: mdpsolve.costChart("gamma") };
    const animation = mdpsolve.animation(grid, () => remember(true));
    const command = mdpsolve.commandLine();
    const downloads = {
      curves: mdpsolve.downloads("Switching curves"), answer: mdpsolve.downloads("Answer"), policy: mdpsolve.downloads("Policy"),
      robots: mdpsolve.downloads("Cost against the number of robots"), gamma: mdpsolve.downloads("Cost against γ"),
    };
    const found = element("div", { hidden: true }, warned, tiles.node, phase.node, grid.node, animation.node,
      element("h2", {}, "What would change the cost"), besides, element("div", { class: "pair" }, charts.robots.node, charts.gamma.node),
      element("h2", {}, "Take it with you"), element("p", { class: "soft" }, "This command gives the same answer:"), command.node, Object.values(downloads).map((d) => d.node));
    const results = element("div", { class: "results" }, fault, progress.node, found);
    panel.append(
      element("p", { class: "lead" }, "Robots bring pages to a queue, and an indexer empties it. An empty queue costs γ per unit of time, " +
        "a page that finds the queue full is lost and costs 1. When should robots go out, and when rest?"),
      element("div", { class: "split" },
      element("form", { class: "controls", "aria-label": "Parameters", onsubmit: (e) => e.preventDefault() },
        ["lambda", "mu", "gamma", "buffer", "robots", "law", "stages", "mixture"].map((name) => fields[name].node), costs),
      results));

    let answer = null;
    let wantedPhase; // from the address, until there is an answer
    let still = null; // the answer of static for the best fixed number
    const secondary = new mdpsolve.Latest();

    const law = () => ({
      exponential: "", erlang: `erlang:${fields.stages.value}`, hyperexponential: `hyperexponential:${fields.mixture.value}`,
    })[fields.law.value];

    // query is what the server is asked: the flags of robots solve.
    const query = () => {
      const values = Object.fromEntries(flags.map((flag) => [flag, fields[flag].value]));
      for (const flag of costFlags) {
        if (values[flag] === "0") values[flag] = "";
      }
      return { ...values, service: law() };
    };

    const given = (values) => Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""));
    const remember = (step) => mdpsolve.remember("robots", given({ ...query(), ...animation.query, phase: chosenPhase() }), { step });
    // chosenPhase is "" for the last one, which is shown unless another is asked for.
    const chosenPhase = () => wantedPhase ?? (answer && Number(phase.value) < mdpsolve.robotsPhases(answer).length - 1 ? phase.value : "");

    function lawChanged(done) {
      fields.stages.node.hidden = fields.law.value !== "erlang";
      fields.mixture.node.hidden = fields.law.value !== "hyperexponential";
      changed(done);
    }

    function changed(done) {
      remember(done);
      solve();
    }

    // solve asks for an answer. While a slider moves, one that is nearly there is waited
    // for, so that the curves follow; one that takes longer is cancelled.
    const patience = 150; // milliseconds
    let changedAt = 0; // when the settings changed, 0 once they have been asked for
    let solving = false;
    let impatient;
    async function solve() {
      performance.mark("slider");
      changedAt = performance.now();
      if (solving) {
        impatient ??= setTimeout(() => latest.cancel(), patience);
        return;
      }
      solving = true;
      secondary.cancel();
      progress.begin();
      found.classList.add("stale");
      while (changedAt > 0) await solveOnce();
      progress.hide();
      found.classList.remove("stale");
      solving = false;
    }

    async function solveOnce() {
      const asked = query();
      const start = changedAt;
      changedAt = 0;
      clearTimeout(impatient);
      impatient = undefined;
      try {
        const newest = await latest.run((signal) =>
          mdpsolve.ask("robots", { ...asked, distribution: true }, { signal, onProgress: progress.show }));
        if (!newest) return;
        show(newest);
        performance.measure("slider-to-curve", { start, end: performance.now() });
        mdpsolve.showFault(null, Object.values(fields), fault);
        more(asked);
      } catch (error) {
        if (!(error instanceof mdpsolve.Fault)) throw error;
        mdpsolve.showFault(error, Object.values(fields).filter((f) => !f.node.hidden), fault);
      }
    }

    function show({ answer: newAnswer, command: line, warnings }) {
      answer = newAnswer;
      found.hidden = false;
      still = null;
      fields.robots.resolved(answer.robots);
      tiles.set(answer, still);
      const phases = mdpsolve.robotsPhases(answer);
      phase.node.hidden = phases.length < 2;
      phase.choose(phases.map((p, i) => [String(i), p.departure ? `${i + 1}` : `${i + 1} (no page leaves in it)`]), wantedPhase);
      wantedPhase = undefined;
      drawGrid();
      warned.textContent = warnings.join(" ");
      command.show(line);
      tell();
    }

    function drawGrid() {
      grid.set(mdpsolve.robotsPolicy(answer, Number(phase.value)));
    }

    const tell = mdpsolve.later(700, () => mdpsolve.say(
      `Least cost ${number(answer.gain, 4)}, best fixed number ${answer.static_robots} at cost ${number(answer.static_cost, 4)}.`));

    // more asks for what comes after the curves: the policy for the animation, the best
    // fixed number's numbers, and costs against N and γ.
    const more = mdpsolve.later(120, (asked) => secondary.run(async (signal) => {
      const a = answer;
      showLinks(asked);
      besides.textContent = "";
      animation.node.hidden = a.static_robots == null || (a.robots + 1) * (a.buffer + 1) > mostStates;
      if (!animation.node.hidden) {
        const policy = await mdpsolve.fetchJSON("robots", { ...asked, download: "policy.json" }, { signal });
        animation.set({
          policy: mdpsolve.readPolicy(policy), fixed: a.static_robots_by_class ?? [a.static_robots],
          costs: { switched: a.policy_cost, fixed: a.static_cost },
        });
      }
      await fixedNumber(asked, a, signal);
      for (const [over, ask] of Object.entries(sweeps(asked))) {
        const rows = await mdpsolve.ask("robots/sweep", ask, { signal });
        if (signal.aborted) return;
        charts[over].set(rows.answer, a[over]);
      }
    }).catch((error) => {
      if (!(error instanceof mdpsolve.Fault)) throw error;
      besides.textContent = error.message;
    }));

    // sweeps are the flags of the sweeps that are shown, by what varies.
    const sweeps = (asked) => {
      const most = Math.max(answer.robots, 2 * (answer.static_robots ?? 1), 4);
      return {
        robots: { ...asked, robots: "", over: "robots", from: 1, to: most, steps: Math.min(most, 40) },
        gamma: { ...asked, robots: answer.robots, gamma: "", over: "gamma", from: rounded(answer.gamma / 5), to: rounded(3 * answer.gamma), steps: 40 },
      };
    };

    // fixedNumber asks what the best fixed number of robots starves and loses.
    async function fixedNumber(asked, a, signal) {
      if (a.static_robots == null) return;
      const { lambda, mu, gamma, buffer, service } = asked;
      const { answer: numbers } = await mdpsolve.ask("static", { lambda, mu, gamma, buffer, service, robots: a.static_robots }, { signal });
      if (signal.aborted) return;
      still = numbers;
      tiles.set(a, still);
    }

    function showLinks(asked) {
      const pictures = (verb, ask, name) => ["svg", "png", "pdf"].map((form) =>
        [form.toUpperCase(), mdpsolve.address(verb, ask, { download: form }), `${name}.${form}`]);
      const plain = law() === "" && costFlags.every((flag) => asked[flag] === "");
      downloads.curves.show(pictures("robots", asked, "switching-curves"));
      downloads.answer.show([
        ["JSON", mdpsolve.address("robots", asked, { distribution: true, output: "json" }), "answer.json"],
        ["CSV", mdpsolve.address("robots", asked, { output: "csv" }), "answer.csv"],
      ]);
      downloads.policy.show(["json", ...(plain ? ["csv"] : [])].map((form) =>
        [form.toUpperCase(), mdpsolve.address("robots", asked, { download: `policy.${form}` }), `policy.${form}`]));
      for (const [over, ask] of Object.entries(sweeps(asked))) {
        downloads[over].show([...pictures("robots/sweep", ask, `cost-against-${over}`),
          ["CSV", mdpsolve.address("robots/sweep", ask, { output: "csv" }), `cost-against-${over}.csv`]]);
      }
    }

    restore = (address) => {
      for (const flag of flags) fields[flag].value = address.get(flag) ?? defaults[flag];
      const [name, rest] = (address.get("service") ?? "exponential").split(/:(.*)/s);
      fields.law.value = laws.some(([value]) => value === name) ? name : "exponential";
      if (name === "erlang") fields.stages.value = rest;
      if (name === "hyperexponential") fields.mixture.value = rest;
      costs.open = costFlags.some((flag) => address.has(flag));
      animation.restore(address);
      wantedPhase = address.get("phase") ?? undefined;
      lawChanged(false);
    };
  };

  let restore; // set by build

  mdpsolve.tab({ name: "robots", title: "Robots", build, restore: (query) => restore(query), report: mdpsolve.reportRobots });
}
