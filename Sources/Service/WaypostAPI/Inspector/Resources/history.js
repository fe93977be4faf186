// What the service has recorded of a session (docs/history.md): its changes, events and earlier revisions.

const PAGE = 100;

/** Returns `entries` with the parts of entries that were found. */
export const merged = (entries, found) => {
  const all = new Map(entries.map((entry) => [entry.revision, entry]));
  for (const part of found) {
    const known = all.get(part.revision);
    if (known) Object.assign(known, part);
    else all.set(part.revision, { events: [], by: "", isRecorded: true, ...part });
  }
  return [...all.values()].sort((one, other) => one.revision - other.revision);
};

/** Reads a page after an item, or the oldest page if the list has lost what comes before it. */
async function readPage(api, list, after, label) {
  const read = (start) => api.send("GET", `${api.path}/${list}&after=${start}`, undefined, label);
  try {
    return await read(after);
  } catch (error) {
    if (error.after == null) throw error;
    return { ...await read(error.after), isLost: true };
  }
}

/** Reads up to 100 recorded changes, the last of which made the revision `last`, and whether the service has earlier ones. */
export async function recordedChanges(api, last) {
  const found = [];
  const first = Math.max(0, last - PAGE);
  let isWhole = true;
  for (let after = first; after !== null && after < last;) {
    const { items, next, isLost } = await readPage(api, `history?limit=${PAGE}`, after);
    found.push(...items);
    if (isLost) isWhole = false;
    after = next && Number(next);
  }
  if (first === 0 && isWhole && found.length) found.push({ revision: 1 });
  const changes = found.filter(({ revision }) => revision <= last).map(({ revision, transition, title, time, withheld }) => ({
    revision, transition, title, isWithheld: withheld, reason: null, isRecorded: true, date: time ? new Date(time) : null,
  }));
  return [changes, first > 0 && isWhole && changes.length > 0];
}

/** Reads all recorded events before the event `first`, by revision. */
export async function recordedEvents(api, first) {
  const events = [];
  for (let after = 0; after !== null && after < first - 1;) {
    const page = await readPage(api, "events?limit=1000", after, "read earlier events");
    events.push(...page.items.filter((event) => event.seq < first));
    after = page.next && Number(page.next);
  }
  return [...Map.groupBy(events, (event) => event.revision)].map(([revision, events]) => ({ revision, events }));
}

/** Reads what the session and its screen were at the revision of `entry`, or why nobody can see it. */
export async function readRevision(entry, api) {
  entry.problem = null;
  try {
    entry.session ??= await api.send("GET", `${api.path}?revision=${entry.revision}`);
    entry.screen ??= await api.send("GET", `${api.path}/screen?revision=${entry.revision}&limit=${PAGE}`);
  } catch (error) {
    entry.problem = error.message;
  }
}
