// Pictures of answers, as the command draws them: the page and its reports show the same.
"use strict";

{
  const { element } = mdpsolve;
  const quick = 1; // seconds: the picture of an answer that took longer has a button

  // picture shows an SVG; words say what can be seen.
  mdpsolve.picture = (text, words) => element("figure", { class: "drawn", tabindex: 0, "aria-label": "Pictures of the answer" },
    element("img", { src: `data:image/svg+xml,${encodeURIComponent(text)}`, alt: words }));

  // pictures is a place for the picture of each answer of a verb. draw(flags, {words, seconds, body,
  // signal}) asks for it; seconds is how long the answer took.
  mdpsolve.pictures = (verb) => {
    const node = element("div", { class: "pictures" });
    const soft = (words) => node.replaceChildren(element("p", { class: "soft" }, words));
    const ask = async (flags, { words, body, signal }) => {
      if (!node.querySelector("img")) soft("Drawing…");
      try {
        const size = matchMedia("(max-width: 600px)").matches && "column";
        const { text } = await mdpsolve.askText(verb, { ...flags, download: "svg", size }, { body, signal });
        node.replaceChildren(mdpsolve.picture(text, words), element("p", { class: "downloads" },
          element("button", { type: "button", onclick: () => mdpsolve.save("pictures.svg", "image/svg+xml", text) }, "Pictures (SVG)")));
      } catch (fault) {
        if (fault instanceof mdpsolve.Fault) soft(`There are no pictures: ${fault.message}`);
        else if (fault.name !== "AbortError") throw fault;
      }
    };
    const draw = async (flags, how) => {
      if (how.seconds < quick) return ask(flags, how);
      node.replaceChildren(element("button", { type: "button", onclick: () => ask(flags, how) }, "Draw the policy and where the time is spent"));
    };
    return { node, draw };
  };
}
