// An instance document as the page needs it: names, places on a map, units and number formats.

import { settings } from "./storage.js";
import { t } from "../texts.js";

const HOURS = { s: 3600, sec: 3600, second: 3600, seconds: 3600, min: 60, minute: 60, minutes: 60, h: 1, hour: 1, hours: 1 };

const formats = new Map();
const formatted = (value, digits, least = 0) => {
  const key = `${digits}/${least}`;
  if (!formats.has(key)) formats.set(key, new Intl.NumberFormat("en", { maximumFractionDigits: digits, minimumFractionDigits: least }));
  return formats.get(key).format(value);
};

/** Return a number with at most two decimals, more digits where it is small. */
export const number = (value) => {
  if (value === null || value === undefined || Number.isNaN(value)) return t("none");
  const size = Math.abs(value);
  if (size !== 0 && (size < 0.01 || size >= 1e12)) return value.toPrecision(4);
  return formatted(value, size >= 1000 ? 0 : 2);
};

export const integer = (value) => formatted(value, 0);
export const percent = (value, digits = 1) => t("percent", { value: formatted(value, digits) });

/** Return an amount of money: two decimals, with the currency sign that the planner chose. */
export const money = (value) => {
  if (value === null || value === undefined) return t("none");
  const size = Math.abs(value);
  const text = size >= 100000 ? formatted(value, 0) : size !== 0 && size < 0.01 ? number(value) : formatted(value, 2, 2);
  return settings.currency ? t("with_unit", { value: text, unit: settings.currency }) : text;
};

/** Return a difference with its sign; nothing at all is "±0". */
export const signed = (value, show = money) => {
  if (Math.abs(value) < 0.005) return t("no_change");
  return value > 0 ? `+${show(value)}` : `−${show(-value)}`;
};

/** Return a length of computing time. */
export const seconds = (value) => {
  if (value < 60) return t("seconds", { value: formatted(value, value < 10 ? 1 : 0) });
  const minutes = Math.floor(value / 60);
  const rest = Math.round(value % 60);
  if (minutes < 60) return rest ? t("minutes_seconds", { minutes, seconds: rest }) : t("minutes", { minutes });
  return t("hours_minutes", { hours: Math.floor(minutes / 60), minutes: minutes % 60 });
};

const list = (value) => (Array.isArray(value) ? value : [value ?? 0]);

// Places on a map are kept in units of the Mercator projection, so that map tiles fit below them.
const project = (stop) => {
  if (stop && typeof stop.lat === "number" && typeof stop.lon === "number") {
    const latitude = Math.max(-85, Math.min(85, stop.lat)) * (Math.PI / 180);
    return [(stop.lon + 180) / 360, (1 - Math.asinh(Math.tan(latitude)) / Math.PI) / 2];
  }
  if (stop && typeof stop.x === "number" && typeof stop.y === "number") return [stop.x, -stop.y];
  return null;
};

/** Return latitude and longitude, or x and y, of a place on the map. */
export const unproject = (x, y, isGeographic) => {
  if (!isGeographic) return [x, -y];
  return [x * 360 - 180, (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI];
};

export { project };

/** What the page knows about an instance. Stop 0 is the depot, 1 … n are customers, then other depots. */
export class Model {
  constructor(doc) {
    this.doc = doc;
    this.name = doc.name || t("unnamed");
    this.customers = doc.customers;
    this.size = doc.customers.length;
    this.stops = [doc.depot, ...doc.customers, ...(doc.other_depots || [])];
    this.types = doc.vehicle_types;
    this.typeIndex = new Map(this.types.map((type, index) => [type.name, index]));
    this.loadNames = doc.load_names || [];
    this.hour = doc.hour || HOURS[doc.time_unit] || 1;
    this.hasClock = doc.time_unit in HOURS;
    this.isGeographic = typeof doc.depot?.lat === "number";
    this.places = this.stops.map(project);
    this.hasMap = this.places.every(Boolean);
    this.distanceUnit = doc.distance_unit || (this.isGeographic && !doc.matrix ? "km" : "");
    this.hasIds = doc.customers.some((stop) => stop.id !== undefined);
  }

  isDepot(stop) { return stop === 0 || stop > this.size; }

  /** Return what a stop is called: its name, with the id where there is one. */
  label(stop) {
    const { name, id } = this.stops[stop] || {};
    if (name && id !== undefined && String(id) !== String(name) && !this.isDepot(stop)) return `${name} (${id})`;
    if (name || id !== undefined) return String(name || id);
    return stop === 0 ? t("depot") : this.isDepot(stop) ? t("depot_number", { number: stop - this.size + 1 }) : t("customer", { number: stop });
  }

  /** Return the depot that a vehicle type starts from. */
  depotOf(typeName) {
    const { depot } = this.types[this.typeIndex.get(typeName)] || {};
    if (depot === undefined || depot === null || depot === 0) return 0;
    if (typeof depot === "number" && depot > this.size) return depot;
    const found = this.stops.findIndex((stop, index) => this.isDepot(index) && (stop.id === depot || stop.name === depot));
    return found < 0 ? 0 : found;
  }

  returns(typeName) { return (this.types[this.typeIndex.get(typeName)] || {}).returns !== false; }

  demand(stop) { return list(this.stops[stop].demand); }
  capacity(type) { return list(type.capacity); }

  distance(value) { return this.distanceUnit ? t("with_unit", { value: number(value), unit: this.distanceUnit }) : number(value); }

  loads(values) {
    return list(values).map((value, place) => (this.loadNames[place] ? `${number(value)} ${this.loadNames[place]}` : number(value))).join(", ");
  }

  /** Return a moment as clock time where the unit of time is known. */
  clock(time) {
    if (time === null || time === undefined) return t("none");
    if (!this.hasClock) return number(time);
    const total = Math.round((time / this.hour) * 60);
    const day = Math.floor(total / 1440);
    const inDay = total - day * 1440;
    const text = `${String(Math.floor(inDay / 60)).padStart(2, "0")}:${String(inDay % 60).padStart(2, "0")}`;
    return day > 0 ? t("next_day", { time: text, day }) : text;
  }

  duration(time) {
    if (time === null || time === undefined) return t("none");
    if (!this.hasClock) return number(time);
    const total = Math.round((time / this.hour) * 60);
    return t("hours", { value: `${Math.floor(total / 60)}:${String(total % 60).padStart(2, "0")}` });
  }

  /** Return a broken rule in words: times as on the clock where their unit is known. */
  brokenRule({ code, message, route, stop, amount, limit }) {
    if (!this.hasClock) return message;
    const number = route + 1;
    // A time that reads like its limit is shown a minute later.
    const apart = (show) => ({ time: show(show(amount) === show(limit) ? limit + this.hour / 60 : amount), limit: show(limit) });
    if (code === "too_late") return t("rule_too_late", { number, name: this.label(stop), ...apart((time) => this.clock(time)) });
    if (code === "late_end") return t("rule_late_end", { number, ...apart((time) => this.clock(time)) });
    if (code === "too_long") return t("rule_too_long", { number, ...apart((time) => this.duration(time)) });
    return message;
  }

  windows(stop) {
    const windows = this.stops[stop].time_windows || [];
    return windows.map(([open, close]) => `${open === null ? "…" : this.clock(open)}–${close === null ? "…" : this.clock(close)}`).join(", ");
  }
}

/** Return the load factor of a route: that of the load with the least room. */
export const loadFactor = (route) =>
  Math.max(0, ...route.loads.map((load, place) => (route.capacity[place] ? load / route.capacity[place] : 0)));
