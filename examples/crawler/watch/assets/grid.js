// The switching decision as a picture: where the policy sends robots out, where the queue spends
// its time, and where it is now.
"use strict";

{
  const { element, svg, percent } = watch;
  const shades = 12;
  const margin = { left: 40, right: 6, top: 6, bottom: 40 };
  const mostCells = 20_000;
  const curves = [
    { key: "departure", tone: "--ink", width: 2.5, name: "a page leaves: one more robot goes out below this line" },
    { key: "arrival", tone: "--ink", width: 2.5, dash: [3, 3], name: "a robot delivers: it goes out again below this line" },
  ];

  // grid makes the picture in a place. set({robots, buffer, occupancy, curves}) draws it: shares
  // of time by active robots and queue, and the switching curves, or null. dot(q, r) says where
  // the queue is now.
  watch.grid = (place, legend) => {
    const dot = svg("circle", { r: 5.5, class: "dot" });
    let shown = null;
    let x = () => 0;
    let y = () => 0;
    let now = null;

    function draw() {
      const width = place.clientWidth;
      if (width === 0 || !shown) return;
      const { robots: N, buffer: K } = shown;
      const tall = Math.round(Math.min(240, Math.max(130, (K + 1) * 24)));
      const column = (width - margin.left - margin.right) / (N + 1);
      const row = tall / (K + 1);
      x = (r) => margin.left + (r + 0.5) * column;
      y = (q) => margin.top + tall - (q + 0.5) * row;
      const across = (n, room, need) => {
        const step = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find((s) => s * room >= need) ?? n;
        return Array.from({ length: Math.floor(n / step) + 1 }, (_, i) => i * step);
      };
      const base = margin.top + tall;
      place.replaceChildren(svg("svg", { width, height: base + margin.bottom, "aria-hidden": "true" },
        svg("rect", { class: "ground", x: margin.left, y: margin.top, width: width - margin.left - margin.right, height: tall }),
        heat(column, row),
        across(N, column, 26).map((r) => svg("text", { x: x(r), y: base + 16, "text-anchor": "middle" }, String(r))),
        across(K, row, 15).map((q) => svg("text", { x: margin.left - 7, y: y(q), "text-anchor": "end", dy: ".35em" }, String(q))),
        svg("text", { x: margin.left + (width - margin.left) / 2, y: base + 35, "text-anchor": "middle" }, "active robots"),
        svg("text", { x: 11, y: margin.top + tall / 2, "text-anchor": "middle", transform: `rotate(-90 11 ${margin.top + tall / 2})` }, "pages in the queue"),
        curves.map((c) => line(c, column, row)), dot));
      put();
    }

    // heat is one path for each shade.
    function heat(column, row) {
      const { robots: N, buffer: K, occupancy } = shown;
      if ((N + 1) * (K + 1) > mostCells) return [];
      const most = Math.max(...occupancy.map((shares) => Math.max(...shares)));
      const paths = Array.from({ length: shades + 1 }, () => "");
      occupancy.forEach((shares, r) => shares.forEach((share, q) => {
        const [left, right] = [x(r) - column / 2, x(r) + column / 2].map(Math.round);
        const [bottom, top] = [y(q) + row / 2, y(q) - row / 2].map(Math.round);
        if (share > 0) paths[Math.round(Math.sqrt(share / most) * shades)] += `M${left} ${bottom}H${right}V${top}H${left}z`;
      }));
      return paths.map((d, shade) => svg("path", { d, class: "heat", "fill-opacity": 0.6 * shade / shades }));
    }

    function line(c, column, row) {
      const values = shown.curves?.[c.key];
      if (!values) return null;
      const [first, last] = c.key === "arrival" ? [1, shown.robots] : [0, shown.robots - 1];
      let d = "";
      for (let r = first; r <= last; r++) {
        const level = y(values[r]) - row / 2;
        d += `${r === first ? "M" : "L"}${(x(r) - column / 2).toFixed(1)} ${level.toFixed(1)}H${(x(r) + column / 2).toFixed(1)}`;
      }
      return svg("g", {}, svg("path", { d, class: "halo" }), svg("path", { d, class: "curve", "stroke-dasharray": c.dash?.join(" ") }));
    }

    function put() {
      dot.setAttribute("visibility", now ? "visible" : "hidden");
      if (!now) return;
      dot.setAttribute("cx", x(now[1]));
      dot.setAttribute("cy", y(now[0]));
    }

    new ResizeObserver(draw).observe(place);

    return {
      set(next) {
        shown = next;
        const most = Math.max(0, ...next.occupancy.flat());
        legend.replaceChildren(
          ...(next.curves ? curves.map((c) => element("li", {}, watch.lineSample(c), c.name)) : []),
          element("li", {}, svg("svg", { width: 36, height: 11, "aria-hidden": "true" },
            [2, 7, 12].map((shade, i) => svg("rect", { x: 12 * i, y: 0, width: 12, height: 11, class: "heat", "fill-opacity": 0.6 * shade / shades }))),
          `share of time, up to ${percent(most, 2)}`),
          element("li", {}, svg("svg", { width: 14, height: 12, "aria-hidden": "true" }, svg("circle", { cx: 7, cy: 6, r: 5, class: "dot" })), "now"));
        place.setAttribute("aria-label", "Shares of time by pages in the queue and active robots" + (next.curves ? ", with the switching curves of the policy" : ""));
        draw();
      },
      dot(q, r) {
        now = [q, r];
        put();
      },
    };
  };
}
