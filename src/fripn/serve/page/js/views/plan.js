// Step 3: the plan on a map, in a list, as a timeline and as tables; change it by hand.

import { api } from "../core/api.js";
import { routeColours, typeColour, typeDash } from "../core/colours.js";
import { button, debounce, fill, h, newId } from "../core/dom.js";
import { integer, loadFactor, money, percent, signed } from "../core/model.js";
import { moveStop, plain, whereIs } from "../core/routes.js";
import { settings } from "../core/storage.js";
import { openExportDialog } from "../parts/export_dialog.js";
import { MapView } from "../parts/map.js";
import { complain, dialog, hideTip, say, showTip, toast } from "../parts/messages.js";
import { figure, fleetRows, key, loadBar, mapRoutes, modelStops, routeLines, stopLines } from "../parts/plan_figures.js";
import { relocate } from "../parts/plan_moves.js";
import { previewSentence } from "../parts/move_dialog.js";
import { RoutePanel } from "../parts/route_panel.js";
import { tabs } from "../parts/tabs.js";
import { Timeline } from "../parts/timeline.js";
import { timeSlider } from "../parts/time_slider.js";
import { t } from "../texts.js";
import { submit } from "./start.js";

const MOST_VIOLATIONS = 30;

const emptyPlan = (session) => h("section", { class: "card empty" },
  h("h1", {}, t("plan_empty")), h("p", {}, t(session?.isActive ? "plan_empty_running" : "plan_empty_lead")),
  h("p", {}, h("a", { class: "button primary", href: session ? `#/solve/${session.id}` : "#/solve" }, t("to_solve"))));

/** Return the key figures of the plan, with the change against the solver's plan. */
const planFigures = (editor, model) => {
  const { view, best, isChanged } = editor;
  const change = (value, show) => (isChanged ? t("against_solver", { change: signed(value, show) }) : null);
  const loads = view.routes.map(loadFactor);
  const mean = loads.length ? loads.reduce((sum, load) => sum + load, 0) / loads.length : 0;
  const count = view.violations.length;
  return h("dl", { class: editor.isPending ? "figures pending" : "figures" },
    figure(t("cost"), money(view.cost), change(view.cost - best.cost, money) || t("cost_parts", { fixed: money(view.fixed_cost), travel: money(view.distance_cost + (view.time_cost || 0)) }), isChanged ? (view.cost > best.cost + 0.005 ? "worse" : view.cost < best.cost - 0.005 ? "better" : null) : null),
    figure(t("vehicles"), integer(view.routes.length), t("mean_load", { share: percent(100 * mean, 0) })),
    figure(t("distance"), model.distance(view.distance), change(view.distance - best.distance, (value) => model.distance(value)) || t("all_routes")),
    view.duration !== null && view.duration !== undefined ? figure(t("hours_title"), model.duration(view.duration), t("hours_note")) : null,
    figure(t("problems"), count ? integer(count) : t("no_problems_short"), count ? t("breaks_rules") : t("no_problems"), count ? "worse" : "better"));
};

/** Return a table whose rows are linked with routes; headings sort. */
const routeTable = (session) => {
  const { editor, model, focus } = session;
  let sorted = { column: 0, sign: 1 };
  const body = h("tbody", {});
  const head = h("tr", {});
  const hasTimes = () => editor.view.routes.some((route) => route.departure !== null && route.departure !== undefined);
  const columns = () => [
    ["table_route", (route, index) => index + 1, (value) => integer(value)],
    ["table_type", (route) => route.vehicle_type, (value) => value, "text"],
    ["table_stops", (route) => route.customers.length, integer],
    ["table_load", (route) => (route.loads ? loadFactor(route) : 0), (value) => percent(100 * value, 0)],
    ["table_distance", (route) => route.distance, (value) => model.distance(value)],
    ...(hasTimes() ? [
      ["table_departure", (route) => route.departure, (value) => model.clock(value)],
      ["table_return", (route) => route.return, (value) => model.clock(value)],
      ["table_duration", (route) => route.duration, (value) => model.duration(value)],
    ] : []),
    ["table_fixed", (route) => route.fixed_cost, money],
    ["table_cost", (route) => route.cost, money],
  ];
  const draw = () => {
    const { view } = editor;
    const all = columns();
    fill(head, all.map(([name], index) => h("th", { scope: "col", "aria-sort": sorted.column === index ? (sorted.sign > 0 ? "ascending" : "descending") : null, class: all[index][3] || null },
      button([t(name), h("span", { "aria-hidden": "true", class: "sort" }, sorted.column === index ? (sorted.sign > 0 ? "▲" : "▼") : "")], () => {
        sorted = { column: index, sign: sorted.column === index ? -sorted.sign : 1 };
        draw();
      }, { class: "quiet" }))));
    const colours = routeColours(view.routes.map((route) => model.typeIndex.get(route.vehicle_type) ?? 0));
    const value = all[sorted.column][1];
    const order = view.routes.map((_, index) => index).sort((a, b) => {
      const [left, right] = [value(view.routes[a], a), value(view.routes[b], b)];
      return sorted.sign * (typeof left === "string" ? left.localeCompare(right) : left - right) || a - b;
    });
    fill(body, order.map((index) => {
      const route = view.routes[index];
      const row = h("tr", { "data-route": index }, all.map(([name, read, show, kind], place) => h("td", { class: kind || null, "data-label": t(name) },
        place === 0 ? button([key(colours[index], typeDash(model.typeIndex.get(route.vehicle_type) ?? 0).length > 0), show(read(route, index))], () => focus.select(index), { class: "quiet link", "aria-label": t("select_route", { number: index + 1 }) })
          : name === "table_load" ? [loadBar(read(route), colours[index]), show(read(route))] : show(read(route, index)))));
      row.addEventListener("pointerenter", () => focus.hover(index));
      row.addEventListener("pointerleave", () => focus.hover(-1));
      return row;
    }));
    mark();
  };
  const mark = () => { for (const row of body.rows) row.classList.toggle("on", Number(row.dataset.route) === focus.shown.route); };
  const element = h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t("tab_routes") }, h("table", { class: "cards first-left", "aria-label": t("tab_routes") }, h("thead", {}, head), body));
  return { element, draw, mark };
};

const typeTable = (session) => {
  const { editor, model } = session;
  const element = h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t("tab_types") });
  const draw = () => {
    const rows = fleetRows(model, editor.view);
    const hasTimes = rows.some((row) => row.duration !== null);
    const cell = (name, value, kind) => h("td", { class: kind || null, "data-label": name ? t(name) : null }, value);
    const names = ["table_type", "table_vehicles", "table_available", "table_stops", "table_mean_load", "table_distance", ...(hasTimes ? ["table_duration"] : []), "table_cost"];
    const sum = (field) => rows.reduce((total, row) => total + (row[field] || 0), 0);
    fill(element, h("table", { class: "cards", "aria-label": t("tab_types") },
      h("thead", {}, h("tr", {}, names.map((name, index) => h("th", { scope: "col", class: index ? null : "text" }, t(name))))),
      h("tbody", {}, rows.map((row) => h("tr", {},
        cell("table_type", [key(typeColour(row.index), row.index >= 8), row.type.name], "text"),
        cell("table_vehicles", integer(row.count)),
        cell("table_available", row.type.available === null || row.type.available === undefined ? t("no_limit") : integer(row.type.available)),
        cell("table_stops", integer(row.stops)),
        cell("table_mean_load", row.count ? [loadBar(row.factor, typeColour(row.index)), percent(100 * row.factor, 0)] : t("none")),
        cell("table_distance", model.distance(row.distance)),
        hasTimes && cell("table_duration", model.duration(row.duration)),
        cell("table_cost", money(row.cost))))),
      h("tfoot", {}, h("tr", {}, cell("table_type", t("total"), "text"), cell("table_vehicles", integer(sum("count"))), cell(null, ""), cell("table_stops", integer(sum("stops"))), cell(null, ""),
        cell("table_distance", model.distance(sum("distance"))), hasTimes && cell("table_duration", model.duration(sum("duration"))), cell("table_cost", money(sum("cost")))))));
  };
  return { element, draw, mark() {} };
};

const openImprove = (app) => {
  const { session } = app;
  const { editor, model } = session;
  const time = timeSlider({ label: t("time_label"), chosen: settings.seconds, most: app.info.limits?.seconds });
  const locked = editor.lockedIndices;
  dialog(t("improve_title"), (close) => [
    h("p", {}, t("improve_lead")),
    h("p", { class: "soft" }, locked.length ? t("improve_locked", { count: locked.length }) : t("improve_no_locked")),
    time.element,
    h("div", { class: "actions" }, button(t("cancel"), () => close()), button(t("improve_now"), async (event) => {
      event.target.disabled = true;
      try {
        await submit(app, { instance: model.doc, name: t("improved_name", { name: session.name }), seconds: time.seconds, start: plain(editor.routes), locked });
        close();
      } catch (problem) { complain(problem); event.target.disabled = false; }
    }, { class: "primary", id: "improve-now" })),
  ]);
};

export const planView = (app) => {
  const { session } = app;
  if (!session?.editor.hasPlan) {
    const element = h("div", { class: "view plan" }, emptyPlan(session));
    // The first plan of a running job opens the view.
    const end = session?.on("plan", () => { end(); if (app.place.view === "plan") window.dispatchEvent(new HashChangeEvent("hashchange")); });
    return { element, dispose() { end?.(); } };
  }
  const { editor, model, focus } = session;
  editor.hold();
  const map = new MapView({ label: t("map_edit"), tileUrl: app.info.tile_url });
  map.canDrag = true;
  map.foot = 44;
  map.setStops(modelStops(model));
  const panel = new RoutePanel(session);
  const numbers = h("div", {});
  const undo = button(t("undo"), () => { const label = editor.undo(); say(t("undone", { label })); }, { id: "undo", title: "Ctrl+Z" });
  const redo = button(t("redo"), () => { const label = editor.redo(); say(t("redone", { label })); }, { id: "redo", title: "Ctrl+Y" });
  const notices = h("div", {});
  const routes = routeTable(session);
  const types = typeTable(session);
  const hasTimes = editor.view.routes.some((route) => route.schedule);
  const timeline = hasTimes ? new Timeline() : null;
  const lower = tabs(t("details"), [
    ...(timeline ? [{ label: t("tab_timeline"), element: h("div", {}, h("p", { class: "legend" }, t("timeline_legend")), timeline.element) }] : []),
    { label: t("tab_routes"), element: routes.element },
    { label: t("tab_types"), element: types.element },
  ]);

  const drawNotices = () => {
    const { view, offer } = editor;
    const { violations } = view;
    fill(notices,
      session.status.state === "interrupted" && h("p", { class: "notice warn" }, t("interrupted_hint")),
      offer && h("div", { class: "notice" }, h("p", {}, t("offer", { cost: money(offer.cost) }), " ", editor.isChanged && t("offer_changed")), button(t("take_offer"), () => editor.takeOffer(t("did_offer")))),
      violations.length > 0 && h("section", { class: "notice bad", "aria-label": t("problems") },
        h("h2", {}, t("violations", { count: violations.length })),
        h("ul", { class: "problems" }, violations.slice(0, MOST_VIOLATIONS).map((violation) => h("li", {},
          button(model.brokenRule(violation), () => focus.select(violation.route ?? -1, violation.stop ?? -1), { class: "problem quiet" })))),
        violations.length > MOST_VIOLATIONS && h("p", {}, t("problems_more", { count: violations.length - MOST_VIOLATIONS }))));
  };

  const draw = () => {
    fill(numbers, planFigures(editor, model));
    undo.disabled = !editor.history.canUndo;
    redo.disabled = !editor.history.canRedo;
    drawNotices();
    if (model.hasMap) map.setRoutes(mapRoutes(model, editor.routes, (index) => editor.isLocked(index)));
    if (focus.selected.route >= editor.routes.length) focus.selected = { route: -1, stop: -1 };
    panel.draw();
    if (!editor.isPending) {
      routes.draw();
      types.draw();
      timeline?.update(model, editor.view.routes, routeColours(editor.view.routes.map((route) => model.typeIndex.get(route.vehicle_type) ?? 0)), new Set(editor.view.violations.map((violation) => violation.stop)));
    }
    mark();
    if (editor.isChanged && !editor.isPending) say(t("say_change", { cost: money(editor.view.cost), change: signed(editor.view.cost - editor.best.cost), count: editor.view.violations.length }));
  };

  const mark = () => {
    const { shown } = focus;
    map.show(shown.route, shown.stop);
    timeline?.show(shown.route, shown.stop);
    panel.mark();
    routes.mark();
  };

  const tipFor = ({ route, stop, x, y }) => {
    const figures = route >= 0 ? editor.figures(route) : null;
    if (stop >= 0) showTip(x, y, model.label(stop), stopLines(model, stop, figures, route, figures ? figures.customers.indexOf(stop) : -1));
    else if (figures) showTip(x, y, t("route_title", { number: route + 1, type: figures.vehicle_type }), routeLines(model, figures));
    else hideTip();
  };
  const hover = (hit) => { focus.hover(hit.route, hit.stop); tipFor(hit); };
  const select = ({ route, stop }) => focus.select(route, stop);
  map.on("hover", hover);
  map.on("select", select);
  timeline?.on("hover", hover);
  timeline?.on("select", select);

  // While a stop is dragged, the tooltip says where it would go and what that costs.
  let abort = null;
  let lastTarget = "";
  const ask = debounce(100, async ({ stop, target, x, y }, title) => {
    abort = new AbortController();
    try {
      const view = await api.evaluate({ job: session.id, routes: plain(moveStop(editor.routes, stop, target.route, target.position)) }, abort.signal);
      if (map.drag) showTip(x, y, title, [previewSentence(model, view, editor.view)]);
    } catch { /* The tooltip without a cost stays. */ }
  });
  map.on("drag", (state) => {
    const { target, stop, x, y } = state;
    if (!target) { ask.cancel(); lastTarget = ""; showTip(x, y, model.label(stop), [t("drag_to_route")]); return; }
    const title = t("drag_target", { name: model.label(stop), number: target.route + 1, type: editor.routes[target.route].vehicle_type, position: target.position + 1 });
    const now = `${target.route}/${target.position}`;
    if (now === lastTarget) return;
    lastTarget = now;
    abort?.abort();
    showTip(x, y, title, [t("computing")]);
    ask(state, title);
  });
  map.on("drop", ({ stop, target }) => {
    ask.cancel();
    abort?.abort();
    lastTarget = "";
    hideTip();
    if (target) relocate(session, stop, target.route, target.position);
  });

  const keys = (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.target.closest("input, select, textarea, dialog")) return;
    const pressed = event.key.toLowerCase();
    if (pressed === "z" && !event.shiftKey && editor.history.canUndo) undo.click();
    else if ((pressed === "y" || (pressed === "z" && event.shiftKey)) && editor.history.canRedo) redo.click();
    else return;
    event.preventDefault();
  };
  document.addEventListener("keydown", keys);

  const element = h("div", { class: "view plan" },
    h("div", { class: "view-head" },
      h("div", {}, h("h1", {}, session.name), h("p", { class: "lead" }, session.isActive ? h("a", { href: `#/solve/${session.id}` }, t("still_running")) : t(session.status.proven ? "state_proven" : `plan_${session.status.state}`))),
      h("div", { class: "actions" }, undo, redo,
        button(t("improve"), () => openImprove(app), { id: "improve" }),
        button(t("export"), () => openExportDialog(app), { class: "primary", id: "export" }))),
    numbers, notices,
    h("div", { class: "split map-panel" },
      h("section", { class: "card map-card", "aria-label": t("map_plan") }, model.hasMap ? [map.element, h("p", { class: "map-hint" }, t("map_hint"))] : h("p", { class: "empty soft" }, t("no_map"))),
      panel.element),
    h("section", { class: "card" }, lower.element));

  const ends = [
    editor.on("change", draw),
    editor.on("offer", draw),
    editor.on("error", complain),
    focus.on("change", (what) => {
      if (what === "select") {
        panel.draw();
        panel.reveal();
        const { route, stop } = focus.selected;
        if (stop >= 0) map.reveal(stop);
        if (route >= 0) timeline?.reveal(route);
      }
      mark();
    }),
  ];
  return {
    element,
    shown: draw,
    dispose() { editor.release(); document.removeEventListener("keydown", keys); ends.forEach((end) => end()); map.dispose(); timeline?.dispose(); hideTip(); },
  };
};
