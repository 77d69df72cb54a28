// Moves of stops as the planner makes them, by dragging or by dialog.

import { moveStop, unassign, whereIs } from "../core/routes.js";
import { t } from "../texts.js";
import { toast } from "./messages.js";

/** Move a stop and say so; locked routes stay as they are. */
export const relocate = (session, stop, route, position) => {
  const { editor, model } = session;
  const from = whereIs(editor.routes, stop);
  if ((from && editor.isLocked(from[0])) || editor.isLocked(route)) { toast(t("is_locked")); return; }
  if (from && from[0] === route && from[1] === position) return;
  const { id } = editor.routes[route];
  const routes = moveStop(editor.routes, stop, route, position);
  const next = routes.findIndex((other) => other.id === id);
  session.focus.selected = { route: next, stop };
  editor.apply(routes, t("did_move", { name: model.label(stop), number: next + 1 }));
  session.focus.emit("change", "select");
};

/** Take a stop out of the plan. */
export const leaveOut = (session, stop) => {
  session.focus.selected = { route: -1, stop };
  session.editor.apply(unassign(session.editor.routes, stop), t("did_unassign", { name: session.model.label(stop) }));
  session.focus.emit("change", "select");
};
