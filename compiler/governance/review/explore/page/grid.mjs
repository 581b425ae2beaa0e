// A table of any size: only the cells that can be seen exist. Arrow keys move, Home and End, Page Up and Page Down too.

import { el } from "./dom.mjs";

const ROW = 30;
const COLUMN = 34;
const HEAD = 150;
const SIDE = 230;

/** `cell(row, column)` gives `{ state, label }`; `open(row, column)` is called for the cell that somebody chooses. */
export function grid({ label, cell, open }) {
  let rows = [];
  let columns = [];
  let active = { row: 0, column: 0 };
  let hasFocus = false;
  const space = el("div", { class: "space" });
  const scroller = el("div", { class: "grid", role: "grid", "aria-label": label, tabindex: "-1" }, space);
  const text = ([name, only]) => (only === undefined ? name : `${name}, ${only === "now" ? "added" : "removed"}`);

  function place(node, left, top) {
    if (left !== undefined) node.style.left = `${left}px`;
    if (top !== undefined) node.style.top = `${top}px`;
    return node;
  }

  function draw() {
    const width = SIDE + columns.length * COLUMN + 90;
    // First of all: the frame is as large as what it holds, up to the window's room.
    space.style.width = `${width}px`;
    space.style.height = `${HEAD + rows.length * ROW}px`;
    const from = Math.max(0, Math.floor(scroller.scrollTop / ROW) - 2);
    const to = Math.min(rows.length, from + Math.ceil(scroller.clientHeight / ROW) + 5);
    const left = Math.max(0, Math.floor(scroller.scrollLeft / COLUMN) - 2);
    const right = Math.min(columns.length, left + Math.ceil(scroller.clientWidth / COLUMN) + 4);
    const head = el("div", { class: "row head", role: "row", "aria-rowindex": 1 });
    head.style.width = `${width}px`;
    head.append(
      el(
        "div",
        { class: "corner", role: "columnheader", "aria-colindex": 1 },
        el("span", {}, scroller.dataset.corner ?? ""),
      ),
    );
    for (let c = left; c < right; c++) {
      const [, only] = columns[c];
      const header = el("div", {
        class: `column ${only ?? ""}`,
        role: "columnheader",
        "aria-colindex": c + 2,
        title: text(columns[c]),
      });
      header.append(el("span", {}, columns[c][0]));
      head.append(place(header, SIDE + c * COLUMN));
    }
    const drawn = [head];
    for (let r = from; r < to; r++) {
      const [name, only] = rows[r];
      const row = place(el("div", { class: "row", role: "row", "aria-rowindex": r + 2 }), undefined, HEAD + r * ROW);
      row.style.width = `${width}px`;
      row.append(
        el("div", { class: `side ${only ?? ""}`, role: "rowheader", "aria-colindex": 1, title: text(rows[r]) }, name),
      );
      for (let c = left; c < right; c++) {
        const { state, label: says } = cell(rows[r], columns[c]);
        const isActive = r === active.row && c === active.column;
        const node = el("div", {
          class: `cell ${state}`,
          role: "gridcell",
          "aria-colindex": c + 2,
          "aria-label": `${name}, ${columns[c][0]}: ${says}`,
          title: `${name} · ${columns[c][0]}\n${says}`,
          tabindex: isActive ? "0" : "-1",
          "data-row": r,
          "data-column": c,
        });
        row.append(place(node, SIDE + c * COLUMN));
      }
      drawn.push(row);
    }
    space.replaceChildren(...drawn);
    if (hasFocus) space.querySelector('[tabindex="0"]')?.focus({ preventScroll: true });
  }

  let due = false;
  scroller.addEventListener("scroll", () => {
    if (due) return;
    due = true;
    requestAnimationFrame(() => {
      due = false;
      draw();
    });
  });

  function choose(row, column) {
    active = {
      row: Math.max(0, Math.min(rows.length - 1, row)),
      column: Math.max(0, Math.min(columns.length - 1, column)),
    };
    const top = active.row * ROW;
    const left = active.column * COLUMN;
    const height = scroller.clientHeight - HEAD;
    const width = scroller.clientWidth - SIDE;
    if (top < scroller.scrollTop) scroller.scrollTop = top;
    else if (top + ROW > scroller.scrollTop + height) scroller.scrollTop = top + ROW - height;
    if (left < scroller.scrollLeft) scroller.scrollLeft = left;
    else if (left + COLUMN > scroller.scrollLeft + width) scroller.scrollLeft = left + COLUMN - width;
    hasFocus = true;
    draw();
  }

  scroller.addEventListener("keydown", (event) => {
    const page = Math.max(1, Math.floor((scroller.clientHeight - HEAD) / ROW) - 1);
    const { row, column } = active;
    const to = {
      ArrowUp: [row - 1, column],
      ArrowDown: [row + 1, column],
      ArrowLeft: [row, column - 1],
      ArrowRight: [row, column + 1],
      PageUp: [row - page, column],
      PageDown: [row + page, column],
      Home: event.ctrlKey ? [0, 0] : [row, 0],
      End: event.ctrlKey ? [rows.length - 1, columns.length - 1] : [row, columns.length - 1],
    }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      choose(to[0], to[1]);
    } else if ((event.key === "Enter" || event.key === " ") && rows.length > 0 && columns.length > 0) {
      event.preventDefault();
      open(rows[row], columns[column]);
    }
  });
  scroller.addEventListener("click", (event) => {
    const node = event.target.closest?.("[data-row]");
    if (!node) return;
    choose(Number(node.dataset.row), Number(node.dataset.column));
    open(rows[active.row], columns[active.column]);
  });
  scroller.addEventListener("focusout", (event) => {
    if (event.relatedTarget !== null && !scroller.contains(event.relatedTarget)) hasFocus = false;
  });
  new ResizeObserver(() => draw()).observe(scroller);

  return {
    node: scroller,
    show(newRows, newColumns, corner) {
      rows = newRows;
      columns = newColumns;
      active = { row: 0, column: 0 };
      hasFocus = false;
      scroller.dataset.corner = corner;
      scroller.setAttribute("aria-rowcount", rows.length + 1);
      scroller.setAttribute("aria-colcount", columns.length + 1);
      scroller.scrollTop = 0;
      scroller.scrollLeft = 0;
      draw();
    },
    redraw: draw,
    /** Some rows and columns as a plain table, for paper. */
    table() {
      const some = rows.slice(0, 120);
      const across = columns.slice(0, 24);
      const head = el(
        "tr",
        {},
        el("th", { scope: "col" }, scroller.dataset.corner ?? ""),
        across.map(([n]) => el("th", { scope: "col" }, n)),
      );
      const body = some.map((r) =>
        el(
          "tr",
          {},
          el("th", { scope: "row" }, r[0]),
          across.map((c) => el("td", {}, SIGNS[cell(r, c).state] ?? "")),
        ),
      );
      const left = rows.length > some.length || columns.length > across.length;
      const note = left
        ? [
            el(
              "p",
              {},
              `The first ${some.length} rows and ${across.length} columns of ${rows.length} and ${columns.length}: filter to print others.`,
            ),
          ]
        : [];
      return [...note, el("table", {}, el("thead", {}, head), el("tbody", {}, body))];
    },
  };
}

const SIGNS = { allow: "●", request: "◐", person: "◇", deny: "", added: "+", removed: "−", changed: "~" };
