// Blocks of k with prefix and suffix maxima.
const [n, k, ...a] = require("fs").readFileSync(0, "utf8").split(/\s+/).filter((t) => t).map(Number);
const pre = a.slice();
const suf = a.slice();
for (let i = 1; i < n; i++) if (i % k) pre[i] = Math.max(pre[i], pre[i - 1]);
for (let i = n - 2; i >= 0; i--) if ((i + 1) % k) suf[i] = Math.max(suf[i], suf[i + 1]);
const out = new Array(n - k + 1);
for (let i = 0; i + k <= n; i++) out[i] = Math.max(suf[i], pre[i + k - 1]);
process.stdout.write(out.join(" ") + "\n");
