// Counts in how many runs the confidence intervals have the costs in them: intervals.mjs
// POLICY FIXED RUNS TIME COST FIXED-COST. Prints both counts as JSON.
import { readFileSync } from "node:fs";
import { load } from "./load.mjs";

const mdpsolve = load("simulator.js");
const [file, fixed, runs, time, ...costs] = process.argv.slice(2);
const policy = mdpsolve.readPolicy(JSON.parse(readFileSync(file, "utf8")));
const counts = [0, 0];
for (let seed = 1; seed <= Number(runs); seed++) {
  const simulator = new mdpsolve.Simulator(policy, JSON.parse(fixed), seed);
  simulator.advance(Number(time));
  simulator.systems.forEach((s, i) => {
    if (Math.abs(s.cost / simulator.time - Number(costs[i])) <= s.batches.halfWidth) counts[i]++;
  });
}
console.log(JSON.stringify(counts));
