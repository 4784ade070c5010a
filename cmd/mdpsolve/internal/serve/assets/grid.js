// The policy as a picture: queue length by active robots, the switching curves, and
// behind them how much of the time is spent where.
"use strict";

{
  const { element, svg, number, percent } = mdpsolve;
  const shades = 12;
  const margin = { left: 48, right: 10, top: 8, bottom: 46 };
  const curves = [
    { key: "departure", tone: "--ink", width: 2, name: "a page leaves: below this line, activate one more robot" },
    { key: "arrival", tone: "--ink", width: 2, dash: [3, 3], name: "a robot delivers: below this line, it stays active" },
  ];

  // policyGrid makes the picture. set({robots, buffer, departure, arrival, distribution,
  // when}) draws it: departure[r] and arrival[r] are the switching curves, null where
  // there are none, distribution[r][q] shares of the time, and when says in words which
  // phase the curves are of, "" for any. dot(i, q, r) puts
  // the i-th of two dots on a state, dot(i, null) takes it away.
  mdpsolve.policyGrid = () => {
    const picture = svg("svg", { width: "100%", "aria-hidden": "true" });
    const readout = element("output", { class: "soft readout", "aria-live": "polite" });
    const place = element("div", {
      class: "plot grid", id: "curve", tabindex: 0, role: "application", "aria-roledescription": "policy grid", onkeydown: step,
    }, picture);
    const title = element("figcaption");
    const scale = element("li");
    const present = element("li", { hidden: true }, dotSample("dot-switched"), "the simulated queue under the best policy, ", dotSample("dot-fixed"), "with the best fixed number");
    const legend = element("ul", { class: "legend" }, curves.map((c) => element("li", {}, mdpsolve.lineSample(c), c.name)), scale, present);
    const note = element("p", { class: "hint" }, "q counts the page being indexed. In row q = 0 there is no page to leave, so only the dotted line applies; " +
      "without pages and active robots there is no state.");
    const data = mdpsolve.data("curves", "curve-table");
    const node = element("figure", { class: "chart" }, title,
      legend, place, note, readout, data.node);
    const dots = [dotOf("dot-switched"), dotOf("dot-fixed")];
    const frame = svg("rect", { class: "chosen", visibility: "hidden" });

    let shown = null;
    let chosen = null; // the state [q, r] that the readout is of
    let x; // of the middle of a column
    let y; // of the middle of a row
    new ResizeObserver(() => { if (shown) draw(); }).observe(place);

    function draw() {
      const width = place.clientWidth;
      if (width === 0) return;
      const { robots: N, buffer: K } = shown;
      const inner = width - margin.left - margin.right;
      const room = Math.min(380, Math.max(200, (K + 1) * 34));
      const tall = room >= 3 * (K + 1) ? Math.round(room / (K + 1)) * (K + 1) : room; // whole pixels a row
      const column = inner / (N + 1);
      const row = tall / (K + 1);
      x = (r) => margin.left + (r + 0.5) * column;
      y = (q) => margin.top + tall - (q + 0.5) * row;
      picture.setAttribute("height", tall + margin.top + margin.bottom);
      picture.setAttribute("viewBox", `0 0 ${width} ${tall + margin.top + margin.bottom}`);
      frame.setAttribute("width", Math.max(4, Math.round(column)));
      frame.setAttribute("height", Math.max(4, Math.round(row)));
      picture.replaceChildren(
        svg("rect", { class: "ground", x: margin.left, y: margin.top, width: inner, height: tall }),
        ...heat(column, row), ...axes(width, tall, column, row), ...curves.flatMap((c) => line(c, column, row)), frame, ...dots);
      choose(chosen);
    }

    // heat is one path for each shade.
    function heat(column, row) {
      const { robots: N, buffer: K, distribution } = shown;
      if (!distribution) return [];
      const across = Math.max(1, Math.ceil(2 / column)); // columns and rows that are drawn as one
      const down = Math.max(1, Math.ceil(2 / row));
      const cells = [];
      let most = 0;
      for (let r = 0; r <= N; r += across) {
        for (let q = 0; q <= K; q += down) {
          let share = 0;
          for (let i = r; i < Math.min(N + 1, r + across); i++) {
            for (let j = q; j < Math.min(K + 1, q + down); j++) share += distribution[i][j];
          }
          if (share > 0) cells.push([r, q, share]);
          most = Math.max(most, share);
        }
      }
      const paths = Array.from({ length: shades + 1 }, () => "");
      for (const [r, q, share] of cells) { // on whole pixels, so that nothing shines through between cells
        const [left, right] = [x(r) - column / 2, x(Math.min(N, r + across - 1)) + column / 2].map(Math.round);
        const [bottom, top] = [y(q) + row / 2, y(Math.min(K, q + down - 1)) - row / 2].map(Math.round);
        paths[Math.round(Math.sqrt(share / most) * shades)] += `M${left} ${bottom}H${right}V${top}H${left}z`;
      }
      return paths.flatMap((d, shade) => (d && shade > 0 ? [svg("path", { d, class: "heat", "fill-opacity": 0.6 * shade / shades })] : []));
    }

    function axes(width, tall, column, row) {
      const { robots: N, buffer: K } = shown;
      const ticks = (last, room, need) => {
        const step = [1, 2, 5, 10, 20, 25, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000].find((s) => s * room >= need) ?? last;
        return Array.from({ length: Math.floor(last / step) + 1 }, (_, i) => i * step);
      };
      const base = margin.top + tall;
      return [
        ...ticks(N, column, 8 + 7 * String(N).length).map((r) => svg("text", { x: x(r), y: base + 18, "text-anchor": "middle" }, String(r))),
        ...ticks(K, row, 15).map((q) => svg("text", { x: margin.left - 9, y: y(q), "text-anchor": "end", dy: ".35em" }, String(q))),
        svg("text", { x: margin.left + (width - margin.left - margin.right) / 2, y: base + 39, "text-anchor": "middle" }, "r, active robots"),
        svg("text", { x: 12, y: margin.top + tall / 2, "text-anchor": "middle", transform: `rotate(-90 12 ${margin.top + tall / 2})` }, "q, pages in the queue"),
      ];
    }

    // line is a switching curve along the edges of the cells: where no decision is to
    // be made, with no robot active or none left, it is left out.
    function line(c, column, row) {
      const values = shown[c.key];
      if (!values) return [];
      const first = c.key === "arrival" ? 1 : 0;
      const last = c.key === "arrival" ? shown.robots : shown.robots - 1;
      let d = "";
      for (let r = first; r <= last; r++) {
        const [left, right, level] = [x(r) - column / 2, x(r) + column / 2, y(values[r]) - row / 2].map(Math.round);
        d += `${r === first ? "M" : "L"}${left} ${level}H${right}`;
      }
      return [
        svg("path", { d, class: "halo" }),
        svg("path", { d, class: "curve", stroke: `var(${c.tone})`, "stroke-width": c.width, "stroke-dasharray": c.dash?.join(" ") }),
      ];
    }

    // choose reads a state out.
    function choose(state) {
      chosen = state;
      frame.setAttribute("visibility", state ? "visible" : "hidden");
      if (!state) {
        readout.textContent = "Point at a state, or use the arrow keys, to see what the policy does there.";
        return;
      }
      const [q, r] = state;
      frame.setAttribute("x", Math.round(x(r) - frame.getAttribute("width") / 2));
      frame.setAttribute("y", Math.round(y(q) - frame.getAttribute("height") / 2));
      readout.textContent = words(q, r);
    }

    function words(q, r) {
      const { robots: N, departure, arrival, distribution } = shown;
      const many = (n, thing) => `${n} ${thing}${n === 1 ? "" : "s"}`;
      const parts = [`${many(q, "page")}, ${many(r, "robot")} active`];
      if (q === 0 && r === 0) return `${parts[0]}: not a state, as no page would ever come.`;
      if (distribution) parts[0] += `: ${percent(distribution[r][q], 3)} of the time`;
      if (departure && q > 0 && r < N) parts.push(`When a page leaves, ${q <= departure[r] ? "activate one more robot" : "activate none"}.`);
      if (arrival && r > 0) parts.push(`When a robot delivers, it ${q <= arrival[r] ? "stays active" : "becomes idle"}.`);
      return parts[0] + ". " + parts.slice(1).join(" ");
    }

    function step(event) {
      const move = { ArrowUp: [1, 0], ArrowDown: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] }[event.key];
      if (event.key === "Escape") choose(null);
      if (!move || !shown) return;
      event.preventDefault();
      const [q, r] = chosen ?? [0, 0];
      choose([clamp(q + move[0], shown.buffer), clamp(r + move[1], shown.robots)]);
    }
    const clamp = (v, most) => Math.min(most, Math.max(0, v));

    place.addEventListener("pointermove", (event) => {
      if (!shown) return;
      const box = picture.getBoundingClientRect();
      const r = Math.round((event.clientX - box.left - x(0)) / ((x(1) - x(0)) || 1));
      const q = Math.round((event.clientY - box.top - y(0)) / ((y(1) - y(0)) || 1));
      const inside = q >= 0 && q <= shown.buffer && r >= 0 && r <= shown.robots;
      choose(inside ? [q, r] : null);
    });
    place.addEventListener("pointerleave", () => choose(null));

    return {
      node,
      set(policy) {
        shown = policy;
        title.textContent = `The best policy${policy.when}, and where the queue spends its time`;
        if (chosen && (chosen[0] > policy.buffer || chosen[1] > policy.robots)) chosen = null;
        place.dataset.departure = JSON.stringify(policy.departure);
        place.dataset.arrival = JSON.stringify(policy.arrival);
        const shares = policy.distribution?.map((row) => row.reduce((a, b) => a + b, 0));
        const most = Math.max(...policy.distribution?.flat() ?? [0]);
        scale.hidden = !policy.distribution;
        scale.replaceChildren(heatSample(), `share of the time, up to ${percent(most, 3)}`);
        for (const [i, item] of [...legend.children].entries()) {
          if (i < curves.length) item.hidden = !policy[curves[i].key];
        }
        place.setAttribute("aria-label", `The policy over 0 to ${policy.buffer} pages and 0 to ${policy.robots} active robots; arrow keys read out a state`);
        draw();
        data.set({
          caption: `The switching curves${policy.when}, and the share of the time in which r robots are active`,
          columns: [
            { key: "r", name: "active robots r" },
            { key: "departure", name: "f₀(r): longest queue at which one more robot is activated when a page leaves", show: level },
            { key: "arrival", name: "f₁(r): longest queue at which a robot that delivers stays active", show: level },
            { key: "share", name: "share of the time", unit: "%", show: (v) => (v == null ? "–" : (100 * v).toFixed(3)) },
          ],
          rows: Array.from({ length: policy.robots + 1 }, (_, r) => ({
            r, departure: policy.departure?.[r], arrival: r === 0 ? null : policy.arrival?.[r], share: shares?.[r],
          })),
        });
      },
      dot(i, q, r) {
        const seen = q != null && x && q <= shown.buffer && r <= shown.robots;
        dots[i].setAttribute("visibility", seen ? "visible" : "hidden");
        present.hidden = !seen;
        if (!seen) return;
        dots[i].setAttribute("cx", x(r));
        dots[i].setAttribute("cy", y(q));
      },
    };
  };

  const dotOf = (kind) => svg("circle", { r: kind === "dot-fixed" ? 6.5 : 5, class: kind, visibility: "hidden" });

  const dotSample = (kind) => svg("svg", { width: 16, height: 16, "aria-hidden": "true" },
    svg("circle", { cx: 8, cy: 8, r: kind === "dot-fixed" ? 5.5 : 5, class: kind }));

  // level writes a value of a switching curve.
  const level = (q) => (q == null ? "–" : q < 0 ? "never" : String(q));

  const heatSample = () => svg("svg", { width: 48, height: 12, "aria-hidden": "true" },
    [1, 4, 8, 12].map((shade, i) => svg("rect", { x: 12 * i, y: 0, width: 12, height: 12, class: "heat", "fill-opacity": 0.6 * shade / shades })));
}
