// Step 1: bring in stops and vehicles, see every problem in its cell, put it right.

import { button, debounce, field, fill, h, newId } from "../core/dom.js";
import { COLUMNS } from "../core/draft.js";
import { integer, unproject } from "../core/model.js";
import { Grid, sentence } from "../parts/grid.js";
import { MapView } from "../parts/map.js";
import { complain, confirmed, dialog, hideTip, say, showTip, toast } from "../parts/messages.js";
import { t } from "../texts.js";

const MOST_LISTED = 50;

/** Return a place to drop files on, which is a file button as well. */
const dropZone = (onFiles, { isSmall = false } = {}) => {
  const input = h("input", {
    type: "file", multiple: true, accept: ".csv,.tsv,.xlsx,.xlsm,.json", class: "unseen", id: newId("file"),
    on: { change: (event) => { onFiles([...event.target.files]); event.target.value = ""; } },
  });
  if (isSmall) return h("span", { class: "file-button" }, input, h("label", { class: "button", for: input.id }, t("open_file")));
  return h("div", { class: "drop" }, input,
    h("p", { class: "drop-title" }, t("drop_title")),
    h("label", { class: "button primary", for: input.id }, t("choose_files")),
    h("p", { class: "soft small" }, t("drop_hint")));
};

/** Files may be dropped anywhere on the page. */
const acceptDrops = (element, onFiles) => {
  const over = (event) => { event.preventDefault(); element.classList.add("over"); };
  const out = (event) => { if (!event.relatedTarget) element.classList.remove("over"); };
  const drop = (event) => {
    event.preventDefault();
    element.classList.remove("over");
    if (event.dataTransfer.files.length) onFiles([...event.dataTransfer.files]);
  };
  window.addEventListener("dragover", over);
  window.addEventListener("dragleave", out);
  window.addEventListener("drop", drop);
  return () => { window.removeEventListener("dragover", over); window.removeEventListener("dragleave", out); window.removeEventListener("drop", drop); };
};

const welcome = (app, draft, onFiles, busy) => h("div", { class: "welcome" },
  h("div", { class: "view-head" }, h("div", {}, h("h1", {}, t("welcome_title")), h("p", { class: "lead" }, t("welcome_lead")))),
  dropZone(onFiles),
  h("div", { class: "welcome-more" },
    h("section", { class: "card" }, h("h2", {}, t("examples")),
      h("p", { class: "soft" }, t("examples_lead")),
      h("ul", { class: "examples" }, (app.info.examples || []).map((example) => h("li", {},
        button([h("b", {}, example.title), h("span", { class: "soft" }, t("size", { stops: integer(example.stops), types: example.types }))],
          () => busy(draft.readExample(example.id)), { class: "example" }))))),
    h("section", { class: "card" }, h("h2", {}, t("what_table")),
      h("p", { class: "soft" }, t("what_table_lead")),
      h("dl", { class: "facts" },
        h("dt", {}, t("stops")), h("dd", {}, h("code", {}, "id, name, lat, lon, demand")),
        h("dt", {}, t("vehicles")), h("dd", {}, h("code", {}, "type, capacity, fixed_cost, unit_cost, available"))),
      h("p", { class: "soft" }, t("what_table_more")),
      button(t("start_blank"), () => { draft.startBlank(); draft.emit("tables"); }))));

export const dataView = (app) => {
  const draft = app.draft(app.place.id);
  const element = h("div", { class: "view data" });
  let parts = null;

  const busy = async (work) => {
    element.setAttribute("aria-busy", "true");
    try { await work; } catch (problem) { complain(problem); }
    element.removeAttribute("aria-busy");
  };
  const onFiles = (files) => {
    if (files.length > 2) { toast(t("too_many_files"), { isProblem: true }); return; }
    busy(draft.readFiles(files));
  };

  const tableCard = () => {
    const tabs = {};
    let active = "stops";
    const grids = Object.fromEntries(["stops", "vehicles"].map((table) => [table, new Grid({
      table,
      label: t(table),
      onType: (row, column, text) => { draft.type(table, row, column, text); sketch(); },
      onPaste: (row, column, block) => draft.paste(table, row, column, block),
      onRemove: (row) => { draft.removeRow(table, row); toast(t("row_removed"), { action: { label: t("undo"), run: () => draft.undo() } }); },
      onFocusRow: (row) => { if (table === "stops") parts.map.show(-1, row); },
    })]));
    const panel = h("div", { class: "grid-panel", role: "tabpanel", id: newId("panel") });
    const openColumns = () => {
      const names = COLUMNS[active].filter((name) => !draft.tables[active].fields.includes(name));
      const choice = h("select", {}, names.map((name) => h("option", { value: name }, t(`column_${name}`))));
      dialog(t("add_column"), (close) => [
        field(t("add_column_which"), choice),
        h("div", { class: "actions" }, button(t("cancel"), () => close()), button(t("add_now"), () => { close(); draft.addColumn(active, choice.value); }, { class: "primary" })),
      ]);
    };
    const open = (table) => {
      active = table;
      for (const [name, tab] of Object.entries(tabs)) {
        tab.setAttribute("aria-selected", String(name === table));
        tab.tabIndex = name === table ? 0 : -1;
      }
      panel.setAttribute("aria-labelledby", tabs[table].id);
      fill(panel, grids[table].element);
      grids[table].update(draft.tables[table], draft.problems, draft.warnings, draft.isReadOnly);
      edits.hidden = draft.isReadOnly;
    };
    const list = h("div", { class: "tabs", role: "tablist", "aria-label": t("tables"), on: {
      keydown: (event) => {
        if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
        open(active === "stops" ? "vehicles" : "stops");
        tabs[active].focus();
      },
    } }, ["stops", "vehicles"].map((table) => (tabs[table] = button(t(table), () => open(table), { role: "tab", id: newId("tab"), class: "tab" }))));
    const add = button(t("add_row"), () => { const row = draft.addRow(active); grids[active].focus(row, 0); });
    const edits = h("div", { class: "actions" }, add, button(t("add_column"), openColumns));
    const card = h("section", { class: "card tables" }, h("div", { class: "card-head" }, list, edits), panel);
    const count = () => {
      for (const [name, tab] of Object.entries(tabs)) {
        const bad = draft.problems.filter((problem) => problem.table === name).length;
        fill(tab, t(name), " ", h("span", { class: "count" }, integer(draft.tables[name].rows.length)),
          bad ? h("span", { class: "badge bad" }, t("problem_count", { count: bad })) : null);
      }
    };
    return { card, grids, open, count, get active() { return active; }, redraw: () => { count(); open(active); }, mark: () => { count(); for (const grid of Object.values(grids)) grid.mark(draft.problems, draft.warnings); } };
  };

  const goTo = (problem) => {
    if (!problem.table) return;
    parts.tables.open(problem.table);
    if (problem.row !== null && problem.row !== undefined) parts.tables.grids[problem.table].focus(problem.row, problem.column);
    else parts.tables.grids[problem.table].element.focus();
  };

  const problemItem = (problem, level) => {
    const where = problem.table
      ? [t(problem.table), problem.row !== null && problem.row !== undefined ? t("row", { number: problem.row + 1 }) : null,
        problem.column !== null && problem.column !== undefined ? draft.tables[problem.table].columns[problem.column] : null].filter(Boolean).join(" · ")
      : null;
    return h("li", { class: level }, problem.table
      ? button([h("span", { class: "where" }, where), h("span", {}, sentence(problem))], () => goTo(problem), { class: "problem" })
      : h("span", { class: "problem" }, sentence(problem)));
  };

  const sketch = debounce(120, () => { if (parts) drawMap(); });

  const drawMap = () => {
    const flagged = new Set(draft.problems.filter((problem) => problem.table === "stops" && problem.row !== null).map((problem) => problem.row));
    parts.map.setStops({ places: draft.places, depots: draft.depots, flagged, isGeographic: draft.isGeographic });
  };

  const drawState = () => {
    const { problems, warnings, isOk, isChecking } = draft;
    const count = draft.numProblems;
    fill(parts.state,
      count ? h("span", { class: "pill bad" }, t("problem_count", { count }))
        : isOk ? h("span", { class: "pill good" }, t("ready"))
          : isChecking ? h("span", { class: "pill" }, t("checking")) : null);
    parts.next.textContent = t(count ? "next_fix" : "next_solve");
    parts.next.classList.toggle("primary", !count);
    parts.next.disabled = !count && !isOk;
    parts.nextHint.textContent = count ? t("next_blocked") : isOk ? t("next_ready") : t("checking");
    parts.undo.disabled = !draft.history.canUndo;
    parts.redo.disabled = !draft.history.canRedo;
    parts.problems.hidden = !count && !warnings.length;
    fill(parts.problems,
      h("h2", {}, count ? t("problems_title", { count }) : t("warnings_title", { count: warnings.length })),
      h("p", { class: "soft" }, t(count ? "problems_lead" : "warnings_lead")),
      h("ul", { class: "problems" },
        problems.map((problem) => problemItem(problem, "bad")),
        warnings.slice(0, MOST_LISTED).map((warning) => problemItem(warning, "warn"))),
      count > problems.length && h("p", { class: "soft" }, t("problems_more", { count: count - problems.length })));
    if (!isChecking) say(count ? t("problems_title", { count }) : isOk ? t("ready") : "");
  };

  const build = () => {
    const map = new MapView({ label: t("map_stops"), tileUrl: app.info.tile_url });
    const pick = button(t("pick_depot"), () => setPicking(!map.isPicking), { "aria-pressed": "false" });
    const pickHint = h("p", { class: "soft small", role: "status" });
    const setPicking = (isPicking) => {
      map.isPicking = isPicking;
      map.element.classList.toggle("picking", isPicking);
      pick.setAttribute("aria-pressed", String(isPicking));
      pickHint.textContent = isPicking ? t("pick_depot_hint") : "";
    };
    map.on("place", ({ stop, x, y }) => {
      setPicking(false);
      if (stop >= 0) draft.setDepot(stop); else draft.setDepotAt(...unproject(x, y, draft.isGeographic));
      toast(t("depot_set"), { action: { label: t("undo"), run: () => draft.undo() } });
    });
    map.on("hover", ({ stop, x, y }) => {
      map.show(-1, stop);
      if (stop < 0) { hideTip(); return; }
      const problems = draft.problems.filter((problem) => problem.table === "stops" && problem.row === stop).map(sentence);
      showTip(x, y, draft.label(stop), [draft.depots.has(stop) ? t("depot") : t("row", { number: stop + 1 }), ...problems]);
    });
    map.on("select", ({ stop }) => { if (stop >= 0) goTo({ table: "stops", row: stop, column: 0 }); });
    const next = button(t("next_solve"), () => {
      if (draft.problems.length) goTo(draft.problems[0]); else app.go("start");
    }, { class: "primary large" });
    const nextHint = h("p", { class: "soft", id: newId("next") });
    next.setAttribute("aria-describedby", nextHint.id);
    parts = {
      isReadOnly: draft.isReadOnly,
      map, next, nextHint,
      state: h("span", { class: "state" }),
      undo: button(t("undo"), () => draft.undo()),
      redo: button(t("redo"), () => draft.redo()),
      problems: h("section", { class: "card problem-card", "aria-label": t("problems") }),
    };
    parts.tables = tableCard();
    const name = h("input", { class: "title-input", value: draft.name, "aria-label": t("plan_name"), maxlength: "120", on: { input: (event) => draft.rename(event.target.value) } });
    fill(element,
      h("h1", { class: "unseen" }, t("step_data")),
      h("div", { class: "view-head" },
        h("div", { class: "title-line" }, name, parts.state),
        h("div", { class: "actions" }, parts.undo, parts.redo, dropZone(onFiles, { isSmall: true }),
          button(t("start_over"), async () => { if (await confirmed(t("start_over_question"), t("start_over"))) draft.startOver(); }))),
      draft.isReadOnly && h("p", { class: "notice" }, t("read_only")),
      h("div", { class: "split" },
        parts.tables.card,
        h("div", { class: "stack" },
          h("section", { class: "card map-card", "aria-label": t("map_stops") }, map.element, !draft.isReadOnly && h("div", { class: "map-foot" }, pick, pickHint)),
          parts.problems)),
      h("div", { class: "next-bar" }, nextHint, next));
    parts.tables.redraw();
    drawMap();
    drawState();
  };

  /** Show the tables or the first view; the focus stays in the view where what had it goes away. */
  const rebuild = () => {
    const hadFocus = element.contains(document.activeElement);
    parts?.map.dispose();
    parts = null;
    if (draft.isEmpty) fill(element, welcome(app, draft, onFiles, busy)); else build();
    if (hadFocus) document.getElementById("main").focus({ preventScroll: true });
  };

  const redraw = () => {
    if (draft.isEmpty || !parts || parts.isReadOnly !== draft.isReadOnly) { rebuild(); return; }
    element.querySelector(".title-input").value = draft.name;
    parts.tables.redraw();
    drawMap();
    drawState();
  };

  const ends = [
    draft.on("tables", redraw),
    draft.on("checked", () => { if (parts) { if (!draft.isChecking) { parts.tables.mark(); drawMap(); } drawState(); } }),
    draft.on("error", complain),
    acceptDrops(element, onFiles),
  ];
  redraw();
  if (draft.isEmpty && app.session) busy(draft.readInstance(app.session.model.doc));
  else if (!draft.isEmpty && !draft.isOk && !draft.problems.length) draft.validate();
  return { element, dispose() { ends.forEach((end) => end()); parts?.map.dispose(); hideTip(); } };
};
