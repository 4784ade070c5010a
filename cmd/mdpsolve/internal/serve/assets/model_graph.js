// A drawing of a small model: states as circles, transitions as arrows, those of the
// chosen actions marked.
"use strict";

{
  const { element, svg, number, unique } = mdpsolve;

  // Models up to these sizes are drawn.
  const mostStates = 30;
  const mostTransitions = 400;
  mdpsolve.isDrawable = (model) => model.states.length <= mostStates &&
    model.states.reduce((sum, { actions }) => sum + actions.reduce((n, { to }) => n + to.length, 0), 0) <= mostTransitions;

  // places puts states so that their distances are about the numbers of steps between
  // them: stress majorization (Gansner, Koren and North 2004) from a circle.
  const places = (model) => {
    const n = model.states.length;
    const distance = distances(model);
    let at = model.states.map((_, s) => [n / 4 * Math.cos(2 * Math.PI * s / n) * 1.3, n / 4 * Math.sin(2 * Math.PI * s / n)]);
    for (let sweep = 0; sweep < 300; sweep++) {
      at = at.map(([x, y], s) => {
        let [sumX, sumY, sum] = [0, 0, 0];
        at.forEach(([x2, y2], t) => {
          if (s === t) return;
          const d = distance[s][t];
          const weight = 1 / (d * d);
          const length = Math.hypot(x - x2, y - y2) || 1e-9;
          sumX += weight * (x2 + d * (x - x2) / length);
          sumY += weight * (y2 + d * (y - y2) / length);
          sum += weight;
        });
        return sum > 0 ? [sumX / sum, sumY / sum] : [x, y];
      });
    }
    return at;
  };

  // distances returns how many transitions are between states, whichever way they point.
  const distances = (model) => {
    const n = model.states.length;
    const near = model.states.map(() => new Set());
    model.states.forEach(({ actions }, s) => actions.forEach(({ to }) => to.forEach(([t]) => {
      near[s].add(t);
      near[t].add(s);
    })));
    return near.map((_, s) => {
      const steps = Array(n).fill(Math.sqrt(n) + 1); // for states that are not connected
      steps[s] = 0;
      for (let shore = [s], d = 1; shore.length > 0; d++) {
        shore = shore.flatMap((u) => [...near[u]]).filter((t) => t !== s && steps[t] > d && (steps[t] = d));
      }
      return steps;
    });
  };

  const radius = 17;
  const pixels = (model) => (model.states.length <= 4 ? 150 : 92); // between neighbours
  const margin = 58;

  // graph draws a model, with words below that say what a marked circle is. It returns {node, width, show}: show(policy, changed) marks the actions
  // of a policy, and the states in changed, a Set.
  mdpsolve.graph = (model, changes = "") => {
    const raw = places(model);
    const [xs, ys] = [raw.map(([x]) => x), raw.map(([, y]) => y)];
    const [left, top] = [Math.min(...xs), Math.min(...ys)];
    const unit = pixels(model);
    const at = raw.map(([x, y]) => [(x - left) * unit + margin, (y - top) * unit + margin]);
    const width = (Math.max(...xs) - left) * unit + 2 * margin;
    const height = (Math.max(...ys) - top) * unit + 2 * margin;
    const middle = [width / 2, height / 2];
    const id = unique("graph");
    const head = (name) => svg("marker", {
      id: `${id}-${name}`, class: `head ${name}`, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 8, markerHeight: 8, markerUnits: "userSpaceOnUse", orient: "auto",
    }, svg("path", { d: "M0 0 L8 4 L0 8 Z" }));
    const others = svg("g");
    const chosen = svg("g");
    const circles = model.states.map((state, s) => {
      const [x, y] = at[s];
      return svg("g", { class: "state" },
        svg("title", {}, describe(state, s)),
        svg("circle", { cx: x, cy: y, r: radius }),
        s === model.initial && svg("circle", { class: "start", cx: x, cy: y, r: radius + 4 }),
        svg("text", { x, y: y + 4 }, short(state.name)));
    });
    const words = svg("g", { class: "words" });
    const picture = svg("svg", { class: "graph", viewBox: `0 0 ${width} ${height}`, role: "img" },
      svg("defs", {}, head("plain"), head("taken")), others, chosen, circles, words);
    picture.style.maxWidth = `${Math.max(240, width)}px`;
    const node = element("figure", { class: "drawing" },
      element("figcaption", {}, "The model"),
      picture,
      element("p", { class: "hint" }, "Circles are states, the double one the initial. ", model.states.every(({ actions }) => actions.length === 1)
        ? `Arrows are transitions with their ${model.kind === "ctmc" ? "rates" : "probabilities"}.`
        : "Blue arrows are the actions of the policy with their probabilities, grey ones the other actions.", changes));

    const arrow = (s, a, [t, p], taken) => {
      const kind = taken ? "taken" : "plain";
      const bend = 0.12 + 0.1 * a;
      const path = s === t ? loop(at[s], middle, a) : arc(at[s], at[t], bend);
      const line = svg("path", { class: `arrow ${kind}`, d: path.d, "marker-end": `url(#${id}-${kind})` },
        svg("title", {}, `${model.states[s].name}, ${model.states[s].actions[a].name}: to ${model.states[t].name} with ${number(p, 4)}`));
      (taken ? chosen : others).append(line);
      const certain = p === 1 && model.kind !== "ctmc";
      if (taken && !certain && model.states.length <= 16) {
        words.append(svg("text", { class: "chance", x: path.at[0], y: path.at[1] + 3 }, number(p, 3)));
      }
    };

    return {
      node, width,
      show(policy, changed = new Set()) {
        for (const group of [others, chosen, words]) group.replaceChildren();
        model.states.forEach(({ actions }, s) => actions.forEach(({ to }, a) => to.forEach((entry) =>
          arrow(s, a, entry, policy?.[s] === a))));
        circles.forEach((circle, s) => {
          circle.classList.toggle("changed", changed.has(s));
          const { actions } = model.states[s];
          if (policy && actions.length > 1) {
            words.append(svg("text", { class: "choice", x: at[s][0], y: at[s][1] + radius + 13 }, short(actions[policy[s]].name)));
          }
        });
        picture.setAttribute("aria-label", `Drawing of the model's ${model.states.length} states` +
          (policy ? `, with the actions of the policy marked: ${model.states.map((state, s) => `${state.name} ${state.actions[policy[s]].name}`).join(", ")}.` : "."));
      },
    };
  };

  const short = (name) => (name.length > 7 ? `${name.slice(0, 6)}…` : name);

  const describe = ({ name, labels, actions }, s) =>
    [`state ${s}${name === String(s) ? "" : ` ${name}`}`, labels.length > 0 && `labels ${labels.join(", ")}`,
      `actions ${actions.map((action) => action.name).join(", ")}`].filter(Boolean).join("; ");

  // arc is a bent line between circles: its path, and a place on its first half.
  const arc = ([x1, y1], [x2, y2], bend) => {
    const length = Math.hypot(x2 - x1, y2 - y1) || 1;
    const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
    const off = bend * Math.min(length, 180);
    const control = [(x1 + x2) / 2 + 2 * off * -uy, (y1 + y2) / 2 + 2 * off * ux];
    const from = towards([x1, y1], control, radius);
    const to = towards([x2, y2], control, radius + 2);
    const place = [0, 1].map((i) => 0.42 * from[i] + 0.455 * control[i] + 0.125 * to[i]);
    return { d: `M${point(from)} Q${point(control)} ${point(to)}`, at: place };
  };

  // loop is a line from a circle to itself, on the side away from the middle.
  const loop = ([x, y], [middleX, middleY], a) => {
    const angle = Math.atan2(y - middleY, x - middleX || 1e-9) + 0.5 * a * (a % 2 ? 1 : -1);
    const on = (turn, r) => [x + r * Math.cos(angle + turn), y + r * Math.sin(angle + turn)];
    return {
      d: `M${point(on(-0.45, radius))} C${point(on(-0.6, radius + 28))} ${point(on(0.6, radius + 28))} ${point(on(0.45, radius + 2))}`,
      at: on(0, radius + 19),
    };
  };

  const towards = ([x, y], [tx, ty], r) => {
    const length = Math.hypot(tx - x, ty - y) || 1;
    return [x + r * (tx - x) / length, y + r * (ty - y) / length];
  };

  const point = ([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`;
}
