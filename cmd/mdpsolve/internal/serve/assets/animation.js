// The queue at work, animated: the best policy beside the best fixed number of
// robots, on the same random numbers.
"use strict";

{
  const { element, colour, count, number, percent, estimate } = mdpsolve;
  const speeds = [0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000];
  const laneHeight = 132;
  const longestFlight = 450; // milliseconds
  const frameBudget = 12; // milliseconds of simulation in a frame
  const mostPoints = 400; // of the running costs

  // A Lane draws one system on a canvas.
  class Lane {
    constructor(name, tone, id) {
      this.tone = tone;
      this.canvas = element("canvas", { role: "img", "aria-label": name });
      this.title = element("h3", { class: "lane-title" }, name);
      this.robots = element("span");
      this.pages = element("span");
      this.counts = element("p");
      this.cost = element("p", { id });
      this.node = element("div", { class: "lane" }, this.title, this.canvas,
        element("div", { class: "lane-words" }, element("p", { class: "sides" }, this.robots, this.pages), this.counts, this.cost));
      this.flights = [];
      this.flightTime = longestFlight;
    }

    // see begins the flights that an event shows.
    see(event, system, now) {
      if (event === null || this.flights.length > 30) return;
      if (event.kind === "departure") this.flights.push({ kind: "done", start: now });
      else this.flights.push({ kind: event.accepted ? "page" : "lost", robot: this.number(system, event), start: now });
    }

    // number counts robots through all classes.
    number(system, { class: c, robot }) {
      return system.policy.classes.slice(0, c).reduce((sum, k) => sum + k.robots, robot);
    }

    draw(system, now) {
      const { canvas } = this;
      const width = canvas.clientWidth;
      if (width === 0) return;
      const ratio = devicePixelRatio;
      if (canvas.width !== Math.round(width * ratio)) {
        canvas.width = Math.round(width * ratio);
        canvas.height = laneHeight * ratio;
      }
      const ctx = canvas.getContext("2d");
      ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
      ctx.clearRect(0, 0, width, laneHeight);
      const shades = { tone: colour(this.tone), edge: colour("--edge"), rule: colour("--rule"), lost: colour("--lost"), soft: colour("--ink-soft"), ink: colour("--ink") };
      this.flights = this.flights.filter((f) => now - f.start < this.flightTime);
      const where = this.drawRobots(ctx, system, width, shades);
      const tail = this.drawQueue(ctx, system, width, shades);
      this.drawFlights(ctx, now, where, tail, shades);
    }

    // drawRobots draws a circle for each robot, full for the active ones, and returns
    // where they are.
    drawRobots(ctx, system, width, shades) {
      const total = system.policy.classes.reduce((sum, c) => sum + c.robots, 0);
      const room = { width: width * 0.36, height: laneHeight - 24 };
      const cell = Math.min(26, Math.floor(Math.sqrt(room.width * room.height / total)));
      if (cell < 5) return this.drawCrowd(ctx, system, room, total, shades);
      const perColumn = Math.max(1, Math.floor(room.height / cell));
      const top = 12 + (room.height - Math.min(total, perColumn) * cell) / 2;
      const where = (i) => [2 + (Math.floor(i / perColumn) + 0.5) * cell, top + (i % perColumn + 0.5) * cell];
      const active = new Set();
      let before = 0;
      system.order.forEach((order, c) => {
        for (const robot of order.slice(0, system.active[c])) active.add(before + robot);
        before += order.length;
      });
      for (let i = 0; i < total; i++) {
        const [x, y] = where(i);
        ctx.beginPath();
        ctx.arc(x, y, Math.max(1.6, cell / 2 - 3), 0, 2 * Math.PI);
        if (active.has(i)) {
          ctx.fillStyle = shades.tone;
          ctx.fill();
        } else {
          ctx.strokeStyle = shades.edge;
          ctx.lineWidth = 1.2;
          ctx.stroke();
        }
      }
      return where;
    }

    // drawCrowd draws too many robots for circles as a bar.
    drawCrowd(ctx, system, room, total, shades) {
      const y = laneHeight / 2 - 14;
      ctx.fillStyle = shades.tone;
      ctx.fillRect(2, y, room.width * system.robots / total, 28);
      ctx.strokeStyle = shades.edge;
      ctx.strokeRect(2, y, room.width, 28);
      return () => [2 + room.width * system.robots / total, laneHeight / 2];
    }

    // drawQueue draws the places, the indexer to the right of them, and returns where
    // a page that arrives goes to.
    drawQueue(ctx, system, width, shades) {
      const K = system.policy.buffer;
      const box = 44; // the indexer
      const left = width * 0.5;
      const right = width - box - 16;
      const pitch = Math.min(30, (right - left) / Math.max(1, K - 1));
      const middle = laneHeight / 2;
      const page = { width: Math.max(2, Math.min(20, pitch - 5)), height: 28 };
      const slot = (i) => (i === 0 ? width - box / 2 - 4 : right - (i - 0.5) * pitch); // 0 is being indexed
      const flying = this.flights.filter((f) => f.kind === "page").length;
      const there = Math.max(0, system.queue - flying);

      ctx.lineWidth = 1.2;
      for (let i = 1; i < K; i++) {
        ctx.strokeStyle = shades.rule;
        ctx.strokeRect(slot(i) - page.width / 2, middle - page.height / 2, page.width, page.height);
      }
      ctx.strokeStyle = system.queue === 0 ? shades.lost : shades.edge;
      ctx.lineWidth = system.queue === 0 ? 2 : 1.4;
      ctx.setLineDash(system.queue === 0 ? [4, 4] : []);
      ctx.strokeRect(width - box - 4, middle - box / 2, box, box);
      ctx.setLineDash([]);
      ctx.fillStyle = shades.tone;
      for (let i = 0; i < there; i++) {
        const w = i === 0 ? 20 : page.width;
        ctx.fillRect(slot(i) - w / 2, middle - page.height / 2, w, page.height);
      }
      return { x: slot(Math.min(K, Math.max(there, 0))), full: slot(K) - 4, middle, end: slot(0) };
    }

    drawFlights(ctx, now, where, tail, shades) {
      const ease = (t) => t * t * (3 - 2 * t);
      const paper = (x, y, fill, alpha) => {
        ctx.globalAlpha = alpha;
        ctx.fillStyle = fill;
        ctx.fillRect(x - 6, y - 8, 12, 16);
        ctx.globalAlpha = 1;
      };
      for (const f of this.flights) {
        const t = (now - f.start) / this.flightTime;
        if (f.kind === "done") {
          paper(tail.end + 30 * t, tail.middle - 24 * t, shades.soft, 1 - t);
          continue;
        }
        const [x, y] = where(f.robot);
        if (f.kind === "page") {
          paper(x + (tail.x - x) * ease(t), y + (tail.middle - y) * ease(t), shades.tone, 1);
        } else if (t < 0.6) {
          const s = ease(t / 0.6);
          paper(x + (tail.full - x) * s, y + (tail.middle - y) * s, shades.lost, 1);
        } else {
          const s = (t - 0.6) / 0.4;
          paper(tail.full, tail.middle + 60 * s * s, shades.lost, 1 - s);
        }
      }
    }

    write(system, time, computed) {
      const total = system.policy.classes.reduce((sum, c) => sum + c.robots, 0);
      const lost = system.lost / (system.lost + system.indexed);
      this.robots.textContent = `${system.robots} of ${total} robots out`;
      this.pages.textContent = system.queue === 0 ? "empty: the indexer starves" : `${system.queue} of ${system.policy.buffer} places taken`;
      this.counts.textContent = time === 0 ? "Nothing has happened yet."
        : `${count(system.indexed)} indexed, ${count(system.lost)} lost (${percent(lost, 3)}), empty ${percent(system.starved / time, 3)} of the time`;
      const mean = system.cost / time;
      const half = system.batches.halfWidth;
      Object.assign(this.cost.dataset, { cost: mean, halfWidth: half, computed, time });
      this.cost.replaceChildren(element("strong", {}, time === 0 ? "Cost" : Number.isFinite(half) ? `Cost ${estimate(mean, half)}` : `Cost ${number(mean, 3)}`),
        time > 0 && !Number.isFinite(half) ? ", too early for an interval" : time > 0 ? " with 95 % confidence" : "",
        `; computed ${number(computed)}`);
    }
  }

  // animation makes the whole. set({policy, fixed, costs}) takes a policy as
  // mdpsolve.readPolicy returns it, the best fixed number of each class and the
  // computed costs {switched, fixed}; grid, the picture of the policy, gets the dots.
  // changed is called when the reader has changed speed or seed.
  mdpsolve.animation = (grid, changed) => {
    const lanes = [new Lane("Best policy", "--switched", "running-dynamic"), new Lane("Best fixed number", "--fixed", "running-fixed")];
    const event = element("p", { class: "soft", role: "status", "aria-live": "polite" });
    const clock = element("span", { class: "clock" });
    const run = element("button", { type: "button", class: "main", id: "run", onclick: () => (running ? pause() : play()) }, "Run");
    const step = element("button", { type: "button", id: "step", onclick: stepOnce }, "Step");
    const again = element("button", { type: "button", onclick: () => begin() }, "Start again");
    const speed = element("input", { id: "speed", type: "range", min: 0, max: speeds.length - 1, step: 1, value: 3, oninput: tellSpeed, onchange: () => changed() });
    const pace = element("span", { class: "soft" });
    const seed = mdpsolve.entry({ flag: "seed", id: "seed", label: "Seed", value: "1", short: true }, () => { begin(); changed(); });
    const chart = mdpsolve.chart({
      title: "Running cost per unit of time", file: "running-costs", height: 230,
      x: { key: "time", name: "time", unit: "in the unit of λ and μ" }, y: { name: "cost per unit of time" },
      series: [
        { key: "switched", name: "best policy, so far", tone: "--switched", band: ["low", "high"] },
        { key: "fixed", name: "best fixed number, so far", tone: "--fixed", dash: [7, 4], band: ["fixedLow", "fixedHigh"] },
        { key: "switchedComputed", name: "computed", tone: "--third", dash: [2, 3], width: 1.5 },
        { key: "fixedComputed", tone: "--third", dash: [2, 3], width: 1.5 },
      ],
    });
    const node = element("section", { id: "queue", "aria-labelledby": "queue-title" },
      element("h2", { id: "queue-title" }, "The queue at work"),
      element("p", { class: "soft" }, "Robots that are out are full circles. Each brings pages to the queue, and rests or goes out again as the policy says; " +
        "a page that finds the queue full is lost. Both lanes see the same random numbers."),
      element("div", { class: "player" }, run, step, again,
        element("div", { class: "speed" }, element("label", { for: "speed" }, "Speed"), speed, pace), seed.node, clock),
      element("div", { class: "pair" }, lanes.map((l) => l.node)), event, chart.node);

    let task = null; // as set
    let simulator = null;
    let running = false;
    let last = 0; // the wall time of the last frame
    let points = [];
    let stride = 1; // in time, between points
    let written = -Infinity; // the wall time of the last words

    function tellSpeed() {
      const value = speeds[speed.value];
      pace.textContent = `${count(value)} units of time/s`;
      speed.setAttribute("aria-valuetext", pace.textContent);
    }

    function begin() {
      if (!task) return;
      const number = Number(seed.value);
      if (!Number.isInteger(number) || number < 0 || number > 4294967295) {
        seed.fault("use a whole number from 0 to 4294967295");
        return;
      }
      seed.fault("");
      simulator = new mdpsolve.Simulator(task.policy, task.fixed, number);
      points = [];
      stride = 1 / simulator.rate;
      for (const lane of lanes) lane.flights = [];
      event.textContent = "";
      show(performance.now(), true);
    }

    function play() {
      running = true;
      run.textContent = "Pause";
      last = performance.now();
      requestAnimationFrame(frame);
    }

    function pause() {
      running = false;
      run.textContent = "Run";
      if (simulator) show(performance.now(), true);
    }

    function frame(now) {
      if (!running) return;
      if (simulator) {
        const pace = speeds[speed.value];
        const until = simulator.time + pace * Math.min(100, Math.max(0, now - last)) / 1000;
        const flights = pace <= 20 && !mdpsolve.calm();
        for (const lane of lanes) lane.flightTime = Math.min(longestFlight, Math.max(120, 900 / (pace * simulator.indexRate)));
        const slice = 500 / simulator.rate;
        while (simulator.time < until) {
          simulator.advance(Math.min(until, simulator.time + slice), flights
            ? (events) => lanes.forEach((lane, i) => lane.see(events[i], simulator.systems[i], now))
            : undefined);
          note();
          if (performance.now() - now > frameBudget) break;
        }
        if (!mdpsolve.calm() || now - written > 1000) show(now, false);
      }
      last = now;
      requestAnimationFrame(frame);
    }

    function stepOnce() {
      if (!simulator) return;
      pause();
      let events;
      do events = simulator.step(); while (events.every((e) => e === null));
      note();
      const now = performance.now();
      event.textContent = `At time ${number(simulator.time, 4)}: ` +
        events.map((e, i) => `${i === 0 ? "best policy" : "fixed number"}: ${told(e, i === 1)}`).join("; ") + ".";
      if (!mdpsolve.calm()) {
        for (const lane of lanes) lane.flightTime = longestFlight;
        lanes.forEach((lane, i) => lane.see(events[i], simulator.systems[i], now));
        const glide = (at) => {
          if (running) return;
          lanes.forEach((lane, i) => lane.draw(simulator.systems[i], at));
          if (at - now < longestFlight + 50) requestAnimationFrame(glide);
        };
        requestAnimationFrame(glide);
      }
      show(now, true);
    }

    const told = (e, fixed) => {
      if (e === null) return "nothing";
      if (e.kind === "departure") return "a page is indexed" + (fixed ? "" : e.class >= 0 ? " and one more robot goes out" : " and no robot goes out");
      return (e.accepted ? "a robot delivers a page" : "a robot delivers a page, which is lost") +
        (fixed ? "" : e.again ? " and goes out again" : " and rests");
    };

    // note keeps points of the running costs, fewer and fewer a unit of time.
    function note() {
      const { time, systems } = simulator;
      if (time === 0 || (points.length > 0 && time < points.at(-1).time + stride)) return;
      const [a, b] = systems.map((s) => s.cost / time);
      const [da, db] = systems.map((s) => s.batches.halfWidth);
      const around = (mean, half) => (Number.isFinite(half) ? [mean - half, mean + half] : [null, null]);
      const [low, high] = around(a, da);
      const [fixedLow, fixedHigh] = around(b, db);
      points.push({
        time, switched: a, fixed: b, low, high, fixedLow, fixedHigh,
        switchedComputed: task.costs.switched, fixedComputed: task.costs.fixed,
      });
      if (points.length > mostPoints) {
        points = points.filter((_, i) => i % 2 === 1);
        stride *= 2;
      }
    }

    // show draws the present; words and chart only now and then, unless at once.
    function show(now, atOnce) {
      const { systems, time } = simulator;
      lanes.forEach((lane, i) => lane.draw(systems[i], now));
      systems.forEach((s, i) => grid.dot(i, s.queue, s.robots));
      if (!atOnce && now - written < 200) return;
      written = now;
      clock.textContent = `time ${count(Math.round(time))}`;
      lanes.forEach((lane, i) => lane.write(systems[i], time, i === 0 ? task.costs.switched : task.costs.fixed));
      const late = points.filter((p) => p.time > time / 5);
      const seen = late.flatMap((p) => [p.switched, p.fixed, p.switchedComputed, p.fixedComputed]).filter((v) => v != null);
      const low = Math.min(...seen);
      const high = Math.max(...seen);
      chart.set(points, { range: seen.length > 0 ? [Math.max(0, low - 0.15 * (high - low)), high + 0.15 * (high - low)] : undefined });
    }

    mdpsolve.onTheme(() => simulator && show(performance.now(), true));
    new ResizeObserver(() => simulator && lanes.forEach((lane, i) => lane.draw(simulator.systems[i], performance.now()))).observe(node);
    tellSpeed();

    return {
      node,
      get query() { return { seed: seed.value === "1" ? "" : seed.value, speed: speed.value === "3" ? "" : speeds[speed.value] }; },
      restore(query) {
        seed.value = query.get("seed") ?? "1";
        const index = speeds.indexOf(Number(query.get("speed")));
        speed.value = index >= 0 ? index : 3;
        tellSpeed();
      },
      set(next) {
        task = next;
        lanes[1].title.textContent = `Best fixed number: ${next.fixed.reduce((a, b) => a + b, 0)} robots`;
        begin();
      },
    };
  };
}
