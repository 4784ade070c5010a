// A drawing of a small model: states as circles, transitions as arrows, those of the
// chosen actions marked.
"use strict";

{
  const { element, svg, unique } = mdpsolve;

  // Models up to these sizes are drawn.
  const mostStates = 30;
  const mostTransitions = 400;
  mdpsolve.isDrawable = (model) => model.states.length <= mostStates &&
    model.states.reduce((sum, { actions }) => sum + actions.reduce((n, { to }) => n + to.length, 0), 0) <= mostTransitions;

  const margin = 12; // around the circles there is room for a loop, besides
  const loopReach = 30; // of a loop beyond its circle

  // distances returns how many transitions are between states, whichever way they point.
  const distances = (model) => {
    const n = model.states.length;
    const near = model.states.map(() => new Set());
    model.states.forEach(({ actions }, s) => actions.forEach(({ to }) => to.forEach(([t]) => {
      near[s].add(t);
      near[t].add(s);
    })));
    return near.map((_, s) => {
      const steps = Array(n).fill(Infinity);
      steps[s] = 0;
      for (let shore = [s], d = 1; shore.length > 0; d++) {
        shore = shore.flatMap((u) => [...near[u]]).filter((t) => t !== s && steps[t] > d && (steps[t] = d));
      }
      return steps.map((d) => (d < Infinity ? d : Math.sqrt(n) + 1)); // also for states that are not connected
    });
  };

  // places puts states so that their distances are about the numbers of steps between
  // them: by stress majorization (Gansner, Koren and North 2004), from where classical
  // scaling (Torgerson 1952) puts them. The longest extent is across.
  const places = (model) => {
    const n = model.states.length;
    const distance = distances(model);
    const mean = (list) => list.reduce((a, b) => a + b, 0) / n;
    const squares = distance.map((row) => row.map((d) => d * d));
    const rowMeans = squares.map(mean);
    const all = mean(rowMeans);
    const product = squares.map((row, s) => row.map((d, t) => (rowMeans[s] + rowMeans[t] - d - all) / 2));
    const axes = [];
    const lengths = [];
    for (const first of [0.37, 0.73]) {
      let [v, length] = [product.map((_, s) => Math.sin(1 + s * first)), 0];
      for (let i = 0; i < 100; i++) {
        let next = product.map((row) => row.reduce((sum, x, t) => sum + x * v[t], 0));
        for (const a of axes) {
          const along = next.reduce((sum, x, s) => sum + x * a[s], 0);
          next = next.map((x, s) => x - along * a[s]);
        }
        length = Math.hypot(...next);
        v = next.map((x) => x / (length || 1));
      }
      axes.push(v);
      lengths.push(Math.sqrt(length));
    }
    const at = product.map((_, s) => axes.map((a, i) => a[s] * lengths[i] + 1e-3 * Math.sin(s + i)));
    for (let sweep = 0; sweep < 300; sweep++) {
      at.forEach(([x, y], s) => {
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
        if (sum > 0) at[s] = [sumX / sum, sumY / sum];
      });
    }
    return at;
  };

  // A Canvas knows what takes which room: circles, lines and texts.
  class Canvas {
    constructor(raw, unit, radius, arrows) {
      this.radius = radius;
      const [xs, ys] = [raw.map(([x]) => x), raw.map(([, y]) => y)];
      const edge = radius + loopReach + margin;
      const [left, top] = [Math.min(...xs), Math.min(...ys)];
      this.at = raw.map(([x, y]) => [(x - left) * unit + edge, (y - top) * unit + edge]);
      this.width = (Math.max(...xs) - left) * unit + 2 * edge;
      this.height = (Math.max(...ys) - top) * unit + 2 * edge;
      const has = new Set(arrows.map(({ s, t }) => `${s} ${t}`));
      this.lines = new Map(arrows.map((a) => [a, a.s === a.t ? this.loop(a.s, arrows) : this.arc(a.s, a.t, has.has(`${a.t} ${a.s}`))]));
    }

    // arc is a line between circles, bent around those in between; two that lead back
    // and forth bend to different sides.
    arc(s, t, back) {
      const [from, to] = [this.at[s], this.at[t]];
      const length = Math.hypot(to[0] - from[0], to[1] - from[1]) || 1;
      const [ux, uy] = [(to[0] - from[0]) / length, (to[1] - from[1]) / length];
      const candidates = (back ? [0.13, 0.22, 0.32, 0.45, 0.6] : [0, 0.13, -0.13, 0.22, -0.22, 0.35, -0.35, 0.5, -0.5]).map((bend) => {
        const off = 2 * bend * Math.min(length, 220);
        const control = [(from[0] + to[0]) / 2 - off * uy, (from[1] + to[1]) / 2 + off * ux];
        const points = [towards(from, control, this.radius), control, towards(to, control, this.radius + 2)];
        const line = curve([points[0], mix(points[0], control, 2 / 3), mix(points[2], control, 2 / 3), points[2]]);
        const hits = this.at.filter((c, i) => i !== s && i !== t && line.points.some((p) => distance(p, c) < this.radius + 5)).length;
        return { ...line, hits };
      });
      return candidates.reduce((best, one) => (one.hits < best.hits ? one : best));
    }

    // loop is a line from a circle to itself, where no other line leaves it.
    loop(s, arrows) {
      const [x, y] = this.at[s];
      const used = arrows.filter((a) => (a.s === s) !== (a.t === s)).map((a) => this.at[a.s === s ? a.t : a.s])
        .map(([x2, y2]) => Math.atan2(y2 - y, x2 - x)).sort((a, b) => a - b);
      const gaps = used.map((angle, i) => ({ angle, gap: (i + 1 < used.length ? used[i + 1] : used[0] + 2 * Math.PI) - angle }));
      const widest = gaps.reduce((best, one) => (one.gap > best.gap + 1e-6 ? one : best), { angle: -Math.PI, gap: gaps.length > 0 ? 0 : Math.PI });
      const angle = widest.angle + widest.gap / 2;
      const on = (turn, r) => [x + r * Math.cos(angle + turn), y + r * Math.sin(angle + turn)];
      const wide = 0.55 * 17 / this.radius + 0.1;
      return {
        ...curve([on(-0.5, this.radius), on(-wide, this.radius + loopReach + 4), on(wide, this.radius + loopReach + 4), on(0.5, this.radius + 2)]),
        label: [on(0, this.radius + loopReach + 4), on(0.75, this.radius + loopReach - 4), on(-0.75, this.radius + loopReach - 4)],
      };
    }

    // texts finds places for the texts of a policy: the names of actions at the circles,
    // and numbers on the lines. A place is free of circles and other texts, and crosses as
    // few lines as can be; a text that finds none is left out.
    texts(names, numbers, marked) {
      const boxes = [];
      const samples = marked.flatMap((arrow) => this.lines.get(arrow).points.map((p) => ({ p, arrow })));
      const put = (places, width, own) => {
        const free = places.map(([x, y]) => ({ x, y, left: x - width / 2, right: x + width / 2, top: y - 7, bottom: y + 6 }))
          .filter((box) => box.left > 1 && box.right < this.width - 1 && box.top > 1 && box.bottom < this.height - 1 &&
            !boxes.some((other) => box.left < other.right + 2 && other.left < box.right + 2 && box.top < other.bottom + 1 && other.top < box.bottom + 1) &&
            !this.at.some(([x, y]) => Math.hypot(x - clamp(x, box.left, box.right), y - clamp(y, box.top, box.bottom)) < this.radius + 2))
          .map((box) => ({ ...box, crossed: samples.filter(({ p: [x, y], arrow }) => arrow !== own && x > box.left && x < box.right && y > box.top && y < box.bottom).length }));
        if (free.length === 0) return null;
        const box = free.reduce((best, one) => (one.crossed < best.crossed ? one : best));
        boxes.push(box);
        return [box.x, box.y];
      };
      const r = this.radius;
      const placed = names.map(({ s, text }) => {
        const [x, y] = this.at[s];
        const width = 7.2 * text.length;
        const [beside, diagonal] = [r + 6 + width / 2, 0.72 * r + 3];
        return { text, at: put([[x, y + r + 11], [x, y - r - 11], [x + beside, y], [x - beside, y],
          ...[[1, 1], [-1, 1], [1, -1], [-1, -1]].map(([i, j]) => [x + i * (diagonal + width / 2), y + j * (diagonal + 7)])], width) };
      });
      return [placed, numbers.map(({ arrow, text }) => {
        const line = this.lines.get(arrow);
        const along = [8, 7, 9, 6, 10, 5, 11, 4, 12].map((i) => line.points[i]);
        return { text, at: put([...line.label ?? [], ...along], 6.6 * text.length + 2, arrow) };
      })];
    }
  }

  // graph draws a model, with words below that say what a marked circle is. It returns
  // {node, width, show}: show(policy, changed) marks the actions of a policy, and the
  // states in changed, a Set.
  mdpsolve.graph = (model, changes = "") => {
    const { states } = model;
    const radius = Math.max(17, ...states.map(({ name }) => 3.2 * short(name).length + 3));
    const arrows = arrowsOf(model);
    let raw = places(model);
    const left = (2 * raw[model.initial][0] > Math.max(...raw.map(([x]) => x)) + Math.min(...raw.map(([x]) => x)) ? -1 : 1);
    raw = raw.map(([x, y]) => [left * x, y]); // the initial state stands to the left, or above
    const span = (i) => Math.max(...raw.map((p) => p[i])) - Math.min(...raw.map((p) => p[i]));
    if (innerWidth < 620 && span(0) > span(1)) raw = raw.map(([x, y]) => [-y, x]);
    const namesOf = (policy) => states.flatMap(({ actions }, s) => (actions.length > 1 ? [{ s, text: short(actions[policy[s]].name) }] : []));
    const taken = (policy) => arrows.filter(({ s, by }) => by.has(policy?.[s]));
    const numbersOf = (policy) => (states.length > 16 ? [] : taken(policy).map((arrow) => ({ arrow, p: arrow.by.get(policy[arrow.s]) }))
      .filter(({ p }) => p !== 1 || ["ctmc", "ctmdp"].includes(model.kind)).map(({ arrow, p }) => ({ arrow, text: mdpsolve.chance(p, 3) })));
    // The least size at which the texts of some policies find places.
    const some = [0, 1, 2, 3].map((a) => states.map(({ actions }) => a % actions.length));
    const sizes = [2.9, 3.5, 4.3, 5.2, 6.4].map((k) => new Canvas(raw, k * (radius + 12), radius, arrows));
    const canvas = sizes.find((one) => some.every((policy) => one.texts(namesOf(policy), numbersOf(policy), taken(policy)).flat().every(({ at }) => at))) ?? sizes.at(-1);

    const id = unique("graph");
    const head = (name) => svg("marker", {
      id: `${id}-${name}`, class: `head ${name}`, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 8, markerHeight: 8, markerUnits: "userSpaceOnUse", orient: "auto",
    }, svg("path", { d: "M0 0 L8 4 L0 8 Z" }));
    const circles = states.map((state, s) => {
      const [x, y] = canvas.at[s];
      return svg("g", { class: "state" },
        svg("title", {}, describe(state, s)),
        svg("circle", { cx: x, cy: y, r: radius }),
        s === model.initial && svg("circle", { class: "start", cx: x, cy: y, r: radius + 3 }),
        svg("text", { x, y: y + 4 }, short(state.name)));
    });
    const lines = arrows.map((arrow) => svg("path", { class: "arrow", d: canvas.lines.get(arrow).d },
      svg("title", {}, [...arrow.by].map(([a, p]) => `${states[arrow.s].name}, ${states[arrow.s].actions[a].name}: to ${states[arrow.t].name} with ${mdpsolve.chance(p, 4)}`).join("\n"))));
    const [others, chosen, words] = [svg("g"), svg("g"), svg("g", { class: "words" })];
    const picture = svg("svg", { class: "graph", viewBox: `0 0 ${canvas.width} ${canvas.height}`, role: "img" },
      svg("defs", {}, head("plain"), head("taken")), others, chosen, circles, words);
    picture.style.width = `${canvas.width}px`;
    picture.style.minWidth = `${0.7 * canvas.width}px`;
    const numbers = ["ctmc", "ctmdp"].includes(model.kind) ? "rates" : "probabilities";
    const node = element("figure", { class: "drawing" },
      element("figcaption", {}, "The model"),
      mdpsolve.scrolling(element("div", { class: "table", tabindex: 0, role: "region", "aria-label": "The drawing" }, picture), "down", "sideways for all of it"),
      element("p", { class: "hint" }, "Circles are states, a double circle the initial one. ", states.every(({ actions }) => actions.length === 1)
        ? `Arrows are transitions with their ${numbers}.`
        : `Blue arrows are the actions of the policy${states.length > 16 ? "" : ` with their ${numbers}`}, grey arrows the other actions.`, changes));

    return {
      node, width: canvas.width,
      show(policy, changed = new Set()) {
        const marked = new Set(taken(policy));
        arrows.forEach((arrow, i) => {
          const kind = marked.has(arrow) ? "taken" : "plain";
          lines[i].setAttribute("class", `arrow ${kind}`);
          lines[i].setAttribute("marker-end", `url(#${id}-${kind})`);
          (marked.has(arrow) ? chosen : others).append(lines[i]);
        });
        circles.forEach((circle, s) => circle.classList.toggle("changed", changed.has(s)));
        const texts = policy ? canvas.texts(namesOf(policy), numbersOf(policy), [...marked]) : [];
        words.replaceChildren(...texts.flatMap((list, i) => list.filter(({ at }) => at).map(({ text, at: [x, y] }) =>
          svg("text", { class: i === 0 ? "choice" : "chance", x, y: y + 3.5 }, text))));
        picture.setAttribute("aria-label", `Drawing of the model's ${states.length} states` +
          (policy ? `, with the actions of the policy marked: ${states.map((state, s) => `${state.name} ${state.actions[policy[s]].name}`).join(", ")}.` : "."));
      },
    };
  };

  // drawn is the drawing of a model with the actions of a policy, where they are known: a
  // list of one element, or of none.
  mdpsolve.drawn = (model, policy) => {
    if (!model || !mdpsolve.isDrawable(model)) return [];
    const drawing = mdpsolve.graph(model);
    drawing.show(policy);
    return [drawing.node];
  };

  // arrowsOf lists the pairs of states {s, t, by} that have a transition; by is a Map from
  // actions to probabilities.
  const arrowsOf = ({ states }) => {
    const arrows = new Map();
    states.forEach(({ actions }, s) => actions.forEach(({ to }, a) => to.forEach(([t, p]) => {
      const key = `${s} ${t}`;
      if (!arrows.has(key)) arrows.set(key, { s, t, by: new Map() });
      arrows.get(key).by.set(a, p);
    })));
    return [...arrows.values()];
  };

  const short = (name) => (name.length > 8 ? `${name.slice(0, 7)}…` : name);

  const describe = ({ name, labels, actions }, s) =>
    [`state ${s}${name === String(s) ? "" : ` ${name}`}`, labels.length > 0 && `labels ${labels.join(", ")}`,
      `actions ${actions.map((action) => action.name).join(", ")}`].filter(Boolean).join("; ");

  const clamp = (v, least, most) => Math.min(most, Math.max(least, v));
  const distance = ([x, y], [x2, y2]) => Math.hypot(x - x2, y - y2);
  const mix = (a, b, share) => [0, 1].map((i) => a[i] + share * (b[i] - a[i]));
  const towards = (a, b, r) => mix(a, b, r / (distance(a, b) || 1));
  const point = ([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`;

  // curve is a Bézier curve of four points: its path, and 17 points on it.
  const curve = ([a, b, c, d]) => ({
    d: `M${point(a)} C${point(b)} ${point(c)} ${point(d)}`,
    points: Array.from({ length: 17 }, (_, i) => {
      const t = i / 16;
      return [0, 1].map((k) => (1 - t) ** 3 * a[k] + 3 * (1 - t) ** 2 * t * b[k] + 3 * (1 - t) * t * t * c[k] + t ** 3 * d[k]);
    }),
  });
}
