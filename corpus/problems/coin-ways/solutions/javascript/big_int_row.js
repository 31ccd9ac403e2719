// One row of BigInt counts, reduced after each coin.
const data = require("fs").readFileSync(0, "utf8").trim().split(/\s+/).map(Number);
const amount = data[1];
const coins = data.slice(2).filter((c) => c <= amount);
let ways = new Array(amount + 1).fill(0n);
ways[0] = 1n;
for (const c of coins) {
  for (let s = c; s <= amount; s++) ways[s] += ways[s - c];
  for (let s = 0; s <= amount; s++) if (ways[s] >= 1000000007n) ways[s] %= 1000000007n;
}
console.log(String(ways[amount]));
