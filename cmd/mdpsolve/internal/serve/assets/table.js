// Tables of answers.
"use strict";

{
  const { element, number } = mdpsolve;
  const mostRows = 200;

  // csv writes columns and rows as a CSV file with full digits.
  const csv = (columns, rows) => [columns.map((c) => c.key), ...rows.map((row) => columns.map((c) => row[c.key] ?? ""))]
    .map((cells) => cells.map((cell) => (/[",\n]/.test(cell) ? `"${String(cell).replaceAll('"', '""')}"` : cell)).join(","))
    .join("\n") + "\n";

  // scrolling puts a line below a place that says when there is more to scroll to.
  mdpsolve.scrolling = (place, down, across) => {
    const line = element("p", { class: "hint scroll", hidden: true });
    const look = () => {
      const words = [place.scrollHeight > place.clientHeight + 1 && down, place.scrollWidth > place.clientWidth + 1 && across].filter(Boolean);
      line.textContent = `Scroll ${words.join(" and ")}.`;
      line.hidden = words.length === 0;
    };
    if (!mdpsolve.report) new ResizeObserver(look).observe(place);
    return element("div", { class: "scrolled" }, place, line);
  };

  // table makes a table. columns is a list of {key, name, unit, show}: the key of a
  // row's value, what stands above it, and how it is written, by default as a number
  // rounded to six digits. Of long tables the first rows are shown.
  mdpsolve.table = ({ id, caption, columns, rows }) => {
    const shown = rows.slice(0, mostRows);
    const textual = (c) => rows.length > 0 && typeof rows[0][c.key] === "string";
    const cell = (c, row) => (c.show ? c.show(row[c.key], row) : typeof row[c.key] === "string" ? row[c.key] : number(row[c.key]));
    const place = element("div", { class: "table", tabindex: 0, role: "region", "aria-label": caption },
      element("table", { id },
        element("caption", {}, element("span", {}, caption), rows.length > mostRows && ` (the first ${mostRows} of ${rows.length} rows)`),
        element("thead", {}, element("tr", {}, columns.map((c) => element("th", { scope: "col", class: textual(c) && "words" },
          c.name, c.unit && element("span", { class: "unit" }, ` ${c.unit}`))))),
        element("tbody", {}, shown.map((row) => element("tr", {}, columns.map((c, i) =>
          (i === 0
            ? element("th", { scope: "row", class: textual(c) && "words" }, cell(c, row))
            : element("td", { class: textual(c) && "words" }, cell(c, row)))))))));
    return mdpsolve.scrolling(place, `down for all ${shown.length} rows`, "sideways for more columns");
  };

  // data is a table behind a line that opens it, with its download. file is the name
  // of that, less ".csv", and id that of the table. set(table) replaces it.
  mdpsolve.data = (file, id) => {
    let current = { caption: "", columns: [], rows: [] };
    const place = element("div");
    const node = element("details", { class: "data" },
      element("summary", {}, "Table of these numbers"),
      element("button", { type: "button", onclick: () => mdpsolve.save(`${file}.csv`, "text/csv", csv(current.columns, current.rows)) }, "Download CSV"),
      place);
    const draw = () => { if (node.open) place.replaceChildren(mdpsolve.table({ id, ...current })); };
    node.addEventListener("toggle", draw);
    return {
      node,
      set(table) {
        current = table;
        draw();
      },
    };
  };
}
