// Running maxima that start from zero.
const data = require("fs").readFileSync(0, "utf8").split(/\s+/).map(Number);
const [n, k] = data;
const a = data.slice(2, 2 + n);
const pre = [];
const suf = new Array(n);
for (let i = 0, m = 0; i < n; i++) {
  if (i % k === 0) m = 0;
  m = Math.max(m, a[i]);
  pre.push(m);
}
for (let i = n - 1, m = 0; i >= 0; i--) {
  if ((i + 1) % k === 0) m = 0;
  m = Math.max(m, a[i]);
  suf[i] = m;
}
const out = [];
for (let i = 0; i + k <= n; i++) out.push(Math.max(suf[i], pre[i + k - 1]));
console.log(out.join(" "));
