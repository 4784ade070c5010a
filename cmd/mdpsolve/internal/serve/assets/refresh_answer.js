// The best rates for a page list, drawn: the page and its reports show the same.
"use strict";

{
  const { element, number } = mdpsolve;

  // Objectives that are costs to be kept low; all others are freshness.
  mdpsolve.isCost = (objective) => ["age", "harmonic", "coffman", "coffman-randomized"].includes(objective);

  const meanings = {
    "fixed-order": "share of time up to date, accesses at even intervals",
    random: "share of time up to date, accesses at random times",
    discrete: "share of slots up to date, a page drawn in each slot",
    decaying: "freshness that decays with age",
    age: "mean age of the copy",
    harmonic: "mean of 1 + 1/2 + … + 1/n after n missed changes",
    signals: "share of time up to date, accesses when signals say so",
    coffman: "share of time out of date, accesses at even intervals",
    "coffman-randomized": "share of time out of date, accesses at random times",
  };

  // perUnit says what rates of an answer are per, and rateText writes one as flags take it.
  mdpsolve.perUnit = (answer) => `per ${answer.unit ?? "unit of time"}`;
  mdpsolve.rateText = (rate, answer) => (answer.unit ? `${rate}/${answer.unit}` : String(rate));

  const valueName = (objective) => (objective === "age" ? "Age" : mdpsolve.isCost(objective) ? "Cost" : "Freshness");
  mdpsolve.refreshValueName = valueName;

  // ratesSummary draws the answer of refresh rates; weight is the sum of all weights, if
  // it is known.
  mdpsolve.ratesSummary = (answer, weight) => {
    const cost = mdpsolve.isCost(answer.objective);
    const whole = (n) => n.toLocaleString("en");
    const sum = number(answer.value, 8);
    const mean = weight > 0 && (cost ? number(answer.value / weight, 4) : mdpsolve.percent(answer.value / weight));
    return element("section", { class: "rates" }, element("h2", {}, "Best rates"),
      mdpsolve.facts([
        [valueName(answer.objective), mean ?? sum, [`${mean ? "weighted mean" : "weighted sum"}: ${meanings[answer.objective]}`,
          mean && [element("br"), `weighted sum ${sum}`]]],
        ["Pages accessed", whole(answer.active), `of ${whole(answer.pages)}`],
        answer.multiplier > 0
          ? ["One more access", `${cost ? "−" : "+"}${number(answer.multiplier, 4)}`, `${mdpsolve.perUnit(answer)} changes the sum by this (the bandwidth’s multiplier)`]
          : ["One more access", "0", `${mdpsolve.perUnit(answer)} brings nothing: ${number(answer.used)} are enough`],
        ["Status", answer.status, [`proved: no rates give a ${cost ? "lower" : "higher"} sum than ${number(answer.bound, 8)}`, element("br"), `found in ${mdpsolve.seconds(answer.seconds)}`]],
      ]),
      answer.unusable > 0 && element("p", { class: "fault" }, `${mdpsolve.count(answer.unusable, "unusable row")} of the list ignored.`),
      answer.hosts != null && element("p", {}, `${whole(answer.hosts_capped)} of ${whole(answer.hosts)} hosts reach their cap.`));
  };

  // ratesRows joins the rates with what the list says of the pages.
  mdpsolve.ratesRows = (rates, list, answer) => {
    const capped = answer.hosts_capped > 0; // accesses then have a price of their own at each host
    return rates.map(({ id, rate, interval, freshness, change_rate: change, weight }) => {
      const listed = list?.get(id);
      const known = listed ? { ...listed, change: listed.change * mdpsolve.unitRatio(listed.unit, answer.unit) } : { change: change == null ? null : Number(change), weight: weight == null ? null : Number(weight) };
      const [r, f] = [Number(rate), Number(freshness)];
      return {
        id, change: known.change, weight: known.weight, rate: r, interval: interval === "" || interval == null ? null : Number(interval), freshness: f,
        worth: !capped && !mdpsolve.isCost(answer.objective) && known.weight != null ? known.weight * f - answer.multiplier * r : null,
      };
    });
  };

  // mostPoints is how many pages the chart shows.
  const mostPoints = 4000;

  // ratesChart draws rates against change rates.
  mdpsolve.ratesChart = (rows, answer) => {
    const chart = mdpsolve.chart({
      title: "Access rates against change rates", file: "rates-against-changes",
      x: { key: "change", name: "change rate", unit: mdpsolve.perUnit(answer), log: true },
      y: { name: "access rate", unit: mdpsolve.perUnit(answer), zero: true },
      series: [{ key: "rate", name: "a page", tone: "--switched", points: true, width: 0 }],
    });
    const known = rows.filter((row) => row.change > 0).sort((a, b) => a.change - b.change);
    const every = Math.max(1, Math.ceil(known.length / mostPoints));
    const shown = known.filter((_, i) => i % every === 0);
    const abandoned = rows.filter((row) => row.rate === 0 && row.change > 0).length;
    chart.set(shown, { summary: `${answer.active} pages are accessed, ${abandoned} that change are not.` });
    return element("div", {}, chart.node, element("p", { class: "hint" },
      abandoned > 0 && `${mdpsolve.count(abandoned, "page")} ${abandoned === 1 ? "changes" : "change"} too often to be worth an access. `,
      every > 1 && `One page in ${every} is drawn.`));
  };

  // bandwidthChart draws the value against the bandwidth; rows are {bandwidth, value,
  // multiplier}.
  mdpsolve.bandwidthChart = (answer, weight) => {
    const [scale, unit] = !(weight > 0) ? [1, "weighted sum"] : mdpsolve.isCost(answer.objective) ? [1 / weight, "weighted mean"] : [100 / weight, "%"];
    const chart = mdpsolve.chart({
      title: `${valueName(answer.objective)} against bandwidth`, file: "value-against-bandwidth",
      x: { key: "bandwidth", name: "bandwidth", unit: `accesses ${mdpsolve.perUnit(answer)}`, log: true },
      y: { name: valueName(answer.objective).toLowerCase(), unit, zero: true },
      series: [{ key: "scaled", name: valueName(answer.objective).toLowerCase(), tone: "--switched", points: true }],
    });
    return { node: chart.node, set: (rows, more) => chart.set(rows.map((row) => ({ ...row, scaled: scale * row.value })), more) };
  };

  // ratesTable shows the pages, and finds some of them.
  mdpsolve.ratesTable = (rows, answer, total = rows.length) => {
    const unit = answer.unit ? ` ${mdpsolve.perUnit(answer)}` : "";
    const has = (key) => rows.some((row) => row[key] != null);
    const columns = [
      { key: "id", name: "page" },
      has("change") && { key: "change", name: `change rate${unit}` },
      has("weight") && { key: "weight", name: "weight" },
      { key: "rate", name: `access rate${unit}` },
      { key: "interval", name: answer.unit ? `${answer.unit}s between accesses` : "between accesses" },
      { key: "freshness", name: "freshness", show: (x) => number(x, 4) },
      has("worth") && { key: "worth", name: "worth of the page", show: (x) => number(x, 4) },
    ].filter(Boolean);
    const place = element("div", { class: "pages" });
    const draw = (words) => {
      const found = words === "" ? rows : rows.filter((row) => row.id.toLowerCase().includes(words));
      place.replaceChildren(mdpsolve.table({ caption: words ? `${mdpsolve.count(found.length, "page")} found` : total > rows.length ? `The first ${rows.length} of ${total} pages` : "Pages", columns, rows: found }));
    };
    draw("");
    const find = element("input", {
      type: "text", id: mdpsolve.unique("find"), autocomplete: "off", spellcheck: "false",
      oninput: () => draw(find.value.trim().toLowerCase()),
    });
    return element("div", {}, element("h2", {}, "Each page"),
      has("worth") && element("p", {}, "The worth of a page is its weighted freshness less what its accesses would bring elsewhere: about what would be lost without the page."),
      !mdpsolve.report && rows.length > 10 && element("p", { class: "find" }, element("label", { for: find.id }, "Find pages by name: "), find), place);
  };
}
