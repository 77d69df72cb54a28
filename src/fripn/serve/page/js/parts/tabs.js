// Tabs: arrow keys move between them, one panel is shown.

import { button, h, newId } from "../core/dom.js";

/** Return tabs for a list of {label, element}. */
export const tabs = (label, items) => {
  const panels = items.map(({ element }) => h("div", { role: "tabpanel", id: newId("panel"), hidden: true }, element));
  const open = (chosen) => {
    items.forEach((_, index) => {
      buttons[index].setAttribute("aria-selected", String(index === chosen));
      buttons[index].tabIndex = index === chosen ? 0 : -1;
      panels[index].hidden = index !== chosen;
    });
  };
  const buttons = items.map((item, index) => button(item.label, () => open(index), { role: "tab", class: "tab", id: newId("tab"), "aria-controls": panels[index].id }));
  buttons.forEach((tab, index) => panels[index].setAttribute("aria-labelledby", tab.id));
  const list = h("div", { class: "tabs", role: "tablist", "aria-label": label, on: {
    keydown: (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const next = (buttons.indexOf(document.activeElement) + step + items.length) % items.length;
      open(next);
      buttons[next].focus();
    },
  } }, buttons);
  open(0);
  return { element: h("div", { class: "tabbed" }, list, panels), open };
};
