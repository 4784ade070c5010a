// The tab Robots: its controls, and the questions that they ask.
"use strict";

{
  const { element, number } = mdpsolve;
  const perTime = "pages per unit of time";
  const laws = [["exponential", "exponential"], ["erlang", "Erlang"], ["hyperexponential", "hyperexponential"]];
  const costs = [
    ["holding-cost", "Per page in the queue", "for the delay of pages", "per unit of time"], ["robot-cost", "Per active robot", "for what it runs on", "per unit of time"],
    ["activation-cost", "Per activation of a robot", "for starting it"],
  ];
  const patience = 150; // milliseconds

  // makeFields makes the controls, by flag, in their order; law, stages and mixture
  // are together the flag service.
  const makeFields = (changed, lawChanged) => {
    const dial = (flag, label, about, unit, from, to, value, more) =>
      mdpsolve.dial({ flag, id: flag, label, about, unit, from, to, value, ...more }, changed);
    const entry = (id, label, value, more) => mdpsolve.entry({ flag: "service", id, label, value, ...more }, changed);
    return {
      lambda: dial("lambda", "λ, rate of a robot", "how many pages an active robot brings", perTime, 0.01, 1, "1/10", { log: true }),
      mu: dial("mu", "μ, rate of the indexer", "how many pages it can take from the queue", perTime, 0.1, 10, "1", { log: true }),
      gamma: dial("gamma", "γ, cost of an empty queue", "a lost page costs 1", "per unit of time", 0.1, 10, "1.4", { log: true }),
      buffer: dial("buffer", "K, places", "room for pages, with the one being indexed", "", 2, 50, "5", { whole: true }),
      robots: dial("robots", "N, robots available", "auto: as many as are of use", "", 1, 100, "16", { whole: true, auto: true }),
      law: mdpsolve.choice({ flag: "service", id: "service", label: "Indexing times", about: "the law of the time that a page takes, with mean 1/μ", choices: laws, value: "exponential" }, lawChanged),
      stages: entry("stages", "Phases of Erlang's law", "3", { short: true, about: "the more, the less the times vary" }),
      mixture: entry("mixture", "Shares of pages@mean times", "0.9@0.5,0.1@5.5", { about: "each share has exponential times with its mean; all are scaled to the mean 1/μ", hint: "0.9@0.5,0.1@5.5" }),
      ...Object.fromEntries(costs.map(([flag, label, about, unit]) =>
        [flag, mdpsolve.entry({ flag, id: flag, label, about, unit, value: "0", short: true }, changed)])),
    };
  };

  const build = (panel) => {
    const fields = makeFields(changed, lawChanged);
    const defaults = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.value]));
    const flags = Object.keys(fields).filter((name) => fields[name].flag === name);
    const fault = element("p", { class: "fault", role: "alert", hidden: true });
    const latest = new mdpsolve.Latest(); // the answer
    const secondary = new mdpsolve.Latest(); // what comes after it
    const progress = mdpsolve.progress(() => {
      latest.cancel();
      wanted = null;
      fault.textContent = "Cancelled: the numbers are still those for the settings before.";
      fault.hidden = false;
    });
    const results = mdpsolve.robotsResults(() => remember(true));
    const moreCosts = element("details", {}, element("summary", {}, "More costs"), costs.map(([flag]) => fields[flag].node));
    panel.append(
      element("p", { class: "lead" }, "A robot is a program that fetches web pages. Each active robot brings pages to a queue at rate λ, and an indexer " +
        "takes pages from the queue at rate μ. An empty queue costs γ per unit of time; a page that finds the queue full is lost and costs 1. How many robots should be active?"),
      element("p", { class: "soft" }, "Choose any unit of time, such as a second or a day: λ, μ, γ and the costs are all per that unit. ",
        element("a", { href: mdpsolve.guide }, "The guide"), " explains the model and its paper."),
      element("div", { class: "split robots" },
        element("form", { class: "controls", "aria-label": "Parameters", onsubmit: (event) => event.preventDefault() },
          Object.entries(fields).filter(([name]) => !costs.some(([flag]) => flag === name)).map(([, field]) => field.node), moreCosts),
        element("div", { class: "first" }, fault, progress.node, results.costs),
        element("div", { class: "results" }, results.node)));
    const stale = (is) => { for (const node of [results.costs, results.node]) node.classList.toggle("stale", is); };

    // query is what the server is asked: the flags of robots solve.
    function query() {
      const values = Object.fromEntries(flags.map((flag) => [flag, fields[flag].value]));
      for (const [flag] of costs) if (values[flag] === "0") values[flag] = "";
      const law = fields.law.value;
      return { ...values, service: { exponential: "", erlang: `erlang:${fields.stages.value}`, hyperexponential: `hyperexponential:${fields.mixture.value}` }[law] };
    }

    function remember(step) {
      const values = Object.entries({ ...query(), ...results.query });
      mdpsolve.remember("robots", Object.fromEntries(values.filter(([, value]) => value !== "")), { step });
    }

    restore = (address) => {
      for (const flag of flags) fields[flag].value = address.get(flag) ?? defaults[flag];
      const [law, rest] = (address.get("service") ?? "exponential").split(/:(.*)/s);
      fields.law.value = laws.some(([name]) => name === law) ? law : "exponential";
      if (law === "erlang") fields.stages.value = rest;
      if (law === "hyperexponential") fields.mixture.value = rest;
      moreCosts.open = costs.some(([flag]) => address.has(flag));
      results.restore(address);
      lawChanged(false);
    };

    function lawChanged(done) {
      fields.stages.node.hidden = fields.law.value !== "erlang";
      fields.mixture.node.hidden = fields.law.value !== "hyperexponential";
      changed(done);
    }

    function changed(done) {
      remember(done);
      if (JSON.stringify(query()) !== wanted) solve(); // a slider let go is where it was
    }

    // solve asks for an answer. While a slider moves, one that is nearly there is waited
    // for, so that the curves follow; one that takes longer is cancelled.
    let wanted = null; // the latest query, null where it was cancelled or is at fault
    let changedAt = 0; // when the settings changed, 0 once they have been asked for
    let solving = false;
    let impatient;
    async function solve() {
      performance.mark("slider");
      wanted = JSON.stringify(query());
      changedAt = performance.now();
      if (solving) {
        impatient ??= setTimeout(() => latest.cancel(), patience);
        return;
      }
      solving = true;
      secondary.cancel();
      progress.begin();
      stale(true);
      while (changedAt > 0) await solveOnce();
      progress.hide();
      stale(wanted === null); // what is shown is the answer to something else
      solving = false;
    }

    async function solveOnce() {
      const asked = query();
      const start = changedAt;
      changedAt = 0;
      clearTimeout(impatient);
      impatient = undefined;
      const shown = Object.values(fields).filter((field) => !field.node.hidden);
      try {
        const found = await latest.run((signal) =>
          mdpsolve.ask("robots", { ...asked, ...mdpsolve.pictured() }, { signal, onProgress: progress.show }));
        if (!found) return;
        fields.robots.resolved(found.answer.robots);
        results.show(found);
        performance.measure("slider-to-curve", { start, end: performance.now() });
        mdpsolve.showFault(null, shown, fault);
        tell(found.answer);
        more(asked);
      } catch (error) {
        if (!(error instanceof mdpsolve.Fault)) throw error;
        wanted = null;
        mdpsolve.showFault(error, shown, fault);
      }
    }

    const more = mdpsolve.later(120, (asked) => {
      if (!solving) secondary.run((signal) => results.more(asked, signal));
    });

    const tell = mdpsolve.later(700, (answer) => mdpsolve.say(
      `Least cost ${number(answer.gain, 4)}, best fixed number ${answer.static_robots} at cost ${number(answer.static_cost, 4)}.`));
  };

  let restore; // set by build

  mdpsolve.tab({ name: "robots", title: "Robots", build, restore: (address) => restore(address), report: mdpsolve.reportRobots });
}
