// The beginnings: the namespace mdpsolve, elements, colours, downloads.
"use strict";

globalThis.mdpsolve = globalThis.mdpsolve ?? {};

// An error that nothing has caught, or a file that does not load, is said at the top of
// the page, as it may leave the rest empty.
mdpsolve.showError = (what) => {
  const line = document.querySelector(".error") ?? document.createElement("p");
  line.className = "error";
  line.role = "alert";
  line.textContent = `Something went wrong in this page, and what it shows may be incomplete: ${String(what).slice(0, 200)}`;
  document.body.prepend(line);
};
globalThis.addEventListener?.("error", ({ error, target }) => {
  if (error) mdpsolve.showError(error);
  else if (target !== globalThis) mdpsolve.showError(`${target.src ?? target.href} does not load`);
}, true); // files that do not load tell only those who capture
globalThis.addEventListener?.("unhandledrejection", ({ reason }) => mdpsolve.showError(reason));

// report is what this file reports, or null for the live page.
mdpsolve.report = (() => {
  const element = globalThis.document?.getElementById("report");
  return element ? JSON.parse(element.textContent) : null;
})();

// Charts of a report are drawn finely enough for print: uPlot asks for the ratio when
// its script is read, after this one.
if (mdpsolve.report) {
  Object.defineProperty(globalThis, "devicePixelRatio", { value: 3 });
}

// guide is the address of the guide, on this server.
mdpsolve.guide = "docs/queueing.md";

// element makes an element: element("button", {type: "button", onclick: f}, "Run").
// Names that begin with "on" are listeners, "class" and all others attributes; an
// attribute that is false, null or undefined is left out, one that is true has no
// value. Children are nodes, texts, or lists of them; null is left out.
mdpsolve.element = (name, attributes = {}, ...children) =>
  fill(document.createElement(name), attributes, children);

// svg makes an element of a picture, likewise.
mdpsolve.svg = (name, attributes = {}, ...children) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);

function fill(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === false || value == null) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child != null && child !== false));
  return node;
}

// unique returns an id that no other element has.
mdpsolve.unique = (() => {
  let count = 0;
  return (prefix) => `${prefix}-${++count}`;
})();

// colour returns the colour that a custom property of the style sheet has now, for
// canvases, which know nothing of style sheets.
mdpsolve.colour = (property) => {
  const probe = document.getElementById("probe") ?? document.body.appendChild(
    mdpsolve.element("span", { id: "probe", hidden: true }));
  probe.style.color = `var(${property})`;
  return getComputedStyle(probe).color;
};

// onTheme calls draw whenever light becomes dark or dark light.
mdpsolve.onTheme = (draw) => {
  document.addEventListener("themechange", draw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
};

// calm says that the reader has asked for less motion.
mdpsolve.calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

// save hands text to the reader as a file.
mdpsolve.save = (name, type, text) => {
  const url = URL.createObjectURL(new Blob([text], { type }));
  mdpsolve.element("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
};

// later returns a function that calls f once no further call has come for some
// milliseconds.
mdpsolve.later = (milliseconds, f) => {
  let timer;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => f(...values), milliseconds);
  };
};
