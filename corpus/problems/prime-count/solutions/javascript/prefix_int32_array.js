// Byte sieve and pi(x) for every x in an Int32Array.
const data = require("fs").readFileSync(0, "utf8").split(/\s+/);
const n = 2000000;
const comp = new Uint8Array(n + 1);
const pi = new Int32Array(n + 1);
for (let i = 2; i <= n; i++) {
  pi[i] = pi[i - 1];
  if (comp[i]) continue;
  pi[i]++;
  for (let j = i * i; j <= n; j += i) comp[j] = 1;
}
const q = Number(data[0]);
const out = [];
for (let i = 0; i < q; i++) {
  out.push(pi[Number(data[2 * i + 2])] - pi[Number(data[2 * i + 1]) - 1]);
}
console.log(out.join("\n"));
