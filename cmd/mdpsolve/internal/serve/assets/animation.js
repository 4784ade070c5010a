// The queue at work, animated: the best policy beside the best fixed number of
// robots, on the same random numbers.
"use strict";

{
  const { element, count, number } = mdpsolve;
  const speeds = [0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000];
  const frameBudget = 12; // milliseconds of simulation in a frame
  const mostPoints = 400; // of the running costs

  // animation makes the whole. set({policy, fixed, computed}) takes a policy as
  // mdpsolve.readPolicy returns it, the best fixed number of each class and the
  // computed costs {switched, fixed}. changed is called when the reader has changed speed or seed.
  mdpsolve.animation = (changed) => {
    const lanes = [new mdpsolve.Lane("Best policy", "--switched", "running-dynamic"), new mdpsolve.Lane("Best fixed number", "--fixed", "running-fixed")];
    const event = element("p", { class: "soft", role: "status", "aria-live": "polite" });
    const clock = element("span", { class: "clock" });
    const run = element("button", { type: "button", class: "main", id: "run", onclick: () => (running ? pause() : play()) }, "Run");
    const step = element("button", { type: "button", id: "step", onclick: stepOnce }, "Step");
    const again = element("button", { type: "button", onclick: () => begin() }, "Start again");
    const speed = element("input", { id: "speed", type: "range", min: 0, max: speeds.length - 1, step: 1, value: 3, oninput: tellSpeed, onchange: () => changed() });
    const pace = element("span", { class: "soft" });
    const seed = mdpsolve.entry({ flag: "seed", id: "seed", label: "Random seed", about: "the same seed, the same course", value: "1", short: true }, () => { begin(); changed(); });
    const chart = mdpsolve.chart({
      title: "Running cost per unit of time", file: "running-costs", height: 230,
      x: { key: "time", name: "time", unit: "in the unit of λ and μ", zero: true }, y: { name: "cost per unit of time" },
      series: [
        { key: "switched", name: "best policy, so far", tone: "--switched", band: ["low", "high"] },
        { key: "fixed", name: "best fixed number, so far", tone: "--fixed", dash: [7, 4], band: ["fixedLow", "fixedHigh"] },
        { key: "switchedComputed", name: "best policy, computed", tone: "--switched", dash: [2, 3], width: 1.5 },
        { key: "fixedComputed", name: "best fixed number, computed", tone: "--fixed", dash: [1, 5], width: 1.5 },
      ],
    });
    const both = element("div", { class: "pair" }, lanes.map((l) => l.node));
    const node = element("section", { id: "queue", "aria-labelledby": "queue-title" },
      element("h2", { id: "queue-title" }, "The queue at work"),
      element("p", { class: "soft" }, "A full circle is an active robot, an empty circle an idle robot. Squares are places in the queue; the last square is the indexer. " +
        "A page that finds the queue full is lost. Both sides use the same random numbers, and have run for a while before you see them."),
      element("div", { class: "player" }, run, step, again,
        element("div", { class: "speed" }, element("label", { for: "speed" }, "Speed"), speed, pace), seed.node, clock),
      both, event, chart.node);

    let task = null; // as set
    let simulator = null;
    let running = false;
    let last = 0; // the wall time of the last frame
    let awaited = 0; // the frame that comes next
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
      const isValid = seed.value !== "" && Number.isInteger(number) && number >= 0 && number <= 4294967295;
      seed.fault(isValid ? "" : "use a whole number from 0 to 4294967295");
      for (const part of [both, chart.node]) part.classList.toggle("stale", !isValid);
      run.disabled = step.disabled = !isValid;
      if (!isValid) {
        pause();
        return;
      }
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
      awaited = requestAnimationFrame(frame);
    }

    function pause() {
      running = false;
      cancelAnimationFrame(awaited);
      run.textContent = "Run";
      if (simulator) show(performance.now(), true);
    }

    function frame(now) {
      if (simulator && node.offsetParent) { // not while another tab is shown
        const pace = speeds[speed.value];
        const until = simulator.time + pace * Math.min(100, Math.max(0, now - last)) / 1000;
        const flights = pace <= 20 && !mdpsolve.calm();
        for (const lane of lanes) lane.setPace(pace * simulator.indexRate);
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
      awaited = requestAnimationFrame(frame);
    }

    function stepOnce() {
      if (!simulator) return;
      pause();
      let events;
      do events = simulator.step(); while (events.every((e) => e === null));
      note();
      const now = performance.now();
      event.textContent = `Time ${number(simulator.time, 4)}: ` +
        events.map((e, i) => `${i === 0 ? "best policy" : "fixed number"}: ${told(e, i === 1)}`).join("; ") + ".";
      if (!mdpsolve.calm()) {
        for (const lane of lanes) lane.setPace(0);
        lanes.forEach((lane, i) => lane.see(events[i], simulator.systems[i], now));
        const glide = (at) => {
          if (running) return;
          lanes.forEach((lane, i) => lane.draw(simulator.systems[i], at));
          if (lanes.some((lane) => lane.flights.length > 0)) requestAnimationFrame(glide);
        };
        requestAnimationFrame(glide);
      }
      show(now, true);
    }

    const told = (e, fixed) => {
      if (e === null) return "nothing";
      if (e.kind === "departure") return "a page is indexed" + (fixed ? "" : e.class >= 0 ? " and one more robot is activated" : " and no robot is activated");
      return (e.accepted ? "a robot delivers a page" : "a robot delivers a page, which is lost") +
        (fixed ? "" : e.again ? " and stays active" : " and becomes idle");
    };

    // note keeps points of the running costs. The longer the run, the fewer in a unit of time.
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
        switchedComputed: task.computed.switched, fixedComputed: task.computed.fixed,
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
      if (!atOnce && now - written < 200) return;
      written = now;
      clock.textContent = `time ${count(Math.round(time))}`;
      lanes.forEach((lane, i) => lane.write(systems[i], time, i === 0 ? task.computed.switched : task.computed.fixed));
      chart.node.hidden = points.length === 0;
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
        const before = seed.value;
        seed.value = query.get("seed") ?? "1";
        if (seed.value !== before) begin();
        const index = speeds.indexOf(Number(query.get("speed")));
        speed.value = index >= 0 ? index : 3;
        tellSpeed();
      },
      set(next) {
        task = next;
        const kept = next.fixed.reduce((a, b) => a + b, 0);
        lanes[1].title.textContent = `Best fixed number: ${kept} robot${kept === 1 ? "" : "s"}`;
        begin();
      },
    };
  };
}
