// Questions to the server: answers, progress, faults, and the command that gives
// the same.
"use strict";

{
  // A Fault is bad input that the server has named, or a server that cannot be
  // reached. flag is the name of the flag at fault, or "".
  mdpsolve.Fault = class extends Error {
    constructor(message, status = 0) {
      super(message.replace(/^mdpsolve( [a-z ]+)?: /, ""));
      this.status = status;
      this.flag = /^--([a-z][a-z-]*)/.exec(this.message)?.[1] ?? "";
    }
  };

  // address is the address of a verb; query is a URLSearchParams, or an object
  // whose empty values are left out and whose lists are repeated keys.
  mdpsolve.address = (verb, query = {}, more = {}) => {
    const search = query instanceof URLSearchParams ? new URLSearchParams(query) : parameters(query);
    for (const [key, value] of parameters(more)) search.append(key, value);
    return `api/${verb}?${search}`;
  };

  const parameters = (query) => {
    const search = new URLSearchParams();
    for (const [key, value] of Object.entries(query)) {
      for (const one of [value].flat()) {
        if (one !== "" && one != null && one !== false) search.append(key, String(one));
      }
    }
    return search;
  };

  // ask asks a verb and returns {answer, command}. The options: body, a FormData
  // that is posted; signal, which cancels; onProgress, called with each event of
  // progress. It throws a Fault, or an AbortError when it was cancelled.
  mdpsolve.ask = async (verb, query, options = {}) => {
    busy(1);
    try {
      return await answerTo(verb, query, options);
    } finally {
      busy(-1);
    }
  };

  // busy keeps <html data-busy> while answers are awaited.
  let awaited = 0;
  const busy = (change) => {
    awaited += change;
    document.documentElement.toggleAttribute("data-busy", awaited > 0);
  };

  const answerTo = async (verb, query, { body, signal, onProgress }) => {
    let response;
    try {
      response = await fetch(mdpsolve.address(verb, query), {
        method: body ? "POST" : "GET", body, signal, cache: "no-store",
        headers: { Accept: "text/event-stream" },
      });
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new mdpsolve.Fault("The server does not answer. Is mdpsolve serve still running?");
    }
    const command = response.headers.get("X-Command-Line") ?? "";
    if (!response.headers.get("Content-Type")?.startsWith("text/event-stream")) {
      const answer = await response.json().catch(() => ({ error: `The server answers with status ${response.status}.` }));
      if (!response.ok) throw new mdpsolve.Fault(answer.error, response.status);
      return { answer, command };
    }
    let found = null;
    for await (const { event, data } of events(response.body)) {
      if (event === "progress") onProgress?.(JSON.parse(data));
      if (event === "result") found = { answer: JSON.parse(data), command };
      if (event === "error") throw new mdpsolve.Fault(JSON.parse(data).error, 400);
    }
    if (found) return found;
    throw new mdpsolve.Fault("The server ended before it had answered.");
  };

  // events reads server-sent events.
  async function* events(stream) {
    const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
    try {
      let rest = "";
      for (;;) {
        const { value, done } = await reader.read();
        if (done) return;
        const blocks = (rest + value).split("\n\n");
        rest = blocks.pop();
        for (const block of blocks) {
          const lines = block.split("\n");
          const field = (name) => lines.filter((line) => line.startsWith(`${name}:`))
            .map((line) => line.slice(name.length + 1).replace(/^ /, "")).join("\n");
          yield { event: field("event"), data: field("data") };
        }
      }
    } finally {
      reader.cancel().catch(() => {}); // cancelled already
    }
  }

  // A Latest runs one question at a time and cancels it when the next one comes:
  // latest.run((signal) => …) returns null where it was cancelled.
  mdpsolve.Latest = class {
    #controller = null;

    cancel() { this.#controller?.abort(); }

    async run(question) {
      this.cancel();
      const controller = this.#controller = new AbortController();
      try {
        const answer = await question(controller.signal);
        return controller.signal.aborted ? null : answer;
      } catch (error) {
        if (controller.signal.aborted) return null;
        throw error;
      }
    }
  };
}
