// The stream of a session's changes (docs/live.md), read with fetch: an EventSource cannot send a token.

/** Parses server-sent events (HTML standard, section 9.2.6) from pieces of text, cut anywhere. */
export class EventParser {
  #rest = "";
  #type = "";
  #data = [];
  #endedWithCR = false;
  #isFirst = true;
  lastEventID = "";
  retry = null;

  /** Returns the messages that are complete: `{type, data, id}`. */
  push(text) {
    if (this.#isFirst && text) {
      this.#isFirst = false;
      if (text.startsWith("\uFEFF")) text = text.slice(1);
    }
    if (this.#endedWithCR && text.startsWith("\n")) text = text.slice(1);
    if (text) this.#endedWithCR = text.endsWith("\r");
    const lines = (this.#rest + text).split(/\r\n|\r|\n/);
    this.#rest = lines.pop();
    const messages = [];
    for (const line of lines) {
      if (line) { this.#field(line); continue; }
      if (this.#data.length) {
        messages.push({ type: this.#type || "message", data: this.#data.join("\n"), id: this.lastEventID });
      }
      this.#type = "";
      this.#data = [];
    }
    return messages;
  }

  #field(line) {
    const colon = line.indexOf(":");
    if (colon === 0) return;
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "event") this.#type = value;
    if (name === "data") this.#data.push(value);
    if (name === "id" && !value.includes("\0")) this.lastEventID = value;
    if (name === "retry" && /^[0-9]+$/.test(value)) this.retry = Number(value);
  }
}

const SILENCE = 50_000; // Three heartbeats and some time for the network.
const HIDDEN = 1000; // A browser has six connections for all tabs of an origin: hidden tabs hold none.
const LONGEST = 60_000;

/**
 * Follows a session until it ends.
 * `handlers`: `message(type, data)`, `state(name, detail)` with live, waiting or paused, and `end(reason)` with deleted, expired or unknown.
 */
export class ChangeStream {
  #path; #token; #handlers;
  #cursor = null;
  #abort = null;
  #timer = 0;
  #silence = 0;
  #delay = 2000;
  #failures = 0;
  #isOver = false;

  constructor(path, token, handlers) {
    this.#path = path;
    this.#token = token;
    this.#handlers = handlers;
    document.addEventListener("visibilitychange", this.#look);
    addEventListener("online", this.#look);
    if (document.hidden) this.#pause(); else this.#connect();
  }

  close() {
    this.#isOver = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#silence);
    this.#abort?.abort();
    document.removeEventListener("visibilitychange", this.#look);
    removeEventListener("online", this.#look);
  }

  #look = () => {
    clearTimeout(this.#timer);
    if (document.hidden) this.#timer = setTimeout(() => this.#pause(), HIDDEN);
    else if (!this.#abort) this.#connect();
  };

  #pause() {
    this.#abort?.abort();
    this.#handlers.state("paused");
  }

  async #connect() {
    const abort = this.#abort = new AbortController();
    let wait = null;
    try {
      const headers = { Authorization: `Bearer ${this.#token}`, Accept: "text/event-stream" };
      if (this.#cursor) headers["Last-Event-ID"] = this.#cursor;
      const response = await fetch(this.#path, { headers, cache: "no-store", signal: abort.signal });
      if (response.status === 401 || response.status === 404) return this.#end("unknown");
      if (response.ok) await this.#read(response.body, abort);
      else wait = Number(response.headers.get("Retry-After")) * 1000 || null;
    } catch {
      // A lost connection: the next one continues at the cursor.
    }
    clearTimeout(this.#silence);
    if (this.#abort === abort) this.#abort = null;
    if (this.#isOver || document.hidden) return;
    const time = wait ?? Math.min(this.#delay * 2 ** this.#failures, LONGEST) * (0.7 + Math.random() * 0.6);
    this.#failures += 1;
    this.#handlers.state("waiting", Date.now() + time);
    this.#timer = setTimeout(() => this.#connect(), time);
  }

  async #read(body, abort) {
    const parser = new EventParser();
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    this.#handlers.state("live");
    for (;;) {
      clearTimeout(this.#silence);
      this.#silence = setTimeout(() => abort.abort(), SILENCE);
      const { done, value } = await reader.read();
      if (done) return;
      this.#failures = 0;
      for (const message of parser.push(value)) {
        const data = JSON.parse(message.data);
        if (message.type === "end") return this.#end(data.reason);
        this.#cursor = message.id;
        this.#handlers.message(message.type, data);
      }
      if (parser.retry !== null) this.#delay = parser.retry;
    }
  }

  #end(reason) {
    this.close();
    this.#handlers.end(reason);
  }
}
