// Files of the reader: a place to drop or choose them, beside examples to start with.
"use strict";

{
  const { element, unique } = mdpsolve;

  // A file that is dropped beside the place does not take the place of the page.
  for (const kind of ["dragover", "drop"]) addEventListener(kind, (event) => event.preventDefault());

  // files makes the place. The options:
  //   what, hint: what is to be dropped, and which formats it may have;
  //   several: whether it may be several files;
  //   examples: a Map from a short name to {title, files: [{name, text}], …}.
  // chosen(files, example, wanted) is called with a list of File objects when the reader has
  // chosen; example is the name of the example that they come from, or "". The place is
  // {node, fault, hold, need}: fault(message) says what is wrong with the files, and
  // hold(name) shows an example as chosen and returns its files. need(name, wanted, tab) is for
  // the file that an address names: if that is among the files of a tab of the outer page, these
  // are chosen; otherwise the place asks for it. chosen then gets what is wanted of the file.
  mdpsolve.files = ({ what, hint, several, examples }, chosen) => {
    const id = unique("files");
    const message = element("p", { class: "fault", id: `${id}-fault`, role: "alert" });
    const held = element("p", { class: "held" });
    let needed = {}; // {name, wanted}
    const input = element("input", {
      id, class: "unseen", type: "file", multiple: several, "aria-describedby": `${id}-hint ${id}-fault`,
      onchange() {
        if (input.files.length > 0) take([...input.files]);
        input.value = ""; // so that the same file, changed, can be chosen again
      },
    });
    const select = element("select", {
      id: `${id}-example`,
      onchange() {
        if (select.value) chosen(hold(select.value), select.value);
      },
    }, element("option", { value: "" }, "choose one …"),
    [...examples].map(([name, { title }]) => element("option", { value: name }, title.replace(/ \(.*/, ""))));
    const zone = element("div", {
      class: "drop",
      ondragover(event) {
        event.preventDefault();
        zone.classList.add("over");
      },
      ondragleave() { zone.classList.remove("over"); },
      ondrop(event) {
        event.preventDefault();
        zone.classList.remove("over");
        const dropped = [...event.dataTransfer.files];
        if (dropped.length > 0) take(several ? dropped : dropped.slice(0, 1));
      },
    }, element("p", {}, `Drop ${what} here, or`), input, element("label", { for: id, class: "button" }, several ? "Choose files" : "Choose a file"),
    element("p", { class: "hint", id: `${id}-hint` }, hint), held);

    const show = (files, example) => {
      select.value = example;
      held.replaceChildren(...files.map((file) => element("span", { class: "file" }, file.name,
        element("span", { class: "unit" }, ` ${size(file.size)} `),
        example && element("button", { type: "button", class: "link", onclick: async () => mdpsolve.save(file.name, "text/plain", await file.text()) }, "Download"))));
    };
    const isAmong = (files) => files.some(({ name }) => name === needed.name);
    const take = (files) => {
      const wanted = isAmong(files) ? needed.wanted : undefined;
      needed = {};
      show(files, "");
      chosen(files, "", wanted);
    };
    const hold = (name) => {
      needed = {};
      const files = examples.get(name).files.map((f) => new File([f.text], f.name, { type: "text/plain" }));
      show(files, name);
      return files;
    };
    const node = element("div", { class: "files" }, zone, message,
      element("p", { class: "examples" }, element("label", { for: select.id }, "or an example: "), select));
    const fault = (text) => {
      message.textContent = text;
      input.toggleAttribute("aria-invalid", text !== "");
      if (text) input.setAttribute("aria-invalid", "true");
    };
    const need = (name, wanted, tab) => {
      needed = { name, wanted };
      const beside = mdpsolve.filesBeside(tab);
      if (isAmong(beside)) take(beside);
      else fault(`This address needs the file ${name}: drop it here${several ? ", with those that belong to it" : ""}.`);
    };
    return { node, fault, hold, need };
  };

  // welcome is what a tab shows before there is a file: a title, words, and a button for
  // each example, which calls open(name).
  mdpsolve.welcome = (title, words, examples, open) => element("section", { class: "welcome" }, element("h2", {}, title), element("p", {}, words),
    element("p", {}, "Examples to begin with:"),
    element("ul", { class: "choices" }, [...examples].map(([name, example], i) =>
      element("li", {}, element("button", { type: "button", class: i === 0 && "main", onclick: () => open(name) }, example.title)))));

  const size = (bytes) => (bytes < 1e3 ? `${bytes} B` : bytes < 1e6 ? `${mdpsolve.number(bytes / 1e3, 3)} kB` : `${mdpsolve.number(bytes / 1e6, 3)} MB`);

  // form returns files as the server takes them, and others under names of their own:
  // form(files, {policy: file}).
  mdpsolve.form = (files, others = {}) => {
    const body = new FormData();
    for (const file of files) body.append("file", file, file.name);
    for (const [name, file] of Object.entries(others)) body.append(name, file, file.name);
    return body;
  };
}
