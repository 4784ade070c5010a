// The queue as it happens: several policies on the same random numbers.
//
// Every robot and the indexer have a clock of their own, which all policies share:
// where a clock rings, an active robot delivers, and a page that is being indexed is
// done or goes on to its next phase. A robot that rests and an indexer without pages
// let their clocks ring in vain, which changes no law, since the times between two
// rings have no memory.
"use strict";

{
  // readPolicy reads a policy file of robots solve --policy-out.
  // Decisions are listed by state, (row, mix): row 0 is the empty queue, and
  // 1 + (q−1)·phases + phase any other; a mix is a number of active robots of each
  // class, that of the first class changing fastest.
  mdpsolve.readPolicy = (file) => {
    const classes = file.robots.map((robots, c) => ({ robots, rate: file.lambda[c] }));
    const start = file.start ?? [1];
    const generator = file.generator ?? [[-file.mu]];
    const phases = start.map((_, i) => {
      const moves = generator[i].map((rate, j) => (i === j ? 0 : rate));
      const leave = -generator[i][i];
      return { start: start[i], leave, moves, exit: leave - moves.reduce((a, b) => a + b, 0) };
    });
    const stride = [];
    let mixes = 1;
    for (const c of classes) {
      stride.push(mixes);
      mixes *= c.robots + 1;
    }
    // activate holds 1 + the class that a departure sends out, or 0; reactivate a bit
    // for each class of which a robot that delivers goes out again.
    const [activate, reactivate] = [file.activate, file.reactivate].map(
      (table) => [[0, ...table[0]], ...table.slice(1)]); // no page and no robot is no state
    return {
      classes, phases, stride, mixes, activate, reactivate, buffer: file.buffer, gamma: file.gamma,
      holding: file.holding_cost, perRobot: file.robot_cost, perActivation: file.activation_cost,
    };
  };

  // randomNumbers returns numbers from 0 to below 1 that depend on the seed alone
  // (sfc32, seeded by splitmix32).
  mdpsolve.randomNumbers = (seed) => {
    let mixed = seed | 0;
    const mix = () => {
      mixed = (mixed + 0x9e3779b9) | 0;
      let t = mixed ^ (mixed >>> 16);
      t = Math.imul(t, 0x21f0aaad);
      t ^= t >>> 15;
      t = Math.imul(t, 0x735a2d97);
      return t ^ (t >>> 15);
    };
    let [a, b, c, d] = [mix(), mix(), mix(), mix()];
    const next = () => {
      const t = (((a + b) | 0) + d) | 0;
      d = (d + 1) | 0;
      a = b ^ (b >>> 9);
      b = (c + (c << 3)) | 0;
      c = (c << 21) | (c >>> 11);
      c = (c + t) | 0;
      return t >>> 0;
    };
    for (let i = 0; i < 12; i++) next();
    return () => ((next() >>> 5) * 67108864 + (next() >>> 6)) / 9007199254740992;
  };

  // A System is the queue under one policy, which begins empty, with a number of active
  // robots of each class. fixed says that those stay active instead.
  class System {
    constructor(policy, active, fixed) {
      this.policy = policy;
      this.fixed = fixed;
      this.queue = 0;
      this.phase = 0;
      // order[c] lists the robots of a class: the first active[c] of them are active.
      this.order = policy.classes.map((c) => Array.from({ length: c.robots }, (_, i) => i));
      this.active = [...active];
      this.countAnew(Infinity);
    }

    // countAnew forgets what was counted and integrated over time.
    countAnew(batch) {
      this.indexed = this.lost = this.activations = 0;
      this.starved = this.waiting = this.out = 0; // integrals: queue empty, pages, active robots
      this.batches = new Batches(batch);
    }

    get robots() { return this.active.reduce((a, b) => a + b, 0); }

    // cost is what there was to pay until now.
    get cost() {
      const p = this.policy;
      return p.gamma * this.starved + this.lost + p.holding * this.waiting + p.perRobot * this.out +
        p.perActivation * this.activations;
    }

    get row() { return this.queue === 0 ? 0 : 1 + (this.queue - 1) * this.policy.phases.length + this.phase; }

    get mix() { return this.active.reduce((sum, r, c) => sum + r * this.policy.stride[c], 0); }

    pass(time) {
      if (this.queue === 0) this.starved += time;
      this.waiting += this.queue * time;
      this.out += this.robots * time;
    }

    // deliver rings the clock of the i-th robot in the order of a class. It returns
    // what happened, or null if that robot rests.
    deliver(c, i, random) {
      if (i >= this.active[c]) return null;
      const again = this.fixed || (this.policy.reactivate[this.row][this.mix] >> c & 1) === 1;
      const order = this.order[c];
      const robot = order[i];
      if (!again) {
        const last = --this.active[c];
        order[i] = order[last];
        order[last] = robot;
      }
      const accepted = this.queue < this.policy.buffer;
      if (!accepted) this.lost++;
      else if (this.queue++ === 0) this.begin(random);
      return { kind: "delivery", class: c, robot, accepted, again };
    }

    begin(random) {
      const { phases } = this.policy;
      this.phase = phases.length - 1;
      for (let i = 0; i < phases.length - 1; i++) {
        random -= phases[i].start;
        if (random < 0) {
          this.phase = i;
          return;
        }
      }
    }

    // index rings the indexer's clock at a point of its rate. It returns what
    // happened, or null if no page is done.
    index(point, random) {
      if (this.queue === 0) return null;
      const phase = this.policy.phases[this.phase];
      if (point >= phase.leave) return null;
      point -= phase.exit;
      if (point >= 0) {
        const { moves } = phase;
        for (let i = 0; i < moves.length; i++) {
          if (moves[i] > 0) {
            this.phase = i;
            if (point < moves[i]) break;
            point -= moves[i];
          }
        }
        return null;
      }
      this.indexed++;
      const c = this.fixed ? -1 : this.policy.activate[this.row][this.mix] - 1;
      const event = { kind: "departure", class: c, robot: -1 };
      if (c >= 0) {
        event.robot = this.order[c][this.active[c]++];
        this.activations++;
      }
      if (--this.queue > 0) this.begin(random);
      return event;
    }
  }

  // Batches averages over batches of equal length; whenever there are 40, pairs of
  // them become one, so that the number stays between 20 and 40 and they grow with time.
  class Batches {
    costs = [];
    paid = 0; // at the end of the last batch

    constructor(length) {
      this.length = this.until = length;
    }

    add(cost) {
      this.costs.push((cost - this.paid) / this.length);
      this.paid = cost;
      if (this.costs.length === 40) {
        this.costs = this.costs.flatMap((c, i) => (i % 2 === 0 ? [(c + this.costs[i + 1]) / 2] : []));
        this.length *= 2;
      }
      this.until += this.length;
    }

    // halfWidth is half the 95 % confidence interval of the mean, by Student's law;
    // Infinity before there are twenty batches, while they still depend on each other.
    get halfWidth() {
      const n = this.costs.length;
      if (n < 20) return Infinity;
      const mean = this.costs.reduce((a, b) => a + b, 0) / n;
      const variance = this.costs.reduce((a, b) => a + (b - mean) ** 2, 0) / (n - 1);
      return student(n - 1) * Math.sqrt(variance / n);
    }
  }

  // student is the 0.975 quantile of Student's law, by its expansion around the normal
  // quantile; from 9 degrees of freedom on it is right to three decimals.
  const student = (degrees) => {
    const z = 1.959963984540054;
    return z + (z ** 3 + z) / (4 * degrees) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * degrees ** 2) +
      (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / (384 * degrees ** 3);
  };
  mdpsolve.student = student;

  // A Simulator plays a policy, and beside it the number of active robots of each class
  // with which both begin.
  const warmUpSteps = 200_000; // at most
  mdpsolve.Simulator = class {
    constructor(policy, active, seed) {
      this.policy = policy;
      this.random = mdpsolve.randomNumbers(seed);
      this.indexRate = Math.max(...policy.phases.map((p) => p.leave));
      this.rate = this.indexRate + policy.classes.reduce((sum, c) => sum + c.robots * c.rate, 0);
      this.time = 0;
      this.systems = [new System(policy, active, false), new System(policy, active, true)];
      this.next = this.draw();
      // The beginning is forgotten in about as long as it takes to index some buffers full
      // of pages, and robots to deliver some.
      const bufferful = (policy.buffer + 1) / Math.min(...policy.phases.map((p) => p.leave));
      const delivery = 1 / Math.min(...policy.classes.map((c) => c.rate));
      this.advance(Math.min(20 * bufferful + 10 * delivery, warmUpSteps / this.rate));
      this.next -= this.time;
      this.time = 0;
      for (const s of this.systems) s.countAnew(5 * bufferful);
    }

    draw() { return this.time - Math.log(1 - this.random()) / this.rate; }

    // step goes on to the next ring of a clock, and returns what happened in each
    // system.
    step() {
      this.pass(this.next);
      let point = this.random() * this.rate;
      const extra = this.random(); // the phase in which a service begins
      this.next = this.draw();
      if (point < this.indexRate) return this.systems.map((s) => s.index(point, extra));
      point -= this.indexRate;
      let c = 0;
      const { classes } = this.policy;
      while (c < classes.length - 1 && point >= classes[c].robots * classes[c].rate) {
        point -= classes[c].robots * classes[c].rate;
        c++;
      }
      const robot = Math.min(classes[c].robots - 1, Math.floor(point / classes[c].rate));
      return this.systems.map((s) => s.deliver(c, robot, extra));
    }

    // pass lets time pass without an event.
    pass(until) {
      for (const s of this.systems) {
        let from = this.time;
        while (s.batches.until <= until) {
          s.pass(s.batches.until - from);
          from = s.batches.until;
          s.batches.add(s.cost);
        }
        s.pass(until - from);
      }
      this.time = until;
    }

    // advance goes on until a time; seen is called with the events of each step.
    advance(until, seen) {
      while (this.next <= until) {
        const events = this.step();
        if (seen) seen(events);
      }
      this.pass(until);
    }
  };
}
