// Page lists to start with, and what to ask of them first.
"use strict";

{
  const five = `id,change_rate\n${[1, 2, 3, 4, 5].map((rate) => `page ${rate},${rate}\n`).join("")}`;

  // A site of 600 pages on 12 hosts: change rates over three decades, weights that fall
  // like those of popularity. The numbers come from a fixed sequence.
  const site = () => {
    let seed = 20260101;
    const draw = () => {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
      return (seed + 0.5) / 2 ** 32;
    };
    const rows = Array.from({ length: 600 }, (_, i) => {
      const host = `host${String(Math.floor(12 * draw() ** 2) + 1).padStart(2, "0")}.example`;
      const change = 10 ** (3 * draw() - 2);
      const weight = Math.min(20, 1 / draw() ** 0.7);
      return `https://${host}/${i + 1},${change.toPrecision(3)},${weight.toPrecision(3)},${host}`;
    });
    return `url,change_rate,weight,host\n${rows.join("\n")}\n`;
  };

  mdpsolve.pageExamples = new Map([
    ["site", {
      title: "A site of 600 pages", files: [{ name: "site.csv", text: site() }],
      question: { bandwidth: "300" },
    }],
    ["five", {
      title: "Five pages, change rates 1 to 5", files: [{ name: "five.csv", text: five }],
      question: { bandwidth: "5" },
    }],
  ]);
}
