// Bundles of 1, 2, 4, ... equal coins, each bundle one falling pass.
const data = require("fs").readFileSync(0, "utf8").trim().split(/\s+/).map(Number);
const amount = data[1];
const ways = new Float64Array(amount + 1);
ways[0] = 1;
for (const c of data.slice(2)) {
  for (let bundle = c; bundle <= amount; bundle *= 2) {
    for (let s = amount; s >= bundle; s--) {
      const v = ways[s] + ways[s - bundle];
      ways[s] = v >= 1000000007 ? v - 1000000007 : v;
    }
  }
}
console.log(ways[amount]);
