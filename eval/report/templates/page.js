// Sorts tables and filters tasks. Without this script the page is complete, but longer to look through.
// ------------------------------------------------------------------ tables

const valueOf = (row, column) => {
  const cell = row.cells[column];
  return cell.dataset.value === undefined ? cell.textContent.trim() : Number(cell.dataset.value);
};

const compare = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b)));

function sortBy(table, head, column) {
  const upwards = head.getAttribute("aria-sort") !== "ascending";
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", upwards ? "ascending" : "descending");
  const rows = [...table.tBodies[0].rows];
  rows.sort((a, b) => (upwards ? 1 : -1) * compare(valueOf(a, column), valueOf(b, column)));
  table.tBodies[0].append(...rows);
}

for (const table of document.querySelectorAll("table.sortable")) {
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => sortBy(table, head, column));
  });
}

// ------------------------------------------------------------------ code

// A program gets its colours when it is opened. The event does not bubble, so it is caught on its way down.
document.addEventListener(
  "toggle",
  ({ target }) => {
    const code = target.matches("details.code") && target.querySelector("pre:not(.diff) > code");
    if (!code || code.dataset.coloured) return;
    code.dataset.coloured = "yes";
    code.replaceChildren(...highlighted(code.textContent, target.closest("details.task").dataset.language));
  },
  true,
);

// ------------------------------------------------------------------ tasks

const filters = document.getElementById("filters");
const tasks = [...document.querySelectorAll("details.task")];
const chosen = (name) => document.getElementById(name).value;

function filterTasks() {
  const words = chosen("find").toLowerCase().split(/\s+/).filter(Boolean);
  const wanted = { language: chosen("by-language"), difficulty: chosen("by-difficulty"), result: chosen("by-result") };
  for (const task of tasks) {
    const text = task.firstElementChild.textContent.toLowerCase();
    const fits = Object.entries(wanted).every(([name, value]) => !value || task.dataset[name] === value);
    task.hidden = !(fits && words.every((word) => text.includes(word)));
  }
  const shown = tasks.filter((task) => !task.hidden).length;
  document.getElementById("found").textContent = `${shown} of ${tasks.length}`;
}

filters.hidden = false;
filters.addEventListener("input", filterTasks);
filters.addEventListener("submit", (event) => event.preventDefault());
filterTasks();
