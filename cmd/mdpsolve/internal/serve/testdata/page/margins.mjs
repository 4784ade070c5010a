// Writes the margins of intervals: margins.mjs [[LOWER, UPPER], …]. Prints a list as JSON.
import { load } from "./load.mjs";

const mdpsolve = load("numbers.js");
console.log(JSON.stringify(JSON.parse(process.argv[2]).map(([lower, upper]) => mdpsolve.margin(lower, upper))));
