// The inspector: one session, shown as a phone, a time line, a graph and the requests that drive it.
import { API, Refusal } from "./api.js";
import { byID, h, render, time } from "./dom.js";
import { Graph } from "./graph.js";
import { drawDrive, drawLog } from "./log.js";
import { drawPhone } from "./phone.js";
import { ChangeStream } from "./stream.js";
import { describe, drawTimeline } from "./timeline.js";

const KEPT = 2000; // Revisions in memory; the time line shows the newest 500 of them.
const PAGE = 100;
const PANELS = ["Phone", "Storyboard", "Requests"];

const state = {
  storyboard: null, session: null, entries: [], selected: null, filter: "", earlier: 0, link: "",
  screens: new Map(), rows: PAGE, connection: ["connecting", null], log: [], isTokenShown: false,
  panel: 0, own: new Set(), others: [], credential: null, refusal: null, values: {}, valuesOf: null, motion: null, problem: null,
};
const api = new API((entry) => { state.log.push(entry); drawLogs(); });
let stream = null;
let graph = null;
let drawn = "";
let announcing = 0;
let refreshing = false;

// MARK: The session

async function begin() {
  refuseLink();
  state.storyboard = await (await fetch("/v1/storyboard")).json();
  document.title = `${state.storyboard.name} · Waypost`;
  graph = new Graph(byID("graph"), state.storyboard, goTo);
  const kept = sessionStorage.getItem("session");
  if (kept) attach(...kept.split(" "));
  else await openSession();
}

/** The page takes no session from its address: who makes such a link can act in the session, and browsers record the address. */
function refuseLink() {
  if (!/^#(session|token)=/.test(location.hash)) return;
  history.replaceState(null, "", location.pathname);
  state.problem = new Refusal(0, {
    title: "This link names a session",
    detail: "The page uses no session from a link, because the person who made the link can act in that session, too. To use a session, enter its id and its token at Attach.",
  });
  drawProblem();
}

async function openSession() {
  const opened = await attempt(() => api.send("POST", "/v1/sessions", {}, "opened a session"));
  if (!opened) return;
  sessionStorage.setItem("opened", opened.id);
  attach(opened.id, opened.token);
}

function attach(id, token) {
  stream?.close();
  Object.assign(api, { id, token });
  Object.assign(state, {
    session: null, entries: [], selected: null, earlier: 0, screens: new Map(), own: new Set(), rows: PAGE, values: {}, valuesOf: null, refusal: null,
  });
  sessionStorage.setItem("session", `${id} ${token}`);
  stream = new ChangeStream(`${api.path}/changes`, token, { message, state: connection });
  drawAll();
}

function connection(name, detail) {
  state.connection = [name, detail];
  if (name === "ended") sessionStorage.removeItem("session");
  drawHead();
}

/** Takes a message of the stream. The response to this page's own change may come before or after it. */
async function message(type, data) {
  const session = data.session ?? await api.send("GET", api.path);
  if (state.session && session.revision < state.session.revision) return;
  const last = state.entries.at(-1);
  if (last?.revision === session.revision) {
    state.session = session;
    return drawAll();
  }
  if (!last) state.earlier = data.lastEvent;
  state.entries.push({
    revision: session.revision, from: data.from ?? null, transition: data.transition ?? null, reason: data.reason ?? null,
    popped: data.popped ?? [], events: data.events ?? [], session, date: new Date(), by: "",
  });
  if (state.entries.length > KEPT) state.entries.splice(0, state.entries.length - KEPT);
  state.session = session;
  const top = session.viewControllers.at(-1).id;
  const isSingle = data.from === session.revision - 1;
  if (top !== state.shown) state.rows = PAGE;
  state.motion = isSingle && top !== state.shown && !document.hidden
    ? { push: "push", pop: "pop", present: "up", dismiss: "fade", tab: "fade", root: "fade" }[data.transition] ?? null : null;
  state.shown = top;
  refresh();
}

/** Reads the screen and draws it. Changes that come meanwhile are drawn together. */
async function refresh() {
  if (refreshing) return;
  refreshing = true;
  for (let revision = null; revision !== state.session.revision;) {
    revision = state.session.revision;
    await readScreen();
    attribute();
    drawAll();
    announce();
    await new Promise((resolve) => { setTimeout(resolve, 16); });
  }
  refreshing = false;
}

async function readScreen() {
  const revision = state.session.revision;
  try {
    const screen = await api.send("GET", `${api.path}/screen?limit=${Math.min(state.rows, 1000)}`);
    state.screens.set(screen.viewController, screen);
    const entry = state.entries.find((entry) => entry.revision === revision);
    if (entry) entry.screen = screen;
    state.screenProblem = null;
  } catch (error) {
    state.screenProblem = error.message;
  }
}

// Who made a change is known when both the response and the message have come.
function attribute() {
  for (const entry of state.entries.slice(-20)) {
    entry.by = entry.reason ? "" : state.own.has(entry.revision) ? "this page" : "another client";
  }
}

function announce() {
  clearTimeout(announcing);
  // Changes in quick succession are one announcement.
  announcing = setTimeout(() => {
    const entry = state.entries.at(-1);
    const screen = entry?.screen;
    if (!entry || entry.reason) return;
    const words = describe(entry);
    byID("announcement").textContent = `${words[0].toUpperCase()}${words.slice(1)}${screen?.kind === "table" ? `, ${screen.numberOfRows} rows` : ""}`;
  }, 500);
}

// MARK: What the user does

/** Runs a request; shows a refusal. */
async function attempt(run) {
  try {
    state.problem = null;
    return await run();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    state.problem = error;
    return null;
  } finally {
    drawProblem();
  }
}

async function change(operation, body, label, method = "POST") {
  const result = await attempt(() => api.send(method, `${api.path}/${operation}`, body, label));
  if (!result) return null;
  if (result.changed) {
    state.own.add(result.session.revision);
    attribute();
    drawTime();
    // The focus follows what the user did, when the message has drawn it.
    focusSoon(result.session.revision);
  }
  return result;
}

function focusSoon(revision, tries = 40) {
  if (state.session?.revision >= revision) byID("phone").querySelector("[data-key=title]")?.focus({ preventScroll: true });
  else if (tries > 0) setTimeout(() => focusSoon(revision, tries - 1), 25);
}

const actions = {
  tap: (tap) => change("tap", { place: tap.place, index: tap.index }, `tapped “${tap.title}”`),
  swipeDown: () => change("swipe-down", undefined, "swiped the sheet down"),
  more: async () => {
    state.rows += PAGE;
    await attempt(readScreen);
    drawAll();
  },
  submit: async (operation, values) => {
    state.refusal = null;
    const done = await change(operation, values, operation === "log-in" ? "logged in" : "signed up");
    if (done?.credential) await findSessions(done.credential);
    state.refusal = done ? null : state.problem?.message ?? null;
    if (done) state.values = {};
    drawPhoneNow();
  },
};

function goTo(name) {
  const scene = state.storyboard.scenes[name];
  const entry = state.session?.viewControllers.findLast((entry) => entry.scene === name);
  if (entry) return popTo(entry);
  if (scene.path && !scene.parameters.length) return open(scene.path);
  if (!scene.parameters.length) return push(name);
  state.link = scene.path ?? "";
  state.problem = scene.path
    ? new Refusal(0, { title: "A value is missing", detail: `${name} needs ${scene.parameters.join(" and ")}: complete the link ${scene.path} and open it` })
    : new Refusal(0, { title: "No way there", detail: `${name} needs ${scene.parameters.join(" and ")}, and no link leads there: select a row` });
  drawProblem();
  drawDriveNow();
  byID("drive").querySelector("input").focus();
}

const open = (path) => change("open", { path }, `opened ${path}`);
const push = (scene) => change("push", { scene }, `pushed ${scene}`);
const popTo = (entry) => change("pop-to", { viewController: entry.id }, `popped to “${entry.title ?? entry.scene}”`);

// MARK: Other sessions of the account

/** Finds the other sessions that are logged in to the account. The credential stays in this page's memory. */
async function findSessions(credential) {
  state.credential = credential;
  state.others = [];
  try {
    const { sessions } = await api.sendAs(credential, "GET", "/v1/account/sessions?limit=50");
    state.others = sessions.filter((session) => session.id !== api.id);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
  drawHead();
}

/** Goes on with another session, by a token of its own. */
async function continueHere(id) {
  const made = await attempt(() => api.sendAs(state.credential, "POST", `/v1/account/sessions/${id}/tokens`, { name: "Inspector" }));
  if (!made) return;
  state.others = [];
  attach(id, made.token);
}

// MARK: Looking back

function select(revision) {
  const isLatest = revision === state.session?.revision;
  state.selected = isLatest ? null : revision;
  state.motion = null;
  drawAll();
}

async function readEarlier() {
  const first = state.entries.find((entry) => entry.events.length)?.events[0].seq ?? state.earlier + 1;
  const events = [];
  for (let after = 0; after !== null && after < first - 1;) {
    const page = await attempt(() => api.send("GET", `${api.path}/events?limit=1000&after=${after}`, undefined, "read earlier events"));
    if (!page) break;
    events.push(...page.events.filter((event) => event.seq < first));
    after = page.next;
  }
  const byRevision = Map.groupBy(events, (event) => event.revision);
  const older = [...byRevision].map(([revision, events]) => ({ revision, from: null, transition: null, reason: null, popped: [], events, session: null, date: null, by: "" }));
  const known = state.entries[0];
  // The session was opened to this page at a revision whose events are among these.
  const own = older.find((entry) => entry.revision === known?.revision);
  if (own) known.events = own.events;
  state.entries.unshift(...older.filter((entry) => entry !== own));
  state.earlier = 0;
  drawTime();
}

/** The requests of this page as a case of the conformance tests. */
function conformance() {
  const steps = state.log.filter((entry) => entry.operation && entry.method !== "GET" && entry.operation !== "log-in" && entry.operation !== "sign-up")
    .map((entry) => {
      const expected = entry.result
        ? { changed: entry.result.changed, transition: entry.result.transition } : { status: entry.status, code: entry.problem?.code };
      return [entry.operation, entry.body ?? {}, expected];
    });
  return JSON.stringify({ id: "recorded", storyboard: state.storyboard.name.toLowerCase().replaceAll(" ", "-"), steps });
}

const exported = () => JSON.stringify(state.entries.map(({ revision, transition, events, session, date, by }) => ({ revision, transition, by, date, events, session })), null, 1);

// MARK: Drawing

function drawAll() {
  drawHead();
  drawPhoneNow();
  drawTime();
  drawDriveNow();
  drawLogs();
  graph?.mark(past()?.session ?? state.session);
}

const past = () => (state.selected === null ? null : state.entries.find((entry) => entry.revision === state.selected));

function drawPhoneNow() {
  const entry = past();
  const session = entry ? entry.session : state.session;
  const top = session?.viewControllers.at(-1).id;
  const screen = entry ? entry.screen : session && state.screens.get(top);
  if (state.valuesOf !== top) Object.assign(state, { values: {}, valuesOf: top, refusal: null });
  const note = entry && h("p", { class: "past" }, `Revision ${entry.revision} of ${state.session.revision} `,
    h("button", { type: "button", class: "small", "data-key": "live", onclick: () => select(state.session.revision) }, "Back to live"));
  const error = entry && !session ? "This page did not see this revision." : state.screenProblem;
  // What has not changed is left alone, with its scroll position.
  const key = JSON.stringify([session, screen, Boolean(entry), state.refusal, error]);
  if (key === drawn) return;
  drawn = key;
  const place = byID("phone");
  const scroll = place.querySelector(".screen .content")?.scrollTop ?? 0;
  const isSame = place.dataset.top === top;
  drawPhone(place, {
    session, screen, screens: state.screens, isPast: Boolean(entry), motion: state.motion, note, error,
    values: state.values, refusal: state.refusal, isShared: sessionStorage.getItem("opened") !== api.id,
  }, actions);
  place.dataset.top = top ?? "";
  state.motion = null;
  const content = place.querySelector(".screen .content");
  if (isSame && content) content.scrollTop = scroll;
}

function drawTime() {
  drawTimeline(byID("timeline"), {
    entries: state.entries, selected: state.selected, latest: state.session?.revision, filter: state.filter, earlier: state.earlier,
  }, { select, earlier: readEarlier, conformance, exported, filter: (text) => { state.filter = text; drawTime(); } });
}

function drawLogs() {
  drawLog(byID("log"), { entries: state.log, api, isTokenShown: state.isTokenShown }, {
    showToken: () => { state.isTokenShown = !state.isTokenShown; drawLogs(); },
  });
}

function drawDriveNow() {
  if (state.storyboard) drawDrive(byID("drive"), state, { open, push, popTo });
}

function drawHead() {
  const { session } = state;
  byID("summary").textContent = session ? `session ${session.id.slice(0, 8)}… · revision ${session.revision} · ${state.storyboard.name}` : "";
  const [name, detail] = state.connection;
  const words = {
    live: "live", connecting: "connecting", paused: "paused while hidden", ended: `ended: ${detail}`,
    waiting: `reconnecting at ${name === "waiting" ? time(new Date(detail)).slice(0, 8) : ""}`,
  };
  const place = byID("connection");
  place.className = name;
  place.textContent = words[name];
  render(byID("panels"), PANELS.map((panel, index) => h("button", {
    type: "button", "data-key": panel, "aria-current": index === state.panel && "true", onclick: () => { state.panel = index; drawHead(); },
  }, panel)));
  document.body.dataset.panel = PANELS[state.panel].toLowerCase();
  render(byID("session-actions"),
    session?.auth.state === "loggedIn" && state.storyboard.loginScene && h("button", { type: "button", class: "link", "data-key": "log-out", onclick: () => change("log-out", undefined, "logged out") }, "Log out"),
    state.others.length > 0 && h("details", { class: "attach" }, h("summary", { "data-key": "others" }, `Continue here (${state.others.length})`),
      h("div", { class: "sheet-of-sessions" }, h("p", {}, "Your other sessions"), h("ul", {}, state.others.map((other) => h("li", {},
        h("button", { type: "button", class: "revision", "data-key": `other${other.id}`, onclick: () => continueHere(other.id) },
          h("b", {}, other.name ?? other.title ?? other.scene), h("span", { class: "when" }, `${other.id.slice(0, 8)}… · ${other.title ?? other.scene}`))))))),
    h("button", { type: "button", class: "link", "data-key": "new", onclick: openAnother }, "New session"));
}

/** Draws the form once: a change of the session must not empty it. */
function drawAttach() {
  const form = h("form", { onsubmit: attachForm },
    h("p", {}, "The person from whom you have these can act in the session, too."),
    h("label", {}, "Session id", h("input", { name: "id", required: true, pattern: "[0-9a-f]{32}", title: "32 hexadecimal digits", autocomplete: "off" })),
    h("label", {}, "Token", h("input", {
      name: "token", required: true, type: "password", pattern: "wps_[0-9a-f]{64}", title: "wps_ and 64 hexadecimal digits", autocomplete: "off",
    })),
    h("button", { class: "small", "data-key": "attach-this" }, "Attach"));
  render(byID("attach"), h("details", { class: "attach" }, h("summary", { "data-key": "attach" }, "Attach"), form));
}

function attachForm(event) {
  event.preventDefault();
  const values = new FormData(event.target);
  event.target.reset();
  event.target.parentElement.open = false;
  attach(values.get("id"), values.get("token"));
}

async function openAnother() {
  Object.assign(api, { id: null, token: null });
  state.log = [];
  await openSession();
}

function drawProblem() {
  const { problem } = state;
  render(byID("problem"), problem && h("div", { class: "problem" },
    h("p", {}, h("b", {}, problem.title), problem.code && h("a", { href: `/problems/${problem.code}`, target: "_blank", rel: "noopener" }, `${problem.status} ${problem.code}`)),
    h("p", {}, problem.message),
    h("button", { type: "button", class: "link", onclick: () => { state.problem = null; drawProblem(); } }, "Dismiss")));
}

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !byID("phone").contains(document.activeElement)) return;
  byID("phone").querySelector("[data-key=back]")?.click();
});

drawAttach();
begin().catch((error) => {
  connection("ended", "the page cannot start");
  render(byID("phone"), h("p", { class: "empty" }, `The page cannot start: ${error.message}. Load it again.`));
});
