// Requests to the service, each with the curl command that makes it again.

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/** A refusal by the service: a problem (RFC 9457). */
export class Refusal extends Error {
  constructor(status, problem) {
    super(problem?.detail ?? `the service answered ${status}`);
    this.status = status;
    this.code = problem?.code ?? null;
    this.errors = problem?.errors ?? [];
    this.after = problem?.after ?? null;
    this.title = problem?.title ?? "The request failed";
  }
}

/** No answer of the service. */
export class NoConnection extends Refusal {
  constructor() {
    super(0, { detail: "the service cannot be reached", title: "No connection" });
  }
}

export class API {
  /** `note(entry)` is called for each request that is worth a line in the log. */
  constructor(note) {
    this.note = note;
    this.id = null;
    this.token = null;
  }

  get path() { return `/v1/sessions/${this.id}`; }

  /** Sends a request with another secret, such as a credential; it is not logged. */
  sendAs(secret, ...request) {
    return Object.assign(new API(), { token: secret }).send(...request);
  }

  /** Performs the operation `{ name: body }`. */
  perform(operation, label) {
    const [[name, body]] = Object.entries(operation);
    if (!operation.patch) return this.send("POST", `${this.path}/${name.replace(/[A-Z]/g, "-$&").toLowerCase()}`, body, label);
    const { viewController, ...changes } = body;
    return this.send("PATCH", `${this.path}/view-controllers/${encodeURIComponent(viewController)}`, changes, label);
  }

  /** Reads the screen with its first rows. Returns it with its revision, which can be later than that of the last message. */
  async screen(rows) {
    const page = async (limit, after = "") => {
      const [screen, response] = await this.request("GET", `${this.path}/screen?limit=${Math.min(limit, 1000)}${after}`);
      return [screen, Number(/\d+/.exec(response.headers.get("ETag")))];
    };
    const [screen, revision] = await page(rows);
    for (let { next } = screen; next && screen.rows.length < rows;) {
      const [more, present] = await page(rows - screen.rows.length, `&after=${next}`);
      if (present !== revision) break;
      screen.rows.push(...more.rows);
      screen.taps.push(...more.taps.filter(({ place }) => place === "row" || place === "accessory"));
      ({ next } = more);
    }
    return [screen, revision];
  }

  /** Sends a request, and returns the content of the response. */
  async send(...request) { return (await this.request(...request))[0]; }

  /** Sends a request. `label` says what the user did; requests without a label are not logged. */
  async request(method, path, body, label) {
    const headers = {};
    if (body !== undefined) headers["Content-Type"] = "application/json";
    if (this.token) headers.Authorization = `Bearer ${this.token}`;
    const started = performance.now();
    const entry = label && {
      label, command: this.command(method, path, body), date: new Date(), status: null, problem: null, result: null,
    };
    let response, content;
    try {
      response = await fetch(path, {
        method, headers, body: body === undefined ? undefined : JSON.stringify(body), cache: "no-store",
      });
      const text = await response.text();
      content = response.headers.get("Content-Type")?.includes("json") ? JSON.parse(text) : text;
    } catch (error) {
      throw new NoConnection();
    } finally {
      if (entry) {
        entry.milliseconds = performance.now() - started;
        entry.status = response?.status ?? 0;
        entry.problem = response?.ok ? null : content;
        entry.result = response?.ok ? content : null;
        this.note(entry);
      }
    }
    if (!response.ok) throw new Refusal(response.status, content);
    return [content, response];
  }

  /** Returns a command without the token: what is on the screen can be shown to others. */
  command(method, path, body) {
    const target = this.id ? path.replace(this.path, "/v1/sessions/$id") : path;
    const verb = method !== "GET" && (method !== "POST" || body === undefined) ? ` -X ${method}` : "";
    const parts = [`curl -s${verb} "${target.startsWith("/") ? "$base" : ""}${target}"`];
    if (this.token) parts.push('-H "Authorization: Bearer $token"');
    if (body !== undefined) parts.push(`--json ${this.#json(body)}`);
    return parts.join(" \\\n  ");
  }

  /** Returns a body for a shell. A password is a variable: it must not be seen here. */
  #json(body) {
    if (body.password === undefined) return quoted(JSON.stringify(body));
    const text = JSON.stringify({ ...body, password: "\u0001" });
    return quoted(text).replace("\\u0001", `'"$password"'`);
  }

  /** The lines that the commands need, and the command that shows the session. */
  setUp(token) {
    return `base=${location.origin}\nid=${this.id}\ntoken=${token}\n${this.command("GET", this.path)}`;
  }
}
