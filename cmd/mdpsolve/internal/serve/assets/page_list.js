// Page lists of the reader. The browser reads them for what the server's answer leaves
// out, the change rate and the weight of a page, and writes them with one page more.
"use strict";

{
  // pageList reads a file and returns a Map from ids to {change, weight, unit}, or null where
  // the format, or the form of its header, is one that only the server reads.
  mdpsolve.pageList = async (file) => {
    const format = formatOf(file);
    if (!format) return null;
    const rows = format.read(await textOf(file));
    if (!rows.some((row) => "id" in row || "url" in row)) return null;
    return new Map(rows.map((row) => [String(row.id ?? row.url), {
      change: number(row.change_rate), weight: row.weight == null || row.weight === "" ? 1 : number(row.weight),
      unit: row.unit,
    }]));
  };

  // isLog says whether a file is the log of a crawler: accesses with their times.
  mdpsolve.isLog = async (file) => {
    const [row] = formatOf(file)?.read(await textOf(file)) ?? [];
    return row != null && "time" in row && ("digest" in row || "changed" in row) && !("change_rate" in row);
  };

  // columnsOf returns the columns of a file, none of one in another format.
  mdpsolve.columnsOf = async (file) => Object.keys(formatOf(file)?.read(await textOf(file))[0] ?? {});

  // withPage returns the list with one page more: {change_rate, weight}, numbers, the rate
  // per unit.
  mdpsolve.withPage = async (file, page, unit) => {
    const { read, write, end } = formatOf(file);
    const text = await textOf(file);
    const own = read(text)[0]?.unit;
    const added = own ? { ...page, change_rate: page.change_rate * mdpsolve.unitRatio(unit, own), unit: own } : page;
    return new File([write(text, added)], `longer.${end}`);
  };

  // unitRatio returns what a rate per one unit is to be multiplied by for another; 1 where
  // one of them is not known.
  mdpsolve.unitRatio = (from, to) => (seconds[from] && seconds[to] ? seconds[to] / seconds[from] : 1);
  const seconds = { second: 1, minute: 60, hour: 3600, day: 86400 };

  const formatOf = ({ name }) => {
    const plain = name.toLowerCase().replace(/\.gz$/, "");
    return formats.find(({ ends }) => ends.test(plain));
  };

  const textOf = (file) => {
    const stream = /\.gz$/i.test(file.name) ? file.stream().pipeThrough(new DecompressionStream("gzip")) : file.stream();
    return new Response(stream).text();
  };

  const number = (x) => (typeof x === "string" ? mdpsolve.parse(x) : x);

  const jsonLines = (text) => text.split("\n").flatMap((line) => {
    try {
      return [JSON.parse(line)];
    } catch {
      return []; // the server says what is wrong with the line
    }
  });

  const csv = (text) => {
    const [head, ...rows] = mdpsolve.cells(text);
    return rows.map((cells) => Object.fromEntries(head.map((name, i) => [name.trim(), cells[i]])));
  };

  // csvWith adds a row, and the column of weights if there is none.
  const csvWith = (text, page) => {
    const rows = mdpsolve.cells(text);
    const head = rows[0].map((name) => name.trim());
    if (!head.includes("weight")) {
      head.push("weight");
      for (const row of rows) row.push("1");
    }
    const added = { id: "one more page", url: "one more page", host: "one more page", ...page };
    const quote = (cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : String(cell));
    return [head, ...rows.slice(1), head.map((name) => added[name] ?? "")].map((row) => row.map(quote).join(",")).join("\n") + "\n";
  };

  // jsonLinesWith adds a line with the keys of the first.
  const jsonLinesWith = (text, page) => {
    const like = jsonLines(text)[0];
    for (const key of ["id", "url", "host"]) if (key in like) like[key] = "one more page";
    return `${text.trimEnd()}\n${JSON.stringify({ ...like, ...page })}\n`;
  };

  const formats = [
    { ends: /\.csv$/, end: "csv", read: csv, write: csvWith },
    { ends: /\.(jsonl|ndjson|json)$/, end: "jsonl", read: jsonLines, write: jsonLinesWith },
  ];

  // cells splits a text with commas into rows of cells; a quoted cell may hold anything.
  mdpsolve.cells = (text) => {
    const rows = [[]];
    for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
      rows.at(-1).push(quoted?.replaceAll('""', '"') ?? plain);
      if (end !== ",") rows.push([]);
    }
    return rows.filter((row) => row.length > 1 || row[0]);
  };
}
