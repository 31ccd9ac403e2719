// Recounts the open prerequisites of all tasks for every task that is placed.
const data = require("fs").readFileSync(0, "utf8").split(/\s+/).map(Number);
const [n, m] = data;
const done = new Uint8Array(n + 1);
const waits = new Int32Array(n + 1);
const order = [];
while (order.length < n) {
  waits.fill(0);
  for (let i = 2; i < 2 * m + 2; i += 2) {
    if (!done[data[i]]) waits[data[i + 1]]++;
  }
  let v = 1;
  while (v <= n && (done[v] || waits[v])) v++;
  if (v > n) break;
  done[v] = 1;
  order.push(v);
}
console.log(order.length === n ? order.join(" ") : "IMPOSSIBLE");
