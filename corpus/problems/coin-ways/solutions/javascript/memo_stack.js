// Top-down memo with an explicit stack of states instead of recursion.
const data = require("fs").readFileSync(0, "utf8").trim().split(/\s+/).map(Number);
const amount = data[1];
const coins = data.slice(2).filter((c) => c <= amount).sort((x, y) => x - y);
const width = amount + 1;
const m = coins.length;
const memo = new Int32Array((m + 1) * width).fill(-1);
memo.fill(0, 0, width);
for (let i = 0; i <= m; i++) memo[i * width] = 1;
const stack = [m * width + amount];
while (stack.length) {
  const state = stack[stack.length - 1];
  if (memo[state] >= 0) {
    stack.pop();
    continue;
  }
  const i = Math.floor(state / width);
  const rest = state % width;
  const without = state - width;
  const using = rest >= coins[i - 1] ? state - coins[i - 1] : -1;
  if (memo[without] < 0) stack.push(without);
  else if (using >= 0 && memo[using] < 0) stack.push(using);
  else {
    memo[state] = (memo[without] + (using >= 0 ? memo[using] : 0)) % 1000000007;
    stack.pop();
  }
}
console.log(memo[m * width + amount]);
