// Samples in a table: filtered, sorted, a hundred at a time; opened with their texts, compared between two runs.
"use strict";

const PAGE = 100;
const MOST_LINES = 600; // a diff takes the product of the numbers of lines
const by = (name) => document.getElementById(name);
const blocks = [...document.querySelectorAll("script.block")];
const unpacked = new Map();

async function unpack(element) {
  const bytes = Uint8Array.from(atob(element.textContent), (each) => each.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

function make(name, text, kind) {
  const element = document.createElement(name);
  if (text !== undefined) element.textContent = text;
  if (kind) element.className = kind;
  return element;
}

const shown = (value) => (value === null || value === undefined ? "–" : String(value));
const ratio = (mine, other) => (mine === null || other === null || other === undefined ? null : Math.round((100 * other) / mine) / 100);

// ------------------------------------------------------------------ rows

const asSample = ([run, task, sample, outcome, verdict, places, values]) => ({ run, task, sample, outcome, verdict, places, values });

function start(data) {
  const samples = data.rows.map(asSample);
  const keyed = new Map(samples.map((each) => [`${each.run}/${each.task}/${each.sample}`, each]));
  const state = { sorted: 0, upwards: true, page: 0, rows: [] };

  function options(name, values, first) {
    by(name).replaceChildren(...[["", first], ...values].map(([value, text]) => Object.assign(make("option", text), { value })));
  }
  const outcomes = [...new Set(samples.map((each) => each.outcome))].sort();
  options("by-run", data.runs.map((name, number) => [String(number), name]), "all");
  options("against", data.runs.map((name, number) => [String(number), name]), "no other");
  options("by-outcome", [...outcomes.map((each) => [each, each]), ["differs", "differs from the other run"]], "all");
  options("by-place", ["better", "middle", "worse", "failed"].map((each) => [each, each]), "all");

  const other = (each) => (by("against").value === "" ? undefined : keyed.get(`${by("against").value}/${each.task}/${each.sample}`));

  function columns() {
    const compared = by("against").value !== "";
    const plain = [
      ["task", (each) => data.tasks[each.task]],
      ["sample", (each) => each.sample],
      ["run", (each) => data.runs[each.run]],
      ["outcome", (each) => each.verdict || each.outcome],
      ["place T", (each) => each.places[0]],
      ...data.figures.map((name, number) => [name, (each) => each.values[number]]),
    ];
    return compared
      ? [
          ...plain.slice(0, 5),
          ["outcome there", (each) => other(each)?.verdict || other(each)?.outcome],
          ...[0, 1, 2].map((number) => [`${data.figures[number].split(",")[0]}, there / here`, (each) => ratio(each.values[number], other(each)?.values[number])]),
          ...plain.slice(8),
        ]
      : plain;
  }

  function choose() {
    const words = by("find").value.toLowerCase().split(/\s+/).filter(Boolean);
    const [run, outcome, place] = [by("by-run").value, by("by-outcome").value, by("by-place").value];
    const text = (each) => `${data.tasks[each.task]} ${each.outcome} ${each.verdict}`.toLowerCase();
    state.rows = samples.filter(
      (each) =>
        (run === "" || each.run === Number(run)) &&
        (by("against").value === "" || each.run !== Number(by("against").value)) &&
        (outcome === "" || (outcome === "differs" ? other(each) && other(each).outcome !== each.outcome : each.outcome === outcome)) &&
        (place === "" || each.places[0] === place) &&
        words.every((word) => text(each).includes(word)),
    );
    const value = columns()[state.sorted][1];
    const order = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b)));
    // What has no value comes last, whichever way the others are sorted.
    const missing = (each) => value(each) === null || value(each) === undefined;
    state.rows.sort((a, b) => missing(a) - missing(b) || (state.upwards ? 1 : -1) * order(value(a), value(b)));
    state.page = 0;
    draw();
  }

  function draw() {
    const named = columns();
    const heads = named.map(([name], number) => {
      const head = make("th");
      const button = make("button", name);
      button.type = "button";
      head.scope = "col";
      if (number === state.sorted) head.setAttribute("aria-sort", state.upwards ? "ascending" : "descending");
      button.addEventListener("click", () => {
        state.upwards = number === state.sorted ? !state.upwards : true;
        state.sorted = number;
        choose();
      });
      head.append(button);
      return head;
    });
    const table = by("samples");
    table.tHead.rows[0].replaceChildren(...heads);
    const from = state.page * PAGE;
    table.tBodies[0].replaceChildren(...state.rows.slice(from, from + PAGE).map((each) => line(each, named)));
    const pages = Math.max(1, Math.ceil(state.rows.length / PAGE));
    by("found").textContent = `${state.rows.length} of ${samples.length} samples`;
    by("at").textContent = `page ${state.page + 1} of ${pages}`;
    by("before").disabled = state.page === 0;
    by("next").disabled = state.page + 1 >= pages;
  }

  function line(each, named) {
    const row = make("tr");
    named.forEach(([, value], number) => {
      const found = value(each);
      const cell = make("td", number ? shown(found) : undefined, typeof found === "number" ? "number" : "");
      if (number === 0) {
        const button = make("button", shown(found));
        button.type = "button";
        button.addEventListener("click", () => open(each));
        cell.append(button);
      }
      row.append(cell);
    });
    return row;
  }

  // ---------------------------------------------------------------- one sample

  async function textsOf(each) {
    const number = Math.floor(each.task / data.together);
    if (!unpacked.has(number)) unpacked.set(number, await unpack(blocks[number]));
    const block = unpacked.get(number);
    const task = data.tasks[each.task];
    return { own: block.samples[`${each.run}/${task}/${each.sample}`] ?? {}, human: block.humans[task] };
  }

  async function open(each) {
    const { own, human } = await textsOf(each);
    const there = other(each);
    const compared = there ? (await textsOf(there)).own.code : human;
    const against = there ? data.runs[there.run] : "the best human solution";
    by("sample-head").textContent = `${data.tasks[each.task]}, sample ${each.sample} of ${data.runs[each.run]}`;
    const figures = data.figures.map((name, number) => `${name}: ${shown(each.values[number])}`).join("; ");
    const parts = [make("p", `${each.verdict || each.outcome}; ${figures}`, "figures")];
    if (own.reason) parts.push(make("p", `${own.failing_test ? `failing test ${own.failing_test}; ` : ""}${own.reason}`));
    if (own.answer_reason) parts.push(make("p", `code read from the answer: ${own.answer_reason}`));
    if (own.code && compared && own.code !== compared) parts.push(part(`Diff against ${against}`, diff(compared, own.code), true));
    parts.push(part("Code", own.code, !compared), part("Prompt", asked(own.prompt)), part("Answer", own.answer), part("Reasoning", own.reasoning));
    if (own.memory_curve) parts.unshift(curve(own.memory_curve));
    if (there) parts.push(part(`Code of ${against}`, compared));
    by("texts").replaceChildren(...parts.filter(Boolean));
    by("sample").showModal();
  }

  for (const [name, step] of [["before", -1], ["next", 1]]) {
    by(name).addEventListener("click", () => {
      state.page += step;
      draw();
    });
  }
  by("filters").addEventListener("input", () => {
    state.sorted = 0;
    choose();
  });
  by("filters").addEventListener("submit", (event) => event.preventDefault());
  by("filters").hidden = false;
  by("pages").hidden = false;
  choose();
}

// ------------------------------------------------------------------ texts

function asked(prompt) {
  if (!prompt) return undefined;
  return JSON.parse(prompt).map((each) => `${each.role}:\n${each.content}`).join("\n\n");
}

function part(title, content, opened) {
  if (!content) return undefined;
  const details = make("details", undefined, "code");
  const pre = make("pre", undefined, Array.isArray(content) ? "diff" : "");
  const code = make("code", Array.isArray(content) ? undefined : content);
  if (Array.isArray(content)) code.append(...content.map(([kind, text]) => make("span", text, kind)));
  details.open = Boolean(opened);
  pre.tabIndex = 0;
  pre.append(code);
  details.append(make("summary", title), pre);
  return details;
}

// Memory over time as a line; the axes are labelled at their ends.
function curve(points) {
  const [width, height, left, bottom] = [640, 160, 60, 130];
  const end = Math.max(1, points.at(-1)[0]);
  const most = Math.max(1, ...points.map(([, size]) => size));
  const drawn = (name, attributes, text) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    return made;
  };
  const [ms, mib] = [(end / 1e6).toFixed(1), (most / 2 ** 20).toFixed(1)];
  const label = `Memory over ${ms} ms on the longest input, at most ${mib} MiB`;
  const svg = drawn("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label, class: "chart curve" });
  const at = ([ns, size]) => `${left + ((width - left - 6) * ns) / end},${bottom - ((bottom - 10) * size) / most}`;
  svg.append(
    drawn("path", { class: "grid", d: `M${left} 10V${bottom}H${width - 6}` }),
    drawn("polyline", { class: "line r0", points: points.map(at).join(" ") }),
    drawn("text", { x: left - 6, y: 18, "text-anchor": "end" }, `${mib} MiB`),
    drawn("text", { x: left - 6, y: bottom, "text-anchor": "end" }, "0"),
    drawn("text", { x: width - 6, y: height - 8, "text-anchor": "end" }, `${ms} ms`),
  );
  const figure = make("figure");
  figure.append(make("figcaption", "Memory over time, on the longest input"), svg);
  return figure;
}

// The longest common lines, from the end: length[i][j] is how many lines the texts have in common from i and j on.
function diff(before, after) {
  const [old, now] = [before.split("\n"), after.split("\n")];
  if (Math.max(old.length, now.length) > MOST_LINES) return undefined;
  const length = Array.from({ length: old.length + 1 }, () => new Uint16Array(now.length + 1));
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = now.length - 1; j >= 0; j--)
      length[i][j] = old[i] === now[j] ? length[i + 1][j + 1] + 1 : Math.max(length[i + 1][j], length[i][j + 1]);
  const lines = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      lines.push(["same", `  ${old[i++]}`]);
      j++;
    } else if (j === now.length || (i < old.length && length[i + 1][j] >= length[i][j + 1])) lines.push(["removed", `- ${old[i++]}`]);
    else lines.push(["added", `+ ${now[j++]}`]);
  }
  return lines;
}

unpack(by("figures")).then(start);
