// The beginnings: elements, colours, numbers.
"use strict";

globalThis.watch = {};

// element makes an element: element("li", {class: "soft"}, "text", node). svg makes one of a
// picture. Children that are null are left out.
watch.element = (name, attributes = {}, ...children) => fill(document.createElement(name), attributes, children);
watch.svg = (name, attributes = {}, ...children) => fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);

function fill(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value != null && value !== false) node.setAttribute(key, value);
  }
  node.append(...children.flat().filter((child) => child != null));
  return node;
}

// colour returns the colour that a custom property of the style sheet has now, for canvases,
// which know nothing of style sheets.
watch.colour = (() => {
  let kept = new Map();
  watch.forgetColours = () => { kept = new Map(); };
  return (property) => {
    if (!kept.has(property)) {
      const probe = document.body.appendChild(watch.element("span", { hidden: "" }));
      probe.style.color = `var(${property})`;
      kept.set(property, getComputedStyle(probe).color);
      probe.remove();
    }
    return kept.get(property);
  };
})();

// size makes the dots of a canvas those of the screen, and returns what to draw with.
watch.pen = (canvas, width, height) => {
  const ratio = devicePixelRatio;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  return pen;
};

// number rounds to significant digits; null is a dash.
watch.number = (x, digits = 4) => {
  if (x == null) return "–";
  if (x === 0) return "0";
  const size = Math.abs(x);
  const text = size >= 1e-4 && size < 1e9 ? String(Number(x.toPrecision(digits))) : x.toExponential(digits - 1);
  return text.replace(/^-/, "−");
};

watch.percent = (x, digits = 3) => (x == null ? "–" : `${watch.number(100 * x, digits)} %`);
watch.count = (n) => n.toLocaleString("en");
watch.many = (n, thing) => `${watch.count(n)} ${thing}${n === 1 ? "" : "s"}`;

// clock writes seconds as minutes and seconds.
watch.clock = (seconds) => {
  const s = Math.floor(seconds);
  const two = (n) => String(n).padStart(2, "0");
  return s < 3600 ? `${Math.floor(s / 60)}:${two(s % 60)}` : `${Math.floor(s / 3600)}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}`;
};
