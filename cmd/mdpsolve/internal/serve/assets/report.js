// Reports: a document for print, drawn by the tab whose name is its kind.
"use strict";

{
  const { element } = mdpsolve;

  mdpsolve.drawReport = (report) => {
    const tab = mdpsolve.tabs.get(report.kind);
    document.documentElement.classList.add("report");
    document.documentElement.dataset.theme = "light";
    const root = element("main", { id: "main" });
    document.body.prepend(root);
    document.title = report.title ?? `mdpsolve report: ${tab.title}`;
    tab.report(report.answers, root, report);
    const tables = [...root.querySelectorAll(".data")];
    root.append(element("footer", { class: "origin" },
      element("h2", {}, "How this was made"),
      element("pre", {}, element("code", {}, report.command)),
      element("p", {}, [report.version, report.date].filter(Boolean).join(", "))));
    if (tables.length > 0) root.append(element("section", { class: "numbers" }, element("h2", {}, "The numbers"), tables));
    for (const details of document.querySelectorAll("details")) details.open = true;
  };
}
