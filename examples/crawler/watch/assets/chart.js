// Curves over time, on a canvas.
"use strict";

{
  const { element, svg, colour, number, clock } = watch;
  const height = 220;
  const margin = { right: 8, top: 8, bottom: 24 };

  // chart makes a figure of curves. set(series) draws them: a list of {name, points, key, tone,
  // dash, band, width}: objects with a time and values, the key of the value, the custom property
  // that is the colour, lengths of dash and gap, and the keys of a band around the curve. A curve
  // without a name is not in the legend, and one that has no values is left out.
  watch.chart = (title) => {
    const canvas = element("canvas", { role: "img", "aria-label": title });
    canvas.style.height = `${height}px`;
    const legend = element("ul", { class: "legend" });
    const node = element("section", {}, element("h2", {}, title), legend, canvas);
    let series = [];
    let readings = new Map(); // by name
    let pointed = null; // where, in pixels

    // Beginnings, when there are few events, and rare peaks do not set the range.
    function range([first, last]) {
      const values = series.flatMap((s) => {
        const late = s.points.filter((p) => p.time >= first + (last - first) / 8);
        return [s.key, ...(s.band ?? [])].flatMap((key) => late.map((p) => p[key]));
      }).filter((v) => v != null);
      if (values.length === 0) return [0, 1];
      values.sort((a, b) => a - b);
      const [low, high] = [0.02, 0.98].map((share) => values[Math.round(share * (values.length - 1))]);
      const room = (high - low || Math.abs(high) || 1) * 0.08;
      return [Math.max(0, low - room), high + room];
    }

    function draw() {
      const width = canvas.clientWidth;
      if (width === 0) return;
      const pen = watch.pen(canvas, width, height);
      const times = series.flatMap((s) => [s.points[0].time, s.points.at(-1).time]);
      const [first, last] = [Math.min(...times), Math.max(...times)];
      if (!(last > first)) return;
      const [low, high] = range([first, last]);
      const marks = ticks(low, high, 5);
      const decimals = Math.max(0, Math.ceil(-Math.log10((marks[1] ?? 1) - marks[0]) - 1e-9));
      const words = marks.map((v) => v.toFixed(decimals));
      pen.font = `12px ${getComputedStyle(document.body).fontFamily}`;
      const left = 10 + Math.max(...words.map((w) => pen.measureText(w).width));
      const x = (t) => left + ((t - first) / (last - first)) * (width - left - margin.right);
      const y = (v) => margin.top + (1 - (v - low) / (high - low)) * (height - margin.top - margin.bottom);

      pen.lineWidth = 1;
      pen.strokeStyle = colour("--rule");
      pen.fillStyle = colour("--ink-soft");
      pen.textAlign = "right";
      pen.textBaseline = "middle";
      marks.forEach((v, i) => {
        line(pen, left, Math.round(y(v)) + 0.5, width - margin.right, Math.round(y(v)) + 0.5);
        pen.fillText(words[i], left - 6, y(v));
      });
      pen.textBaseline = "alphabetic";
      pen.textAlign = "center";
      for (const t of timeTicks(first, last, width / 90)) {
        line(pen, Math.round(x(t)) + 0.5, margin.top, Math.round(x(t)) + 0.5, height - margin.bottom);
        pen.fillText(clock(t), Math.min(width - 16, x(t)), height - 7);
      }

      pen.save();
      pen.beginPath();
      pen.rect(left, margin.top, width - left - margin.right, height - margin.top - margin.bottom);
      pen.clip();
      for (const s of series) if (s.band) band(pen, s, x, y);
      for (const s of series) curve(pen, s, x, y);
      if (pointed != null) {
        const t = (pointed - left) / (width - left - margin.right) * (last - first) + first;
        pen.strokeStyle = colour("--edge");
        pen.lineWidth = 1;
        line(pen, pointed, 0, pointed, height);
        for (const s of series) {
          const value = nearest(s.points, t)[s.key];
          if (s.name) readings.get(s.name).textContent = value == null ? "" : ` ${number(value, 4)}`;
        }
      }
      pen.restore();
      if (pointed == null) for (const r of readings.values()) r.textContent = "";
    }

    function curve(pen, s, x, y) {
      pen.strokeStyle = colour(s.tone);
      pen.lineWidth = s.width ?? 2;
      pen.lineJoin = "round";
      pen.setLineDash(s.dash ?? []);
      pen.beginPath();
      let drawing = false;
      for (const p of s.points) {
        if (p[s.key] == null) drawing = false;
        else if (drawing) pen.lineTo(x(p.time), y(p[s.key]));
        else { pen.moveTo(x(p.time), y(p[s.key])); drawing = true; }
      }
      pen.stroke();
      pen.setLineDash([]);
    }

    function band(pen, s, x, y) {
      const known = s.points.filter((p) => p[s.band[0]] != null && p[s.band[1]] != null);
      pen.fillStyle = colour(s.tone);
      pen.globalAlpha = 0.12;
      pen.beginPath();
      known.forEach((p) => pen.lineTo(x(p.time), y(p[s.band[0]])));
      known.toReversed().forEach((p) => pen.lineTo(x(p.time), y(p[s.band[1]])));
      pen.fill();
      pen.globalAlpha = 1;
    }

    const nearest = (points, t) => points.reduce((a, b) => (Math.abs(b.time - t) < Math.abs(a.time - t) ? b : a));

    canvas.addEventListener("pointermove", (event) => { pointed = event.offsetX; draw(); });
    canvas.addEventListener("pointerleave", () => { pointed = null; draw(); });
    new ResizeObserver(draw).observe(canvas);
    document.addEventListener("themechange", draw);

    return {
      node,
      set(next) {
        series = next.filter((s) => s.points.some((p) => p[s.key] != null));
        node.hidden = series.length === 0;
        const named = series.filter((s) => s.name);
        if (named.map((s) => s.name).join() !== [...readings.keys()].join()) {
          readings = new Map(named.map((s) => [s.name, element("span", { class: "reading" })]));
          legend.replaceChildren(...named.map((s) => element("li", {}, sample(s), s.name, readings.get(s.name))));
        }
        const said = named.map((s) => `${s.name} ${number(s.points.at(-1)[s.key])}`);
        canvas.setAttribute("aria-label", `${title}. Now: ${said.join(", ") || "nothing yet"}.`);
        draw();
      },
    };
  };

  const line = (pen, ...ends) => {
    pen.beginPath();
    pen.moveTo(ends[0], ends[1]);
    pen.lineTo(ends[2], ends[3]);
    pen.stroke();
  };

  // ticks returns round values between two.
  const ticks = (low, high, most) => {
    const power = 10 ** Math.floor(Math.log10((high - low) / most));
    const step = [1, 2, 5, 10].map((d) => d * power).find((s) => (high - low) / s <= most);
    const list = [];
    for (let v = Math.ceil(low / step) * step; v <= high; v += step) list.push(v);
    return list;
  };

  const timeTicks = (low, high, most) => {
    const step = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21600, 86400].find((s) => (high - low) / s <= most) ?? 604800;
    const list = [];
    for (let t = Math.ceil(low / step) * step; t <= high; t += step) list.push(t);
    return list;
  };

  const sample = (s) => svg("svg", { width: 30, height: 10, "aria-hidden": "true" },
    svg("line", { x1: 1, y1: 5, x2: 29, y2: 5, stroke: `var(${s.tone})`, "stroke-width": s.width ?? 2, "stroke-dasharray": s.dash?.join(" ") }));
  watch.lineSample = sample;
}
