// Kahn's algorithm with arrays of followers; the answer doubles as the queue.
const data = require("fs").readFileSync(0, "utf8").split(/\s+/).map(Number);
const [n, m] = data;
const after = Array.from({ length: n + 1 }, () => []);
const need = new Array(n + 1).fill(0);
for (let i = 0; i < m; i++) {
  const a = data[2 + 2 * i];
  const b = data[3 + 2 * i];
  after[a].push(b);
  need[b]++;
}
const order = [];
for (let v = 1; v <= n; v++) if (need[v] === 0) order.push(v);
for (let i = 0; i < order.length; i++) {
  for (const w of after[order[i]]) {
    if (--need[w] === 0) order.push(w);
  }
}
console.log(order.length === n ? order.join(" ") : "IMPOSSIBLE");
