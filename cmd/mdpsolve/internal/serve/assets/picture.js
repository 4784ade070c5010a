// Pictures of answers, as the command draws them: the page and its reports show the same.
"use strict";

{
  const { element } = mdpsolve;
  const quick = 1; // seconds: the picture of an answer that took longer has a button

  // picture shows an SVG; words say what can be seen.
  mdpsolve.picture = (text, words) => element("figure", { class: "drawn", tabindex: 0, "aria-label": "Pictures of the answer" },
    element("img", { src: `data:image/svg+xml,${encodeURIComponent(text)}`, alt: words }));

  // pictured are the flags with which a verb also draws its answer.
  mdpsolve.pictured = () => ({ download: "svg", size: matchMedia("(max-width: 600px)").matches && "column" });

  // pictures is a place for the picture of each answer of a verb. show(text, words) shows an SVG; draw(flags,
  // {words, seconds, body, signal}) asks for it first. seconds is how long the answer took.
  mdpsolve.pictures = (verb) => {
    const node = element("div", { class: "pictures" });
    const soft = (words) => node.replaceChildren(element("p", { class: "soft" }, words));
    const fault = element("p", { class: "fault", role: "alert" });
    const link = (form, save) => element("button", { type: "button", onclick: save }, `Pictures (${form.toUpperCase()})`);
    // show shows a picture. fetched(form), if given, saves it in another format.
    const show = (text, words, fetched) => node.replaceChildren(mdpsolve.picture(text, words), element("p", { class: "downloads" },
      link("svg", () => mdpsolve.save("pictures.svg", "image/svg+xml", text)),
      fetched && ["png", "pdf"].map((form) => link(form, () => fetched(form)))), fault);
    const ask = async (flags, { words, body, signal }) => {
      if (!node.querySelector("img")) soft("Drawing…");
      const fetched = async (form) => {
        fault.textContent = "";
        try {
          const { text } = await mdpsolve.askText(verb, { ...flags, download: form }, { body, signal, as: "blob" });
          mdpsolve.save(`pictures.${form}`, text.type, text);
        } catch (error) {
          if (error instanceof mdpsolve.Fault) fault.textContent = error.message;
          else if (error.name !== "AbortError") throw error;
        }
      };
      try {
        show((await mdpsolve.askText(verb, { ...flags, ...mdpsolve.pictured() }, { body, signal })).text, words, fetched);
      } catch (fault) {
        if (fault instanceof mdpsolve.Fault) soft(`There are no pictures: ${fault.message}`);
        else if (fault.name !== "AbortError") throw fault;
      }
    };
    const draw = async (flags, how) => {
      if (how.seconds < quick) return ask(flags, how);
      node.replaceChildren(element("button", { type: "button", onclick: () => ask(flags, how) }, "Draw the policy and where the time is spent"));
    };
    return { node, show, draw };
  };
}
