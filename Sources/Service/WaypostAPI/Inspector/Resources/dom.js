// Elements without HTML text: the page's policy forbids every way from text to markup.

const SVG = "http://www.w3.org/2000/svg";

const isThere = (value) => (value ?? false) !== false;

function fill(element, classes, properties, children) {
  if (properties?.constructor !== Object) children.unshift(properties);
  else for (const [name, value] of Object.entries(properties)) {
    if (!isThere(value)) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name === "key" ? "data-key" : name, value === true ? "" : value);
  }
  if (classes[0]) element.classList.add(...classes);
  element.append(...children.flat(3).filter(isThere));
  return element;
}

const maker = (create) => (tag, properties, ...children) => {
  const [name, ...classes] = tag.split(".");
  return fill(create(name), classes, properties, children);
};

/** Makes an HTML element: `h("div.tools", child…)`. An object before the children has its attributes; `on…` is a listener, `key` is `data-key`. */
export const h = maker((name) => document.createElement(name));

/** Makes an SVG element. */
export const s = maker((name) => document.createElementNS(SVG, name));

/** Replaces the content of an element. The focus stays on the element with the same `data-key`. */
export const render = (place, ...children) => keepFocus(place, () => place.replaceChildren(...children.flat(3).filter(Boolean)));

/** Makes the children of an element those of `items`. A child that stays keeps its layout. */
export const renderList = (place, items) => keepFocus(place, () => {
  const all = new Set(items);
  for (const child of [...place.children]) if (!all.has(child)) child.remove();
  let next = place.firstChild;
  for (const item of items) {
    if (item === next) next = next.nextSibling;
    else place.insertBefore(item, next);
  }
});

function keepFocus(place, change) {
  const active = document.activeElement;
  const key = place.contains(active) && active.dataset.key;
  const cursor = active?.matches?.("input[type=text], input[type=search], input[type=password], input:not([type])") ? active.selectionStart : null;
  change();
  if (!key || active.isConnected) return;
  const next = place.querySelector(`[data-key="${CSS.escape(key)}"]`);
  next?.focus({ preventScroll: true });
  if (cursor !== null) next?.setSelectionRange?.(cursor, cursor);
}

export const byID = (id) => document.getElementById(id);

/** A small button. */
export const small = (key, onclick, ...label) => h("button.small", { key, onclick }, label);

/** A button that copies a text, and says so; it copies nothing if there is none. */
export function copyButton(label, text, key) {
  const button = small(key, async () => {
    try {
      const copied = await text();
      if (!copied) return;
      await navigator.clipboard.writeText(copied);
      button.textContent = "Copied";
    } catch {
      button.textContent = "The browser does not allow it";
    }
    setTimeout(() => { button.textContent = label; }, 1500);
  }, label);
  return button;
}

export const time = (date) => date.toTimeString().slice(0, 8) + "." + String(date.getMilliseconds()).padStart(3, "0");
