// A slider through the iterations of a method as textbooks state it: values and actions after each.
"use strict";

{
  const { element, number } = mdpsolve;
  const methods = {
    average: [["rvi", "relative value iteration"], ["policy-iteration", "policy iteration"]],
    discounted: [["value-iteration", "value iteration"], ["policy-iteration", "policy iteration"]],
    total: [["policy-iteration", "policy iteration"]],
    finite: [["", "backward induction"]],
  };

  // iterations makes the slider for a criterion. isMulti says that averages depend on the state, chooses that
  // some state has several actions. load(method) asks the server for the file of --values-out, which has up to most
  // iterations. moved({iteration, course}) is called when the reader has chosen an iteration of the method course.
  // The slider is {node, go}: go({iteration, course}) shows an iteration.
  mdpsolve.iterations = ({ criterion, isMulti, chooses, initial, most, load, moved }) => {
    const choices = methods[criterion].filter(([name]) => name !== "rvi" || !isMulti);
    const states = new Map(); // by iteration, their rows
    const sums = []; // a row for each iteration, for the chart
    let turn = Promise.resolve(); // a choice waits for those before it
    const course = mdpsolve.choice({ flag: "course", label: "Follow", about: "as textbooks state it, from zeros or from the first action of each state", choices }, () => go({ course: course.value, moved: true }));
    course.node.hidden = choices.length < 2;
    const id = mdpsolve.unique("iteration");
    const slider = element("input", { id, type: "range", min: 0, max: 0, step: 1, oninput: () => show(), onchange: () => moved({ iteration: Number(slider.value), course: course.value }) });
    const words = element("output", { for: id });
    const fault = element("p", { class: "fault", role: "alert" });
    const place = element("div", { class: "iteration" });
    const ending = element("p", { class: "soft ending" });
    const about = element("p", { class: "soft" });
    const curve = element("div");
    let chart, isBounded; // isBounded: the method shown has bounds
    const drawn = (isBounded) => mdpsolve.chart({
      title: "Value of the initial state after each iteration", file: "iterations",
      x: { key: "iteration", name: "iteration", whole: true }, y: { name: "value" },
      series: [{ key: "value", name: "value", tone: "--switched", points: true },
        ...(isBounded ? [["upper", [7, 4]], ["lower", [2, 3]]] : []).map(([key, dash]) => ({ key, name: `${key} bound`, tone: "--fixed", dash, width: 1.5 }))],
    });
    const node = element("section", { class: "iterations" }, element("h2", {}, "Iteration by iteration"),
      element("p", {}, "Move the slider to see how values and actions arise."), course.node,
      element("div", { class: "field" }, element("label", { for: id }, "Iteration"), element("div", { class: "field-controls" }, slider, words)),
      fault, about, ending, element("div", { class: "pair" }, place, curve));

    const read = (text) => {
      const [head, ...rows] = mdpsolve.cells(text);
      states.clear();
      sums.length = 0;
      for (const cells of rows) {
        const row = Object.fromEntries(head.map((name, i) => [name, cells[i]]));
        const at = { state: row.name ?? row.state, value: Number(row.value), lower: Number(row.lower), upper: Number(row.upper), relative: Number(row.relative_value), action: row.action ?? "" };
        const iteration = Number(row.iteration);
        if (!states.has(iteration)) states.set(iteration, []);
        states.get(iteration).push(at);
        if (Number(row.state) === initial) sums.push({ iteration, value: at.value, lower: finite(at.lower), upper: finite(at.upper), changes: row.changes, damping: row.damping });
      }
    };

    const finite = (x) => (Number.isFinite(x) ? x : null);

    // begin says where the iterations end, and draws their chart. With a finite horizon, bounds are the values themselves.
    const begin = () => {
      const last = sums.at(-1);
      isBounded = criterion !== "finite" && last?.lower != null;
      const bounds = "the textbook’s bounds of the optimum are";
      if (last?.iteration >= most) ending.textContent = `The page shows no more than ${mdpsolve.count(most, "iteration")} of this model${isBounded ? `: ${bounds} not within the tolerance yet` : ""}.`;
      else ending.textContent = isBounded ? `Iteration ${last.iteration} is the last: ${bounds} within the tolerance.` : "";
      if (last?.changes != null) ending.textContent += ` ${mdpsolve.firstWords(criterion)}`;
      if (last?.damping < 1) ending.textContent += ` The best policies are periodic, so each step is damped: ${last.damping} of a sweep.`;
      chart = drawn(isBounded);
      curve.replaceChildren(chart.node);
    };

    const show = () => {
      const sum = sums[slider.value];
      if (!sum) return;
      const rows = states.get(sum.iteration);
      const before = states.get(sums[slider.value - 1]?.iteration);
      words.textContent = ` ${sum.iteration} of ${sums.at(-1).iteration < most ? "" : "the first "}${sums.at(-1).iteration}${sum.changes ? `: the next policy changes ${mdpsolve.count(Number(sum.changes), "action")}` : ""}`;
      slider.setAttribute("aria-valuetext", words.textContent.trim());
      const isSame = criterion === "average" && isBounded; // all states have the same average
      about.textContent = criterion === "average" && rows.some(({ value }) => Math.abs(value - sum.value) > 1e-9 * Math.abs(sum.value)) ? "Relative values are biases, less that of the first state." : "";
      place.replaceChildren(mdpsolve.table({
        caption: `Iteration ${sum.iteration}${isSame ? `: average ${number(sum.value, 8)}` : ""}${criterion === "finite" ? `: ${mdpsolve.count(sum.iteration, "step")} to go` : ""}`, rows,
        columns: [{ key: "state", name: "state" }, !isSame && { key: "value", name: criterion === "average" ? "average" : "value" },
          ...(isBounded ? ["lower", "upper"].map((key) => ({ key, name: key, show: (x) => number(x, 8) })) : []),
          Number.isFinite(rows[0].relative) && { key: "relative", name: "relative value" },
          chooses && rows.some((row) => row.action) && { key: "action", name: "action", show: (action, row) => (before?.[rows.indexOf(row)].action.length > 0 && before[rows.indexOf(row)].action !== action ? element("mark", {}, action) : action) }].filter(Boolean),
      }));
      chart.set(sums, { marks: [{ x: sum.iteration, name: String(sum.iteration) }], summary: `${sums.length} iterations, at last ${number(sums.at(-1).value)}` });
    };

    const go = ({ iteration, course: wanted, moved: isMoved }) => {
      if (wanted && choices.some(([name]) => name === wanted)) course.value = wanted;
      turn = turn.then(async () => {
        fault.textContent = "";
        try {
          read(await load(course.value));
          begin();
          slider.max = sums.length - 1;
          slider.value = iteration ?? 0;
          show();
          if (isMoved) moved({ iteration: 0, course: course.value });
        } catch (error) {
          if (error.name === "AbortError") return;
          if (!(error instanceof mdpsolve.Fault)) throw error;
          place.replaceChildren();
          fault.textContent = error.message;
        }
      });
      return turn;
    };
    return { node, go };
  };
}
