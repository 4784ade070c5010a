// Loads scripts of the page, which share one global object, as a browser does.
import { readFileSync } from "node:fs";
import { runInThisContext } from "node:vm";

export function load(...names) {
  globalThis.mdpsolve ??= {};
  for (const name of names) {
    const file = new URL(`../../assets/${name}`, import.meta.url);
    runInThisContext(readFileSync(file, "utf8"), { filename: name });
  }
  return globalThis.mdpsolve;
}
