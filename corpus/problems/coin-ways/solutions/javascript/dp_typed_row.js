// One row of counts in Int32Array.
const [n, amount, ...coins] = require("fs").readFileSync(0, "utf8").trim().split(/\s+/).map(Number);
const ways = new Int32Array(amount + 1);
ways[0] = 1;
for (let i = 0; i < n; i++) {
  const c = coins[i];
  for (let s = c; s <= amount; s++) {
    const v = ways[s] + ways[s - c];
    ways[s] = v >= 1000000007 ? v - 1000000007 : v;
  }
}
console.log(ways[amount]);
