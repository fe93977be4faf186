// The inspector: one session as a phone, a time line, a graph and the requests that drive it.
import { API, NoConnection, Refusal } from "./api.js";
import { byID, h, render, small } from "./dom.js";
import { Graph } from "./graph.js";
import { ENDS, drawAttach, drawHead } from "./head.js";
import { merged, readRevision, recordedChanges, recordedEvents } from "./history.js";
import { drawDrive, drawLog, needed } from "./log.js";
import { drawPhone } from "./phone.js";
import { replay } from "./replay.js";
import { ChangeStream } from "./stream.js";
import { describe, drawTimeline } from "./timeline.js";

const KEPT = 2000; // Revisions in memory; the time line shows the newest 500 of them.
const PAGE = 100;

/** What the page knows of a session. */
const nothing = () => ({
  session: null, message: null, entries: [], selected: null, earlier: 0, screens: new Map(), own: new Set(), rows: PAGE, values: {}, valuesOf: null, refusal: null, result: null,
  end: null, hasEarlier: false, connection: ["connecting", null], screenProblem: null,
});
const state = { ...nothing(), storyboard: null, filter: "", link: "", log: [], isTokenShown: false, panel: 0, others: [], credential: null, motion: null, problem: null };
const api = new API((entry) => { state.log.push(entry); drawLogs(); });
let stream = null;
let graph = null;
let drawn = "";
let announcing = 0;
let refreshing = false;

// MARK: The session

async function begin() {
  refuseLink();
  await readStoryboard();
  const kept = sessionStorage.getItem("session");
  if (kept) attach(...kept.split(" "));
  else await openSession();
}

/** Reads the storyboard, and draws what depends on it alone if it is another one. */
async function readStoryboard() {
  const storyboard = await new API().send("GET", "/v1/storyboard");
  if (JSON.stringify(storyboard) === JSON.stringify(state.storyboard)) return;
  state.storyboard = storyboard;
  document.title = `${storyboard.name} · Waypost`;
  graph = new Graph(byID("graph"), storyboard, goTo, (name) => attempt(() => new API().send("GET", `/inspector/ways/${encodeURIComponent(name)}`)));
  drawHeadNow();
  drawMap();
  drawDriveNow();
}

/** The page takes no session from its address, which browsers record. */
function refuseLink() {
  if (!/^#(session|token)=/.test(location.hash)) return;
  history.replaceState(null, "", location.pathname);
  state.problem = new Refusal(0, {
    title: "This link names a session",
    detail: "The page uses no session from a link: the author of the link can act in it, too. Enter the id and the token at Attach.",
  });
  drawProblem();
}

async function openSession(body = {}) {
  const opened = await attempt(() => new API(api.note).send("POST", "/v1/sessions", body, "open a session"));
  if (!opened) {
    if (!api.id) connection("ended", { title: "No session is open", detail: state.problem.message });
    return;
  }
  sessionStorage.setItem("opened", opened.id);
  state.log = state.log.slice(-1);
  attach(opened.id, opened.token);
  return opened;
}

async function openAnother() {
  await openSession();
  // The button in the phone is gone.
  if (document.activeElement === document.body) focusSoon(1);
}

function attach(id, token) {
  stream?.close();
  Object.assign(api, { id, token });
  Object.assign(state, nothing());
  sessionStorage.setItem("session", `${id} ${token}`);
  stream = new ChangeStream(`${api.path}/changes`, token, { message, state: connection, end: (reason) => connection("ended", ENDS[reason]) });
  drawAll();
}

function connection(name, detail) {
  state.connection = [name, detail];
  const isEnd = name === "ended";
  if ((isEnd || name === "live") && state.problem instanceof NoConnection) {
    state.problem = null;
    drawProblem();
  }
  if (!isEnd) {
    drawHeadNow();
    return state.session || drawPhoneNow();
  }
  Object.assign(state, { end: detail, selected: null });
  byID("announcement").textContent = detail.title;
  drawAll();
}

/** Takes a message of the stream. The response to this page's own change may come before or after it. */
function message(type, data) {
  // A reload of the app ends the stream. The next one begins with a snapshot, mostly of the same revision.
  if (type === "snapshot") readStoryboard().catch(() => {});
  const { revision, from, transition, reason, events = [], session } = data;
  const last = state.entries.at(-1);
  if (revision < last?.revision) return;
  if (!last) {
    state.earlier = data.lastEvent;
    if (revision > 1) readChanges(revision);
  }
  if (revision === last?.revision) last.session = session;
  else state.entries.push({ revision, from, transition, reason, events, session, date: new Date(), by: "" });
  if (state.entries.length > KEPT) state.entries.splice(0, state.entries.length - KEPT);
  state.message = data;
  if (session) show(session, data);
  refresh();
}

/** Takes a session, which the message of a change has or is about. */
function show(session, { from, transition }) {
  if (session.revision < state.session?.revision) return;
  // The end of a log-in, such as a log-out, revokes its credential.
  if (state.session?.auth.state === "loggedIn" && session.auth.state !== "loggedIn") Object.assign(state, { others: [], credential: null });
  const top = session.viewControllers.at(-1).id;
  const isSingle = from === session.revision - 1;
  if (top !== state.shown) state.rows = PAGE;
  state.motion = isSingle && top !== state.shown && !document.hidden
    ? { push: "push", pop: "pop", present: "up", dismiss: "fade", tab: "fade", root: "fade" }[transition] ?? null : null;
  state.shown = top;
  state.session = session;
  Object.assign(entryOf(session.revision) ?? {}, { session });
}

/** Reads what the last message leaves out and draws it. Messages that come meanwhile are drawn together. */
async function refresh() {
  if (refreshing) return;
  refreshing = true;
  for (let latest = null; state.message && latest !== state.message;) {
    latest = state.message;
    await readScreen(latest);
    attribute();
    drawAll();
    announce();
    await new Promise((resolve) => { setTimeout(resolve, 16); });
  }
  refreshing = false;
}

async function readScreen(message) {
  const { id } = api;
  try {
    // A message leaves out a large session.
    const session = message?.session === null && await api.send("GET", api.path);
    const [screen, revision] = await api.screen(state.rows);
    if (api.id !== id) return;
    if (session) show(session, message);
    state.screens.set(screen.viewController, screen);
    const entry = entryOf(revision);
    if (entry) entry.screen = screen;
    state.screenProblem = null;
  } catch (error) {
    if (api.id === id) state.screenProblem = error.message;
  }
}

// The author of a change is known when both the response and the message have come.
function attribute() {
  for (const entry of state.entries.slice(-20)) {
    entry.by = entry.reason || entry.isRecorded ? "" : state.own.has(entry.revision) ? "this page" : "another client";
  }
}

function announce() {
  clearTimeout(announcing);
  // Quick changes are one announcement.
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

/** Performs `{ name: body }`. */
async function change(operation, label) {
  const result = await attempt(() => api.perform(operation, label));
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
  const title = byID("phone").querySelector("[data-key=title]");
  if (state.session?.revision >= revision && title) title.focus({ preventScroll: true });
  else if (tries > 0) setTimeout(() => focusSoon(revision, tries - 1), 25);
}

const actions = {
  tap: (tap) => change({ tap: { place: tap.place, index: tap.index } }, `tap “${tap.title}”`),
  swipeBack: (completed) => change({ swipeBack: { completed } }, "swipe back"),
  swipeDown: () => change({ swipeDown: undefined }, "swipe the sheet down"),
  more: async () => {
    state.rows += PAGE;
    await readScreen();
    drawAll();
  },
  submit: async (operation, values) => {
    state.refusal = null;
    const done = await change({ [operation]: values }, operation.replace("-", " "));
    if (done?.credential) await findSessions(done.credential);
    const { errors, message } = state.problem ?? {};
    // A person knows fields, not JSON Pointers.
    state.refusal = done ? null : errors?.map(({ pointer, detail }) => (pointer ? `${pointer[1].toUpperCase()}${pointer.slice(2)}: ${detail}` : detail)).join("; ") || message;
    if (done) state.values = {};
    drawPhoneNow();
  },
};

function goTo(name) {
  if (isOff()) return;
  const scene = state.storyboard.scenes[name];
  const entry = state.session?.viewControllers.findLast((entry) => entry.scene === name);
  if (entry) return popTo(entry);
  const [path, names] = [[scene.path].flat()[0], needed(scene)];
  if (!names.length) return path && !path.includes("{") ? open(path) : push(name);
  state.link = path ?? "";
  state.problem = new Refusal(0, {
    title: path ? "A value is missing" : "No way there",
    detail: `${name} needs ${names.join(" and ")}: ${path ? `complete the link ${path} and open it` : "select a row"}`,
  });
  drawProblem();
  drawDriveNow();
  byID("drive").querySelector("input").focus();
}

const open = (link) => change({ open: { [/^[\w+.-]+:/.test(link) ? "url" : "path"]: link } }, `open ${link}`);
const setFlag = (name, value) => change({ setFlags: { flags: { [name]: value } } }, `set ${name}`);
const push = (scene) => change({ push: { scene } }, `push ${scene}`);
const popTo = (entry) => change({ popTo: { viewController: entry.id } }, `pop to “${entry.title ?? entry.scene}”`);

async function replayTrace(file) {
  const result = await replay(await file.text(), api, openSession, change)
    .catch((error) => (error instanceof Refusal ? error.message : `This is no trace: ${error.message}`));
  Object.assign(state, { result });
  drawDriveNow();
}

// MARK: Other sessions of the account

/** Finds the other sessions that are logged in to the account. The credential stays in this page's memory. */
async function findSessions(credential) {
  state.credential = credential;
  state.others = [];
  try {
    const { items } = await api.sendAs(credential, "GET", "/v1/account/sessions?limit=50");
    state.others = items.filter((session) => session.id !== api.id);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
  drawHeadNow();
}

/** Goes on with another session, by a token of its own. */
async function continueHere(id) {
  const made = await attempt(() => api.sendAs(state.credential, "POST", `/v1/account/sessions/${id}/tokens`, { name: "Inspector" }));
  if (!made) return;
  state.others = [];
  attach(id, made.token);
}

/** The walk of another session as a flow file, by a token that is revoked at once. */
const flowOf = (id) => attempt(async () => {
  const path = `/v1/account/sessions/${id}/tokens`;
  const made = await api.sendAs(state.credential, "POST", path, { name: "Inspector" });
  try {
    return await api.sendAs(made.token, "GET", `/v1/sessions/${id}/flow`);
  } finally {
    await api.sendAs(state.credential, "DELETE", `${path}/${made.id}`);
  }
});

// MARK: Looking back

async function select(revision) {
  if (!state.session) return;
  state.selected = revision === state.session.revision ? null : revision;
  state.motion = null;
  const entry = past();
  drawAll();
  if (!entry || state.end || (entry.session && entry.screen)) return;
  await readRevision(entry, api);
  drawAll();
}

/** Reads the recorded changes up to the revision `last`. */
async function readChanges(last) {
  const { id } = api;
  let [found, hasEarlier] = [[], false];
  try {
    [found, hasEarlier] = await recordedChanges(api, last);
  } catch (error) {
    // The time line then has what the page itself sees.
    if (!(error instanceof Refusal)) throw error;
  }
  if (api.id !== id) return;
  Object.assign(state, { entries: merged(state.entries, found), hasEarlier });
  drawTime();
}

async function readEvents() {
  const first = state.entries.find((entry) => entry.events.length)?.events[0].seq ?? state.earlier + 1;
  const { id } = api;
  const found = await attempt(() => recordedEvents(api, first));
  if (!found || api.id !== id) return;
  Object.assign(state, { entries: merged(state.entries, found), earlier: 0 });
  drawTime();
}

/** The walk of the session as a flow file (docs/history.md). */
const flow = () => attempt(() => api.send("GET", `${api.path}/flow`));

// MARK: Drawing

function drawAll() {
  drawHeadNow();
  drawPhoneNow();
  drawTime();
  drawDriveNow();
  drawLogs();
  drawMap();
}

const drawMap = () => graph?.mark(past()?.session ?? state.session, isOff());

const entryOf = (revision) => state.entries.find((entry) => entry.revision === revision);
const past = () => entryOf(state.selected);

/** Whether the page can only look: at the past, at a session that has ended, or at none yet. */
const isOff = () => Boolean(past() || state.end || !state.session);

const bar = (kind, title, detail, key, label, action) => h("div", { class: `state ${kind}` },
  h("p", h("b", title), detail), action && small(key, action, label));

function drawPhoneNow() {
  const [entry, { end }] = [past(), state];
  const session = entry ? entry.session : state.session;
  const top = session?.viewControllers.at(-1).id;
  const screen = entry ? entry.screen : session && state.screens.get(top);
  if (state.valuesOf !== top) Object.assign(state, { values: {}, valuesOf: top, refusal: null });
  const error = entry ? entry.problem ?? (end && !(session && screen) ? "The page cannot read this revision any more." : null)
    : session || state.screenProblem ? state.screenProblem : end ? "" : state.connection[0] === "waiting" ? "The service does not answer. The page asks again." : null;
  // Unchanged parts are left alone and keep their scroll position.
  const key = JSON.stringify([session, screen, end, entry && [entry.revision, state.session.revision], state.refusal, error]);
  if (key === drawn) return;
  drawn = key;
  const place = byID("phone");
  const scroll = place.querySelector(".screen .content")?.scrollTop ?? 0;
  const isSame = place.dataset.top === top;
  drawPhone(place, {
    ...state, session, screen, error, isOff: isOff(), isShared: sessionStorage.getItem("opened") !== api.id,
    bars: [
      end && bar("ended", `${end.title}. `, end.detail, "new-session", "New session", state.storyboard && openAnother),
      entry && bar("past", `Revision ${entry.revision} of ${state.session.revision}`, null, "live", end ? "Back to the last revision" : "Back to live", () => select(state.session.revision)),
    ],
  }, actions);
  place.dataset.top = top ?? "";
  state.motion = null;
  const content = place.querySelector(".screen .content");
  if (isSame && content) content.scrollTop = scroll;
}

function drawTime() {
  drawTimeline(byID("timeline"), { ...state, latest: state.session?.revision }, {
    select, earlier: readEvents, changes: () => readChanges(state.entries[0].revision - 1), flow, filter: (text) => { state.filter = text; drawTime(); },
  });
}

function drawLogs() {
  drawLog(byID("log"), { entries: state.log, api, isTokenShown: state.isTokenShown }, {
    showToken: () => { state.isTokenShown = !state.isTokenShown; drawLogs(); },
  });
}

function drawDriveNow() {
  if (state.storyboard) drawDrive(byID("drive"), { ...state, session: past()?.session ?? state.session, isOff: isOff() }, { open, push, popTo, setFlag, start: openSession, replay: replayTrace });
}

const drawHeadNow = () => drawHead({ ...state, past: past(), isOff: isOff() }, {
  panel: (panel) => { state.panel = panel; drawHeadNow(); },
  logOut: () => change({ logOut: undefined }, "log out"), continueHere, flowOf, open: openAnother,
});

function drawProblem() {
  const { problem } = state;
  render(byID("problem"), problem && h("div.problem",
    h("p", h("b", problem.title), problem.code && h("a", { href: `/problems/${problem.code}`, target: "_blank", rel: "noopener" }, `${problem.status} ${problem.code}`)),
    h("p", problem.message),
    h("button.link", { onclick: () => { state.problem = null; drawProblem(); } }, "Dismiss")));
}

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !byID("phone").contains(document.activeElement)) return;
  byID("phone").querySelector("[data-key=back]")?.click();
});

drawAttach(attach);
begin().catch((error) => {
  connection("ended", { title: "The page cannot start", detail: `${error.message}. Load it again.` });
});
