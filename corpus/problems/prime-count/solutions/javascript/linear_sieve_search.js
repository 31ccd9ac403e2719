// Linear sieve into plain arrays, then binary search.
const rows = require("fs").readFileSync(0, "utf8").split("\n");

function linearSieve(n) {
  const comp = new Array(n + 1).fill(false);
  const primes = [];
  for (let i = 2; i <= n; i++) {
    if (!comp[i]) primes.push(i);
    for (const p of primes) {
      if (p * i > n) break;
      comp[p * i] = true;
      if (i % p === 0) break;
    }
  }
  return primes;
}

const primes = linearSieve(2000000);

function upperBound(x) {
  let lo = 0;
  let hi = primes.length;
  while (lo < hi) {
    const mid = (lo + hi) >> 1;
    if (primes[mid] <= x) lo = mid + 1;
    else hi = mid;
  }
  return lo;
}

const q = Number(rows[0]);
const out = [];
for (let i = 1; i <= q; i++) {
  const [l, r] = rows[i].split(" ").map(Number);
  out.push(upperBound(r) - upperBound(l - 1));
}
console.log(out.join("\n"));
