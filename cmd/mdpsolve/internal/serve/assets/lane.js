// A lane of the animation: one system, with its robots, its queue and its indexer.
"use strict";

{
  const { element, colour, count, number, percent, estimate } = mdpsolve;
  const laneHeight = 132;
  const longestFlight = 450; // milliseconds

  // A Lane draws one system on a canvas.
  mdpsolve.Lane = class Lane {
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

    // setPace makes flights shorter where many pages are indexed in a second.
    setPace(rate) {
      this.flightTime = Math.min(longestFlight, Math.max(120, 900 / rate));
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
      const shades = { tone: colour(this.tone), edge: colour("--edge"), rule: colour("--rule"), lost: colour("--lost"), soft: colour("--ink-soft") };
      this.flights = this.flights.filter((f) => now - f.start < this.flightTime);
      const where = this.drawRobots(ctx, system, width, shades);
      const tail = this.drawQueue(ctx, system, width, shades);
      this.drawFlights(ctx, now, where, tail, shades);
      this.caption(system);
    }

    // caption says in words what is drawn.
    caption(system) {
      const total = system.policy.classes.reduce((sum, c) => sum + c.robots, 0);
      this.robots.textContent = `${system.robots} of ${total} robots active`;
      this.pages.textContent = system.queue === 0 ? "empty: the indexer starves" : `${system.queue} of ${system.policy.buffer} places taken`;
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
      const page = { width: 2 * Math.max(1, Math.min(10, Math.floor((pitch - 5) / 2))), height: 28 };
      const slot = (i) => Math.round(i === 0 ? width - box / 2 - 4 : right - (i - 0.5) * pitch); // 0 is being indexed
      const frame = (x, w, h) => ctx.strokeRect(x - w / 2 + 0.5, middle - h / 2 + 0.5, w - 1, h - 1); // on whole pixels
      const flying = this.flights.filter((f) => f.kind === "page").length;
      const there = Math.max(0, system.queue - flying); // the others of the queue are pale until they land

      ctx.lineWidth = 1;
      ctx.strokeStyle = shades.rule;
      for (let i = 1; i < K; i++) frame(slot(i), page.width, page.height);
      ctx.strokeStyle = system.queue === 0 ? shades.lost : shades.edge;
      ctx.lineWidth = system.queue === 0 ? 2 : 1;
      ctx.setLineDash(system.queue === 0 ? [4, 4] : []);
      frame(slot(0), box, box);
      ctx.setLineDash([]);
      ctx.fillStyle = shades.tone;
      for (let i = 0; i < system.queue; i++) {
        const w = i === 0 ? 20 : page.width;
        ctx.globalAlpha = i < there ? 1 : 0.35;
        ctx.fillRect(slot(i) - w / 2, middle - page.height / 2, w, page.height);
      }
      ctx.globalAlpha = 1;
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
      const lost = system.lost / (system.lost + system.indexed);
      this.counts.textContent = time === 0 ? "Nothing has happened yet."
        : `${count(system.indexed)} indexed, ${count(system.lost)} lost (${percent(lost, 3)}), empty ${percent(system.starved / time, 3)} of the time`;
      const mean = system.cost / time;
      const half = system.batches.halfWidth;
      Object.assign(this.cost.dataset, { cost: mean, halfWidth: half, computed, time });
      this.cost.replaceChildren(element("strong", {}, time === 0 ? "Cost: none yet" : Number.isFinite(half) ? `Cost ${estimate(mean, half)}` : `Cost ${number(mean, 3)}`),
        time > 0 && !Number.isFinite(half) ? ", too early for an interval" : time > 0 ? " with 95 % confidence" : "",
        `; computed ${number(computed)}`);
    }
  };
}
