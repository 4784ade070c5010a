// The tab "Refresh": a page list, the best rates to access its pages, and what more or
// less bandwidth would bring.
"use strict";

{
  const { element, ask } = mdpsolve;

  const examples = mdpsolve.pageExamples;
  const latest = new mdpsolve.Latest();
  const mostPages = 100_000; // whose rates are fetched into the page
  const around = [1 / 8, 1 / 4, 1 / 2, 1 / Math.SQRT2, 1, Math.SQRT2, 2, 4, 8]; // times the bandwidth
  let files, fields, defaults, place, progress, results, command; // once built
  let chosen = null; // {source, file, example, list}: source is the file of the reader, file the page list, estimated if source is a log

  const build = (panel) => {
    files = mdpsolve.files({ what: "a page list or a crawl log", hint: "CSV or JSON lines, also .gz. A list has the columns url or id, change_rate and, optionally, weight, host and unit. A log has the columns url or id, time, and digest or changed", examples },
      ([file], example, wanted) => open(file, example, wanted));
    const objectives = [["fixed-order", "freshness, at even intervals"], ["random", "freshness, at random times"],
      ["discrete", "freshness, drawn slot by slot"], ["decaying", "freshness that decays with age"], ["age", "mean age of copies"],
      ["harmonic", "harmonic staleness"], ["signals", "freshness, changes are announced"],
      ["coffman", "stale copies, at even intervals"], ["coffman-randomized", "stale copies, at random times"]];
    fields = [
      mdpsolve.dial({ flag: "bandwidth", label: "Bandwidth", about: "how often all pages together are accessed", unit: "accesses per unit of time", from: 1, to: 10_000, value: "5", log: true }, later),
      mdpsolve.choice({ flag: "unit", label: "Rates are per", about: "the unit of all rates below and in the list", choices: units(""), value: "" }, solve),
      mdpsolve.choice({ flag: "objective", label: "Best for", about: "what the rates are to achieve", choices: objectives, value: "fixed-order" }, solve),
      mdpsolve.entry({ flag: "host-cap", label: "At most, per host", about: "together for the pages of one host", unit: "accesses per unit of time", hint: "no cap", short: true }, solve),
      mdpsolve.entry({ flag: "access-time", label: "Law of the time that an access takes", about: "as for --access-time of refresh rates", hint: "constant" }, solve),
      mdpsolve.entry({ flag: "access-mean", label: "Mean time of an access", about: "with its unit, such as 2s", hint: "1/bandwidth", short: true }, solve),
    ];
    place = element("p", { class: "fault", role: "alert", hidden: true });
    progress = mdpsolve.progress(() => latest.cancel());
    command = mdpsolve.commandLine();
    results = element("div", { class: "results", id: "refresh-results" });
    panel.append(element("div", { class: "split" },
      element("div", { class: "controls" }, files.node, ...fields.map((f) => f.node), place, progress.node), results));
    showFields();
    results.append(welcome());
    defaults = Object.fromEntries(fields.map((f) => [f.flag, f.value]));
  };

  const welcome = () => mdpsolve.welcome("How often to access each page", "Drop a list of web pages with their change rates, or the log of a crawler, from which mdpsolve estimates the change rates. " +
    "The answer says how often to access each page, so that a crawler of a given bandwidth keeps its copies fresh, and what more bandwidth would bring.",
  examples, (name) => openExample(name));

  // setFields sets the fields to values; those that are not given begin anew.
  const setFields = (values) => { for (const f of fields) f.value = values[f.flag] ?? defaults[f.flag]; };

  const later = mdpsolve.later(60, () => solve());

  const restore = (query) => {
    const { example, file, ...wanted } = Object.fromEntries(query);
    if (examples.has(example)) openExample(example, wanted);
    else if (!file) setFields(wanted);
    else if (file === chosen?.name) {
      setFields(wanted);
      solve();
    } else files.need(file, wanted, "refresh");
  };

  const openExample = (name, wanted) => open(files.hold(name)[0], name, wanted);

  const open = async (file, example, wanted) => {
    if (example) setFields({ ...examples.get(example).question, ...wanted });
    else if (wanted) setFields(wanted);
    files.fault("");
    mdpsolve.showFault(null, fields, place);
    mdpsolve.say("");
    results.replaceChildren();
    results.setAttribute("aria-busy", "true");
    latest.cancel();
    chosen = { source: file, file, example, name: file.name };
    const mine = chosen;
    remember();
    try {
      if (await mdpsolve.isLog(file).catch(() => false)) Object.assign(mine, await estimated(file));
    } catch (fault) {
      if (!(fault instanceof mdpsolve.Fault)) throw fault;
      if (chosen !== mine) return;
      chosen = null;
      files.fault(fault.message);
      results.removeAttribute("aria-busy");
      results.append(welcome());
      return;
    }
    mine.list = await mdpsolve.pageList(mine.file).catch(() => null); // the server says what is wrong
    if (chosen === mine) await solve();
  };

  // remember puts the file, and what is asked about it, into the address.
  const remember = () => {
    const { example, name } = chosen;
    const typed = Object.fromEntries(Object.keys(asked()).map((flag) => [flag, field(flag).value]));
    mdpsolve.remember("refresh", { ...(example ? { example } : { file: name }), ...typed });
  };

  // estimated returns the page list that a log of a crawler gives.
  const estimated = async (log) => {
    const query = { unit: field("unit").value, download: "pages.csv" };
    const { text, command: line, warnings } = await mdpsolve.askText("refresh/estimate", query, { body: mdpsolve.form([log]) });
    const [head, ...rows] = mdpsolve.cells(text);
    const accesses = rows.reduce((sum, row) => sum + Number(row[head.indexOf("accesses")]), rows.length);
    const words = [`Change rates of ${mdpsolve.count(rows.length, "page")}, estimated from ${mdpsolve.count(accesses, "access")} in ${log.name}.`, ...warnings].join(" ");
    return { file: new File([text], "pages.csv"), log: { words, line, text } };
  };

  const field = (flag) => fields.find((f) => f.flag === flag);

  // listUnit is what the rates of the list say that they are per, "" where they do not.
  const listUnit = () => chosen?.list?.values().next().value?.unit ?? "";

  const units = (own) => [["", own ? `${own}, as in the list` : "the list’s unit"],
    ...["second", "minute", "hour", "day"].filter((unit) => unit !== own).map((unit) => [unit, unit])];

  const showFields = () => {
    const coffman = field("objective").value.startsWith("coffman");
    for (const f of fields) if (f.flag.startsWith("access-")) f.node.hidden = !coffman;
    const own = listUnit();
    field("unit").choose(units(own), field("unit").value === own ? "" : field("unit").value);
    for (const flag of ["bandwidth", "host-cap"]) field(flag).measure(`accesses per ${field("unit").value || own || "unit of time"}`);
  };

  // asked returns what the server is asked. Numbers without a unit are in that of the
  // list, which the command wants to be said.
  const asked = () => {
    showFields();
    const values = Object.fromEntries(fields.filter((f) => !f.node.hidden && f.value !== "").map((f) => [f.flag, f.value]));
    const own = listUnit();
    const isBare = (flag) => own && !values.unit && Number.isFinite(mdpsolve.parse(values[flag] ?? ""));
    for (const flag of ["bandwidth", "host-cap"]) if (isBare(flag)) values[flag] += `/${own}`;
    if (isBare("access-mean")) values["access-mean"] += { second: "s", minute: "min", hour: "h", day: "d" }[own];
    return values;
  };

  let turn = 0;
  const solve = async () => {
    const values = asked();
    if (!chosen) return;
    const mine = ++turn;
    const { file, list } = chosen;
    remember();
    mdpsolve.showFault(null, fields, place);
    results.classList.add("stale");
    results.setAttribute("aria-busy", "true");
    progress.begin();
    try {
      await latest.run(async (signal) => {
        const body = () => mdpsolve.form([file]);
        const { answer, command: line } = await ask("refresh/rates", values, { body: body(), signal, onProgress: progress.show });
        const csv = answer.pages <= mostPages ? (await mdpsolve.askText("refresh/rates", { ...values, output: "csv" }, { body: body(), signal })).text : "";
        if (signal.aborted) return;
        const curve = show(answer, line, csv, list);
        const rows = [];
        for (const times of around) {
          const point = await pointAt(answer, times, values, body(), signal);
          if (point) curve.set(rows.push(point) && rows, { marks: [{ x: answer.bandwidth, name: "now" }], summary: `${rows.length} bandwidths from ${mdpsolve.number(rows[0].bandwidth, 3)} to ${mdpsolve.number(rows.at(-1).bandwidth, 3)}` });
        }
      });
    } catch (fault) {
      if (!(fault instanceof mdpsolve.Fault)) throw fault;
      mdpsolve.showFault(fault, fields, place);
    } finally {
      if (mine === turn) {
        progress.hide();
        results.removeAttribute("aria-busy");
        if (chosen?.file === file && !results.hasChildNodes()) {
          results.classList.remove("stale");
          results.append(welcome());
        }
      }
    }
  };

  // pointAt returns the value at another bandwidth, null where the list allows no such.
  const pointAt = async (answer, times, values, body, signal) => {
    if (times === 1) return answer;
    try {
      return (await ask("refresh/rates", { ...values, bandwidth: mdpsolve.rateText(answer.bandwidth * times, answer) }, { body, signal })).answer;
    } catch (fault) {
      if (fault.flag) return null; // no list allows such a bandwidth
      throw fault;
    }
  };

  // onePageMore asks what another page would bring.
  const onePageMore = (answer) => {
    const { file } = chosen;
    const place = element("p", { class: "fault", role: "alert", hidden: true });
    const said = element("output", {});
    const entry = (options) => mdpsolve.entry({ value: "1", short: true, ...options }, () => {});
    const entries = [entry({ flag: "change_rate", label: "Changes", about: "how often it changes", unit: mdpsolve.perUnit(answer) }), entry({ flag: "weight", label: "Weight", about: "how much it counts" })];
    async function add(event) {
      event.preventDefault();
      const [change, weight] = entries.map((f) => mdpsolve.parse(f.value));
      mdpsolve.showFault(null, entries, place);
      said.textContent = "";
      try {
        const longer = mdpsolve.form([await mdpsolve.withPage(file, { change_rate: change, weight }, answer.unit)]);
        const csv = mdpsolve.cells((await mdpsolve.askText("refresh/rates", { ...asked(), output: "csv" }, { body: longer })).text);
        const { answer: next } = await ask("refresh/rates", asked(), { body: longer });
        if (next.pages === answer.pages) throw new mdpsolve.Fault("Give a change rate and a weight that are numbers.");
        const rate = Number(csv.at(-1)[csv[0].indexOf("rate")]);
        const difference = next.value - answer.value;
        said.textContent = `With a page of change rate ${mdpsolve.number(change)} and weight ${mdpsolve.number(weight)} the value is ${mdpsolve.number(next.value, 8)}, ${mdpsolve.number(Math.abs(difference), 4)} ${difference < 0 ? "less" : "more"}. ` +
          (rate > 0 ? `It is accessed ${mdpsolve.number(rate, 4)} times ${mdpsolve.perUnit(answer)}${next.multiplier > 0 ? ", taken from the other pages" : ""}.` : "It is not accessed: it changes too often for its weight.");
      } catch (fault) {
        if (!(fault instanceof mdpsolve.Fault)) throw fault;
        mdpsolve.showFault(fault, entries, place);
      }
    }
    return element("section", {}, element("h2", {}, "One more page"),
      element("p", {}, "What would another page bring at the same bandwidth?"),
      element("form", { class: "more-page", onsubmit: add }, entries.map((f) => f.node),
        element("div", { class: "field" }, element("button", { type: "submit" }, "Add it")), said), place);
  };

  // show draws an answer, and returns the chart of the value against the bandwidth.
  const show = (answer, line, csv, list) => {
    const [head, ...cells] = mdpsolve.cells(csv);
    const rates = cells.map((row) => Object.fromEntries(head.map((name, i) => [name, row[i]])));
    const rows = mdpsolve.ratesRows(rates, list, answer);
    const weight = list ? rows.reduce((sum, row) => sum + row.weight, 0) : 0;
    const curve = mdpsolve.bandwidthChart(answer, weight);
    const { log } = chosen;
    results.classList.remove("stale");
    command.show(...log ? [log.line, line] : [line]);
    results.replaceChildren(log ? element("p", {}, log.words) : "", mdpsolve.ratesSummary(answer, weight),
      element("div", { class: "pair" },
        list ? mdpsolve.ratesChart(rows, answer) : element("p", { class: "hint" }, "Rates against change rates are drawn for CSV and JSON lines."), curve.node),
      list && onePageMore(answer),
      csv ? mdpsolve.ratesTable(rows, answer) : element("p", { class: "hint" }, `The list has more than ${mostPages.toLocaleString("en")} pages: the command below prints their rates.`),
      element("h2", {}, "Take it with you"), command.node,
      element("p", { class: "downloads" },
        log && element("button", { type: "button", onclick: () => mdpsolve.save("pages.csv", "text/csv", log.text) }, "Page list (CSV)"),
        csv && element("button", { type: "button", onclick: () => mdpsolve.save("rates.csv", "text/csv", csv) }, "Rates (CSV)"),
        element("button", { type: "button", onclick: () => mdpsolve.save("summary.json", "application/json", JSON.stringify(answer)) }, "Summary (JSON)")));
    mdpsolve.say(`Solved: ${mdpsolve.refreshValueName(answer.objective)} ${mdpsolve.number(answer.value)}, ${answer.active} of ${answer.pages} pages are accessed.`);
    return curve;
  };

  const report = (answers, root) => {
    const answer = answers["refresh/rates"];
    root.append(element("h1", {}, "How often to access each page"));
    if (!answer) return;
    const rows = mdpsolve.ratesRows(answers.rows ?? [], null, answer);
    const weight = rows.length === answer.pages ? rows.reduce((sum, row) => sum + row.weight, 0) : 0;
    root.append(mdpsolve.ratesSummary(answer, weight));
    const around = answers["refresh/rates?around"];
    const curve = around && mdpsolve.bandwidthChart(answer, weight);
    root.append(element("div", {}, rows.some((row) => row.change > 0) && mdpsolve.ratesChart(rows, answer), curve?.node));
    curve?.set(around, { marks: [{ x: answer.bandwidth, name: "now" }] });
    if (rows.length > 0) root.append(mdpsolve.ratesTable(rows, answer, answers.rows_total));
  };

  mdpsolve.tab({ name: "refresh", title: "Refresh", build, restore, report, files: () => [chosen?.source].filter(Boolean) });
}
