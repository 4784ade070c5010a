// The tab Robots: controls, questions to the server, and what they bring.
"use strict";

{
  const { element, number } = mdpsolve;
  const perTime = "per unit of time";
  const flags = ["lambda", "mu", "gamma", "buffer", "robots", "holding-cost", "robot-cost", "activation-cost"];
  const defaults = { lambda: "1/10", mu: "1", gamma: "1.4", buffer: "5", robots: "16", "holding-cost": "0", "robot-cost": "0", "activation-cost": "0" };
  const laws = [["exponential", "exponential"], ["erlang", "Erlang"], ["hyperexponential", "hyperexponential"]];

  const build = (panel) => {
    const latest = new mdpsolve.Latest();
    const fields = {
      lambda: mdpsolve.dial({ flag: "lambda", id: "lambda", label: "λ, pages one robot brings", unit: perTime, from: 0.01, to: 1, log: true, value: defaults.lambda }, changed),
      mu: mdpsolve.dial({ flag: "mu", id: "mu", label: "μ, pages indexed", unit: perTime, from: 0.1, to: 10, log: true, value: defaults.mu }, changed),
      gamma: mdpsolve.dial({ flag: "gamma", id: "gamma", label: "γ, cost of an empty queue", unit: perTime, from: 0.1, to: 10, log: true, value: defaults.gamma }, changed),
      buffer: mdpsolve.dial({ flag: "buffer", id: "buffer", label: "K, places in the queue", from: 2, to: 50, whole: true, value: defaults.buffer }, changed),
      robots: mdpsolve.dial({ flag: "robots", id: "robots", label: "N, robots", from: 1, to: 100, whole: true, auto: true, value: defaults.robots }, changed),
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
    const progress = mdpsolve.progress(() => {
      latest.cancel();
      secondary.cancel();
      progress.hide();
      results.classList.remove("stale");
      mdpsolve.say("Cancelled. The numbers shown are of the settings before.");
    });
    const tiles = mdpsolve.robotsAnswers();
    const grid = mdpsolve.policyGrid();
    const phase = mdpsolve.choice({ flag: "phase", id: "phase", label: "Curves while a service is in phase", choices: [["0", "1"]], value: "0" }, () => drawGrid());
    const overRobots = mdpsolve.costChart("robots");
    const overGamma = mdpsolve.costChart("gamma");
    const animation = mdpsolve.animation(grid, () => remember(true));
    const command = mdpsolve.commandLine();
    const downloads = mdpsolve.downloads();
    const results = element("div", { class: "results" }, fault, progress.node, tiles.node,
      phase.node, grid.node, animation.node,
      element("h2", {}, "What would change the cost"), element("div", { class: "pair" }, overRobots.node, overGamma.node),
      element("h2", {}, "Take it with you"), element("p", { class: "soft" }, "This command gives the same answer:"), command.node, downloads.node);
    panel.append(element("div", { class: "split" },
      element("form", { class: "controls", "aria-label": "Parameters", onsubmit: (e) => e.preventDefault() },
        ["lambda", "mu", "gamma", "buffer", "robots", "law", "stages", "mixture"].map((name) => fields[name].node), costs),
      results));

    let answer = null;
    let still = null; // the answer of static for the best fixed number
    const secondary = new mdpsolve.Latest();

    const law = () => ({
      exponential: "", erlang: `erlang:${fields.stages.value}`, hyperexponential: `hyperexponential:${fields.mixture.value}`,
    })[fields.law.value];

    // query is what the server is asked: the flags of robots solve.
    const query = () => {
      const values = Object.fromEntries(flags.map((flag) => [flag, fields[flag].value]));
      for (const flag of ["holding-cost", "robot-cost", "activation-cost"]) {
        if (values[flag] === "0") values[flag] = "";
      }
      return { ...values, service: law() };
    };

    const given = (values) => Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""));
    const remember = (step) => mdpsolve.remember("robots", given({ ...query(), ...animation.query }), { step });

    function lawChanged(done) {
      fields.stages.node.hidden = fields.law.value !== "erlang";
      fields.mixture.node.hidden = fields.law.value !== "hyperexponential";
      changed(done);
    }

    function changed(done) {
      remember(done);
      solve();
    }

    async function solve() {
      performance.mark("slider");
      const asked = query();
      secondary.cancel();
      progress.begin();
      results.classList.add("stale");
      try {
        const found = await latest.run((signal) =>
          mdpsolve.ask("robots", { ...asked, distribution: true }, { signal, onProgress: progress.show }));
        if (!found) return; // a later question is on its way
        show(found);
        performance.measure("slider-to-curve", "slider");
        mdpsolve.showFault(null, Object.values(fields), fault);
        more(asked);
      } catch (error) {
        if (!(error instanceof mdpsolve.Fault)) throw error;
        mdpsolve.showFault(error, Object.values(fields).filter((f) => !f.node.hidden), fault);
      }
      progress.hide();
      results.classList.remove("stale");
    }

    function show(found) {
      answer = found.answer;
      still = null;
      fields.robots.resolved(answer.robots);
      tiles.set(answer, still);
      const phases = mdpsolve.robotsPhases(answer);
      phase.node.hidden = phases.length < 2;
      phase.choose(phases.map((p, i) => [String(i), p.departure ? `${i + 1}` : `${i + 1} (no page leaves in it)`]));
      drawGrid();
      command.show(found.command);
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
      const found = answer;
      downloads.show(links(asked));
      const file = await fetch(mdpsolve.address("robots", asked, { download: "policy.json" }), { signal });
      if (file.ok && found.static_robots != null) {
        animation.set({
          policy: mdpsolve.readPolicy(await file.json()), fixed: found.static_robots_by_class ?? [found.static_robots],
          costs: { switched: found.policy_cost, fixed: found.static_cost },
        });
      }
      await fixedNumber(asked, found, signal);
      const most = Math.max(found.robots, 2 * (found.static_robots ?? 1), 4);
      const sweeps = [
        [overRobots, { over: "robots", from: 1, to: most, steps: Math.min(most, 40) }, found.robots],
        [overGamma, { over: "gamma", from: number(found.gamma / 5, 3), to: number(3 * found.gamma, 3), steps: 40 }, found.gamma],
      ];
      for (const [chart, range, now] of sweeps) {
        const { [range.over]: _, ...rest } = { ...asked, robots: range.over === "robots" ? "" : String(found.robots) };
        const rows = await mdpsolve.ask("robots/sweep", { ...rest, ...range }, { signal });
        if (signal.aborted) return;
        chart.set(rows.answer, now);
      }
    }).catch((error) => {
      if (!(error instanceof mdpsolve.Fault)) throw error;
      fault.textContent = error.message;
      fault.hidden = false;
    }));

    // fixedNumber asks what the best fixed number of robots starves and loses.
    async function fixedNumber(asked, found, signal) {
      if (found.static_robots == null) return;
      const { lambda, mu, gamma, buffer, service } = asked;
      const { answer: numbers } = await mdpsolve.ask("static", { lambda, mu, gamma, buffer, service, robots: found.static_robots }, { signal });
      if (signal.aborted) return;
      still = numbers;
      tiles.set(found, still);
    }

    const links = (asked) => [
      ["curves as SVG", "svg", "curves.svg"], ["PNG", "png", "curves.png"], ["PDF", "pdf", "curves.pdf"],
      ["answer as JSON", "result.json", "answer.json"], ["policy as JSON", "policy.json", "policy.json"],
      ...(law() === "" && flags.slice(5).every((flag) => asked[flag] === "") ? [["CSV", "policy.csv", "policy.csv"]] : []),
    ].map(([name, download, file]) => [name, mdpsolve.address("robots", asked, { download }), file]);

    restore = (address) => {
      for (const flag of flags) fields[flag].value = address.get(flag) ?? defaults[flag];
      const [name, rest] = (address.get("service") ?? "exponential").split(/:(.*)/s);
      fields.law.value = laws.some(([value]) => value === name) ? name : "exponential";
      if (name === "erlang") fields.stages.value = rest;
      if (name === "hyperexponential") fields.mixture.value = rest;
      costs.open = flags.slice(5).some((flag) => address.has(flag));
      animation.restore(address);
      lawChanged(false);
    };
  };

  let restore; // set by build

  mdpsolve.tab({ name: "robots", title: "Robots", build, restore: (query) => restore(query), report: mdpsolve.reportRobots });
}
