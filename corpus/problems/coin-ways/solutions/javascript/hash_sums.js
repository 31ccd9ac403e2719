// Reachable sums in a Map, large coins first.
const data = require("fs").readFileSync(0, "utf8").trim().split(/\s+/).map(Number);
const amount = data[1];
const coins = data.slice(2).sort((x, y) => y - x);
const ways = new Map([[0, 1]]);
for (const c of coins) {
  for (let s = c; s <= amount; s++) {
    const v = ways.get(s - c);
    if (v !== undefined) ways.set(s, ((ways.get(s) || 0) + v) % 1000000007);
  }
}
console.log(ways.get(amount) || 0);
