// Page lists of the reader, read in the page for what the answer of the server leaves
// out: the change rate and the weight of a page.
"use strict";

{
  // pageList reads a file and returns a Map from ids to {change, weight}, or null where
  // the format is one that only the server reads.
  mdpsolve.pageList = async (file) => {
    const name = file.name.toLowerCase();
    const packed = name.endsWith(".gz");
    const plain = packed ? name.slice(0, -3) : name;
    const read = /\.(jsonl|ndjson|json)$/.test(plain) ? jsonLines : /\.(csv|tsv|txt)$/.test(plain) ? csv : null;
    if (!read) return null;
    const stream = packed ? file.stream().pipeThrough(new DecompressionStream("gzip")) : file.stream();
    const text = await new Response(stream).text();
    return new Map(read(text).map((row) => [String(row.id ?? row.url), {
      change: number(row.change_rate), weight: row.weight == null || row.weight === "" ? 1 : number(row.weight),
    }]));
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
