// Charts of lines, by uPlot, each with its legend and its table.
"use strict";

{
  const { element, svg, number, colour } = mdpsolve;
  const wholeSteps = [1, 2, 5].flatMap((d) => [0, 1, 2, 3, 4, 5, 6, 7].map((p) => d * 10 ** p)).sort((a, b) => a - b);

  // chart makes a figure. The options:
  //   title, file: what stands above it, and the name of downloads, less the ending;
  //   x, y: {key, name, unit, log, whole, zero} of the axes; y has no key, and zero
  //     says that the axis begins at 0, or just below for points to fit;
  //   series: a list of {key, name, legend, tone, dash, step, points, band, width}: the
  //     key of a row's value; its words in the table, and others in the legend; a custom
  //     property of the style sheet that is its colour; lengths of dash and gap; steps
  //     instead of slopes; points, which the axes leave room for; [lower, upper], the
  //     keys of a band around it. A series without a name is in neither legend nor table.
  //   height in pixels.
  // set(rows, {marks, summary, range}) draws rows, objects of numbers; marks is a list
  // of {x, name}, vertical lines; summary says in words what can be seen; range is that
  // of y, by default what holds all values.
  mdpsolve.chart = ({ title, file, x, y, series, height = 260 }) => {
    const place = element("div", { class: "plot", role: "img", "aria-label": title });
    const readings = series.map(() => element("span", { class: "reading" }));
    const legend = element("ul", { class: "legend" }, series.map((s, i) => s.name && element("li", {}, sample(s), s.legend ?? s.name, readings[i])));
    const data = mdpsolve.data(file);
    const node = element("figure", { class: "chart" },
      element("figcaption", {}, title), legend, place, data.node);
    const hasPoints = series.some((s) => s.points);
    const columns = [x, ...series.filter((s) => s.name).map((s) => ({ ...s, unit: s.unit ?? y.unit }))];

    let plot = null;
    let marks = [];
    let range = null; // of y
    const draw = (rows) => {
      const values = aligned(rows, x, series, range);
      if (plot) plot.setData(values);
      else if (rows.length > 0 && place.clientWidth > 0) plot = new uPlot(options(), values, place);
    };
    let last = [];
    new ResizeObserver(() => {
      if (place.clientWidth === 0) return;
      if (plot) plot.setSize({ width: place.clientWidth, height });
      else draw(last);
    }).observe(place);
    mdpsolve.onTheme(() => plot?.redraw(false));

    function options() {
      const font = `12px ${getComputedStyle(document.body).fontFamily}`;
      const axis = (a) => ({
        label: a.unit ? `${a.name}, ${a.unit}` : a.name, font, labelFont: font, labelSize: 20, labelGap: 2, gap: 6,
        stroke: () => colour("--ink-soft"), grid: { stroke: () => colour("--rule"), width: 1 },
        ticks: { stroke: () => colour("--rule"), width: 1, size: 4 },
        values: (_, ticks) => ticks.map((v) => (v == null ? "" : number(v, 4))),
        ...(a.whole && { incrs: wholeSteps }),
        ...(a.log && { splits: (_, __, low, high) => decades(low, high), filter: labelled }),
      });
      return {
        width: place.clientWidth, height, padding: [10, 24, 0, 4],
        legend: { show: false },
        cursor: { drag: { x: false, y: false }, points: { size: 6 } },
        scales: {
          x: {
            time: false, distr: x.log ? 3 : 1,
            range: (_, low, high) => {
              if (low == null) return [1, 2];
              if (x.zero) return [0, high];
              if (low === high && !x.log) return [low - 0.5, high + 0.5];
              const room = hasPoints ? 0.025 : 0;
              if (x.log) return [low / Math.max(high / low, 1.1) ** room, high * Math.max(high / low, 1.1) ** room];
              return [low - room * (high - low), high + room * (high - low)];
            },
          },
          y: {
            distr: y.log ? 3 : 1,
            range: y.log ? undefined : (_, low, high) => {
              if (range) return range;
              if (low == null) return [0, 1];
              const room = (high - low || Math.abs(high) || 1) * 0.06;
              return [y.zero ? (hasPoints ? -0.4 * room : 0) : low - room, high + room];
            },
          },
        },
        axes: [
          { ...axis(x), size: 30 },
          {
            ...axis(y), size: (_, ticks) => 14 + 7 * Math.max(3, ...(ticks ?? []).map((t) => t.length)),
          },
        ],
        series: [{}, ...series.flatMap((s) => {
          const line = {
            label: s.name, width: s.width ?? 2, dash: s.dash?.map((length) => length * devicePixelRatio), stroke: () => colour(s.tone),
            points: { show: s.points ?? false, size: 5, fill: () => colour(s.tone) },
            paths: s.step ? uPlot.paths.stepped({ align: s.step }) : undefined, spanGaps: false,
          };
          const edge = { width: 0, stroke: "transparent", points: { show: false } };
          return s.band ? [line, edge, edge] : [line];
        })],
        bands: bandsOf(series),
        hooks: { draw: [drawMarks], setCursor: [read] },
      };
    }

    function bandsOf(list) {
      const bands = [];
      let index = 1;
      for (const s of list) {
        if (s.band) bands.push({ series: [index + 2, index + 1], fill: () => colour(`${s.tone}-band`) });
        index += s.band ? 3 : 1;
      }
      return bands;
    }

    function drawMarks(u) {
      const { ctx } = u;
      ctx.save();
      ctx.strokeStyle = ctx.fillStyle = colour("--ink-soft");
      ctx.font = `${11 * devicePixelRatio}px ${getComputedStyle(document.body).fontFamily}`;
      ctx.setLineDash([2 * devicePixelRatio, 3 * devicePixelRatio]);
      ctx.lineWidth = devicePixelRatio;
      for (const mark of marks) {
        if (!(mark.x >= u.scales.x.min && mark.x <= u.scales.x.max)) continue;
        const at = u.valToPos(mark.x, "x", true);
        const { top, height: h, left, width: w } = u.bbox;
        ctx.beginPath();
        ctx.moveTo(at, top);
        ctx.lineTo(at, top + h);
        ctx.stroke();
        const toLeft = at > left + w / 2;
        ctx.textAlign = toLeft ? "right" : "left";
        ctx.fillText(mark.name, at + (toLeft ? -5 : 5) * devicePixelRatio, top + 12 * devicePixelRatio);
      }
      ctx.restore();
    }

    // read writes the values under the cursor into the legend.
    function read(u) {
      let index = 1;
      series.forEach((s, i) => {
        const value = u.cursor.idx == null ? null : u.data[index][u.cursor.idx];
        readings[i].textContent = value == null ? "" : ` ${number(value, 5)}`;
        index += s.band ? 3 : 1;
      });
    }

    return {
      node,
      set(rows, { marks: newMarks = [], summary, range: newRange = null } = {}) {
        last = rows;
        marks = newMarks;
        range = newRange;
        draw(rows);
        data.set({ caption: title, columns, rows });
        place.setAttribute("aria-label", summary ? `${title}: ${summary}` : title);
      },
    };
  };

  // decades are the places of lines on an axis of logarithms.
  const decades = (low, high) => {
    const places = [];
    for (let power = Math.floor(Math.log10(low)); 10 ** power <= high; power++) {
      for (let digit = 1; digit < 10; digit++) places.push(Number(`${digit}e${power}`));
    }
    return places.filter((v) => v >= low && v <= high);
  };

  // labelled leaves those with a label: the more decades, the fewer.
  const labelled = (_, places) => {
    const digits = places.at(-1) < 100 * places[0] ? [1, 2, 5] : [1];
    return places.map((v) => (digits.includes(Number(v.toExponential()[0])) ? v : null));
  };

  // aligned returns the columns that uPlot draws: lines end where they would leave a
  // range that is given.
  const aligned = (rows, x, series, range) => {
    const column = (key) => rows.map((row) => row[key] ?? null);
    const inside = (v) => (range && v != null && (v < range[0] || v > range[1]) ? null : v);
    return [column(x.key), ...series.flatMap((s) => [column(s.key).map(inside), ...(s.band ?? []).map(column)])];
  };

  // sample is a piece of the line of a series, for the legend.
  const sample = (s) => svg("svg", { width: 30, height: 10, "aria-hidden": "true" },
    s.band && svg("rect", { width: 30, height: 10, fill: `var(${s.tone}-band)` }),
    svg("line", {
      x1: 1, y1: 5, x2: 29, y2: 5, stroke: `var(${s.tone})`, "stroke-width": s.width ?? 2, "stroke-dasharray": s.dash?.join(" "),
    }),
    s.points && svg("circle", { cx: 15, cy: 5, r: 2.5, fill: `var(${s.tone})` }));
}
