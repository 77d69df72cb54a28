// What the page says: notices that go away, one tooltip, dialogs, and sentences for screen readers.

import { button, fill, h, newId } from "../core/dom.js";
import { t } from "../texts.js";

const toasts = h("div", { class: "toasts", role: "region", "aria-label": t("notices") });
const live = h("div", { class: "unseen", role: "status", "aria-live": "polite" });
const tip = h("div", { class: "tip", hidden: true, "aria-hidden": "true" });

export const messageElements = [toasts, live, tip];

let lastSaid = 0;
let waiting = 0;

/** Tell screen readers a sentence; at most one in two seconds, the latest wins. */
export const say = (sentence) => {
  clearTimeout(waiting);
  const pause = Math.max(0, 2000 - (performance.now() - lastSaid));
  waiting = setTimeout(() => { lastSaid = performance.now(); live.textContent = sentence; }, pause);
};

/** Show a notice; `action` is {label, run}. Problems stay until they are closed. */
export const toast = (sentence, { isProblem = false, action = null } = {}) => {
  const close = () => item.remove();
  const item = h("div", { class: isProblem ? "toast bad" : "toast", role: isProblem ? "alert" : "status" },
    h("p", {}, sentence),
    action && button(action.label, () => { close(); action.run(); }, { class: "quiet" }),
    button("×", close, { class: "quiet icon", "aria-label": t("close") }));
  toasts.append(item);
  while (toasts.children.length > 3) toasts.firstChild.remove();
  if (!isProblem) setTimeout(close, action ? 9000 : 5000);
};

/** Show what went wrong. */
export const complain = (problem) => {
  if (problem.name === "AbortError") return;
  const { remedy } = problem.fields || {};
  toast(remedy && !problem.message.includes(remedy) ? `${problem.message} ${remedy}` : problem.message, { isProblem: true });
};

/** Show the tooltip beside the pointer. */
export const showTip = (x, y, title, lines) => {
  fill(tip, h("b", {}, title), lines.filter(Boolean).map((line) => h("span", {}, line)));
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  const left = x + 16 + box.width > window.innerWidth ? x - 12 - box.width : x + 16;
  tip.style.left = `${Math.max(4, left)}px`;
  tip.style.top = `${Math.max(4, Math.min(y + 14, window.innerHeight - box.height - 6))}px`;
};

export const hideTip = () => { tip.hidden = true; };

/** Move notices into the dialog that is open: what lies behind it is neither seen nor read aloud. */
const standInFront = () => {
  const open = [...document.querySelectorAll("dialog[open]")].at(-1);
  (open || document.getElementById("app")).append(toasts, live);
};

/** Show a dialog; `build` gets a function that closes it. */
export const dialog = (title, build, { className = "", onClose = () => {} } = {}) => {
  const titleId = newId("dialog");
  const close = () => box.close();
  const box = h("dialog", { class: `dialog ${className}`, "aria-labelledby": titleId },
    h("div", { class: "dialog-head" }, h("h2", { id: titleId }, title), button("×", () => close(), { class: "quiet icon", "aria-label": t("close") })));
  box.append(...[build(close)].flat());
  box.addEventListener("close", () => { standInFront(); box.remove(); onClose(); });
  document.body.append(box);
  box.showModal();
  standInFront();
  return close;
};

/** Ask before something that cannot be undone. */
export const confirmed = (question, label) => new Promise((resolve) => {
  let answer = false;
  dialog(question, (close) => h("div", { class: "actions" },
    button(t("cancel"), () => close()),
    button(label, () => { answer = true; close(); }, { class: "primary danger" })), { onClose: () => resolve(answer) });
});
