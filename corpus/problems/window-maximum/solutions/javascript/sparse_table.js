// Sparse table of plain arrays, all levels kept.
const fs = require("fs");
const text = fs.readFileSync(0, "utf8");
const cut = text.indexOf("\n");
const [n, k] = text.slice(0, cut).split(" ").map((s) => +s);
const table = [text.slice(cut + 1).trim().split(" ").map((s) => +s)];
for (let w = 1; 2 * w <= n; w *= 2) {
  const prev = table[table.length - 1];
  const row = [];
  for (let i = 0; i + 2 * w <= n; i++) row.push(prev[i] > prev[i + w] ? prev[i] : prev[i + w]);
  table.push(row);
}
const level = 31 - Math.clz32(k);
const row = table[level];
const res = [];
for (let i = 0; i + k <= n; i++) res.push(Math.max(row[i], row[i + k - (1 << level)]));
console.log(res.join(" "));
