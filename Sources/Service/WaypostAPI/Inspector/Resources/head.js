// The head of the page: which session it shows, how it is connected, and the ways to other sessions.
import { byID, copyButton, h, render, small, time } from "./dom.js";

const PANELS = ["Phone", "Storyboard", "Requests"];

const NEXT = "Open a new session, or enter the id and the token of another one at Attach.";

/** What the page says when a session has ended, by the reason. */
export const ENDS = {
  deleted: { title: "This session has ended", detail: `A client deleted it. ${NEXT}` },
  expired: { title: "This session has expired", detail: `No client changed it for a long time. ${NEXT}` },
  unknown: { title: "This session does not exist", detail: `It has ended or expired, or the token is wrong or old. ${NEXT}` },
};

const user = ({ auth }, { guests, loginScene }) => auth.username ?? (guests ? "guest" : loginScene && "logged out");

/**
 * Draws the head.
 * `view`: `{session, storyboard, past, isOff, connection, panel, others}`; `actions`: `panel(index)`, `logOut()`, `continueHere(id)`, `flowOf(id)`, `open()`.
 */
export function drawHead(view, actions) {
  const { session, past } = view;
  byID("summary").textContent = session
    ? `session ${session.id.slice(0, 8)}… · revision ${past ? `${past.revision} of ` : ""}${session.revision} · ${[view.storyboard.name, user(session, view.storyboard)].filter(Boolean).join(" · ")}` : "";
  const [name, detail] = view.connection;
  const words = {
    live: past ? "looking back" : "live", connecting: "connecting", paused: "paused while hidden", ended: detail?.title,
    waiting: `reconnecting at ${name === "waiting" ? time(new Date(detail)).slice(0, 8) : ""}`,
  };
  const place = byID("connection");
  place.className = name === "live" && past ? "paused" : name;
  place.textContent = words[name];
  render(byID("panels"), PANELS.map((panel, index) => h("button", {
    key: panel, "aria-current": index === view.panel && "true", onclick: () => actions.panel(index),
  }, panel)));
  document.body.dataset.panel = PANELS[view.panel].toLowerCase();
  render(byID("session-actions"),
    session?.auth.state === "loggedIn" && view.storyboard.loginScene && h("button.link", { key: "log-out", disabled: view.isOff, onclick: actions.logOut }, "Log out"),
    view.others.length > 0 && h("details.attach", h("summary", { key: "others" }, `Continue here (${view.others.length})`),
      h("div.sheet-of-sessions", h("p", "Your other sessions"), h("ul", view.others.map((other) => h("li",
        h("button.revision", { key: `other${other.id}`, onclick: () => actions.continueHere(other.id) },
          h("b", other.name ?? other.title ?? other.scene), h("span.when", `${other.id.slice(0, 8)}… · ${other.title ?? other.scene}`)),
        copyButton("Copy as a flow", () => actions.flowOf(other.id), `flow${other.id}`)))))),
    h("button.link", { key: "new", onclick: actions.open }, "New session"));
}

/** Draws the form once, for a change of the session must not empty it. Calls `attach(id, token)`. */
export function drawAttach(attach) {
  const submit = (event) => {
    event.preventDefault();
    const values = new FormData(event.target);
    event.target.reset();
    event.target.parentElement.open = false;
    attach(values.get("id"), values.get("token"));
  };
  render(byID("attach"), h("details.attach", h("summary", { key: "attach" }, "Attach"), h("form", { onsubmit: submit },
    h("p", "The person from whom you have these can act in the session, too."),
    h("label", "Session id", h("input", { name: "id", required: true, pattern: "[0-9a-f]{32}", title: "32 hexadecimal digits", autocomplete: "off" })),
    h("label", "Token", h("input", {
      name: "token", required: true, type: "password", pattern: "wps_[0-9a-f]{64}", title: "wps_ and 64 hexadecimal digits", autocomplete: "off",
    })),
    small("attach-this", null, "Attach"))));
}
