// The time line: each revision with its lifecycle events, the newest first.
import { h, render, renderList, time, copyButton, small } from "./dom.js";

const SHOWN = 500;

/** Says what a revision did: "push Jules Verne". */
export function describe(entry) {
  const title = entry.session?.navigationBar?.title ?? entry.session?.viewControllers.at(-1)?.title ?? entry.title;
  const [name, to] = title ? [` ${title}`, ` to ${title}`] : ["", ""];
  if (entry.isWithheld) return "withheld: its log-in has ended";
  switch (entry.transition) {
    case "push": case "present": return `${entry.transition}${name}`;
    case "pop": case "dismiss": case "tab": return `${entry.transition}${to}`;
    case "root": return `root${name}`;
    case "none": return "changed in place";
    default: return entry.revision === 1 ? "opened" : entry.reason && entry.reason !== "opened" ? `continued after ${entry.reason}`
      : entry.from ? `${entry.revision - entry.from} changes` : "before this page";
  }
}

/**
 * Draws the time line.
 * `actions`: `select(revision)`, `filter(text)`, `changes()`, `earlier()`, `flow()`.
 */
export function drawTimeline(place, view, actions) {
  const words = view.filter.trim().toLowerCase();
  const found = view.entries.filter((entry) => !words || text(entry).includes(words));
  const shown = found.slice(-SHOWN).reverse();
  const current = view.selected ?? view.latest;
  if (!place.firstChild) {
    const filter = h("input", { type: "search", placeholder: "Filter: push, vc5", key: "filter", oninput: () => actions.filter(filter.value) });
    place.append(h("div.tools", h("label", h("span.unseen", "Filter the time line"), filter),
      copyButton("Copy as a flow", actions.flow, "flow")), h("ol.timeline"), h("div"));
  }
  renderList(place.children[1], shown.map((entry) => kept(entry, entry.revision === current, actions)));
  render(place.lastChild,
    found.length > SHOWN && h("p.hint", `${found.length - SHOWN} older revisions are not shown.`),
    words && !found.length && h("p.hint", "No revision has these words."),
    view.hasEarlier && small("changes", actions.changes, "Show earlier changes"),
    view.earlier > 0 && small("earlier", actions.earlier, "Show the events before"));
}

const text = (entry) => [entry.revision, describe(entry), entry.events.map((event) => `${event.event} ${event.viewController} ${event.scene}`)]
  .join(" ").toLowerCase();

const items = new WeakMap();

/** Returns the element of a revision, the same one as long as it shows the same. */
function kept(entry, isCurrent, actions) {
  const key = `${isCurrent} ${entry.by} ${describe(entry)} ${entry.events.length} ${entry.isRecorded}`;
  const known = items.get(entry);
  if (known?.key === key) return known.element;
  const element = item(entry, isCurrent, actions);
  items.set(entry, { key, element });
  return element;
}

function item(entry, isCurrent, actions) {
  const count = entry.events.length;
  return h("li", { class: isCurrent ? "current" : null },
    h("button.revision", {
      key: `revision${entry.revision}`, "aria-expanded": String(isCurrent),
      "aria-current": isCurrent && "step", onclick: () => actions.select(entry.revision),
    },
    h("b", `${entry.revision} · ${describe(entry)}`), !isCurrent && count > 0 && h("span.quiet", ` ${count} events`),
    h("span.when", [entry.date && time(entry.date), entry.by].filter(Boolean).join(" · "))),
    isCurrent && count > 0 && h("table", h("caption.unseen", `Events of revision ${entry.revision}`),
      h("tbody", entry.events.map((event) => h("tr",
        h("td", String(event.seq)),
        h("td", { class: event.event.match(/will|did/i)?.[0].toLowerCase() }, event.event),
        h("td", `${event.viewController} ${event.scene}`))))));
}
