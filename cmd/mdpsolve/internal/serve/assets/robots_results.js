// The results of the tab Robots: numbers, the policy, the queue at work, costs against
// N and γ, downloads.
"use strict";

{
  const { element } = mdpsolve;
  const mostStates = 200_000; // of an animation
  const rounded = (x) => Number(x.toPrecision(3));

  // robotsResults makes the results; changed is called when the reader has changed what is
  // shown. show({answer, command, warnings, file}) shows an answer of robots solve with its
  // picture. more(asked, signal) then asks for the rest: the policy for the animation, the
  // measures of the best fixed number, the sweeps; asked are the flags of the answer.
  mdpsolve.robotsResults = (changed) => {
    const warned = element("p", { class: "soft" });
    const tiles = mdpsolve.robotsAnswers();
    const pictures = mdpsolve.pictures("robots");
    const animation = mdpsolve.animation(changed);
    animation.node.hidden = tiles.costs.hidden = true;
    const fault = element("p", { class: "fault", role: "alert" });
    const charts = { robots: mdpsolve.costChart("robots"), gamma: mdpsolve.costChart("gamma") };
    const command = mdpsolve.commandLine();
    const downloads = {
      pictures: mdpsolve.downloads("Pictures"), answer: mdpsolve.downloads("Answer"), policy: mdpsolve.downloads("Policy"), model: mdpsolve.downloads("Model, for the tab Any model"),
      robots: mdpsolve.downloads("Cost against the number of robots"), gamma: mdpsolve.downloads("Cost against γ"),
    };
    const node = element("div", { hidden: true }, warned, tiles.measures, pictures.node, animation.node,
      element("h2", {}, "What would change the cost"), fault, element("div", { class: "pair" }, charts.robots.node, charts.gamma.node),
      element("h2", {}, "Take it with you"), command.node,
      Object.values(downloads).map((row) => row.node));

    let answer = null;

    function show(found) {
      ({ answer } = found);
      node.hidden = tiles.costs.hidden = false;
      warned.textContent = found.warnings.join(" ");
      tiles.set(answer, null);
      command.show(found.command.replace(/ --(size|plot) \S+/g, "")); // pictures have downloads of their own
      pictures.show(found.file, mdpsolve.robotsPictured);
    }

    async function more(asked, signal) {
      fault.textContent = "";
      showDownloads(asked);
      try {
        await animate(asked, signal);
        await compare(asked, signal);
        for (const [over, flags] of Object.entries(sweeps(asked))) {
          const rows = await mdpsolve.ask("robots/sweep", flags, { signal });
          if (signal.aborted) return;
          charts[over].set(rows.answer, answer[over]);
        }
      } catch (error) {
        if (!(error instanceof mdpsolve.Fault)) throw error;
        fault.textContent = error.message;
      }
    }

    async function animate(asked, signal) {
      const { static_robots: still, static_robots_by_class: byClass, static_cost: cost } = answer;
      const playable = still != null && (answer.robots + 1) * (answer.buffer + 1) <= mostStates;
      if (!playable) {
        animation.node.hidden = true;
        return;
      }
      const computed = { switched: answer.policy_cost, fixed: cost };
      const policy = await mdpsolve.fetchJSON("robots", { ...asked, download: "policy.json" }, { signal });
      if (signal.aborted) return;
      animation.node.hidden = false;
      animation.set({ policy: mdpsolve.readPolicy(policy), fixed: byClass ?? [still], computed });
    }

    // compare shows what the best fixed number of robots starves and loses.
    async function compare({ lambda, mu, gamma, buffer, service }, signal) {
      if (answer.static_robots == null) return;
      const flags = { lambda, mu, gamma, buffer, service, robots: answer.static_robots };
      const { answer: still } = await mdpsolve.ask("static", flags, { signal });
      if (!signal.aborted) tiles.set(answer, still);
    }

    // sweeps are the flags of the sweeps that are shown, by what varies.
    function sweeps(asked) {
      const most = Math.max(answer.robots, 2 * (answer.static_robots ?? 1), 4);
      return {
        robots: { ...asked, robots: "", over: "robots", from: 1, to: most, steps: Math.min(most, 40) },
        gamma: { ...asked, robots: answer.robots, gamma: "", over: "gamma", from: rounded(answer.gamma / 5), to: rounded(3 * answer.gamma), steps: 40 },
      };
    }

    function showDownloads(asked) {
      const link = (form, verb, flags, file) => [form.toUpperCase(), mdpsolve.address(verb, flags), `${file}.${form}`];
      const drawn = (verb, flags, file) => ["svg", "png", "pdf"].map((form) => link(form, verb, { ...flags, download: form }, file));
      downloads.pictures.show(drawn("robots", asked, "policy"));
      downloads.answer.show([
        link("json", "robots", { ...asked, distribution: true }, "answer"), link("csv", "robots", { ...asked, output: "csv" }, "answer"),
      ]);
      downloads.policy.show([link("json", "robots", { ...asked, download: "policy.json" }, "policy")]);
      downloads.model.show([link("json", "robots", { ...asked, robots: answer.robots, download: "model.json" }, "robots")]);
      for (const [over, flags] of Object.entries(sweeps(asked))) {
        downloads[over].show([...drawn("robots/sweep", flags, `cost-against-${over}`),
          link("csv", "robots/sweep", { ...flags, output: "csv" }, `cost-against-${over}`)]);
      }
    }

    return {
      node, costs: tiles.costs, show, more,
      // query is what of the address belongs to the results.
      get query() { return animation.query; },
      restore: animation.restore,
    };
  };
}
