// Plays a policy file and a fixed number of robots: simulator.mjs POLICY FIXED SEED
// TIME. Prints what was seen of both as JSON.
import { readFileSync } from "node:fs";
import { load } from "./load.mjs";

const mdpsolve = load("simulator.js");
const [file, fixed, seed, time] = process.argv.slice(2);
const policy = mdpsolve.readPolicy(JSON.parse(readFileSync(file, "utf8")));
const simulator = new mdpsolve.Simulator(policy, JSON.parse(fixed), Number(seed));
simulator.advance(Number(time));
console.log(JSON.stringify(simulator.systems.map((s) => ({
  gain: s.cost / simulator.time, half: s.batches.halfWidth, batches: s.batches.costs.length,
  starvation: s.starved / simulator.time, lossRate: s.lost / simulator.time, robots: s.out / simulator.time,
  pages: s.waiting / simulator.time, activations: s.activations / simulator.time, indexed: s.indexed / simulator.time,
}))));
