"use strict";
{
  const find = (id) => document.getElementById(id);
  const MIB = 2 ** 20;
  const POLL_S = 20;
  const SVG = "http://www.w3.org/2000/svg";
  let current = null; // the id of the pending job
  let drawn = null; // the run in the memory chart
  const editor = window.editorFor ? window.editorFor(find("code"), "Program") : null; // otherwise the plain text area

  // -------------------------------------------------------------- requests

  class RequestError extends Error {}

  async function ask(method, address, body) {
    const headers = { "Content-Type": "application/json" };
    if (find("key").value) headers["X-API-Key"] = find("key").value;
    let response;
    try {
      response = await fetch(address, { method, headers, body: body && JSON.stringify(body) });
    } catch {
      throw new RequestError("The server does not answer. Is it still running?");
    }
    if (response.status === 401) askForKey();
    const content = await response.json().catch(() => ({}));
    if (!response.ok) throw new RequestError(errorMessage(content, response));
    return content;
  }

  function errorMessage(content, response) {
    const { what, why, fix } = content.error || { what: `the server answered ${response.status}`, why: "", fix: "" };
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
    const options = languages.map((language) => {
      const option = element("option", language.name);
      option.value = language.id;
      option.title = language.version;
      return option;
    });
    find("language").replaceChildren(...options);
    find("language").value = chosen || (languages.some((language) => language.id === "python") ? "python" : languages[0].id);
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
    setBusy(true);
    complain("");
    try {
      let result = await ask("POST", "/v1/jobs", job());
      current = result.job_id;
      while (!["done", "failed", "cancelled"].includes(result.state)) {
        setState(result.state === "queued" ? "Waiting in the queue …" : "Running …");
        result = await ask("GET", `/v1/jobs/${current}?wait=${result.state === "queued" ? 1 : POLL_S}`);
      }
      show(result);
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      setState("");
      complain(error.message);
    } finally {
      current = null;
      setBusy(false);
    }
  }

  function setBusy(busy) {
    find("run").disabled = busy;
    find("cancel").hidden = !busy;
    if (busy) setState("Sending …");
  }

  function setState(text) {
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
      setState(result.state === "cancelled" ? "Cancelled." : "");
      complain(result.state === "failed" ? `The sandbox failed; this is not a verdict on the program.\n${result.error}` : "");
      return;
    }
    const [only] = result.runs;
    const [word, reason] = find("verdict").children;
    word.textContent = result.verdict === "accepted" ? "ran successfully" : result.verdict.replaceAll("_", " ");
    word.className = result.verdict;
    reason.textContent = result.reason;
    showFigures(result, only);
    showTexts(result, only);
    find("notes").replaceChildren(...notes(result).map((note) => element("li", note)));
    find("result").hidden = false;
    find("memory-figure").hidden = !only;
    drawn = only;
    draw();
    setState("Done.");
    find("result-head").focus({ preventScroll: true });
    find("result").scrollIntoView({ block: "nearest" });
  }

  function showFigures(result, only) {
    const measured = result.measurement;
    const source = measured && measured.wall_ns !== null ? measured : only;
    const figures = [];
    if (source) {
      figures.push(["Time", `${number(source.wall_ns / 1e6)} ms`, spread(source.wall_spread)]);
      figures.push(["CPU time", `${number(source.cpu_ns / 1e6)} ms`, spread(source.cpu_spread)]);
      figures.push(["Peak memory", `${number(source.peak_bytes / MIB)} MiB`, ""]);
      const within = `error at most ${number(source.integral_error_byte_ns / MIB / 1e6)}`;
      figures.push(["Memory × time", `${number(source.integral_byte_ns / MIB / 1e6)} MiB·ms`, within]);
    }
    if (measured && measured.relative_time !== null) {
      figures.push(["Relative time", `${number(measured.relative_time)} ×`, "the reference program’s CPU time"]);
    }
    if (only) figures.push(["Exit", only.signal ? `signal ${only.signal}` : only.exit_code ?? "none", only.limit ? `${only.limit} limit` : ""]);
    find("figures").replaceChildren(...figures.map(([name, value, small]) => figure(name, value, small)));
  }

  function figure(name, value, small) {
    const pair = element("div");
    const cell = element("dd", value);
    if (small) cell.append(element("small", small));
    pair.append(element("dt", name), cell);
    return pair;
  }

  function spread(value) {
    return value === undefined || value === null ? "" : `spread ${number(100 * value)} %`;
  }

  function showTexts(result, only) {
    const texts = [["Compiler", result.compile_log]];
    if (only) texts.unshift(["Standard output", only.stdout || "(empty)"], ["Standard error", only.stderr]);
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
    const flags = `Noise in the measurement: ${noise.join(", ").replaceAll("_", " ")}.`;
    return [...result.notes, ...(noise.length ? [flags] : [])];
  }

  // -------------------------------------------------------------- memory over time

  function draw() {
    const chart = find("chart");
    if (!drawn || !chart.clientWidth) return;
    const [width, height] = [chart.clientWidth, chart.clientHeight];
    const box = { left: 44, right: width - 4, top: 6, bottom: height - 34 };
    const points = [[0, 0], ...drawn.trace];
    const end = Math.max(points.at(-1)[0], 1);
    const most = 1.08 * drawn.peak_bytes;
    const x = (ns) => box.left + ((box.right - box.left) * ns) / end;
    const y = (bytes) => box.bottom - ((box.bottom - box.top) * bytes) / most;
    const line = points.map(([at, bytes]) => `${x(at).toFixed(1)},${y(bytes).toFixed(1)}`);
    const svg = shape("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": chartLabel() });
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
    chart.replaceChildren(svg);
  }

  function chartLabel() {
    return `Memory over ${number(drawn.wall_ns / 1e6)} ms, at most ${number(drawn.peak_bytes / MIB)} MiB`;
  }

  // About `count` round numbers from 0 to `most`.
  function ticks(most, count) {
    const rough = Math.max(most, 1e-6) / count;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = power * [1, 2, 5, 10].find((factor) => factor * power >= rough * 0.999);
    const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    const last = Math.floor(most / step + 1e-9);
    return Array.from({ length: last + 1 }, (_, at) => Number((at * step).toFixed(digits)));
  }

  // -------------------------------------------------------------- helpers

  function element(name, text = "") {
    const node = document.createElement(name);
    node.textContent = text;
    return node;
  }

  function shape(name, attributes) {
    const node = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    return node;
  }

  function letters(text, attributes) {
    const node = shape("text", attributes);
    node.textContent = text;
    return node;
  }

  function number(value) {
    const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
    return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  }

  function withErrors(work) {
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
  find("cancel").addEventListener("click", withErrors(async () => current && ask("DELETE", `/v1/jobs/${current}`)));
  find("example").addEventListener("click", withErrors(showExample));
  find("unlock").addEventListener("submit", (event) => {
    event.preventDefault();
    withErrors(showLanguages)();
  });
  new ResizeObserver(draw).observe(find("chart"));
  withErrors(showLanguages)();
}
