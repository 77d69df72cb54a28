// Figures of a plan that several views show: the routes for the map, key figures, the fleet.

import { h } from "../core/dom.js";
import { routeColours, typeColour, typeDash } from "../core/colours.js";
import { integer, loadFactor, money, percent } from "../core/model.js";
import { t } from "../texts.js";

/** Return routes as the map draws them. */
export const mapRoutes = (model, routes, isLocked = () => false) => {
  const types = routes.map((route) => model.typeIndex.get(route.vehicle_type) ?? 0);
  const colours = routeColours(types);
  return routes.map((route, index) => ({
    customers: route.customers,
    depot: model.depotOf(route.vehicle_type),
    returns: model.returns(route.vehicle_type),
    colour: colours[index],
    dash: typeDash(types[index]),
    isLocked: isLocked(index),
  }));
};

export const modelStops = (model) => ({
  places: model.places,
  depots: new Set([0, ...model.stops.keys()].filter((stop) => model.isDepot(stop))),
  isGeographic: model.isGeographic,
});

/** Return a mark in the colour of a vehicle type or route. */
export const key = (colour, isDashed = false) => h("span", { class: isDashed ? "key dashed" : "key", style: { "--c": colour }, "aria-hidden": "true" });

/** Return a bar that shows a load factor. */
export const loadBar = (share, colour) => h("span", { class: share > 1 + 1e-9 ? "bar over" : "bar", "aria-hidden": "true" },
  h("i", { style: { width: `${Math.min(100, 100 * share)}%`, "--c": colour } }));

/** Return one key figure. */
export const figure = (label, value, note, tone) => h("div", {}, h("dt", {}, label), h("dd", { class: tone || null }, value, note && h("small", {}, note)));

/** Return the vehicles of a plan, per type, with load factor and cost. */
export const fleetRows = (model, plan) => model.types.map((type, index) => {
  const routes = plan.routes.filter((route) => route.vehicle_type === type.name);
  const loads = routes.map(loadFactor);
  return {
    type, index, routes,
    count: routes.length,
    cost: routes.reduce((sum, route) => sum + route.cost, 0),
    distance: routes.reduce((sum, route) => sum + route.distance, 0),
    duration: plan.duration === null || plan.duration === undefined ? null : routes.reduce((sum, route) => sum + (route.duration || 0), 0),
    stops: routes.reduce((sum, route) => sum + route.customers.length, 0),
    factor: loads.length ? loads.reduce((sum, load) => sum + load, 0) / loads.length : 0,
  };
});

/** Return the fleet in words: "3 × van, 2 × truck". */
export const fleetWords = (counts) => Object.entries(counts).filter(([, count]) => count).map(([name, count]) => `${count}\u00a0×\u00a0${name.replaceAll(" ", "\u00a0")}`).join(", ") || t("none");

/** Return a list of the fleet with load bars. */
export const fleetList = (model, plan) => h("ul", { class: "fleet-list" }, fleetRows(model, plan).map((row) => h("li", { class: row.count ? "" : "unused" },
  key(typeColour(row.index), row.index >= 8),
  h("span", { class: "fleet-count" }, t("times", { count: row.count })),
  h("span", { class: "name" }, row.type.name),
  row.count ? [loadBar(row.factor, typeColour(row.index)), h("span", { class: "soft small fleet-note" }, t("load_factor", { share: percent(100 * row.factor, 0), cost: money(row.cost) }))]
    : h("span", { class: "soft small fleet-note" }, t("not_needed")))));

/** Return lines about a stop for the tooltip. */
export const stopLines = (model, stop, route, index, position) => [
  model.isDepot(stop) ? t("depot") : t("demand", { demand: model.loads(model.demand(stop)) }),
  model.windows(stop) && t("open_from_to", { windows: model.windows(stop) }),
  route && t("stop_of", { position: position + 1, count: route.customers.length, route: index + 1, type: route.vehicle_type }),
  route?.schedule?.[position] && t("arrives", { time: model.clock(route.schedule[position].arrival), start: model.clock(route.schedule[position].start) }),
];

/** Return lines about a route for the tooltip. */
export const routeLines = (model, route) => [
  t("stops_distance", { count: integer(route.customers.length), distance: model.distance(route.distance) }),
  t("load_of", { load: model.loads(route.loads), capacity: model.loads(route.capacity), share: percent(100 * loadFactor(route), 0) }),
  route.departure !== null && route.departure !== undefined && t("from_to", { start: model.clock(route.departure), end: model.clock(route.return) }),
  t("costs", { cost: money(route.cost) }),
];
