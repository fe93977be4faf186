// Repeats the actions of a recorded trace (docs/testing.md) in a new session, up to the first stack that differs.

const MEMBERS = {
  open: "path", push: "scene", show: "scene", present: "scene", performSegue: "identifier", unwind: "action", tap: "title", setFlags: "flags",
};
const PLACES = { selectRow: "row", tapTab: "tab", selectSegment: "segment" };

/** Returns the operation, such as `{ pop: undefined }`, for an action in the short form of a trace. */
function operation(did, scenes) {
  const [text, value] = typeof did === "string" ? [did] : Object.entries(did)[0];
  const name = text.replace(/-./g, (part) => part[1].toUpperCase());
  const isShort = value?.constructor !== Object;
  if (name in PLACES && isShort) {
    return typeof value === "string" ? { tap: { place: PLACES[name], title: value } } : { [name]: { [name === "selectRow" ? "row" : "index"]: value } };
  }
  if (name === "swipeBack") return { swipeBack: { completed: value !== "cancelled" } };
  // The app's accounts are not those of the service.
  if (name === "logIn" || name === "signUp") return signUp(value);
  return { [name]: name in MEMBERS && (isShort || name === "setFlags") ? { [MEMBERS[name]]: scenes[value] ?? value } : value };
}

const signUp = (user) => ({
  signUp: { username: `${user.username ?? user}-${Math.random().toString(36).slice(2, 8)}`, password: "the replay of a trace" },
});

/** `open(body)` opens a session and `change(operation, label)` changes it; both return what the service answers. Returns the result in words. */
export async function replay(text, open, change) {
  const [{ waypostTrace, lifecycle, flags, username, scenes = {} }, ...steps] = text.trim().split("\n").map((line) => JSON.parse(line));
  if (!waypostTrace) return "The first line is not that of a trace.";
  let session = await open({ lifecycle, flags });
  const act = async (...step) => { session = (await change(...step))?.session ?? session; };
  if (username && session) await act(signUp(username), "sign up");
  for (const [index, { did, stack }] of steps.entries()) {
    if (!session) return "";
    // Most apps do not record a swipe from the edge.
    const isSwipe = index > 0 && stack?.length < session.viewControllers.length;
    const action = did ? operation(did, scenes) : isSwipe && { swipeBack: { completed: true } };
    if (action) await act(action, `line ${index + 2}`);
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
