// The requests that this page made, as curl commands, and the ways to make others.
import { h, render, copyButton, small } from "./dom.js";

/** `view`: `{entries, api, isTokenShown}`; `actions`: `showToken()`. */
export function drawLog(place, view, actions) {
  const { entries, api } = view;
  render(place,
    h("div", { class: "command" },
      h("p", { class: "comment" }, "# the commands below need these lines"),
      h("pre", { tabindex: "0" }, api.setUp(view.isTokenShown ? api.token : "…")),
      h("div", { class: "tools" },
        h("button", { class: "small", "data-key": "token", "aria-pressed": String(view.isTokenShown), onclick: actions.showToken },
          view.isTokenShown ? "Hide the token" : "Show the token"),
        copyButton("Copy with the token", () => api.setUp(api.token), "copy-token"),
        copyButton("Copy all as a script", () => script(entries, api), "copy-all"))),
    entries.slice(-100).reverse().map((entry, index) => h("div", { class: `command ${entry.problem ? "refused" : ""}` },
      h("p", { class: "comment" }, `# ${entry.label}${entry.problem ? " refused" : ""} · ${entry.status || "no answer"} · ${entry.milliseconds.toFixed(1)} ms${entry.result?.session ? ` · revision ${entry.result.session.revision}` : ""}`),
      h("pre", { tabindex: "0" }, colored(entry.command)),
      h("div", { class: "tools" }, copyButton("Copy", () => entry.command, `copy${entries.length - index}`)))),
    !entries.length && h("p", { class: "hint" }, "Tap something in the phone: the command that does the same appears here."));
}

const colored = (command) => command.split(/(\$\w+|^curl)/).map((part) => (part.startsWith("$") ? h("span", { class: "name" }, part)
  : part === "curl" ? h("span", { class: "program" }, part) : part));

const script = (entries, api) => ["#!/bin/sh", api.setUp("…"), "",
  ...entries.flatMap((entry) => [`# ${entry.label}`, entry.command, ""])].join("\n");

/** The parameters that a scene must have. */
export const needed = ({ parameters }) => parameters.filter((name) => !name.endsWith("?"));

/** The forms for links and scenes. `actions`: `open(link)`, `start(body)`, `push(scene)`, `popTo(viewController)`. */
export function drawDrive(place, view, actions) {
  const scenes = Object.entries(view.storyboard.scenes);
  const paths = scenes.flatMap(([, scene]) => scene.path ?? []);
  const plain = scenes.filter(([, scene]) => !needed(scene).length && !["navigation", "tabBar"].includes(scene.kind)).map(([name]) => name);
  const stack = view.session?.viewControllers ?? [];
  const submit = (act) => (event) => {
    event.preventDefault();
    const value = new FormData(event.target).values().next().value;
    if (value) act(value);
  };
  const link = view.session?.link;
  render(place, h("fieldset", { disabled: view.isOff },
    link && h("div", { class: "line" }, h("code", {}, link), copyButton("Copy", () => link, "address"),
      small("new", () => actions.start({ open: link }), "Open in a new session")),
    h("form", { class: "line", onsubmit: submit(actions.open) },
      h("label", {}, h("span", {}, "A link"), h("input", { name: "path", list: "paths", placeholder: paths[0] ?? "/…", "data-key": "link", autocomplete: "off", value: view.link })),
      h("datalist", { id: "paths" }, paths.map((path) => h("option", { value: path }))),
      small("open", null, "Open")),
    h("form", { class: "line", onsubmit: submit(actions.push) },
      h("label", {}, h("span", {}, "A scene"), h("select", { name: "scene", "data-key": "scene" }, plain.map((name) => h("option", {}, name)))),
      small("push", null, "Push")),
    h("div", { class: "line" }, h("span", { id: "stack-name" }, "The stack"),
      h("ol", { class: "stack", "aria-labelledby": "stack-name" }, stack.map((entry, index) => h("li", {}, h("button", {
        class: "small", "data-key": `pop${entry.id}`, "aria-current": index === stack.length - 1 && "true",
        onclick: () => actions.popTo(entry), title: `${entry.id}, scene ${entry.scene}`,
      }, entry.title ?? entry.scene)))))));
}
