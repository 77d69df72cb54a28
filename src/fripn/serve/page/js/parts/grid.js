// A table to edit, like a spreadsheet: only the rows in sight exist, so that thousands stay fluid.

import { button, h, newId } from "../core/dom.js";
import { hideTip, showTip } from "./messages.js";
import { t } from "../texts.js";

const ROW = 34;
const MORE = 10;

/** Return the sentence of a problem. */
export const sentence = ({ message, remedy }) => (remedy && !message.includes(remedy) ? `${message}; ${remedy}` : message);

export class Grid {
  constructor({ table, label, onType, onPaste, onRemove, onFocusRow }) {
    Object.assign(this, { table, onType, onPaste, onRemove, onFocusRow });
    this.head = h("tr", { "aria-rowindex": "1" });
    this.before = h("tr", { class: "spacer", "aria-hidden": "true" });
    this.after = h("tr", { class: "spacer", "aria-hidden": "true" });
    this.body = h("tbody", {}, this.before, this.after);
    this.tableElement = h("table", { "aria-label": label }, h("thead", {}, this.head), this.body);
    this.element = h("div", { class: "grid-scroll", tabindex: "0", role: "region", "aria-label": label }, this.tableElement);
    this.drawn = new Map();
    this.content = { columns: [], rows: [] };
    this.problems = new Map();
    this.element.addEventListener("scroll", () => this.#window());
    new ResizeObserver(() => this.#window()).observe(this.element);
  }

  /** Show a table and the problems of its cells. */
  update(content, problems, warnings, isReadOnly) {
    this.content = content;
    this.isReadOnly = isReadOnly;
    // Characters of text are narrower than digits on average.
    this.widths = content.columns.map((_, place) => {
      const longest = Math.max(5, ...content.rows.slice(0, 200).map((row) => row[place].length));
      const isNumber = /^[\d.,-]*$/.test(content.rows[0]?.[place] ?? "");
      return isNumber ? Math.min(10, longest) : Math.min(20, Math.ceil(0.9 * longest));
    });
    this.#sort(problems, warnings);
    this.#headings();
    for (const row of this.drawn.values()) row.remove();
    this.drawn.clear();
    this.tableElement.setAttribute("aria-rowcount", String(content.rows.length + 1));
    this.#window();
  }

  /** Mark the problems of cells again; the cells stay, so that typing goes on. */
  mark(problems, warnings) {
    this.#sort(problems, warnings);
    this.#headings();
    for (const [index, row] of this.drawn) this.#markRow(index, row);
  }

  #sort(problems, warnings) {
    this.problems = new Map();
    for (const [list, level] of [[warnings, "warn"], [problems, "bad"]]) {
      for (const problem of list) {
        if (problem.table !== this.table) continue;
        const key = `${problem.row ?? "head"}/${problem.column ?? "row"}`;
        this.problems.set(key, { level, sentences: [...(this.problems.get(key)?.sentences || []), sentence(problem)] });
      }
    }
  }

  #headings() {
    const { columns } = this.content;
    this.head.replaceChildren(
      h("th", { scope: "col", class: "row-head" }, h("span", { class: "unseen" }, t("row_heading"))),
      ...columns.map((column, place) => {
        const problem = this.problems.get(`head/${place}`);
        return h("th", { scope: "col", class: problem && problem.level, title: problem && problem.sentences.join("\n") }, column);
      }));
  }

  /** Go to a cell and open it. */
  focus(row, column) {
    this.element.scrollTop = Math.max(0, row * ROW - this.element.clientHeight / 3);
    this.#window();
    const cell = this.drawn.get(row)?.querySelectorAll("input")[Math.max(0, column ?? 0)];
    if (!cell) return;
    // Before it is focused, so that the explanation finds the cell where it stays.
    cell.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
    cell.focus({ preventScroll: true });
    cell.select();
  }

  #window() {
    const { rows } = this.content;
    const high = this.element.clientHeight || 400;
    const first = Math.max(0, Math.floor(this.element.scrollTop / ROW) - MORE);
    const last = Math.min(rows.length, Math.ceil((this.element.scrollTop + high) / ROW) + MORE);
    for (const [index, row] of this.drawn) {
      if (index < first || index >= last) { row.remove(); this.drawn.delete(index); }
    }
    let previous = this.before;
    for (let index = first; index < last; index += 1) {
      let row = this.drawn.get(index);
      if (!row) { row = this.#row(index); this.drawn.set(index, row); }
      if (previous.nextSibling !== row) previous.after(row);
      previous = row;
    }
    this.before.style.height = `${first * ROW}px`;
    this.after.style.height = `${Math.max(0, rows.length - last) * ROW}px`;
    this.before.hidden = first === 0;
    this.after.hidden = last >= rows.length;
  }

  #row(index) {
    const cells = this.content.rows[index];
    const row = h("tr", { "aria-rowindex": String(index + 2) },
      h("th", { scope: "row", class: "row-head" },
        h("span", {}, String(index + 1)),
        !this.isReadOnly && button("×", () => this.onRemove(index), { class: "quiet icon remove", "aria-label": t("remove_row", { number: index + 1 }) })),
      cells.map((text, column) => h("td", {}, h("input", {
        value: text,
        style: { "min-width": `calc(${this.widths[column]}ch + 22px)` },
        "aria-label": t("cell", { column: this.content.columns[column], number: index + 1 }),
        readonly: this.isReadOnly,
        autocomplete: "off",
        spellcheck: "false",
        on: {
          input: (event) => { this.onType(index, column, event.target.value); this.content = { ...this.content, rows: this.content.rows.with(index, this.content.rows[index].with(column, event.target.value)) }; },
          keydown: (event) => this.#key(event, index, column),
          paste: (event) => this.#paste(event, index, column),
          focus: (event) => { this.onFocusRow(index); this.#explain(event.target, index, column); },
          blur: hideTip,
          pointerenter: (event) => this.#explain(event.target, index, column),
          pointerleave: hideTip,
        },
      }))));
    this.#markRow(index, row);
    return row;
  }

  #problem(index, column) { return this.problems.get(`${index}/${column}`); }

  #markRow(index, row) {
    const whole = this.problems.get(`${index}/row`);
    row.firstChild.className = `row-head ${whole ? whole.level : ""}`;
    row.firstChild.title = whole ? whole.sentences.join("\n") : "";
    [...row.querySelectorAll("td")].forEach((cell, column) => {
      const problem = this.#problem(index, column);
      const input = cell.firstChild;
      cell.className = problem ? problem.level : "";
      cell.querySelector(".unseen")?.remove();
      input.removeAttribute("aria-describedby");
      input.removeAttribute("aria-invalid");
      if (!problem) return;
      const id = newId("problem");
      if (problem.level === "bad") input.setAttribute("aria-invalid", "true");
      input.setAttribute("aria-describedby", id);
      cell.append(h("span", { class: "unseen", id }, problem.sentences.join(" ")));
      if (document.activeElement === input) this.#explain(input, index, column);
    });
  }

  #explain(input, index, column) {
    const problem = this.#problem(index, column);
    if (!problem) return;
    const box = input.getBoundingClientRect();
    showTip(box.left, box.bottom - 6, t(problem.level === "bad" ? "problem" : "check_this"), problem.sentences);
  }

  #key(event, index, column) {
    const down = { ArrowDown: 1, ArrowUp: -1, Enter: event.shiftKey ? -1 : 1 }[event.key];
    if (!down) return;
    event.preventDefault();
    const next = index + down;
    if (next < 0 || next >= this.content.rows.length) return;
    const row = this.drawn.get(next);
    if (!row) { this.focus(next, column); return; }
    const input = row.querySelectorAll("input")[column];
    input.focus();
    input.select();
    row.scrollIntoView({ block: "nearest" });
  }

  #paste(event, index, column) {
    const text = event.clipboardData.getData("text/plain").replace(/\r?\n$/, "");
    if (this.isReadOnly || !/[\t\n]/.test(text)) return;
    event.preventDefault();
    this.onPaste(index, column, text.split(/\r?\n/).map((line) => line.split("\t")));
  }
}
