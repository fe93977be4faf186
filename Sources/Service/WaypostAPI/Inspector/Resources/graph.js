// The storyboard as a graph, with the place where the session is.
import { copyButton, h, s, render, small } from "./dom.js";
import { NODE, graphOf, path } from "./layout.js";

const KINDS = {
  select: "a row", segue: "a segue", present: "a presentation", unwind: "an unwinding",
  segment: "a segment or a tab", parent: "a link's parent", wall: "the log-in",
};

/** A step of a flow, for people. */
const inWords = (step) => step.replace(/^tap: { place: (\w+).*?# (.*)/, "tap “$2” ($1)").replace(/^([\w-]+):/, "$1");

export class Graph {
  #place; #graph; #nodes = new Map(); #cells = new Map(); #storyboard; #ask; #way = h("div");

  /** Draws a storyboard once. `go(scene)` shows a scene, and `ask(scene)` returns the way to it. */
  constructor(place, storyboard, go, ask) {
    this.#place = place;
    this.#storyboard = storyboard;
    this.#ask = ask;
    // Some browsers do not focus a button that is clicked.
    const choices = (name) => ({ onclick: () => { this.#offer(name); go(name); }, onfocus: () => this.#offer(name) });
    this.#graph = graphOf(storyboard);
    const { nodes, edges, width, height } = this.#graph;
    const used = Object.keys(KINDS).filter((kind) => edges.some((edge) => edge.kind === kind));
    const drawn = [...nodes.values()].map((node) => {
      const label = this.#title(node.name);
      const depth = s("text.depth", { x: node.x, y: node.y - 6 });
      const box = s("g.node", { tabindex: "0", role: "button", "aria-label": `Scene ${label}`, key: `node-${node.name}`, ...choices(node.name) },
        s("title", node.name), s("rect", { x: node.x, y: node.y, width: NODE.width, height: NODE.height, rx: 9 }),
        s("text", { x: node.x + NODE.width / 2, y: node.y + NODE.height / 2 + 4.5 }, label.length > 18 ? `${label.slice(0, 17)}…` : label), depth);
      box.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        go(node.name);
      });
      this.#nodes.set(node.name, { box, depth, label });
      return box;
    });
    const lines = edges.map((edge) => s("path", { class: `edge ${edge.kind}`, d: path(edge), "data-from": edge.from, "data-to": edge.to },
      s("title", `${this.#title(edge.from)} to ${this.#title(edge.to)}: ${KINDS[edge.kind]}`)));
    const svg = s("svg", { width, viewBox: `0 0 ${width} ${height}` },
      s("marker", { id: "head", viewBox: "0 0 6 6", refX: 6, refY: 3, markerWidth: 5, markerHeight: 5, orient: "auto" }, s("path", { d: "M0 0L6 3L0 6z" })), lines, drawn);
    // A wide drawing shrinks a little, and then scrolls.
    svg.style.minWidth = `${width * 0.75}px`;
    render(place,
      h("div.drawing", { tabindex: "0", role: "group", "aria-label": `The scenes of ${storyboard.name}` },
        svg),
      this.#way,
      h("p.legend", used.map((kind) => h("span", s("svg", { width: 34, height: 10, "aria-hidden": "true" },
        s("path", { class: `edge ${kind}`, d: "M1 5H33" })), KINDS[kind]))),
      h("details", h("summary", "The storyboard as a table"), h("table",
        h("thead", h("tr", ["Scene", "Kind", "Now", "Leads to"].map((name) => h("th", { scope: "col" }, name)))),
        h("tbody", [...nodes.keys()].map((name) => {
          const now = h("td");
          this.#cells.set(name, now);
          return h("tr", h("th", { scope: "row" }, h("button.link", choices(name), name)),
            h("td", storyboard.scenes[name].kind), now,
            h("td", edges.filter((edge) => edge.from === name).map((edge) => `${edge.to} (${KINDS[edge.kind]})`).join(", ")));
        })))));
  }

  /** Offers to say how a user gets to a scene. */
  #offer(name) {
    if (this.#way.dataset.scene === name) return;
    this.#way.dataset.scene = name;
    render(this.#way, h("div.line", h("b", name), small("way", async ({ target }) => {
      target.textContent = "Searching…";
      const way = await this.#ask(name);
      if (!target.isConnected) return;
      if (!way) target.textContent = "How do I get here?";
      else render(this.#way, h("div.line", { tabindex: "-1", key: "way" }, way.flow ? [h("b", `From the launch to ${name}`),
        copyButton("Copy as a flow", () => way.text, "copy-way"),
        h("ol.way", (way.flow.length ? way.flow.map(inWords) : ["The launch shows it."]).map((step) => h("li", step)))] : way.text));
    }, "How do I get here?")));
  }

  #title(name) {
    const { title } = this.#storyboard.scenes[name];
    return !title || title.includes("{") ? name : title;
  }

  /** Marks where a session is, and whether a click on a scene does nothing. */
  mark(session, isOff) {
    for (const button of this.#place.querySelectorAll("th button")) button.disabled = isOff;
    this.#place.classList.toggle("off", isOff);
    const stack = session?.viewControllers ?? [];
    const others = (session?.layers ?? []).flatMap((layer) => layer.navigationControllers.flatMap((holder) => holder.viewControllers));
    const last = stack.length - 1;
    for (const [name, { box, depth, label }] of this.#nodes) {
      const places = stack.flatMap((entry, index) => (entry.scene === name ? [index] : []));
      const isVisible = places.includes(last);
      const isLoaded = places.length || others.some((entry) => entry.scene === name);
      box.setAttribute("class", `node ${isVisible ? "visible" : places.length ? "stacked" : isLoaded ? "kept" : ""}`);
      const where = isVisible ? `${last + 1} · visible` : places.length ? `${places.length > 3 ? `${places.length} times` : places.map((index) => index + 1).join(", ")} on the stack` : isLoaded ? "on another stack" : "";
      depth.textContent = where;
      box.setAttribute("aria-disabled", String(isOff));
      box.setAttribute("aria-label", `Scene ${label}${where && `, ${where}`}`);
      this.#cells.get(name).textContent = where;
    }
    for (const edge of this.#place.querySelectorAll(".drawing .edge")) {
      const index = stack.findIndex((entry) => entry.scene === edge.dataset.to);
      edge.classList.toggle("taken", index > 0 && stack[index - 1].scene === edge.dataset.from);
    }
  }
}
