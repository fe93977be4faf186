// The phone: what the session shows, as iOS would draw it.
import { h, render } from "./dom.js";

const ICONS = ["●", "◆", "■", "▲", "★", "✚"];
const HIDDEN = { "aria-hidden": "true" };
const TITLE = { tabindex: "-1", key: "title" };
const empty = (text) => h("p.empty", text);

/**
 * Draws the phone.
 * `view`: `{session, screen, screens, isOff, isShared, bars, motion, error}`; `screens` has the last known screen of each view controller.
 * `actions`: `tap(tap)`, `swipeDown()`, `swipeBack(completed)`, `submit(operation, values)`, `more()`; none of them if `isOff`.
 */
export function drawPhone(place, view, actions) {
  const { session, isOff } = view;
  view.control = (tap) => ({ key: `${tap.place}${tap.index}`, disabled: isOff, onclick: () => actions.tap(tap) });
  const status = h("div.status", HIDDEN, h("span", "9:41"), h("span", "●●● 5G"));
  if (!session) {
    return render(place, h("div.device", h("div.glass", status, view.bars,
      empty(view.error ?? "Loading…"))));
  }
  const layers = session.layers ?? [];
  const below = layers.length > 1 ? underlay(view, layers.at(-2)) : null;
  const isSheet = Boolean(below) && !["fullScreen", "currentContext"].includes(layers.at(-1).presentationStyle);
  render(place, h("div.device", h("div.glass", status, view.bars,
    h("div", { class: `stage ${view.isOff ? "off" : ""}` }, isSheet && below,
      h("div", { class: `screen ${isSheet ? "sheet" : ""} ${view.motion ?? ""}`, onpointerdown: !isOff && session.navigationBar?.backButton && edge(actions) },
        isSheet && grabber(layers.at(-1), view, actions), ...content(view, actions))))));
  const [back, title] = [place.querySelector(".back .text"), place.querySelector("h2.inline")];
  // As on iOS, a long title of the screen before gives its place to the title.
  if (back && [back, title].some((each) => each?.scrollWidth > each?.clientWidth)) back.textContent = "Back";
}

/** A swipe from the left edge, cancelled if it ends before the middle. */
const edge = (actions) => ({ clientX, currentTarget }) => {
  const { left, width } = currentTarget.getBoundingClientRect();
  if (clientX > left + 24) return;
  document.onpointerup = document.onpointercancel = (end) => {
    document.onpointerup = document.onpointercancel = null;
    const way = end.type === "pointerup" ? end.clientX - clientX : 0;
    if (way > 24) actions.swipeBack(way > width / 2);
  };
};

/** The view controller below a sheet, dimmed. */
function underlay(view, layer) {
  const holder = layer.navigationControllers[layer.tabBar?.selectedIndex ?? 0];
  const top = holder.viewControllers.at(-1);
  const screen = view.screens.get(top.id);
  return h("div.under", HIDDEN,
    h("div.bar", h("span"), h("b", top.title ?? top.scene), h("span")),
    h("div.content", screen?.rows && h("ul.table",
      screen.rows.slice(0, 12).map((row) => h("li", h("div.row", cell(row)))))));
}

function grabber(layer, view, actions) {
  const canSwipe = ["pageSheet", "formSheet", "popover"].includes(layer.presentationStyle) && !layer.isModalInPresentation;
  return canSwipe && !view.isOff
    ? h("button.grabber", { key: "grabber", "aria-label": "Swipe the sheet down", onclick: actions.swipeDown })
    : h("div.grabber", HIDDEN);
}

function content(view, actions) {
  const { session, screen } = view;
  const bar = session.navigationBar;
  const top = session.viewControllers.at(-1);
  const title = bar?.title ?? top.title ?? top.scene;
  const taps = (place) => (screen?.taps ?? []).filter((tap) => tap.place === place);
  const isLarge = bar && session.viewControllers.length === 1 && !bar.titleView;
  const heading = h("h2", { class: isLarge ? "large" : "inline", tabindex: "-1", key: "title" }, title);
  const item = (tap) => h("button.item", view.control(tap), tap.title);
  return [
    session.pending && h("p.banner", waiting(session.pending.operation)),
    bar && h("div.bar",
      h("div.side",
        taps("backButton").map((tap) => h("button.item.back", {
          ...view.control(tap), key: "back", "aria-label": `Back to ${tap.title}`,
        }, h("span.chevron", HIDDEN), h("span.text", tap.title))),
        taps("leftItem").map(item)),
      segments(session, taps("segment"), view) ?? (isLarge ? h("span") : heading),
      h("div.side.end", taps("rightItem").map(item).reverse())),
    h("div.content", { tabindex: "0", "aria-label": `${title}, content` },
      !bar && h("h2.large", TITLE, title),
      isLarge && heading,
      bar?.titleView && h("h2.unseen", TITLE, title),
      view.error && empty(view.error),
      screen ? body(view, actions, taps) : !view.error && empty("Loading…")),
    !session.toolbar.isHidden && session.toolbar.items.length > 0 && h("div.toolbar",
      session.toolbar.items.map((title, index) => {
        const tap = taps("toolbarItem").find((tap) => tap.index === index);
        return tap ? item(tap) : h("span.item.off", title);
      })),
    !session.bottomBar.isHidden && session.bottomBar.text && h("p.bottom", session.bottomBar.text),
    session.tabBar && !session.tabBar.isHidden && tabs(session, taps("tab"), view),
    h("div.home", HIDDEN),
  ];
}

/** Says what happens after the log-in. */
function waiting({ open, tap, ...other }) {
  if (open) return `${open.path ?? open.url} opens after the log-in.`;
  return tap ? `${tap.title} is tapped after the log-in.` : `${Object.keys(other)[0]} is performed after the log-in.`;
}

function segments(session, taps, view) {
  if (session.navigationBar?.titleView !== "segmentedControl" || !session.segmentedControl) return null;
  const { selectedIndex, segments } = session.segmentedControl;
  return choices("segment", segments, selectedIndex, taps, view, ({ title }) => title);
}

function tabs(session, taps, view) {
  const { items, selectedIndex } = session.tabBar;
  return choices("tab", items, selectedIndex, taps, view, (item, index) => [h("span.icon", HIDDEN, ICONS[index % ICONS.length]), h("span", item.title),
    item.badge && h("span.badge", HIDDEN, item.badge)]);
}

/** Segments or tabs, one of which is selected. */
const choices = (place, items, selectedIndex, taps, view, words) => h(`div.${place}s`, { role: "group", "aria-label": `${place}s` }, items.map((item, index) => h("button", {
  ...view.control({ place, index, title: item.title }), "aria-current": index === selectedIndex && "true",
  disabled: view.isOff || !taps.length, "aria-label": item.badge ? `${item.title}, ${item.badge}` : null,
}, words(item, index))));

const cell = (row) => h("span.words", h("span", row.title),
  row.subtitle && h("span.subtitle", row.subtitle));

function body(view, actions, taps) {
  const { screen } = view;
  const buttons = taps("button").length > 0 && h("ul.table.buttons", taps("button").map((tap) => h("li",
    h("button.row.link", view.control(tap), tap.title))));
  switch (screen.kind) {
    case "table": return [table(view, actions, taps), buttons];
    case "image": return [picture(screen), buttons];
    case "form": return [form(view, actions), buttons];
    default: return [!buttons && empty("An empty screen"), buttons];
  }
}

function table(view, actions, taps) {
  const { screen } = view;
  if (screen.numberOfRows === 0) return empty("No rows");
  const byRow = (place) => new Map(taps(place).map((tap) => [tap.index, tap]));
  const [tappable, accessories] = [byRow("row"), byRow("accessory")];
  const left = screen.numberOfRows - screen.rows.length;
  return [
    h("ul.table", screen.rows.map((row) => {
      const [tap, accessory] = [tappable.get(row.row), accessories.get(row.row)];
      return h("li", tap
        ? h("button.row", view.control(tap), cell(row), h("span.disclosure", HIDDEN))
        : h("div.row", cell(row)),
      accessory && h("button.accessory", { ...view.control(accessory), "aria-label": `Details of ${row.title}` }, "ⓘ"));
    })),
    left > 0 && !view.isOff && h("button.more", { key: "more", onclick: actions.more }, `Show more (${left} left)`),
  ];
}

const picture = (screen) => screen.image
  ? h("figure", h("img", { src: screen.image.url, alt: screen.title ?? screen.scene }))
  : empty("No picture");

function form(view, actions) {
  const { screen } = view;
  if (!screen.submit) return empty("A form without fields");
  const isNew = screen.submit === "sign-up";
  const label = isNew ? "Sign Up" : "Log In";
  const values = view.values;
  return h("form", {
    onsubmit: (event) => {
      event.preventDefault();
      actions.submit(screen.submit, Object.fromEntries(screen.fields.map(({ name }) => [name, values[name] ?? ""])));
    },
  },
  h("ul.table", screen.fields.map(({ name, type }) => h("li", h("label.field",
    h("span", name[0].toUpperCase() + name.slice(1)),
    h("input", {
      type, name, required: true, placeholder: "Required", key: name, disabled: view.isOff, value: values[name],
      autocomplete: type === "password" ? (isNew ? "new-password" : "current-password") : name,
      "aria-describedby": view.refusal ? "form-problem" : null, "aria-invalid": view.refusal ? "true" : null,
      oninput: (event) => { values[name] = event.target.value; },
    }))))),
  view.refusal && h("p", { id: "form-problem", class: "wrong" }, view.refusal),
  view.isShared && h("label.shared",
    h("input", { type: "checkbox", required: true, key: "shared", disabled: view.isOff, checked: values.shared, onchange: (event) => { values.shared = event.target.checked; } }),
    h("span", "This page did not open this session. Everybody who has a token of it can act as you after you ", label.toLowerCase(), ". I know who that is.")),
  h("button.wide", { key: "submit", disabled: view.isOff }, label));
}
