// Numbers for people: powers of ten are written 1.5e-7, as the command writes them and in
// any font.
"use strict";

{
  const space = "\u00a0"; // where no line breaks
  const minus = (text) => text.replace(/^-/, "−");

  // number rounds to significant digits and leaves out closing zeros; null is a dash.
  mdpsolve.number = (x, digits = 6) => {
    if (x == null || Number.isNaN(x)) return "–";
    if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
    if (x === 0) return "0";
    const size = Math.abs(x);
    const text = size >= 1e-4 && size < 1e9
      ? String(Number(x.toPrecision(digits)))
      : x.toExponential(digits - 1).replace(/\.?0+e/, "e").replace("e+", "e");
    return minus(text);
  };

  // count writes a whole number with commas between thousands.
  mdpsolve.count = (n) => n.toLocaleString("en");

  // percent writes a share as a percentage.
  mdpsolve.percent = (x, digits = 4) => (x == null ? "–" : `${mdpsolve.number(100 * x, digits)}${space}%`);

  // interval writes lower … upper as the middle in full and half the width rounded up.
  mdpsolve.interval = (lower, upper) => {
    if (lower == null || upper == null) return "–";
    const middle = lower + (upper - lower) / 2;
    const half = Math.max(upper - middle, middle - lower);
    const size = Math.abs(middle);
    const full = minus(size > 0 && (size < 1e-4 || size >= 1e15) ? middle.toExponential() : String(middle));
    if (half === 0) return full;
    let [digit, power] = [1, Math.floor(Math.log10(half))];
    while (Number(`${digit}e${power}`) < half) digit += 1;
    if (digit === 10) [digit, power] = [1, power + 1];
    const margin = power >= -3 && power < 4
      ? String(Number((digit * 10 ** power).toPrecision(1)))
      : `${digit}e${power}`;
    return `${full}${space}±${space}${margin}`;
  };

  // estimate writes a mean and half its confidence interval with the digits that count.
  mdpsolve.estimate = (mean, half) => {
    if (!Number.isFinite(half) || half <= 0) return mdpsolve.number(mean, 4);
    const decimals = Math.min(12, Math.max(0, 1 - Math.floor(Math.log10(half))));
    return `${minus(mean.toFixed(decimals))}${space}±${space}${half.toFixed(decimals)}`;
  };

  // parse reads a number as the command does: 0.1, 1e-3 or 1/10; NaN where it is none.
  mdpsolve.parse = (text) => {
    const parts = text.trim().split("/");
    if (parts.length > 2 || parts.some((part) => part.trim() === "")) return NaN;
    const [above, below = 1] = parts.map(Number);
    return above / below;
  };

  // seconds writes how long something takes.
  mdpsolve.seconds = (s) => {
    if (s < 1) return `${mdpsolve.number(1000 * s, 2)} ms`;
    if (s < 120) return `${mdpsolve.number(s, 3)} s`;
    return s < 7200 ? `${mdpsolve.number(s / 60, 3)} min` : `${mdpsolve.number(s / 3600, 3)} h`;
  };
}
