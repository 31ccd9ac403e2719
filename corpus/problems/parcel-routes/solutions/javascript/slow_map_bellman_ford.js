// Bellman-Ford with all n - 1 rounds; distances in a Map keyed by node name.
const lines = require("fs").readFileSync(0, "utf8").split("\n");
const [n, m] = lines[0].split(" ").map(Number);
const roads = [];
for (let i = 1; i <= m; i++) {
  const [a, b, w] = lines[i].split(" ");
  roads.push({ from: a, to: b, length: Number(w) });
}
const dist = new Map([["1", 0]]);
for (let round = 1; round < n; round++) {
  for (const road of roads) {
    if (!dist.has(road.from)) continue;
    const t = dist.get(road.from) + road.length;
    if (!dist.has(road.to) || t < dist.get(road.to)) dist.set(road.to, t);
  }
}
const out = [];
for (let v = 1; v <= n; v++) out.push(dist.has(String(v)) ? dist.get(String(v)) : -1);
console.log(out.join(" "));
