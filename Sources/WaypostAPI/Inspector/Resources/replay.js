// Repeats the actions of a recorded trace (docs/testing.md) in a new session, up to the first stack that differs.

const MEMBERS = {
  open: "path", push: "scene", show: "scene", present: "scene", "perform-segue": "identifier", unwind: "action", tap: "title", "set-flags": "flags",
};
const PLACES = { "select-row": "row", "tap-tab": "tab", "select-segment": "segment" };

/** Returns the operation and its body for an action in the short form of a trace. */
function operation(did, scenes) {
  const [name, value] = typeof did === "string" ? [did] : Object.entries(did)[0];
  if (name in PLACES) {
    return typeof value === "string" ? ["tap", { place: PLACES[name], title: value }]
      : [name, Number.isInteger(value) ? { [name === "select-row" ? "row" : "index"]: value } : value];
  }
  if (name === "swipe-back") return [name, { completed: value !== "cancelled" }];
  // The app's accounts are not those of the service.
  if (name === "log-in" || name === "sign-up") return signUp(value);
  return [name, name in MEMBERS && (name === "set-flags" || typeof value === "string") ? { [MEMBERS[name]]: scenes[value] ?? value } : value];
}

const signUp = (user) => ["sign-up", {
  username: `${user.username ?? user}-${Math.random().toString(36).slice(2, 8)}`, password: "the replay of a trace",
}];

/** `open(body)` opens a session and `change(operation, label)` changes it; both return what the service answers. Returns the result in words. */
export async function replay(text, open, change) {
  const [{ waypostTrace, lifecycle, flags, username, scenes = {} }, ...steps] = text.trim().split("\n").map((line) => JSON.parse(line));
  if (!waypostTrace) return "The first line is not that of a trace.";
  let session = await open({ lifecycle, flags });
  const act = async ([name, body], label) => { session = (await change({ [name]: body }, label))?.session ?? session; };
  if (username && session) await act(signUp(username), "sign up");
  for (const [index, { did, stack }] of steps.entries()) {
    if (!session) return "";
    // Apps that record no swipe from the edge are the most frequent ones.
    const action = did ?? (index > 0 && stack?.length < session.viewControllers.length && "swipe-back");
    if (action) await act(operation(action, scenes), `line ${index + 2}`);
    const shown = session.viewControllers;
    const isSame = ({ scene, title }, { scene: recorded, title: name = title }) => (scenes[recorded] ?? recorded ?? scene) === scene && name === title;
    const entries = stack?.map((entry) => (typeof entry === "string" ? { title: entry } : entry));
    if (entries && !(entries.length === shown.length && entries.every((entry, at) => isSame(shown[at], entry)))) {
      const words = (list) => list.map(({ scene, title }) => title ?? scene).join(" › ");
      return `Line ${index + 2} differs: the app shows ${words(entries)}, the rules ${words(shown)}. waypost verify says more.`;
    }
  }
  return `${steps.length} steps show the stacks of the trace.`;
}
