// Tests of how the page writes and reads numbers.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const mdpsolve = load("numbers.js", "simulator.js");

// same compares texts in which lines break nowhere.
const same = (got, want) => assert.equal(got, want.replaceAll(" ", "\u00a0"));

test("numbers are rounded to significant digits", () => {
  for (const [x, want] of [
    [0, "0"], [0.25923959606, "0.25924"], [1, "1"], [-2.5, "−2.5"], [1234567.8, "1234570"],
    [1.30628183642534e-11, "1.30628e-11"], [3e9, "3e9"], [Infinity, "∞"], [NaN, "–"], [null, "–"], [0.00012, "0.00012"],
  ]) same(mdpsolve.number(x), want);
  same(mdpsolve.percent(0.3519010098), "35.19 %");
});

test("a margin says what is proved", () => {
  same(mdpsolve.margin(0.25, 0.25), "± 0");
  same(mdpsolve.margin(0.259239596069429, 0.2592395960694304), "± 7e-16");
  assert.equal(mdpsolve.proved(0.259239596069429, 0.2592395960694304), "proved to ±\u00a07e-16");
  assert.equal(mdpsolve.proved(0, 0.8744), "proved between 0 and 0.8744");
  assert.equal(mdpsolve.margin(-Infinity, 3.14159), "between −∞ and 3.142");
  same(mdpsolve.margin(null, 1), "–");
});

test("an estimate has the digits that its interval leaves", () => {
  same(mdpsolve.estimate(0.26014, 0.00593), "0.2601 ± 0.0059");
  same(mdpsolve.estimate(0.26014, Infinity), "0.2601");
});

test("numbers are read as the command reads them", () => {
  assert.equal(mdpsolve.parse("1/10"), 0.1);
  assert.equal(mdpsolve.parse(" 1e-3 "), 0.001);
  for (const text of ["", "1/", "/2", "1/2/3", "x"]) assert.ok(Number.isNaN(mdpsolve.parse(text)), text);
});

test("Student's quantiles agree with tables", () => {
  for (const [degrees, want] of [[9, 2.262], [19, 2.093], [29, 2.045], [39, 2.023]]) {
    assert.ok(Math.abs(mdpsolve.student(degrees) - want) < 1e-3, `${degrees}: ${mdpsolve.student(degrees)}`);
  }
});
