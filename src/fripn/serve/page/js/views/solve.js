// Step 2, while it runs: cost and bound, the fleet and the map of the best plan so far.

import { button, fill, h, refill } from "../core/dom.js";
import { integer, money, percent, seconds } from "../core/model.js";
import { settings } from "../core/storage.js";
import { costCurve } from "../parts/curve.js";
import { MapView } from "../parts/map.js";
import { complain, dialog, hideTip, say, showTip } from "../parts/messages.js";
import { figure, fleetList, mapRoutes, modelStops, routeLines, stopLines } from "../parts/plan_figures.js";
import { timeSlider } from "../parts/time_slider.js";
import { t } from "../texts.js";

const TICK = 200;

const gapOf = (status) => {
  if (status.gap_percent !== null && status.gap_percent !== undefined && !Number.isNaN(status.gap_percent)) return status.gap_percent;
  return status.bound && status.cost ? (100 * (status.cost - status.bound)) / status.bound : null;
};

const figures = (session) => {
  const { status, model } = session;
  const { plan, bound } = status;
  const gap = gapOf(status);
  return h("dl", { class: "figures" },
    figure(t("cost"), plan ? money(plan.cost) : t("none"), plan ? t("cost_parts", { fixed: money(plan.fixed_cost), travel: money(plan.distance_cost + (plan.time_cost || 0)) }) : t("no_plan_yet")),
    figure(t("bound"), status.proven ? t("proven_short") : bound ? t("at_least", { cost: money(bound) }) : t("unknown"), status.proven ? t("proven") : gap !== null && bound ? t("gap", { gap: percent(gap, gap < 1 ? 2 : 1) }) : t("no_bound")),
    figure(t("vehicles"), plan ? integer(plan.routes.length) : t("none"), plan ? t("for_stops", { count: integer(model.size) }) : null),
    figure(t("distance"), plan ? model.distance(plan.distance) : t("none"), plan && plan.duration !== null && plan.duration !== undefined ? t("working_time", { time: model.duration(plan.duration) }) : null));
};

export const solveView = (app) => {
  const { session } = app;
  const { model } = session;
  const head = h("div", { class: "solve-state", id: "solve-state" });
  const numbers = h("div", {});
  const bar = h("progress", { max: "1", value: "0", "aria-label": t("progress") });
  const clock = h("span", { class: "soft", role: "timer", "aria-live": "off" });
  const actions = h("div", { class: "actions" });
  const notes = h("div", {});
  const lost = h("p", { class: "notice warn", hidden: true, role: "status" }, t("connection_lost"));
  const fleet = h("section", { class: "card" });
  const curve = costCurve();
  const map = new MapView({ label: t("map_plan"), tileUrl: app.info.tile_url });
  map.setStops(modelStops(model));
  let isDirty = true;
  let isStopping = false;

  const drawPlan = () => {
    const { plan } = session.status;
    fill(fleet, h("h2", {}, t("fleet_title")), plan ? fleetList(model, plan) : h("p", { class: "soft" }, t("fleet_empty")));
    if (plan && model.hasMap) map.setRoutes(mapRoutes(model, plan.routes));
  };

  const drawTime = () => {
    const { status } = session;
    const limit = status.limit_seconds || 0;
    bar.hidden = status.state !== "running";
    bar.value = limit ? Math.min(1, session.seconds / limit) : 0;
    clock.textContent = status.state === "running" ? t("time_of", { time: seconds(Math.round(session.seconds)), limit: seconds(limit) })
      : status.state === "queued" ? t("queue_place", { place: status.queue_position ?? 1 })
        : t("computed_for", { time: seconds(status.seconds || 0) });
    if (status.state === "running") curve.update(status.curve, session.seconds, status.bound);
  };

  const openGoOn = () => {
    const more = timeSlider({ label: t("more_time"), chosen: settings.seconds, most: app.info.limits?.seconds });
    dialog(t("go_on"), (close) => [
      h("p", {}, t("go_on_lead")), more.element,
      h("div", { class: "actions" }, button(t("cancel"), () => close()), button(t("go_on_now"), async (event) => {
        event.target.disabled = true;
        try { await session.goOn(more.seconds); close(); } catch (problem) { complain(problem); event.target.disabled = false; }
      }, { class: "primary", id: "go-on-now" })),
    ]);
  };

  const drawActions = () => {
    const { status } = session;
    if (session.isActive) {
      refill(actions, button(t("stop"), async (event) => {
        isStopping = true;
        event.target.disabled = true;
        try { await session.stop(); } catch (problem) { complain(problem); isStopping = event.target.disabled = false; }
      }, { id: "stop", "data-focus": "stop" }), status.plan && h("a", { class: "button", href: `#/plan/${session.id}`, "data-focus": "plan" }, t("look_now")));
      return;
    }
    // The buttons change with the state: who was on one of them goes on with the next step.
    const hadFocus = isStopping || actions.contains(document.activeElement);
    isStopping = false;
    fill(actions,
      h("a", { class: "button", href: `#/data/${session.id}` }, t("change_data")),
      status.state !== "failed" && !status.proven && button(t("go_on"), openGoOn, { id: "go-on" }),
      status.plan && h("a", { class: "button primary", href: `#/plan/${session.id}`, id: "open-plan" }, t("open_plan")));
    if (hadFocus) actions.lastElementChild.focus();
  };

  let lastState = null;
  const drawStatus = () => {
    const { status } = session;
    fill(head, h("span", { class: `pill state-${status.state}` }, status.proven ? t("state_proven") : t(`state_${status.state}`)), clock);
    fill(numbers, figures(session));
    curve.update(status.curve, session.seconds, status.bound);
    fill(notes,
      status.error && h("p", { class: "notice bad", role: "alert" }, status.error.detail || status.error.title),
      status.state === "interrupted" && h("p", { class: "notice warn" }, t("interrupted_hint")),
      (status.notes || []).length > 0 && h("details", { class: "more" }, h("summary", {}, t("notes", { count: status.notes.length })), h("ul", { class: "soft" }, status.notes.map((note) => h("li", {}, note)))));
    if (lastState !== `${status.state}/${Boolean(status.plan)}/${status.proven}`) {
      lastState = `${status.state}/${Boolean(status.plan)}/${status.proven}`;
      drawActions();
    }
    drawTime();
    const spoken = status.plan ? t("say_cost", { cost: money(status.plan.cost), count: status.plan.routes.length }) : "";
    say(session.isActive ? spoken : `${t(`state_${status.state}`)}. ${spoken}`);
  };

  map.on("hover", ({ route, stop, x, y }) => {
    map.show(route, stop);
    const { plan } = session.status;
    if (stop >= 0) showTip(x, y, model.label(stop), stopLines(model, stop, plan?.routes[route], route, plan && route >= 0 ? plan.routes[route].customers.indexOf(stop) : -1));
    else if (route >= 0 && plan) showTip(x, y, t("route_title", { number: route + 1, type: plan.routes[route].vehicle_type }), routeLines(model, plan.routes[route]));
    else hideTip();
  });

  const element = h("div", { class: "view solve" },
    h("div", { class: "view-head" }, h("div", {}, h("h1", {}, session.name), head), actions),
    lost, notes, bar, numbers,
    h("div", { class: "split wide-right" },
      h("div", { class: "stack" }, h("section", { class: "card" }, h("h2", {}, t("curve_title")), curve.element), fleet),
      h("section", { class: "card map-card", "aria-label": t("map_plan") }, model.hasMap ? map.element : h("p", { class: "empty soft" }, t("no_map")))));

  const refresh = () => { isDirty = true; requestAnimationFrame(() => { if (!isDirty) return; isDirty = false; drawStatus(); }); };
  const ends = [
    session.on("status", refresh),
    session.on("plan", () => requestAnimationFrame(drawPlan)),
    session.on("link", () => { lost.hidden = !session.isLost; }),
  ];
  const timer = setInterval(() => { if (session.isActive) drawTime(); }, TICK);
  return {
    element,
    shown() { drawStatus(); drawPlan(); },
    dispose() { clearInterval(timer); ends.forEach((end) => end()); map.dispose(); hideTip(); },
  };
};
