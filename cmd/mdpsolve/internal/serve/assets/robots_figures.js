// What is shown of an answer for robots, on the page and in its reports.
"use strict";

{
  const { element, number, percent, proved } = mdpsolve;
  const perTime = "per unit of time";

  // robotsAnswers are two rows of numbers, {costs, measures}. set(answer, still) shows
  // them; still is the answer of static for the best fixed number, or null.
  mdpsolve.robotsAnswers = () => {
    const costs = element("dl", { class: "answers", id: "answers" });
    const measures = element("dl", { class: "answers" });
    const tile = (kind, name, value, ...more) => element("div", { class: kind },
      element("dt", {}, name), element("dd", {}, value), more.map((m) => m && element("dd", { class: "more" }, m)));
    return {
      costs, measures,
      set(a, still) {
        const fixed = (text) => still && `${text} with the fixed number`;
        const found = `${proved(a.gain_lower, a.gain_upper)}, ${a.status}`;
        if (a.minimised) costs.replaceChildren(tile("is-switched", `Least ${a.minimised.replace("_", " ")}`, number(a.gain), found));
        else costs.replaceChildren(
          tile("is-switched", "Least cost", number(a.gain), perTime, found),
          tile("is-fixed", "Best fixed number", a.static_robots == null ? "–" : many(a.static_robots, "robot"),
            a.static_cost != null && `cost ${number(a.static_cost)} ${perTime}`),
          tile("", "Saved by switching", percent(a.saving), "of the cost of the best fixed number"));
        measures.replaceChildren(
          tile("", "Starvation", percent(a.starvation), "of the time the queue is empty", fixed(percent(still?.starvation))),
          tile("", "Loss rate", number(a.loss_rate, 5), `pages lost ${perTime}`, fixed(number(still?.loss_rate, 5))),
          tile("", "Active robots", number(a.robots_mean, 5), `on average, of ${a.robots}`,
            a.robots_min != null && (a.robots_min === a.robots_max ? `always ${a.robots_min} in the long run` : `from ${a.robots_min} to ${a.robots_max} in the long run`)));
      },
    };
  };

  const many = (n, thing) => `${n} ${thing}${n === 1 ? "" : "s"}`;

  mdpsolve.robotsPictured = "For each number of active robots and of pages in the queue: whether a robot is activated when a page leaves, " +
    "whether a robot that delivers is sent out again, and the share of time in that state";

  // costChart draws costs against robots or gamma, of rows of robots sweep.
  mdpsolve.costChart = (over) => {
    const x = over === "gamma"
      ? { key: "gamma", name: "γ", unit: "cost per unit of time with an empty queue" }
      : { key: "robots", name: "N, robots available", whole: true };
    const whole = over !== "gamma";
    const chart = mdpsolve.chart({
      title: over === "gamma" ? "Cost against γ" : "Cost against the number of robots", file: `cost-against-${over}`, x, height: 250,
      y: { name: "cost", unit: perTime, zero: true },
      series: [
        { key: "gain", name: "best policy", tone: "--switched", points: whole },
        { key: "static_cost", name: "best fixed number", tone: "--fixed", dash: [7, 4], points: whole },
      ],
    });
    return {
      node: chart.node,
      set(rows, now) {
        const [first, last] = [rows[0], rows.at(-1)];
        chart.set(rows, {
          marks: now == null ? [] : [{ x: now, name: over === "gamma" ? `γ = ${number(now, 4)}` : `N = ${now}` }],
          summary: rows.length > 0 ? `from ${number(first[over], 4)} to ${number(last[over], 4)} the best policy costs ${number(first.gain, 4)} to ${number(last.gain, 4)}, ` +
            `the best fixed number ${number(first.static_cost, 4)} to ${number(last.static_cost, 4)}` : "",
        });
      },
    };
  };

  // reportRobots draws a report.
  mdpsolve.reportRobots = (answers, root, report) => {
    const a = answers.robots;
    root.append(element("h1", {}, report.title ?? "Robots switched on and off"));
    if (a) reportAnswer(a, answers.static, root);
    if (answers.picture) root.append(mdpsolve.picture(answers.picture, mdpsolve.robotsPictured));
    for (const over of ["gamma", "robots"]) {
      const rows = answers[`robots/sweep?over=${over}`];
      if (!rows?.length) continue;
      const chart = mdpsolve.costChart(over);
      root.append(chart.node);
      chart.set(rows, a?.[over]);
    }
  };

  const reportAnswer = (a, still, root) => {
    const given = [["N", a.robots, "robots"], ["K", a.buffer, "places, including the page being indexed"],
      ["λ", a.lambda, "pages that an active robot brings per unit of time"], ["μ", a.mu, "pages indexed per unit of time"],
      ["γ", a.gamma, a.minimised ? "the cost of an empty queue at which this policy is optimal without a limit" : "cost per unit of time with an empty queue; a lost page costs 1"],
      a.max_loss && ["", `at most ${a.max_loss}`, a.max_loss.endsWith("%") ? "of the pages lost" : "pages lost per unit of time"],
      a.max_starvation && ["", `at most ${a.max_starvation}`, "of the time with an empty queue"], ["", a.service, "indexing times"],
      ["", a.holding_cost, "cost per page and unit of time"], ["", a.robot_cost, "cost per active robot and unit of time"],
      ["", a.activation_cost, "cost per activation"]];
    root.append(element("dl", { class: "given" }, given.filter((row) => row).filter(([, value]) => value != null && value !== 0).map(([name, value, meaning]) =>
      element("div", {}, element("dt", {}, name), element("dd", {}, typeof value === "number" ? number(value) : value, " ", element("span", { class: "soft" }, meaning))))));
    const tiles = mdpsolve.robotsAnswers();
    root.append(tiles.costs, tiles.measures);
    tiles.set(a, still);
  };
}
