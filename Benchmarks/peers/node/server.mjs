// The same work on Node's `http`: one object per session, push and pop.
//
// One process, and so one core: the sessions are plain objects, which a cluster's workers cannot
// share.

import crypto from "node:crypto";
import http from "node:http";

const SCENES = {
  authors: { title: "Authors", kind: "table", rows: 15, bottomBar: "15 authors", segment: 0, link: "/authors" },
  titles: { title: "Titles", kind: "table", rows: 65, bottomBar: null, segment: null, link: null },
};
const SEGMENTS = [
  { title: "Authors", viewController: "vc1" },
  { title: "Titles", viewController: null },
];
const LIFETIME = 30 * 24 * 3600 * 1000;
const BODY_LIMIT = 64 * 1024;

const sessions = new Map();

class Refusal extends Error {
  constructor(status, code, detail) {
    super(detail);
    this.status = status;
    this.code = code;
  }
}

const hash = (text) =>
  // The one-shot form is new in Node 20.12, and faster.
  crypto.hash
    ? crypto.hash("sha256", text, "buffer")
    : crypto.createHash("sha256").update(text).digest();

function makeViewController(session, scene) {
  session.lastID += 1;
  return {
    id: `vc${session.lastID}`,
    scene,
    title: SCENES[scene].title,
    parameters: {},
    isViewLoaded: true,
    hidesBottomBarWhenPushed: false,
    navigationItem: {
      title: null,
      backButtonTitle: null,
      hidesBackButton: false,
      leftItems: [],
      leftItemsSupplementBackButton: false,
      rightItems: [],
    },
  };
}

function openSession() {
  const token = `wps_${crypto.randomBytes(32).toString("hex")}`;
  const now = Date.now();
  const session = {
    id: crypto.randomBytes(16).toString("hex"),
    tokenHash: hash(token),
    revision: 1,
    createdAt: now,
    expiresAt: now + LIFETIME,
    lastID: 0,
    lastEvent: 5,
    viewControllers: [],
  };
  session.viewControllers.push(makeViewController(session, "authors"));
  sessions.set(session.id, session);
  return { session, token };
}

function navigationBar(session) {
  const count = session.viewControllers.length;
  const top = session.viewControllers[count - 1];
  const item = top.navigationItem;
  const showsBackButton =
    count > 1 &&
    !item.hidesBackButton &&
    (item.leftItems.length === 0 || item.leftItemsSupplementBackButton);
  let backButton = null;
  if (showsBackButton) {
    const below = session.viewControllers[count - 2];
    backButton = {
      title:
        below.navigationItem.backButtonTitle || below.navigationItem.title || below.title || "Back",
    };
  }
  return {
    title: item.title ?? top.title,
    titleView: SCENES[top.scene].segment !== null && count === 1 ? "segmentedControl" : null,
    backButton,
    leftItems: item.leftItems,
    rightItems: item.rightItems,
  };
}

function describe(session) {
  const top = session.viewControllers[session.viewControllers.length - 1];
  const scene = SCENES[top.scene];
  return {
    id: session.id,
    name: null,
    revision: session.revision,
    lifecycle: "forwarded",
    createdAt: new Date(session.createdAt).toISOString(),
    expiresAt: new Date(session.expiresAt).toISOString(),
    auth: { state: "loggedIn", username: "bench" },
    window: { root: "app" },
    viewControllers: session.viewControllers,
    navigationBar: navigationBar(session),
    segmentedControl: { selectedIndex: 0, segments: SEGMENTS },
    bottomBar: { text: scene.bottomBar, isHidden: top.hidesBottomBarWhenPushed },
    toolbar: { items: [], isHidden: true },
    screen: { kind: scene.kind, numberOfRows: scene.rows },
    tabBar: null,
    layers: null,
    flags: {},
    pending: null,
    pendingLink: null,
    link: scene.link,
  };
}

function lifecycleEvents(session, shown, left, isFirstTime, animated) {
  const events = [];
  const add = (event, { id, scene }) => {
    session.lastEvent += 1;
    events.push({
      seq: session.lastEvent,
      revision: session.revision,
      event,
      viewController: id,
      scene,
      animated,
    });
  };
  if (isFirstTime) add("viewDidLoad", shown);
  add("willShow", shown);
  add("viewWillDisappear", left);
  add("viewWillAppear", shown);
  add("didShow", shown);
  add("viewDidDisappear", left);
  add("viewDidAppear", shown);
  return events;
}

function change(session, operation, body) {
  const { animated = true, ...rest } = body;
  if (typeof animated !== "boolean") throw new Refusal(422, "invalid-body", "/animated");
  const stack = session.viewControllers;
  const left = stack[stack.length - 1];
  let popped = [];
  if (operation === "push") {
    if (typeof rest.scene !== "string") throw new Refusal(422, "invalid-body", "/scene");
    if (!Object.hasOwn(SCENES, rest.scene)) throw new Refusal(404, "scene-not-found", rest.scene);
    stack.push(makeViewController(session, rest.scene));
  } else if (stack.length > 1) {
    popped = [stack.pop()];
  } else {
    return { changed: false, transition: "none", popped, events: [], session: describe(session) };
  }
  session.revision += 1;
  session.expiresAt = Date.now() + LIFETIME;
  const isPush = operation === "push";
  const events = lifecycleEvents(session, stack[stack.length - 1], left, isPush, animated);
  return { changed: true, transition: operation, popped, events, session: describe(session) };
}

function find(id, request) {
  const [scheme, token] = (request.headers.authorization ?? "").split(" ");
  if (scheme !== "Bearer" || !token) throw new Refusal(401, "unauthorized", "no token");
  const session = sessions.get(id);
  if (!session || !crypto.timingSafeEqual(session.tokenHash, hash(token)))
    throw new Refusal(404, "session-not-found", "no such session");
  return session;
}

function parse(text) {
  if (text === "") return {};
  let body;
  try {
    body = JSON.parse(text);
  } catch {
    throw new Refusal(400, "malformed-json", "not JSON");
  }
  if (body === null || typeof body !== "object" || Array.isArray(body))
    throw new Refusal(422, "invalid-body", "not an object");
  return body;
}

function send(response, status, value, revision) {
  const bytes = Buffer.from(JSON.stringify(value));
  const headers = {
    "Content-Type": "application/json",
    "Cache-Control": "no-store",
    "Content-Length": bytes.length,
  };
  if (revision !== undefined) headers.ETag = `"${revision}"`;
  response.writeHead(status, headers);
  response.end(bytes);
}

function respond(request, text, response) {
  const [, version, collection, id, operation] = request.url.split("/");
  if (version !== "v1" || collection !== "sessions") throw new Refusal(404, "not-found", "path");
  if (id === undefined && request.method === "POST") {
    const { session, token } = openSession();
    send(response, 201, { ...describe(session), token }, session.revision);
  } else if (operation === undefined && request.method === "GET") {
    const session = find(id, request);
    send(response, 200, describe(session), session.revision);
  } else if ((operation === "push" || operation === "pop") && request.method === "POST") {
    const session = find(id, request);
    const answer = change(session, operation, parse(text));
    send(response, 200, answer, session.revision);
  } else {
    throw new Refusal(404, "not-found", "path");
  }
}

const server = http.createServer((request, response) => {
  const pieces = [];
  let size = 0;
  request.on("data", (piece) => {
    size += piece.length;
    if (size <= BODY_LIMIT) pieces.push(piece);
  });
  request.on("end", () => {
    try {
      if (size > BODY_LIMIT) throw new Refusal(413, "content-too-large", "the body");
      respond(request, Buffer.concat(pieces).toString("utf8"), response);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { status, code, message } = error;
      send(response, status, { status, code, detail: message });
    }
  });
});

server.listen(0, "127.0.0.1", () =>
  console.log(`serves at http://127.0.0.1:${server.address().port}`),
);
process.on("SIGTERM", () => process.exit(0));
