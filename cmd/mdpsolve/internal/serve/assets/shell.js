// The shell: tabs, theme, and the address bar.
//
// A tab announces itself as its script is read:
//
//   mdpsolve.tab({
//     name: "robots", title: "Robots",
//     build(panel) {…},          // once, when it is first shown
//     restore(query) {…},        // whenever the address says something new: a URLSearchParams
//     files: () => […],          // the files of the reader that it shows, if it shows any
//     report: (answers, root, report) => …,   // draws a report of the kind that is its name
//   });
//
// What it is set to stands in the address, #robots?gamma=1.4&…, and the tab writes it
// by mdpsolve.remember.
"use strict";

{
  const { element } = mdpsolve;
  const tabs = mdpsolve.tabs = new Map();
  mdpsolve.tab = (tab) => tabs.set(tab.name, tab);

  // remember puts what a tab is set to into the address: an object or URLSearchParams.
  // With step, the browser's "back" returns to what was before.
  mdpsolve.remember = (name, query, { step = false } = {}) => {
    const search = new URLSearchParams(query);
    const hash = search.size > 0 ? `#${name}?${readable(search)}` : `#${name}`;
    written.set(name, hash);
    if (hash !== location.hash) history[step ? "pushState" : "replaceState"](null, "", hash);
    if (isBeside) parent.mdpsolve.remembered(hash);
  };

  // A page beside another is this page in a frame, for a second setting. The address of the outer
  // page holds both.
  const isBeside = location.search === "?beside";
  mdpsolve.remembered = (hash) => history.replaceState(null, "", `?other=${encodeURIComponent(hash)}${location.hash}`);

  // filesBeside returns the files of the reader that a tab of the outer page shows.
  mdpsolve.filesBeside = (name) => (isBeside ? parent.mdpsolve.tabs.get(name).files() : []);

  // comparison is the button that opens and closes the page beside.
  const comparison = () => {
    let frame = null;
    const toggle = (hash) => {
      document.body.classList.toggle("compared", frame === null);
      button.setAttribute("aria-pressed", frame === null);
      if (frame) {
        frame.remove();
        frame = null;
        history.replaceState(null, "", location.pathname + location.hash);
        return;
      }
      frame = element("iframe", { class: "beside", src: `./?beside${hash}`, title: "The same page, for other settings" });
      document.body.append(frame);
    };
    const button = element("button", { type: "button", class: "compare", "aria-pressed": false, title: "Show a second setting beside this one", onclick: () => toggle(location.hash) }, "Compare");
    document.body.classList.toggle("framed", isBeside);
    const other = new URLSearchParams(location.search).get("other");
    if (other) toggle(other);
    return button;
  };

  // readable leaves characters as they are that do no harm in a fragment.
  const readable = (search) => String(search).replaceAll("%2F", "/").replaceAll("%3A", ":").replaceAll("%40", "@").replaceAll("%2C", ",");

  const written = new Map(); // by tab, the hash that it has written or was last restored from

  // here returns the tab and the settings that the address names.
  const here = () => {
    const [, name, query] = /^#?([a-z]*)(?:\?(.*))?$/s.exec(location.hash) ?? [];
    return { tab: tabs.get(name) ?? tabs.values().next().value, query: new URLSearchParams(query ?? "") };
  };

  // say tells readers who do not see the page what has changed.
  mdpsolve.say = (text) => { document.getElementById("said").textContent = text; };

  // startShell draws the shell and opens the tab that the address names.
  mdpsolve.startShell = () => {
    const buttons = new Map();
    const panels = new Map();
    const built = new Set();
    const list = element("div", { role: "tablist", "aria-label": "What to compute", class: "tabs", onkeydown: move });
    const main = element("main", { id: "main" });
    for (const { name, title } of tabs.values()) {
      const button = element("button", {
        type: "button", role: "tab", id: `tab-${name}`, "aria-controls": `panel-${name}`, onclick: () => open(name),
      }, title);
      const panel = element("section", { role: "tabpanel", id: `panel-${name}`, "aria-labelledby": `tab-${name}`, hidden: true });
      buttons.set(name, button);
      panels.set(name, panel);
      list.append(button);
      main.append(panel);
    }
    document.body.prepend(
      element("a", { class: "skip", href: "#main", onclick: skip }, "Skip to the content"),
      element("header", { class: "top" }, element("h1", {}, "mdpsolve"), list,
        element("a", { class: "guide", href: mdpsolve.guide }, "Guide"), comparison(), themeChoice()),
      main,
      element("p", { id: "said", class: "unseen", role: "status", "aria-live": "polite" }));

    function skip(event) {
      event.preventDefault();
      const panel = [...panels.values()].find((p) => !p.hidden);
      panel.tabIndex = -1;
      panel.focus();
    }

    function move(event) {
      const names = [...buttons.keys()];
      const step = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity }[event.key];
      if (!step) return;
      event.preventDefault();
      const at = names.findIndex((name) => !panels.get(name).hidden);
      const to = Number.isFinite(step) ? (at + step + names.length) % names.length : step < 0 ? 0 : names.length - 1;
      open(names[to]);
      buttons.get(names[to]).focus();
    }

    // open shows a tab as the reader left it.
    const left = new Map();
    function open(name) {
      const from = here().tab.name;
      if (from === name && built.has(name)) return;
      left.set(from, location.hash);
      history.pushState(null, "", left.get(name) ?? `#${name}`);
      show();
    }

    function show() {
      const { tab, query } = here();
      for (const [name, panel] of panels) {
        const chosen = name === tab.name;
        panel.hidden = !chosen;
        buttons.get(name).setAttribute("aria-selected", String(chosen));
        buttons.get(name).tabIndex = chosen ? 0 : -1;
      }
      document.title = `mdpsolve: ${tab.title}`;
      const fresh = !built.has(tab.name);
      if (fresh) {
        built.add(tab.name);
        tab.build(panels.get(tab.name));
      }
      if (fresh || location.hash !== written.get(tab.name)) {
        written.set(tab.name, location.hash);
        tab.restore?.(query);
      }
    }
    addEventListener("popstate", show);
    addEventListener("hashchange", show);
    show();
  };

  // themeChoice lets the reader choose between light, dark, and as the system has it.
  const themeChoice = () => {
    const themes = [["", "automatic"], ["light", "light"], ["dark", "dark"]];
    const apply = (theme) => {
      document.documentElement.dataset.theme = theme;
      document.dispatchEvent(new Event("themechange"));
    };
    const kept = stored("theme");
    apply(kept);
    const select = element("select", {
      id: "theme",
      onchange() {
        store("theme", select.value);
        apply(select.value);
      },
    }, themes.map(([value, name]) => element("option", { value, selected: value === kept }, name)));
    return element("span", { class: "theme" }, element("label", { for: "theme" }, "Colours: "), select);
  };

  // A browser may refuse to keep anything; then the choice lasts as long as the page.
  const stored = (key) => { try { return localStorage.getItem(key) ?? ""; } catch { return ""; } };
  const store = (key, value) => { try { localStorage.setItem(key, value); } catch { /* as above */ } };
}
