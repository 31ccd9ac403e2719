"use strict";
{
  const find = (id) => document.getElementById(id);
  const MIB = 2 ** 20;
  const POLL_S = 20;
  const SVG = "http://www.w3.org/2000/svg";
  let current = null; // the id of the job that is waited for
  let drawn = null; // the run whose memory is shown
  const editor = window.editorFor ? window.editorFor(find("code"), "Program") : null; // else the text area is it

  // -------------------------------------------------------------- asking the server

  class Refused extends Error {}

  async function ask(method, address, body) {
    const headers = { "Content-Type": "application/json" };
    if (find("key").value) headers["X-API-Key"] = find("key").value;
    let response;
    try {
      response = await fetch(address, { method, headers, body: body && JSON.stringify(body) });
    } catch {
      throw new Refused("The server does not answer. Is it still running?");
    }
    if (response.status === 401) askForKey();
    const said = await response.json().catch(() => ({}));
    if (!response.ok) throw new Refused(inWords(said, response));
    return said;
  }

  function inWords(said, response) {
    const { what, why, fix } = said.error || { what: `the server answered ${response.status}`, why: "", fix: "" };
    const later = response.headers.get("Retry-After");
    const lines = [why ? `${what}: ${why}` : what, fix, later ? `Try again in ${later} s.` : ""];
    return lines.filter(Boolean).join("\n");
  }

  function askForKey() {
    find("unlock").hidden = false;
    find("key").focus();
  }

  // -------------------------------------------------------------- the form

  async function showLanguages() {
    const chosen = find("language").value;
    const languages = await ask("GET", "/v1/languages");
    const options = languages.map((each) => {
      const option = element("option", each.name);
      option.value = each.id;
      option.title = each.version;
      return option;
    });
    find("language").replaceChildren(...options);
    find("language").value = chosen || (languages.some((each) => each.id === "python") ? "python" : languages[0].id);
    editor?.speak(find("language").value);
    complain("");
  }

  async function showExample() {
    const example = await ask("GET", `/v1/examples/${find("language").value}`);
    find("code").value = example.code;
    editor?.show(example.code);
    find("stdin").value = example.stdin;
  }

  function job() {
    const ns = Math.round(Number(find("seconds").value) * 1e9);
    return {
      language: find("language").value,
      code: find("code").value,
      stdins: [find("stdin").value],
      limits: { wall_ns: ns, cpu_ns: ns, memory_bytes: Number(find("memory").value) * MIB },
      profile: true,
      repeats: find("measure").checked ? 3 : 0,
    };
  }

  async function run() {
    if (current !== null || !find("ask").reportValidity()) return;
    current = "";
    working(true);
    complain("");
    try {
      let result = await ask("POST", "/v1/jobs", job());
      current = result.job_id;
      while (!["done", "failed", "cancelled"].includes(result.state)) {
        say(result.state === "queued" ? "Waiting for its turn …" : "Running …");
        result = await ask("GET", `/v1/jobs/${current}?wait=${result.state === "queued" ? 1 : POLL_S}`);
      }
      show(result);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      say("");
      complain(error.message);
    } finally {
      current = null;
      working(false);
    }
  }

  function working(now) {
    find("run").disabled = now;
    find("cancel").hidden = !now;
    if (now) say("Sending …");
  }

  function say(text) {
    find("state").textContent = text;
  }

  function complain(text) {
    find("trouble").textContent = text;
    find("trouble").hidden = !text;
  }

  // -------------------------------------------------------------- the result

  function show(result) {
    if (result.state !== "done") {
      find("result").hidden = true;
      say(result.state === "cancelled" ? "Cancelled." : "");
      complain(result.state === "failed" ? `The sandbox failed; this says nothing about the program.\n${result.error}` : "");
      return;
    }
    const [only] = result.runs;
    const [word, why] = find("verdict").children;
    word.textContent = result.verdict === "accepted" ? "ended well" : result.verdict.replaceAll("_", " ");
    word.className = result.verdict;
    why.textContent = result.reason;
    showFigures(result, only);
    showTexts(result, only);
    find("notes").replaceChildren(...notes(result).map((each) => element("li", each)));
    find("result").hidden = false;
    find("memory-figure").hidden = !only;
    drawn = only;
    draw();
    say("Done.");
    find("result-head").focus({ preventScroll: true });
    find("result").scrollIntoView({ block: "nearest" });
  }

  function showFigures(result, only) {
    const measured = result.measurement;
    const of = measured && measured.wall_ns !== null ? measured : only;
    const figures = [];
    if (of) {
      figures.push(["Time", `${number(of.wall_ns / 1e6)} ms`, spread(of.wall_spread)]);
      figures.push(["CPU time", `${number(of.cpu_ns / 1e6)} ms`, spread(of.cpu_spread)]);
      figures.push(["Peak memory", `${number(of.peak_bytes / MIB)} MiB`, ""]);
      const within = `error at most ${number(of.integral_error_byte_ns / MIB / 1e6)}`;
      figures.push(["Memory × time", `${number(of.integral_byte_ns / MIB / 1e6)} MiB·ms`, within]);
    }
    if (measured && measured.relative_time !== null) {
      figures.push(["Relative time", `${number(measured.relative_time)} ×`, "the reference program’s CPU time"]);
    }
    if (only) figures.push(["Exit", only.signal ? `signal ${only.signal}` : only.exit_code ?? "none", only.limit ? `${only.limit} limit` : ""]);
    find("figures").replaceChildren(...figures.map(([name, value, small]) => figure(name, value, small)));
  }

  function figure(name, value, small) {
    const both = element("div");
    const cell = element("dd", value);
    if (small) cell.append(element("small", small));
    both.append(element("dt", name), cell);
    return both;
  }

  function spread(value) {
    return value === undefined || value === null ? "" : `spread ${number(100 * value)} %`;
  }

  function showTexts(result, only) {
    const texts = [["Compiler", result.compile_log]];
    if (only) texts.unshift(["Standard output", only.stdout || "(nothing)"], ["Standard error", only.stderr]);
    const shown = texts.filter(([, text]) => text.trim());
    find("texts").replaceChildren(...shown.flatMap(([name, text]) => block(name, text)));
  }

  function block(name, text) {
    const pre = element("pre", text);
    pre.tabIndex = 0;
    pre.setAttribute("role", "region");
    pre.setAttribute("aria-label", name);
    return [element("h3", name), pre];
  }

  function notes(result) {
    const noise = (result.measurement && result.measurement.noise) || [];
    const seen = `Noise while it was measured: ${noise.join(", ").replaceAll("_", " ")}.`;
    return [...result.notes, ...(noise.length ? [seen] : [])];
  }

  // -------------------------------------------------------------- memory over time

  function draw() {
    const place = find("chart");
    if (!drawn || !place.clientWidth) return;
    const [width, height] = [place.clientWidth, place.clientHeight];
    const box = { left: 44, right: width - 4, top: 6, bottom: height - 34 };
    const points = [[0, 0], ...drawn.trace];
    const end = Math.max(points.at(-1)[0], 1);
    const most = 1.08 * drawn.peak_bytes;
    const x = (ns) => box.left + ((box.right - box.left) * ns) / end;
    const y = (bytes) => box.bottom - ((box.bottom - box.top) * bytes) / most;
    const line = points.map(([at, bytes]) => `${x(at).toFixed(1)},${y(bytes).toFixed(1)}`);
    const svg = shape("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": inSpeech() });
    for (const at of ticks(most / MIB, 4)) {
      svg.append(shape("line", { class: "grid", x1: box.left, x2: box.right, y1: y(at * MIB), y2: y(at * MIB) }));
      svg.append(letters(at, { x: box.left - 6, y: y(at * MIB) + 4, "text-anchor": "end" }));
    }
    for (const at of ticks(end / 1e6, width / 110)) {
      const anchor = box.right - x(at * 1e6) < 24 ? "end" : "middle";
      svg.append(letters(at, { x: x(at * 1e6), y: box.bottom + 16, "text-anchor": anchor }));
    }
    svg.append(shape("polygon", { class: "area", points: [...line, `${x(points.at(-1)[0])},${box.bottom}`].join(" ") }));
    svg.append(shape("polyline", { class: "curve", points: line.join(" ") }));
    svg.append(shape("line", { class: "peak", x1: box.left, x2: box.right, y1: y(drawn.peak_bytes), y2: y(drawn.peak_bytes) }));
    svg.append(letters("ms since the start", { x: box.right, y: height - 2, "text-anchor": "end" }));
    place.replaceChildren(svg);
  }

  function inSpeech() {
    return `Memory over ${number(drawn.wall_ns / 1e6)} ms, at most ${number(drawn.peak_bytes / MIB)} MiB`;
  }

  // Round numbers from 0 to `most`, about as many as wanted.
  function ticks(most, wanted) {
    const rough = Math.max(most, 1e-6) / wanted;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = power * [1, 2, 5, 10].find((each) => each * power >= rough * 0.999);
    const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    const count = Math.floor(most / step + 1e-9);
    return Array.from({ length: count + 1 }, (_, at) => Number((at * step).toFixed(digits)));
  }

  // -------------------------------------------------------------- small things

  function element(name, text = "") {
    const made = document.createElement(name);
    made.textContent = text;
    return made;
  }

  function shape(name, attributes) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  }

  function letters(text, attributes) {
    const made = shape("text", attributes);
    made.textContent = text;
    return made;
  }

  function number(value) {
    const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
    return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  }

  function guarded(work) {
    return () => work().catch((error) => complain(error.message));
  }

  find("ask").addEventListener("submit", (event) => {
    event.preventDefault();
    run();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) run();
  });
  find("language").addEventListener("change", () => editor?.speak(find("language").value));
  document.querySelector("label[for=code]").addEventListener("click", () => editor?.focus());
  find("cancel").addEventListener("click", guarded(async () => current && ask("DELETE", `/v1/jobs/${current}`)));
  find("example").addEventListener("click", guarded(showExample));
  find("unlock").addEventListener("submit", (event) => {
    event.preventDefault();
    guarded(showLanguages)();
  });
  new ResizeObserver(draw).observe(find("chart"));
  guarded(showLanguages)();
}
