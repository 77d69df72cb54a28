// Move a stop without dragging: choose the route and the position, see what it costs, move.

import { api } from "../core/api.js";
import { button, debounce, field, fill, h } from "../core/dom.js";
import { money, signed } from "../core/model.js";
import { bestPosition, moveStop, moveToNewRoute, plain, unassign, whereIs } from "../core/routes.js";
import { t } from "../texts.js";
import { dialog } from "./messages.js";
import { leaveOut, relocate } from "./plan_moves.js";

const MOST_RULES = 3;

/** Return what a change would cost, in one sentence. */
export const previewSentence = (model, view, before) => {
  const change = t("preview_cost", { cost: money(view.cost), change: signed(view.cost - before.cost) });
  const more = view.violations.length;
  return more ? `${change} ${t("preview_problems", { count: more, rules: view.violations.slice(0, MOST_RULES).map((rule) => model.brokenRule(rule)).join("; ") })}` : change;
};

export const openMoveDialog = (session, stop) => {
  const { editor, model } = session;
  const from = whereIs(editor.routes, stop);
  const before = editor.view;
  const open = editor.routes.map((_, index) => index).filter((index) => !editor.isLocked(index));
  const route = h("select", {},
    open.map((index) => h("option", { value: String(index), selected: from && from[0] === index },
      t("route_option", { number: index + 1, type: editor.routes[index].vehicle_type, count: editor.routes[index].customers.length }))),
    model.types.map(({ name }, index) => h("option", { value: `new-${index}` }, t("new_route", { type: name }))),
    from && h("option", { value: "none" }, t("leave_out")));
  const position = h("select", {});
  const preview = h("p", { class: "preview", role: "status" });
  let abort = null;

  const chosen = () => {
    if (route.value === "none") return unassign(editor.routes, stop);
    if (route.value.startsWith("new-")) return moveToNewRoute(editor.routes, stop, model.types[Number(route.value.slice(4))].name);
    const index = Number(route.value);
    return moveStop(editor.routes, stop, index, place(index));
  };
  const place = (index) => (position.value === "best" ? bestPosition(model, editor.routes[index], stop) : Number(position.value));
  const drawPositions = () => {
    const isRoute = /^\d+$/.test(route.value);
    position.disabled = !isRoute;
    const others = isRoute ? editor.routes[Number(route.value)].customers.filter((other) => other !== stop) : [];
    fill(position, h("option", { value: "best" }, t("position_best")), isRoute && h("option", { value: "0" }, t("position_first")),
      others.map((other, index) => h("option", { value: String(index + 1) }, t("position_after", { name: model.label(other) }))));
  };
  const show = debounce(120, async () => {
    abort?.abort();
    abort = new AbortController();
    try {
      const view = await api.evaluate({ job: session.id, routes: plain(chosen()) }, abort.signal);
      preview.className = view.violations.length ? "preview bad-text" : "preview";
      preview.textContent = previewSentence(model, view, before);
    } catch (problem) {
      if (problem.name !== "AbortError") preview.textContent = problem.message;
    }
  });
  route.addEventListener("change", () => { drawPositions(); show(); });
  position.addEventListener("change", show);
  drawPositions();
  show();
  dialog(t("move_title", { name: model.label(stop) }), (close) => [
    field(t("move_to"), route), field(t("move_position"), position), preview,
    h("div", { class: "actions" }, button(t("cancel"), () => close()), button(t("move_now"), () => {
      const { value } = route;
      const index = Number(value);
      const at = /^\d+$/.test(value) ? place(index) : 0;
      close();
      if (value === "none") leaveOut(session, stop);
      else if (value.startsWith("new-")) editor.apply(chosen(), t("did_new", { name: model.label(stop), type: model.types[Number(value.slice(4))].name }));
      else relocate(session, stop, index, at);
    }, { class: "primary", id: "move-now" })),
  ], { onClose: () => { abort?.abort(); show.cancel(); } });
};
