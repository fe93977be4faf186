// The phone: what the session shows, as iOS would draw it.
import { h, render } from "./dom.js";

const ICONS = ["●", "◆", "■", "▲", "★", "✚"];
const empty = (text) => h("p", { class: "empty" }, text);

/**
 * Draws the phone.
 * `view`: `{session, screen, screens, isOff, isShared, bars, motion, error}`; `screens` has the last known screen of each view controller.
 * `actions`: `tap(tap)`, `swipeDown()`, `swipeBack(completed)`, `submit(operation, values)`, `more()`; none of them if `isOff`.
 */
export function drawPhone(place, view, actions) {
  const { session, isOff } = view;
  view.control = (tap) => ({ "data-key": `${tap.place}${tap.index}`, disabled: isOff, onclick: () => actions.tap(tap) });
  const status = h("div", { class: "status", "aria-hidden": "true" }, h("span", {}, "9:41"), h("span", {}, "●●● 5G"));
  if (!session) {
    return render(place, h("div", { class: "device" }, h("div", { class: "glass" }, status, view.bars,
      empty(view.error ?? "Loading…"))));
  }
  const layers = session.layers ?? [];
  const below = layers.length > 1 ? underlay(view, layers.at(-2)) : null;
  const isSheet = Boolean(below) && !["fullScreen", "currentContext"].includes(layers.at(-1).presentationStyle);
  render(place, h("div", { class: "device" }, h("div", { class: "glass" }, status, view.bars,
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
  return h("div", { class: "under", "aria-hidden": "true" },
    h("div", { class: "bar" }, h("span"), h("b", {}, top.title ?? top.scene), h("span")),
    h("div", { class: "content" }, screen?.rows && h("ul", { class: "table" },
      screen.rows.slice(0, 12).map((row) => h("li", {}, h("div", { class: "row" }, cell(row)))))));
}

function grabber(layer, view, actions) {
  const canSwipe = ["pageSheet", "formSheet", "popover"].includes(layer.presentationStyle) && !layer.isModalInPresentation;
  return canSwipe && !view.isOff
    ? h("button", { class: "grabber", "data-key": "grabber", "aria-label": "Swipe the sheet down", onclick: actions.swipeDown })
    : h("div", { class: "grabber", "aria-hidden": "true" });
}

function content(view, actions) {
  const { session, screen } = view;
  const bar = session.navigationBar;
  const top = session.viewControllers.at(-1);
  const title = bar?.title ?? top.title ?? top.scene;
  const taps = (place) => (screen?.taps ?? []).filter((tap) => tap.place === place);
  const isLarge = bar && session.viewControllers.length === 1 && !bar.titleView;
  const heading = h("h2", { class: isLarge ? "large" : "inline", tabindex: "-1", "data-key": "title" }, title);
  const item = (tap) => h("button", { class: "item", ...view.control(tap) }, tap.title);
  return [
    session.pending && h("p", { class: "banner" }, waiting(session.pending.operation)),
    bar && h("div", { class: "bar" },
      h("div", { class: "side" },
        taps("backButton").map((tap) => h("button", {
          class: "item back", ...view.control(tap), "data-key": "back", "aria-label": `Back to ${tap.title}`,
        }, h("span", { class: "chevron", "aria-hidden": "true" }), h("span", { class: "text" }, tap.title))),
        taps("leftItem").map(item)),
      segments(session, taps("segment"), view) ?? (isLarge ? h("span") : heading),
      h("div", { class: "side end" }, taps("rightItem").map(item))),
    h("div", { class: "content", tabindex: "0", "aria-label": `${title}, content` },
      !bar && h("h2", { class: "large", tabindex: "-1", "data-key": "title" }, title),
      isLarge && heading,
      bar?.titleView && h("h2", { class: "unseen", tabindex: "-1", "data-key": "title" }, title),
      view.error && empty(view.error),
      screen ? body(view, actions, taps) : !view.error && empty("Loading…")),
    !session.toolbar.isHidden && session.toolbar.items.length > 0 && h("div", { class: "toolbar" },
      session.toolbar.items.map((title, index) => {
        const tap = taps("toolbarItem").find((tap) => tap.index === index);
        return tap ? item(tap) : h("span", { class: "item off" }, title);
      })),
    !session.bottomBar.isHidden && session.bottomBar.text && h("p", { class: "bottom" }, session.bottomBar.text),
    session.tabBar && !session.tabBar.isHidden && tabs(session, taps("tab"), view),
    h("div", { class: "home", "aria-hidden": "true" }),
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
  return h("div", { class: "segments", role: "group", "aria-label": "Segments" }, segments.map((segment, index) => h("button", {
    ...view.control({ place: "segment", index, title: segment.title }), "aria-current": index === selectedIndex && "true",
    disabled: view.isOff || !taps.length,
  }, segment.title)));
}

function tabs(session, taps, view) {
  const { items, selectedIndex } = session.tabBar;
  return h("div", { class: "tabs", role: "group", "aria-label": "Tabs" }, items.map((item, index) => h("button", {
    ...view.control({ place: "tab", index, title: item.title }), "aria-current": index === selectedIndex && "true",
    disabled: view.isOff || !taps.length,
    "aria-label": item.badge ? `${item.title}, ${item.badge}` : null,
  }, h("span", { class: "icon", "aria-hidden": "true" }, ICONS[index % ICONS.length]), h("span", {}, item.title),
  item.badge && h("span", { class: "badge", "aria-hidden": "true" }, item.badge))));
}

const cell = (row) => h("span", { class: "words" }, h("span", {}, row.title),
  row.subtitle && h("span", { class: "subtitle" }, row.subtitle));

function body(view, actions, taps) {
  const { screen } = view;
  const buttons = taps("button").length > 0 && h("ul", { class: "table buttons" }, taps("button").map((tap) => h("li", {},
    h("button", { class: "row link", ...view.control(tap) }, tap.title))));
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
    h("ul", { class: "table" }, screen.rows.map((row) => {
      const [tap, accessory] = [tappable.get(row.row), accessories.get(row.row)];
      return h("li", {}, tap
        ? h("button", { class: "row", ...view.control(tap) }, cell(row), h("span", { class: "disclosure", "aria-hidden": "true" }))
        : h("div", { class: "row" }, cell(row)),
      accessory && h("button", { class: "accessory", ...view.control(accessory), "aria-label": `Details of ${row.title}` }, "ⓘ"));
    })),
    left > 0 && !view.isOff && h("button", { class: "more", "data-key": "more", onclick: actions.more }, `Show more (${left} left)`),
  ];
}

const picture = (screen) => screen.image
  ? h("figure", {}, h("img", { src: screen.image.url, alt: screen.title ?? screen.scene }))
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
  h("ul", { class: "table" }, screen.fields.map(({ name, type }) => h("li", {}, h("label", { class: "field" },
    h("span", {}, name[0].toUpperCase() + name.slice(1)),
    h("input", {
      type, name, required: true, placeholder: "Required", "data-key": name, disabled: view.isOff, value: values[name],
      autocomplete: type === "password" ? (isNew ? "new-password" : "current-password") : name,
      "aria-describedby": view.refusal ? "form-problem" : null, "aria-invalid": view.refusal ? "true" : null,
      oninput: (event) => { values[name] = event.target.value; },
    }))))),
  view.refusal && h("p", { id: "form-problem", class: "wrong" }, view.refusal),
  view.isShared && h("label", { class: "shared" },
    h("input", { type: "checkbox", required: true, "data-key": "shared", disabled: view.isOff, checked: values.shared, onchange: (event) => { values.shared = event.target.checked; } }),
    h("span", {}, "This page did not open this session. Everybody who has a token of it can act as you after you ", label.toLowerCase(), ". I know who that is.")),
  h("button", { class: "wide", "data-key": "submit", disabled: view.isOff }, label));
}
