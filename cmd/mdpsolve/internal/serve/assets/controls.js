// Controls: fields for values of flags, with their faults beside them.
//
// A field is an object {node, flag, value, fault}: value is the text that the
// command reads, "" where the flag is left out; fault(message) shows what is wrong
// with it, fault("") nothing. measure(text) changes the unit of a number. Fields call changed(done) when the reader has changed
// them; done is false while a slider still moves. The option id is that of the input,
// by default one made from the flag.
"use strict";

{
  const { element, unique, number, parse } = mdpsolve;

  // frame puts a label, and a line about it if there is one, above controls and the fault below them.
  const frame = ({ flag, label, unit, about }, id, controls) => {
    const measure = element("span", { class: "unit" }, unit && ` ${unit}`);
    const message = element("p", { class: "fault", id: `${id}-fault`, role: "alert" });
    const node = element("div", { class: "field", "data-flag": flag },
      element("label", { for: id }, label, measure),
      about && element("p", { class: "about" }, about), element("div", { class: "field-controls" }, controls), message);
    const fault = (text) => {
      message.textContent = text.replace(/^--[a-z-]+: /, "");
      const input = document.getElementById(id);
      if (text) input.setAttribute("aria-invalid", "true");
      else input.removeAttribute("aria-invalid");
    };
    return { node, fault, measure(text) { measure.textContent = ` ${text}`; } };
  };

  // dial is a number with a slider. The options: flag, label, unit, from, to, value;
  // log says that the slider has equal steps for equal ratios, whole that values are
  // whole numbers, auto that "auto" is a value, too.
  mdpsolve.dial = (options, changed) => {
    const { flag, label, from, to, value, log, whole, auto } = options;
    let { unit } = options;
    const steps = whole && !log ? to - from : 200;
    const id = options.id ?? unique(flag);
    const text = element("input", {
      id, class: "number", type: "text", inputmode: whole ? "numeric" : "decimal", autocomplete: "off",
      spellcheck: "false", value, "aria-describedby": `${id}-fault`,
    });
    const slider = element("input", {
      type: "range", min: 0, max: steps, step: 1, "aria-label": `${label}, slider`,
    });
    const box = auto && element("input", { type: "checkbox", id: `${id}-auto` });

    const valueAt = (step) => {
      const share = step / steps;
      const x = log ? from * (to / from) ** share : from + (to - from) * share;
      return whole ? String(Math.round(x)) : String(Number(x.toPrecision(x < 10 ** Math.ceil(Math.log10(x)) / 5 ? 3 : 2)));
    };
    const follow = () => {
      const x = parse(text.value);
      if (Number.isFinite(x) && x > 0) {
        const share = log ? Math.log(x / from) / Math.log(to / from) : (x - from) / (to - from);
        slider.value = Math.round(Math.min(1, Math.max(0, share)) * steps);
      }
      slider.setAttribute("aria-valuetext", `${text.value} ${unit ?? ""}`.trim());
    };
    // resolved shows what auto stands for.
    const resolved = (n) => {
      if (!box?.checked) return;
      text.value = String(n);
      follow();
    };
    const set = (v) => {
      if (box) {
        box.checked = v === "auto";
        text.disabled = slider.disabled = box.checked;
      }
      if (v !== "auto") text.value = v;
      follow();
    };
    slider.addEventListener("input", () => {
      text.value = valueAt(Number(slider.value));
      slider.setAttribute("aria-valuetext", `${text.value} ${unit ?? ""}`.trim());
      changed(false);
    });
    slider.addEventListener("change", () => changed(true));
    text.addEventListener("change", () => { follow(); changed(true); });
    box?.addEventListener("change", () => { set(box.checked ? "auto" : text.value); changed(true); });

    const { node, fault, measure } = frame(options, id, [
      slider, text,
      box && element("label", { class: "auto", for: box.id }, box, " auto"),
    ]);
    set(value);
    return {
      node, flag, fault, resolved,
      measure(text) {
        measure(unit = text);
        follow();
      },
      get value() { return box?.checked ? "auto" : text.value.trim(); },
      set value(v) { set(v); },
    };
  };

  // choice is one of several values: options.choices is a list of [value, name].
  mdpsolve.choice = (options, changed) => {
    const id = options.id ?? unique(options.flag);
    const select = element("select", { id, "aria-describedby": `${id}-fault`, onchange: () => changed(true) },
      options.choices.map(([value, name]) => element("option", { value, selected: value === options.value }, name)));
    const { node, fault } = frame(options, id, select);
    return {
      node, flag: options.flag, fault,
      get value() { return select.value; },
      set value(v) { select.value = v; },
      // choose replaces the choices; the value stays if it can, else it is the last.
      choose(choices, before = select.value) {
        select.replaceChildren(...choices.map(([value, name]) => element("option", { value }, name)));
        select.value = choices.some(([value]) => value === before) ? before : choices.at(-1)?.[0];
      },
    };
  };

  // entry is a field of text; options.hint stands in it while it is empty.
  mdpsolve.entry = (options, changed) => {
    const id = options.id ?? unique(options.flag);
    const input = element("input", {
      id, class: options.short ? "number" : "text", type: "text", autocomplete: "off", spellcheck: "false", value: options.value ?? "",
      placeholder: options.hint, "aria-describedby": `${id}-fault`, onchange: () => changed(true),
    });
    const { node, fault, measure } = frame(options, id, input);
    return {
      node, flag: options.flag, fault, measure,
      get value() { return input.value.trim(); },
      set value(v) { input.value = v; },
    };
  };

  // showFault shows a fault beside the field whose flag it names, and in place where
  // there is no such field; without a fault it clears both.
  mdpsolve.showFault = (fault, fields, place) => {
    const message = fault?.message ?? "";
    const field = fields.find((f) => f.flag === fault?.flag);
    for (const f of fields) f.fault(f === field ? message : "");
    place.textContent = field ? "" : message;
    place.hidden = place.textContent === "";
  };

  // progress is a line that says how far a long solve has come, with a button that
  // cancels it. show(event) draws an event of progress, hide() takes it away.
  mdpsolve.progress = (cancel) => {
    const bar = element("progress", { "aria-label": "Solving" });
    const words = element("span");
    const node = element("div", { class: "progress", hidden: true, role: "group", "aria-label": "Solving" },
      bar, words, element("button", { type: "button", onclick: cancel }, "Cancel"));
    let timer;
    return {
      node,
      // begin shows the line if the answer takes longer than a moment.
      begin() {
        clearTimeout(timer);
        timer = setTimeout(() => { words.textContent = "Solving …"; node.hidden = false; }, 250);
      },
      show({ phase, iteration, lower, upper, seconds, left }) {
        const parts = [phase || "solving"];
        if (iteration > 0) parts.push(`iteration ${iteration}`);
        if (lower != null && upper != null) parts.push(`between ${number(lower)} and ${number(upper)}`);
        if (seconds != null) parts.push(mdpsolve.seconds(seconds));
        if (left != null) {
          parts.push(`about ${mdpsolve.seconds(left)} left`);
          bar.max = 1;
          bar.value = seconds / (seconds + left);
        } else bar.removeAttribute("value");
        words.textContent = parts.join(" · ");
        node.hidden = false;
      },
      hide() {
        clearTimeout(timer);
        node.hidden = true;
        bar.removeAttribute("value");
      },
    };
  };

  // commandLine shows the command that prints the same, as text for people, to be
  // copied. show(command, …) takes one or more as the server writes them.
  mdpsolve.commandLine = () => {
    const code = element("code");
    const button = element("button", { type: "button", onclick: copy }, "Copy");
    async function copy() {
      try {
        await navigator.clipboard.writeText(code.textContent);
      } catch { // no clipboard without https or localhost: select the text instead
        getSelection().selectAllChildren(code);
        document.execCommand("copy");
      }
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    }
    const node = element("div", {}, element("p", { class: "soft" }, "This command prints the same in a terminal; add --output json for programs:"),
      element("div", { class: "command" }, code, button));
    return {
      node,
      show(...commands) {
        const words = (command) => command.replace(/(--[a-z-]+)=true(?= |$)/g, "$1").replace(/ --(output json|distribution)(?= |$)/g, "").split(/ (?=--)/);
        code.replaceChildren(...commands.flatMap((command, k) => [k > 0 ? "\n" : "",
          ...words(command).flatMap((word, i) => [i > 0 ? " " : "", element("span", {}, word)])]));
      },
    };
  };

  // downloads is a row of links after a word; show(list) takes a list of [name, address,
  // file].
  mdpsolve.downloads = (word = "Download") => {
    const node = element("p", { class: "downloads" });
    return {
      node,
      show(list) {
        node.replaceChildren(`${word}: `, ...list.flatMap(([name, href, file], i) =>
          [i > 0 ? " · " : "", element("a", { href, download: file }, name)]));
      },
    };
  };
}
