"use strict";
// Sorts a table by the column whose head is pressed: numbers by value, the rest by letters; pressed again the other way round.
for (const table of document.querySelectorAll("table")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => head.firstElementChild.addEventListener("click", () => {
    const up = head.getAttribute("aria-sort") !== "ascending";
    heads.forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const value = (row) => row.cells[column].textContent.trim();
    const number = (text) => parseFloat(text.split("->").pop().replace("+", ""));
    const rows = [...table.tBodies[0].rows];
    const numeric = rows.every((row) => value(row) === "" || !Number.isNaN(number(value(row))));
    const order = numeric ? (a, b) => (number(value(a)) || 0) - (number(value(b)) || 0) : (a, b) => (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : 0);
    rows.sort((a, b) => (up ? order(a, b) : order(b, a)));
    table.tBodies[0].append(...rows);
  }));
}
// A link into a fold, and printing, open what they show.
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((fold) => { fold.open = true; }));
