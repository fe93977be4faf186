// Repeats the actions of a recorded trace (docs/testing.md) in a new session, up to the first stack that differs.

import { API, Refusal } from "./api.js";

// The member of an operation for which a text or a list stands in the short form.
const MEMBERS = {
  open: "path", push: "scene", show: "scene", present: "scene", setRootViewController: "scene", popTo: "scene", performSegue: "identifier",
  unwind: "action", dismiss: "viewController", tap: "title", setFlags: "flags", setViewControllers: "viewControllers", batch: "operations",
};
// The member with the index for which a title stands.
const INDEXES = { selectRow: "row", selectTab: "index", tapTab: "index", selectSegment: "index" };
const REFERENCES = ["viewController", "from", "navigationController"];

const isObject = (value) => value?.constructor === Object;
const isReference = (value) => typeof value === "string" && value.startsWith("@");

const sorted = (parameters) => JSON.stringify(Object.entries(parameters).sort());

/** Returns the name and the body of an operation for an action in a form of a trace, and the name as the trace writes it. */
function parts(did) {
  const { animated, ...action } = isObject(did) ? did : { [did]: null };
  const [[text, value]] = Object.entries(action);
  const name = text.replace(/-./g, (part) => part[1].toUpperCase());
  let body = value ?? {};
  if (name === "swipeBack" && !isObject(body)) body = { completed: body !== "cancelled" };
  else if (!isObject(body) || (name === "setFlags" && !isObject(body.flags))) {
    const member = isReference(value) && /scene|action/.test(MEMBERS[name]) ? "viewController" : MEMBERS[name];
    body = INDEXES[name] ? { title: value } : { [member]: typeof value === "object" ? value : String(value) };
  }
  return [name, animated === undefined ? body : { ...body, animated }, text];
}

/** What the texts in actions mean. `scenes` maps the app's names of scenes, and `read(part)` reads a part of the session. */
class Names {
  constructor(scenes, read) { Object.assign(this, { scenes, read }); }

  scene = (name) => this.scenes[name] ?? name;

  /** Returns the operation for an action, such as `{ pop-to: { viewController: "vc1" } }`. */
  operation = async (did) => {
    const [name, body, text] = parts(did);
    return { [text]: await this.#filled(body, name) };
  };

  async #filled(body, operation) {
    const filled = {};
    for (const [name, value] of Object.entries(body)) {
      if (name === "scene") filled.scene = this.scene(value);
      else if (name === "title" && INDEXES[operation]) filled[INDEXES[operation]] = await this.#index(value, operation);
      else if (REFERENCES.includes(name) && isReference(value)) filled[name] = await this.#id(value, name);
      else if (name === "operations") filled[name] = await Promise.all(value.map(this.operation));
      else if (name === "viewControllers") {
        filled[name] = await Promise.all(value.map((entry) => this.#filled(isObject(entry) ? entry : parts({ push: entry })[1])));
      } else filled[name] = value;
    }
    return filled;
  }

  /** Returns the id for `@books`, or for `@books#2`, the second view controller of the scene. */
  async #id(label, name) {
    const [, scene, number] = /^@(.*?)(?:#(\d+))?$/.exec(label);
    const holders = (await this.read("/layers")).layers.flatMap((layer) => layer.navigationControllers);
    const found = holders.flatMap(({ id, viewControllers }) => viewControllers.map((entry) => ({ ...entry, holder: id })))
      .filter((entry) => entry.scene === scene)[(number ?? 1) - 1];
    return (name === "navigationController" ? found?.holder : found?.id) ?? label;
  }

  async #index(title, operation) {
    const isRow = operation === "selectRow";
    if (typeof title === "number" && !isRow) return title;
    const items = [];
    if (isRow) {
      for (let after = ""; after != null;) {
        const { rows = [], next } = await this.read(`/screen?limit=1000${after}`);
        items.push(...rows);
        after = next && `&after=${next}`;
      }
    } else {
      const { segmentedControl, tabBar } = await this.read("");
      items.push(...(operation === "selectSegment" ? segmentedControl?.segments : tabBar?.items) ?? []);
    }
    return items.findIndex((item) => item.title === String(title));
  }
}

/** Makes an account in a session of its own, which is not strict. */
async function makeAccount(user) {
  const { id, token } = await new API().send("POST", "/v1/sessions", { strict: false });
  const send = (...request) => new API().sendAs(token, ...request);
  try {
    await send("POST", `/v1/sessions/${id}/sign-up`, user);
  } catch (error) {
    // The log-in is then refused, for the same reason.
    if (!(error instanceof Refusal)) throw error;
  }
  await send("DELETE", `/v1/sessions/${id}`);
}

/** `open(body)` opens a session of `api`, and `change(operation, label)` changes it; both return what the service answers. Returns the result in words. */
export async function replay(text, api, open, change) {
  const [{ waypostTrace, lifecycle, flags, username, scenes = {} }, ...steps] = text.split("\n")
    .flatMap((line, index) => (line.trim() ? [{ ...JSON.parse(line), line: index + 1 }] : []));
  if (!waypostTrace) return "The first line is not that of a trace.";
  const names = new Names(scenes, (part) => api.send("GET", api.path + part));
  let session = await open({ lifecycle, flags });
  const act = async (...step) => {
    const result = await change(...step);
    session = result?.session ?? session;
    return result;
  };

  // The app's accounts are not those of the service.
  const users = new Map();
  const logIn = async (name, value, label) => {
    const key = String(value?.username ?? value);
    const isNew = !users.has(key);
    if (isNew) users.set(key, { username: `${key}-${Math.random().toString(36).slice(2, 8)}`, password: "the replay of a trace" });
    const user = users.get(key);
    if (isNew && name === "logIn") await makeAccount(user);
    return act({ [name]: user }, label);
  };
  if (username && session && !await logIn("signUp", username, "sign up")) {
    // The first form of a strict session may submit only a log-in.
    users.clear();
    await logIn("logIn", username, "log in");
  }

  for (const { did, stack, line } of steps) {
    if (!session) return "";
    const label = `line ${line}`;
    const name = did && parts(did)[0];
    if (name === "logIn" || name === "signUp") await logIn(name, Object.values(did)[0], label);
    else if (did) await act(await names.operation(did), label);
    // Most apps do not record a swipe from the edge.
    else if (line > steps[0].line && stack?.length < session.viewControllers.length) await act({ swipeBack: { completed: true } }, label);
    const shown = session.viewControllers.map(({ scene, title, navigationItem, parameters }) => ({ scene, title: navigationItem?.title ?? title, parameters }));
    const isSame = (entry, { scene = entry.scene, title = entry.title, parameters = entry.parameters }) =>
      names.scene(scene) === entry.scene && title === entry.title && sorted(parameters) === sorted(entry.parameters);
    const entries = stack?.map((entry) => (isObject(entry) ? entry : { title: entry }));
    if (entries && !(entries.length === shown.length && entries.every((entry, at) => isSame(shown[at], entry)))) {
      if (!did && line > steps[0].line) return `Line ${line} has no action: use waypost verify.`;
      const words = (list) => list.map(({ scene, title }) => title ?? scene).join(" › ");
      return `Line ${line} differs: the app shows ${words(entries)}, the rules ${words(shown)}. waypost verify says more.`;
    }
  }
  return `${steps.length} steps show the stacks of the trace.`;
}
