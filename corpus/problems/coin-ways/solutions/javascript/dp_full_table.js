// Table of ordinary arrays, remainder at every cell.
const lines = require("fs").readFileSync(0, "utf8").split("\n");
const [n, amount] = lines[0].split(" ").map(Number);
const coins = lines[1].trim().split(" ").map(Number);
const table = [[1]];
for (let s = 1; s <= amount; s++) table[0].push(0);
for (let i = 0; i < n; i++) {
  const row = [];
  for (let s = 0; s <= amount; s++) {
    const more = s >= coins[i] ? row[s - coins[i]] : 0;
    row.push((table[i][s] + more) % 1000000007);
  }
  table.push(row);
}
console.log(table[n][amount]);
