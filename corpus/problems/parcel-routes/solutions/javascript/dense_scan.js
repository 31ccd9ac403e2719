// Dijkstra without a queue: one pass over the distances of all open nodes per settled node.
const data = require("fs").readFileSync(0, "utf8").trim().split(/\s+/);
const n = parseInt(data[0]);
const m = parseInt(data[1]);
const roads = new Map();
for (let i = 0; i < m; i++) {
  const a = parseInt(data[3 * i + 2]) - 1;
  if (!roads.has(a)) roads.set(a, []);
  roads.get(a).push({ to: parseInt(data[3 * i + 3]) - 1, length: parseInt(data[3 * i + 4]) });
}
const open = new Float64Array(n).fill(Infinity);
const final = new Array(n).fill(-1);

function nearest() {
  let best = -1;
  let least = Infinity;
  for (let v = 0; v < n; v++) {
    if (open[v] < least) {
      least = open[v];
      best = v;
    }
  }
  return best;
}

open[0] = 0;
for (;;) {
  const v = nearest();
  if (v < 0) break;
  const d = open[v];
  final[v] = d;
  open[v] = Infinity;
  for (const road of roads.get(v) || []) {
    if (final[road.to] < 0 && d + road.length < open[road.to]) open[road.to] = d + road.length;
  }
}
console.log(final.join(" "));
