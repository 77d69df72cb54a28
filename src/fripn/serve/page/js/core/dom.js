// Elements without markup strings: names in the data can hold anything, so text is always a text node.

const SVG = "http://www.w3.org/2000/svg";
const PROPERTIES = new Set(["value", "checked", "disabled", "selected", "indeterminate", "open", "hidden"]);

const assign = (element, properties) => {
  for (const [key, value] of Object.entries(properties || {})) {
    if (value === undefined || value === null || value === false) {
      if (PROPERTIES.has(key) && value === false) element[key] = false;
    } else if (key === "on") {
      for (const [name, listener] of Object.entries(value)) element.addEventListener(name, listener);
    } else if (key === "style") {
      // The content security policy allows changes through the object model only.
      for (const [name, style] of Object.entries(value)) element.style.setProperty(name, style);
    } else if (PROPERTIES.has(key)) {
      element[key] = value;
    } else {
      element.setAttribute(key, value === true ? "" : String(value));
    }
  }
  return element;
};

const append = (element, children) => {
  const all = children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);
  element.append(...all);
  return element;
};

/** Return a new HTML element. */
export const h = (tag, properties, ...children) => append(assign(document.createElement(tag), properties), children);

/** Return a new SVG element. */
export const s = (tag, properties, ...children) => append(assign(document.createElementNS(SVG, tag), properties), children);

/** Replace everything in an element. */
export const fill = (element, ...children) => {
  element.replaceChildren();
  return append(element, children);
};

/** Replace everything in an element; the focus stays on what has the same `data-focus`. */
export const refill = (element, ...children) => {
  const focused = element.contains(document.activeElement) ? document.activeElement.dataset.focus : null;
  fill(element, ...children);
  if (focused) element.querySelector(`[data-focus="${CSS.escape(focused)}"]`)?.focus();
  return element;
};

/** Return a button; `icon` is decoration, the text is what it is called. */
export const button = (label, onClick, properties = {}) =>
  h("button", { type: "button", ...properties, on: { click: onClick } }, label);

/** Return a function that runs once things have been quiet for a while. */
export const debounce = (milliseconds, action) => {
  let timer = 0;
  const later = (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...values), milliseconds);
  };
  later.cancel = () => clearTimeout(timer);
  return later;
};

let lastId = 0;

/** Return an id that no other element of the page has. */
export const newId = (prefix) => `${prefix}-${(lastId += 1)}`;

/** Return a label with its field. */
export const field = (label, input, hint) => {
  const id = input.id || (input.id = newId("field"));
  const hintId = hint ? newId("hint") : null;
  if (hintId) input.setAttribute("aria-describedby", hintId);
  return h("div", { class: "field" }, h("label", { for: id }, label), input, hint && h("p", { class: "soft small", id: hintId }, hint));
};
