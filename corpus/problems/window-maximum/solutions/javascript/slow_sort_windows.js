// Copies and sorts every window.
const [n, k, ...a] = require("fs").readFileSync(0, "utf8").trim().split(/\s+/).map(Number);
const out = [];
for (let i = 0; i + k <= n; i++) {
  const w = a.slice(i, i + k);
  w.sort((x, y) => x - y);
  out.push(w[k - 1]);
}
console.log(out.join(" "));
