// Dense polynomial product for every coin.
const data = require("fs").readFileSync(0, "utf8").trim().split(/\s+/).map(Number);
const amount = data[1];
let total = new Float64Array(amount + 1);
total[0] = 1;
for (const c of data.slice(2)) {
  const product = new Float64Array(2 * amount + 1);
  for (let i = 0; i <= amount; i++) {
    for (let j = 0; j <= amount; j++) {
      const factor = j % c === 0 ? 1 : 0;
      product[i + j] = (product[i + j] + total[i] * factor) % 1000000007;
    }
  }
  total = product.slice(0, amount + 1);
}
console.log(total[amount]);
