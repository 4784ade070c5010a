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

  // count writes a whole number, with commas between thousands, of things if they are named.
  mdpsolve.count = (n, what) => n.toLocaleString("en") + (what ? ` ${what}${n === 1 ? "" : what.endsWith("s") ? "es" : "s"}` : "");

  // percent writes a share as a percentage.
  mdpsolve.percent = (x, digits = 4) => (x == null ? "–" : `${mdpsolve.number(100 * x, digits)}${space}%`);

  // margin writes how far the bounds of an answer are from their middle, as the command
  // does: "± 7e-16" where they are close, else "between 0.2 and 0.6".
  mdpsolve.margin = (lower, upper) => {
    if (lower == null || upper == null || Number.isNaN(lower) || Number.isNaN(upper)) return "–";
    if (lower === upper) return `±${space}0`;
    const ends = `between ${outward(lower, upper - lower, -1)} and ${outward(upper, upper - lower, 1)}`;
    const isClose = (upper - lower) / 1e-5 <= Math.max(Math.abs(lower), Math.abs(upper));
    if (!(lower < upper) || !isClose || !Number.isFinite(upper - lower)) return ends;
    // In whole numbers of 10^power, one power below the digits of both ends.
    const parts = [lower, upper].map(decimal);
    const power = Math.min(...parts.map((part) => part.power)) - 1;
    const [low, high] = parts.map((part) => part.digits * 10n ** BigInt(part.power - power));
    const half = (high - low) / 2n;
    const most = half + half / 4n;
    for (let digits = 1; ; digits++) {
      const middle = rounded(low + half, digits, false);
      const radius = high - middle > middle - low ? high - middle : middle - low;
      for (let significant = 1; significant <= 3; significant++) {
        const written = rounded(radius, significant, true);
        if (written <= most) return `±${space}${mdpsolve.number(Number(`${written}e${power}`), 3)}`;
      }
    }
  };

  // proved says what bounds prove.
  mdpsolve.proved = (lower, upper) => {
    const margin = mdpsolve.margin(lower, upper);
    return `proved ${margin.startsWith("±") ? "to " : ""}${margin}`;
  };

  // decimal takes a number apart: digits·10^power, exactly as it is written.
  const decimal = (x) => {
    const [, whole, fraction = "", power] = /^(-?\d+)(?:\.(\d+))?e(.*)$/.exec(x.toExponential());
    return { digits: BigInt(whole + fraction), power: Number(power) - fraction.length };
  };

  // rounded rounds to significant digits: to the nearest number, or up.
  const rounded = (x, significant, up) => {
    const size = x < 0n ? -x : x;
    const unit = 10n ** BigInt(Math.max(0, String(size).length - significant));
    const near = (size + (up ? unit - 1n : unit / 2n)) / unit * unit;
    return x < 0n ? -near : near;
  };

  // outward writes an end of an interval with four digits or more, so that it is no
  // further in and about as wide.
  const outward = (end, width, direction) => {
    if (!Number.isFinite(end)) return mdpsolve.number(end);
    for (let digits = 4; digits < 17; digits++) {
      let near = Number(end.toPrecision(digits));
      if (direction * (near - end) < 0) near += direction * 10 ** (Math.floor(Math.log10(Math.abs(end))) - digits + 1);
      near = Number(near.toPrecision(digits));
      if (direction * (near - end) >= 0 && !(Math.abs(near - end) > width / 8)) return mdpsolve.number(near, digits);
    }
    return mdpsolve.number(end, 17);
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
