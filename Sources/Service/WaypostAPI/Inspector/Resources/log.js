// The requests that this page made, as curl commands, and the ways to make others.
import { API } from "./api.js";
import { h, render, copyButton, small } from "./dom.js";

/** `view`: `{entries, api, isTokenShown}`; `actions`: `showToken()`. */
export function drawLog(place, view, actions) {
  const { entries, api } = view;
  render(place,
    h("div.command",
      h("p.comment", "# the commands below need these lines"),
      h("pre", { tabindex: "0" }, api.setUp(view.isTokenShown ? api.token : "…")),
      h("div.tools",
        h("button.small", { key: "token", "aria-pressed": String(view.isTokenShown), onclick: actions.showToken },
          view.isTokenShown ? "Hide the token" : "Show the token"),
        copyButton("Copy with the token", () => api.setUp(api.token), "copy-token"))),
    entries.slice(-100).reverse().map((entry, index) => h("div", { class: `command ${entry.problem ? "refused" : ""}` },
      h("p.comment", `# ${entry.label}${entry.problem ? " refused" : ""} · ${entry.status || "no answer"} · ${entry.milliseconds.toFixed(1)} ms${entry.result?.session ? ` · revision ${entry.result.session.revision}` : ""}`),
      h("pre", { tabindex: "0" }, colored(entry.command)),
      h("div.tools", copyButton("Copy", () => entry.command, `copy${entries.length - index}`)))),
    !entries.length && h("p.hint", "Tap something in the phone: the command that does the same appears here."));
}

const colored = (command) => command.split(/(\$\w+|^curl)/).map((part) => (part.startsWith("$") ? h("span.name", part)
  : part === "curl" ? h("span.program", part) : part));

/** The parameters that a scene must have. */
export const needed = ({ parameters }) => parameters.filter((name) => !name.endsWith("?"));

/** The forms for links and scenes. `actions`: `open(link)`, `start(body)`, `push(scene)`, `popTo(viewController)`, `setFlag(name, value)`, `replay(file)`. */
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
  const { link, flags: values = {} } = view.session ?? {};
  const flags = Object.entries(values);
  render(place, h("fieldset", { disabled: view.isOff },
    link && h("div.line", h("code", link), copyButton("Copy", () => link, "address"),
      copyButton("Copy as curl", () => new API().command("POST", `${location.origin}/v1/sessions`, { open: link }), "curl"),
      small("new", () => actions.start({ open: link }), "Open in a new session")),
    h("form.line", { onsubmit: submit(actions.open) },
      h("label", h("span", "A link"), h("input", { name: "path", list: "paths", placeholder: paths[0] ?? "/…", key: "link", autocomplete: "off", value: view.link })),
      h("datalist", { id: "paths" }, paths.map((path) => h("option", { value: path }))),
      small("open", null, "Open")),
    h("form.line", { onsubmit: submit(actions.push) },
      h("label", h("span", "A scene"), h("select", { name: "scene", key: "scene" }, plain.map((name) => h("option", name)))),
      small("push", null, "Push")),
    h("div.line", h("label", h("span", "A trace of an app"), h("input", { type: "file", key: "trace", onchange: ({ target: { files } }) => files.length && actions.replay(files[0]) }))),
    view.result && h("p.hint", { role: "status" }, view.result),
    flags.length > 0 && h("div.line", { role: "group", "aria-label": "Flags" }, "Flags", flags.map(([name, isSet]) => h("button.small", {
      key: `flag-${name}`, "aria-pressed": String(isSet), disabled: view.session.strict, onclick: () => actions.setFlag(name, !isSet),
    }, `${name}: ${isSet}`))),
    h("div.line", h("span", { id: "stack-name" }, "The stack"),
      h("ol.stack", { "aria-labelledby": "stack-name" }, stack.map((entry, index) => h("li", h("button.small", {
        key: `pop${entry.id}`, "aria-current": index === stack.length - 1 && "true",
        onclick: () => actions.popTo(entry), title: `${entry.id}, scene ${entry.scene}`,
      }, entry.title ?? entry.scene)))))));
}
