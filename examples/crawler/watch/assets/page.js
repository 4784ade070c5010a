// The page: it takes the events of the server, and draws what they say.
"use strict";

{
  const { element, svg, number, percent, count, many, clock } = watch;
  const at = (id) => document.getElementById(id);
  const mostPoints = 600;

  const grid = watch.grid(at("grid"), at("grid-legend"));
  const costs = watch.chart("Cost per unit of time, so far");
  const rates = [["lambda", "Pages delivered per second by an active robot, λ"], ["mu", "Pages indexed per second of work, μ"]]
    .map(([key, title]) => ({ key, chart: watch.chart(title) }));
  at("cost-chart").append(costs.node);
  at("rates").append(...rates.map((r) => r.chart.node));

  let pools = []; // what is known of each
  let chosen = ""; // the name of the pool of which there is more; "" if the reader has not chosen

  // begin takes the descriptions of the pools. The first one that learns is blue.
  function begin(descriptions) {
    const first = Math.max(0, descriptions.findIndex((d) => d.learns));
    const others = ["--tone-1", "--tone-2", "--tone-3", "--tone-4"];
    let used = 0;
    pools = descriptions.map((d, i) => {
      const tone = i === first ? "--switched" : others[used++ % others.length];
      return { ...d, tone, card: card(d, tone), points: d.history, stride: 1, skipped: 0, view: null };
    });
    at("pools").replaceChildren(...pools.map((p) => p.card.node));
    at("chosen").replaceChildren(...pools.map((p) => element("option", {}, p.pool)));
    at("chosen").value = pools.some((p) => p.pool === chosen) ? chosen : pools[first].pool;
    at("main").hidden = false;
  }

  // card makes the card of a pool.
  function card(d, tone) {
    const canvas = element("canvas", { class: "lane", role: "img", "aria-label": `Robots, queue and indexer of ${d.pool}` });
    const cost = element("span", { class: "cost" });
    const facts = element("dl");
    const robots = element("span");
    const places = element("span");
    const node = element("section", { class: "pool" }, element("header", {}, element("h2", {}, d.pool), cost), facts, canvas,
      element("p", { class: "sides soft" }, robots, places));
    node.style.setProperty("--tone", `var(${tone})`);
    return { node, cost, facts, robots, places, lane: watch.lane(canvas, tone, d.buffer) };
  }

  // add adds a point, and leaves out every other one when there are many.
  function add(pool, point) {
    if (point.time <= (pool.points.at(-1)?.time ?? -1)) return;
    pool.skipped += 1;
    if (pool.skipped < pool.stride) return;
    pool.skipped = 0;
    pool.points.push(point);
    if (pool.points.length >= mostPoints) {
      pool.points = pool.points.filter((_, i) => i % 2 === 1);
      pool.stride *= 2;
    }
  }

  function views(list) {
    list.forEach((view, i) => {
      if (!view) return;
      pools[i].view = view;
      add(pools[i], view.point);
      tell(pools[i]);
    });
    const shown = pools.filter((p) => p.view);
    costs.set([
      ...shown.map((p) => ({ name: p.pool, points: p.points, key: "cost", tone: p.tone, band: ["low", "high"] })),
      ...shown.map((p, i) => ({ name: i === 0 ? "expected by the model" : null, points: p.points, key: "expected", tone: p.tone, dash: [2, 4], width: 1.5 })),
    ]);
    const runs = Math.max(...shown.map((p) => p.view.runs));
    at("now").className = "now";
    at("now").textContent = `run ${runs} · ${clock(Math.max(...shown.map((p) => p.view.point.time)))}`;
    more();
  }

  // tell writes what a pool's card says.
  function tell({ card, view }) {
    const { point } = view;
    card.cost.replaceChildren(number(point.cost, 3), " ",
      element("small", {}, point.high == null ? "too early to say how sure that is" : `± ${number(point.high - point.cost, 2)}`));
    const facts = [
      ["expected", point.expected == null ? null : number(point.expected, 3)],
      ["last minute", view.minute == null ? null : number(view.minute, 3)],
      ["without work", percent(view.starvation)],
      ["lost", percent(view.delivered > 0 ? view.lost / view.delivered : 0)],
      ["robots", number(view.robotsMean, 3)],
      ["policies made", view.belief == null ? null : count(view.belief.policies)],
    ];
    card.facts.replaceChildren(...facts.filter(([, value]) => value != null)
      .map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value))));
  }

  // more draws what is shown of one pool only.
  function more() {
    const pool = pools.find((p) => p.pool === at("chosen").value);
    if (!pool?.view) return;
    const { view, points } = pool;
    grid.set({ robots: pool.robots, buffer: pool.buffer, occupancy: view.occupancy, curves: view.curves });
    drawFetches(view.fetches);
    drawPages(view.pages);
    for (const { key, chart } of rates) {
      chart.set([
        { name: "believed, with its interval", points, key, tone: pool.tone, band: [`${key}Low`, `${key}High`] },
        { name: "true", points, key: `${key}True`, tone: "--third", dash: [2, 3] },
      ]);
    }
  }

  const good = new Set(["found", "changed"]);
  const bad = new Set(["failed"]);

  function drawFetches(fetches) {
    const total = Object.values(fetches).reduce((a, b) => a + b, 0);
    at("fetches").replaceChildren(...["found", "changed", "unchanged", "gone", "disallowed", "failed"].map((name) => {
      const n = fetches[name] ?? 0;
      return element("tr", {}, element("th", { scope: "row" }, name), element("td", {}, count(n)),
        element("td", {}, svg("svg", { width: "100%", height: 10, "aria-hidden": "true" },
          svg("rect", { class: `bar ${good.has(name) ? "good" : bad.has(name) ? "bad" : ""}`, width: `${100 * n / (total || 1)}%`, height: 10 }))));
    }));
  }

  function drawPages(pages) {
    at("copies").hidden = !pages;
    if (!pages) return;
    const kinds = [["fresh", "as on the site"], ["stale", "changed since"], ["missing", "never fetched"], ["gone", "gone from the site"]];
    const total = kinds.reduce((sum, [name]) => sum + pages[name], 0) || 1;
    let left = 0;
    at("pages").replaceChildren(svg("svg", { role: "img", "aria-label": kinds.map(([name, words]) => `${many(pages[name], "page")} ${words}`).join(", ") },
      kinds.map(([name]) => {
        const x = left;
        left += 100 * pages[name] / total;
        return svg("rect", { x: `${x}%`, width: `${100 * pages[name] / total}%`, height: 28, fill: `var(--${name})` });
      })));
    at("pages-legend").replaceChildren(...kinds.map(([name, words]) => element("li", {},
      svg("svg", { width: 12, height: 12, "aria-hidden": "true" }, svg("rect", { width: 12, height: 12, fill: `var(--${name})` })),
      `${words}: ${count(pages[name])} (${percent(pages[name] / total, 2)})`)));
  }

  function instants(list) {
    list.forEach((instant, i) => {
      const { card, pool, robots, buffer } = pools[i];
      card.lane.set(instant);
      const dead = [...instant.robots].filter((r) => r === "3").length;
      card.robots.textContent = `${instant.active} of ${many(robots, "robot")} active${dead > 0 ? `, ${dead} dead` : ""}`;
      card.places.textContent = instant.queue === 0 ? "empty: the indexer has no work" : `${instant.queue} of ${buffer} places taken`;
      if (pool === at("chosen").value) grid.dot(instant.queue, instant.active);
    });
  }

  at("chosen").addEventListener("change", () => { chosen = at("chosen").value; more(); });

  const events = new EventSource("events");
  events.addEventListener("pools", (e) => begin(JSON.parse(e.data)));
  events.addEventListener("views", (e) => views(JSON.parse(e.data)));
  events.addEventListener("instants", (e) => instants(JSON.parse(e.data)));
  events.onopen = () => { if (pools.length === 0) at("now").textContent = "Waiting for a run to begin …"; };
  events.onerror = () => {
    at("now").className = "now off";
    at("now").textContent = "The crawler has stopped, or cannot be reached. This page goes on when it is back.";
  };

  // The reader chooses the colours; a browser may refuse to keep the choice.
  const apply = (theme) => {
    document.documentElement.dataset.theme = theme;
    watch.forgetColours();
    document.dispatchEvent(new Event("themechange"));
  };
  const theme = at("theme");
  try { theme.value = localStorage.getItem("theme") ?? ""; } catch { /* as it is */ }
  apply(theme.value);
  theme.addEventListener("change", () => {
    try { localStorage.setItem("theme", theme.value); } catch { /* as above */ }
    apply(theme.value);
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => apply(theme.value));
}
