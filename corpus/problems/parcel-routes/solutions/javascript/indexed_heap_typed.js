// Dijkstra on typed arrays: compressed rows and an indexed 4-ary heap with decrease-key.
const text = require("fs").readFileSync(0);
let pos = 0;
function number() {
  while (text[pos] < 48) pos++;
  let x = 0;
  while (pos < text.length && text[pos] >= 48) x = x * 10 + text[pos++] - 48;
  return x;
}

const n = number();
const m = number();
const from = new Int32Array(m);
const to = new Int32Array(m);
const length = new Int32Array(m);
const start = new Int32Array(n + 2);
for (let e = 0; e < m; e++) {
  from[e] = number();
  to[e] = number();
  length[e] = number();
  start[from[e]]++;
}
for (let v = 1; v <= n + 1; v++) start[v] += start[v - 1];
const head = new Int32Array(m);
const weight = new Int32Array(m);
for (let e = 0; e < m; e++) {
  const k = --start[from[e]];
  head[k] = to[e];
  weight[k] = length[e];
}

const dist = new Float64Array(n + 1).fill(-1);
const heap = new Int32Array(n + 1);
const place = new Int32Array(n + 1);
let held = 0;

function up(i, v) {
  const d = dist[v];
  while (i > 0) {
    const p = (i - 1) >> 2;
    const u = heap[p];
    if (dist[u] <= d) break;
    heap[i] = u;
    place[u] = i;
    i = p;
  }
  heap[i] = v;
  place[v] = i;
}

function down(v) {
  const d = dist[v];
  let i = 0;
  for (;;) {
    const c = 4 * i + 1;
    if (c >= held) break;
    const end = Math.min(c + 4, held);
    let best = c;
    let least = dist[heap[c]];
    for (let k = c + 1; k < end; k++) {
      if (dist[heap[k]] < least) {
        least = dist[heap[k]];
        best = k;
      }
    }
    if (least >= d) break;
    heap[i] = heap[best];
    place[heap[i]] = i;
    i = best;
  }
  heap[i] = v;
  place[v] = i;
}

dist[1] = 0;
up(held++, 1);
while (held > 0) {
  const v = heap[0];
  const tail = heap[--held];
  if (held > 0) down(tail);
  for (let k = start[v]; k < start[v + 1]; k++) {
    const u = head[k];
    const t = dist[v] + weight[k];
    if (dist[u] < 0) {
      dist[u] = t;
      up(held++, u);
    } else if (t < dist[u]) {
      dist[u] = t;
      up(place[u], u);
    }
  }
}
process.stdout.write(dist.subarray(1).join(" ") + "\n");
