// The tables that the planner edits, and what the service says about them.

import { api } from "./api.js";
import { debounce } from "./dom.js";
import { Emitter } from "./emitter.js";
import { History } from "./history.js";
import { project } from "./model.js";
import { forget, load, save } from "./storage.js";
import { t } from "../texts.js";

const PAUSE = 350;

const EMPTY = {
  stops: { columns: ["id", "name", "x", "y", "demand", "depot"], rows: [] },
  vehicles: { columns: ["type", "capacity", "fixed_cost", "unit_cost", "available"], rows: [] },
};

/** Columns that can be added by hand, by table. */
export const COLUMNS = {
  stops: ["id", "name", "x", "y", "lat", "lon", "demand", "depot", "open", "close", "service_min", "vehicle_types", "requires"],
  vehicles: ["type", "capacity", "fixed_cost", "unit_cost", "available", "owned", "max_hours", "max_km", "max_stops", "cost_per_hour", "shift_start", "shift_end", "speed_kmh", "offers"],
};

// Headers that the page understands by itself, until the service names the fields.
const WORDS = { latitude: "lat", breite: "lat", lng: "lon", longitude: "lon", laenge: "lon", kunde: "name", customer: "name", menge: "demand", lager: "depot", stop: "id" };

const guess = (column) => {
  const word = String(column).toLowerCase().replaceAll("ä", "ae").replaceAll("ö", "oe").replaceAll("ü", "ue").replace(/\(.*\)/, "").trim().replaceAll(/[\s-]+/g, "_");
  return WORDS[word] || (COLUMNS.stops.includes(word) || COLUMNS.vehicles.includes(word) ? word : null);
};

const toNumber = (text) => {
  const clean = String(text ?? "").trim().replace(",", ".");
  return clean !== "" && Number.isFinite(Number(clean)) ? Number(clean) : null;
};

const isYes = (text) => ["1", "true", "yes", "ja", "x", "depot"].includes(String(text ?? "").trim().toLowerCase());
const isBlank = (row) => row.every((cell) => !String(cell ?? "").trim());

const shown = (value) => (value === null || value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : String(value));

const tableOf = (records) => {
  const columns = [...new Set(records.flatMap((record) => Object.keys(record)))];
  return { columns, rows: records.map((record) => columns.map((column) => shown(record[column]))) };
};

/** Return tables of an instance that the service does not write as tables. */
const tablesOf = (instance) => ({
  stops: tableOf([{ ...instance.depot, depot: 1 }, ...instance.customers, ...(instance.other_depots || []).map((depot) => ({ ...depot, depot: 1 }))]),
  vehicles: tableOf(instance.vehicle_types),
});

const tidy = (table, fallback) => {
  const { columns, rows, fields } = table && table.columns && table.columns.length ? table : fallback;
  return { columns, fields: fields && fields.length === columns.length ? fields : columns.map(guess), rows: rows.map((row) => columns.map((_, place) => String(row[place] ?? ""))) };
};

/** Events: "tables" (content or shape), "checked" (problems, instance), "error" (a Problem). */
export class Draft extends Emitter {
  constructor(key) {
    super();
    this.key = key;
    this.files = [];
    this.clear();
    this.check = debounce(PAUSE, () => this.validate());
    const kept = load(`draft/${key}`);
    if (kept) {
      this.name = kept.name;
      this.base = kept.base;
      this.decimal = kept.decimal;
      this.isReadOnly = kept.isReadOnly;
      this.#replace(kept.tables);
    }
  }

  clear() {
    this.name = "";
    this.base = null;
    this.decimal = undefined;
    this.isReadOnly = false;
    this.history = new History(null);
    this.problems = [];
    this.numProblems = 0;
    this.warnings = [];
    this.instance = null;
    this.isChecking = false;
    this.isOk = false;
  }

  get tables() { return this.history.now; }
  get isEmpty() { return !this.tables; }

  #replace(tables) {
    this.history = new History({ stops: tidy(tables.stops, EMPTY.stops), vehicles: tidy(tables.vehicles, EMPTY.vehicles) });
  }

  /** Show tables; an instance that tables cannot hold is shown to read only. */
  #show(tables, instance) {
    this.decimal = tables?.decimal;
    this.isReadOnly = !tables && Boolean(instance);
    this.#replace(this.isReadOnly ? tablesOf(instance) : tables || {});
  }

  #store() {
    if (this.isEmpty) forget(`draft/${this.key}`);
    else save(`draft/${this.key}`, { saved: Date.now(), name: this.name, base: this.base, decimal: this.decimal, isReadOnly: this.isReadOnly, tables: this.tables });
  }

  /** Keep this draft under the id of the job that was made from it. */
  moveTo(key) {
    forget(`draft/${this.key}`);
    this.key = key;
    this.#store();
  }

  startOver() { this.clear(); this.files = []; this.#store(); this.emit("tables"); }

  startBlank() {
    this.clear();
    this.name = t("unnamed");
    this.#replace(EMPTY);
    this.addRow("stops");
    this.addRow("vehicles");
  }

  // -- from files, examples and jobs -------------------------------------------------------------

  /** Take an answer of the service: tables, problems and the instance. */
  take(answer, name) {
    this.clear();
    this.name = name || answer.instance?.name || t("unnamed");
    this.base = answer.instance || null;
    this.#show(answer.tables, answer.instance);
    this.#checked(answer, null);
    this.#store();
    this.emit("tables");
  }

  async readFiles(files) {
    // A second file completes the first one: stops and vehicles may come one after the other.
    const isSecond = !this.isEmpty && files.length === 1 && this.files.length === 1 && (!this.tables.vehicles.rows.length || !this.tables.stops.rows.length);
    const all = isSecond ? [...this.files, ...files] : [...files];
    const answer = await api.validateFiles(all);
    this.files = all;
    this.take(answer, answer.instance?.name || all[0].name.replace(/\.[^.]+$/, ""));
  }

  async readExample(id) {
    const { title, tables, instance } = await api.example(id);
    this.files = [];
    this.clear();
    this.name = title;
    this.base = instance;
    this.#show(tables, instance);
    this.#store();
    this.emit("tables");
    await this.validate();
  }

  async readInstance(instance) {
    this.take(await api.validate({ instance }), instance.name);
  }

  // -- changes ---------------------------------------------------------------------------------

  #change(table, change, { isTyping = false } = {}) {
    const tables = { ...this.tables, [table]: { ...this.tables[table], ...change } };
    if (isTyping && this.isTyping) this.history.states[this.history.place] = tables;
    else this.history.push(tables);
    this.isTyping = isTyping;
    this.#store();
    this.check();
  }

  /** Change a cell while it is typed; all keys in one cell are one step to undo. */
  type(table, row, column, text) {
    const cell = `${table}/${row}/${column}`;
    if (this.typed !== cell) this.isTyping = false;
    this.typed = cell;
    const rows = [...this.tables[table].rows];
    rows[row] = rows[row].map((old, place) => (place === column ? text : old));
    this.#change(table, { rows }, { isTyping: true });
  }

  /** Change a block of cells, as pasted from a spreadsheet; rows are added where needed. */
  paste(table, row, column, block) {
    const { columns } = this.tables[table];
    const rows = [...this.tables[table].rows];
    block.forEach((cells, down) => {
      const old = rows[row + down] || columns.map(() => "");
      rows[row + down] = old.map((text, place) => (place >= column && place < column + cells.length ? cells[place - column].trim() : text));
    });
    this.#change(table, { rows });
    this.emit("tables");
  }

  addRow(table, cells) {
    const { columns, rows } = this.tables[table];
    this.#change(table, { rows: [...rows, cells || columns.map(() => "")] });
    this.emit("tables");
    return rows.length;
  }

  removeRow(table, row) {
    this.#change(table, { rows: this.tables[table].rows.filter((_, index) => index !== row) });
    this.emit("tables");
  }

  addColumn(table, name) {
    const { columns, fields, rows } = this.tables[table];
    this.#change(table, { columns: [...columns, name], fields: [...fields, name], rows: rows.map((row) => [...row, ""]) });
    this.emit("tables");
  }

  rename(name) { this.name = name; this.#store(); }

  undo() { this.history.undo(); this.#settle(); }
  redo() { this.history.redo(); this.#settle(); }
  #settle() { this.isTyping = false; this.#store(); this.check(); this.emit("tables"); }

  // -- places ----------------------------------------------------------------------------------

  #column(field) { return this.tables.stops.fields.indexOf(field); }

  get isGeographic() { return this.#column("lat") >= 0 && this.#column("lon") >= 0; }

  /** Return the place of every row of stops, or null. */
  get places() {
    const [x, y] = this.isGeographic ? [this.#column("lon"), this.#column("lat")] : [this.#column("x"), this.#column("y")];
    return this.tables.stops.rows.map((row) => {
      const [across, up] = [toNumber(row[x]), toNumber(row[y])];
      if (across === null || up === null) return null;
      return project(this.isGeographic ? { lon: across, lat: up } : { x: across, y: up });
    });
  }

  get depots() {
    const { rows } = this.tables.stops;
    const flag = this.#column("depot");
    const flagged = flag < 0 ? [] : rows.map((row, index) => (isYes(row[flag]) ? index : -1)).filter((index) => index >= 0);
    if (flagged.length) return new Set(flagged);
    const names = [this.#column("id"), this.#column("name")].filter((place) => place >= 0);
    const named = rows.findIndex((row) => names.some((place) => ["depot", "lager", "zentrallager", "warehouse"].includes(row[place].trim().toLowerCase())));
    return new Set(named >= 0 ? [named] : []);
  }

  label(row) {
    const cells = this.tables.stops.rows[row];
    const [id, name] = [cells[this.#column("id")], cells[this.#column("name")]];
    return name && id ? `${name} (${id})` : name || id || t("row", { number: row + 1 });
  }

  #withDepotColumn() {
    let flag = this.#column("depot");
    let { columns, fields, rows } = this.tables.stops;
    if (flag < 0) {
      flag = columns.length;
      columns = [...columns, "depot"];
      fields = [...fields, "depot"];
      rows = rows.map((row) => [...row, ""]);
    }
    return { flag, columns, fields, rows };
  }

  /** Make a row the depot, and no other. */
  setDepot(chosen) {
    const { flag, columns, fields, rows } = this.#withDepotColumn();
    const changed = rows.map((row, index) => row.map((cell, place) => (place === flag ? (index === chosen ? "1" : "") : cell)));
    this.#change("stops", { columns, fields, rows: changed });
    this.emit("tables");
  }

  /** Put the depot at a place: the one there is moves, else a row is added. */
  setDepotAt(across, up) {
    const { flag, columns, fields, rows } = this.#withDepotColumn();
    const digits = this.isGeographic ? 5 : 2;
    const [x, y] = this.isGeographic ? ["lon", "lat"] : ["x", "y"];
    const cells = new Map([[fields.indexOf(x), across.toFixed(digits)], [fields.indexOf(y), up.toFixed(digits)], [flag, "1"]]);
    const [old] = this.depots;
    let changed;
    if (old === undefined) {
      const id = fields.indexOf("id") >= 0 ? fields.indexOf("id") : fields.indexOf("name");
      const row = columns.map((_, place) => cells.get(place) ?? (place === id ? "depot" : ""));
      changed = [row, ...rows];
    } else {
      changed = rows.map((row, index) => (index === old ? row.map((cell, place) => cells.get(place) ?? cell) : row));
    }
    this.#change("stops", { columns, fields, rows: changed });
    this.emit("tables");
  }

  // -- checks ----------------------------------------------------------------------------------

  async validate() {
    this.check.cancel();
    this.abort?.abort();
    if (this.isEmpty) return;
    this.abort = new AbortController();
    this.isChecking = true;
    this.emit("checked");
    const kept = {};
    const tables = {};
    for (const name of ["stops", "vehicles"]) {
      const { columns, rows } = this.tables[name];
      kept[name] = rows.map((row, index) => (isBlank(row) ? -1 : index)).filter((index) => index >= 0);
      tables[name] = { columns, rows: kept[name].map((index) => rows[index]) };
    }
    if (this.decimal !== undefined) tables.decimal = this.decimal;
    const body = this.isReadOnly ? { instance: this.base } : this.base ? { tables, instance: this.base } : { tables };
    try {
      const answer = await api.validate(body, this.abort.signal);
      this.#checked(answer, kept);
    } catch (problem) {
      if (problem.name === "AbortError") return;
      this.isChecking = false;
      this.emit("error", problem);
    }
  }

  #checked(answer, kept) {
    const placed = (problem) => (kept && problem.table && problem.row !== null && problem.row !== undefined ? { ...problem, row: kept[problem.table][problem.row] } : problem);
    this.isChecking = false;
    this.problems = (answer.problems || []).map(placed);
    this.numProblems = answer.num_problems ?? this.problems.length;
    this.warnings = (answer.warnings || []).map(placed);
    this.instance = answer.instance || null;
    this.isOk = Boolean(answer.ok && answer.instance);
    for (const name of ["stops", "vehicles"]) {
      const fields = answer.tables?.[name]?.fields;
      if (fields && fields.length === this.tables[name].columns.length) this.tables[name].fields = fields;
    }
    this.emit("checked");
  }
}
