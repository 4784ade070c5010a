// The queue as a picture: robots to the left, the places of the queue, the indexer to the right.
"use strict";

{
  const { colour } = watch;
  const height = 150;
  const flight = 320; // milliseconds

  // lane draws on a canvas, in a tone. set({queue, robots, moves}) is told of the present: robots
  // has a digit for each, 0 resting, 1 active, 2 fetching, 3 dead.
  watch.lane = (canvas, tone, buffer) => {
    let present = null;
    let flights = [];
    let awaited = false;

    function draw(now) {
      const width = canvas.clientWidth;
      if (width === 0 || !present) return;
      const pen = watch.pen(canvas, width, height);
      flights = flights.filter((f) => now - f.start < flight);
      const where = drawRobots(pen, width);
      drawFlights(pen, now, where, drawQueue(pen, width));
    }

    // drawRobots draws a circle for each robot and returns where they are.
    function drawRobots(pen, width) {
      const { robots } = present;
      const room = { width: width * 0.42, height: height - 20 };
      const cell = Math.max(4, Math.min(30, Math.floor(Math.sqrt(room.width * room.height / robots.length))));
      const perColumn = Math.max(1, Math.floor(room.height / cell));
      const top = (height - Math.min(robots.length, perColumn) * cell) / 2;
      const where = (i) => [2 + (Math.floor(i / perColumn) + 0.5) * cell, top + (i % perColumn + 0.5) * cell];
      const radius = Math.max(1.4, cell * 0.38);
      for (let i = 0; i < robots.length; i++) {
        const [x, y] = where(i);
        pen.beginPath();
        if (robots[i] === "3") {
          pen.moveTo(x - radius * 0.7, y - radius * 0.7);
          pen.lineTo(x + radius * 0.7, y + radius * 0.7);
          pen.moveTo(x - radius * 0.7, y + radius * 0.7);
          pen.lineTo(x + radius * 0.7, y - radius * 0.7);
        } else pen.arc(x, y, radius, 0, 2 * Math.PI);
        pen.fillStyle = colour(tone);
        pen.strokeStyle = colour(robots[i] === "3" ? "--lost" : robots[i] === "0" ? "--edge" : tone);
        pen.lineWidth = robots[i] === "0" ? 1.2 : 2;
        if (robots[i] === "2") pen.fill();
        pen.stroke();
      }
      return where;
    }

    // drawQueue draws the places and the indexer, and returns where a page that arrives goes.
    function drawQueue(pen, width) {
      const box = 46;
      const right = width - box - 16;
      const pitch = Math.min(30, (right - width * 0.5) / Math.max(1, buffer - 1));
      const middle = height / 2;
      const page = { width: Math.max(1.5, Math.min(22, pitch - 5)), height: 30 };
      const slot = (i) => (i === 0 ? width - box / 2 - 4 : right - (i - 0.5) * pitch);
      const there = Math.max(0, present.queue - flights.filter((f) => f.kind === "page").length);
      const starving = present.queue === 0;

      pen.lineWidth = 1.2;
      pen.strokeStyle = colour("--rule");
      for (let i = 1; i < buffer; i++) pen.strokeRect(slot(i) - page.width / 2, middle - page.height / 2, page.width, page.height);
      pen.strokeStyle = colour(starving ? "--lost" : "--edge");
      pen.lineWidth = starving ? 2 : 1.4;
      pen.setLineDash(starving ? [4, 4] : []);
      pen.strokeRect(width - box - 4, middle - box / 2, box, box);
      pen.setLineDash([]);
      pen.fillStyle = colour(tone);
      for (let i = 0; i < there; i++) {
        const w = i === 0 ? 22 : page.width;
        pen.fillRect(slot(i) - w / 2, middle - page.height / 2, w, page.height);
      }
      return { x: slot(Math.min(buffer - 1, there)), full: slot(buffer) - 4, middle, end: slot(0) };
    }

    function drawFlights(pen, now, where, to) {
      const ease = (t) => t * t * (3 - 2 * t);
      const paper = (x, y, tone, alpha) => {
        pen.globalAlpha = alpha;
        pen.fillStyle = colour(tone);
        pen.fillRect(x - 6, y - 8, 12, 16);
        pen.globalAlpha = 1;
      };
      for (const f of flights) {
        const t = (now - f.start) / flight;
        if (f.kind === "done") {
          paper(to.end + 40 * t, to.middle, tone, 1 - t);
          continue;
        }
        const [x, y] = where(f.robot);
        if (f.kind === "page") paper(x + (to.x - x) * ease(t), y + (to.middle - y) * ease(t), tone, 1);
        else if (t < 0.6) {
          const s = ease(t / 0.6);
          paper(x + (to.full - x) * s, y + (to.middle - y) * s, "--lost", 1);
        } else {
          const s = (t - 0.6) / 0.4;
          paper(to.full, to.middle + 60 * s * s, "--lost", 1 - s);
        }
      }
    }

    function frame(now) {
      awaited = false;
      draw(now);
      if (flights.length > 0) next();
    }

    function next() {
      if (awaited) return;
      awaited = true;
      requestAnimationFrame(frame);
    }

    new ResizeObserver(() => draw(performance.now())).observe(canvas);
    document.addEventListener("themechange", () => draw(performance.now()));

    return {
      set(instant) {
        present = instant;
        const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
        if (!calm && instant.moves.length <= 6) { // more would be a blur
          for (const move of instant.moves) flights.push({ ...move, start: performance.now() });
        }
        next();
      },
    };
  };
}
