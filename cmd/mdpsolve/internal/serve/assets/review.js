// The tab "Review": a plan, the log of its day, and whether the freshness that it promised came of it.
"use strict";

{
  const { element, number, percent } = mdpsolve;

  const example = {
    title: "A plan of three accesses, and its log",
    files: [
      { name: "pages.csv", text: "url,change_rate,weight,unit\nhttps://a.example/,2,2,day\nhttps://a.example/x,0.5,1,day\nhttps://b.example/,4,1,day\n" },
      { name: "plan.csv", text: "slot,id,next_fetch\n1,https://a.example/,2026-12-01T06:00:00Z\n2,https://b.example/,2026-12-01T12:00:00Z\n3,https://a.example/,2026-12-01T18:00:00Z\n4,,2026-12-02T00:00:00Z\n" },
      { name: "log.csv", text: "url,time,changed,status\nhttps://a.example/,2026-12-01T06:00:00Z,1,200\nhttps://b.example/,2026-12-01T13:00:00Z,,200\nhttps://a.example/,2026-12-01T18:00:00Z,,500\nhttps://a.example/x,2026-12-01T20:00:00Z,0,304\n" },
      { name: "before.csv", text: "id,time\nhttps://a.example/,2026-11-30T18:00:00Z\nhttps://a.example/x,2026-11-29T00:00:00Z\n" },
    ],
  };
  const examples = new Map([["three", example]]);

  // roles are what files are for, by their columns; the first that fits counts.
  const roles = [
    ["pages", "change rates", (has) => has("change_rate")],
    ["plan", "the plan", (has) => has("next_fetch") || has("rate") || has("time") && has("host")],
    ["log", "the log", (has) => has("time") && (has("changed") || has("digest") || has("status"))],
    ["last-fetch", "accesses before the log", (has) => has("time")],
  ];

  let files, fields, place, results, command, given; // once built

  const build = (panel) => {
    files = mdpsolve.files({
      what: "a plan, its pages and the log of its day, all at once", several: true, examples,
      hint: "CSV or JSON lines, also .gz. The plan has next_fetch, rate, or host and time; the pages change_rate; the log time, and changed, digest or status. If the log does not begin on an earlier day, add a file of the accesses before, with id and time",
    }, (list, name, wanted) => open(list, name, wanted));
    fields = [
      mdpsolve.choice({ flag: "unit", label: "Change rates are per", about: "the unit of the rates in the file of pages", choices: [["", "the list’s unit"], ...["second", "minute", "hour", "day"].map((unit) => [unit, unit])], value: "" }, solve),
      mdpsolve.entry({ flag: "from", label: "The day begins", about: "a date or a time, such as 2026-12-01 06:00:00", hint: "as the plan or the log says" }, solve),
      mdpsolve.entry({ flag: "until", label: "The day ends", about: "accesses from then on do not count", hint: "as the plan or the log says" }, solve),
    ];
    place = element("p", { class: "fault", role: "alert", hidden: true });
    command = mdpsolve.commandLine();
    results = element("div", { class: "results", id: "review-results" }, welcome());
    panel.append(element("div", { class: "split" }, element("div", { class: "controls" }, files.node, ...fields.map((f) => f.node), place), results));
  };

  const welcome = () => mdpsolve.welcome("Was the promise kept?", "Drop yesterday’s plan, the list of pages on which it rests, and the log of the day. " +
    "The answer compares the freshness that was promised with what the log shows, and says whether late accesses, failures or wrong change rates made the difference.",
  examples, (name) => open(files.hold(name), name));

  const restore = (query) => {
    const { example: name, file, ...wanted } = Object.fromEntries(query);
    if (!file) setFields(wanted);
    if (examples.has(name)) open(files.hold(name), name);
    else if (file) files.need(file, wanted, "review");
  };

  const setFields = (values) => { for (const f of fields) f.value = values[f.flag] ?? ""; };

  const open = async (dropped, name, wanted) => {
    given = { name, files: dropped };
    if (wanted) setFields(wanted);
    files.fault("");
    for (const file of dropped) {
      const columns = await mdpsolve.columnsOf(file);
      const role = roles.find(([part, , fits]) => !given[part] && fits((column) => columns.includes(column)));
      if (role) given[role[0]] = file;
      else files.fault(`${file.name}: no columns of a plan, of pages or of a log, or a second file of the same kind.`);
    }
    await solve();
  };

  const solve = async () => {
    const asked = Object.fromEntries(fields.map((f) => [f.flag, f.value]));
    if (!given) return;
    mdpsolve.remember("review", Object.fromEntries(Object.entries({ example: given.name, file: !given.name && given.files[0].name, ...asked }).filter(([, value]) => value)));
    mdpsolve.showFault(null, fields, place);
    const missing = roles.slice(0, 3).filter(([part]) => !given[part]).map(([, words]) => words);
    if (missing.length > 0) {
      files.fault(`Missing: ${missing.join(" and ")}. Drop all files at once.`);
      results.replaceChildren(welcome());
      return;
    }
    const { plan, pages, log, "last-fetch": before } = given;
    results.setAttribute("aria-busy", "true");
    try {
      const body = mdpsolve.form([log], { plan, pages, ...before && { "last-fetch": before } });
      const { answer, command: line, warnings } = await mdpsolve.ask("refresh/review", asked, { body });
      command.show(line);
      results.replaceChildren(...warnings.map((text) => element("p", {}, text)), ...mdpsolve.reviewed(answer), element("h2", {}, "Take it with you"), command.node,
        element("p", { class: "downloads" }, element("button", { type: "button", onclick: () => mdpsolve.save("review.json", "application/json", JSON.stringify(answer)) }, "Review (JSON)")));
      mdpsolve.say(`Reviewed: ${percent(answer.promised)} promised, ${percent(answer.measured)} measured.`);
    } catch (fault) {
      if (!(fault instanceof mdpsolve.Fault)) throw fault;
      mdpsolve.showFault(fault, fields, place);
      results.replaceChildren(welcome());
    } finally {
      results.removeAttribute("aria-busy");
    }
  };

  const plainTime = (time) => time.replace("T00:00:00Z", "").replace("T", " ").replace("Z", " UTC").replaceAll("-", "\u2011");

  // reviewed draws the answer of refresh review.
  mdpsolve.reviewed = (answer) => {
    const verdicts = { below: "less than promised", above: "more than promised", "as-promised": "the promise is within the interval", unknown: "no access tells whether its page had changed" };
    const per = `per ${answer.unit}`;
    const share = (key, name) => ({ key, name, show: (x) => percent(x) });
    const columns = (name) => [{ key: "name", name }, { key: "pages", name: "pages" }, { key: "told", name: "told" }, { key: "changed", name: "changed" },
      { key: "foreseen", name: "foreseen", show: (x) => number(x, 3) }, share("promised", "promised"), share("made", "made"), share("expected", "expected"), share("measured", "measured"), share("lower", "from"), share("upper", "to")];
    const [rates, hosts] = ["rate", "host"].map((group) => answer.groups.filter((row) => row.group === group));
    const chart = mdpsolve.chart({
      title: "Freshness by change rate", file: "freshness-by-change-rate",
      x: { key: "class", name: "class of pages, by change rate", whole: true }, y: { name: "share of time up to date", unit: "%", zero: true },
      series: [{ key: "promised", name: "promised", tone: "--ink-soft", dash: [5, 4] }, { key: "measured", name: "measured", legend: `measured, and its ${percent(answer.confidence)} interval`, tone: "--switched", points: true, band: ["lower", "upper"] }],
    });
    chart.set(rates.map((row, i) => ({ class: i + 1, ...Object.fromEntries(["promised", "measured", "lower", "upper"].map((key) => [key, 100 * row[key]])) })),
      { summary: `${percent(answer.promised)} promised and ${percent(answer.measured)} measured in all.` });
    return [
      element("section", { class: "rates" }, element("h2", {}, `Freshness from ${plainTime(answer.from)} to ${plainTime(answer.until)}`),
        mdpsolve.facts([
          ["Promised", answer.promised_upper > answer.promised ? `${percent(answer.promised)} to ${percent(answer.promised_upper)}` : percent(answer.promised), "of the pages, by weight, up to date on average"],
          ["Made", percent(answer.made), "with the accesses of the log, if as many fail as before"],
          ["Expected", percent(answer.expected), "with those that did not fail"],
          ["Measured", percent(answer.measured), `${percent(answer.lower)} to ${percent(answer.upper)}: ${verdicts[answer.status]}`],
        ]),
        element("p", {}, `${mdpsolve.count(answer.accesses, "access")}, ${answer.failed} failed; ${answer.told} told whether their page had changed, ${answer.changed} had. True change rates are ${number(answer.factor, 3)} times the given ones.`)),
      chart.node,
      mdpsolve.table({ caption: `Classes of change rates, ${per}`, columns: columns(`changes ${per}`), rows: rates }),
      hosts.length > 0 && mdpsolve.table({ caption: "Hosts, those that lose most first", columns: columns("host"), rows: hosts }),
      mdpsolve.table({ caption: "What the best rates of another bandwidth would give", columns: [{ key: "bandwidth", name: `accesses ${per}` }, { key: "times", name: "of that day" }, share("freshness", "freshness")], rows: answer.bandwidths }),
    ].filter(Boolean);
  };

  const report = (answers, root) => {
    root.append(element("h1", {}, "Promised and measured freshness"), ...mdpsolve.reviewed(answers["refresh/review"]));
  };

  mdpsolve.tab({ name: "review", title: "Review", build, restore, report, files: () => given?.files ?? [] });
}
