// Samples in a table: filtered, sorted, a hundred per page. Each opens with its code, texts and verdict, and optionally next
// to the same sample of another run.
const PAGE = 100;
const MOST_LINES = 600; // the time of a diff grows with the product of the numbers of lines
const PLACES = { better: "better than all", middle: "among them", worse: "worse than all", failed: "failed" };
const by = (name) => document.getElementById(name);
const blocks = [...document.querySelectorAll("script.block")];
const unpacked = new Map();

async function unpack(element) {
  const bytes = Uint8Array.from(atob(element.textContent), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

async function blockOf(number) {
  if (!unpacked.has(number)) unpacked.set(number, await unpack(blocks[number]));
  return unpacked.get(number);
}

function make(name, text, kind) {
  const element = document.createElement(name);
  if (text !== undefined) element.textContent = text;
  if (kind) element.className = kind;
  return element;
}

// Three digits, and whole numbers in full.
function shown(value) {
  if (value === null || value === undefined) return "–";
  if (typeof value !== "number") return String(value);
  return (Number.isInteger(value) ? value : Number(value.toPrecision(3))).toLocaleString("en");
}
const ratio = (mine, other) => (!mine || other === null || other === undefined ? null : other / mine);

// ------------------------------------------------------------------ rows

function start(data) {
  const samples = data.rows.map(([run, task, sample, outcome, verdict, places, values]) => ({ run, task, sample, outcome, verdict, places, values, key: `${run}/${task}/${sample}` }));
  const keyed = new Map(samples.map((sample) => [sample.key, sample]));
  const state = { sorted: 0, upwards: true, page: 0, rows: [], opened: undefined, view: "Code", asked: 0 };
  const texts = new Map(); // of each sample, in lower case, for the search

  function options(name, values, first) {
    by(name).replaceChildren(...[["", first], ...values].map(([value, text]) => Object.assign(make("option", text), { value })));
  }
  const outcomes = [...new Set(samples.map((sample) => sample.outcome))].sort();
  const runs = data.runs.map((name, number) => [String(number), name]);
  options("by-run", runs, "all");
  options("against", runs, "no other run");
  options("by-outcome", [...outcomes.map((outcome) => [outcome, outcome.replaceAll("_", " ")]), ["differs", "differs from the other run"]], "all");
  options("by-place", Object.entries(PLACES), "all");
  options("by-figure", data.figures.map(([name, unit], number) => [String(number), unit ? `${name}, ${unit}` : name]), "any");

  const other = (sample) => (by("against").value === "" ? undefined : keyed.get(`${by("against").value}/${sample.task}/${sample.sample}`));
  const outcomeOf = (sample) => (sample.verdict || sample.outcome).replaceAll("_", " ");

  function columns() {
    const compared = by("against").value !== "";
    const figures = data.figures.map(([name, unit], number) => [unit ? `${name}, ${unit}` : name, (sample) => sample.values[number]]);
    return [
      ["task", (sample) => data.tasks[sample.task]],
      ["sample", (sample) => sample.sample],
      ["run", (sample) => data.runs[sample.run]],
      ["outcome", outcomeOf],
      ...(compared ? [["outcome there", (sample) => other(sample) && outcomeOf(other(sample))]] : []),
      ...(compared
        ? data.figures.slice(0, 3).map(([name], number) => [`${name}, there / here`, (sample) => ratio(sample.values[number], other(sample)?.values[number])])
        : figures.slice(0, 3)),
      ...figures.slice(3),
    ];
  }

  // ---------------------------------------------------------------- filters

  async function readTexts() {
    by("found").textContent = "Reading the texts …";
    for (let number = 0; number < blocks.length; number++) {
      const block = await blockOf(number);
      for (const sample of samples.filter(({ task }) => Math.floor(task / data.together) === number)) {
        const own = block.samples[`${sample.run}/${data.tasks[sample.task]}/${sample.sample}`] ?? {};
        texts.set(sample.key, ["prompt", "answer", "reasoning", "code", "reason"].map((name) => own[name]?.toString() ?? "").join("\n").toLowerCase());
      }
    }
  }

  async function choose() {
    const asked = ++state.asked;
    const words = by("find").value.toLowerCase().split(/\s+/).filter(Boolean);
    const deep = by("deep").checked && words.length > 0;
    if (deep && !texts.size) await readTexts();
    if (asked !== state.asked) return; // the filters changed while texts were read
    const [run, outcome, place, figure] = ["by-run", "by-outcome", "by-place", "by-figure"].map((name) => by(name).value);
    const [least, most] = ["least", "most"].map((name) => (by(name).value === "" ? undefined : Number(by(name).value)));
    const text = (sample) => `${data.tasks[sample.task]} ${sample.outcome} ${sample.verdict} ${deep ? texts.get(sample.key) : ""}`.toLowerCase();
    const within = (value) => (least === undefined && most === undefined) || (typeof value === "number" && value >= (least ?? -Infinity) && value <= (most ?? Infinity));
    state.rows = samples.filter(
      (sample) =>
        (run === "" || sample.run === Number(run)) &&
        (by("against").value === "" || sample.run !== Number(by("against").value)) &&
        (outcome === "" || (outcome === "differs" ? other(sample) && other(sample).outcome !== sample.outcome : sample.outcome === outcome)) &&
        (place === "" || sample.places[0] === place) &&
        (figure === "" || within(sample.values[Number(figure)])) &&
        words.every((word) => text(sample).includes(word)),
    );
    const value = columns()[state.sorted][1];
    const order = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b)));
    // Missing values come last in either order.
    const missing = (sample) => value(sample) === null || value(sample) === undefined;
    state.rows.sort((a, b) => missing(a) - missing(b) || (state.upwards ? 1 : -1) * order(value(a), value(b)));
    state.page = 0;
    draw();
  }

  // ---------------------------------------------------------------- the table

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
    table.tBodies[0].replaceChildren(...state.rows.slice(from, from + PAGE).map((sample) => line(sample, named)));
    const pages = Math.max(1, Math.ceil(state.rows.length / PAGE));
    by("found").textContent = `${shown(state.rows.length)} of ${shown(samples.length)} samples`;
    by("at").textContent = `page ${state.page + 1} of ${pages}`;
    by("before").disabled = state.page === 0;
    by("next").disabled = state.page + 1 >= pages;
    by("pages").hidden = pages === 1;
  }

  function line(sample, named) {
    const row = make("tr");
    named.forEach(([name, value], number) => {
      const content = value(sample);
      const cell = make(number ? "td" : "th", undefined, typeof content === "number" && name !== "sample" ? "number" : "");
      cell.dataset.name = name;
      if (number === 0) {
        cell.scope = "row";
        cell.className = "four";
        const button = make("button", shown(content));
        button.type = "button";
        button.addEventListener("click", () => open(sample));
        cell.append(button);
      } else if (name === "run") {
        cell.className = "three";
        cell.append(runName(sample.run));
      } else if (name === "outcome") {
        cell.className = "two";
        cell.append(make("span", content, `outcome ${sample.outcome === "passed" ? "yes" : "no"}`));
      } else cell.textContent = shown(content);
      row.append(cell);
    });
    return row;
  }

  function runName(run) {
    const name = make("span", undefined, "name");
    name.append(make("span", undefined, `dot r${run % 8}`), make("span", data.runs[run]));
    return name;
  }

  // ---------------------------------------------------------------- one sample

  async function textsOf(sample) {
    const block = await blockOf(Math.floor(sample.task / data.together));
    const task = data.tasks[sample.task];
    return { own: block.samples[`${sample.run}/${task}/${sample.sample}`] ?? {}, human: block.humans[task] };
  }

  async function open(sample) {
    const { own, human } = await textsOf(sample);
    const there = other(sample);
    const compared = there ? (await textsOf(there)).own.code : human;
    const against = there ? data.runs[there.run] : "the best human solution";
    const language = data.tasks[sample.task].split("/")[0];
    const place = state.rows.indexOf(sample);
    state.opened = sample;
    by("sample-head").textContent = `${data.tasks[sample.task]}, sample ${sample.sample}`;
    by("position").textContent = place < 0 ? "" : `${shown(place + 1)} of ${shown(state.rows.length)}`;
    by("previous").disabled = place <= 0;
    by("following").disabled = place < 0 || place + 1 === state.rows.length;
    by("summary").replaceChildren(
      item("run", runName(sample.run)),
      item("outcome", make("span", outcomeOf(sample), `outcome ${sample.outcome === "passed" ? "yes" : "no"}`)),
      ...data.figures.flatMap(([name, unit], number) => (sample.values[number] === null ? [] : [item(name, `${shown(sample.values[number])} ${unit}`)])),
    );
    const changed = own.code && compared && own.code !== compared ? diff(compared, own.code) : undefined;
    const views = {
      Code: own.code && [program(own.code, language)],
      Diff: changed && [make("p", `From ${against} to this program`), program(changed), part(`Code of ${against}`, compared, language)],
      Prompt: own.prompt && own.prompt.flatMap(([role, content]) => [make("h3", role), ...prose(content, language)]),
      Answer: own.answer && prose(own.answer, language),
      Reasoning: own.reasoning && prose(own.reasoning, language),
      Verdict: verdict(sample, own),
    };
    by("views").replaceChildren(
      ...Object.entries(views).map(([name, content]) => {
        const button = make("button", name);
        button.type = "button";
        button.disabled = !content;
        button.addEventListener("click", () => {
          state.view = name;
          show(views);
        });
        return button;
      }),
    );
    show(views);
    if (!by("sample").open) {
      by("sample").showModal();
      by("sample-head").focus();
    }
    history.replaceState(null, "", `#${sample.key}`);
  }

  // The chosen view, or the first that the sample has.
  function show(views) {
    const name = views[state.view] ? state.view : Object.keys(views).find((view) => views[view]);
    for (const button of by("views").children) button.setAttribute("aria-pressed", String(button.textContent === name));
    by("view").setAttribute("aria-label", name);
    by("view").replaceChildren(...views[name].filter(Boolean));
    by("view").scrollTop = 0;
  }

  function verdict(sample, own) {
    const list = make("dl");
    const facts = [
      ["verdict", outcomeOf(sample)],
      ["failing test", own.failing_test],
      ["reason", own.reason],
      ["code read from the answer", own.answer_reason],
      ["among the human solutions by time, memory and integral", sample.places.some(Boolean) && sample.places.map((place) => PLACES[place] ?? "–").join("; ")],
      ...data.figures.map(([name, unit], number) => [name, `${shown(sample.values[number])} ${unit}`]),
    ];
    list.append(...facts.filter(([, text]) => text).map(([name, text]) => item(name, text)));
    return [own.memory_curve && curve(own.memory_curve), list];
  }

  function move(step) {
    const place = state.rows.indexOf(state.opened) + step;
    if (state.opened && state.rows.includes(state.opened) && state.rows[place]) open(state.rows[place]);
  }

  by("previous").addEventListener("click", () => move(-1));
  by("following").addEventListener("click", () => move(1));
  by("close").addEventListener("click", () => by("sample").close());
  by("sample").addEventListener("close", () => {
    const place = state.rows.indexOf(state.opened);
    history.replaceState(null, "", location.pathname);
    // Back to the table, on the page of what was read last.
    if (place >= 0 && Math.floor(place / PAGE) !== state.page) {
      state.page = Math.floor(place / PAGE);
      draw();
    }
    by("samples").tBodies[0].rows[place - state.page * PAGE]?.querySelector("button").focus();
  });
  by("sample").addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    const wide = event.target.matches("pre") && event.target.scrollWidth > event.target.clientWidth;
    if (event.key === "ArrowLeft" && !wide) move(-1);
    else if (event.key === "ArrowRight" && !wide) move(1);
    else if (/^[1-6]$/.test(event.key)) by("views").children[Number(event.key) - 1].click();
    else return;
    event.preventDefault();
  });

  for (const [name, step] of [["before", -1], ["next", 1]]) {
    by(name).addEventListener("click", () => {
      state.page += step;
      draw();
    });
  }
  by("against").addEventListener("input", () => (state.sorted = 0)); // it changes the columns
  by("filters").addEventListener("input", choose);
  by("filters").addEventListener("reset", () => setTimeout(choose));
  by("filters").addEventListener("submit", (event) => event.preventDefault());
  by("filters").hidden = false;
  const linked = () => {
    const sample = keyed.get(decodeURIComponent(location.hash.slice(1)));
    if (sample && sample !== state.opened) open(sample);
  };
  window.addEventListener("hashchange", linked);
  choose().then(linked);
}

// ------------------------------------------------------------------ texts

function item(name, content) {
  const group = make("div");
  const value = make("dd");
  value.append(content);
  group.append(make("dt", name), value);
  return group;
}

// A program in colours, or the lines of a diff.
function program(content, language) {
  const pre = make("pre", undefined, Array.isArray(content) ? "diff" : "");
  const code = make("code");
  code.append(...(Array.isArray(content) ? content.map(([kind, text]) => make("span", text, kind)) : highlighted(content, language)));
  pre.tabIndex = 0;
  pre.append(code);
  return pre;
}

function part(title, content, language) {
  const details = make("details", undefined, "code");
  details.append(make("summary", title), program(content, language));
  return details;
}

// Text as it was written; only what stands between fences is shown as a program.
function prose(text, language) {
  const parts = [];
  let lines = [];
  let fence;
  const end = () => {
    const block = lines.join("\n");
    if (fence !== undefined) parts.push(program(block, fence || language));
    else if (block.trim()) parts.push(make("p", block, "prose"));
    lines = [];
  };
  for (const textLine of text.split("\n")) {
    const match = /^\s*```(.*)$/.exec(textLine);
    if (!match || (fence !== undefined && match[1].trim())) lines.push(textLine);
    else {
      end();
      fence = fence === undefined ? match[1].trim().toLowerCase() : undefined;
    }
  }
  end();
  return parts;
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
