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

  // ask asks a verb and returns {answer, command, warnings, file}; file is the text of the
  // download, if one is asked for. The options: body, a FormData that is posted; signal,
  // which cancels; onProgress, called with each event of progress. It throws a Fault, or an
  // AbortError when it was cancelled.
  mdpsolve.ask = (verb, query, options = {}) => counted(async () => {
    const response = await request(verb, query, options, "text/event-stream");
    const { command, warnings } = mdpsolve.besides(response);
    if (!response.headers.get("Content-Type")?.startsWith("text/event-stream")) {
      return { answer: await jsonOf(response), command, warnings };
    }
    let found = null;
    let file;
    for await (const { event, data } of events(response.body)) {
      if (event === "progress") options.onProgress?.(JSON.parse(data));
      if (event === "file") file = data;
      if (event === "result") found = { answer: JSON.parse(data), command, warnings, file };
      if (event === "error") found = new mdpsolve.Fault(JSON.parse(data).error, 400);
    }
    if (found instanceof mdpsolve.Fault) throw found;
    if (found) return found;
    throw new mdpsolve.Fault("The server ended before it had answered.");
  });

  // besides returns what the headers of an answer say.
  mdpsolve.besides = ({ headers }) => ({
    command: headers.get("X-Command-Line") ?? "", warnings: JSON.parse(`[${headers.get("X-Warning") ?? ""}]`),
  });

  // fetchJSON returns a file that a verb writes, as with download=policy.json.
  mdpsolve.fetchJSON = (verb, query, options = {}) => counted(async () =>
    jsonOf(await request(verb, query, options, "application/json")));

  // askText asks a verb for a text, such as rows of CSV, and returns {text, command,
  // warnings}. With as: "blob" the text is a Blob, for files of other kinds.
  mdpsolve.askText = (verb, query, options = {}) => counted(async () => {
    const response = await request(verb, query, options, "text/csv");
    if (!response.ok) return jsonOf(response);
    return { text: await response[options.as ?? "text"]().catch(lost), ...mdpsolve.besides(response) };
  });

  // request asks a server that is busy again, as often as mostTries.
  const mostTries = 10;
  const request = async (verb, query, { body, signal }, accept) => {
    for (let tries = 1; ; tries++) {
      const response = await fetch(mdpsolve.address(verb, query), {
        method: body ? "POST" : "GET", body, signal, cache: "no-store", headers: { Accept: accept },
      }).catch(lost);
      if (response.status !== 503 || tries === mostTries) return response;
      await new Promise((resolve) => { setTimeout(resolve, 1000 * Number(response.headers.get("Retry-After"))); });
    }
  };

  // lost turns the loss of a connection into a Fault; a question that was cancelled is none.
  const lost = (error) => {
    throw error.name === "AbortError" ? error : new mdpsolve.Fault("The server does not answer. Is mdpsolve serve still running?");
  };

  const jsonOf = async (response) => {
    const text = await response.text().catch(lost);
    if (response.ok) return JSON.parse(text);
    throw new mdpsolve.Fault(response.headers.get("Content-Type")?.startsWith("application/json")
      ? JSON.parse(text).error : `The server answers with status ${response.status}.`, response.status);
  };

  // counted keeps <html data-busy> while answers are awaited.
  let awaited = 0;
  const counted = async (question) => {
    const count = (change) => {
      awaited += change;
      document.documentElement.toggleAttribute("data-busy", awaited > 0);
    };
    count(1);
    try {
      return await question();
    } finally {
      count(-1);
    }
  };

  // events reads server-sent events.
  async function* events(stream) {
    const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { value, done } = await reader.read().catch(lost);
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
