// Prefix counts of a sieve.
const data = require("fs").readFileSync(0, "utf8").split(/\s+/).map(Number);
const n = 2000000;
const prime = new Uint8Array(n + 1).fill(1);
prime[0] = 0;
for (let i = 2; i * i <= n; i++) {
  if (prime[i]) for (let j = i * i; j <= n; j += i) prime[j] = 0;
}
const pre = new Int32Array(n + 1);
for (let i = 1; i <= n; i++) pre[i] = pre[i - 1] + prime[i];
const out = [];
for (let i = 0; i < data[0]; i++) out.push(pre[data[2 * i + 2]] - pre[data[2 * i + 1] - 1]);
console.log(out.join("\n"));
